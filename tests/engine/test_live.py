"""What runs by itself: following, the inbox, straight to the store, and what does not come back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.own_state import INBOX, own_path
from memtui.engine.errors import ReadOnlyError, RefusedError
from memtui.engine.lifecycle.extracting import ExtractPlan
from memtui.engine.lifecycle.follow import Follower
from memtui.engine.lifecycle.live import Live
from memtui.engine.lifecycle.tasks import TaskRecord
from memtui.engine.workspace import Target
from tests.cli_home import CliHome, topic
from tests.engine.session_files import START_NS, append_turn, write_session
from tests.engine.test_extracting import ANSWER, DECISION, RULE, TALK, Ground
from tests.engine.written_store import tree

SECOND_NS = 1_000_000_000
DAY_NS = 86_400 * SECOND_NS


class LiveGround(Ground):
    """A ground whose follower is asked step by step, by the test's own clock."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.session = write_session(self.chats, "s1", [TALK, ANSWER], self.now_ns)
        self.live: Live = self.manager.live
        self.follower: Follower = self.live.follower()
        self.follower.poll(self.now_ns)

    def turn(self, *said: tuple[str, str]) -> tuple[TaskRecord, ...]:
        """A turn of the followed session, seen after its five seconds; gives what was scheduled."""
        before = len(self.manager.tasks())
        self.now_ns += 60 * SECOND_NS
        append_turn(self.session, [*said, ANSWER], self.now_ns)
        self.follower.poll(self.now_ns)
        self.now_ns += 5 * SECOND_NS
        turn = self.follower.poll(self.now_ns)
        assert turn is not None
        self.live.turned(turn)
        assert self.manager.drain(20)
        tasks = self.manager.tasks()
        return tuple(reversed(tasks[: len(tasks) - before]))

    @property
    def inbox(self) -> dict[str, str]:
        """Summaries by digest."""
        found = self.live.inbox(self.manager.scan())
        return {digest: patch.summary for digest, patch in found.items.items()}


@pytest.fixture
def ground(tmp_path: Path) -> LiveGround:
    return LiveGround(tmp_path)


def test_a_turn_fills_the_inbox_and_writes_nothing_of_the_agents(ground: LiveGround) -> None:
    extract, dream = ground.turn(RULE)
    assert (extract.kind, extract.trigger, extract.status) == ("extract", "auto", "completed")
    assert extract.result == "1 to the inbox"
    assert (dream.kind, dream.status, dream.skipped_reason) == ("dream", "skipped", "disabled")
    assert len(ground.inbox) == 1
    assert sorted(path.name for path in ground.home.qwen.iterdir()) == ["chats", "memory"]
    assert not (ground.home.memory["project"] / "MEMORY.md").exists()


def test_the_same_is_in_the_inbox_once_and_only_what_is_new_is_read(ground: LiveGround) -> None:
    ground.turn(RULE)
    (extract, _) = ground.turn(RULE, DECISION)
    assert extract.result == "1 to the inbox"
    assert len(ground.inbox) == 2
    found = ground.live.inbox(ground.manager.scan())
    assert dict(found.read) == {"s1": 7}
    assert [patch.source.message for patch in found.items.values()] == [2, 5]


def test_what_is_accepted_is_in_the_store_and_moves_the_cursor(ground: LiveGround) -> None:
    ground.turn(RULE)
    ground.turn(DECISION)
    first, second = ground.inbox
    applied = ground.live.accept(ground.manager.scan(), [first])
    assert [file.kind for file in applied.entries[0].files] == ["added", "added"]
    assert list(ground.inbox) == [second]
    cursor = ground.state("extract-cursor.json")
    assert (cursor["sessionId"], cursor["processedOffset"]) == ("s1", 8)
    meta = ground.state("meta.json")
    assert (meta["lastExtractionStatus"], meta["lastExtractionTouchedTopics"]) == (
        "updated",
        ["feedback"],
    )
    assert "(feedback/" in ground.index
    assert "(project/" not in ground.index
    ground.live.accept(ground.manager.scan(), [second])
    assert "(project/" in ground.index
    assert ground.inbox == {}


def test_what_is_accepted_gets_the_paths_of_the_review_and_leaves_what_it_rejects(
    ground: LiveGround,
) -> None:
    ground.turn(RULE)
    (digest,) = ground.inbox
    applied = ground.live.accept(
        ground.manager.scan(),
        [digest],
        paths={digest: "feedback/as-shown.md"},
        without=["MEMORY.md"],
    )
    assert applied.entries[0].paths == ("feedback/as-shown.md",)
    assert not (ground.home.memory["project"] / "MEMORY.md").exists()
    assert ground.inbox == {}


def test_what_is_discarded_does_not_come_back(ground: LiveGround) -> None:
    ground.turn(RULE)
    ground.live.discard(ground.manager.scan(), list(ground.inbox))
    assert ground.inbox == {}
    (extract, _) = ground.turn(RULE)
    assert extract.result == "0 to the inbox"
    plan = ground.live.extracting.plan(ground.manager.scan(), skips=False)
    assert [each.rule for each in plan.dropped] == ["rejected before", "said before"]


def test_what_was_accepted_and_undone_does_not_come_back(ground: LiveGround) -> None:
    ground.turn(RULE)
    before = tree(ground.home.memory["project"])
    ground.live.accept(ground.manager.scan(), list(ground.inbox))
    ground.manager.undo(ground.manager.scan())
    assert tree(ground.home.memory["project"]) == before
    ground.turn(RULE)
    assert ground.inbox == {}


def test_an_edited_one_is_written_as_edited_and_its_undo_remembers_both(
    ground: LiveGround,
) -> None:
    ground.turn(RULE)
    workspace = ground.manager.scan()
    ((digest, patch),) = ground.live.inbox(workspace).items.items()
    edited = replace(patch, type="project", summary="The lock file is uv's, pip is not used")
    ground.live.edit(workspace, digest, edited)
    assert ground.inbox == {digest: edited.summary}
    applied = ground.live.accept(workspace, [digest])
    (path, _) = applied.entries[0].paths
    assert path.startswith("project/")
    ground.manager.undo(ground.manager.scan())
    rejected = json.loads(
        own_path(ground.manager.state_dir, workspace.store("project"), "rejected.json").read_bytes()
    )
    assert set(rejected) == {digest, edited.digest}


def test_straight_to_the_store_only_when_the_user_chose_so(ground: LiveGround) -> None:
    store = ground.manager.scan().store("project")
    assert ground.live.follow_to(store) == "inbox"
    ground.live.send_to(store, "store")
    (extract, _) = ground.turn(RULE)
    assert extract.result == "1 to the store"
    assert ground.inbox == {}
    assert ground.state("extract-cursor.json")["processedOffset"] == 6
    assert "(feedback/" in ground.index


def test_near_duplicates_wait_in_the_inbox_also_then(ground: LiveGround) -> None:
    ground.home.write(
        "feedback/uv.md",
        "---\nname: uv\ndescription: Always use uv instead of pip in this repository\n"
        "type: feedback\n---\n\nAlways use uv instead of pip in this repository\n",
    )
    ground.live.send_to(ground.manager.scan().store("project"), "store")
    (extract, _) = ground.turn(RULE)
    assert extract.result == "0 to the store, 1 to the inbox"
    assert len(ground.inbox) == 1


def test_a_turn_in_which_the_agent_wrote_itself_is_skipped_and_caught_up_with(
    ground: LiveGround,
) -> None:
    written = str(ground.home.memory["project"] / "feedback/own.md")
    (extract, _) = ground.turn(RULE, ("write", written))
    assert (extract.status, extract.skipped_reason) == ("skipped", "memory_tool")
    assert ground.inbox == {}
    ground.turn(TALK)
    assert len(ground.inbox) == 1
    events = ground.manager.telemetry(ground.manager.scan()).events()
    assert [(each.fields["status"], each.fields.get("skipped_reason")) for each in events] == [
        ("completed", None),
        ("skipped", "memory_tool"),
    ]


def test_five_sessions_and_a_day_later_the_dream_runs_by_itself_and_is_undone(
    ground: LiveGround,
) -> None:
    ground.home.write(
        "feedback/style.md",
        "---\nname: Style\ndescription: style\ntype: feedback\n---\n\n- Use tabs.\n- use TABS.\n",
    )
    before = tree(ground.home.memory["project"])
    last = {"version": 1, "lastDreamAt": "2026-01-01T00:00:00.000Z", "lastDreamSessionId": "s0"}
    (ground.home.qwen / "meta.json").write_text(json.dumps(last))
    ground.live.dreaming.enable(ground.manager.scan().store("project"), True)
    assert ground.turn(TALK)[1].skipped_reason == "min_sessions"
    for number in range(2, 7):
        write_session(ground.chats, f"s{number}", [TALK, ANSWER], ground.now_ns - number)
    ground.now_ns += DAY_NS
    dream = ground.turn(TALK)[1]
    assert (dream.status, dream.trigger, dream.result) == ("completed", "auto", "1 merged, 2 files")
    assert b"TABS" not in (ground.home.memory["project"] / "feedback/style.md").read_bytes()
    assert ground.state("meta.json")["lastDreamSessionId"] == "s1"
    ground.manager.undo(ground.manager.scan())
    assert tree(ground.home.memory["project"]) == before
    assert ground.turn(TALK)[1].skipped_reason == "same_session"


def test_readonly_follows_nothing(tmp_path: Path) -> None:
    ground = LiveGround(tmp_path)
    live = ground.opened(is_readonly=True).live
    with pytest.raises(ReadOnlyError, match="--readonly"):
        live.follow(True)
    assert not live.is_following
    with pytest.raises(ReadOnlyError, match="--readonly"):
        live.discard(ground.manager.scan(), ["x"])
    with pytest.raises(ReadOnlyError, match="--readonly"):
        live.send_to(ground.manager.scan().store("project"), "store")
    assert live.follow_to(ground.manager.scan().store("project")) == "inbox"


def test_what_runs_over_time_begins_once_and_when_it_is_asked_for(tmp_path: Path) -> None:
    manager = Ground(tmp_path).manager
    assert not manager.is_live
    assert manager.stop(0)
    assert not manager.is_live
    with ThreadPoolExecutor(8) as threads:
        begun = list(threads.map(lambda _: manager.live, range(64)))
    assert {id(each) for each in begun} == {id(manager.live)}
    assert manager.is_live


def test_following_is_off_until_switched_on_and_ends_with_stop(ground: LiveGround) -> None:
    assert (ground.live.is_following, ground.live.followed) == (False, None)
    ground.live.follow(True)
    assert ground.live.is_following
    ground.live.follow(True)
    assert ground.manager.stop(5)
    assert not ground.live.is_following
    assert ground.manager.schedule_extract().skipped_reason == "stopped"


def test_a_broken_inbox_is_told_and_never_written_over(ground: LiveGround) -> None:
    path = own_path(ground.manager.state_dir, ground.manager.scan().store("project"), INBOX)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(RefusedError, match=r"inbox\.json is not valid JSON"):
        ground.live.inbox(ground.manager.scan())
    (extract, _) = ground.turn(RULE)
    assert extract.status == "failed"
    assert "inbox.json is not valid JSON" in extract.error
    assert path.read_text() == "{"


@pytest.mark.parametrize("value", [7, {"type": "nope"}, {"type": "user", "summary": 3}, None])
def test_an_item_that_cannot_be_understood_stays_in_the_file(
    ground: LiveGround, value: object
) -> None:
    ground.turn(RULE)
    path = own_path(ground.manager.state_dir, ground.manager.scan().store("project"), INBOX)
    found = json.loads(path.read_text())
    found["items"]["feedfacefeedface"] = value
    path.write_text(json.dumps(found))
    (digest,) = ground.inbox
    ground.live.discard(ground.manager.scan(), [digest])
    assert json.loads(path.read_text())["items"] == {"feedfacefeedface": value}


def test_tasks_are_told_to_who_listens(ground: LiveGround) -> None:
    told: list[TaskRecord] = []
    leave: Callable[[], None] = ground.manager.subscribe(told.append)
    ground.turn(RULE)
    statuses = [record.status for record in told if record.kind == "extract"]
    assert (statuses[0], statuses[-1]) == ("pending", "completed")
    leave()
    count = len(told)
    ground.turn(RULE)
    assert len(told) == count


def test_a_session_of_another_project_is_not_followed(ground: LiveGround) -> None:
    elsewhere = write_session(
        ground.home.home / ".qwen/projects/-other/chats", "x", [RULE, ANSWER], START_NS
    )
    os.utime(elsewhere, ns=(ground.now_ns + SECOND_NS, ground.now_ns + SECOND_NS))
    found = ground.follower.poll(ground.now_ns + 60 * SECOND_NS)
    assert found is None or found.session_id == "s1"
    assert ground.follower.followed == "s1"


def test_another_project_that_is_opened_meanwhile_gets_nothing(
    ground: LiveGround, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = CliHome(tmp_path / "second")
    other.write("feedback/x.md", topic("X"))
    ground.live.send_to(ground.manager.scan().store("project"), "store")
    extracting, plan = ground.live.extracting, ground.live.extracting.plan
    before = tree(other.project), tree(ground.home.memory["project"])

    def plan_and_turn(*arguments: Any, **options: Any) -> ExtractPlan:
        found = plan(*arguments, **options)
        ground.manager.open(Target(ground.home.project, other.memory["project"]))
        return found

    ground.live.follow(True)
    monkeypatch.setattr(extracting, "plan", plan_and_turn)
    (extract, dream) = ground.turn(RULE)
    for task in (extract, dream):
        assert task.status == "failed"
        assert task.error == "Another project was opened meanwhile, so nothing was written."
    assert (tree(other.project), tree(ground.home.memory["project"])) == before
    assert not ground.live.is_following
