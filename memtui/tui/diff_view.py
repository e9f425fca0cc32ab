"""Diffs laid out as lines.

Invariant: pure; every text of a file passes `safe_text` here; a sign says what a tint says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.plans.diff import DiffLine, Hunk
from memtui.tui.format import rule, spread
from memtui.tui.review import ReviewFile
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_NUMBER_CELLS = 4
_GUTTER_CELLS = 2 * _NUMBER_CELLS + 2
_DRAWN_LINES = 3_000
"""Of one file; the last line tells how many are not drawn."""


@dataclass(frozen=True)
class DiffPage:
    """The lines of all files, and where files and hunks begin in them."""

    lines: tuple[Content, ...]
    file_starts: tuple[int, ...]
    hunk_starts: tuple[int, ...]

    @property
    def hunk_tops(self) -> tuple[int, ...]:
        """The line to scroll to for each hunk: with the name of its file where it is the first."""
        heads = set(self.file_starts)
        return tuple(start - 1 if start - 1 in heads else start for start in self.hunk_starts)


def lay_out_diffs(
    files: Sequence[ReviewFile],
    width: int,
    palette: Palette,
    *,
    has_air: bool,
    rejected: frozenset[tuple[str, str]] = frozenset(),
) -> DiffPage:
    """The diffs of `files` below each other."""
    lines: list[Content] = []
    file_starts, hunk_starts = [], []
    for number, file in enumerate(files):
        if number and has_air:
            lines.append(Content(""))
        file_starts.append(len(lines))
        lines.append(_head(file, width, palette, is_rejected=file.key in rejected))
        if file.diff.note:
            lines.append(Content.styled(f"! {safe_line(file.diff.note)}", palette.attention))
        first = len(lines)
        for hunk in file.diff.hunks:
            hunk_starts.append(len(lines))
            if hunk.heading or len(file.diff.hunks) > 1:
                lines.append(_hunk_rule(hunk, width, palette))
            for line in hunk.lines:
                lines += lay_out_line(line, width, palette)
                if len(lines) - first > _DRAWN_LINES:
                    break
            if len(lines) - first > _DRAWN_LINES:
                lines.append(Content.styled("! more lines are not drawn", palette.attention))
                break
    return DiffPage(tuple(lines), tuple(file_starts), tuple(hunk_starts))


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
    room = max(4, width - _GUTTER_CELLS)
    lines = []
    for place, part in enumerate(text.wrap(room) or [Content("")]):
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
