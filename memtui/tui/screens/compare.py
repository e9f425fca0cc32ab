"""The two entries of a suggestion side by side, and the way to forget one of them.

Invariant: nothing is written here; forgetting goes through the review. An entry that changes
while this is open is told as changed, never shown as it was.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from memtui.engine.disk.store import Applied
from memtui.engine.format.entries import entries_of
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.suggestions import Suggestion
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.compare_view import (
    Side,
    header_line,
    lay_out_about,
    lay_out_gone,
    lay_out_side,
    title_of,
)
from memtui.tui.dream_plan import KINDS, measure_of
from memtui.tui.lookup import Lookup
from memtui.tui.screens.acting import review_forget
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane


class CompareScreen(PanedScreen[Applied | None]):
    """Left and right; dismissed with what was applied, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("compare")]
    places: ClassVar[tuple[Context, ...]] = ("app", "compare")

    def __init__(
        self,
        manager: MemoryManager,
        palette: Palette,
        lookup: Lookup,
        suggestion: Suggestion,
        *,
        note: str = "",
    ) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.suggestion = suggestion
        self.note = note
        self.sides: list[Side | None] = [Side(*place) for place in suggestion.entries[:2]]
        """None for an entry that is not there any more."""

    def compose(self) -> ComposeResult:
        """Two panes below one line."""
        yield Header(self.palette)
        yield Static("", id="compare-head")
        with Horizontal(id="panes"):
            with Pane(self.palette, 1, "Left", id="left-pane"):
                yield LineView(id="left")
            right = "Right" if len(self.suggestion.entries) > 1 else "About"
            with Pane(self.palette, 2, right, id="right-pane"):
                yield LineView(id="right")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Show both."""
        super().on_mount()
        self.query_one(Footer).places = self.places
        self.query_one("#left", LineView).focus()
        self.follow(self.lookup)

    def follow(self, lookup: Lookup) -> None:
        """Show the entries as they are now."""
        self.lookup = lookup
        self.query_one(Header).values = replace(
            lookup.header(self.note), crumbs=("dream", "compare")
        )
        self.sides = [None if side is None else _found(side, lookup) for side in self.sides]
        self._show()

    def on_resize(self) -> None:
        """Draw the head for the width at hand."""
        super().on_resize()
        self._show_head()

    def _show_head(self) -> None:
        suggestion, palette = self.suggestion, self.palette
        width = max(10, self.size.width - 2)
        line = header_line(KINDS[suggestion.kind], measure_of(suggestion), width, palette)
        self.query_one("#compare-head", Static).update(line)

    def _show(self) -> None:
        self._show_head()
        for number in (0, 1):
            view = self.query_one(("#left", "#right")[number], LineView)
            view.show_lines(partial(self._lay_out, number))
            side = self.sides[number] if number < len(self.sides) else None
            self.panes[number].show_subtitle(
                "" if side is None else title_of(side, self._other(number))
            )

    def _other(self, number: int) -> Side | None:
        return self.sides[1 - number] if len(self.sides) > 1 else None

    def _lay_out(self, number: int, width: int) -> list[Content]:
        palette = self.palette
        if number >= len(self.sides):
            return lay_out_about(self.suggestion.words, width, palette)
        side = self.sides[number]
        if side is None:
            return [*lay_out_gone(width, palette)]
        return lay_out_side(side, self._other(number), self.manager.clock_ns(), width, palette)

    # Actions.

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        self.query_one(("#left", "#right")[number - 1]).focus()

    def action_leave(self) -> None:
        """Back to the dream."""
        self.dismiss(None)

    def _chosen(self) -> Side | None:
        """The entry of the pane with the focus; of a lone one in any case."""
        number = min(self.focused_pane.number, len(self.sides))
        return self.sides[number - 1]

    def action_forget_side(self) -> None:
        """Go to the review of forgetting the entry of the focused pane."""
        side = self._chosen()
        if side is None:
            self.notify("This entry was changed or went meanwhile: there is nothing to forget.")
            return
        review_forget(self, self.manager, self.lookup, [side.entry], self._forgotten)

    def _forgotten(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)

    def action_copy_id(self) -> None:
        """Copy the Entry ID of the focused pane."""
        side = self._chosen()
        if side is not None:
            self.app.copy_to_clipboard(side.entry.id)
            self.notify("copied: Entry ID", markup=False)


def _found(side: Side, lookup: Lookup) -> Side | None:
    """The same entry in the stores as they are now: by its place, else by what it says."""
    document = lookup.documents.get((side.entry.scope, side.entry.path))
    if document is None:
        return None
    same = [entry for entry in entries_of(document) if entry.digest == side.entry.digest]
    exact = [entry for entry in same if entry.id == side.entry.id]
    found = (*exact, *same)
    return Side(document, found[0]) if found else None
