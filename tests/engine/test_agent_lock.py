"""The agents' lock, against real other processes (spec section 9, design section 1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from memtui.engine.disk import agent_lock
from memtui.engine.disk.agent_lock import (
    LockState,
    break_stale_lock,
    duration,
    hold_lock,
    lock_path,
    lock_paths,
    lock_state,
    store_lock_state,
)
from memtui.engine.disk.paths import bases, store_at
from memtui.engine.disk.processes import is_running
from memtui.engine.errors import LockedError, ReadOnlyError, StoreError
from memtui.engine.types import Store
from tests.engine.machine import Machine, mkdir
from tests.engine.unprivileged import run_without_privileges

HOUR_S = 3600
ABSENT_PID = 2**22 + 1  # above the largest number that Linux gives


def qwen_store(root: Path) -> Store:
    memory = mkdir(root / "memory")
    return Store("project", "qwen", memory, state_dir=root)


def claude_store(root: Path) -> Store:
    return Store("project", "claude", mkdir(root / "memory"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return qwen_store(tmp_path / "state")


@pytest.fixture
def path(store: Store) -> Path:
    found = lock_path(store)
    assert found is not None
    return found


def write_lock(path: Path, content: str, age_s: float = 0) -> None:
    path.write_text(content)
    made = time.time() - age_s
    os.utime(path, (made, made))


def now_state(path: Path) -> LockState:
    return lock_state(path, time.time())


def holding(store: Store, timeout_s: float = 0) -> AbstractContextManager[tuple[LockState, ...]]:
    return hold_lock(store, timeout_s=timeout_s)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@contextmanager
def other_process() -> Iterator[subprocess.Popen[str]]:
    """A process that lives as long as the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        yield process
        process.communicate("\n")


# Where the lock lies


def test_a_store_of_an_agent_has_one_place() -> None:
    state, memory = Path("/b/projects/k"), Path("/b/projects/k/memory")
    assert lock_paths(Store("project", "qwen", memory, state_dir=state)) == (
        state / "consolidation.lock",
    )
    assert lock_paths(Store("project", "claude", memory)) == (memory / ".consolidate-lock",)
    assert lock_paths(Store("user", "qwen", memory)) == ()
    assert lock_paths(Store("team", "qwen", memory)) == ()
    assert lock_path(Store("team", "qwen", memory)) is None
    assert store_lock_state(Store("user", "qwen", memory), 0) is None


def test_a_named_store_has_the_places_of_both_agents(tmp_path: Path) -> None:
    real = mkdir(tmp_path / "real/memory")
    link = tmp_path / "link"
    link.symlink_to(real)
    plain = store_at(real, bases({}, tmp_path))
    assert plain.agent == "none"
    assert lock_paths(plain) == (
        real / ".consolidate-lock",
        tmp_path / "real/consolidation.lock",
    )
    assert lock_paths(store_at(link, bases({}, tmp_path))) == (
        link / ".consolidate-lock",
        tmp_path / "consolidation.lock",
        tmp_path / "real/consolidation.lock",
    )


def test_the_place_follows_from_the_stores_that_are_found(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for memory, name in (
        (machine.qwen, "../consolidation.lock"),
        (machine.claude, ".consolidate-lock"),
    ):
        mkdir(memory)
        (found,) = lock_paths(store_at(memory, machine.bases))
        assert found == Path(os.path.normpath(memory / name))


# What it tells


def test_no_file_is_free(path: Path) -> None:
    assert now_state(path) == LockState("free", path)
    assert now_state(path).sentence == f"{path} is free."
    path.write_text("1")
    assert now_state(path / "below") == LockState("free", path / "below")
    assert lock_state(Path("a\0b"), 0).reason.startswith("out of reach (")


def test_a_living_process_holds(path: Path) -> None:
    with other_process() as process:
        write_lock(path, str(process.pid), age_s=4 * 60)
        found = now_state(path)
        comm = Path(f"/proc/{process.pid}/comm").read_text().strip()
    assert (found.state, found.pid, found.is_alive) == ("held", process.pid, True)
    assert found.age_s == pytest.approx(240, abs=5)
    assert found.reason == f"held by PID {process.pid} ({comm}) since 4 min"
    assert found.sentence == (
        f"{path} is held by PID {process.pid} ({comm}) since 4 min. "
        "Wait until that is done, then try again."
    )


def test_this_process_holds_too(path: Path) -> None:
    write_lock(path, f"{os.getpid()}\n", age_s=30)
    found = now_state(path)
    assert found.state == "held"
    assert found.reason.startswith(f"held by PID {os.getpid()} (this process) since 3")


def test_a_process_that_ended_is_stale(path: Path) -> None:
    with other_process() as process:
        pass
    write_lock(path, str(process.pid), age_s=100)
    found = now_state(path)
    assert (found.state, found.pid, found.is_alive) == ("stale", process.pid, False)
    assert found.reason == f"PID {process.pid} is gone, the lock is 1 min old"
    assert found.sentence == (
        f"{path} is a stale lock: PID {process.pid} is gone, the lock is 1 min old. "
        "If no agent is tidying this store, remove it (--break-stale-lock)."
    )


def test_a_process_that_nobody_waited_for_is_gone(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read() == "1\n"
        deadline = time.monotonic() + 10
        while is_running(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, 0)  # its number is still taken
        write_lock(path, str(process.pid))
        assert now_state(path).state == "stale"


def test_a_number_that_runs_is_no_proof_of_life_after_days(path: Path) -> None:
    with other_process() as process:
        write_lock(path, str(process.pid), age_s=3 * 86_400)
        found = now_state(path)
        comm = Path(f"/proc/{process.pid}/comm").read_text().strip()
    assert (found.state, found.is_alive) == ("stale", True)
    assert found.reason == (
        f"3 days old; PID {process.pid} ({comm}) runs, but that is no proof of life: "
        "after an hour the number may belong to another program"
    )


@pytest.mark.parametrize(
    "content", ["", "\n", "claude", "12 34", "-1", "0", "12.5", "0x1f", "９", "9" * 11, "1" * 70]
)
def test_without_a_number_it_is_held_for_an_hour(path: Path, content: str) -> None:
    write_lock(path, content, age_s=120)
    found = now_state(path)
    assert (found.state, found.pid, found.is_alive) == ("held", None, None)
    assert found.reason == (
        "a lock without a process number, 2 min old: it counts until it is an hour old"
    )
    write_lock(path, content, age_s=HOUR_S + 1)
    found = now_state(path)
    assert (found.state, found.pid) == ("stale", None)
    assert found.reason == "a lock without a process number, 1 h old"


def test_the_hour_is_exact(path: Path) -> None:
    write_lock(path, str(os.getpid()))
    made = path.stat().st_mtime
    assert lock_state(path, made + HOUR_S).state == "held"
    assert lock_state(path, made + HOUR_S + 0.01).state == "stale"


@pytest.mark.parametrize(
    ("pid", "state"), [(os.getpid(), "held"), (ABSENT_PID, "stale")], ids=["alive", "gone"]
)
def test_a_time_in_the_future_is_no_age(path: Path, pid: int, state: str) -> None:
    write_lock(path, str(pid), age_s=-90 * 86_400)
    found = now_state(path)
    assert (found.state, found.age_s) == (state, 0)


def test_a_lock_that_cannot_be_read_is_held(path: Path) -> None:
    write_lock(path, str(ABSENT_PID))
    path.chmod(0)
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from memtui.engine.disk.agent_lock import lock_state\n"
        "found = lock_state(Path(sys.argv[1]), time.time())\nprint(found.state, found.reason)"
    )
    assert run_without_privileges(code, str(path)).startswith(
        "held a lock that cannot be read (permission denied), "
    )
    path.parent.chmod(0)
    assert run_without_privileges(code, str(path)) == "held out of reach (permission denied)\n"
    path.parent.chmod(0o755)


def test_a_process_that_may_not_be_asked_holds(path: Path) -> None:
    write_lock(path, "1", age_s=300)
    path.chmod(0o644)
    path.parent.chmod(0o755)
    code = (
        "import json, os, sys, time\nfrom pathlib import Path\n"
        "from memtui.engine.disk.agent_lock import lock_state\n"
        "if os.getuid() == 0:\n    os.setgroups([])\n    os.setgid(65534)\n    os.setuid(65534)\n"
        "try:\n    os.kill(1, 0)\nexcept PermissionError:\n    is_denied = True\n"
        "else:\n    is_denied = False\n"
        "found = lock_state(Path('consolidation.lock'), time.time())\n"
        "print(json.dumps([is_denied, found.state, found.pid, found.is_alive, found.reason]))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=path.parent
    ).stdout
    is_denied, state, pid, is_alive, reason = json.loads(out)
    assert is_denied is True
    assert (state, pid, is_alive) == ("held", 1, None)
    assert reason.startswith("held by PID 1 (")
    assert reason.endswith(") since 5 min")


def test_odd_things_in_its_place_are_held_for_an_hour(path: Path) -> None:
    path.symlink_to("nowhere")
    assert now_state(path).reason.startswith(
        "a lock that cannot be read (no such file or directory), "
    )
    path.unlink()
    os.mkfifo(path)
    assert now_state(path).reason.startswith("no regular file, ")
    assert now_state(path).state == "held"
    path.unlink()
    path.mkdir()
    assert now_state(path).state == "held"


def test_of_two_places_the_one_that_hinders_most_is_told(tmp_path: Path) -> None:
    named = store_at(mkdir(tmp_path / "x/memory"), bases({}, tmp_path))
    inside, beside = lock_paths(named)
    write_lock(inside, str(ABSENT_PID))
    found = store_lock_state(named, time.time())
    assert found is not None
    assert (found.state, found.path) == ("stale", inside)
    write_lock(beside, str(os.getpid()))
    found = store_lock_state(named, time.time())
    assert found is not None
    assert (found.state, found.path) == ("held", beside)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (86_399, "23 h"),
        (86_400, "1 day"),
        (1e7, "115 days"),
    ],
)
def test_a_duration_has_one_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


# Holding it


def test_it_is_whole_while_it_is_held_and_gone_after(store: Store, path: Path) -> None:
    with hold_lock(store) as cleared:
        assert cleared == ()
        assert path.read_bytes() == str(os.getpid()).encode()
        assert names(path.parent) == ["consolidation.lock", "memory"]
        assert path.stat().st_nlink == 1
    assert names(path.parent) == ["memory"]


def test_it_goes_where_the_block_fails(store: Store, path: Path) -> None:
    with pytest.raises(KeyError), hold_lock(store):
        raise KeyError
    assert not path.exists()


def test_another_that_holds_it_is_named(store: Store, path: Path) -> None:
    with other_process() as process:
        write_lock(path, str(process.pid))
        start = time.monotonic()
        refused = pytest.raises(LockedError, match=rf"held by PID {process.pid} \(.+\) since")
        with refused, hold_lock(store, timeout_s=0.2, clears_stale=True):
            pytest.fail("entered")
        assert 0.2 <= time.monotonic() - start < 5
        assert path.read_text() == str(process.pid)
    assert names(path.parent) == ["consolidation.lock", "memory"]


def test_it_is_waited_for(store: Store, path: Path) -> None:
    write_lock(path, str(os.getpid()))
    timer = threading.Timer(0.15, path.unlink)
    timer.start()
    with holding(store, timeout_s=30):
        assert path.read_text() == str(os.getpid())
    timer.join()
    assert not path.exists()


def test_a_second_time_in_one_process_is_refused(store: Store, path: Path) -> None:
    with holding(store):
        with pytest.raises(LockedError, match="this process"), holding(store):
            pytest.fail("entered")
        assert path.exists()
    assert not path.exists()


def test_a_stale_one_goes_only_when_told(store: Store, path: Path) -> None:
    write_lock(path, str(ABSENT_PID), age_s=200)
    refused = pytest.raises(LockedError, match=r"is gone.*--break-stale-lock")
    with refused, holding(store, timeout_s=5):
        pytest.fail("entered")
    assert path.read_text() == str(ABSENT_PID)
    with hold_lock(store, clears_stale=True) as cleared:
        assert [(each.state, each.pid, each.path) for each in cleared] == [
            ("stale", ABSENT_PID, path)
        ]
        assert path.read_text() == str(os.getpid())
    assert names(path.parent) == ["memory"]


def test_only_what_holds_our_number_is_released(store: Store, path: Path) -> None:
    with holding(store):
        path.write_text(str(ABSENT_PID))
    assert path.read_text() == str(ABSENT_PID)
    path.unlink()
    with holding(store):
        path.unlink()
    assert names(path.parent) == ["memory"]


def test_a_fork_does_not_release_it(store: Store, path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from memtui.engine.disk.agent_lock import hold_lock\n"
        "from memtui.engine.types import Store\n"
        "root = Path(sys.argv[1])\n"
        "store = Store('project', 'qwen', root / 'memory', state_dir=root)\n"
        "lock = root / 'consolidation.lock'\n"
        "def show(text): os.write(1, (text + '\\n').encode())\n"
        "with hold_lock(store):\n"
        "    child = os.fork()\n"
        "    if child: os.waitpid(child, 0); show(str(lock.read_text() == str(os.getpid())))\n"
        "if not child: show(str(lock.exists())); os._exit(0)\n"
        "show(str(lock.exists()))\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(path.parent)], capture_output=True, text=True, check=True
    )
    assert out.stdout.split() == ["True", "True", "False"]
    assert out.stderr == ""


def test_without_hard_links_it_is_made_all_the_same(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with holding(store):
        assert path.read_text() == str(os.getpid())
        with pytest.raises(LockedError, match="this process"), holding(store):
            pytest.fail("entered")
    assert names(path.parent) == ["memory"]


def test_a_folder_that_cannot_be_written_is_told(store: Store, path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from memtui.engine.disk.agent_lock import hold_lock\n"
        "from memtui.engine.errors import ReadOnlyError\nfrom memtui.engine.types import Store\n"
        "root = Path(sys.argv[1])\n"
        "try:\n    with hold_lock(Store('project', 'qwen', root / 'memory', state_dir=root)):\n"
        "        print('entered')\n"
        "except ReadOnlyError as error: print(error)\n"
    )
    path.parent.chmod(0o555)
    out = run_without_privileges(code, str(path.parent))
    path.parent.chmod(0o755)
    assert out == f"The lock {path} cannot be taken or removed: permission denied.\n"


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    store = Store("project", "qwen", tmp_path / "no/memory", state_dir=tmp_path / "no")
    with pytest.raises(StoreError, match="removed: no such file"), hold_lock(store):
        pytest.fail("entered")


@pytest.mark.parametrize("scope", ["user", "team"])
def test_a_store_without_a_lock_is_always_free(tmp_path: Path, scope: str) -> None:
    store = Store("user" if scope == "user" else "team", "qwen", mkdir(tmp_path / "memories"))
    with holding(store) as cleared:
        assert cleared == ()
    assert break_stale_lock(store) == ()
    assert list(store.memory_dir.iterdir()) == []


# Stores in which memtui makes no lock


def test_in_a_claude_store_none_is_made(tmp_path: Path) -> None:
    store = claude_store(tmp_path)
    with holding(store):
        assert list(store.memory_dir.iterdir()) == []
    assert names(tmp_path) == ["memory"]


def test_a_live_lock_of_claude_refuses(tmp_path: Path) -> None:
    store = claude_store(tmp_path)
    lock = store.memory_dir / ".consolidate-lock"
    with other_process() as process:
        write_lock(lock, str(process.pid))
        with pytest.raises(LockedError, match=f"held by PID {process.pid}"), holding(store):
            pytest.fail("entered")
        with pytest.raises(LockedError, match=f"held by PID {process.pid}"):
            break_stale_lock(store)
        assert lock.read_text() == str(process.pid)


def test_a_stale_lock_of_claude_goes_when_told_and_its_time_is_named(tmp_path: Path) -> None:
    store = claude_store(tmp_path)
    lock = store.memory_dir / ".consolidate-lock"
    write_lock(lock, "999999999", age_s=3 * 86_400)
    refused = pytest.raises(LockedError, match=r"3 days old.*time for that of the last tidying")
    with refused, holding(store):
        pytest.fail("entered")
    assert lock.exists()
    with hold_lock(store, clears_stale=True) as cleared:
        assert [each.pid for each in cleared] == [999_999_999]
        assert list(store.memory_dir.iterdir()) == []


def test_a_named_store_respects_both_places(tmp_path: Path) -> None:
    store = store_at(mkdir(tmp_path / "x/memory"), bases({}, tmp_path))
    for path in lock_paths(store):
        write_lock(path, str(os.getpid()))
        with pytest.raises(LockedError, match="this process"), holding(store):
            pytest.fail("entered")
        path.unlink()
    with holding(store):
        assert names(tmp_path / "x") == ["memory"]


# Breaking a stale one


def test_breaking_tells_what_went(store: Store, path: Path) -> None:
    assert break_stale_lock(store) == ()
    write_lock(path, "", age_s=2 * HOUR_S)
    (broken,) = break_stale_lock(store)
    assert (broken.state, broken.path, broken.pid) == ("stale", path, None)
    assert names(path.parent) == ["memory"]


def test_a_holder_that_appears_between_two_looks_keeps_its_lock(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lock(path, str(ABSENT_PID))
    rename = Path.rename
    taken: list[tuple[int, int]] = []

    with other_process() as process:

        def late(self: Path, target: Path) -> Path:
            self.unlink()
            write_lock(self, str(process.pid), age_s=7)
            taken.append((self.stat().st_ino, self.stat().st_mtime_ns))
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", late)
        with pytest.raises(LockedError, match=f"held by PID {process.pid}"):
            break_stale_lock(store)
    status = path.stat()
    assert path.read_text() == str(process.pid)
    assert taken == [(status.st_ino, status.st_mtime_ns)]
    assert names(path.parent) == ["consolidation.lock", "memory"]


def test_a_third_that_takes_the_free_place_keeps_it(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lock(path, str(ABSENT_PID))
    rename = Path.rename

    def late(self: Path, target: Path) -> Path:
        write_lock(self, "second")
        renamed = rename(self, target)
        write_lock(self, "third")
        return renamed

    monkeypatch.setattr(Path, "rename", late)
    refused = pytest.raises(LockedError, match="without a process number")
    with refused, hold_lock(store, timeout_s=0, clears_stale=True):
        pytest.fail("entered")
    assert path.read_text() == "third"
    assert names(path.parent) == ["consolidation.lock", "memory"]


def test_a_directory_in_its_place_is_left(store: Store, path: Path) -> None:
    path.mkdir()
    os.utime(path, (0, 0))
    with pytest.raises(StoreError, match="is a directory in the place of a lock"):
        break_stale_lock(store)
    assert path.is_dir()


def test_a_link_goes_and_its_target_stays(store: Store, path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text(str(ABSENT_PID))
    path.symlink_to(target)
    (broken,) = break_stale_lock(store)
    assert broken.pid == ABSENT_PID
    assert target.read_text() == str(ABSENT_PID)
    assert names(path.parent) == ["memory"]


# Races

_RUNNER = """
import sys
from pathlib import Path
from memtui.engine.disk.agent_lock import hold_lock
from memtui.engine.errors import LockedError
from memtui.engine.types import Store

root = Path(sys.argv[1])
store = Store("project", "qwen", root / "memory", state_dir=root)
for line in sys.stdin:
    try:
        with hold_lock(store, timeout_s=0, clears_stale=line == "break\\n"):
            print("won", flush=True)
            sys.stdin.readline()
        print("released", flush=True)
    except LockedError:
        print("lost", flush=True)
        sys.stdin.readline()
        print("released", flush=True)
"""


@pytest.mark.parametrize("left_behind", [False, True], ids=["free", "stale"])
def test_of_two_processes_exactly_one_wins_each_round(path: Path, left_behind: bool) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _RUNNER, str(path.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]

    def tell(text: str) -> None:
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write(text)
            racer.stdin.flush()

    def answers() -> list[str]:
        return [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]

    wins = []
    try:
        for _ in range(200):
            if left_behind:
                write_lock(path, str(ABSENT_PID))
            tell("break\n" if left_behind else "take\n")
            said = answers()
            assert sorted(said) == ["lost", "won"]
            winner = racers[said.index("won")]
            wins.append(said.index("won"))
            assert path.read_text() == str(winner.pid)
            tell("end\n")
            assert answers() == ["released", "released"]
            assert names(path.parent) == ["memory"]
    finally:
        for racer in racers:
            racer.communicate()
    assert len(wins) == 200
    assert [racer.returncode for racer in racers] == [0, 0]


def test_two_that_break_take_turns(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lock(path, str(ABSENT_PID))
    rename = Path.rename
    seen: list[str] = []

    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", _RUNNER, str(path.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write("take\nend\n")
        other.stdin.flush()
        assert [other.stdout.readline(), other.stdout.readline()] == ["lost\n", "released\n"]

        def slow(self: Path, target: Path) -> Path:
            assert other.stdin is not None
            other.stdin.write("break\n")
            other.stdin.flush()
            time.sleep(0.3)
            seen.append(path.read_text())
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", slow)
        assert [each.pid for each in break_stale_lock(store)] == [ABSENT_PID]
        assert other.stdout.readline() == "won\n"
        assert path.read_text() == str(other.pid)
        assert seen == [str(ABSENT_PID)]
        other.communicate("end\n")
    assert names(path.parent) == ["memory"]


def test_many_that_take_turns_never_meet(path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from memtui.engine.disk.agent_lock import hold_lock\n"
        "from memtui.engine.types import Store\n"
        "root = Path(sys.argv[1])\n"
        "store = Store('project', 'qwen', root / 'memory', state_dir=root)\n"
        "for _ in range(40):\n"
        "    with hold_lock(store, timeout_s=60, clears_stale=True):\n"
        "        os.close(os.open(root / 'inside', os.O_CREAT | os.O_EXCL))\n"
        "        (root / 'inside').unlink()\n"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(path.parent)]
    crowd = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[1] for process in crowd] == ["", "", ""]
    assert [process.returncode for process in crowd] == [0, 0, 0]
    assert names(path.parent) == ["memory"]


def test_a_killed_holder_leaves_a_stale_lock(store: Store, path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUNNER, str(path.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("take\n")
        process.stdin.flush()
        assert process.stdout.readline() == "won\n"
        assert now_state(path).state == "held"
        process.kill()
        process.communicate()
    found = now_state(path)
    assert (found.state, found.pid, found.is_alive) == ("stale", process.pid, False)
    with hold_lock(store, clears_stale=True) as cleared:
        assert [each.pid for each in cleared] == [process.pid]


def test_a_read_only_file_system_is_told(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(agent_lock, "_make", refuse)
    with pytest.raises(ReadOnlyError, match="read-only file system"), holding(store):
        pytest.fail("entered")
    assert not path.exists()
