"""Prints how fast memtui is, and whether each limit of the design (section 5) is met.

`python -m tests.benchmarks` measures all; `scan`, `rerank`, `first_frame`, `process` as arguments
choose. A measure is a median; what else runs on the machine is told as its load.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence

from tests.benchmarks import first_frame, process, rerank, scan
from tests.benchmarks.rows import Row, table

GROUPS: Mapping[str, Callable[[], list[Row]]] = {
    "scan": scan.rows,
    "rerank": rerank.rows,
    "first_frame": first_frame.rows,
    "process": process.rows,
}


def main(names: Sequence[str], groups: Mapping[str, Callable[[], list[Row]]] = GROUPS) -> int:
    """Measure the groups of those names, all where there is none; gives the exit code."""
    unknown = [name for name in names if name not in groups]
    if unknown:
        print(
            f"There is no benchmark {unknown[0]}: choose of {', '.join(groups)}.", file=sys.stderr
        )
        return 2
    cores, before = os.cpu_count() or 1, os.getloadavg()[0]
    rows = [row for name in names or groups for row in groups[name]()]
    after = os.getloadavg()[0]
    print(table(rows))
    machine = f"Python {platform.python_version()}, {cores} cores"
    busy = " The machine was busy: measure again." if max(before, after) > cores else ""
    print(f"\n{machine}, load {before:.1f} before and {after:.1f} after.{busy}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
