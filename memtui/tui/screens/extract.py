"""Extract: what sessions say that lasts, and what waits in the inbox.

Invariant: nothing is written but through the review, a confirmation, or by saving an edit of what
waits; sessions are read in workers that end when the screen does. The choice of a person stays on
its proposal while sessions grow and stores change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content

from memtui.engine.disk.store import Applied
from memtui.engine.lifecycle.sessions import with_missing
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.extraction.patches import Dropped, Patch
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.extract_detail import lay_out_dropped, lay_out_patch, lay_out_session
from memtui.tui.extract_found import SCOPE, Choices, Found, Proposed, SourceKey
from memtui.tui.extract_review import leave_question, read_question
from memtui.tui.extract_view import (
    chosen_words,
    dropped_rows,
    lay_out_no_dropped,
    lay_out_no_sessions,
    lay_out_nothing,
    lay_out_reading,
    legend,
    patch_rows,
    session_rows,
)
from memtui.tui.format import fit, plural
from memtui.tui.lookup import Lookup
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.acting import review_extract
from memtui.tui.screens.patch_dialog import PatchDialog, next_type
from memtui.tui.screens.sessions import SessionsScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import Layout, LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import Row, RowList

_ASKED_CELLS = 50


class ExtractScreen(SessionsScreen):
    """Sessions over what was dropped; proposals over the one under the cursor.

    Dismissed with what was applied, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("extract")]
    places: ClassVar[tuple[Context, ...]] = ("app", "extract")

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__(manager, palette, lookup)
        self.note = note
        self.items: tuple[Proposed, ...] = ()
        """What was found, with the choices of the person."""
        self.choices = Choices()
        self._told_fault = ""
        self._in_view: object = None
        """What the details are about."""

    def compose(self) -> ComposeResult:
        """Four panes in two columns."""
        yield Header(self.palette)
        with Horizontal(id="panes"):
            with Vertical(id="extract-left"):
                with Pane(self.palette, 1, "Sessions", id="sessions-pane"):
                    yield RowList(self.palette, id="sessions")
                    yield LineView(id="no-sessions")
                with Pane(self.palette, 4, "Dropped", id="dropped-pane"):
                    yield RowList(self.palette, id="dropped", has_sticky_heads=False)
                    yield LineView(id="no-dropped")
            with Vertical(id="extract-right"):
                with Pane(self.palette, 2, "Patches", id="patches-pane"):
                    yield RowList(self.palette, id="patches", has_sticky_heads=False)
                    yield LineView(id="no-patches")
                with Pane(self.palette, 3, "Patch", id="patch-pane"):
                    yield LineView(id="patch")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Go to the sessions."""
        super().on_mount()
        self.query_one(Footer).places = self.places
        self._show_header()
        self.show_listing()
        self.sessions.focus()

    @property
    def sessions(self) -> RowList:
        """The sessions, below the inbox."""
        return self.query_one("#sessions", RowList)

    @property
    def patches(self) -> RowList:
        """The proposals."""
        return self.query_one("#patches", RowList)

    @property
    def dropped(self) -> RowList:
        """What was dropped."""
        return self.query_one("#dropped", RowList)

    def follow(self, lookup: Lookup) -> None:
        """Read again what depends on the stores."""
        super().follow(lookup)
        self._show_header()

    def _show_header(self) -> None:
        self.query_one(Header).values = replace(self.lookup.header(self.note), crumbs=("extract",))

    # What is shown.

    def show_listing(self) -> None:
        """Show inbox and sessions."""
        listing, palette = self.listing, self.palette
        self._swap(
            self.sessions,
            self.query_one("#no-sessions", LineView),
            session_rows(listing, self.manager.clock_ns()),
            lambda width: lay_out_no_sessions(listing, width, palette),
        )
        if not self.sessions.count and self.source is not None:
            self.forget_source()
        if listing.fault and listing.sessions and listing.fault != self._told_fault:
            self.notify(listing.fault, severity="warning", timeout=10)
        self._told_fault = listing.fault
        self._pane(1).show_subtitle(legend(listing, self.sessions.position, palette))

    @on(RowList.Highlighted, "#sessions")
    def _session_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        source = cast("SourceKey | None", event.key)
        if source is not None and source != self.source:
            self.find(source)
        self._pane(1).show_subtitle(legend(self.listing, self.sessions.position, self.palette))

    def show_progress(self, done: int, total: int) -> None:
        """Show how far the session is read."""
        palette = self.palette
        self.query_one("#no-patches", LineView).show_lines(
            lambda width: lay_out_reading(done, total, width, palette)
        )
        self._pane(2).show_subtitle(f"{done * 100 // total} %" if total else "")

    def show_found(self) -> None:
        """Show what was found, with the choices of the person."""
        found, palette = self.found, self.palette
        is_idle = self.source is None
        self.items = () if found is None else self.choices.of(found)

        def lay_out(width: int) -> Sequence[Content]:
            if found is not None:
                return lay_out_nothing(found, width, palette)
            return () if is_idle else lay_out_reading(0, 0, width, palette)

        self._swap(
            self.patches,
            self.query_one("#no-patches", LineView),
            patch_rows(self.items),
            lay_out,
        )
        dropped = () if found is None else found.dropped
        self._swap(
            self.dropped,
            self.query_one("#no-dropped", LineView),
            dropped_rows(dropped),
            lambda width: lay_out_no_dropped(found, width, palette),
        )
        self._pane(4).show_subtitle(f"{len(dropped):,}" if dropped else "")
        self._show_patch()

    def _show_patch(self) -> None:
        """Lay out what is under the cursor."""
        found, palette, item = self.found, self.palette, self._item()
        dropped = self._dropped() if self.focused is self.dropped else None
        view = self.query_one("#patch", LineView)

        def lay_out(width: int) -> list[Content]:
            has_air = self.app.size.height >= 25
            if found is None:
                return []
            if dropped is not None:
                return lay_out_dropped(dropped, found, width, palette, has_air=has_air)
            if item is not None:
                return lay_out_patch(item, found, width, palette, has_air=has_air)
            return lay_out_session(found, width, palette)

        about = (self.source, dropped or (item and item.key))
        view.show_lines(lay_out, keep_place=about == self._in_view)
        self._in_view = about
        said: str | Content = ""
        if found is not None:
            said = chosen_words(found, self.items, self.patches.position, palette)
        self._pane(2).show_subtitle(said)

    def _item(self) -> Proposed | None:
        key = self.patches.cursor_key
        return next((item for item in self.items if item.key == key), None)

    def _dropped(self) -> Dropped | None:
        key = self.dropped.cursor_key
        dropped = self.found.dropped if self.found is not None else ()
        return dropped[key] if isinstance(key, int) and key < len(dropped) else None

    def _pane(self, number: int) -> Pane:
        return self.panes[number - 1]

    def _swap(self, rows: RowList, view: LineView, shown: list[Row], layout: Layout) -> None:
        """Show `shown`, or what `layout` gives where nothing can be under a cursor."""
        is_empty = all(row.key is None for row in shown)
        had_focus = rows.has_focus or view.has_focus
        rows.show_rows(shown)
        rows.display, view.display = not is_empty, is_empty
        if is_empty:
            view.show_lines(layout)
        if had_focus:
            (view if is_empty else rows).focus()

    @on(RowList.Highlighted, "#patches")
    @on(RowList.Highlighted, "#dropped")
    def _patch_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show_patch()

    def focus_changed(self) -> None:
        """Show what is dropped while its pane has the focus."""
        super().focus_changed()
        if self.dropped.count:
            self._show_patch()

    # Actions.

    @on(RowList.Chosen, "#sessions")
    def _session_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.items:
            self.action_pane(2)
        else:
            self.action_review()

    @on(RowList.Chosen, "#patches")
    @on(RowList.Chosen, "#dropped")
    def _row_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_review()

    def action_accept(self) -> None:
        """Select the proposal under the cursor, or leave it out, and go on to the next."""
        item = self._item()
        if item is not None:
            self._select(item, is_selected=not item.is_selected)
            self.patches.action_move(1)

    def action_accept_all(self) -> None:
        """Select all."""
        self._select(*self.items, is_selected=True)

    def action_accept_none(self) -> None:
        """Select none."""
        self._select(*self.items, is_selected=False)

    def _select(self, *items: Proposed, is_selected: bool) -> None:
        if self.source is not None:
            for item in items:
                self.choices.select(self.source, item.key, is_selected)
            self.show_found()

    def action_edit_patch(self) -> None:
        """Edit the proposal under the cursor."""
        item, source = self._item(), self.source
        if item is None:
            return

        def edited(patch: Patch | None) -> None:
            self._keep_edit(source, item, patch)
            if patch is not None:
                # From another pane too, so that enter goes on to the review.
                self.action_pane(2)

        self.app.push_screen(PatchDialog(self.palette, item.patch), edited)

    def action_next_type(self) -> None:
        """Give the proposal under the cursor the next type."""
        item = self._item()
        if item is not None:
            kind = next_type(item.patch.type)
            self._keep_edit(self.source, item, replace(item.patch, type=kind))

    def _keep_edit(self, source: SourceKey | None, item: Proposed, patch: Patch | None) -> None:
        if patch is None or source is None or patch == item.patch:
            return
        if isinstance(source, Path):
            self.choices.edit(source, item.key, patch)
            if self.source == source:
                self.show_found()
            return
        workspace = with_missing(self.lookup.workspace, SCOPE)
        self.keep("", lambda: self.manager.live.edit(workspace, item.key, patch))

    def action_discard(self) -> None:
        """Ask, then drop the proposal under the cursor for good."""
        item, source = self._item(), self.source
        if item is None or source is None:
            return
        summary = fit(safe_line(item.patch.summary), _ASKED_CELLS)
        question = f"Discard “{summary}”? That is remembered: it is not proposed again."
        live, workspace = self.manager.live, with_missing(self.lookup.workspace, SCOPE)
        said = "Discarded: it is not proposed again."

        def discard() -> None:
            self.choices.forget(source, (item.key,))
            self.keep(said, lambda: live.discard(workspace, (item.key,)))

        self.ask(question, "discard it", discard)

    def action_review(self) -> None:
        """Go to the review of what is selected; without any, offer what is left to do."""
        found = self.found
        if found is None:
            if self.source is not None:
                self.notify("It is still being read: wait, or esc leaves.")
            return
        chosen = [item for item in self.items if item.is_selected]
        if found.error:
            self.notify(found.error, severity="error", timeout=10)
        elif found.is_skipped:
            self.meant.add(found.source)
            self.find(found.source)
        elif chosen:
            as_chosen = replace(found, items=self.items)
            review_extract(self, self.manager, self.lookup, as_chosen, chosen, self._reviewed)
        elif found.plan is None:
            self.notify("Nothing is selected: space selects a proposal.")
        elif found.unread:
            self._offer_read(found)
        else:
            self.notify("Nothing is new in this session.")

    def _reviewed(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)

    def _offer_read(self, found: Found) -> None:
        new, items = plural(found.unread, "message"), self.items
        has_news = found.plan is not None and found.plan.has_news

        def read() -> None:
            self.manager.live.extracting.apply((), found.read, scope=SCOPE, has_news=has_news)

        def mark() -> None:
            self.choices.forget(found.source, [item.key for item in items])
            self.keep(f"{new} marked as read.", read)

        self.ask(read_question(found.unread, items), "mark as read", mark)

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        shown = {
            1: (self.sessions, self.query_one("#no-sessions")),
            2: (self.patches, self.query_one("#no-patches")),
            3: (self.query_one("#patch"),),
            4: (self.dropped, self.query_one("#no-dropped")),
        }[number]
        next(widget for widget in shown if widget.display).focus()

    @property
    def unsaved(self) -> str:
        """Edits that leaving loses: those of what waits in the inbox are kept there."""
        return leave_question(self.choices.edits)

    def action_leave(self) -> None:
        """Back to the memories; where edits would be lost, ask first."""
        if self.unsaved:
            self.ask(self.unsaved, "leave", lambda: self.dismiss(None))
        else:
            self.dismiss(None)
