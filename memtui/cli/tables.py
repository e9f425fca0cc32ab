"""Lines for a person: aligned tables, colour, and the words for engine values.

Invariant: pure; every text of a file or a path passes `safe_text` in `Page`, and only what `Page`
styles holds an escape sequence. Widths are terminal cells. On a terminal a name is cut to fit;
elsewhere, and for paths and IDs everywhere, nothing is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size

from memtui.tui.safe_text import safe_line

Style = Literal["plain", "strong", "muted", "good", "bad", "attention", "accent"]

_SGR: dict[Style, str] = {
    "strong": "1",
    "muted": "2",
    "good": "32",
    "bad": "31",
    "attention": "33",
    "accent": "36",
}
_GAP = "  "
MIN_CUT_CELLS = 16
"""A cut column keeps at least this width."""

MOST_ALIGNED_CELLS = 200
"""A wider cell sticks out: one name of megabytes must not fill every other line with blanks."""

AGENT_NAMES = {"qwen": "Qwen Code", "claude": "Claude Code", "none": "no agent"}

_HOUR_S = 3600
_DAY_S = 24 * _HOUR_S


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row: raw text, made safe when it is drawn."""

    text: str
    style: Style = "plain"
    is_right: bool = False


Row = Sequence[Cell]
"""The cells of a line. The last one is not padded."""


@dataclass(frozen=True, slots=True)
class Page:
    """Where lines go: the width of the terminal (None: no terminal), and whether it has colour."""

    columns: int | None = None
    has_colour: bool = False

    def style(self, text: str, style: Style) -> str:
        """`text`, one line of anything, safe and in a style."""
        safe = safe_line(text)
        if not self.has_colour or style == "plain" or not safe:
            return safe
        return f"\x1b[{_SGR[style]}m{safe}\x1b[0m"

    def table(self, rows: Sequence[Row], *, indent: int = 0, cut: int | None = None) -> list[str]:
        """One line for each row, its cells aligned over all rows.

        The column number `cut` gives way where the widest line does not fit the terminal.
        """
        widths = self._widths(rows)
        if self.columns is None:
            cut = None
        elif cut is not None:
            needed = indent + sum(widths) + len(_GAP) * (len(widths) - 1)
            widths[cut] = max(
                min(widths[cut], MIN_CUT_CELLS), widths[cut] - max(0, needed - self.columns)
            )
        return [" " * indent + self._row(row, widths, cut) for row in rows]

    def _widths(self, rows: Sequence[Row]) -> list[int]:
        count = max((len(row) for row in rows), default=0)
        widths = [0] * count
        for row in rows:
            for column, cell in enumerate(row):
                cells = min(cell_len(safe_line(cell.text)), MOST_ALIGNED_CELLS)
                widths[column] = max(widths[column], cells)
        return widths

    def _row(self, row: Row, widths: Sequence[int], cut: int | None) -> str:
        parts = []
        for column, cell in enumerate(row):
            text = safe_line(cell.text)
            if column == cut:
                text = fit(text, widths[column])
            blanks = " " * (widths[column] - cell_len(text))
            styled = self.style(text, cell.style)
            if cell.is_right:
                parts.append(blanks + styled)
            else:
                parts.append(styled + ("" if column == len(row) - 1 else blanks))
        return _GAP.join(parts).rstrip()


def fit(text: str, cells: int) -> str:
    """`text` cut to at most `cells`, ending in `…` where something was cut."""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, max(0, cells - 1)).rstrip() + "…"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 file`, `2 files`, `1,204 files`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def short_age(mtime_ns: int, now_ns: int) -> str:
    """A short age: `now`, `5h`, `12d`; a future time is `now`."""
    age_s = max(0, (now_ns - mtime_ns) // 1_000_000_000)
    if age_s < _HOUR_S:
        return "now"
    return f"{age_s // _HOUR_S}h" if age_s < _DAY_S else f"{age_s // _DAY_S}d"


def numbered(numbers: Sequence[int]) -> str:
    """Ascending numbers with runs drawn together: `1-4, 7, 9-10`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
