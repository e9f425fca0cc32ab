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
