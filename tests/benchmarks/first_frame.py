"""Speed of opening the app, against an empty Textual app that is opened beside it.

Both are processes on a pseudo terminal of 120×40 cells, started in turn; the clock runs from the
start of the process. The first frame is there when a whole screen of cells has arrived, the panes
are filled when the list, the memory under its cursor and the header show what is in the store.
Source of the limits: design, section 5. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from fcntl import ioctl
from pathlib import Path
from statistics import median

from tests.benchmarks.generate import make_document, write_store
from tests.benchmarks.rows import Row

LIMIT_FIRST_FRAME = 1.6
LIMIT_FILLED = 2.2
"""At most so many times the first frame of an empty app."""

DOCUMENTS = 1_000
_ROUNDS = 11
_COLUMNS, _LINES = 120, 40
_TIMEOUT_S = 60.0
_EMPTY_APP = "from textual.app import App; App().run()"
_MEMTUI = "import sys; from memtui.__main__ import main; sys.exit(main())"
"""What the console script does."""
_ESCAPE = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()*+].|\x1b."
)

Seen = Callable[[str], bool]
"""Whether the text that a terminal got, without its escape sequences, shows what is waited for."""


def rows(documents: int = DOCUMENTS, rounds: int = _ROUNDS) -> list[Row]:
    """Measure both apps in turn, after one start of each that doesn't count."""
    with tempfile.TemporaryDirectory() as home:
        memory_dir = Path(home) / "memory"
        write_store(memory_dir, documents)
        empty = [sys.executable, "-c", _EMPTY_APP]
        memtui = [sys.executable, "-c", _MEMTUI, "--memory-dir", str(memory_dir)]
        filled = _filled(documents)
        empty_ms, first_ms, filled_ms = [], [], []
        for number in range(rounds + 1):
            (empty_start_ms,) = _shown_ms(empty, home, [_is_full])
            first_start_ms, filled_start_ms = _shown_ms(memtui, home, [_is_full, filled])
            if number:
                empty_ms.append(empty_start_ms)
                first_ms.append(first_start_ms)
                filled_ms.append(filled_start_ms)
    base, first, whole = median(empty_ms), median(first_ms), median(filled_ms)
    of = f"of memtui, {documents:,} documents"
    return [
        Row("first frame of an empty Textual app", None, base),
        Row(f"first frame {of}", None, first),
        Row(f"filled panes {of}", None, whole),
        Row(f"first frame {of}, against empty", LIMIT_FIRST_FRAME, first / base, "×"),
        Row(f"filled panes {of}, against empty", LIMIT_FILLED, whole / base, "×"),
    ]


def _is_full(text: str) -> bool:
    return len(text) - text.count("\r") - text.count("\n") >= _COLUMNS * _LINES


def _filled(documents: int) -> Seen:
    """Sees the count in the header, the second row of the list, and the newest memory."""
    newest, second = make_document(0), make_document(1)
    body = newest.raw.decode().split("---\n\n", 1)[1]
    name = second.raw.decode().split("name: ", 1)[1]
    wanted = (f"{documents:,}", name[:12], newest.path, body[:16])
    return lambda text: all(part in text for part in wanted)


def _shown_ms(command: Sequence[str], home: str, wanted: Sequence[Seen]) -> list[float]:
    """When each of `wanted` was seen, in milliseconds since the start of the process.

    Raises RuntimeError where one is not seen in a minute.
    """
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
    environment = {"HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    start_ns = time.perf_counter_ns()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    got, shown_ms = b"", list[float]()
    try:
        while len(shown_ms) < len(wanted):
            elapsed_ms = (time.perf_counter_ns() - start_ns) / 1e6
            if elapsed_ms > _TIMEOUT_S * 1000 or process.poll() is not None:
                raise RuntimeError(f"{command[1:3]} did not show what it should: {got[-2000:]!r}")
            if not select.select([ours], [], [], 1.0)[0]:
                continue
            got += os.read(ours, 65_536)
            arrived_ms = (time.perf_counter_ns() - start_ns) / 1e6
            text = _ESCAPE.sub(b"", got).decode("utf-8", "replace")
            while len(shown_ms) < len(wanted) and wanted[len(shown_ms)](text):
                shown_ms.append(arrived_ms)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return shown_ms
