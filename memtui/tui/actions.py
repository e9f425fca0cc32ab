"""The one registry of actions: keys, footer, help and palette read it.

Invariant: a key is bound nowhere else, but for the moving keys of lists and inputs, which
`MOVING` names for the help.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding

Context = Literal[
    "app",
    "browse",
    "index",
    "memory",
    "recall",
    "forget",
    "review",
    "journal",
    "activity",
    "extract",
    "dream",
    "compare",
]


@dataclass(frozen=True)
class Action:
    """Something a person can do, with a key.

    `id` is the Textual action; `place` the context whose widget carries it; `footer` the place in
    the footer from the left (negative: the right group), None for none.
    """

    id: str
    keys: str
    shown: str
    label: str
    help: str
    place: Context
    footer: int | None = None
    in_palette: bool = True
    priority: bool = False

    @property
    def from_screen(self) -> str:
        """The action as a screen runs it: one of the app is asked of the app."""
        return f"app.{self.id}" if self.place == "app" else self.id


ACTIONS: tuple[Action, ...] = (
    Action("filter", "slash", "/", "filter", "narrow the list as you type", "browse", 10),
    Action("recall", "r", "r", "recall", "type a prompt, see what is injected", "browse", 20),
    Action("forget", "f", "f", "forget", "forget this memory: review, apply, undo", "browse", 22),
    Action("find_forget", "F", "F", "find and forget", "search the entries to forget", "browse"),
    Action("dream", "d", "d", "dream", "tidy: what is merged or sorted, and when", "browse", 22),
    Action("extract", "x", "x", "extract", "new memories from what you said", "browse", 23),
    Action("undo", "u", "u", "undo", "undo the newest change", "browse", 24),
    Action("journal", "l", "l", "log", "what was changed, each with undo", "browse", 65),
    Action("activity", "a", "a", "activity", "events, tasks, the journal", "browse", 30),
    Action("follow", "w", "w", "follow", "watch the newest session, or stop", "browse", 34),
    Action("follow_to", "W", "W", "follow to", "send what is found to the inbox or the store",
           "browse"),
    Action("copy", "y", "y", "copy", "copy a path, an Entry ID, the body, the block", "browse", 36),
    Action("raw", "m", "m", "raw", "the file as it stands, or laid out", "browse", 40),
    Action("show_index", "i", "i", "index", "MEMORY.md: its limits and its faults", "browse", 50),
    Action("projects", "p", "p", "projects", "open the memories of another project", "browse", 60),
    Action("scorer", "s", "s", "scorer", "rank with auto, weighted or classic", "browse", 80),
    Action("losers", "n", "n", "why not", "what is left out, each with its reason", "browse", 90),
    Action("pane(1)", "1", "1", "index", "go to the list", "browse", in_palette=False),
    Action("pane(2)", "2", "2", "memory", "go to the memory", "browse", in_palette=False),
    Action("pane(3)", "3", "3", "recall", "go to recall", "browse", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "browse", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "browse", in_palette=False, priority=True),
    Action("back", "escape", "esc", "back", "leave the input, then clear it", "browse",
           in_palette=False),
    Action("mark", "space", "space", "mark", "mark the entry, or unmark it", "forget", 10),
    Action("mark_range", "v", "v", "range", "mark from the last mark to here", "forget", 60),
    Action("mark_exact", "a", "a", "all exact", "mark all that contain the words", "forget", 20),
    Action("unmark_all", "A", "A", "none", "unmark all", "forget", 30),
    Action("next_scope", "s", "s", "scope", "one scope, or all", "forget", 60),
    Action("copy_id", "y", "y", "copy id", "copy the Entry ID", "forget", 50),
    Action("review", "enter", "enter", "review", "what goes, before it goes", "forget", 15,
           in_palette=False),
    Action("query", "slash,f", "/", "search", "type what to forget", "forget", 5),
    Action("pane(1)", "1", "1", "candidates", "go to the entries", "forget", in_palette=False),
    Action("pane(2)", "2", "2", "removed", "go to what goes", "forget", in_palette=False),
    Action("pane(3)", "3", "3", "what follows", "go to what follows", "forget", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "forget", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "forget", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "back to the memories", "forget", 80,
           in_palette=False),
    Action("accept", "space", "space", "accept", "accept the file, or reject it", "review", 10,
           in_palette=False),
    Action("accept_all", "a", "a", "all", "accept all files", "review", 20, in_palette=False),
    Action("reject_all", "n", "n", "none", "reject all files", "review", 30, in_palette=False),
    Action("hunk(1)", "right_square_bracket", "]", "hunk", "the next hunk", "review", 40,
           in_palette=False),
    Action("hunk(-1)", "left_square_bracket", "[", "hunk back", "the hunk before", "review",
           in_palette=False),
    Action("copy_diff", "y", "y", "copy diff", "copy the diff", "review", 50, in_palette=False),
    Action("apply", "enter", "enter", "apply", "write what is accepted", "review", 5,
           in_palette=False),
    Action("discard", "escape", "esc", "discard", "leave; nothing is written", "review", 7,
           in_palette=False),
    Action("pane(1)", "1", "1", "files", "go to the files", "review", in_palette=False),
    Action("pane(2)", "2", "2", "diff", "go to the diff", "review", in_palette=False),
    Action("pane(3)", "3", "3", "effects", "go to what follows", "review", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "review", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "review", in_palette=False, priority=True),
    Action("undo_entry", "u", "u", "undo", "bring back what this change took", "journal", 10,
           in_palette=False),
    Action("purge", "x", "x", "purge", "take it out of the log for good", "journal", 15,
           in_palette=False),
    Action("pane(1)", "1", "1", "log", "go to the changes", "journal", in_palette=False),
    Action("pane(2)", "2", "2", "files", "go to their files", "journal", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "journal", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "journal", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "back to the memories", "journal", 20,
           in_palette=False),
    Action("undo_act", "u", "u", "undo", "bring back what the change took", "activity", 10,
           in_palette=False),
    Action("stop_task", "x", "x", "stop", "ask the running task to stop", "activity", 15),
    Action("pane(1)", "1", "1", "events", "go to the events", "activity", in_palette=False),
    Action("pane(2)", "2", "2", "tasks", "go to the tasks", "activity", in_palette=False),
    Action("pane(3)", "3", "3", "journal", "go to the changes", "activity", in_palette=False),
    Action("pane(4)", "4", "4", "detail", "go to the details", "activity", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "activity", 20,
           in_palette=False, priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "activity", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "back to the memories", "activity", 30,
           in_palette=False),
    Action("review", "enter", "enter", "review", "what is written, before it is written",
           "extract", 5, in_palette=False),
    Action("accept", "space", "space", "select", "select the proposal, or leave it out", "extract",
           10, in_palette=False),
    Action("accept_all", "a", "a", "all", "select all proposals", "extract", 15),
    Action("accept_none", "n", "n", "none", "select none", "extract", 20),
    Action("edit_patch", "e", "e", "edit", "edit summary, why, how to apply, type", "extract", 25),
    Action("next_type", "T", "T", "type", "the next type for the proposal", "extract", 30),
    Action("discard", "X,delete", "X", "discard", "never propose it again, after a question",
           "extract", 35, in_palette=False),
    Action("pane(1)", "1", "1", "sessions", "go to the sessions", "extract", in_palette=False),
    Action("pane(2)", "2", "2", "patches", "go to the proposals", "extract", in_palette=False),
    Action("pane(3)", "3", "3", "patch", "go to the details", "extract", in_palette=False),
    Action("pane(4)", "4", "4", "dropped", "go to what was dropped", "extract", in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "extract", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "extract", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "back to the memories", "extract", 40,
           in_palette=False),
    Action("review_plan", "enter", "enter", "review plan", "what a dream would change, by file",
           "dream", 5, in_palette=False),
    Action("run_now", "R", "R", "run now", "dream in the background, after a question", "dream",
           10),
    Action("auto", "a", "a", "auto on/off", "let dreams run by themselves, or stop that", "dream",
           20),
    Action("break_lock", "L", "L", "break stale lock", "remove a stale lock, after a question",
           "dream", 30),
    Action("journal", "l", "l", "log", "what was changed, each with undo", "dream", 40),
    Action("undo", "u", "u", "undo", "undo this dream; elsewhere the newest change", "dream", 50),
    Action("compare", "c", "c", "side by side", "the entries of a suggestion side by side",
           "dream", 60),
    Action("next_scope", "s", "s", "scope", "the next store that is open", "dream", 70),
    Action("stop", "x", "x", "stop", "ask the running dream to stop", "dream"),
    Action("pane(1)", "1", "1", "gates", "go to the gates", "dream", in_palette=False),
    Action("pane(2)", "2", "2", "lock", "go to the lock", "dream", in_palette=False),
    Action("pane(3)", "3", "3", "dreams", "go to the former dreams", "dream", in_palette=False),
    Action("pane(4)", "4", "4", "plan", "go to the plan", "dream", in_palette=False),
    Action("pane(5)", "5", "5", "suggestions", "go to the suggestions", "dream",
           in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "dream", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "dream", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "stop the dream that was started here; then back",
           "dream", 80, in_palette=False),
    Action("forget_side", "f", "f", "forget", "forget the entry of this pane: review, apply, undo",
           "compare", 10),
    Action("copy_id", "y", "y", "copy id", "copy the Entry ID of this pane", "compare", 20),
    Action("pane(1)", "1", "1", "left", "go to the left entry", "compare", 5, in_palette=False),
    Action("pane(2)", "2", "2", "right", "go to the right entry", "compare", 6,
           in_palette=False),
    Action("next_pane", "tab", "tab", "pane", "go to the next pane", "compare", in_palette=False,
           priority=True),
    Action("previous_pane", "shift+tab", "shift+tab", "pane back", "go to the pane before",
           "compare", in_palette=False, priority=True),
    Action("leave", "escape", "esc", "back", "back to the dream", "compare", 80,
           in_palette=False),
    Action("change_theme", "t", "t", "theme", "choose another theme", "app", 70),
    Action("command_palette", "ctrl+p", "^p", "palette", "find an action by its name", "app", -3,
           in_palette=False),
    Action("help", "question_mark,f1", "?", "help", "the keys of this pane", "app", -2),
    Action("quit", "q", "q", "quit", "leave memtui", "app", -1),
)  # fmt: skip

MOVING: dict[Context, tuple[tuple[str, str], ...]] = {
    "index": (
        ("↑ ↓  j k", "move; in the filter too"),
        ("g G", "first, last"),
        ("pgup pgdn  ^u ^d", "a page"),
        ("enter", "read the memory"),
        ("type:  scope:  age>", "terms of the filter, also seen:no pinned:yes path: -word"),
    ),
    "memory": (
        ("↑ ↓  j k", "scroll"),
        ("space ^d ^u", "a page"),
        ("g G", "top, end"),
    ),
    "recall": (
        ("↑ ↓", "another row, its points below; while typing too"),
        ("enter", "from the prompt to the rows"),
        ("pgup pgdn", "scroll the points and the block"),
    ),
}
"""Moving keys of each pane, for the help only."""


def bindings(place: Context) -> list[Binding]:
    """The Textual bindings of the widget that carries `place`."""
    return [
        Binding(
            action.keys,
            action.id,
            action.label,
            key_display=action.shown,
            show=False,
            priority=action.priority,
            id=f"{place}.{action.id.partition('(')[0]}.{action.shown}",
        )
        for action in ACTIONS
        if action.place == place
    ]


def of(places: Iterable[Context]) -> list[Action]:
    """The actions at hand in `places`, in the order of the registry."""
    wanted = set(places)
    return [action for action in ACTIONS if action.place in wanted]
