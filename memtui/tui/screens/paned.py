"""What all screens of panes do alike: light the pane with the focus, go round the panes.

Invariant: exactly one pane is lit, the one with the focus, and it can be seen: where there is room
for one pane only, it is that one, and its title names the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.screen import Screen
from textual.widget import Widget

from memtui.tui.actions import Context
from memtui.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from memtui.tui.lookup import Lookup

ONE_PANE_BELOW = 80
"""In fewer columns one pane is shown at a time."""

ResultT = TypeVar("ResultT")


class PanedScreen(Screen[ResultT]):
    """A screen of numbered panes; `places` are the contexts whose actions are at hand."""

    places: ClassVar[tuple[Context, ...]] = ("app",)

    @property
    def unsaved(self) -> str:
        """The question to ask before this screen goes away; empty where nothing is lost by it."""
        return ""

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
    def has_one_pane(self) -> bool:
        """True where there is room for one pane only."""
        return self.size.width < ONE_PANE_BELOW

    @property
    def pane_context(self) -> Context | None:
        """The context of the focused pane, for the help; None where panes have none."""
        return None

    def on_mount(self) -> None:
        """Follow the focus."""
        self.watch(self, "focused", self.focus_changed)

    def on_resize(self) -> None:
        """Name the width for the stylesheet."""
        self.set_class(self.size.width < 120, "-narrow")
        self.set_class(self.has_one_pane, "-one")
        self.show_panes()

    def focus_changed(self) -> None:
        """Light the pane with the focus, and show it where few fit."""
        for pane in self.panes:
            pane.light(pane is self.focused_pane)
        self.show_panes()

    def show_panes(self) -> None:
        """Show all panes, or where they do not fit the one with the focus."""
        focused, panes = self.focused_pane, self.panes
        is_one = self.has_one_pane
        for pane in panes:
            pane.set_class(is_one and pane is not focused, "-hidden")
            others = ((other.number, other.title) for other in panes if other is not pane)
            pane.show_tabs(tuple(others) if is_one else ())
        around_focused = self._around(focused)
        for box in {box for pane in panes for box in self._around(pane)}:
            box.set_class(is_one and box not in around_focused, "-hidden")

    def bring(self, number: int) -> None:
        """Show a pane, so that something in it can be given the focus."""
        pane = self.panes[number - 1]
        for widget in (pane, *self._around(pane)):
            widget.remove_class("-hidden")

    def _around(self, pane: Pane) -> list[Widget]:
        """The containers of a pane."""
        return [
            box for box in pane.ancestors if isinstance(box, Widget) and not isinstance(box, Screen)
        ]

    def follow(self, lookup: Lookup) -> None:
        """Take over the stores as they are now; a scan below this screen brought them."""

    @on(Pane.TabPressed)
    def _tab_pressed(self, event: Pane.TabPressed) -> None:
        event.stop()
        self.action_pane(event.number)

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
