"""05-stale-consolidation-lock: the lock of a killed consolidation stays behind."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from memtui.engine.disk.agent_lock import LockState, break_stale_lock, hold_lock, lock_path
from memtui.engine.errors import LockedError
from memtui.engine.manager import MemoryManager
from memtui.engine.types import Store
from memtui.engine.workspace import Target
from tests.cases.conftest import Case
from tests.cli_home import Answer
from tests.engine.written_store import tree

CLAUDE, QWEN = "claude", "qwen"


class Place:
    """The store of one agent in a home of its own, with its lock three days old."""

    def __init__(self, case: Case, agent: str) -> None:
        home = case.root / "home"
        self.env = {"HOME": str(home)}
        projects = home / f".{agent}/projects"
        if agent == QWEN:
            shutil.copytree(case.root / "qwen/projects", projects)
        else:
            shutil.copytree(case.root / "claude", projects / "-tmp-demo")
        self.memory = projects / "-tmp-demo/memory"
        self.manager = MemoryManager(Target(case.root, self.memory), self.env)
        self.store: Store = self.manager.scan().snapshots[0].store
        lock = lock_path(self.store)
        assert lock is not None
        self.lock: Path = lock
        three_days_ago = time.time() - 3 * 86_400
        os.utime(lock, (three_days_ago, three_days_ago))

    def state(self) -> LockState:
        """What the manager tells of the lock."""
        return self.manager.lock_states(self.manager.scan())["project"]


@pytest.fixture(params=[CLAUDE, QWEN])
def place(case: Case, request: pytest.FixtureRequest) -> Place:
    return Place(case, request.param)


def test_the_lock_is_found_where_its_agent_puts_it(place: Place) -> None:
    assert place.store.agent in (CLAUDE, QWEN)
    wanted = {CLAUDE: "memory/.consolidate-lock", QWEN: "consolidation.lock"}
    assert place.lock == place.memory.parent / wanted[place.store.agent]
    assert place.lock.read_text() == "999999"


def test_the_lock_its_age_and_the_dead_process_are_told(place: Place) -> None:
    found = place.state()
    assert (found.state, found.pid, found.is_alive) == ("stale", 999_999, False)
    assert found.age_s == pytest.approx(3 * 86_400, abs=60)
    assert found.reason == "PID 999999 is gone, the lock is 3 days old"


def test_it_goes_only_when_asked_for(place: Place) -> None:
    refused = pytest.raises(LockedError, match=r"PID 999999 is gone.*--break-stale-lock")
    with refused, hold_lock(place.store, timeout_s=0):
        pytest.fail("entered")
    assert place.lock.read_text() == "999999"
    (broken,) = break_stale_lock(place.store)
    assert broken.pid == 999_999
    assert place.state().state == "free"
    with hold_lock(place.store, timeout_s=0):
        assert place.lock.exists() is (place.store.agent == QWEN)
    assert not place.lock.exists()


def test_a_live_process_blocks_writing_and_not_reading(place: Place) -> None:
    place.lock.write_text(str(os.getpid()))
    assert place.state().state == "held"
    with pytest.raises(LockedError, match="this process"), hold_lock(place.store, timeout_s=0):
        pytest.fail("entered")
    with pytest.raises(LockedError, match="this process"):
        break_stale_lock(place.store)
    assert len(place.manager.scan().snapshots[0].documents) == 1


def test_a_number_that_another_program_has_is_no_proof_of_life(place: Place) -> None:
    age = place.lock.stat().st_mtime
    place.lock.write_text(str(os.getppid()))
    os.utime(place.lock, (age, age))
    found = place.state()
    assert (found.state, found.pid, found.is_alive) == ("stale", os.getppid(), True)
    assert found.reason.startswith(f"3 days old; PID {os.getppid()} (")
    assert found.reason.endswith(
        ") runs, but that is no proof of life: after an hour the number may belong to "
        "another program"
    )


def test_the_lock_is_no_memory(case: Case, place: Place) -> None:
    answer = case.json("list", "--memory-dir", str(place.memory))
    assert [each["type"] for each in answer["documents"]] == ["project"]
    assert answer["problems"] == []


class TestCommandLine:
    """Forgetting the one memory of the store."""

    @pytest.fixture(autouse=True)
    def _home(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", place.env["HOME"])

    def forget(self, case: Case, place: Place, *more: str, code: int = 0) -> Answer:
        (document,) = place.manager.scan().snapshots[0].documents
        where = ("--memory-dir", str(place.memory))
        return case.run("forget", *where, "--id", document.path, *more, code=code)

    def files(self, place: Place) -> list[str]:
        return sorted(path.name for path in place.memory.rglob("*.md"))

    def test_writing_is_refused_and_tells_how_to_go_on(self, case: Case, place: Place) -> None:
        before = tree(place.memory.parent)
        answer = self.forget(case, place, "--yes", code=3)
        assert answer.out == ""
        assert answer.err.startswith(f"memtui: {place.lock} is a stale lock: ")
        assert "PID 999999 is gone, the lock is 3 days old" in answer.err
        assert "(--break-stale-lock)" in answer.err
        assert answer.err.count("\n") == 1
        assert tree(place.memory.parent) == before

    def test_reading_and_planning_work(self, case: Case, place: Place) -> None:
        (document,) = case.json("list", "--memory-dir", str(place.memory))["documents"]
        assert document["type"] == "project"
        answer = self.forget(case, place)
        assert "+++ /dev/null" in answer.out
        assert answer.err.startswith(f"memtui: It would be refused now: {place.lock} is a stale ")
        assert place.lock.exists()

    def test_it_is_removed_when_asked_for(self, case: Case, place: Place) -> None:
        answer = self.forget(case, place, "--yes", "--break-stale-lock")
        assert answer.err == (
            f"memtui: Removed the stale lock {place.lock}: "
            "PID 999999 is gone, the lock is 3 days old.\n"
        )
        assert answer.out.startswith("Forgot 1 entry in 1 file. Undo: memtui undo 20")
        assert not place.lock.exists()
        assert self.files(place) == ["MEMORY.md"]
        case.run("undo", "--memory-dir", str(place.memory), "--yes")
        assert len(self.files(place)) == 2

    def test_a_live_process_is_never_pushed_aside(self, case: Case, place: Place) -> None:
        place.lock.write_text(str(os.getppid()))
        answer = self.forget(case, place, "--yes", "--break-stale-lock", code=3)
        assert f"held by PID {os.getppid()}" in answer.err
        assert place.lock.read_text() == str(os.getppid())
        assert len(self.files(place)) == 2
        assert len(case.documents("--memory-dir", str(place.memory))) == 1

    def test_a_purge_passes_it_in_the_same_way(self, case: Case, place: Place) -> None:
        where = ("--memory-dir", str(place.memory))
        content = place.lock.read_bytes()
        self.forget(case, place, "--yes", "--break-stale-lock")
        place.lock.write_bytes(content)
        act = case.json("log", *where)["entries"][0]["id"]
        assert "--break-stale-lock" in case.run("log", *where, "--purge", act, code=3).err
        case.run("log", *where, "--purge", act, "--break-stale-lock")
        assert case.json("log", *where) == {"entries": []}
        assert not place.lock.exists()

    def test_a_dream_clears_that_of_qwen_itself_and_asks_for_any_other(
        self, case: Case, place: Place
    ) -> None:
        where = ("--memory-dir", str(place.memory))
        shown = case.json("dream", *where)
        assert (shown["lock"]["state"], shown["lock"]["pid"]) == ("stale", 999_999)
        assert place.lock.exists()
        if place.store.agent == QWEN:
            answer = case.run("dream", *where, "--yes")
        else:
            refused = case.run("dream", *where, "--yes", code=3)
            assert refused.err.startswith(f"memtui: {place.lock} is a stale lock: ")
            assert place.lock.exists()
            answer = case.run("dream", *where, "--yes", "--break-stale-lock")
        assert f"Removed the stale lock {place.lock}" in answer.err
        assert not place.lock.exists()

    def test_a_live_process_blocks_a_dream(self, case: Case, place: Place) -> None:
        place.lock.write_text(str(os.getppid()))
        before = tree(place.memory.parent)
        where = ("--memory-dir", str(place.memory))
        assert case.json("dream", *where)["lock"]["state"] == "held"
        assert str(os.getppid()) in case.run("dream", *where, "--yes", code=3).err
        assert tree(place.memory.parent) == before
