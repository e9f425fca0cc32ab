"""A second scan reads what changed, and only that."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.files import read_file
from memtui.engine.disk.scan import SETTLED_NS, Scanner
from memtui.engine.types import Snapshot, Store

TOPIC = b"---\nname: One\ndescription: first\ntype: user\n---\n\nBody.\n"


class Clock:
    """A clock that is as far ahead of each change as a test says; one minute at first."""

    def __init__(self, file_or_folder: Path) -> None:
        self._last_change_ns = file_or_folder.stat().st_ctime_ns
        self.ahead_ns = 60 * 10**9

    def __call__(self) -> int:
        return self._last_change_ns + self.ahead_ns


def store_of(memory_dir: Path) -> Store:
    return Store(scope="project", agent="none", memory_dir=memory_dir)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read, in order."""
    names: list[str] = []

    def count(path: str, size_bytes: int) -> bytes:
        names.append(Path(path).name)
        return read_file(path, size_bytes)

    monkeypatch.setattr("memtui.engine.disk.scan.read_file", count)
    return names


def test_an_unchanged_store_gives_the_same_snapshot_without_a_read(
    tmp_path: Path, reads: list[str]
) -> None:
    (tmp_path / "a.md").write_bytes(TOPIC)
    (tmp_path / "MEMORY.md").write_bytes(b"- [a](a.md)")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "bad.md").symlink_to("gone.md")
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    assert sorted(reads) == ["MEMORY.md", "a.md", "link.md"]
    reads.clear()
    assert scanner.scan(store) is first
    assert reads == []


def test_a_change_keeps_the_other_documents(tmp_path: Path, reads: list[str]) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_bytes(TOPIC)
        os.utime(tmp_path / name, (1_000, 1_000))
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    reads.clear()
    (tmp_path / "b.md").write_bytes(TOPIC + b"More.\n")
    os.utime(tmp_path / "b.md", (2_000, 2_000))
    second = scanner.scan(store)
    assert reads == ["b.md"]
    assert [document.path for document in second.documents] == ["b.md", "a.md", "c.md"]
    assert second.documents[1] is first.documents[0]
    assert second.documents[2] is first.documents[2]
    assert second.documents[0].raw == TOPIC + b"More.\n"


def test_a_kept_mtime_and_size_do_not_hide_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    os.utime(file, (1_000, 1_000))
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    scanner.scan(store)
    with file.open("r+b") as handle:
        handle.write(TOPIC.replace(b"One", b"Two"))
    os.utime(file, (1_000, 1_000))
    (document,) = scanner.scan(store).documents
    assert (document.name, document.mtime_ns) == ("Two", 1_000 * 10**9)


def test_a_reused_inode_with_kept_mtime_and_size_does_not_hide_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    file.write_bytes(TOPIC)
    os.utime(file, (1_000, 1_000))
    scanner.scan(store)
    inode = file.stat().st_ino
    names = []
    for number in range(200):
        text = TOPIC.replace(b"One", b"%03d" % number)
        file.unlink()
        file.write_bytes(text)
        os.utime(file, (1_000, 1_000))
        names.append(scanner.scan(store).documents[0].name)
        if file.stat().st_ino == inode and number >= 5:
            break
    assert names == [f"{number:03d}" for number in range(len(names))]


class StatedEntry:
    """A directory entry whose file looks as a test says."""

    def __init__(self, entry: os.DirEntry[str], stated: os.stat_result | OSError) -> None:
        self.name, self.path = entry.name, entry.path
        self.is_symlink, self.is_dir = entry.is_symlink, entry.is_dir
        self._stated = stated

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        if isinstance(self._stated, OSError):
            raise self._stated
        return self._stated


class Stated:
    """What every file looks like from now on."""

    def __init__(self, status: os.stat_result) -> None:
        self.status: os.stat_result | OSError = status

    @contextmanager
    def scandir(self, folder: str) -> Iterator[list[StatedEntry]]:
        with _scandir(folder) as entries:
            yield [StatedEntry(entry, self.status) for entry in entries]


_scandir = os.scandir


def state_all(monkeypatch: pytest.MonkeyPatch, status: os.stat_result) -> Stated:
    stated = Stated(status)
    monkeypatch.setattr("memtui.engine.disk.scan.os.scandir", stated.scandir)
    return stated


def status_with(status: os.stat_result, **changes: int) -> os.stat_result:
    """The same status but for the fields named."""
    names = (
        *("st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size"),
        *("st_atime", "st_mtime", "st_ctime"),
    )
    values = [changes.get(name, getattr(status, name)) for name in names]
    nanoseconds = {
        name: changes.get(name, getattr(status, name)) for name in ("st_mtime_ns", "st_ctime_ns")
    }
    return os.stat_result(values, nanoseconds)


@pytest.mark.parametrize("field", ["st_mtime_ns", "st_ctime_ns", "st_size", "st_ino", "st_dev"])
def test_any_part_of_the_key_alone_tells_of_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    status = file.stat()
    stated = state_all(monkeypatch, status)
    scanner, store = Scanner(Clock(file)), store_of(tmp_path)
    first = scanner.scan(store)
    file.write_bytes(TOPIC.replace(b"One", b"Two"))
    stated.status = status_with(status)
    assert scanner.scan(store) is first
    stated.status = status_with(status, **{field: getattr(status, field) - 1})
    assert scanner.scan(store).documents[0].name == "Two"


def test_a_link_and_a_file_with_one_key_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(TOPIC)
    link = tmp_path / "link.md"
    link.symlink_to("a.txt")
    state_all(monkeypatch, (tmp_path / "a.txt").stat())
    scanner, store = Scanner(Clock(link)), store_of(tmp_path)
    assert [document.link for document in scanner.scan(store).documents] == ["a.txt"]
    link.unlink()
    link.symlink_to("b.txt")
    assert [document.link for document in scanner.scan(store).documents] == ["b.txt"]
    link.unlink()
    link.write_bytes(TOPIC)
    assert [document.link for document in scanner.scan(store).documents] == [None]


@pytest.mark.parametrize(
    ("number", "rules"),
    [(errno.ENOENT, []), (errno.ENOTDIR, []), (errno.EIO, ["unreadable"])],
)
def test_a_file_that_cannot_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, rules: list[str]
) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    stated = state_all(monkeypatch, file.stat())
    scanner, store = Scanner(Clock(file)), store_of(tmp_path)
    scanner.scan(store)
    stated.status = OSError(number, os.strerror(number))
    for one in (scanner, Scanner()):
        after = one.scan(store)
        assert (after.state, after.documents) == ("ok", ())
        assert [problem.rule for problem in after.problems] == rules


@pytest.mark.parametrize(
    ("age_ns", "name"),
    [(-1, "Two"), (0, "Two"), (SETTLED_NS - 1, "Two"), (SETTLED_NS, "One")],
)
def test_two_edits_of_one_size_and_one_time_are_both_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_ns: int, name: str
) -> None:
    """The file system gave both writes the same times, so only a second read can tell.

    Once a file was two seconds old when it was read, equal times mean equal bytes.
    """
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    state_all(monkeypatch, file.stat())
    clock = Clock(file)
    clock.ahead_ns = age_ns
    scanner, store = Scanner(clock), store_of(tmp_path)
    first = scanner.scan(store)
    assert scanner.scan(store) is first
    file.write_bytes(TOPIC.replace(b"One", b"Two"))
    clock.ahead_ns = 60 * 10**9
    assert scanner.scan(store).documents[0].name == name


def test_a_young_file_is_read_again_until_it_has_settled(tmp_path: Path, reads: list[str]) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    clock = Clock(file)
    scanner, store = Scanner(clock), store_of(tmp_path)
    snapshots = []
    for clock.ahead_ns in (0, SETTLED_NS - 1, SETTLED_NS, SETTLED_NS + 1):
        snapshots.append(scanner.scan(store))
    assert reads == ["a.md"] * 3
    assert all(snapshot is snapshots[0] for snapshot in snapshots)


def test_a_young_ctime_is_enough_to_read_again(tmp_path: Path, reads: list[str]) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    os.utime(file, (1_000, 1_000))
    clock = Clock(file)
    scanner, store = Scanner(clock), store_of(tmp_path)
    for clock.ahead_ns in (0, SETTLED_NS, SETTLED_NS):
        scanner.scan(store)
    assert reads == ["a.md", "a.md"]


def test_a_store_that_comes_back_gives_the_same_documents(tmp_path: Path, reads: list[str]) -> None:
    memory, away = tmp_path / "memory", tmp_path / "away"
    memory.mkdir()
    (memory / "a.md").write_bytes(TOPIC)
    scanner, store = Scanner(Clock(memory)), store_of(memory)
    first = scanner.scan(store)
    memory.rename(away)
    assert (scanner.scan(store).state, scanner.scan(store).documents) == ("missing", ())
    away.rename(memory)
    back = scanner.scan(store)
    assert (back.state, back.documents, reads) == ("ok", first.documents, ["a.md"])


def test_a_future_mtime_is_never_trusted(tmp_path: Path, reads: list[str]) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(TOPIC)
    os.utime(file, (4_000_000_000, 4_000_000_000))
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    assert scanner.scan(store) is first
    assert reads == ["a.md", "a.md"]


def test_a_touch_gives_a_new_document_and_a_new_order(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(TOPIC)
        os.utime(tmp_path / name, (1_000, 1_000))
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    os.utime(tmp_path / "b.md", (2_000, 2_000))
    second = scanner.scan(store)
    assert [document.path for document in first.documents] == ["a.md", "b.md"]
    assert [document.path for document in second.documents] == ["b.md", "a.md"]
    assert second.documents[1] is first.documents[0]


def test_a_change_of_mode_alone_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(TOPIC)
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    (tmp_path / "a.md").chmod(0o600)
    assert scanner.scan(store) is first


def test_an_index_that_changes_gives_a_new_snapshot_with_the_same_documents(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_bytes(TOPIC)
    (tmp_path / "MEMORY.md").write_bytes(b"old")
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    (tmp_path / "MEMORY.md").write_bytes(b"new")
    second = scanner.scan(store)
    assert (first.index, second.index) == (b"old", b"new")
    assert second.documents[0] is first.documents[0]
    (tmp_path / "MEMORY.md").unlink()
    assert scanner.scan(store).index is None


def test_a_link_that_is_pointed_elsewhere_is_read_again(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(TOPIC)
        os.utime(tmp_path / name, (1_000, 1_000))
    link = tmp_path / "link.md"
    link.symlink_to("a.txt")
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    assert [document.link for document in scanner.scan(store).documents] == ["a.txt"]
    link.unlink()
    link.symlink_to("b.txt")
    assert [document.link for document in scanner.scan(store).documents] == ["b.txt"]
    link.unlink()
    os.link(tmp_path / "b.txt", link)
    assert [document.link for document in scanner.scan(store).documents] == [None]


def test_a_link_whose_target_changes_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TOPIC)
    (tmp_path / "link.md").symlink_to("a.txt")
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    scanner.scan(store)
    (tmp_path / "a.txt").write_bytes(TOPIC.replace(b"One", b"Two"))
    assert [document.name for document in scanner.scan(store).documents] == ["Two"]
    (tmp_path / "a.txt").unlink()
    after = scanner.scan(store)
    assert after.documents == ()
    assert [problem.rule for problem in after.problems] == ["dangling-link"]


def test_a_problem_that_comes_or_goes_gives_a_new_snapshot(tmp_path: Path) -> None:
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    first = scanner.scan(store)
    (tmp_path / "x.md").mkdir()
    second = scanner.scan(store)
    assert (len(first.problems), len(second.problems)) == (0, 1)
    assert scanner.scan(store) is second
    (tmp_path / "x.md").rmdir()
    assert scanner.scan(store).problems == ()


def test_threads_that_scan_at_once_get_one_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_bytes(TOPIC)
    reads: list[str] = []

    def read_slowly(path: str, size_bytes: int) -> bytes:
        reads.append(Path(path).name)
        time.sleep(0.02)
        return read_file(path, size_bytes)

    monkeypatch.setattr("memtui.engine.disk.scan.read_file", read_slowly)
    scanner, store = Scanner(Clock(tmp_path)), store_of(tmp_path)
    with ThreadPoolExecutor(6) as pool:
        results: list[Snapshot] = list(pool.map(scanner.scan, [store] * 6))
    assert sorted(reads) == ["a.md", "b.md", "c.md"]
    assert all(snapshot is results[0] for snapshot in results)


NAMES = ("a.md", "b.md", "MEMORY.md", "sub/a.md", "sub/MEMORY.md", "sub/deep/c.MD", "note.txt")
TEXTS = (TOPIC, TOPIC.replace(b"One", b"Two"), b"plain\n", b"")
EDITS = st.lists(
    st.tuples(
        st.sampled_from(("write", "rewrite", "touch", "remove", "move", "link", "folder")),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(TEXTS),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=14,
)


def apply_edit(root: Path, kind: str, name: str, other: str, text: bytes, mtime_s: int) -> None:
    """One change of the tree; what the tree does not allow is left out."""
    file, second = root / name, root / other
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        second.parent.mkdir(parents=True, exist_ok=True)
        if kind == "write":
            file.unlink(missing_ok=True)
            file.write_bytes(text)
            os.utime(file, (mtime_s, mtime_s))
        elif kind == "rewrite":
            with file.open("r+b") as handle:
                handle.write(text)
            os.utime(file, (mtime_s, mtime_s))
        elif kind == "touch":
            os.utime(file, (mtime_s, mtime_s))
        elif kind == "remove":
            file.unlink()
        elif kind == "move":
            file.replace(second)
        elif kind == "link":
            file.unlink(missing_ok=True)
            file.symlink_to(second)
        elif file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)
            file.mkdir()
    except OSError:
        return


def content(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        [(d.path, d.raw, d.mtime_ns, d.link, d.name) for d in snapshot.documents],
        dict(snapshot.indexes),
        snapshot.problems,
        snapshot.state,
    )


@given(edits=EDITS)
def test_after_any_edits_a_scanner_says_what_a_fresh_one_says(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str, bytes, int, bool]]
) -> None:
    root = tmp_path_factory.mktemp("store")
    scanner, store = Scanner(), store_of(root)
    before = scanner.scan(store)
    for kind, name, other, text, mtime_s, look in edits:
        apply_edit(root, kind, name, other, text, mtime_s)
        if look:
            after = scanner.scan(store)
            fresh = Scanner().scan(store)
            assert content(after) == content(fresh)
            assert (after is before) == (content(after) == content(before))
            before = after
    assert content(scanner.scan(store)) == content(Scanner().scan(store))
