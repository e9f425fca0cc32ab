"""Lines laid out when they are drawn are as many as was told beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from memtui.engine.types import ChangeSet, FileChange, Store
from memtui.tui.diff_view import Heights, lay_out_diffs
from memtui.tui.lazy_lines import LazyLines
from memtui.tui.review import EffectLine, EffectSection, files_of
from memtui.tui.review_view import lay_out_effects
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import DARK, palette_of

PALETTE = palette_of(DARK)
LINES = st.text(st.characters(codec="utf-8"), max_size=120) | st.text(
    "a \t\u3042\u0301\u200b-", max_size=60
)
WIDTHS = st.integers(1, 90)


def test_a_part_is_laid_out_once_and_when_asked_for() -> None:
    drawn = []

    def draw(part: str) -> list[Content]:
        drawn.append(part)
        return [Content(f"{part}{number}") for number in range(2)]

    lines = LazyLines(["a", "", "b", "c"], [2, 0, 2, 2], draw)
    assert len(lines) == 6
    assert drawn == []
    assert lines[2].plain == "b0"
    assert lines[-3].plain == "b1"
    assert drawn == ["b"]
    assert [line.plain for line in lines[1:5:2]] == ["a1", "b1"]
    assert [line.plain for line in lines] == ["a0", "a1", "b0", "b1", "c0", "c1"]
    assert drawn == ["b", "a", "c"]
    for place in (6, -7):
        with pytest.raises(IndexError):
            lines[place]
    assert not LazyLines((), (), draw)


@given(st.lists(LINES, max_size=8), st.lists(LINES, max_size=8), WIDTHS, st.booleans())
def test_heights_of_diffs_are_those_of_what_is_drawn(
    before: list[str], after: list[str], width: int, has_air: bool
) -> None:
    changes = tuple(
        FileChange(f"{name}.md", old, new, "why")
        for name, old, new in (
            ("a", "\n".join(before).encode(), "\n".join(after).encode()),
            ("b", None, b"\xff" + "\n".join(after).encode()),
        )
    )
    files = files_of((ChangeSet(Store("project", "none", Path("/m")), "dream", changes),))
    heights = Heights()
    assert heights.unknown_lines(files, width) == sum(
        len(hunk.lines) for file in files for hunk in file.diff.hunks
    )
    heights.measure(files, width)
    assert heights.unknown_lines(files, width) == 0
    page = lay_out_diffs(files, width, PALETTE, has_air=has_air, heights=heights)
    drawn = list(page.lines)
    assert len(drawn) == len(page.lines)
    assert [part_heights(page.lines)] == [drawn_heights(page.lines)]
    # Each file begins with its name.
    assert page.file_starts[0] == 0
    at = page.file_starts[1]
    assert drawn[at - 1].plain == "" if has_air else True


def part_heights(lines: object) -> list[int]:
    """What was told beforehand, for each part of each part."""
    assert isinstance(lines, LazyLines)
    found = []
    for number, (start, end) in enumerate(zip(lines._starts, lines._starts[1:], strict=False)):
        part = lines._part(number)
        found += part_heights(part) if isinstance(part, LazyLines) else [end - start]
    return found


def drawn_heights(lines: object) -> list[int]:
    """What was drawn, for the same parts."""
    assert isinstance(lines, LazyLines)
    found = []
    for number in range(len(lines._parts)):
        part = lines._part(number)
        found += drawn_heights(part) if isinstance(part, LazyLines) else [len(part)]
    return found


@given(
    st.lists(
        st.builds(
            EffectLine,
            LINES.map(safe_line),
            st.sampled_from(["", "end"]),
            st.sampled_from(["", "!"]),
        )
    ),
    WIDTHS,
)
def test_heights_of_effects_are_those_of_what_is_drawn(lines: list[EffectLine], width: int) -> None:
    sections = [EffectSection("one", "1", tuple(lines)), EffectSection("two", "", ())]
    shown = lay_out_effects(sections, width, PALETTE)
    assert part_heights(shown) == drawn_heights(shown)
    assert len(list(shown)) == len(shown)
