"""What all screens of panes do alike: light the pane with the focus, go round the panes.

Invariant: exactly one pane is lit, the one with the focus.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.screen import Screen

from memtui.tui.actions import Context
from memtui.tui.widgets.pane import Pane

ResultT = TypeVar("ResultT")


class PanedScreen(Screen[ResultT]):
    """A screen of numbered panes; `places` are the contexts whose actions are at hand."""

    places: ClassVar[tuple[Context, ...]] = ("app",)

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All panes, in the order of their numbers."""
        return tuple(sorted(self.query(Pane), key=lambda pane: pane.number))

    @property
    def focused_pane(self) -> Pane:
        """The pane that has the focus; the first where none has."""
        above = self.focused.ancestors if self.focused is not None else ()
        return next((pane for pane in self.panes if pane in above), self.panes[0])

    @property
    def pane_context(self) -> Context | None:
        """The context of the focused pane, for the help; None where panes have none."""
        return None

    def on_mount(self) -> None:
        """Follow the focus."""
        self.watch(self, "focused", self.focus_changed)

    def on_resize(self) -> None:
        """Name the width for the stylesheet."""
        width = self.size.width
        self.set_class(width < 120, "-narrow")
        self.set_class(width < 80, "-one")

    def focus_changed(self) -> None:
        """Light the pane with the focus."""
        for pane in self.panes:
            pane.light(pane is self.focused_pane)

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        raise NotImplementedError

    def action_next_pane(self, step: int = 1) -> None:
        """Go round the panes."""
        count = len(self.panes)
        self.action_pane((self.focused_pane.number - 1 + step) % count + 1)

    def action_previous_pane(self) -> None:
        """Go round the panes the other way."""
        self.action_next_pane(-1)
