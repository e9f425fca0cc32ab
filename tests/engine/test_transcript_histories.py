"""The history of a session: which messages it has, in which order (spec section 8, Sessions)."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.transcripts import TranscriptReader
from memtui.engine.format.transcript import Transcript
from memtui.engine.types import Agent
from tests.engine.session_building import (
    Json,
    append,
    claude,
    claude_call,
    claude_result,
    lines,
    qwen,
    qwen_call,
    qwen_result,
    session,
)


def read(path: Path, agent: Agent, start: int = 0) -> Transcript:
    """Read at once, and anew from a reader that knows the file already: both are the same."""
    found = TranscriptReader().read(path, agent, start=start)
    reader = TranscriptReader()
    reader.summary(path, agent)
    assert reader.read(path, agent, start=start) == found
    return found


def texts(path: Path, agent: Agent) -> list[str]:
    found = read(path, agent)
    assert [message.number for message in found.messages] == list(range(found.length))
    return [message.text for message in found.messages]


def compression(uuid: str, parent: str | None, *spoken: str) -> Json:
    entries = [{"role": "user", "parts": [{"text": text}]} for text in spoken]
    payload = {"compressedHistory": entries}
    kind = {"type": "system", "subtype": "chat_compression", "systemPayload": payload}
    return {"uuid": uuid, "parentUuid": parent, **kind}


class TestQwen:
    def test_the_chain_of_parents_from_the_last_line(self, tmp_path: Path) -> None:
        records = [
            qwen("u1", None, "one"),
            qwen("u2", "u1", "left", "assistant"),
            qwen("u3", "u2", "left too"),
            qwen("u4", "u1", "two", "assistant"),
            qwen("u5", "u4", "three"),
        ]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two", "three"]
        records.append({"uuid": "u6", "parentUuid": "u3", "type": "system"})
        assert texts(session(tmp_path, records), "qwen") == ["one", "left", "left too"]

    def test_system_records_are_links_and_no_messages(self, tmp_path: Path) -> None:
        telemetry = {"type": "system", "subtype": "ui_telemetry", "message": {"parts": []}}
        records = [
            qwen("u1", None, "one"),
            {"uuid": "u2", "parentUuid": "u1", **telemetry},
            qwen("u3", "u2", "two", "assistant"),
            {"uuid": "u4", "parentUuid": "u3", **telemetry},
        ]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two"]

    def test_lines_of_one_uuid_are_one_message(self, tmp_path: Path) -> None:
        records = [
            qwen("u1", None, "one"),
            qwen("u2", "u1", "a", "assistant"),
            qwen("u2", "u1", "b", "assistant"),
            qwen("u3", "u2", "two"),
            qwen("u2", "u1", "c", "assistant"),
            qwen("u4", "u3", "three", "assistant"),
        ]
        assert texts(session(tmp_path, records), "qwen") == ["one", "a\nb\nc", "two", "three"]
        assert texts(session(tmp_path, records[:5]), "qwen") == ["one", "a\nb\nc"]

    def test_a_record_that_becomes_a_message_later(self, tmp_path: Path) -> None:
        empty = {"uuid": "u1", "parentUuid": None, "type": "user"}
        records = [empty, qwen("u1", None, "one"), qwen("u2", "u1", "two", "assistant")]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two"]

    @pytest.mark.parametrize("parent", ["never-written", 7, ""])
    def test_a_missing_parent_does_not_hide_the_rest(self, tmp_path: Path, parent: object) -> None:
        records = [
            qwen("u1", None, "one"),
            qwen("u2", "u1", "two", "assistant"),
            {**qwen("u3", None, "three"), "parentUuid": parent},
            qwen("u4", "u3", "four", "assistant"),
        ]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two", "three", "four"]

    def test_records_without_uuids_are_in_the_order_of_the_file(self, tmp_path: Path) -> None:
        bare = [
            {"type": "user", "message": {"parts": [{"text": "one"}]}},
            {"type": "assistant", "message": {"parts": [{"text": "two"}]}},
        ]
        assert texts(session(tmp_path, bare), "qwen") == ["one", "two"]

    def test_a_root_begins_the_history(self, tmp_path: Path) -> None:
        records = [qwen("u1", None, "gone"), qwen("u2", None, "one"), qwen("u3", "u2", "two")]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two"]

    def test_a_parent_that_is_written_later_is_found(self, tmp_path: Path) -> None:
        records = [qwen("u1", None, "one"), qwen("u3", "u2", "three"), qwen("u2", "u1", "two")]
        records.append(qwen("u4", "u3", "four"))
        assert texts(session(tmp_path, records), "qwen") == ["one", "two", "three", "four"]

    @pytest.mark.parametrize("parents", [("a", "b", "c"), ("c", "a", "b"), ("b", "a", "b")])
    def test_circles_of_parents_end(self, tmp_path: Path, parents: tuple[str, ...]) -> None:
        records = [qwen(uuid, parent, uuid) for uuid, parent in zip("abc", parents, strict=True)]
        assert sorted(texts(session(tmp_path, records), "qwen")) == ["a", "b", "c"]

    def test_the_last_compression_replaces_what_is_before(self, tmp_path: Path) -> None:
        records = [
            qwen("u1", None, "one"),
            compression("u2", "u1", "older"),
            qwen("u3", "u2", "two"),
            compression("u4", "u3", "sum", "of it"),
            qwen("u5", "u4", "three"),
            qwen("u6", "u5", "four", "assistant"),
        ]
        path = session(tmp_path, records)
        assert texts(path, "qwen") == ["sum", "of it", "three", "four"]
        found = read(path, "qwen", start=1)
        assert [message.number for message in found.messages] == [1, 2, 3]
        assert [message.is_typed for message in found.messages] == [False, True, False]
        assert found.length == 4
        assert TranscriptReader().summary(path, "qwen").typed == 1
        only = TranscriptReader().read(path, "qwen", only_typed=True).messages
        assert [(each.number, each.text) for each in only] == [(2, "three")]

    def test_a_compression_on_another_branch_replaces_nothing(self, tmp_path: Path) -> None:
        records = [qwen("u1", None, "one"), compression("u2", "u1", "sum"), qwen("u3", "u1", "two")]
        assert texts(session(tmp_path, records), "qwen") == ["one", "two"]

    def test_a_compression_at_the_end(self, tmp_path: Path) -> None:
        records = [qwen("u1", None, "one"), compression("u2", "u1", "sum")]
        path = session(tmp_path, records)
        assert texts(path, "qwen") == ["sum"]
        assert TranscriptReader().turn(path, "qwen").is_complete is False

    def test_calls_know_their_results(self, tmp_path: Path) -> None:
        records = [
            qwen("u1", None, "Do it."),
            qwen_call("u2", "u1", "c1", "write_file", file_path="/m/a.md"),
            qwen_result("u3", "u2", "c1", {"output": "ok"}, "success"),
        ]
        call = read(session(tmp_path, records), "qwen").messages[1].tool_calls
        assert call == (("write_file", "/m/a.md", True),)


class TestClaude:
    def test_the_order_of_the_file(self, tmp_path: Path) -> None:
        records = [
            {"type": "summary", "summary": "x"},
            claude("one", parentUuid="nowhere"),
            claude("aside", isSidechain=True),
            claude("note", isMeta=True),
            {"type": "file-history-snapshot", "message": {"content": "x"}},
            claude("two", "assistant", isSidechain=False),
            {"type": "user"},
            {"type": "system", "content": "x"},
        ]
        assert texts(session(tmp_path, records), "claude") == ["one", "two"]

    def test_records_of_one_answer_next_to_each_other_are_one_message(self, tmp_path: Path) -> None:
        records = [
            claude("one"),
            claude("a", "assistant", "m1"),
            {"type": "progress"},
            claude("b", "assistant", "m1"),
            claude_call("t1", "Read", "m1", file_path="/f"),
            claude_result("t1", "out"),
            claude("c", "assistant", "m1"),
            claude("d", "assistant", "m2"),
            claude("e", "assistant"),
            claude("f", "assistant"),
        ]
        path = session(tmp_path, records)
        assert texts(path, "claude") == ["one", "a\nb", "out", "c", "d", "e", "f"]
        assert read(path, "claude").messages[1].tool_calls == (("Read", "/f", True),)

    def test_what_is_read_can_be_written(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(
            rb'{"type":"user","cwd":"/\ud83d","message":{"content":"cut \ud83d"}}' + b"\n"
            b'{"type":"user","version":"\xff","message":{"content":"bad \xff\xfe byte"}}\n'
        )
        found = read(path, "claude")
        assert [each.text for each in found.messages] == ["cut \ufffd", "bad \ufffd\ufffd byte"]
        assert (found.cwd, found.version) == ("/\ufffd", "\ufffd")
        repr(found).encode()


class TestWhose:
    def test_none_stands_for_the_one_whose_records_it_holds(self, tmp_path: Path) -> None:
        theirs = [qwen("u1", None, "one"), qwen("u2", "u1", "left"), qwen("u3", "u1", "two")]
        assert texts(session(tmp_path, theirs), "none") == ["one", "two"]
        ours = [{"type": "summary"}, claude("one"), claude("aside", isSidechain=True)]
        assert texts(session(tmp_path, ours, "s2"), "none") == ["one"]
        assert texts(session(tmp_path, [], "s3"), "none") == []


@given(
    parents=st.lists(st.integers(-3, 9), min_size=1, max_size=8),
    cuts=st.lists(st.integers(0, 600), max_size=3),
    start=st.integers(0, 6),
)
def test_a_file_read_as_it_grows_is_the_file_read_at_once(
    tmp_path_factory: pytest.TempPathFactory, parents: list[int], cuts: list[int], start: int
) -> None:
    """Whatever its parents are, and wherever the agent was in a line."""
    records = [
        {**qwen(f"u{at % 6}", None, f"m{at}"), "parentUuid": None if to < -1 else f"u{to}"}
        for at, to in enumerate(parents)
    ]
    raw = lines(records)
    path = tmp_path_factory.mktemp("grown") / "s.jsonl"
    path.write_bytes(b"")
    reader = TranscriptReader()
    bounds = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})
    for number, (first, end) in enumerate(itertools.pairwise(bounds)):
        append(path, raw[first:end])
        os.utime(path, ns=(number, number))
        for agent in ("qwen", "claude"):
            reader.turn(path, agent)
            grown = reader.read(path, agent, start=start)
            assert grown == TranscriptReader().read(path, agent, start=start)
            typed = reader.read(path, agent, start=start, only_typed=True).messages
            assert typed == tuple(each for each in grown.messages if each.is_typed)
