"""One line of the table that the benchmarks print.

Invariant: values in, text out; a row without a limit has no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Unit = Literal["ms", "×", "MB", "MB/s"]
_HEADS = ("work", "limit", "median", "verdict")


class Row(NamedTuple):
    """What was measured, and at most how much it may be (None: told for comparison only).

    A speed, in MB/s, has to be at least that much.
    """

    work: str
    limit: float | None
    measured: float
    unit: Unit = "ms"

    @property
    def verdict(self) -> str:
        """`met`, `NOT MET`, or `-` where there is no limit."""
        if self.limit is None:
            return "-"
        is_speed = self.unit == "MB/s"
        is_met = self.measured >= self.limit if is_speed else self.measured <= self.limit
        return "met" if is_met else "NOT MET"


def table(rows: Sequence[Row]) -> str:
    """The rows as lines of text, columns aligned."""
    cells = [_HEADS, *((row.work, *_amounts(row), row.verdict) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADS))]
    lines = []
    for work, limit, measured, verdict in cells:
        numbers = f"{limit:>{widths[1]}} | {measured:>{widths[2]}}"
        lines.append(f"{work:<{widths[0]}} | {numbers} | {verdict}")
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _amounts(row: Row) -> tuple[str, str]:
    if row.unit == "×":
        return ("-" if row.limit is None else f"{row.limit:.1f} ×"), f"{row.measured:.2f} ×"
    limit = "-" if row.limit is None else f"{row.limit:,.0f} {row.unit}"
    return limit, f"{row.measured:,.1f} {row.unit}"
