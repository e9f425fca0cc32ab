"""Dream on a real store: gates, lock, meta.json, undo, and the run by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.engine.errors import ConflictError, LockedError, ReadOnlyError, StoppedError
from memtui.engine.format.times import iso_time
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.plans.gates import Gates
from tests.cli_home import topic
from tests.engine.session_files import START_NS, write_session
from tests.engine.test_extracting import ANSWER, NOW_NS, TALK, Ground
from tests.engine.written_store import dead_pid, tree

HOUR_NS = 3_600_000_000_000
DAY_NS = 24 * HOUR_NS
TWICE = "- Use uv.\n  - **Why:** the lock file\n- Keep lines short.\n- use UV.\n"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path)
    ground.home.write("feedback/style.md", topic("Style", "how code looks", body=TWICE))
    return ground


def sessions(ground: Ground, count: int, mtime_ns: int = START_NS) -> None:
    for number in range(count):
        write_session(ground.chats, f"s{number}", [TALK, ANSWER], mtime_ns + number)


def gates(ground: Ground, session: str | None = None) -> Gates:
    return ground.manager.live.dreaming.gates(ground.manager.scan(), "project", session)


def test_a_dream_by_hand_writes_files_meta_and_index_and_skips_the_gates(ground: Ground) -> None:
    sessions(ground, 1)
    assert gates(ground).reason == "disabled"
    dreamed = ground.manager.live.dreaming.run("project", trigger="manual")
    assert (dreamed.status, dreamed.plan.deduped_entries) == ("updated", 1)
    assert "use UV" not in (ground.home.memory["project"] / "feedback/style.md").read_text("utf-8")
    now = iso_time(NOW_NS)
    meta = ground.state("meta.json")
    assert {key: meta[key] for key in meta if key.startswith(("last", "updated"))} == {
        "updatedAt": now,
        "lastDreamAt": now,
        "lastDreamSessionId": "s0",
        "lastDreamTouchedTopics": ["feedback"],
        "lastDreamStatus": "updated",
    }
    assert not (ground.home.qwen / "consolidation.lock").exists()
    (logged,) = ground.manager.log(ground.manager.scan())
    assert logged.entries[0].details == {"deduped_entries": 1, "trigger": "manual"}


def test_a_second_dream_is_a_noop_that_is_noted(ground: Ground) -> None:
    ground.manager.live.dreaming.run("project", trigger="manual")
    files = tree(ground.home.memory["project"])
    ground.now_ns += HOUR_NS
    dreamed = ground.manager.live.dreaming.run("project", trigger="manual")
    assert dreamed.status == "noop"
    assert tree(ground.home.memory["project"]) == files
    meta = ground.state("meta.json")
    assert (meta["lastDreamStatus"], meta["lastDreamAt"]) == ("noop", iso_time(ground.now_ns))


def test_an_undone_dream_was_a_dream_and_is_not_proposed_again(ground: Ground) -> None:
    before = tree(ground.home.memory["project"])
    ground.manager.live.dreaming.run("project", trigger="manual")
    ground.manager.undo(ground.manager.scan())
    assert tree(ground.home.memory["project"]) == before
    assert ground.state("meta.json")["lastDreamAt"] == iso_time(NOW_NS)
    plan = ground.manager.live.dreaming.plan(ground.manager.scan(), "project")
    assert plan.change_set.changes == ()
    assert plan.held_back > 0


def test_what_changed_since_the_review_refuses(ground: Ground) -> None:
    dreaming = ground.manager.live.dreaming
    plan = dreaming.plan(ground.manager.scan(), "project")
    ground.home.write("feedback/style.md", topic("Style", "how code looks", body=TWICE + "- x\n"))
    before = tree(ground.home.home)
    with pytest.raises(ConflictError, match=r"feedback/style\.md changed since") as refused:
        dreaming.run("project", trigger="manual", reviewed=(plan.change_set,))
    assert refused.value.paths == ("feedback/style.md",)
    after = tree(ground.home.qwen)
    assert after == {
        name.removeprefix(f".qwen/projects/{ground.home.key}/"): found
        for name, found in before.items()
        if name.startswith(f".qwen/projects/{ground.home.key}/")
        and name != f".qwen/projects/{ground.home.key}/"
    }


def test_a_rejected_file_stays_as_it_is(ground: Ground) -> None:
    dreaming = ground.manager.live.dreaming
    rejected = frozenset({"feedback/style.md"})
    plan = dreaming.plan(ground.manager.scan(), "project", without=rejected)
    before = tree(ground.home.memory["project"])
    dreaming.run("project", trigger="manual", without=rejected, reviewed=(plan.change_set,))
    assert tree(ground.home.memory["project"]) == before


def test_a_dream_that_is_stopped_leaves_all_as_it_was(ground: Ground) -> None:
    before = tree(ground.home.qwen)
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) > 6:
            raise StoppedError("Stopped on request.")

    with pytest.raises(StoppedError):
        ground.manager.live.dreaming.run("project", trigger="manual", check=check)
    assert tree(ground.home.qwen) == before
    assert gates(ground).gates[-1].value != "running"


# The gates on real files.


def test_the_gates_see_what_is_there(ground: Ground) -> None:
    sessions(ground, 6)
    dreaming = ground.manager.live.dreaming
    dreaming.enable(ground.manager.scan().store("project"), True)
    found = gates(ground)
    assert found.are_open
    assert {gate.gate: gate.value for gate in found.gates} == {
        "enabled": True,
        "session": "s5",
        "hours": None,
        "scan": None,
        "sessions": 5,
        "lock": "free",
        "running": "none",
    }


def test_only_sessions_since_the_last_dream_count_without_the_followed_one(ground: Ground) -> None:
    sessions(ground, 8)
    last = {"lastDreamAt": iso_time(START_NS), "lastDreamSessionId": "s3"}
    (ground.home.qwen / "meta.json").write_text(json.dumps(last))
    os.utime(ground.chats / "s0.jsonl", ns=(1, 1))
    found = {gate.gate: gate for gate in gates(ground, "s7").gates}
    assert (found["sessions"].value, found["sessions"].open) == (6, True)
    assert (found["hours"].value, found["hours"].reason) == (1.0, "min_hours")
    assert gates(ground, "s3").gates[1].reason == "same_session"


def test_an_automatic_run_counts_the_sessions_once_in_ten_minutes(ground: Ground) -> None:
    sessions(ground, 3)
    dreaming = ground.manager.live.dreaming
    dreaming.enable(ground.manager.scan().store("project"), True)
    assert dreaming.pass_gates(ground.manager.scan(), "project").reason == "min_sessions"
    sessions(ground, 9)
    assert dreaming.pass_gates(ground.manager.scan(), "project").reason == "scan_throttled"
    ground.now_ns += 10 * 60 * 1_000_000_000
    assert dreaming.pass_gates(ground.manager.scan(), "project").are_open


def test_looking_at_the_gates_is_no_scan(ground: Ground) -> None:
    sessions(ground, 9)
    ground.manager.live.dreaming.enable(ground.manager.scan().store("project"), True)
    assert gates(ground).are_open
    assert gates(ground).are_open


# By itself.


def test_the_schedule_runs_it_when_the_gates_are_open(ground: Ground) -> None:
    sessions(ground, 6)
    ground.manager.schedule_dream()
    assert ground.manager.drain(20)
    assert ground.manager.tasks()[0].skipped_reason == "disabled"
    ground.manager.live.dreaming.enable(ground.manager.scan().store("project"), True)
    ground.manager.schedule_dream(session="s5")
    assert ground.manager.drain(20)
    record = ground.manager.tasks()[0]
    assert (record.kind, record.trigger, record.status) == ("dream", "auto", "completed")
    assert ground.state("meta.json")["lastDreamSessionId"] == "s5"
    ground.manager.schedule_dream(session="s5")
    assert ground.manager.drain(20)
    assert ground.manager.tasks()[0].skipped_reason == "same_session"
    events = ground.manager.telemetry(ground.manager.scan()).events()
    assert [(each.event, each.fields) for each in events] == [
        (
            "dream",
            {
                "trigger": "auto",
                "status": "updated",
                "deduped_entries": 1,
                "touched_topics": ("feedback",),
                "duration_ms": 0,
            },
        )
    ]


# The lock against another process.


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child
    child.communicate(b"\n")


def lock(ground: Ground, content: str, age_s: float = 0) -> Path:
    path = ground.home.qwen / "consolidation.lock"
    path.write_text(content)
    mtime_s = path.stat().st_mtime - age_s
    os.utime(path, (mtime_s, mtime_s))
    return path


def test_a_lock_that_another_process_holds_refuses(
    ground: Ground, other: subprocess.Popen[bytes]
) -> None:
    path = lock(ground, str(other.pid))
    before = tree(ground.home.qwen)
    with pytest.raises(LockedError, match=str(other.pid)):
        ground.manager.live.dreaming.run("project", trigger="manual")
    assert tree(ground.home.qwen) == before
    assert path.read_text() == str(other.pid)
    (event,) = ground.manager.telemetry(ground.manager.scan()).events()
    assert event.fields["status"] == "failed"


@pytest.mark.parametrize("content", ["", "not a number", "12 34"])
def test_a_young_lock_that_tells_nothing_is_held(ground: Ground, content: str) -> None:
    lock(ground, content)
    with pytest.raises(LockedError):
        ground.manager.live.dreaming.run("project", trigger="manual")


def test_a_lock_of_the_future_is_new(ground: Ground, other: subprocess.Popen[bytes]) -> None:
    lock(ground, str(other.pid), age_s=-5 * 3600)
    with pytest.raises(LockedError):
        ground.manager.live.dreaming.run("project", trigger="manual")


@pytest.mark.parametrize("kind", ["dead", "old", "old garbage", "old and empty"])
def test_a_stale_lock_of_qwen_is_cleared_unasked(
    ground: Ground, kind: str, other: subprocess.Popen[bytes]
) -> None:
    content = {
        "dead": str(dead_pid()),
        "old": str(other.pid),
        "old garbage": "x",
        "old and empty": "",
    }[kind]
    path = lock(ground, content, age_s=0 if kind == "dead" else 3601)
    dreamed = ground.manager.live.dreaming.run("project", trigger="manual")
    assert [state.state for state in dreamed.applied.cleared] == ["stale"]
    assert not path.exists()


def test_a_stale_lock_is_broken_on_request_and_no_other(
    ground: Ground, other: subprocess.Popen[bytes]
) -> None:
    dreaming, workspace = ground.manager.live.dreaming, ground.manager.scan()
    assert dreaming.break_stale_lock(workspace, "project") == ()
    path = lock(ground, str(dead_pid()))
    (broken,) = dreaming.break_stale_lock(workspace, "project")
    assert (broken.state, broken.path, path.exists()) == ("stale", path, False)
    lock(ground, str(other.pid))
    with pytest.raises(LockedError, match=str(other.pid)):
        dreaming.break_stale_lock(workspace, "project")
    assert path.exists()


def test_readonly_breaks_no_lock(ground: Ground) -> None:
    path = lock(ground, str(dead_pid()))
    manager = ground.opened(is_readonly=True)
    with pytest.raises(ReadOnlyError, match="--readonly"):
        manager.live.dreaming.break_stale_lock(manager.scan(), "project")
    assert path.exists()


def test_a_rejected_index_stays_as_it_is(ground: Ground) -> None:
    dreaming = ground.manager.live.dreaming
    for name in ("one", "two"):
        ground.home.write(f"feedback/{name}.md", topic("Uv", "uv only", body="Use uv alone.\n"))
    ground.home.write("MEMORY.md", "- [Uv](feedback/two.md)\n\nBy hand.\n")
    index = ground.index
    paths = ["feedback/style.md", "feedback/two.md"]
    assert changed_paths(dreaming.plan(ground.manager.scan(), "project")) == [*paths, "MEMORY.md"]
    dreamed = dreaming.run("project", trigger="manual", without=("MEMORY.md",))
    assert list(dreamed.applied.entries[0].paths) == paths
    assert ground.index == index


def changed_paths(plan: DreamPlan) -> list[str]:
    return [change.path for change in plan.change_set.changes]


def test_an_undo_never_takes_what_a_merge_moved_from_a_file_that_was_edited_since(
    ground: Ground,
) -> None:
    one = "- Use tabs in Go files.\n  - **Why:** gofmt does.\n- Keep names short.\n"
    two = "- Use tabs in Go files.\n  - **Why:** THE OTHER REASON.\n- Log in UTC.\n"
    ground.home.write("feedback/a.md", topic("A", "a", body=one))
    donor = ground.home.write("feedback/b.md", topic("B", "b", body=two))
    ground.manager.live.dreaming.run("project", trigger="manual")
    taker = ground.home.memory["project"] / "feedback/a.md"
    assert "THE OTHER REASON" in taker.read_text("utf-8")
    assert "THE OTHER REASON" not in donor.read_text("utf-8")
    donor.write_text(donor.read_text("utf-8") + "- Added by hand.\n", "utf-8")
    undone = ground.manager.undo(ground.manager.scan())
    assert "THE OTHER REASON" in taker.read_text("utf-8")
    assert {left.path for left in undone.left} == {"feedback/a.md", "feedback/b.md"}
