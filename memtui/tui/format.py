"""How values look: ages, sizes, bars, rule lines, cuts by cells.

Invariant: pure; widths are in terminal cells; every text handed in has passed `safe_text`.
"""

from __future__ import annotations

from datetime import datetime

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from memtui.tui.themes import Palette

_SECOND_NS = 1_000_000_000
_DAY_S = 86_400
_LAST_S = 32_503_680_000
"""The year 3000."""
OLD_AFTER_DAYS = 90
"""Older memories are flagged (spec section 13, `outdated`)."""

NAME_CHARACTERS = 500
"""More of a name is drawn in no row."""

_CHARACTERS_A_CELL = 16
"""No more characters are measured for a cell, so that no name is too long to draw in time."""

TYPE_LETTERS = {"feedback": "F", "project": "P", "reference": "R", "user": "U"}


def age_days(mtime_ns: int, now_ns: int) -> int:
    """Whole days of 24 h since `mtime_ns`; a future time counts as 0."""
    return max(0, (now_ns - mtime_ns) // (_DAY_S * _SECOND_NS))


def age(mtime_ns: int, now_ns: int) -> str:
    """A short age: `now`, `5h`, `12d`, `3y`."""
    seconds = max(0, (now_ns - mtime_ns) // _SECOND_NS)
    if seconds < 3600:
        return "now"
    if seconds < _DAY_S:
        return f"{seconds // 3600}h"
    days = seconds // _DAY_S
    return f"{days}d" if days < 1000 else f"{days // 365}y"


def moment(time_ns: int) -> datetime:
    """A time as this machine tells it; one that not every calendar has counts as the nearest."""
    return datetime.fromtimestamp(min(max(time_ns / _SECOND_NS, _DAY_S), _LAST_S))


def size(byte_count: int) -> str:
    """A size for a person: `788 B`, `3.1 kB`, `5.0 MB`."""
    if byte_count < 1000:
        return f"{byte_count} B"
    if byte_count < 1_000_000:
        return f"{byte_count / 1000:.1f} kB"
    return f"{byte_count / 1_000_000:.1f} MB"


def fit(text: str, cells: int) -> str:
    """`text` cut to at most `cells`, ending in `…` where something was cut."""
    if cells <= 0:
        return ""
    start = text[: cells * _CHARACTERS_A_CELL]
    if len(start) == len(text) and cell_len(text) <= cells:
        return text
    return set_cell_size(start, cells - 1).rstrip() + "…"


def wrap(content: Content, width: int, rows: int) -> list[Content]:
    """The first `rows` lines of `content` at `width` cells; what is cut off costs nothing."""
    return content[: max(0, rows) * width].wrap(width)[: max(0, rows)]


def fit_end(text: str, cells: int) -> str:
    """`text` cut at its start to at most `cells`, as a path is: `…merge-freeze.md`."""
    if cell_len(text) <= cells:
        return text
    kept = text[-max(1, cells) :] if cells > 0 else ""
    while kept and cell_len(kept) > cells - 1:
        kept = kept[1:]
    return "…" + kept if cells > 0 else ""


def pad(text: str, cells: int) -> str:
    """`text` cut or filled to exactly `cells`."""
    return set_cell_size(fit(text, cells), cells) if cells > 0 else ""


def right(text: str, cells: int) -> str:
    """`text` pushed to the right edge of `cells`."""
    return " " * max(0, cells - cell_len(text)) + text


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """`1 file`, `2 files`, `1,204 files`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def spread(left: Content, end: Content, width: int) -> Content:
    """`left` and `end` at the two edges of a line; `left` is cut where both do not fit."""
    room = width - end.cell_length
    if room <= 0:
        return left.truncate(max(0, width), ellipsis=True)
    if left.cell_length > room - 1:
        left = left.truncate(max(0, room - 1), ellipsis=True)
    return Content.assemble(left, " " * (room - left.cell_length), end)


def stack(left: Content, end: Content, width: int) -> list[Content]:
    """`left` and `end` on one line, or, where both do not fit, below each other uncut."""
    if left.cell_length + end.cell_length + 1 <= width:
        return [spread(left, end, width)]
    return [*left.wrap(width), spread(Content(""), end, width)]


def rule(title: str | Content, end: str | Content, width: int, palette: Palette) -> Content:
    """A section head: `title ────── end`."""
    head = title if isinstance(title, Content) else Content.styled(title, palette.muted)
    tail = end if isinstance(end, Content) else Content.styled(end, palette.muted)
    line_cells = width - head.cell_length - tail.cell_length
    line_cells -= (1 if head else 0) + (1 if tail else 0)
    line = Content.styled("─" * max(0, line_cells), palette.rule)
    parts = [part for part in (head, line, tail) if part]
    return Content(" ").join(parts).truncate(width, ellipsis=True)


def bar(value: float, limit: float, cells: int, palette: Palette, style: str = "") -> Content:
    """A bar of `cells`: heavy up to `value` of `limit`, light beyond; half cells count."""
    share = min(1.0, max(0.0, value / limit)) if limit > 0 else 0.0
    halves = round(share * cells * 2)
    if value > 0:
        halves = max(1, halves)
    filled = "━" * (halves // 2) + ("╸" if halves % 2 else "")
    return Content.assemble(
        (filled, style or palette.primary), ("─" * (cells - len(filled)), palette.rule)
    )


def badge(kind: str, palette: Palette) -> Content:
    """The bold letter of a memory type; `·` for none, `?` for one that no agent knows."""
    if not kind:
        return Content.styled("·", palette.faint)
    letter = TYPE_LETTERS.get(kind)
    if letter is None:
        return Content.styled("?", palette.attention)
    return Content.styled(letter, palette.badges[kind])


def chip(kind: str, palette: Palette) -> Content:
    """The whole word of a type on its own background."""
    if not kind:
        return Content.styled("no type", palette.attention)
    return Content.styled(f" {kind} ", palette.chips.get(kind, palette.chips["?"]))


def hang(lead: str, text: str, style: str, width: int) -> list[Content]:
    """`text` wrapped below `lead`, all in `style`."""
    parts = Content.styled(text, style).wrap(max(8, width - len(lead)))
    return [
        Content.styled(lead if place == 0 else " " * len(lead), style) + part
        for place, part in enumerate(parts)
    ]
