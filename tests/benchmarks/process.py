"""Speed of `memtui recall` as a process, from its start to its end.

Source of the limit: design, section 5. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from tests.benchmarks.generate import write_store
from tests.benchmarks.rerank import QUERY
from tests.benchmarks.rows import Row

LIMITS_MS = {100: 150.0}
"""At most this long, by number of documents."""

_ROUNDS = 21
_RUN = "import sys; from memtui.__main__ import main; sys.exit(main())"
"""What the console script does."""
_SHOWN = (
    "import sys; from memtui.cli import main; main(sys.argv[1:]); "
    "sys.exit(' '.join(name for name in ('textual', 'rich') if name in sys.modules) or 0)"
)


def rows(limits_ms: Mapping[int, float] = LIMITS_MS, rounds: int = _ROUNDS) -> list[Row]:
    """Measure `memtui recall QUERY --json` over each number of documents, files in the cache."""
    measured = []
    for count, limit_ms in limits_ms.items():
        with tempfile.TemporaryDirectory() as home:
            memory_dir = Path(home) / "memory"
            write_store(memory_dir, count)
            verb = ["--memory-dir", str(memory_dir), "recall", QUERY, "--json"]
            _run([sys.executable, "-c", _SHOWN, *verb], home)
            command = [sys.executable, "-c", _RUN, *verb]
            milliseconds = median(_run(command, home) for _ in range(rounds))
        measured.append(Row(f"memtui recall, process, {count:,} documents", limit_ms, milliseconds))
    return measured


def _run(command: Sequence[str], home: str) -> float:
    """Run a command, in milliseconds; raises RuntimeError where it fails or loads a screen."""
    start_ns = time.perf_counter_ns()
    done = subprocess.run(command, env={"HOME": home}, capture_output=True, check=False)
    elapsed_ms = (time.perf_counter_ns() - start_ns) / 1e6
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.stderr.decode()}")
    return elapsed_ms
