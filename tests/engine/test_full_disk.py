"""A disk that is full at any point of an act.

Where a small file system can be mounted, it is really full. Everywhere, and in its place where it
cannot be mounted, the calls that need room fail from one of them on. Both must show the same: the
store is before or after the act, nothing is left behind, and the disk is named as the reason.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import StoreError
from memtui.engine.types import ChangeSet, StateChange
from tests.engine.faults import Crash, FaultyCalls
from tests.engine.written_store import WrittenStore, add, contents, temporaries

_ROOM = ("open", "write", "mkdir", "link", "symlink")
"""Calls that may need room on the disk."""


class FullCalls(FaultyCalls):
    """From the call at `room` on that needs any below `top`, there is none.

    A long write takes half of what it is given, so that files are cut off in their middle.
    """

    def __init__(self, top: Path, room: int) -> None:
        super().__init__()
        self._top, self._room = top, room
        self._paths: dict[int, Path] = {}

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super().before(name, arguments)
        if name not in _ROOM or (name == "open" and not arguments[1] & os.O_CREAT):
            return
        path = [each for each in arguments if isinstance(each, Path)][-1:]
        if not (path or [self._paths[arguments[0]]])[0].is_relative_to(self._top):
            return
        self._room -= 1
        if self._room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *map(str, path))

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        descriptor = int(super().open(path, flags, mode))
        self._paths[descriptor] = path
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        return int(super().write(descriptor, data[: len(data) // 2] if len(data) > 600 else data))


class Disk(Protocol):
    """What can be full."""

    top: Path

    def full(self, room: int) -> Any:
        """A block in which there is room for so much; gives the calls for it."""


class InjectedDisk:
    def __init__(self, top: Path) -> None:
        self.top = top

    @contextmanager
    def full(self, room: int) -> Iterator[FaultyCalls]:
        yield FullCalls(self.top, room)


class MountedDisk:
    """A tmpfs of 1 MB; room counts in blocks of it."""

    def __init__(self, top: Path) -> None:
        self.top = top

    @contextmanager
    def full(self, room: int) -> Iterator[FaultyCalls]:
        filler = self.top / "filler"
        status = os.statvfs(self.top)
        filler.write_bytes(bytes((status.f_bfree - room) * status.f_bsize))
        yield FaultyCalls()
        filler.unlink()


@pytest.fixture(params=["injected", "mounted"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    top = tmp_path / "disk"
    top.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "memtui-test", str(top)]
    if request.param == "injected" or not _runs(command):
        yield InjectedDisk(top)
        return
    try:
        assert os.statvfs(top).f_blocks * os.statvfs(top).f_bsize == 1 << 20
        yield MountedDisk(top)
    finally:
        assert _runs(["umount", str(top)])


def _runs(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Home:
    """A store and the state directory, of which one or both lie on the small disk."""

    def __init__(self, disk: Disk, tmp_path: Path, on_disk: str, name: str) -> None:
        files: dict[str, bytes | str] = {
            "a.md": b"a" * 9000,
            "b.md": b"b" * 5000,
            "l.md": "a.md",
            "d/x.md": b"x",
        }
        files["MEMORY.md"] = b"# Index\n- [a](a.md)\n- [b](b.md)\n"
        self.top, self.name = disk.top, name
        small, large = disk.top / name, tmp_path / "large" / name
        small.mkdir()
        large.mkdir(parents=True)
        self.made = WrittenStore(large if on_disk == "state" else small, files)
        self.state = (large if on_disk == "store" else small) / "state"
        (self.made.project / "meta.json").write_bytes(b'{\n  "version": 1\n}\n')

    def remove(self) -> None:
        for folder in (self.top / self.name, self.made.top):
            shutil.rmtree(folder, ignore_errors=True)

    def writer(self, calls: FaultyCalls) -> StoreWriter:
        return StoreWriter(self.state, calls=calls, lock_timeout_s=0.0)

    def act(self) -> ChangeSet:
        return self.made.changes(
            self.made.edit("a.md", b"A" * 13000),
            self.made.remove("b.md"),
            self.made.remove("l.md"),
            add("new/deep/c.md", b"c" * 6000),
            self.made.edit("MEMORY.md", b"# Index\n- [a](a.md)\n- [c](new/deep/c.md)\n"),
            states=(StateChange("meta.json", {}, {"lastDreamAt": "now"}),),
        )

    def is_clean(self) -> None:
        """Asserts that nothing is left behind, in the store and in the journal."""
        assert temporaries(self.made.project) == []
        assert not (self.made.project / "consolidation.lock").exists()
        if self.state.exists():
            assert [name for name in contents(self.state) if "/." in name or ".new" in name] == []

    def after(self) -> None:
        """Asserts that the act is there whole."""
        assert sorted(self.made.contents()) == [
            "MEMORY.md",
            "a.md",
            "d/",
            "d/x.md",
            "new/",
            "new/deep/",
            "new/deep/c.md",
        ]
        assert self.made.bytes_of("a.md") == b"A" * 13000
        assert self.made.bytes_of("new/deep/c.md") == b"c" * 6000
        assert self.made.bytes_of("MEMORY.md").endswith(b"- [c](new/deep/c.md)\n")
        assert b'"lastDreamAt": "now"' in (self.made.project / "meta.json").read_bytes()

    def is_told(self, error: StoreError) -> None:
        """Asserts that `error` is a sentence that names what is full, and no temporary file."""
        text = str(error)
        assert "no space left on device" in text
        assert text.endswith(".")
        assert "\n" not in text
        assert re.search(r"\.memtui-|\.new|\.json|\.before", text) is None
        assert str(self.top) in text


def rooms(total: int) -> Iterator[int]:
    """From none up, until all goes well: the test breaks off then."""
    yield from range(total)
    raise AssertionError("this much room has to do")


@pytest.mark.parametrize("on_disk", ["both", "store", "state"])
def test_an_act_on_a_full_disk_is_whole_or_not_made(
    disk: Disk, tmp_path: Path, on_disk: str
) -> None:
    counts: Counter[str] = Counter()
    for room in rooms(200):
        home = Home(disk, tmp_path, on_disk, str(room))
        before = home.made.tree()
        with disk.full(room) as calls:
            writer = home.writer(calls)
            try:
                writer.apply([home.act()])
            except StoreError as error:
                home.is_told(error)
                counts["before"] += 1
                assert home.made.tree() == before
                assert writer.log([home.made.store]) == ()
            else:
                counts["after"] += 1
                home.after()
            home.is_clean()
        later = home.writer(FaultyCalls())
        assert later.recover([home.made.store]) == ()
        if home.made.tree() == before:
            later.apply([home.act()])
        home.after()
        assert later.undo([home.made.store]).left == ()
        assert home.made.tree() == before
        home.remove()
        if counts["after"] > 2:
            break
    assert counts["before"] >= 3


@pytest.mark.parametrize("on_disk", ["both", "store", "state"])
def test_an_undo_on_a_full_disk_is_whole_or_not_made(
    disk: Disk, tmp_path: Path, on_disk: str
) -> None:
    counts: Counter[str] = Counter()
    for room in rooms(200):
        home = Home(disk, tmp_path, on_disk, str(room))
        before = home.made.tree()
        act_id = home.writer(FaultyCalls()).apply([home.act()]).group
        with disk.full(room) as calls:
            writer = home.writer(calls)
            try:
                writer.undo([home.made.store])
            except StoreError as error:
                home.is_told(error)
                counts["before"] += 1
                home.after()
                assert [act.id for act in writer.log([home.made.store])] == [act_id]
            else:
                counts["after"] += 1
                assert home.made.tree() == before
            home.is_clean()
        later = home.writer(FaultyCalls())
        assert later.recover([home.made.store]) == ()
        if home.made.tree() != before:
            later.undo([home.made.store])
        assert home.made.tree() == before
        home.remove()
        if counts["after"] > 2:
            break
    assert counts["before"] >= 3


def _dies_before_closing() -> Callable[[str, tuple[Any, ...]], None]:
    is_dead = False

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_dead
        is_dead = is_dead or (name == "replace" and arguments[1].name == "closed.json")
        if is_dead:
            raise Crash

    return watch


@pytest.mark.parametrize("on_disk", ["both", "store", "state"])
def test_what_a_death_left_is_put_back_once_there_is_room(
    disk: Disk, tmp_path: Path, on_disk: str
) -> None:
    """The disk is full at the start as well, which harms nothing."""

    counts: Counter[str] = Counter()
    for room in rooms(60):
        home = Home(disk, tmp_path, on_disk, str(room))
        before = home.made.tree()
        with pytest.raises(Crash):
            home.writer(FaultyCalls(watch=_dies_before_closing())).apply([home.act()])
        with disk.full(room) as calls:
            (found,) = home.writer(calls).recover([home.made.store])
        if found.problem:
            counts["not yet"] += 1
            assert "no space left on device" in found.problem
            for again in home.writer(FaultyCalls()).recover([home.made.store]):
                assert (again.problem, again.left) == ("", ())
        else:
            counts["put back"] += 1
            assert found.restored == (
                "a.md",
                "b.md",
                "l.md",
                "new/deep/c.md",
                "MEMORY.md",
                "meta.json",
            )
        home.is_clean()
        assert home.made.tree() == before
        home.remove()
        if counts["put back"] > 2:
            break
    assert counts["put back"] == 3
