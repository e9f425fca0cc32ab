"""System calls that fail, or end as a crash would, at a chosen moment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memtui.engine.disk.calls import Calls

NAMES = (
    "open",
    "write",
    "fsync",
    "chmod",
    "chown",
    "utime",
    "replace",
    "rename",
    "link",
    "symlink",
    "unlink",
    "mkdir",
    "rmdir",
)


class Crash(BaseException):
    """The end of the process: nothing that catches errors catches it."""


class FaultyCalls(Calls):
    """Counts calls; the one at `at` (from 0) raises `error`, with `persists` all later ones too.

    `error` is a number of `errno` or an exception type. `watch` is asked before each call, with
    its name and arguments, and may change the disk as another process would. Nothing waits for
    the disk: no test here turns the power off.
    """

    def __init__(
        self,
        at: int | None = None,
        error: int | type[BaseException] = errno.EIO,
        *,
        persists: bool = False,
        watch: Callable[[str, tuple[Any, ...]], None] | None = None,
    ) -> None:
        self.count = 0
        self.failed: list[str] = []
        self._at = at
        self._error = error
        self._persists = persists
        self._watch = watch

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        number = self.count
        self.count += 1
        if self._watch is not None:
            self._watch(name, arguments)
        if self._at is None or number < self._at or (number > self._at and not self._persists):
            return
        self.failed.append(name)
        if not isinstance(self._error, int):
            raise self._error
        path = next((str(each) for each in arguments if isinstance(each, Path)), None)
        raise OSError(self._error, os.strerror(self._error), path)


def _wrapped(name: str) -> Callable[..., Any]:
    real = getattr(Calls, name)

    def call(self: FaultyCalls, *arguments: Any) -> Any:
        self.before(name, arguments)
        if name == "fsync":
            return None
        return real(self, *arguments)

    return call


for _name in NAMES:
    setattr(FaultyCalls, _name, _wrapped(_name))


class WithoutLinks(FaultyCalls):
    """A file system that has no hard links."""

    def link(self, source: Path, target: Path) -> None:
        self.before("link", (source, target))
        raise OSError(errno.EPERM, "no links")
