"""Where a session stands: its last turn (spec section 8)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.engine.disk.transcripts import TranscriptReader
from memtui.engine.format.transcript import Message
from tests.engine.session_building import (
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


@pytest.fixture
def reader() -> TranscriptReader:
    return TranscriptReader()


def test_a_turn_of_claude(tmp_path: Path, reader: TranscriptReader) -> None:
    path = session(tmp_path, [claude("old"), claude_call("t0", "Edit", file_path="/old")])
    append(path, lines([claude_result("t0", "ok"), claude("Remember it.")]))
    os.utime(path, ns=(3, 9))
    turn = reader.turn(path, "claude")
    assert (turn.is_complete, turn.message_count, turn.ended_ns) == (False, 4, 9)
    assert turn.last_user == Message(3, "user", "Remember it.", None, (), True)
    assert turn.tool_calls == ()
    append(path, lines([claude_call("t1", "Write", "m", file_path="/m/a.md")]))
    turn = reader.turn(path, "claude")
    assert (turn.is_complete, turn.tool_calls) == (False, (("Write", "/m/a.md", None),))
    append(path, lines([claude_result("t1", "ok")]))
    turn = reader.turn(path, "claude")
    assert (turn.is_complete, turn.tool_calls) == (False, (("Write", "/m/a.md", True),))
    append(path, lines([claude([{"type": "thinking", "thinking": "x"}], "assistant", "n")]))
    assert not reader.turn(path, "claude").is_complete
    append(path, lines([claude("Done.", "assistant", "n"), {"type": "system"}]))
    turn = reader.turn(path, "claude")
    assert (turn.is_complete, turn.message_count) == (True, 7)
    assert turn.last_user is not None
    assert turn.last_user.number == 3
    append(path, lines([claude_call("t2", "Bash", "n", command="ls")]))
    assert not reader.turn(path, "claude").is_complete


def test_a_turn_of_qwen(tmp_path: Path, reader: TranscriptReader) -> None:
    records = [
        qwen("u1", None, "Remember it."),
        qwen_call("u2", "u1", "c1", "replace", absolute_path="/m/a.md"),
        qwen_result("u3", "u2", "c1", {"error": "no"}),
        qwen("u4", "u3", "Background task ended.", subtype="notification"),
        qwen("u5", "u4", "Sorry.", "assistant"),
        {"uuid": "u6", "parentUuid": "u5", "type": "system", "subtype": "ui_telemetry"},
    ]
    turn = reader.turn(session(tmp_path, records), "qwen")
    assert (turn.is_complete, turn.message_count) == (True, 5)
    assert turn.last_user is not None
    assert turn.last_user.text == "Remember it."
    assert turn.tool_calls == (("replace", "/m/a.md", False),)


def test_without_a_person(tmp_path: Path, reader: TranscriptReader) -> None:
    path = session(tmp_path, [claude_call("t", "Read", path="/f"), claude("x", "assistant")])
    turn = reader.turn(path, "claude")
    assert (turn.is_complete, turn.last_user) == (True, None)
    assert turn.tool_calls == (("Read", "/f", None),)
    empty = session(tmp_path, [], "s2")
    turn = reader.turn(empty, "claude")
    assert (turn.is_complete, turn.message_count, turn.last_user) == (False, 0, None)
