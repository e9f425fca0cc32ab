"""A program in a pseudo terminal of the operating system, and every byte that it sends there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

_PATIENCE_S = 20.0
_QUIET_S = 0.05
_ESCAPE_S = 0.4

_CSI = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_STRING = re.compile(rb"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)")


class Terminal:
    """`python -m memtui ARGUMENTS` in a terminal of `columns` by `rows` cells."""

    def __init__(
        self,
        *arguments: str | Path,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.master, self._slave = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)
        self.mode_before = termios.tcgetattr(self._slave)
        self.sent = b""
        """Every byte that reached the terminal."""
        base = {
            "PATH": os.environ.get("PATH", ""),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TEXTUAL_ANIMATIONS": "none",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memtui", *(os.fspath(each) for each in arguments)],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env={**base, **env},
            cwd=cwd,
            start_new_session=True,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self._slave)

    @property
    def mode(self) -> list[object]:
        """The settings of the terminal: echo, line editing and the like."""
        return list(termios.tcgetattr(self._slave))

    @property
    def text(self) -> str:
        """What was written, without the sequences that the terminal obeys."""
        return plain(self.sent)

    def read(self, wait_s: float = _QUIET_S) -> bytes:
        """What comes until nothing came for `wait_s`."""
        came = b""
        while select.select([self.master], [], [], wait_s)[0]:
            with contextlib.suppress(OSError):
                part = os.read(self.master, 65_536)
                came += part
                if part:
                    continue
            break
        self.sent += came
        return came

    def until(self, condition: Callable[[], object]) -> None:
        """Read until `condition` holds."""
        end = time.monotonic() + _PATIENCE_S
        while not condition():
            is_over = self.process.poll() is not None
            self.read()
            if not condition():
                assert not is_over, self.text[-4_000:]
                assert time.monotonic() < end, self.text[-4_000:]

    def press(self, keys: str | bytes, *, until: str = "") -> str:
        """Send `keys`, read what they draw (up to `until`), and give it as text."""
        start = len(self.sent)
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)
        self.read()
        self.until(lambda: until in plain(self.sent[start:]))
        return plain(self.sent[start:])

    def escape(self) -> str:
        """Press the escape key, and give the program time to see that no sequence follows."""
        seen = self.press(b"\x1b")
        self.read(_ESCAPE_S)
        return seen

    def end(self) -> int:
        """Wait for the end of the program; gives its exit code."""
        self.until(lambda: self.process.poll() is not None)
        self.read()
        return self.process.returncode


def plain(sent: bytes) -> str:
    """`sent` without control sequences and strings."""
    return _CSI.sub(b"", _STRING.sub(b"", sent)).decode("utf-8", "replace")


def strings(sent: bytes) -> list[bytes]:
    """The control strings in `sent`: OSC, DCS, SOS, PM, APC."""
    return _STRING.findall(sent)


def sequences(sent: bytes) -> set[bytes]:
    """The control sequences in `sent`, but for colours and for moves of the cursor."""
    found = {bytes(each) for each in _CSI.findall(_STRING.sub(b"", sent))}
    return {each for each in found if each[-1:] not in b"mH"}
