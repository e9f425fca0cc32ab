"""Prints how fast memtui is, and whether each limit of the design (section 5) is met.

`python -m tests.benchmarks` measures all; `scan`, `rerank`, `first_frame`, `process`, `session`,
`dream` as arguments choose. A measure is a median; what else runs on the machine is told as its
load. `extract` tells how well statements are found, in a table of its own.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence

from tests.benchmarks import dream, extract, first_frame, process, rerank, scan, session
from tests.benchmarks.rows import Row, table

GROUPS: Mapping[str, Callable[[], list[Row]]] = {
    "scan": scan.rows,
    "rerank": rerank.rows,
    "first_frame": first_frame.rows,
    "process": process.rows,
    "session": session.rows,
    "dream": dream.rows,
}

REPORTS: Mapping[str, Callable[[], str]] = {"extract": extract.report}
"""What isn't about speed, each printed as it is."""


def main(
    names: Sequence[str],
    groups: Mapping[str, Callable[[], list[Row]]] = GROUPS,
    reports: Mapping[str, Callable[[], str]] = REPORTS,
) -> int:
    """Measure the groups of those names, all where there is none; gives the exit code."""
    known = [*groups, *reports]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"There is no benchmark {unknown[0]}: choose of {', '.join(known)}.", file=sys.stderr)
        return 2
    chosen = names or known
    if measured := [name for name in chosen if name in groups]:
        _measure([groups[name] for name in measured])
    for number, name in enumerate(name for name in chosen if name in reports):
        print(("\n" if number or measured else "") + reports[name]())
    return 0


def _measure(groups: Sequence[Callable[[], list[Row]]]) -> None:
    cores, before = os.cpu_count() or 1, os.getloadavg()[0]
    rows = [row for group in groups for row in group()]
    after = os.getloadavg()[0]
    print(table(rows))
    machine = f"Python {platform.python_version()}, {cores} cores"
    busy = " The machine was busy: measure again." if max(before, after) > cores else ""
    print(f"\n{machine}, load {before:.1f} before and {after:.1f} after.{busy}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
