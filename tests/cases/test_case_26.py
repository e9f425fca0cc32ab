"""26-broken-transcripts: small sessions with one fault each."""

from __future__ import annotations

import json

import pytest

from memtui.engine.disk.transcripts import TranscriptReader
from memtui.engine.format.transcript import Transcript
from memtui.engine.text import fold
from memtui.engine.types import Agent
from tests.cases.conftest import Case

ALL = [f"message {number}" for number in range(1, 8)]
WHOLE = ["blank-lines", "bom", "crlf", "glued", "phantom-parent"]
BROKEN_LINES = {"array": 4, "half-line": 1, "nul": 2, "splice": 1}


@pytest.fixture(params=["claude", "qwen", "none"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Whoever the session is said to be of: no fault here is one agent's own."""
    found: Agent = request.param
    return found


def read(case: Case, name: str, agent: Agent) -> Transcript:
    return TranscriptReader().read(case.root / f"{name}.jsonl", agent)


def texts(case: Case, name: str, agent: Agent) -> list[str]:
    found = read(case, name, agent)
    assert found.length == len(found.messages)
    assert all(message.is_typed for message in found.messages)
    return [message.text for message in found.messages]


def test_every_file_is_a_session(case: Case, agent: Agent) -> None:
    names = sorted(path.stem for path in case.root.glob("*.jsonl"))
    assert len(names) == 12
    for name in names:
        broken = BROKEN_LINES.get(name, 0)
        found = read(case, name, agent)
        assert (found.session_id, found.broken_lines) == (name, broken)
        assert bool(found.problem) is bool(broken)


@pytest.mark.parametrize("name", WHOLE)
def test_all_messages_are_read(case: Case, name: str, agent: Agent) -> None:
    assert texts(case, name, agent) == ALL


def test_lines_end_at_the_line_feed_alone(case: Case, agent: Agent) -> None:
    wanted = [*ALL[:3], "pasted\u2028text\u2029here\x85end", *ALL[4:]]
    assert texts(case, "u2028", agent) == wanted


def test_bad_lines_are_passed_over_and_counted(case: Case, agent: Agent) -> None:
    assert texts(case, "nul", agent) == ALL
    assert texts(case, "half-line", agent) == ALL[:6]
    found = read(case, "nul", agent)
    assert found.problem == "2 lines are broken and passed over."
    assert read(case, "half-line", agent).problem == "The last line is not complete."


def test_the_second_record_of_a_spliced_line_is_read(case: Case, agent: Agent) -> None:
    assert texts(case, "splice", agent) == [*ALL[:2], *ALL[3:]]


def test_a_missing_parent_does_not_hide_later_messages(case: Case, agent: Agent) -> None:
    assert texts(case, "phantom-parent", agent) == ALL
    turn = TranscriptReader().turn(case.root / "phantom-parent.jsonl", agent)
    assert turn.message_count == 7


def test_a_lone_surrogate_crashes_neither_output_nor_search(case: Case, agent: Agent) -> None:
    found = texts(case, "lone-surrogate", agent)
    assert found == [*ALL[:3], "cut \ufffd emoji", *ALL[4:]]
    assert "emoji" in fold(found[3])
    assert json.dumps(found, ensure_ascii=False).encode().decode() == json.dumps(
        found, ensure_ascii=False
    )


def test_an_empty_file_is_a_session_without_messages(case: Case, agent: Agent) -> None:
    found = read(case, "empty", agent)
    assert (found.length, found.messages, found.problem) == (0, (), "")
    summary = TranscriptReader().summary(case.root / "empty.jsonl", agent)
    assert (summary.messages, summary.typed, summary.first_words) == (0, 0, "")


def test_an_array_is_no_record(case: Case, agent: Agent) -> None:
    assert texts(case, "array", agent) == ALL[:2]


def test_a_list_of_sessions_tells_of_all(case: Case, agent: Agent) -> None:
    reader = TranscriptReader()
    found = {path.stem: reader.summary(path, agent).messages for path in case.root.glob("*.jsonl")}
    fewer = {"array": 2, "empty": 0, "half-line": 6, "splice": 6}
    assert found == {name: fewer.get(name, 7) for name in found}


class TestCommandLine:
    """`memtui extract SESSION` over a session that is named by its file."""

    def extract(self, case: Case, name: str) -> dict[str, object]:
        (case.root / "memory").mkdir(exist_ok=True)
        path = case.root / f"{name}.jsonl"
        found: dict[str, object] = case.json(
            "extract", str(path), "--memory-dir", str(case.root / "memory")
        )
        return found

    @pytest.mark.parametrize(
        ("name", "messages"),
        [
            *((name, 7) for name in (*WHOLE, "u2028", "nul", "lone-surrogate")),
            ("splice", 6),
            ("half-line", 6),
            ("empty", 0),
            ("array", 2),
        ],
    )
    def test_messages_and_bad_lines_are_counted(self, case: Case, name: str, messages: int) -> None:
        found = self.extract(case, name)
        assert (found["session"], found["messages"]) == (name, messages)
        assert found["broken_lines"] == BROKEN_LINES.get(name, 0)

    def test_bad_lines_are_said(self, case: Case) -> None:
        (case.root / "memory").mkdir()
        where = ("--memory-dir", str(case.root / "memory"))
        answer = case.run("extract", str(case.root / "array.jsonl"), *where)
        assert answer.out.startswith(
            "session array  2 messages, 2 not read before, 4 broken lines skipped\n"
        )
