"""Forget: find entries, mark them, see what goes and what follows, go to the review.

Invariant: nothing is written here; enter leads to the review. Marks stay while the query changes,
and while the stores do: only an entry that was changed or went loses its mark, which is told.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.engine.disk.store import Applied
from memtui.engine.errors import MemtuiError
from memtui.engine.format.entries import entries_of
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.candidates import Candidate
from memtui.engine.plans.forget import ForgetPlan
from memtui.engine.types import SCOPES, Entry, Scope
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.candidates import EntryKey, candidate_rows, key_of
from memtui.tui.forget_view import lay_out_follows, lay_out_removed
from memtui.tui.format import plural
from memtui.tui.lookup import Lookup
from memtui.tui.messages import Place
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.acting import review_forget
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.prompt import Prompt
from memtui.tui.widgets.rows import RowList

_TELL_EVERY_S = 0.08
_CATCH_UP_AFTER_S = 0.05


class ForgetScreen(PanedScreen[Applied | None]):
    """Candidates over what goes; dismissed with what was applied, or None.

    `only` lists the entries of one file, all marked, until something is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("forget")]
    places: ClassVar[tuple[Context, ...]] = ("app", "forget")

    @dataclass
    class Found(Message):
        """Candidates were found; `is_done` when all are."""

        candidates: tuple[Candidate, ...]
        entries: int
        is_done: bool
        generation: int

    @dataclass
    class Planned(Message):
        """What the chosen entries mean was planned, or the sentence that says why not."""

        plan: ForgetPlan | None
        refusals: Mapping[Scope, str]
        error: str
        generation: int

    def __init__(
        self,
        manager: MemoryManager,
        palette: Palette,
        lookup: Lookup,
        *,
        note: str = "",
        only: Place | None = None,
    ) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.note = note
        self.workspace = lookup.workspace
        self.only = only
        self.scope: Scope | None = None
        self.candidates: tuple[Candidate, ...] = ()
        self.entries = 0
        self.marked: dict[EntryKey, Entry] = {}
        self.plan: ForgetPlan | None = None
        self._last_mark: EntryKey | None = None
        self._later: Lookup | None = None
        self._has_offered_all = False
        self._searches = 0
        self._plans = 0

    def compose(self) -> ComposeResult:
        """Candidates over two reading panes."""
        yield Header(self.palette)
        with Pane(self.palette, 1, "Candidates", id="candidates-pane"):
            with Horizontal(classes="prompt-line"):
                yield Static(Content.styled("› ", self.palette.key), classes="prompt-sign")
                yield Prompt(placeholder="what is to be forgotten?", id="forget-query")
            yield RowList(self.palette, id="candidates")
        with Horizontal(id="forget-below"):
            with Pane(self.palette, 2, "Removed", id="removed-pane"):
                yield LineView(id="removed")
            with Pane(self.palette, 3, "What follows", id="follows-pane"):
                yield LineView(id="follows")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """List what there is."""
        super().on_mount()
        self._show_header()
        self.query_one(Footer).places = self.places
        (self.rows if self.only else self.prompt).focus()
        self._search("")

    @property
    def rows(self) -> RowList:
        """The candidates."""
        return self.query_one("#candidates", RowList)

    @property
    def prompt(self) -> Prompt:
        """Where the query is typed."""
        return self.query_one("#forget-query", Prompt)

    def _show_header(self) -> None:
        header = replace(self.lookup.header(self.note), crumbs=("forget",))
        self.query_one(Header).values = header

    def on_screen_resume(self) -> None:
        """Catch up with what changed under a review, unless its act ends this screen too."""
        self.set_timer(_CATCH_UP_AFTER_S, self._catch_up)

    def _catch_up(self) -> None:
        lookup, self._later = self._later, None
        if lookup is not None and self.is_current:
            self.follow(lookup)

    def follow(self, lookup: Lookup) -> None:
        """Search the stores as they are now; under a review, when that is closed."""
        if not self.is_current:
            self._later = lookup
            return
        self.lookup, self.workspace = lookup, lookup.workspace
        self._show_header()
        before = len(self.marked)
        self.marked = {
            key_of(entry): entry
            for (scope, path), of_file in _by_file(self.marked.values()).items()
            if (document := lookup.documents.get((scope, path))) is not None
            for entry in entries_of(document)
            if (entry.id, entry.digest) in of_file
        }
        if lost := before - len(self.marked):
            said = plural(lost, "marked entry was", "marked entries were")
            self.notify(f"{said} changed meanwhile: no longer marked.", severity="warning")
        self._search(self.prompt.value)

    # Searching.

    @on(Input.Changed, "#forget-query")
    def _query_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value:
            self.only = None
        self._search(event.value)

    def _search(self, query: str) -> None:
        self._searches += 1
        generation = self._searches
        scopes = None if self.scope is None else (self.scope,)
        workspace = self.workspace

        def search() -> None:
            found = self.manager.matcher(workspace).search(query, scopes)
            told = time.monotonic()
            while found.step():
                if generation != self._searches:
                    return
                if time.monotonic() - told > _TELL_EVERY_S:
                    told = time.monotonic()
                    self.post_message(
                        self.Found(found.candidates, found.entries, False, generation)
                    )
            self.post_message(self.Found(found.candidates, found.entries, True, generation))

        self.run_worker(search, thread=True, group="search", name="search", exit_on_error=False)

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.generation != self._searches:
            return
        self.candidates = event.candidates
        if self.only is not None:
            self.candidates = tuple(
                one for one in event.candidates if (one.scope, one.document.path) == self.only
            )
            if not self._has_offered_all and event.is_done:
                # The memory was asked for, so all of it is chosen at first.
                self._has_offered_all = True
                self.marked = {key_of(one.entry): one.entry for one in self.candidates}
        self.entries = event.entries
        self._show_rows()
        if event.is_done:
            self._preview()

    def _show_rows(self) -> None:
        query = self.prompt.value
        self.rows.show_rows(candidate_rows(self.candidates, self.marked, query))
        said = f"{len(self.candidates):,} of {plural(self.entries, 'entry', 'entries')}"
        if self.scope is not None:
            said = f"{self.scope} · {said}"
        subtitle = Content.styled(said, self.palette.muted)
        if self.marked:
            subtitle += Content.assemble(" · ", (f"{len(self.marked)} marked", self.palette.mark))
        self.panes[0].show_subtitle(subtitle)

    # The preview.

    def _chosen(self) -> list[Entry]:
        """The marked entries; none: the one under the cursor."""
        if self.marked:
            return list(self.marked.values())
        key = self.rows.cursor_key
        return [one.entry for one in self.candidates if key_of(one.entry) == key][:1]

    def _preview(self) -> None:
        self._plans += 1
        generation, entries = self._plans, self._chosen()
        workspace = self.workspace

        def plan() -> None:
            try:
                planned = self.manager.plan_forget(workspace, entries)
                refusals = self.manager.refusals(workspace)
            except (MemtuiError, OSError) as error:
                self.post_message(self.Planned(None, {}, str(error), generation))
            else:
                self.post_message(self.Planned(planned, refusals, "", generation))

        self.run_worker(plan, thread=True, group="plan", name="plan", exit_on_error=False)

    @on(Planned)
    def _planned(self, event: Planned) -> None:
        if event.generation != self._plans:
            return
        self.plan = event.plan
        palette, plan = self.palette, event.plan
        removed, follows = (
            self.query_one("#removed", LineView),
            self.query_one("#follows", LineView),
        )
        if plan is None:
            error = Content.styled(safe_line(event.error), palette.bad)
            removed.show_lines(error.wrap)
            follows.show_lines(lambda width: ())
            return
        nothing = "No entry fits." if self.prompt.value else "There is no memory to forget."
        removed.show_lines(
            lambda width: (
                lay_out_removed(plan, width, palette)
                or Content.styled(nothing, palette.muted).wrap(width)
            )
        )
        follows.show_lines(lambda width: lay_out_follows(plan, event.refusals, width, palette))

    @on(RowList.Highlighted, "#candidates")
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if not self.marked:
            self._preview()

    @on(RowList.Chosen, "#candidates")
    def _row_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_review()

    @on(Input.Submitted, "#forget-query")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.rows.focus()

    @on(Prompt.Moved, "#forget-query")
    def _moved(self, event: Prompt.Moved) -> None:
        event.stop()
        self.rows.action_move(event.step)

    @on(Prompt.Paged, "#forget-query")
    def _paged(self, event: Prompt.Paged) -> None:
        event.stop()
        self.rows.action_page(event.direction)

    # Marks.

    def _mark(self, keys: Sequence[EntryKey], *, is_marked: bool) -> None:
        wanted = set(keys)
        for one in self.candidates:
            key = key_of(one.entry)
            if key in wanted and is_marked:
                self.marked[key] = one.entry
            elif key in wanted:
                self.marked.pop(key, None)
        self._show_rows()
        self._preview()

    def action_mark(self) -> None:
        """Mark the entry under the cursor, or unmark it, and go on to the next."""
        key = cast("EntryKey | None", self.rows.cursor_key)
        if key is not None:
            self._last_mark = key
            self._mark([key], is_marked=key not in self.marked)
            self.rows.action_move(1)

    def action_mark_range(self) -> None:
        """Mark all from the last mark to the cursor."""
        keys = [key_of(one.entry) for one in self.candidates]
        cursor = self.rows.cursor_key
        if cursor not in keys:
            return
        start = keys.index(self._last_mark) if self._last_mark in keys else keys.index(cursor)
        first, last = sorted((start, keys.index(cursor)))
        self._mark(keys[first : last + 1], is_marked=True)

    def action_mark_exact(self) -> None:
        """Mark all that contain the query."""
        wanted = "listed" if self.only is not None else "contains"
        keys = [key_of(one.entry) for one in self.candidates if one.match == wanted]
        if not keys:
            self.notify("Type a query first: what contains it is marked.", markup=False)
        self._mark(keys, is_marked=True)

    def action_unmark_all(self) -> None:
        """Unmark all."""
        self.marked.clear()
        self._show_rows()
        self._preview()

    # Other actions.

    def action_query(self) -> None:
        """Type what to forget."""
        self.bring(1)
        self.prompt.focus()

    def action_next_scope(self) -> None:
        """All scopes, then one after the other."""
        open_scopes = {snapshot.store.scope for snapshot in self.workspace.snapshots}
        order: list[Scope | None] = [None, *(scope for scope in SCOPES if scope in open_scopes)]
        self.scope = order[(order.index(self.scope) + 1) % len(order)]
        self._search(self.prompt.value)

    def action_copy_id(self) -> None:
        """Copy the Entry ID under the cursor."""
        key = self.rows.cursor_key
        found = next((one for one in self.candidates if key_of(one.entry) == key), None)
        if found is not None:
            self.app.copy_to_clipboard(found.id)
            self.notify("copied: Entry ID", markup=False)

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        (self.rows, self.query_one("#removed"), self.query_one("#follows"))[number - 1].focus()

    def action_leave(self) -> None:
        """From the query to the rows, then back."""
        if self.prompt.has_focus and self.rows.count and self.prompt.value:
            self.rows.focus()
        else:
            self.dismiss(None)

    def action_review(self) -> None:
        """Go to the review of what is chosen."""
        entries = self._chosen()
        if not entries:
            self.notify("Nothing is chosen: space marks an entry.", markup=False)
            return
        review_forget(self, self.manager, self.lookup, entries, self._reviewed)

    def _reviewed(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)


def _by_file(entries: Iterable[Entry]) -> dict[Place, set[tuple[str, str]]]:
    """IDs and digests of entries by their file."""
    found: dict[Place, set[tuple[str, str]]] = {}
    for entry in entries:
        found.setdefault((entry.scope, entry.path), set()).add((entry.id, entry.digest))
    return found
