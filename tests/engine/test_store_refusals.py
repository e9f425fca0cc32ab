"""Who may not write: read-only, rights, a full disk, and locks."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.errors import (
    ConflictError,
    LockedError,
    ReadOnlyError,
    StoreError,
)
from memtui.engine.types import ChangeSet, FileChange
from tests.engine.faults import FaultyCalls
from tests.engine.unprivileged import run_without_privileges
from tests.engine.written_store import (
    WrittenStore,
    add,
    contents,
    dead_pid,
)


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    return WrittenStore(
        tmp_path, {"a.md": b"a", "b.md": b"b", "d/c.md": b"c", "MEMORY.md": b"- [a](a.md)\n"}
    )


def test_read_only_refuses_every_act(made: WrittenStore) -> None:
    act = made.writer().apply([made.changes(made.remove("a.md"))])
    before = made.tree()
    writer = made.writer(is_readonly=True)
    for call in (
        lambda: writer.apply([made.changes(add("x.md", b""))]),
        lambda: writer.undo([made.store]),
        lambda: writer.purge([made.store], act.group),
    ):
        with pytest.raises(ReadOnlyError, match="--readonly"):
            call()
    assert (
        writer.refusal(made.store) == "memtui was started with --readonly, so nothing is written."
    )
    assert writer.recover([made.store]) == ()
    assert [each.id for each in writer.log([made.store])] == [act.group]
    assert made.tree() == before


UNPRIVILEGED = """
import sys
from pathlib import Path
from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import MemtuiError
from memtui.engine.types import *
memory, state = map(Path, sys.argv[1:3])
store = Store("user", "qwen", memory)
writer = StoreWriter(state)
print(writer.refusal(store))
try:
    writer.apply([ChangeSet(store, "x", (FileChange("a.md", b"a", None, ""),))])
except MemtuiError as error:
    print(type(error).__name__, error.exit_code, error)
"""


def test_a_directory_without_the_right_to_write_refuses(made: WrittenStore) -> None:
    made.memory.chmod(0o555)
    output = run_without_privileges(UNPRIVILEGED, str(made.memory), str(made.state))
    made.memory.chmod(0o755)
    assert output.splitlines() == [
        f"{made.memory} may not be written by your user; give it the right to write there.",
        f"ReadOnlyError 3 Nothing was written: permission denied ({made.memory / 'a.md'}).",
    ]
    assert made.bytes_of("a.md") == b"a"


def test_a_state_directory_without_the_right_to_write_refuses(made: WrittenStore) -> None:
    made.top.joinpath("locked").mkdir(0o555)
    state_dir = made.top / "locked/state"
    output = run_without_privileges(UNPRIVILEGED, str(made.memory), str(state_dir))
    assert output.splitlines()[1].startswith(
        f"ReadOnlyError 3 memtui's own directory {state_dir} cannot be written to"
    )
    assert made.bytes_of("a.md") == b"a"


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.EROFS, ReadOnlyError), (errno.EACCES, ReadOnlyError), (errno.ENOSPC, StoreError)],
)
def test_what_the_system_says_is_told(
    made: WrittenStore, number: int, error: type[Exception]
) -> None:
    writer = made.writer(calls=FaultyCalls(0, number, persists=True))
    with pytest.raises(error, match=r"^Nothing was written: .*\(.*\)\.$"):
        writer.apply([made.changes(made.remove("a.md"))])


def test_a_missing_store_can_be_written_and_a_file_in_its_place_cannot(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    made.memory.rmdir()
    assert made.writer().refusal(made.store) is None
    made.memory.write_bytes(b"")
    assert "is not a directory" in (made.writer().refusal(made.store) or "")
    made.memory.unlink()
    made.memory.symlink_to("nowhere")
    assert "leads nowhere" in (made.writer().refusal(made.store) or "")
    assert not made.state.exists()


# Locks


def test_two_writers_wait_for_each_other_and_name_the_holder(made: WrittenStore) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "a.md":
            entered.set()
            assert go_on.wait(20)

    slow = made.writer(calls=FaultyCalls(watch=watch))
    thread = threading.Thread(target=slow.apply, args=([made.changes(made.remove("a.md"))],))
    thread.start()
    try:
        assert entered.wait(20)
        other = made.writer(lock_timeout_s=0.05)
        match = rf"Another memtui \(PID {os.getpid()}\) has been writing .* since \d\d:\d\d:\d\d"
        with pytest.raises(LockedError, match=match):
            other.apply([made.changes(made.remove("b.md"))])
        refusal = other.refusal(made.store)
        assert refusal is not None
        assert refusal.startswith(f"Another memtui (PID {os.getpid()})")
        assert other.recover([made.store]) == ()
    finally:
        go_on.set()
        thread.join()
    assert other.refusal(made.store) is None
    other.apply([made.changes(made.remove("b.md"))])
    assert sorted(made.contents()) == ["MEMORY.md", "d/", "d/c.md"]


def test_the_lock_of_the_agent_is_held_meanwhile_and_released(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    seen = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "a.md":
            seen.append(lock.read_bytes())

    writer = made.writer(calls=FaultyCalls(watch=watch))
    writer.apply([made.changes(made.remove("a.md"))])
    assert seen == [str(os.getpid()).encode()]
    assert not lock.exists()


def test_a_live_lock_of_an_agent_refuses(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    lock.write_bytes(b"1")
    with pytest.raises(LockedError, match=r"held by PID 1\b.* since 0 s"):
        made.writer(lock_timeout_s=0.0).apply([made.changes(made.remove("a.md"))])
    assert "held by PID 1" in (made.writer().refusal(made.store) or "")
    assert (lock.read_bytes(), made.bytes_of("a.md")) == (b"1", b"a")


def test_a_stale_lock_goes_only_where_that_is_asked(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    lock.write_bytes(str(dead_pid()).encode())
    writer = made.writer()
    with pytest.raises(LockedError, match=r"is a stale lock.*--break-stale-lock"):
        writer.apply([made.changes(made.remove("a.md"))])
    assert "is a stale lock" in (writer.refusal(made.store) or "")
    assert lock.exists()
    applied = writer.apply([made.changes(made.remove("a.md"))], break_stale=True)
    assert [(each.state, each.path) for each in applied.cleared] == [("stale", lock)]
    assert not lock.exists()


def test_a_lock_in_a_claude_store_refuses_and_none_is_made(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a", "b.md": b"b"}, agent="claude")
    made.writer().apply([made.changes(made.remove("a.md"))])
    assert contents(made.project) == {"memory/": "dir", "memory/b.md": b"b"}
    (made.memory / ".consolidate-lock").write_bytes(b"1")
    with pytest.raises(LockedError, match="held by PID 1"):
        made.writer(lock_timeout_s=0.0).apply([made.changes(made.remove("b.md"))])


def test_a_failed_act_on_a_new_project_leaves_no_folder(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    shutil.rmtree(made.project)
    act = ChangeSet(made.store, "x", (FileChange("a.md", b"was", None, ""), add("b.md", b"")))
    with pytest.raises(ConflictError):
        made.writer().apply([act])
    assert not made.project.exists()


READER = """
import sys
from pathlib import Path
path, end = map(Path, sys.argv[1:3])
seen = set()
print("ready", flush=True)
while not end.exists():
    raw = path.read_bytes()
    seen.add((len(raw), len(set(raw))))
print(sorted(seen))
"""


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a" * 200_000})
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(made.memory / "a.md"), str(tmp_path / "end")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    writer = made.writer()
    for _ in range(20):
        writer.apply([made.changes(made.edit("a.md", b"b" * 300_000))])
        writer.undo([made.store])
    (tmp_path / "end").touch()
    output, _ = reader.communicate(timeout=30)
    assert set(json.loads(output.replace("(", "[").replace(")", "]"))[0]) <= {200_000, 300_000, 1}
    assert output.strip() in (
        "[(200000, 1), (300000, 1)]",
        "[(200000, 1)]",
        "[(300000, 1)]",
    )
