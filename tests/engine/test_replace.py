"""Files that come into being whole, and places that never lead out."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from memtui.engine.disk.calls import SYSTEM
from memtui.engine.disk.places import locate, look, real_root
from memtui.engine.disk.replace import (
    TEMPORARY,
    keep_aside,
    make_folders,
    put_new,
    sync_folder,
    temporary_name,
    write_new,
)
from memtui.engine.errors import ReadOnlyError
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import OLD_NS, contents


def test_a_temporary_name_tells_its_process_and_is_no_topic_file() -> None:
    name = temporary_name()
    match = TEMPORARY.match(name)
    assert match is not None
    assert int(match[1]) == os.getpid()
    assert name != temporary_name()
    assert not name.endswith(".md")


def test_write_new_sets_all_that_belongs_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_new(SYSTEM, path, b"x" * 70_000, mode=0o604, mtime_ns=OLD_NS)
    status = path.stat()
    assert path.read_bytes() == b"x" * 70_000
    assert stat.S_IMODE(status.st_mode) == 0o604
    assert status.st_mtime_ns == OLD_NS


def test_write_new_follows_the_umask_where_no_mode_is_given(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_new(SYSTEM, tmp_path / "a", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_write_new_takes_nothing_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "l").symlink_to("nowhere")
    for name in ("a", "l"):
        with pytest.raises(FileExistsError):
            write_new(SYSTEM, tmp_path / name, b"new")
    assert contents(tmp_path) == {"a": b"old", "l": "nowhere"}


def test_short_writes_are_gone_on_with(tmp_path: Path) -> None:
    class Slow(FaultyCalls):
        def write(self, descriptor: int, data: bytes) -> int:
            return os.write(descriptor, data[:3])

    write_new(Slow(), tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize("at", range(5))
def test_write_new_leaves_nothing_where_a_call_fails(tmp_path: Path, at: int) -> None:
    calls = FaultyCalls(at, errno.ENOSPC)
    with pytest.raises(OSError, match="No space"):
        write_new(calls, tmp_path / "a", b"x", mode=0o600, mtime_ns=OLD_NS)
    assert calls.failed == [["open", "write", "chmod", "utime", "fsync"][at]]
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("number", [None, errno.EPERM])
def test_put_new_never_takes_a_name(tmp_path: Path, number: int | None) -> None:
    """Also where there are no hard links."""
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")

    class NoLinks(FaultyCalls):
        def link(self, source: Path, target: Path) -> None:
            if number is not None:
                raise OSError(number, "no links")
            super().link(source, target)

    with pytest.raises(FileExistsError):
        put_new(NoLinks(), tmp_path / "new", tmp_path / "old")
    assert contents(tmp_path) == {"new": b"new", "old": b"old"}
    put_new(NoLinks(), tmp_path / "new", tmp_path / "free")
    assert contents(tmp_path) == {"free": b"new", "old": b"old"}


def test_keep_aside_tells_where_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    assert keep_aside(SYSTEM, tmp_path / "a", tmp_path / "b") is True
    assert (tmp_path / "b").samefile(tmp_path / "a")
    assert keep_aside(FaultyCalls(0, errno.EMLINK), tmp_path / "a", tmp_path / "c") is False
    with pytest.raises(OSError, match="No space"):
        keep_aside(FaultyCalls(0, errno.ENOSPC), tmp_path / "a", tmp_path / "c")


def test_make_folders_tells_what_it_made(tmp_path: Path) -> None:
    made: list[Path] = []
    make_folders(SYSTEM, tmp_path / "a/b", made)
    make_folders(SYSTEM, tmp_path / "a/b/c", made)
    assert made == [tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/c"]
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileExistsError):
        make_folders(SYSTEM, tmp_path / "file", made)


def test_a_folder_that_cannot_be_synced_is_no_error_where_none_can(tmp_path: Path) -> None:
    sync_folder(FaultyCalls(1, errno.EINVAL), tmp_path)
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(FaultyCalls(1, errno.EIO), tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../out.md",
        "a/../../out.md",
        "a/..",
        "a//b.md",
        "./a.md",
        "a/",
        "..",
        "a\0.md",
        "/".join("d" * 65),
    ],
)
def test_a_path_that_names_no_file_inside_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ReadOnlyError, match="is no path of a file in a store"):
        locate(real_root(tmp_path), path)


def test_links_are_followed_inside_alone(tmp_path: Path) -> None:
    store, out = tmp_path / "store", tmp_path / "out"
    (store / "real").mkdir(parents=True)
    out.mkdir()
    (store / "real/a.md").write_bytes(b"a")
    (out / "o.md").write_bytes(b"o")
    (store / "inner").symlink_to("real")
    (store / "outer").symlink_to("../out")
    (store / "in.md").symlink_to("inner/a.md")
    (store / "out.md").symlink_to(out / "o.md")
    (store / "hop.md").symlink_to("out.md")
    (tmp_path / "root").symlink_to("store")
    root = real_root(tmp_path / "root")
    assert root == store
    assert locate(root, "inner/a.md").target == store / "real/a.md"
    assert locate(root, "inner/new/b.md").entry == store / "real/new/b.md"
    with pytest.raises(ReadOnlyError, match="leads out of the store"):
        locate(root, "outer/o.md")
    place = locate(root, "in.md")
    assert (place.entry, place.target) == (store / "in.md", store / "real/a.md")
    assert place.is_inside
    for name in ("out.md", "hop.md"):
        assert not locate(root, name).is_inside
        seen = look(locate(root, name))
        assert seen is not None
        assert seen.content == b"o"


def test_look_tells_what_is_there(tmp_path: Path) -> None:
    root = real_root(tmp_path)
    assert look(locate(root, "a.md")) is None
    (root / "f").write_bytes(b"")
    assert look(locate(root, "f/a.md")) is None
    (root / "dangling.md").symlink_to("nowhere")
    (root / "ring.md").symlink_to("ring.md")
    for name, link in (("dangling.md", "nowhere"), ("ring.md", "ring.md")):
        seen = look(locate(root, name))
        assert seen is not None
        assert (seen.content, seen.link) == (b"", link)
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    for name in ("folder.md", "pipe.md"):
        with pytest.raises(ReadOnlyError, match="is no regular file"):
            look(locate(root, name))
    with (root / "big.md").open("wb") as file:
        file.truncate(32_000_001)
    with pytest.raises(ReadOnlyError, match="more than 32 MB"):
        look(locate(root, "big.md"))
