"""A memtui that is killed at any moment, 200 times.

Nothing waits for the disk here: what a process has written stays when it is killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.engine.disk.guard import hold_stores
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.settings import JournalSettings
from memtui.engine.disk.store import StoreWriter
from memtui.engine.disk.store_lock import hold_own
from memtui.engine.errors import LockedError
from memtui.engine.types import ChangeSet, StateChange
from tests.engine.faults import FaultyCalls
from tests.engine.forked import DIED, ForkServer, Tell, nothing
from tests.engine.written_store import WrittenStore, add, temporaries

KILLS = 200
LIMITS = JournalSettings(keep_days=0, keep_mb=0)
"""Everything but the newest 50 goes, so that evicting is killed as well."""

_LINES = b"# Index\n- [a](a.md)\n- [b](b.md)\n"


def writer_for(made: WrittenStore) -> StoreWriter:
    return StoreWriter(made.state, limits=LIMITS, calls=FaultyCalls(), lock_timeout_s=0.0)


def build(root: Path) -> WrittenStore:
    made = WrittenStore(root, {"a.md": b"a" * 5000, "b.md": b"b", "l.md": "a.md", "d/x.md": b"x"})
    made.put("MEMORY.md", _LINES)
    (made.memory / "a.md").chmod(0o640)
    (made.project / "meta.json").write_bytes(b'{\n  "version": 1\n}\n')
    return made


def act(made: WrittenStore, number: int) -> ChangeSet:
    """Two edits, a removal of a file and of a link, a new file in new folders, a key."""
    return made.changes(
        made.edit("a.md", b"%d " % number * 2000),
        made.remove("b.md"),
        made.remove("l.md"),
        add("new/deep/c.md", b"c %d" % number),
        made.edit("MEMORY.md", b"# Index\n- [a](a.md)\n- [c](new/deep/c.md) %d\n" % number),
        states=(StateChange("meta.json", {}, {"lastDreamAt": number}),),
    )


def work(tell: Tell, root: Path, first: int) -> None:
    """Act and undo without end; tells the number of the act before each of the two."""
    made = WrittenStore(root)
    writer = writer_for(made)
    number = first
    while True:
        tell(number)
        writer.apply([act(made, number)])
        tell(number)
        writer.undo([made.store])
        number += 1


def start(tell: Tell, root: Path) -> None:
    """One start of memtui, which then waits for its end."""
    tell("start")
    made = WrittenStore(root)
    writer_for(made).recover([made.store])
    while True:
        signal.pause()


@pytest.fixture
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


def is_after(made: WrittenStore, number: int) -> None:
    """Asserts that the act of this number is there whole."""
    assert made.contents() == {
        "a.md": b"%d " % number * 2000,
        "MEMORY.md": b"# Index\n- [a](a.md)\n- [c](new/deep/c.md) %d\n" % number,
        "d/": "dir",
        "d/x.md": b"x",
        "new/": "dir",
        "new/deep/": "dir",
        "new/deep/c.md": b"c %d" % number,
    }
    meta = json.loads((made.project / "meta.json").read_bytes())
    assert meta == {"version": 1, "lastDreamAt": number}
    assert (made.memory / "a.md").stat().st_mode & 0o777 == 0o640


class Killer:
    """Lets children work on one store, and kills each at a random moment."""

    def __init__(self, server: ForkServer, made: WrittenStore, seed: int) -> None:
        self.server, self.made = server, made
        self.before = made.tree()
        self.random = random.Random(seed)
        self.number = 0
        self.act_s = self._act_s()
        self.counts: Counter[str] = Counter()

    def _act_s(self) -> float:
        """How long an act takes here, in seconds."""
        writer = writer_for(self.made)
        times_s = []
        for _ in range(5):
            start_s = time.perf_counter()
            writer.apply([act(self.made, 0)])
            times_s.append(time.perf_counter() - start_s)
            writer.undo([self.made.store])
        return sorted(times_s)[2]

    def kill_at_work(self) -> None:
        with self.server.child(work, self.made.top, self.number + 1) as child:
            for _ in range(self.random.randrange(1, 5)):
                last = next(child.messages)
            assert isinstance(last, int)
            time.sleep(self.random.uniform(0, self.act_s))
            child.kill()
            for told in child.messages:
                assert isinstance(told, int)
                last = told
        self.number = last

    def kill_at_start(self) -> None:
        with self.server.child(start, self.made.top) as child:
            assert next(child.messages) == "start"
            time.sleep(self.random.uniform(0, self.act_s / 2))
            child.kill()

    def look(self) -> None:
        """The store is before or after the act, and can go on in both cases."""
        made = self.made
        self.counts["open" if self.is_open() else "closed"] += 1
        self.counts["left files"] += bool(temporaries(made.project))
        self.counts["left a lock"] += (made.project / "consolidation.lock").exists()
        writer = writer_for(made)
        for found in writer.recover([made.store]):
            assert (found.problem, found.left) == ("", ())
        assert temporaries(made.project, made.state) == []
        assert list((made.state / "stores").rglob(".*")) == []
        assert not (made.project / "consolidation.lock").exists()
        assert writer.refusal(made.store) is None
        if made.tree() == self.before:
            self.counts["before"] += 1
            return
        self.counts["after"] += 1
        is_after(made, self.number)
        assert writer.undo([made.store]).left == ()
        assert made.tree() == self.before

    def is_open(self) -> bool:
        journal = Journal(self.made.state, self.made.store)
        return any(entry.status == "open" for entry in journal.entries())


def test_a_memtui_that_is_killed_at_any_moment_loses_nothing(
    server: ForkServer, tmp_path: Path
) -> None:
    killer = Killer(server, build(tmp_path), seed=1)
    counts = killer.counts
    kills = 0
    while kills < KILLS or (counts["open"] < KILLS // 20 and kills < 5 * KILLS):
        killer.kill_at_work()
        kills += 1
        if kills % 4 == 0:
            killer.kill_at_start()
        killer.look()
    print(dict(counts), f"{killer.act_s * 1000:.1f} ms an act")
    assert counts["before"] + counts["after"] == kills
    # Enough kills have to meet an act in its middle, else this shows nothing.
    for outcome in ("open", "left files", "left a lock", "before", "after"):
        assert counts[outcome] >= KILLS // 20, outcome


def die_with_the_lock(_tell: Tell, root: Path) -> None:
    """As a death right after the agents' lock was taken, before anything is in the journal."""
    made = WrittenStore(root)
    with hold_stores(
        FaultyCalls(), made.state, [made.store], own_timeout_s=0.0, agent_timeout_s=0.0
    ):
        os._exit(DIED)


def die_before_the_lock(_tell: Tell, root: Path) -> None:
    """As a death of the next start before it has looked at the agents' lock."""
    made = WrittenStore(root)
    with hold_own(made.state, made.store, 0.0):
        os._exit(DIED)


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_lock_that_two_deaths_in_a_row_left_is_known_as_our_own(
    server: ForkServer, tmp_path: Path, is_seen: bool
) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a"})
    assert server.run(die_with_the_lock, tmp_path) == DIED
    lock = made.project / "consolidation.lock"
    assert lock.read_text() == str(server.last_pid)
    for _ in range(2):
        assert server.run(die_before_the_lock, tmp_path) == DIED
    assert lock.exists()
    writer = writer_for(made)
    assert writer.refusal(made.store) is None
    if is_seen:
        (found,) = writer.recover([made.store])
        assert found.cleared is not None
        assert found.cleared.path == lock
        assert not lock.exists()
    writer.apply([made.changes(made.edit("a.md", b"A"))])
    assert not lock.exists()
    assert made.contents() == {"a.md": b"A"}
    assert [path.suffix for path in (made.state / "locks").iterdir()] == [".lock"]


def test_an_error_of_the_next_start_does_not_make_the_lock_a_strange_one(
    server: ForkServer, tmp_path: Path
) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a"})
    assert server.run(die_with_the_lock, tmp_path) == DIED
    with pytest.raises(OSError, match="too early"), hold_own(made.state, made.store, 0.0):
        raise OSError("too early")
    writer_for(made).apply([made.changes(made.edit("a.md", b"A"))])
    assert made.contents() == {"a.md": b"A"}


def test_a_lock_of_an_agent_that_died_stays_where_a_memtui_died_too(
    server: ForkServer, tmp_path: Path
) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a"})
    assert server.run(die_before_the_lock, tmp_path) == DIED
    own_pid = server.last_pid
    assert server.run(nothing) == 0
    assert server.last_pid != own_pid
    (made.project / "consolidation.lock").write_text(str(server.last_pid))
    with pytest.raises(LockedError, match="is a stale lock"):
        writer_for(made).apply([made.changes(made.edit("a.md", b"A"))])
    assert made.contents() == {"a.md": b"a"}
