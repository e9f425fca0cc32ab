"""A list of rows with a cursor, for ten rows or ten thousand.

Invariant: the cursor stands on a row by its key, and stays on that key when the rows are
replaced; only visible rows are drawn. Rows without a key are heads: never under the cursor, and
the last one stays at the top while its section is scrolled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.tui.format import fit
from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import strip_of

Keep = Literal["place", "key", "nothing"]
"""What the cursor keeps when other rows are shown: its key, else its place, for the same rows as
they are now; its key alone, for a choice among them; nothing, for rows of another question."""


class Row(Protocol):
    """What a list shows; `key` is None for a head."""

    @property
    def key(self) -> Hashable | None:
        """The identity of the row, or None."""

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line of `width` cells; the first cell is left blank for the cursor bar."""


@dataclass(frozen=True, slots=True)
class SecondLine:
    """A second line of the row above it, whose key is `owner`; the cursor covers both."""

    owner: Hashable
    text: str
    """Safe to draw."""
    indent: int
    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """The text, indented and cut."""
        shown = fit(self.text, width - self.indent)
        return Content.assemble(" " * self.indent, (shown, palette.muted))


class RowList(ScrollView, can_focus=True):
    """Rows with one cursor: arrows, `j k`, page keys, `g G`, mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup,ctrl+u", "page(-1)", show=False),
        Binding("pagedown,ctrl+d", "page(1)", show=False),
        Binding("home,g", "edge(0)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor came to stand on another key; None where no row has one."""

        rows: RowList
        key: Hashable | None

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    @dataclass
    class Chosen(Message):
        """A row was chosen with enter or a double click."""

        rows: RowList
        key: Hashable

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    def __init__(
        self, palette: Palette, *, id: str | None = None, has_sticky_heads: bool = True
    ) -> None:
        super().__init__(id=id)
        self.palette = palette
        self.has_sticky_heads = has_sticky_heads
        self.is_lit = False
        self._rows: Sequence[Row] = ()
        self._stops: list[int] = []
        self._heads: list[int] = []
        self._place: dict[Hashable, int] = {}
        self._cursor: int | None = None

    @property
    def cursor_key(self) -> Hashable | None:
        """The key under the cursor."""
        return None if self._cursor is None else self._rows[self._cursor].key

    @property
    def position(self) -> int:
        """Which of the rows with a key the cursor is on, counted from 1; 0 for none."""
        return 0 if self._cursor is None else bisect_right(self._stops, self._cursor)

    @property
    def count(self) -> int:
        """How many rows have a key."""
        return len(self._stops)

    def show_rows(
        self, rows: Sequence[Row], *, start: Hashable | None = None, keep: Keep = "place"
    ) -> None:
        """Replace all rows; the cursor keeps what `keep` says.

        Where there was no cursor, or nothing to keep, it starts on the key `start`, else on the
        first row.
        """
        before_key, before_position = self.cursor_key, self.position
        is_scrolled_away = not self._is_in_view(self._cursor)
        self._rows = rows
        self._stops, self._heads, self._place = [], [], {}
        for number, row in enumerate(rows):
            key = row.key
            if isinstance(row, SecondLine):
                continue
            if key is None:
                self._heads.append(number)
            else:
                self._stops.append(number)
                self._place[key] = number
        self.virtual_size = Size(0, len(rows))
        if keep != "nothing" and before_key is not None and before_key in self._place:
            self._cursor = self._place[before_key]
        elif keep == "place" and before_key is not None and self._stops:
            self._cursor = self._stops[min(before_position, len(self._stops)) - 1]
        elif start in self._place:
            self._cursor = self._place[start]
        else:
            self._cursor = self._stops[0] if self._stops else None
        if keep != "place" or self.cursor_key != before_key or not is_scrolled_away:
            self._show_cursor()
        self.refresh()
        if self.cursor_key != before_key:
            self.post_message(self.Highlighted(self, self.cursor_key))

    def move_to(self, key: Hashable | None, *, quietly: bool = False) -> bool:
        """Put the cursor on `key`; False where no row has it. Quiet: no message."""
        number = self._place.get(key) if key is not None else None
        if number is None:
            return False
        self._go(number, quietly=quietly)
        return True

    def light(self, is_lit: bool) -> None:
        """Draw the cursor as the focused one or as a blurred one."""
        self.is_lit = is_lit
        self.refresh()

    def action_move(self, step: int) -> None:
        """Move the cursor by `step` rows."""
        if self._stops:
            target = min(max(1, self.position + step), len(self._stops))
            self._go(self._stops[target - 1])

    def action_page(self, direction: int) -> None:
        """Move the cursor by one page."""
        self.action_move(direction * max(1, self.size.height - 2))

    def action_edge(self, end: int) -> None:
        """Move the cursor to the first row or the last."""
        if self._stops:
            self._go(self._stops[-1 if end else 0])

    def action_choose(self) -> None:
        """Choose the row under the cursor; without one the key is the screen's."""
        if self.cursor_key is None:
            raise SkipAction
        self.choose()

    def choose(self) -> None:
        """Choose the row under the cursor, if there is one."""
        if self.cursor_key is not None:
            self.post_message(self.Chosen(self, self.cursor_key))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the clicked row; a double click chooses it."""
        number = self._row_at(event.y)
        if not 0 <= number < len(self._rows):
            return
        row = self._rows[number]
        key = row.owner if isinstance(row, SecondLine) else row.key
        if key is not None:
            self._go(self._place[key])
            if event.chain > 1:
                self.choose()

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self._show_cursor()

    def render_line(self, y: int) -> Strip:
        """The strip of the visible row `y`."""
        width = self.size.width
        number = self._row_at(y)
        if number >= len(self._rows):
            return Strip.blank(width, self.visual_style.rich_style)
        row = self._rows[number]
        has_cursor = number == self._cursor
        if isinstance(row, SecondLine):
            has_cursor = row.owner == self.cursor_key
        line = row.draw(width, self.palette, has_cursor=has_cursor)
        line = line.pad_right(max(0, width - line.cell_length))
        if has_cursor:
            tint = self.palette.cursor if self.is_lit else self.palette.cursor_blurred
            line = Content.styled("▌", self._bar_style()) + line[1:]
            line = line.stylize_before(tint)
        return strip_of(self, line, width)

    def _is_in_view(self, number: int | None) -> bool:
        return number is None or 0 <= number - self.scroll_offset.y < max(1, self.size.height)

    def _row_at(self, y: int) -> int:
        """Which row is drawn at the visible line `y`; at the top it is the head of the section."""
        number = y + self.scroll_offset.y
        if y == 0 and self._holds_head:
            head = bisect_right(self._heads, number) - 1
            if head >= 0:
                return self._heads[head]
        return number

    def _last_line(self) -> int:
        """The last line of the row under the cursor."""
        number = self._cursor or 0
        has_second = number + 1 < len(self._rows) and isinstance(self._rows[number + 1], SecondLine)
        return number + 1 if has_second else number

    @property
    def _holds_head(self) -> bool:
        """True where the head of a section stays at the top: a list of two rows has no room."""
        return self.has_sticky_heads and bool(self._heads) and self.size.height > 2

    def _bar_style(self) -> str:
        return self.palette.primary if self.is_lit else self.palette.faint

    def _go(self, number: int, *, quietly: bool = False) -> None:
        if number == self._cursor:
            return
        self._cursor = number
        self._show_cursor()
        self.refresh()
        if not quietly:
            self.post_message(self.Highlighted(self, self.cursor_key))

    def _show_cursor(self) -> None:
        height = self.size.height
        if self._cursor is None or height <= 0:
            return
        top = self.scroll_offset.y
        first = bisect_right(self._stops, self._cursor) == 1
        margin = 1 if self._holds_head else 0
        if first:
            top = 0
        elif self._cursor < top + margin:
            top = self._cursor - margin
        elif self._last_line() >= top + height:
            top = self._last_line() - height + 1
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)
