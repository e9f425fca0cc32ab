"""What a start does about a memtui that died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.errors import MemtuiError, StoreError
from memtui.engine.types import ChangeSet, StateChange
from tests.engine.faults import Crash, FaultyCalls
from tests.engine.written_store import OLD_NS, WrittenStore, add, contents, dead_pid, temporaries


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    made = WrittenStore(tmp_path, {"a.md": b"a", "b.md": b"b", "d/c.md": b"c"})
    (made.project / "meta.json").write_bytes(b'{\n  "k": 1\n}\n')
    return made


def act(made: WrittenStore) -> ChangeSet:
    return made.changes(
        made.edit("a.md", b"A"),
        made.remove("b.md"),
        add("n/e.md", b"e"),
        states=(StateChange("meta.json", {"k": 1}, {"k": 2}),),
    )


def die(made: WrittenStore, call: str = "replace", name: str = "closed.json") -> None:
    """Apply `act` in a memtui that ends right before `call` on a file called `name`."""
    is_dead = False

    def watch(called: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_dead
        names = [each.name for each in arguments if isinstance(each, Path)]
        is_dead = is_dead or (called == call and name in names)
        if is_dead:
            raise Crash

    with pytest.raises(Crash):
        made.writer(calls=FaultyCalls(watch=watch)).apply([act(made)])


def test_an_act_that_was_not_closed_is_put_back(made: WrittenStore) -> None:
    before = made.tree()
    die(made)
    assert made.bytes_of("a.md") == b"A"
    assert not (made.memory / "b.md").exists()
    assert len(temporaries(made.project)) == 3
    (found,) = made.writer().recover([made.store])
    assert made.tree() == before
    assert found.restored == ("a.md", "b.md", "n/e.md", "meta.json")
    assert (found.left, found.problem) == ((), "")
    assert found.entry is not None
    assert (found.entry.operation, found.entry.status) == ("forget", "rolled-back")
    assert made.writer().recover([made.store]) == ()
    assert made.writer().log([made.store]) == ()


def test_a_delete_that_was_half_renamed_is_restored(made: WrittenStore) -> None:
    before = made.tree()
    die(made, "link", "e.md")
    assert not (made.memory / "b.md").exists()
    made.writer().recover([made.store])
    assert made.tree() == before


def test_a_delete_whose_aside_was_cleaned_away_comes_from_the_journal(made: WrittenStore) -> None:
    (made.memory / "b.md").chmod(0o640)
    before = made.tree()
    die(made)
    for name in temporaries(made.project):
        (made.project / name).unlink()
    made.writer().recover([made.store])
    assert made.tree() == before


def test_an_act_that_was_closed_stands_and_is_cleaned(made: WrittenStore) -> None:
    before = made.tree()
    is_dead = False

    def watch(called: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_dead
        is_dead = is_dead or (called == "unlink" and arguments[0].suffix == ".tmp")
        if is_dead:
            raise Crash

    with pytest.raises(Crash):
        made.writer(calls=FaultyCalls(watch=watch)).apply([made.changes(made.edit("a.md", b"A"))])
    assert len(temporaries(made.project)) == 1
    assert made.writer().recover([made.store]) == ()
    assert temporaries(made.project) == []
    assert made.bytes_of("a.md") == b"A"
    assert made.writer().undo([made.store]).restored == ("a.md",)
    assert made.tree() == before


def test_keys_of_a_state_file_go_back_beside_what_was_written_since(made: WrittenStore) -> None:
    die(made)
    (made.project / "meta.json").write_bytes(b'{"k": 2, "theirs": 1.50}')
    (found,) = made.writer().recover([made.store])
    assert found.left == ()
    assert (made.project / "meta.json").read_bytes() == b'{\n  "k": 1,\n  "theirs": 1.50\n}\n'


def test_readonly_recovers_nothing(made: WrittenStore) -> None:
    die(made)
    after = made.tree()
    assert made.writer(is_readonly=True).recover([made.store]) == ()
    assert made.tree() == after
    assert len(made.writer().recover([made.store])) == 1


def test_a_store_with_nothing_to_recover_gets_no_state(made: WrittenStore) -> None:
    before = made.tree()
    assert made.writer().recover([made.store]) == ()
    assert not made.state.exists()
    assert made.tree() == before


def test_what_others_changed_after_the_crash_is_left_and_told(made: WrittenStore) -> None:
    die(made)
    made.put("a.md", b"theirs")
    made.put("b.md", b"another")
    made.put("n/e.md", b"grown")
    (made.project / "meta.json").write_bytes(b'{"k": 3}')
    (found,) = made.writer().recover([made.store])
    assert made.contents() == {
        "a.md": b"theirs",
        "b.md": b"another",
        "d/": "dir",
        "d/c.md": b"c",
        "n/": "dir",
        "n/e.md": b"grown",
    }
    assert (made.project / "meta.json").read_bytes() == b'{"k": 3}'
    assert found.restored == ()
    assert [left.path for left in found.left] == ["a.md", "b.md", "n/e.md", "meta.json"]
    assert temporaries(made.project) == []
    (logged,) = made.writer().log([made.store])
    assert logged.entries[0].left == found.left
    images = {path.read_bytes() for path in made.state.rglob("*.before")}
    assert {b"a", b"b"} <= images


def test_a_file_that_changes_while_it_is_put_back_is_left(made: WrittenStore) -> None:
    die(made)

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "n/e.md":
            made.put("n/e.md", b"theirs")

    (found,) = made.writer(calls=FaultyCalls(watch=watch)).recover([made.store])
    assert [left.path for left in found.left] == ["n/e.md"]
    assert made.bytes_of("n/e.md") == b"theirs"
    assert temporaries(made.project) == []


def test_a_store_that_is_gone_is_not_made_again(made: WrittenStore, tmp_path: Path) -> None:
    die(made)
    made.memory.rename(tmp_path / "away")
    (found,) = made.writer().recover([made.store])
    assert not made.memory.exists()
    assert {left.path for left in found.left} == {"a.md", "b.md"}


def test_a_folder_that_became_a_link_is_left(made: WrittenStore, tmp_path: Path) -> None:
    die(made)
    (made.memory / "n").rename(tmp_path / "out")
    (made.memory / "n").symlink_to(tmp_path / "out")
    (found,) = made.writer().recover([made.store])
    assert [(left.path, left.reason) for left in found.left] == [
        ("n/e.md", "Its folder has become a link.")
    ]
    assert contents(tmp_path / "out") == {"e.md": b"e"}
    assert made.bytes_of("a.md") == b"a"


def test_an_act_after_a_crash_recovers_first(made: WrittenStore) -> None:
    before = made.tree()
    writer = made.writer()
    die(made)
    applied = writer.apply([made.changes(add("x.md", b"x"))])
    assert [found.restored for found in applied.recovered] == [
        ("a.md", "b.md", "n/e.md", "meta.json")
    ]
    writer.undo([made.store])
    assert made.tree() == before


def test_while_an_act_cannot_be_put_back_nothing_else_is_done(made: WrittenStore) -> None:
    before = made.tree()
    die(made)
    stuck = made.tree()
    faulty = made.writer(calls=FaultyCalls(0, persists=True))
    (found,) = faulty.recover([made.store])
    assert "was not finished and cannot be put back now (input/output error)" in found.problem
    with pytest.raises(StoreError, match="was not finished and cannot be put back now"):
        faulty.apply([made.changes(add("x.md", b""))])
    assert made.tree() == stuck
    made.writer().recover([made.store])
    assert made.tree() == before


def test_a_recovery_that_dies_itself_is_gone_on_with(made: WrittenStore, tmp_path: Path) -> None:
    die(made)
    counted = FaultyCalls()
    made.writer(calls=counted).recover([made.store])
    for at in range(counted.count):
        other = WrittenStore(tmp_path / str(at), {"a.md": b"a", "b.md": b"b", "d/c.md": b"c"})
        (other.project / "meta.json").write_bytes(b'{\n  "k": 1\n}\n')
        before = other.tree()
        die(other)
        with suppress(Crash):
            other.writer(calls=FaultyCalls(at, Crash, persists=True)).recover([other.store])
        assert all(found.problem == "" for found in other.writer().recover([other.store]))
        assert other.tree() == before
        assert temporaries(other.project, other.state) == []


def test_an_entry_that_cannot_be_read_is_told_and_hinders_nothing(made: WrittenStore) -> None:
    die(made)
    (intent,) = made.state.rglob("intent.json")
    intent.write_bytes(b"{")
    (found,) = made.writer().recover([made.store])
    assert str(intent.parent) in found.problem
    made.writer().apply([made.changes(add("x.md", b""))])


# Leftovers


def test_temporary_files_of_dead_processes_go(made: WrittenStore) -> None:
    dead = dead_pid()
    lock = made.project / f".memtui-{dead}-0a.tmp"
    lock.write_bytes(str(dead).encode())
    empty = made.memory / f"d/.memtui-{dead}-0b.tmp"
    empty.write_bytes(b"")
    ours = made.memory / f".memtui-{os.getpid()}-0c.tmp"
    ours.write_bytes(b"")
    young = made.memory / f".memtui-{dead}-0d.tmp"
    young.write_bytes(b"bytes that no journal knows")
    (found,) = made.writer().recover([made.store])
    assert (found.swept, found.entry) == (2, None)
    assert sorted(temporaries(made.project)) == [
        f"memory/{name}" for name in sorted((ours.name, young.name))
    ]


def test_unknown_temporary_files_go_after_an_hour(
    made: WrittenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made.memory / f".memtui-{dead_pid()}-0d.tmp"
    path.write_bytes(b"bytes that no journal knows")
    now_s = time.time()
    monkeypatch.setattr("memtui.engine.disk.recovery.time.time", lambda: now_s + 3601)
    assert made.writer().recover([made.store])[0].swept == 1
    assert not path.exists()


# Locks


def child(made: WrittenStore, where: str) -> int:
    """A memtui in a process of its own that kills itself before the call `where`; its PID."""
    code = f"""
import os, signal, sys
from pathlib import Path
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import WrittenStore
from tests.engine.test_store_recovery import act
made = WrittenStore(Path(sys.argv[1]))
def watch(name, arguments):
    if {where}:
        os.kill(os.getpid(), signal.SIGKILL)
made.writer(calls=FaultyCalls(watch=watch)).apply([act(made)])
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(made.top)])
    assert process.wait(timeout=60) == -signal.SIGKILL
    return process.pid


@pytest.mark.parametrize(
    "where",
    [
        "name == 'replace' and arguments[0].name == 'closed.json.new'",
        "name == 'mkdir' and arguments[0].name.startswith('.new-')",
    ],
    ids=["in the middle", "before the journal"],
)
def test_the_lock_of_a_killed_memtui_is_cleared_unasked(made: WrittenStore, where: str) -> None:
    before = made.tree()
    pid = child(made, where)
    lock = made.project / "consolidation.lock"
    assert lock.read_bytes() == str(pid).encode()
    assert made.writer().refusal(made.store) is None
    found = made.writer().recover([made.store])
    assert [each.cleared.pid for each in found if each.cleared is not None] == [pid]
    assert made.tree() == before
    assert made.writer().recover([made.store]) == ()


def test_an_act_clears_the_lock_of_a_killed_memtui_too(made: WrittenStore) -> None:
    child(made, "name == 'replace' and arguments[0].name == 'closed.json.new'")
    applied = made.writer().apply([made.changes(add("x.md", b"x"))])
    assert made.bytes_of("a.md") == b"a"
    assert [found.cleared is not None for found in applied.recovered] == [False, True]


def test_a_stale_lock_of_another_stays(made: WrittenStore) -> None:
    die(made)
    lock = made.project / "consolidation.lock"
    lock.write_bytes(str(dead_pid()).encode())
    (found,) = made.writer().recover([made.store])
    assert "is a stale lock" in found.problem
    assert lock.exists()
    lock.unlink()
    assert made.writer().recover([made.store])[0].restored


def test_the_number_of_a_killed_memtui_may_be_our_own(made: WrittenStore) -> None:
    """As in a container, where each start has the same number."""
    die(made)
    lock = made.project / "consolidation.lock"
    lock.write_bytes(str(os.getpid()).encode())
    before = made.contents()
    made.writer().recover([made.store])
    assert made.contents() != before
    assert not lock.exists()


LOOP = """
import sys
from pathlib import Path
from memtui.engine.errors import ConflictError
from memtui.engine.types import FileChange
from tests.engine.written_store import WrittenStore, add
made = WrittenStore(Path(sys.argv[1]))
writer = made.writer(lock_timeout_s=30.0)
name = sys.argv[2]
for number in range(int(sys.argv[3])):
    path = f"{name}{number % 3}.md"
    index = made.bytes_of("MEMORY.md")
    line = f"- [{name}{number % 3}]({path})\\n".encode()
    def plan():
        index = made.bytes_of("MEMORY.md")
        return [made.changes(made.remove(path), FileChange(
            "MEMORY.md", index, index.replace(line, b""), "x"))]
    applied = writer.apply(plan(), replan=plan)
    undone = writer.undo([made.store], applied.group)
    assert undone.left == (), undone.left
print("done")
"""


def test_two_processes_forget_and_undo_in_one_store(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    names = [f"{name}{number}" for name in "xy" for number in range(3)]
    for name in names:
        made.put(f"{name}.md", name.encode())
    made.put("MEMORY.md", "".join(f"- [{name}]({name}.md)\n" for name in names).encode())
    before = made.tree()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", LOOP, str(tmp_path), name, "20"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "xy"
    ]
    assert [process.communicate(timeout=120)[0] for process in processes] == ["done\n"] * 2
    after = made.tree()
    lines = after["memory/MEMORY.md"].content.splitlines()
    assert sorted(lines) == sorted(before.pop("memory/MEMORY.md").content.splitlines())
    del after["memory/MEMORY.md"]
    assert after == before


def test_a_kill_at_any_moment_leaves_before_or_after(tmp_path: Path) -> None:
    """Killed from outside, in a loop of acts; a thorough run of it is a benchmark of its own."""
    made = WrittenStore(tmp_path, {"a.md": b"a", "MEMORY.md": b"- [a](a.md)\n"})
    before = made.tree()
    code = LOOP.replace("range(int(sys.argv[3]))", "iter(int, 1)").replace("{number % 3}", "")
    for delay_ms in range(0, 120, 12):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), "a", "0"], stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 30
        while not made.state.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3 + delay_ms / 1000)
        process.kill()
        process.wait()
        writer = made.writer()
        found = writer.recover([made.store])
        assert [each.problem for each in found if each.problem] == []
        assert temporaries(made.project, made.state) == []
        if made.tree() != before:
            assert contents(made.memory) == {"MEMORY.md": b""}
            with suppress(MemtuiError):
                writer.undo([made.store])
        assert made.tree() == before
        assert made.tree()["memory/a.md"].mtime_ns == OLD_NS
