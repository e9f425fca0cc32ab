"""A process that stays warm and forks a child for each piece of work, so that the child can die.

The test process itself never forks: under pytest-xdist it has threads. The children have one thread
and nothing of the test's, so what they leave when they die is what a memtui leaves.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.engine.faults import FaultyCalls

Tell = Callable[[object], None]
Work = Callable[..., None]
"""A function of a module; its first argument is a `Tell`, the others can be pickled."""

DIED = 9
"""The status of a child that `DyingCalls` ended."""

_ROOT = Path(__file__).resolve().parents[2]


class DyingCalls(FaultyCalls):
    """The process ends right before the call at `at`, as by SIGKILL: nothing of ours runs then."""

    def __init__(
        self, at: int, watch: Callable[[str, tuple[Any, ...]], None] | None = None
    ) -> None:
        super().__init__(watch=watch)
        self._end = at

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.count == self._end:
            os._exit(DIED)
        super().before(name, arguments)


@dataclass(frozen=True, slots=True)
class Child:
    """A child that works; `messages` gives what it tells, and ends when it does."""

    pid: int
    messages: Iterator[object]

    def kill(self) -> None:
        """SIGKILL. The number is still that of the child: it is kept until `messages` end."""
        os.kill(self.pid, signal.SIGKILL)


class ForkServer:
    """The warm process; to be used in a `with`."""

    def __enter__(self) -> ForkServer:
        code = "from tests.engine.forked import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    @contextmanager
    def child(self, work: Work, *arguments: object) -> Iterator[Child]:
        """A child that does `work`; it is awaited at the end of the block."""
        assert self._process.stdin is not None
        pickle.dump((work, arguments), self._process.stdin)
        self._process.stdin.flush()
        messages = self._messages()
        pid = next(messages)
        assert isinstance(pid, int)
        self.last_pid = pid
        yield Child(pid, messages)
        for _message in messages:
            pass

    def run(self, work: Work, *arguments: object) -> int:
        """Let a child do `work` to its end; gives its exit status, negative for a signal."""
        with self.child(work, *arguments):
            pass
        return self.status

    def _messages(self) -> Iterator[object]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        kind = ""
        while kind != "reaped":
            kind, value = pickle.load(self._process.stdout)
            if kind == "told":
                yield value
            elif kind == "ended":
                self._process.stdin.write(b"\n")
                self._process.stdin.flush()
        self.status: int = value


def nothing(_tell: Tell) -> None:
    """Work of a child that is gone at once."""


def serve() -> None:
    """Fork a child for each request on standard input, one after the other."""
    importlib.import_module("filelock")  # the writer loads it late; no child has to wait for it
    while True:
        try:
            work, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pid = os.fork()
        if pid == 0:
            _tell("told", os.getpid())
            try:
                work(lambda value: _tell("told", value), *arguments)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        _tell("ended", None)
        sys.stdin.buffer.read(1)
        _pid, status = os.waitpid(pid, 0)
        _tell("reaped", os.waitstatus_to_exitcode(status))


def _tell(kind: str, value: object) -> None:
    # One write of this size to a pipe is whole, also where the process is killed in it.
    os.write(sys.stdout.fileno(), pickle.dumps((kind, value)))
