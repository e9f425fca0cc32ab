"""Extract on a real store: what is read, what is written in which order, and what is not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.errors import RefusedError, StoppedError, UnknownIdError
from memtui.engine.format.times import iso_time
from memtui.engine.format.transcript import Message
from memtui.engine.lifecycle.sessions import find_session, project_sessions
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.extraction.patches import Patch, find_patches
from memtui.engine.workspace import Target
from tests.cli_home import CliHome, topic
from tests.engine.session_files import SECOND_NS, START_NS, append_turn, write_session
from tests.engine.written_store import tree

NOW_NS = START_NS + 3_600_000_000_000
RULE = ("user", "Always use uv instead of pip in this repo, because the lock file is uv's.")
ANSWER = ("assistant", "Noted.")
DECISION = ("user", "We decided to freeze merges from 2026-12-10 until the 2.4 release.")
TALK = ("user", "Can you run the tests for me?")


class Ground:
    """A home with a project, its manager, and a clock."""

    def __init__(self, root: Path) -> None:
        self.home = CliHome(root)
        self.home.write(
            "feedback/old.md", topic("Old rule", "Never push to main", body="Never push to main\n")
        )
        self.chats = self.home.qwen / "chats"
        self.now_ns = NOW_NS
        self.manager = self.opened()

    def opened(self, **options: Any) -> MemoryManager:
        env = {"HOME": str(self.home.home)}
        target = Target(self.home.project)
        return MemoryManager(target, env, clock_ns=lambda: self.now_ns, **options)

    def state(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.home.qwen / name).read_bytes())
        return found

    @property
    def index(self) -> str:
        return (self.home.memory["project"] / "MEMORY.md").read_text("utf-8")

    def extract(self, session: Path | None = None, **options: Any) -> Any:
        extracting = self.manager.live.extracting
        plan = extracting.plan(self.manager.scan(), session, **options)
        if plan.moves_cursor:
            extracting.apply(plan.selected, {plan.session: plan.length}, has_news=plan.has_news)
        return plan


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def test_a_plan_writes_nothing(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER, TALK, ANSWER])
    before = tree(ground.home.home)
    plan = ground.manager.live.extracting.plan(ground.manager.scan())
    (patch,) = plan.patches
    assert (patch.type, patch.source.session, patch.source.message) == ("feedback", "s1", 0)
    assert patch.source.quote == RULE[1]
    assert patch.path.startswith("feedback/")
    assert (plan.start, plan.length, plan.has_news) == (0, 4, True)
    assert tree(ground.home.home) == before


def test_what_is_selected_is_written_with_meta_index_and_cursor(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER, DECISION, ANSWER])
    plan = ground.extract()
    assert [patch.type for patch in plan.selected] == ["feedback", "project"]
    now = iso_time(NOW_NS)
    assert ground.state("extract-cursor.json") == {
        "sessionId": "s1",
        "processedOffset": 6,
        "updatedAt": now,
    }
    meta = ground.state("meta.json")
    assert meta["version"] == 1
    assert {key: value for key, value in meta.items() if key.startswith(("last", "updated"))} == {
        "updatedAt": now,
        "lastExtractionAt": now,
        "lastExtractionSessionId": "s1",
        "lastExtractionTouchedTopics": ["feedback", "project"],
        "lastExtractionStatus": "updated",
    }
    for patch in plan.selected:
        assert f"]({patch.path})" in ground.index
        written = (ground.home.memory["project"] / patch.path).read_text("utf-8")
        assert patch.summary in written


def test_only_what_came_since_is_read(ground: Ground) -> None:
    path = write_session(ground.chats, "s1", [RULE, ANSWER])
    ground.extract()
    append_turn(path, [DECISION, ANSWER], NOW_NS)
    plan = ground.extract()
    assert (plan.start, plan.length) == (2, 4)
    assert [patch.source.message for patch in plan.patches] == [2]
    assert ground.state("extract-cursor.json")["processedOffset"] == 6


def test_the_agents_two_messages_that_are_not_in_the_file_count(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER, DECISION, ANSWER])
    cursor = {"sessionId": "s1", "processedOffset": 4, "updatedAt": "then", "own": 1}
    (ground.home.qwen / "extract-cursor.json").write_text(json.dumps(cursor))
    plan = ground.extract()
    assert plan.start == 2
    assert [patch.type for patch in plan.patches] == ["project"]
    assert ground.state("extract-cursor.json")["own"] == 1


@pytest.mark.parametrize(("offset", "start"), [(0, 0), (1, 0), (2, 0), (3, 1), (99, 2), (-4, 0)])
def test_an_offset_is_clamped(ground: Ground, offset: int, start: int) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    cursor = {"sessionId": "s1", "processedOffset": offset, "updatedAt": "then"}
    (ground.home.qwen / "extract-cursor.json").write_text(json.dumps(cursor))
    assert ground.extract().start == start
    assert ground.state("extract-cursor.json")["processedOffset"] == 4


def test_another_session_starts_at_its_beginning(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    ground.extract()
    write_session(ground.chats, "s2", [DECISION, ANSWER], START_NS + 1)
    plan = ground.extract()
    assert (plan.session, plan.start) == ("s2", 0)
    assert ground.state("extract-cursor.json")["sessionId"] == "s2"


def test_a_session_that_is_neither_the_cursors_nor_the_newest_has_its_own(ground: Ground) -> None:
    old = write_session(ground.chats, "old", [DECISION, ANSWER, TALK, ANSWER], START_NS - 9)
    write_session(ground.chats, "new", [RULE, ANSWER])
    ground.extract()
    before = (ground.home.qwen / "extract-cursor.json").read_bytes()
    plan = ground.extract(old)
    assert [patch.type for patch in plan.patches] == ["project"]
    assert (ground.home.qwen / "extract-cursor.json").read_bytes() == before
    again = ground.manager.live.extracting.plan(ground.manager.scan(), old)
    assert (again.start, again.length) == (4, 4)
    assert not (ground.home.qwen / "cursors.json").exists()


def test_without_a_new_word_of_a_person_only_the_cursor_moves(ground: Ground) -> None:
    path = write_session(ground.chats, "s1", [RULE, ANSWER])
    ground.extract()
    meta, index = ground.state("meta.json"), ground.index
    append_turn(path, [("assistant", "One more thing."), ("user", " \n ")], NOW_NS)
    ground.now_ns += 1_000_000_000
    plan = ground.extract()
    assert not plan.has_news
    assert (ground.state("meta.json"), ground.index) == (meta, index)
    assert ground.state("extract-cursor.json")["processedOffset"] == 6


def test_nothing_durable_is_a_noop_in_meta(ground: Ground) -> None:
    write_session(ground.chats, "s1", [TALK, ANSWER])
    ground.extract()
    meta = ground.state("meta.json")
    assert (meta["lastExtractionStatus"], meta["lastExtractionTouchedTopics"]) == ("noop", [])
    assert not (ground.home.memory["project"] / "MEMORY.md").exists()


def test_the_agents_own_memory_in_the_last_turn_skips(ground: Ground) -> None:
    written = str(ground.home.memory["project"] / "feedback/uv.md")
    path = write_session(ground.chats, "s1", [RULE, ("write", written), ANSWER])
    before = tree(ground.home.home)
    plan = ground.extract()
    assert (plan.skipped_reason, plan.patches, plan.moves_cursor) == ("memory_tool", (), False)
    assert tree(ground.home.home) == before
    named = ground.manager.live.extracting.plan(ground.manager.scan(), path, skips=False)
    assert (named.skipped_reason, len(named.patches)) == (None, 1)


def test_memory_pressure_skips_and_moves_nothing(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    monkeypatch.setattr("memtui.engine.lifecycle.extracting.memory_pressure", lambda: "hard")
    before = tree(ground.home.home)
    assert ground.extract().skipped_reason == "memory_pressure"
    assert tree(ground.home.home) == before


def test_an_undo_brings_all_back_and_what_was_undone_does_not(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    before = tree(ground.home.qwen)
    ground.extract()
    ground.manager.undo(ground.manager.scan())
    assert tree(ground.home.qwen) == before
    plan = ground.manager.live.extracting.plan(ground.manager.scan())
    assert plan.patches == ()
    assert [each.rule for each in plan.dropped] == ["rejected before"]


def test_a_broken_cursor_is_told_and_never_written_over(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    cursor = ground.home.qwen / "extract-cursor.json"
    cursor.write_text("{")
    plan = ground.manager.live.extracting.plan(ground.manager.scan())
    assert "is not valid JSON" in plan.problem
    with pytest.raises(RefusedError, match="is not valid JSON"):
        ground.extract()
    assert cursor.read_text() == "{"
    assert not (ground.home.memory["project"] / "MEMORY.md").exists()


def test_where_only_the_agents_state_moved_on_the_extract_follows(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    extracting = ground.manager.live.extracting
    plan = extracting.plan(ground.manager.scan())
    (ground.home.qwen / "meta.json").write_text('{"version": 1, "updatedAt": "later"}\n')
    ground.home.write("MEMORY.md", "- [Old rule](feedback/old.md) — Never push to main")
    extracting.apply(plan.selected, {plan.session: plan.length})
    assert ground.state("meta.json")["lastExtractionStatus"] == "updated"
    assert "[Old rule](feedback/old.md)" in ground.index


def test_sessions_are_named_by_id_start_or_file(ground: Ground, tmp_path: Path) -> None:
    first = write_session(ground.chats, "abc-1", [RULE])
    second = write_session(ground.chats, "abd-2", [RULE])
    sessions = project_sessions(ground.manager.scan())
    assert find_session(sessions, "abc-1", tmp_path) == first
    assert find_session(sessions, "abd", tmp_path) == second
    outside = write_session(tmp_path / "x", "other", [RULE])
    assert find_session(sessions, "x/other.jsonl", tmp_path) == outside
    with pytest.raises(RefusedError, match="abc-1, abd-2"):
        find_session(sessions, "ab", tmp_path)
    for name in ("nope", "", "x"):
        with pytest.raises(UnknownIdError, match="no session"):
            find_session(sessions, name, tmp_path)


def test_no_session_is_told(ground: Ground) -> None:
    plan = ground.extract()
    assert (plan.path, plan.problem) == (None, "There is no session here to extract from.")


def test_a_claude_store_keeps_its_state_with_memtui(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    store = ground.home.claude / "memory"
    store.mkdir(parents=True)
    (store / "MEMORY.md").write_text("# Notes\n")
    record = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "timestamp": iso_time(START_NS),
        "message": {"role": "user", "content": RULE[1]},
    }
    (ground.home.claude / "c1.jsonl").write_text(json.dumps(record) + "\n")
    ground.manager = MemoryManager(
        Target(ground.home.project, agent="claude"),
        {"HOME": str(ground.home.home)},
        clock_ns=lambda: NOW_NS,
    )
    plan = ground.extract()
    assert len(plan.selected) == 1
    assert sorted(path.name for path in ground.home.claude.iterdir()) == ["c1.jsonl", "memory"]
    assert f"]({plan.selected[0].path})" in (store / "MEMORY.md").read_text("utf-8")
    assert ground.manager.live.extracting.plan(ground.manager.scan()).start == 1


def test_the_first_memory_of_a_project_makes_its_store(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    shutil.rmtree(ground.home.memory["project"])
    write_session(ground.chats, "s1", [RULE, ANSWER])
    ground.manager = ground.opened()
    before = tree(ground.home.home)
    plan = ground.extract()
    assert (ground.home.memory["project"] / plan.selected[0].path).is_file()
    assert f"]({plan.selected[0].path})" in ground.index
    ground.manager.undo(ground.manager.scan())
    found = tree(ground.home.qwen)
    assert {name for name in found if not name.startswith("chats")} == set()
    assert before.items() <= tree(ground.home.home).items()


def test_the_list_tells_the_agents_cursor_and_how_far_a_file_is_read(ground: Ground) -> None:
    first = write_session(ground.chats, "s1", [RULE, ANSWER])
    ground.extract()
    write_session(ground.chats, "s2", [TALK, ANSWER, TALK], START_NS + SECOND_NS)
    told: list[tuple[int, int]] = []
    rows = list(
        ground.opened().live.extracting.rows(
            ground.manager.scan(),
            "project",
            progress=lambda done, total: told.append((done, total)),
        )
    )
    assert [(row.summary.session_id, row.is_agents, row.unread) for row in rows] == [
        ("s2", False, 3),
        ("s1", True, 0),
    ]
    assert told[-1] == (first.stat().st_size, first.stat().st_size)


def test_an_index_that_is_left_out_stays_and_all_else_is_written(ground: Ground) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER])
    index = ground.home.memory["project"] / "MEMORY.md"
    before = index.read_bytes() if index.exists() else None
    extracting = ground.manager.live.extracting
    plan = extracting.plan(ground.manager.scan())
    extracting.apply(plan.selected, {"s1": plan.length}, without=["MEMORY.md"])
    assert (ground.home.memory["project"] / plan.selected[0].path).is_file()
    assert (index.read_bytes() if index.exists() else None) == before
    assert ground.state("extract-cursor.json")["processedOffset"] == 4


def test_a_plan_is_stopped_between_messages_too(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(ground.chats, "s1", [RULE, ANSWER, DECISION, ANSWER])
    extracting = ground.manager.live.extracting
    seen: list[Message] = []

    def find(messages: Iterable[Message], session: str) -> tuple[Patch, ...]:
        seen.extend(islice(messages, 1))
        is_stopped.append(True)
        return find_patches(messages, session)

    is_stopped: list[bool] = []
    monkeypatch.setattr("memtui.engine.lifecycle.extracting.find_patches", find)
    with pytest.raises(StoppedError, match="stopped"):
        extracting.plan(ground.manager.scan(), is_cancelled=lambda: bool(is_stopped))
    assert [message.number for message in seen] == [0]
