"""Lines that are laid out when they are drawn.

Invariant: how many lines there are is known beforehand, from the height of each part; a part is
laid out only where one of its lines is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar, overload

from rich.cells import cell_len
from textual.content import Content

PartT = TypeVar("PartT")

_KEPT_PARTS = 1_000
"""Laid out parts that are kept: more than any terminal shows at once."""


class LazyLines(Sequence[Content], Generic[PartT]):
    """The lines of `parts` below each other; `draw` lays one out, in as many lines as its height.

    `draw` is called on the thread that asks for a line.
    """

    def __init__(
        self,
        parts: Sequence[PartT],
        heights: Sequence[int],
        draw: Callable[[PartT], Sequence[Content]],
    ) -> None:
        self._parts = parts
        self._starts = list(accumulate(heights, initial=0))
        self._draw = draw
        self._drawn: dict[int, Sequence[Content]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Content: ...

    @overload
    def __getitem__(self, place: slice) -> list[Content]: ...

    def __getitem__(self, place: int | slice) -> Content | list[Content]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = place + len(self) if place < 0 else place
        if not 0 <= number < len(self):
            raise IndexError(place)
        part = bisect_right(self._starts, number) - 1
        return self._part(part)[number - self._starts[part]]

    def _part(self, number: int) -> Sequence[Content]:
        drawn = self._drawn.get(number)
        if drawn is None:
            if len(self._drawn) >= _KEPT_PARTS:
                self._drawn.clear()
            drawn = self._drawn[number] = self._draw(self._parts[number])
        return drawn


def wrapped_height(text: str, width: int) -> int:
    """How many lines `text`, one safe line, is wrapped to at `width` cells; the rest is quick."""
    if text and cell_len(text) <= width:
        return 1
    return len(Content(text).wrap(width))
