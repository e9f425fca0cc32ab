"""A scrolling view of lines that are laid out for the width at hand.

Invariant: the layout function is called only when the width or its values changed; drawing a
line costs nothing for the lines that are not visible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

Layout = Callable[[int], Sequence[Content]]
"""Lines for a width in cells."""


def strip_of(widget: Widget, content: Content, width: int) -> Strip:
    """One line of `content` as a strip of exactly `width` cells in the style of `widget`."""
    style = widget.visual_style
    segments = [
        Segment(text, part.rich_style if part else None) for text, part in content.render(style, "")
    ]
    return Strip(segments).adjust_cell_length(width, style.rich_style)


class LineView(ScrollView, can_focus=True):
    """Read-only lines: arrows, `j k`, page keys, `g G`, wheel."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
        Binding("ctrl+d,space", "page_down", show=False),
        Binding("ctrl+u", "page_up", show=False),
    ]

    @dataclass
    class Scrolled(Message):
        """Another part of the text is in view: lines up to `last` of `total`."""

        view: LineView
        last: int
        total: int

        @property
        def control(self) -> LineView:
            """The view."""
            return self.view

        @property
        def text(self) -> str:
            """`34/61`; nothing where all is in view."""
            whole = self.last == self.total and self.view.max_scroll_y <= 0
            return "" if whole else f"{self.last:,}/{self.total:,}"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout_lines: Layout = _nothing
        self._lines: Sequence[Content] = ()
        self._laid_size = Size(-1, -1)

    def show_lines(self, layout: Layout, *, keep_place: bool = False) -> None:
        """Draw what `layout` gives; scrolled to the top unless `keep_place`."""
        self._layout_lines = layout
        self._lay_out()
        if not keep_place:
            self.scroll_to(y=0, animate=False, force=True)

    def scroll_to_line(self, number: int) -> None:
        """Bring the line `number` (0-based) into view, near the top."""
        self.scroll_to(y=max(0, number - 2), animate=False, force=True)

    @property
    def text(self) -> str:
        """What is drawn, as plain text."""
        return "\n".join(line.plain for line in self._lines)

    def _lay_out(self) -> None:
        region = self.content_region.size
        if region.width <= 0:
            self._lines, self._laid_size = (), Size(-1, -1)
            return
        self._laid_size = region
        before, self._lines = self._lines, self._layout_lines(region.width)
        if before or self._lines:
            self.virtual_size = Size(0, len(self._lines))
            self.refresh()
            self._tell_place()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell the pane how far the text is read."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._tell_place()

    def _tell_place(self) -> None:
        height, total = self.size.height, len(self._lines)
        last = min(total, round(self.scroll_target_y) + height)
        self.post_message(self.Scrolled(self, last if total > height else total, total))

    def on_show(self) -> None:
        """Lay out what was given while the view was hidden: in its old size it is not resized."""
        self.on_resize()

    def on_resize(self) -> None:
        """Lay out again where the place changed."""
        if self.content_region.size != self._laid_size:
            self._lay_out()

    def render_line(self, y: int) -> Strip:
        """The strip of the visible row `y`."""
        number = y + self.scroll_offset.y
        width = self.size.width
        if number >= len(self._lines):
            return Strip.blank(width, self.visual_style.rich_style)
        return strip_of(self, self._lines[number], width)


def _nothing(width: int) -> Sequence[Content]:
    return ()
