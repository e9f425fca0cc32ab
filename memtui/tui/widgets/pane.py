"""The frame of a pane: a border, a numbered title that is a chip while the pane has the focus.

Invariant: the focus shows three ways: border colour, chip in the title, lit cursor of its lists.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import RowList


class Pane(Vertical):
    """A bordered pane; `tabs` names panes that share its place in a narrow terminal."""

    @dataclass
    class TabPressed(Message):
        """A title was clicked; `number` is the pane it names."""

        number: int

    def __init__(self, palette: Palette, number: int, title: str, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.palette = palette
        self.number = number
        self.title = title
        self.tabs: tuple[tuple[int, str], ...] = ()
        self.is_lit = False
        self._subtitle = Content("")

    def on_mount(self) -> None:
        """Draw the title."""
        self.draw_title()

    def show_tabs(self, tabs: tuple[tuple[int, str], ...]) -> None:
        """Name the panes that hide behind this one."""
        if tabs != self.tabs:
            self.tabs = tabs
            self.draw_title()

    def on_click(self, event: events.Click) -> None:
        """A click on a title in the border asks for that pane."""
        if event.screen_y != self.region.y:
            return
        position = event.screen_x - self.region.x - 2
        for number, title in ((self.number, self.title), *self.tabs):
            cells = len(title) + 4
            if 0 <= position < cells:
                self.post_message(self.TabPressed(number))
                return
            position -= cells

    def draw_title(self) -> None:
        """Write the title, or the titles, into the border.

        A lone title gets its chip from the stylesheet, which reaches the blanks beside it.
        """
        self.set_class(bool(self.tabs), "-tabs")
        if not self.tabs:
            self.border_title = Content(f"{self.number} {self.title}")
            return
        style = self.palette.chip_title if self.is_lit else self.palette.muted
        parts = [(f" {self.number} {self.title} ", style)]
        parts += [(f" {number} {title} ", self.palette.muted) for number, title in self.tabs]
        self.border_title = Content.assemble(*parts)

    def show_subtitle(self, subtitle: str | Content) -> None:
        """Write counts and positions into the lower border."""
        if isinstance(subtitle, str):
            subtitle = Content.styled(subtitle, self.palette.muted) if subtitle else Content("")
        if not subtitle.is_same(self._subtitle):
            self._subtitle = subtitle
            self.border_subtitle = subtitle

    def light(self, is_lit: bool) -> None:
        """Draw the pane as the one with the focus, or as another."""
        self.is_lit = is_lit
        for rows in self.query(RowList):
            rows.light(is_lit)
        self.draw_title()
