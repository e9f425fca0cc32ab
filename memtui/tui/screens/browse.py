"""The main screen: all memories, the one under the cursor, and recall as you type.

Invariant: it holds what is looked at (filter, query, place) and asks the manager; whatever changes
on disk shows within a second or two, with the cursor kept on its file.

What is needed only where there is something to show is imported where it is used, so that the
first frame does not wait for it: the first scan loads it, in its worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.theme import Theme

from memtui.engine.manager import MemoryManager
from memtui.engine.types import INDEX_NAME, SCORERS, Scorer
from memtui.engine.workspace import Target
from memtui.tui import actions, empty
from memtui.tui.actions import Context
from memtui.tui.messages import (
    FilterChanged,
    Place,
    PlaceChosen,
    PlaceHighlighted,
    QueryChanged,
)
from memtui.tui.panes.document import DocumentPane
from memtui.tui.panes.index import IndexPane
from memtui.tui.panes.recall import RecallPane
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.following import FollowingScreen
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header, HeaderValues
from memtui.tui.widgets.rows import Keep

if TYPE_CHECKING:
    from memtui.tui.lookup import Lookup
    from memtui.tui.screens.dialogs import CopyChoice

LOW_ROWS = 8
"""A terminal of fewer rows is left to the panes, without header and footer."""
_SCORERS: tuple[Scorer | None, ...] = (None, *SCORERS)
"""None is `auto`."""
_CONTEXTS: tuple[Context, ...] = ("index", "memory", "recall")


class BrowseScreen(FollowingScreen):
    """Three panes, two, or one, as the width allows."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("browse")]
    AUTO_FOCUS = "#files"
    places: ClassVar[tuple[Context, ...]] = ("app", "browse")

    def __init__(self, manager: MemoryManager, palette: Palette, *, note: str = "") -> None:
        super().__init__(manager, palette, note=note)
        self.filter_text = ""
        self.query_text = ""
        self.is_raw = False
        self.side = 2
        """The pane that shares its place with others in a narrow terminal."""

    def compose(self) -> ComposeResult:
        """Header, panes, footer."""
        yield Header(self.palette)
        with Horizontal(id="panes"):
            yield IndexPane(self.palette)
            yield DocumentPane(self.palette)
            yield RecallPane(self.palette)
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Scan, and follow the theme."""
        super().on_mount()
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    def _theme_changed(self, theme: Theme) -> None:
        for pane in self.panes:
            pane.draw_title()
        if self.lookup is not None:
            self.show_lookup(self.lookup)

    # The parts of the screen.

    @property
    def index(self) -> IndexPane:
        """The list."""
        return self.query_one(IndexPane)

    @property
    def memory(self) -> DocumentPane:
        """The reading pane."""
        return self.query_one(DocumentPane)

    @property
    def recall(self) -> RecallPane:
        """The recall pane."""
        return self.query_one(RecallPane)

    # Scans.

    def open(self, target: Target) -> None:
        """Turn to another project, from its newest memory."""
        self.place = None
        self.index.prompt.value = self.filter_text = ""
        self.index.files.show_rows(())
        super().open(target)

    def show_prepared(self, part: str) -> None:
        """Show what waited for the warm-up."""
        if part == "filter":
            self._show_list()
        else:
            self._show_recall()
            self._show_place(keep_place=True)

    # What is shown.

    def show_fault(self, message: str) -> None:
        """Show why nothing can be shown."""
        self.query_one(Header).values = HeaderValues(note=self.note)
        self.index.show_text(empty.faulty_store(message, self.palette))
        self._show_what_to_do()

    def show_lookup(self, lookup: Lookup) -> None:
        """Show the memories as they are now."""
        self.unprepared = frozenset(("filter", *SCORERS) if lookup.is_large else ())
        self.query_one(Header).values = lookup.header(self.note)
        self._show_list()
        self.go_to_new()
        self.place = self.place or self.index.place
        self._show_recall()
        self._show_place(keep_place=True)
        for screen in self.app.screen_stack:
            if isinstance(screen, PanedScreen):
                screen.follow(lookup)
        is_first_look, self.is_first_look = self.is_first_look, False
        if is_first_look and (fault := self.manager.directory_fault()):
            self.notify(safe_line(fault), severity="warning")
        if is_first_look and lookup.workspace.project is None:
            self.action_projects("This folder has no project memory. Open another:")

    def go_to(self, place: Place) -> None:
        """Put the cursor on a memory, where the list shows it."""
        self.index.move_to(place)
        self.place = self.index.place
        self._show_place()

    def _show_list(self, keep: Keep = "place") -> None:
        lookup = self.lookup
        if lookup is None:
            return
        workspace, palette = lookup.workspace, self.palette
        broken = [snap for snap in workspace.snapshots if snap.state != "ok"]
        if not workspace.snapshots:
            self.index.show_text(empty.no_store(workspace, self.manager.directory_fault(), palette))
            self._show_what_to_do()
        elif broken and not lookup.rows:
            self.index.show_text(empty.faulty_store(broken[0].message, palette))
            self._show_what_to_do()
        elif not lookup.rows:
            self.index.show_text(empty.no_memories(workspace, palette))
            self._show_what_to_do()
        elif not (self.filter_text.strip() and "filter" in self.unprepared):
            rows, shown = lookup.list_rows(self.filter_text)
            if rows:
                start = self.place or next(iter(lookup.documents), None)
                self.index.show_rows(rows, shown=shown, total=lookup.total, start=start, keep=keep)
            else:
                self.index.show_text(empty.no_match(self.filter_text, palette))

    def _show_what_to_do(self) -> None:
        lines = empty.what_to_do(self.palette)
        self.memory.show(lambda width, _: [part for line in lines for part in line.wrap(width)])

    def _show_recall(self) -> None:
        lookup = self.lookup
        if lookup is None:
            return
        if self.query_text and self.scorer_in_use in self.unprepared:
            return
        from memtui.tui.recall_view import recall_view

        manager, workspace = self.manager, lookup.workspace
        view = recall_view(
            workspace,
            lambda: manager.ranker(workspace),
            self.query_text,
            self.scorer,
            manager.clock_ns(),
        )
        self.recall.show(view)
        self.recall_shown(view.recall, view.duration_ms)
        if self.recall.shows_losers:
            found = view.recall
            self.recall.show_losers(manager.ranker(workspace).left_out(found) if found else ())

    def _show_place(self, *, keep_place: bool = False) -> None:
        lookup, place, palette = self.lookup, self.place, self.palette
        if lookup is None or place is None:
            return
        from memtui.tui.reading import DocumentView, lay_out

        recall = self.recall.view.recall
        tokens = recall.tokens if recall is not None else ()
        view = lookup.view(place, tokens=tokens, is_raw=self.is_raw)
        if view is None:
            return
        self.memory.show(
            lambda width, has_air: lay_out(view, width, palette, has_air),
            word="raw" if self.is_raw and isinstance(view, DocumentView) else "",
            keep_place=keep_place,
        )

    @on(PlaceHighlighted)
    def _place_highlighted(self, event: PlaceHighlighted) -> None:
        if event.place is None or event.place == self.place:
            return
        is_recalled = event.source == "recall"
        if is_recalled and self.focused_pane is not self.recall:
            return
        self.place = event.place
        if is_recalled:
            self.index.move_to(event.place)
        self._show_place()

    @on(PlaceChosen)
    def _place_chosen(self, event: PlaceChosen) -> None:
        self.place = event.place
        self._show_place()
        self.action_pane(2)

    @on(FilterChanged)
    def _filter_changed(self, event: FilterChanged) -> None:
        self.filter_text = event.text
        self._show_list("key")

    @on(QueryChanged)
    def _query_changed(self, event: QueryChanged) -> None:
        self.query_text = event.text
        self._show_recall()
        self._show_place(keep_place=True)

    # Panes and widths.

    @on(Header.ProjectPressed)
    def _project_pressed(self) -> None:
        self.action_projects()

    def show_panes(self) -> None:
        """Show as many panes as fit."""
        width = self.size.width
        self.set_class(self.size.height < LOW_ROWS, "-low")
        focused = self.focused_pane.number
        if focused != 1:
            self.side = focused
        if width >= 120:
            shown: tuple[int, ...] = (1, 2, 3)
        elif width >= 80:
            shown = (1, self.side)
        else:
            shown = (focused,)
        self.set_class(80 <= width < 120, "-two")
        for pane in self.panes:
            pane.set_class(pane.number not in shown, "-hidden")
            hidden = tuple(
                (other.number, other.title)
                for other in self.panes
                if other.number not in shown and (width < 80 or pane.number != 1)
            )
            pane.show_tabs(hidden)

    # Actions.

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        pane = self.panes[number - 1]
        self.bring(number)
        if pane is self.index:
            self.index.focus_list()
        elif pane is self.memory:
            self.memory.lines.focus()
        else:
            self.recall.focus_rows()

    def action_filter(self) -> None:
        """Type into the filter."""
        self.bring(1)
        self.index.prompt.focus()

    def action_recall(self) -> None:
        """Type a prompt."""
        self.bring(3)
        self.recall.prompt.focus()

    def action_back(self) -> None:
        """One step back: out of the input, then what it holds, then to the list."""
        pane, index, recall = self.focused_pane, self.index, self.recall
        if pane is recall and recall.shows_losers:
            self.action_losers()
        elif pane is recall and recall.prompt.has_focus and recall.hits.count:
            recall.focus_rows()
        elif pane is recall and self.query_text:
            recall.prompt.value = ""
            recall.prompt.focus()
        elif (
            pane is index
            and self.filter_text
            and not (index.prompt.has_focus and index.files.count)
        ):
            index.prompt.value = ""
            index.focus_list()
        else:
            self.action_pane(1)

    def action_raw(self) -> None:
        """The file as it stands, or laid out."""
        self.is_raw = not self.is_raw
        self._show_place()

    def action_show_index(self) -> None:
        """Show the index of the scope under the cursor."""
        if self.lookup is None:
            return
        scope = self.place[0] if self.place else "project"
        place: Place = (scope, INDEX_NAME)
        if place not in self.lookup.rows:
            self.notify(f"The {scope} store has no {INDEX_NAME}.")
            return
        self.place = place
        self.index.move_to(place)
        self._show_place()
        self.action_pane(2)

    def action_scorer(self) -> None:
        """The next scorer."""
        self.scorer = _SCORERS[(_SCORERS.index(self.scorer) + 1) % len(_SCORERS)]
        self._show_recall()
        self._show_place(keep_place=True)

    def action_losers(self) -> None:
        """What is left out, or the points again."""
        recall = self.recall.view.recall
        if self.recall.shows_losers:
            self.recall.show_losers(None)
        elif recall is None or self.lookup is None:
            self.notify("Type a prompt first: r.")
            return
        else:
            self.recall.show_losers(self.manager.ranker(self.lookup.workspace).left_out(recall))
        self.recall.draw_lines()
        self.action_pane(3)

    def action_copy(self) -> None:
        """Choose what to copy."""
        from memtui.tui.copying import copy_choices
        from memtui.tui.screens.dialogs import CopyDialog

        if self.lookup is None:
            return
        recall = self.recall.view.recall
        choices = copy_choices(self.lookup, self.place, recall.prompt if recall else "")
        if not choices:
            self.notify("Nothing to copy: no memory is shown.")
            return
        if self.focused_pane is self.recall:
            choices.sort(key=lambda choice: choice.letter != "r")
        self.app.push_screen(CopyDialog(self.palette, choices), self._copy)

    def _copy(self, choice: CopyChoice | None) -> None:
        if choice is not None:
            text = choice.text.encode("utf-8", "replace").decode("utf-8")
            self.app.copy_to_clipboard(text)
            self.notify(f"copied: {choice.label}, {len(text):,} characters", markup=False)

    def action_projects(self, reason: str = "") -> None:
        """Choose another project."""
        from memtui.tui.screens.projects import ProjectsDialog

        manager = self.manager
        dialog = ProjectsDialog(
            self.palette, manager.projects, manager.home, reason, manager.clock_ns()
        )
        self.app.push_screen(dialog, self.open_project)

    @property
    def pane_context(self) -> Context:
        """The focused pane, for the help."""
        return _CONTEXTS[self.focused_pane.number - 1]
