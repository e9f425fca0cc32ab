"""A review drawn: its files as rows, what follows as lines.

Invariant: pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.tui.diff_view import counts
from memtui.tui.format import fit_end, hang, plural, rule, spread
from memtui.tui.lazy_lines import LazyLines, wrapped_height
from memtui.tui.messages import Place
from memtui.tui.review import Check, EffectLine, EffectSection, Review, ReviewFile, go_on
from memtui.tui.themes import Palette

_HANG_CELLS = 2
"""A sign and a blank."""


@dataclass(frozen=True, slots=True)
class ChangedFileRow:
    """A file of the review: accepted or not, kind, path, lines."""

    file: ReviewFile
    is_rejected: bool

    @property
    def key(self) -> Place:
        """The file."""
        return self.file.key

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line; the reason stands below."""
        sign = ("✗", palette.bad) if self.is_rejected else ("✓", palette.good)
        kind = {"A": palette.good, "M": palette.attention, "D": palette.bad}[self.file.sign]
        end = counts(self.file.diff.added, self.file.diff.removed, palette)
        style = palette.strong if has_cursor else palette.text
        if self.is_rejected:
            style = f"{palette.muted} strike"
        label = fit_end(self.file.label, width - 6 - end.cell_length)
        left = Content.assemble(" ", sign, " ", (self.file.sign, kind), " ", (label, style))
        return spread(left, end, width)


def summary_files(accepted: int, total: int, palette: Palette) -> Content:
    """`2 of 3 files`; nothing where none is known yet."""
    said = f"{accepted:,} of {plural(total, 'file')}" if total else ""
    return Content.styled(said, palette.strong)


def summary_counts(review: Review, palette: Palette) -> list[Content]:
    """Lines, warnings and what else there is to count."""
    counted = [counts(review.added, review.removed, palette)]
    counted += [
        Content.assemble(
            ("! ", palette.attention), (f"{count}", palette.strong), (f" {words}", palette.muted)
        )
        for count, words in review.warnings
    ]
    counted += [
        Content.assemble((f"{count}", palette.strong), (f" {words}", palette.muted))
        for count, words in review.counts
    ]
    return counted


def effect_lines(sections: Sequence[EffectSection]) -> int:
    """How many lines of effects there are, unwrapped."""
    return sum(len(section.lines) for section in sections)


def effect_heights(
    sections: Sequence[EffectSection], width: int, check: Check = go_on
) -> list[int]:
    """The height of each part that `lay_out_effects` draws; `check` is called in between."""
    heights = []
    for part in _parts(sections):
        check()
        heights.append(_height(part, width) if isinstance(part, EffectLine) else 1)
    return heights


def lay_out_effects(
    sections: Sequence[EffectSection],
    width: int,
    palette: Palette,
    heights: Sequence[int] | None = None,
) -> Sequence[Content]:
    """The sections below each other; `heights` are those of `effect_heights` at this width."""

    def draw(part: EffectSection | EffectLine | None) -> Sequence[Content]:
        if part is None:
            return [Content("")]
        if isinstance(part, EffectSection):
            return [rule(part.title, part.end, width, palette)]
        if part.sign:
            return hang(f"{part.sign} ", part.text, palette.attention, width)
        text = Content.styled(part.text, palette.text)
        if not part.end:
            return text.wrap(width)
        return [spread(text, Content.styled(part.end, palette.muted), width)]

    if heights is None:
        heights = effect_heights(sections, width)
    return LazyLines(_parts(sections), heights, draw)


def _parts(sections: Sequence[EffectSection]) -> list[EffectSection | EffectLine | None]:
    """Heads and lines in the order of drawing; None is a blank line."""
    parts: list[EffectSection | EffectLine | None] = []
    for number, section in enumerate(sections):
        if number:
            parts.append(None)
        parts += [section, *section.lines]
    return parts


def _height(line: EffectLine, width: int) -> int:
    if line.sign:
        return wrapped_height(line.text, max(8, width - _HANG_CELLS))
    return 1 if line.end else wrapped_height(line.text, width)
