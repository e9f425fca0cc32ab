"""A store on disk with what a test of the writer asks about it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.types import Agent, ChangeSet, FileChange, Scope, StateChange, Store
from tests.engine.faults import FaultyCalls
from tests.engine.machine import mkdir

OLD_NS = 1_700_000_000_123_456_789


class Found(NamedTuple):
    """One name of a tree; of a folder everything but the mode is empty."""

    content: bytes
    mtime_ns: int
    mode: int
    link: str | None = None


def tree(root: Path) -> dict[str, Found]:
    """Everything below `root`; folders end in `/`."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            if path.is_symlink():
                found[key] = Found(b"", status.st_mtime_ns, mode, os.fspath(path.readlink()))
            elif path.is_dir():
                found[f"{key}/"] = Found(b"", 0, mode)
            else:
                found[key] = Found(path.read_bytes(), status.st_mtime_ns, mode)
    return found


def contents(root: Path) -> dict[str, bytes | str]:
    """The bytes of every file below `root`, what links say, and `dir` for folders."""
    return {
        name: found.link or ("dir" if name.endswith("/") else found.content)
        for name, found in tree(root).items()
    }


def temporaries(*roots: Path) -> list[str]:
    """The names of memtui's temporary files that were left."""
    return [name for root in roots for name in tree(root) if ".memtui-" in name]


class WrittenStore:
    """A Qwen project store in `root`, its state files beside it, memtui's state elsewhere."""

    def __init__(
        self,
        root: Path,
        files: Mapping[str, bytes | str] | None = None,
        *,
        agent: Agent = "qwen",
        scope: Scope = "project",
        name: str = "p",
    ) -> None:
        self.top = root
        self.project = mkdir(root / name)
        self.memory = mkdir(self.project / "memory")
        self.state = root / "state"
        is_qwen = agent == "qwen" and scope == "project"
        self.store = Store(scope, agent, self.memory, state_dir=self.project if is_qwen else None)
        for path, content in (files or {}).items():
            self.put(path, content)

    def put(self, path: str, content: bytes | str, mtime_ns: int = OLD_NS) -> Path:
        """A file, or a link where `content` is text."""
        place = self.memory / path
        mkdir(place.parent)
        if isinstance(content, str):
            place.symlink_to(content)
        else:
            place.write_bytes(content)
        os.utime(place, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
        return place

    def bytes_of(self, path: str) -> bytes:
        return (self.memory / path).read_bytes()

    def writer(self, **options: Any) -> StoreWriter:
        options.setdefault("calls", FaultyCalls())
        return StoreWriter(self.state, **options)

    def changes(
        self,
        *changes: FileChange,
        operation: str = "forget",
        states: tuple[StateChange, ...] = (),
    ) -> ChangeSet:
        return ChangeSet(self.store, operation, changes, states)

    def edit(self, path: str, after: bytes, **options: Any) -> FileChange:
        return FileChange(path, self.bytes_of(path), after, "edited", **options)

    def remove(self, path: str) -> FileChange:
        place = self.memory / path
        link = os.fspath(place.readlink()) if place.is_symlink() else None
        content = place.read_bytes() if place.exists() else b""
        return FileChange(path, content, None, "forgotten", link=link)

    def tree(self) -> dict[str, Found]:
        """The project folder: the memory and the state files."""
        return tree(self.project)

    def contents(self) -> dict[str, bytes | str]:
        return contents(self.memory)


def add(path: str, content: bytes, **options: Any) -> FileChange:
    return FileChange(path, None, content, "new", **options)


def refused(
    made: WrittenStore, act: ChangeSet, error: type[Exception], match: str, **options: Any
) -> None:
    """Applying raises, and nothing is different from before."""
    before = made.tree()
    with pytest.raises(error, match=match):
        made.writer().apply([act], **options)
    assert made.tree() == before
    assert made.writer().log([made.store]) == ()


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid
