"""Speed of a scan: all files new, and nothing changed, as the poll of each second finds it.

Source of the limits: design, section 5. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from memtui.engine.disk.scan import Scanner
from memtui.engine.types import Snapshot, Store
from tests.benchmarks.generate import write_store
from tests.benchmarks.rows import Row

LIMITS_MS = {1_000: (100.0, 5.0), 10_000: (1_000.0, 50.0)}
"""At most this long with all files new and with nothing changed, by number of topic files."""

_ROUNDS_NEW = 5
_ROUNDS_UNCHANGED = 15


def rows(limits_ms: Mapping[int, tuple[float, float]] = LIMITS_MS) -> list[Row]:
    """Measure stores of so many files of 2 kB, in a temporary folder, with a warm page cache."""
    measured = []
    for count, (limit_new_ms, limit_unchanged_ms) in limits_ms.items():
        with tempfile.TemporaryDirectory() as folder:
            memory_dir = Path(folder) / "memory"
            write_store(memory_dir, count)
            new_ms, unchanged_ms = scan_ms(Store("project", "none", memory_dir))
        work = f"scan of {count:,} topic files"
        measured.append(Row(f"{work}, all new", limit_new_ms, new_ms))
        measured.append(Row(f"{work}, unchanged", limit_unchanged_ms, unchanged_ms))
    return measured


def scan_ms(store: Store) -> tuple[float, float]:
    """The medians of a first scan of `store` and of a further one, in milliseconds."""
    scanner = Scanner(_later_ns)
    first = scanner.scan(store)
    new_ms = median(_timed_ms(lambda: Scanner(_later_ns).scan(store)) for _ in range(_ROUNDS_NEW))
    unchanged_ms = median(_timed_ms(lambda: scanner.scan(store)) for _ in range(_ROUNDS_UNCHANGED))
    if scanner.scan(store) is not first:
        raise RuntimeError(f"{store.memory_dir} changed while it was measured")
    return new_ms, unchanged_ms


def _later_ns() -> int:
    """A time at which the files just written count as settled (spec section 4)."""
    return time.time_ns() + 60 * 10**9


def _timed_ms(work: Callable[[], Snapshot]) -> float:
    gc.collect()
    start_ns = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start_ns) / 1e6
