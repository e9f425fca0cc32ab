"""Lines of Markdown bytes, and which of them are code.

Invariant: the lines of a range cover it without gap or overlap, so spans made of them can be cut
out of the file byte for byte. A line ends at `\\n`; one `\\r` before it belongs to the line end. A
lone `\\r` is text, as it is for the agents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtui.engine.types import Span

_TAB_STOP = 4
_NESTING_LIMIT = 64
"""List items nested deeper than this are not followed."""
_FENCE_OPEN = re.compile(rb"(`{3,})[^`]*\Z|(~{3,})")
_QUOTE_MARKS = re.compile(rb"(?: {0,3}> ?)*")
_LIST_MARKER = re.compile(rb"(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|\Z)")


class Line(NamedTuple):
    """One line: where it lies, and its bytes without the line end."""

    start: int
    end: int
    """Behind the line end; the start of the next line."""
    text: bytes

    @property
    def span(self) -> Span:
        """The whole line, its line end included."""
        return Span(self.start, self.end)

    @property
    def is_blank(self) -> bool:
        """True where there is nothing but blanks and tabs."""
        return not self.text.strip()


def lines_with_spans(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of `data[start:end]`; offsets count from the start of `data`."""
    stop = len(data) if end is None else end
    while start < stop:
        newline = data.find(b"\n", start, stop)
        if newline < 0:
            yield Line(start, stop, data[start:stop])
            return
        text_end = newline - 1 if newline > start and data[newline - 1] == 0x0D else newline
        yield Line(start, newline + 1, data[start:text_end])
        start = newline + 1


def indent_of(text: bytes) -> int:
    """The columns of white space that a line begins with; a tab goes to the next multiple of 4."""
    columns = 0
    for byte in text:
        if byte == 0x20:
            columns += 1
        elif byte == 0x09:
            columns += _TAB_STOP - columns % _TAB_STOP
        else:
            break
    return columns


class FenceTracker:
    """Tells line by line what belongs to a fenced code block (CommonMark 4.5).

    A fence is three or more back-ticks or tildes after at most three blanks, counted from the list
    item or block quote that the line stands in; it is closed by a line of at least as many of the
    same character and nothing else, or by the end of its block quote. Unlike in CommonMark a line
    that is indented less than its list item does not close it: agents write such code.
    """

    def __init__(self) -> None:
        self.in_fence = False
        """True between an opening line and its closing one."""
        self.list_indents: list[int] = []
        """The columns at which the text of each enclosing list item begins, outermost first."""
        self._mark = b""
        self._indent = 0
        self._depth = 0

    def feed(self, text: bytes) -> bool:
        """Take the next line, without its line end; True where it is code or a fence itself."""
        quotes = _QUOTE_MARKS.match(text)
        prefix = quotes.group() if quotes else b""
        depth = prefix.count(b">")
        if self.in_fence and depth >= self._depth:
            inner = text[len(prefix) :] if self._depth else text
            rest = inner.strip(b" \t\r")
            if (
                len(rest) >= len(self._mark)
                and not rest.strip(self._mark[:1])
                and indent_of(inner) - self._indent < _TAB_STOP
            ):
                self.in_fence = False
            return True
        self.in_fence = False
        return self._feed_open(text[len(prefix) :] if depth else text, depth)

    def _feed_open(self, text: bytes, depth: int) -> bool:
        """Take a line outside of a fence: follow the list items, look for an opening fence."""
        rest = text.lstrip(b" \t")
        if not rest:
            return False
        column = indent_of(text)
        indents = self.list_indents
        while indents and column < indents[-1]:
            indents.pop()
        if len(indents) > _NESTING_LIMIT:
            return False
        while column - (indents[-1] if indents else 0) < _TAB_STOP:
            marker = _LIST_MARKER.match(rest)
            if marker is None:
                break
            after = rest[marker.end() :]
            gap = indent_of(after)
            after = after.lstrip(b" \t")
            wide = gap > _TAB_STOP or not after
            column += marker.end() + (1 if wide else gap)
            indents.append(column)
            if wide or len(indents) > _NESTING_LIMIT:
                return False
            rest = after
        else:
            return False
        opening = _FENCE_OPEN.match(rest)
        if opening is None:
            return False
        self.in_fence = True
        self._mark = opening.group(1) or opening.group(2)
        self._indent = indents[-1] if indents else 0
        self._depth = depth
        return True


def lines_and_code(
    data: bytes, start: int = 0, end: int | None = None
) -> Iterator[tuple[Line, bool]]:
    """Each line of `data[start:end]`, and True where it belongs to a code block.

    Fenced blocks with their fences, and indented ones: four columns or more beyond the list item
    they stand in, not in the middle of a paragraph (CommonMark 4.4).
    """
    fences = FenceTracker()
    in_paragraph = False
    for line in lines_with_spans(data, start, end):
        is_code = fences.feed(line.text)
        if is_code or line.is_blank:
            in_paragraph = False
        elif not in_paragraph:
            base = fences.list_indents[-1] if fences.list_indents else 0
            if indent_of(line.text) - base >= _TAB_STOP:
                is_code = True
            else:
                in_paragraph = True
        yield line, is_code
