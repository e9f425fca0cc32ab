"""Diffs laid out as lines.

Invariant: every text of a file passes `safe_text` here; a sign says what a tint says. Pure, but for
the heights that are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from textual.content import Content

from memtui.engine.plans.diff import DiffLine, FileDiff, Hunk
from memtui.tui.format import rule, spread
from memtui.tui.lazy_lines import LazyLines, wrapped_height
from memtui.tui.messages import Place
from memtui.tui.review import Check, ReviewFile, go_on
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_NUMBER_CELLS = 4
_GUTTER_CELLS = 2 * _NUMBER_CELLS + 2
_DRAWN_LINES = 3_000
"""Of one file; the last line tells how many are not drawn."""


@dataclass(frozen=True)
class DiffPage:
    """The lines of all files, and where files and hunks begin in them."""

    lines: Sequence[Content]
    file_starts: tuple[int, ...]
    hunk_starts: tuple[int, ...]

    @cached_property
    def hunk_tops(self) -> tuple[int, ...]:
        """The line to scroll to for each hunk: with the name of its file where it is the first."""
        heads = set(self.file_starts)
        return tuple(start - 1 if start - 1 in heads else start for start in self.hunk_starts)


_Part = ReviewFile | Hunk | DiffLine | str
"""The head of a file, that of a hunk, a line of it, or a note."""


class _Measured(NamedTuple):
    """The height of each part of one diff at one width, its head left away."""

    diff: FileDiff
    width: int
    parts: Sequence[_Part]
    heights: Sequence[int]
    hunk_starts: Sequence[int]
    """Counted from the head."""
    height: int
    """Of all, with the head."""


class Heights:
    """What is known of the heights of diffs; to know them takes long where there are many.

    `measure` may run in a worker while `lay_out_diffs` uses what is known by then.
    """

    def __init__(self) -> None:
        self._known: dict[Place, _Measured] = {}

    def unknown_lines(self, files: Iterable[ReviewFile], width: int) -> int:
        """How many lines of diffs would have to be looked at."""
        return sum(
            sum(len(hunk.lines) for hunk in file.diff.hunks)
            for file in files
            if self._find(file, width) is None
        )

    def measure(self, files: Iterable[ReviewFile], width: int, check: Check = go_on) -> None:
        """Look at all diffs that are not known; `check` is called in between and may raise."""
        for file in files:
            check()
            self.of(file, width)

    def of(self, file: ReviewFile, width: int) -> _Measured:
        """The heights of one diff."""
        found = self._find(file, width)
        if found is None:
            found = self._known[file.key] = _measure(file.diff, width)
        return found

    def _find(self, file: ReviewFile, width: int) -> _Measured | None:
        found = self._known.get(file.key)
        is_same = found is not None and found.diff is file.diff and found.width == width
        return found if is_same else None


def lay_out_diffs(
    files: Sequence[ReviewFile],
    width: int,
    palette: Palette,
    *,
    has_air: bool,
    rejected: frozenset[Place] = frozenset(),
    heights: Heights | None = None,
) -> DiffPage:
    """The diffs of `files` below each other, each line laid out when it is drawn."""
    heights = heights or Heights()
    parts: list[tuple[ReviewFile, _Measured] | None] = []
    sizes: list[int] = []
    file_starts: list[int] = []
    hunk_starts: list[int] = []
    at = 0
    for number, file in enumerate(files):
        if number and has_air:
            parts.append(None)
            sizes.append(1)
            at += 1
        measured = heights.of(file, width)
        file_starts.append(at)
        hunk_starts += [at + start for start in measured.hunk_starts]
        parts.append((file, measured))
        sizes.append(measured.height)
        at += measured.height

    def draw_file(part: tuple[ReviewFile, _Measured] | None) -> Sequence[Content]:
        if part is None:
            return [Content("")]
        file, measured = part
        return LazyLines([file, *measured.parts], [1, *measured.heights], draw)

    def draw(part: _Part) -> Sequence[Content]:
        if isinstance(part, ReviewFile):
            return [_head(part, width, palette, is_rejected=part.key in rejected)]
        if isinstance(part, Hunk):
            return [_hunk_rule(part, width, palette)]
        if isinstance(part, str):
            return [Content.styled(part, palette.attention)]
        return lay_out_line(part, width, palette)

    return DiffPage(LazyLines(parts, sizes, draw_file), tuple(file_starts), tuple(hunk_starts))


def _measure(diff: FileDiff, width: int) -> _Measured:
    parts: list[_Part] = []
    heights: list[int] = []
    hunk_starts = []
    if diff.note:
        parts.append(f"! {safe_line(diff.note)}")
        heights.append(1)
    at = first = 1 + len(parts)
    for hunk in diff.hunks:
        hunk_starts.append(at)
        if hunk.heading or len(diff.hunks) > 1:
            parts.append(hunk)
            heights.append(1)
            at += 1
        for line in hunk.lines:
            height = max(1, wrapped_height(safe_line(line.text), _room(width)))
            parts.append(line)
            heights.append(height)
            at += height
            if at - first > _DRAWN_LINES:
                break
        if at - first > _DRAWN_LINES:
            parts.append("! more lines are not drawn")
            heights.append(1)
            break
    return _Measured(diff, width, parts, heights, hunk_starts, 1 + sum(heights))


def _room(width: int) -> int:
    """Cells for the text of a line."""
    return max(4, width - _GUTTER_CELLS)


def lay_out_line(line: DiffLine, width: int, palette: Palette) -> list[Content]:
    """One line of a diff: numbers, sign, text; wrapped lines hang below an empty gutter."""
    text = Content.styled(safe_line(line.text), palette.text if line.sign != " " else palette.muted)
    sign_style, tint = palette.faint, ""
    if line.sign == "-":
        sign_style, tint, word = palette.removed, palette.removed_tint, palette.removed_word
    elif line.sign == "+":
        sign_style, tint, word = palette.added, palette.added_tint, palette.added_word
    else:
        word = ""
    if word and safe_line(line.text) == line.text:
        for start, end in line.words:
            text = text.stylize(word, start, end)
    numbers = f"{line.old or '':>{_NUMBER_CELLS - 1}} {line.new or '':>{_NUMBER_CELLS - 1}} "
    lines = []
    for place, part in enumerate(text.wrap(_room(width)) or [Content("")]):
        gutter = numbers if place == 0 else " " * len(numbers)
        sign = line.sign if place == 0 else " "
        body = Content.assemble((sign, sign_style), " ", part)
        body = body.pad_right(max(0, width - len(gutter) - body.cell_length))
        if tint:
            body = body.stylize_before(tint)
        lines.append(Content.styled(gutter, palette.faint) + body)
    return lines


def counts(added: int, removed: int, palette: Palette) -> Content:
    """`+3 -5`, right-aligned in fixed cells; a zero is a faint dot."""
    plus = (f"+{added}", palette.good) if added else ("·", palette.faint)
    minus = (f"-{removed}", palette.bad) if removed else ("·", palette.faint)
    return Content.assemble((f"{plus[0]:>4}", plus[1]), (f"{minus[0]:>5}", minus[1]))


def _head(file: ReviewFile, width: int, palette: Palette, *, is_rejected: bool) -> Content:
    style = f"{palette.muted} strike" if is_rejected else palette.strong
    left = Content.assemble((file.label, style), ("  " + file.note, palette.muted))
    return spread(left, counts(file.diff.added, file.diff.removed, palette), width)


def _hunk_rule(hunk: Hunk, width: int, palette: Palette) -> Content:
    first = hunk.old_start if hunk.old_count else hunk.new_start
    count = hunk.old_count or hunk.new_count
    where = f"lines {first}-{first + count - 1}" if count > 1 else f"line {first}"
    return rule(safe_line(hunk.heading), where, width, palette)
