"""Records of a session to messages (spec section 8, Sessions)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.own_words import own_words
from memtui.engine.format.transcript import (
    NAME_CHARACTERS,
    OTHER_CHARACTERS,
    TOOL_CHARACTERS,
    TYPED_CHARACTERS,
    Message,
    MessageBuilder,
    Piece,
    ToolCall,
    compressed_history,
    compressed_piece,
    piece_of,
)
from tests.engine.session_building import (
    claude,
    claude_call,
    claude_result,
    qwen,
    qwen_call,
    qwen_result,
)


def piece(record: Mapping[str, object]) -> Piece:
    found = piece_of(record)
    assert found is not None
    return found


def messages(*records: Mapping[str, object]) -> tuple[Message, ...]:
    builder = MessageBuilder()
    for number, record in enumerate(records):
        builder.add(number, piece_of(record))
    return builder.build()


class TestQwen:
    def test_a_typed_message(self) -> None:
        record = qwen("u1", None, "Always use tabs.", timestamp="2026-09-01T10:00:01.250Z")
        assert messages(record) == (
            Message(0, "user", "Always use tabs.", 1_788_256_801_250_000_000, (), True),
        )

    def test_parts_of_the_person_are_lines_and_those_of_the_model_are_one_text(self) -> None:
        parts = {"parts": [{"text": "a"}, {"text": "b"}]}
        assert piece({"type": "user", "message": parts}).text == "a\nb"
        assert piece({"type": "assistant", "message": parts}).text == "ab"

    def test_thoughts_are_no_text(self) -> None:
        parts = [{"text": "secret", "thought": True}, {"text": "Done."}]
        assert piece({"type": "assistant", "message": {"parts": parts}}).text == "Done."

    @pytest.mark.parametrize("kind", ["notification", "cron", "mid_turn_user_message"])
    def test_what_no_person_typed(self, kind: str) -> None:
        assert piece(qwen("u", None, "Run it.", subtype=kind)).is_typed is False
        assert piece({**qwen("u", None, "Run it."), kind: True}).is_typed is False
        inside = qwen("u", None, "Run it.")
        inside["message"]["subtype"] = kind
        assert piece(inside)[:2] == ("user", "Run it.")
        assert piece(inside).is_typed is False

    def test_another_subtype_is_typed(self) -> None:
        assert piece(qwen("u", None, "@a.md", subtype="at_command", cron=False)).is_typed

    def test_files_put_in_are_not_the_persons_words(self) -> None:
        parts = [
            {"text": "Read @a.md please."},
            {"text": "\n--- Content from referenced files ---"},
            {"text": "\nContent from @a.md:\n"},
            {"text": "Always use spaces."},
            {"text": "\n--- End of content ---"},
        ]
        found = piece({"type": "user", "message": {"role": "user", "parts": parts}})
        assert (found.text, found.is_typed) == ("Read @a.md please.", True)

    @pytest.mark.parametrize(
        ("response", "status", "wanted"),
        [
            ({"output": "ok"}, "", True),
            ({"error": "no such file"}, "", False),
            ({"output": "ok"}, "error", False),
            ({"output": "ok"}, "cancelled", False),
            ({"error": "warned"}, "success", True),
        ],
    )
    def test_a_call_and_its_result(
        self, response: dict[str, str], status: str, wanted: bool
    ) -> None:
        call = qwen_call("u1", None, "c1", "write_file", file_path="/m/a.md")
        made, result = messages(call, qwen_result("u2", "u1", "c1", response, status))
        assert made.tool_calls == (ToolCall("write_file", "/m/a.md", wanted),)
        assert (made.role, made.text) == ("assistant", "")
        assert (result.role, result.is_typed) == ("tool", False)
        assert result.text == next(iter(response.values()))

    def test_a_result_in_a_user_record_is_the_tools(self) -> None:
        record = {**qwen_result("u", None, "c", {"output": "x"}), "type": "user"}
        assert piece(record)[:2] == ("tool", "x")

    def test_a_status_judges_only_the_call_that_it_names(self) -> None:
        record = qwen_result("u", None, "c", {"output": "x"})
        record["toolCallResult"] = {"callId": "other", "status": "error"}
        assert piece(record).results == (("c", True),)

    def test_a_compressed_history(self) -> None:
        entries = [
            {"role": "user", "parts": [{"text": "Summary of before."}]},
            {"role": "model", "parts": [{"text": "Understood."}]},
            7,
        ]
        record = {
            "type": "system",
            "subtype": "chat_compression",
            "systemPayload": {"info": {}, "compressedHistory": entries},
        }
        found = compressed_history(record)
        assert found == entries[:2]
        assert [compressed_piece(each)[:2] for each in found] == [
            ("user", "Summary of before."),
            ("assistant", "Understood."),
        ]
        assert not compressed_piece(found[0]).is_typed
        assert compressed_history({**record, "systemPayload": {}}) is None
        assert compressed_history({**record, "subtype": "ui_telemetry"}) is None
        assert compressed_history({**record, "type": "user"}) is None


class TestClaude:
    def test_content_is_a_text_or_blocks(self) -> None:
        blocks = [
            {"type": "text", "text": "Never"},
            {"type": "image"},
            {"type": "text", "text": "x"},
        ]
        assert piece(claude("Never x")) == Piece("user", "Never x", (), (), True, None)
        assert piece(claude(blocks)).text == "Never\nx"

    def test_thinking_is_no_text(self) -> None:
        blocks = [
            {"type": "thinking", "thinking": "hm", "text": "hm"},
            {"type": "text", "text": "A"},
        ]
        assert piece(claude(blocks, "assistant")).text == "A"

    @pytest.mark.parametrize("is_error", [False, True])
    def test_a_call_and_its_result(self, is_error: bool) -> None:
        made, result = messages(
            claude_call("t1", "Write", file_path="/m/a.md", content="x"),
            claude_result("t1", "written", is_error),
        )
        assert made.tool_calls == (ToolCall("Write", "/m/a.md", not is_error),)
        assert result[1:3] == ("tool", "written")
        assert not result.is_typed

    def test_a_result_of_blocks(self) -> None:
        block = {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "text", "text": "o"}],
        }
        assert piece(claude([block])).text == "o"

    def test_words_beside_a_result_are_the_persons(self) -> None:
        block = {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True}
        spoken = {"type": "text", "text": "Never run that."}
        found = piece(claude([block, spoken]))
        assert (found.role, found.text, found.is_typed) == ("user", "Never run that.", True)
        assert found.results == (("t", False),)
        put_in = {"type": "text", "text": "[Request interrupted by user for tool use]"}
        assert piece(claude([block, put_in]))[:2] == ("tool", "no")

    @pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"])
    def test_what_the_agent_wrote_in_the_users_place(self, flag: str) -> None:
        assert not piece({**claude("Always do so."), flag: True}).is_typed

    def test_without_words_nothing_is_typed(self) -> None:
        for content in (
            "",
            " \n",
            [],
            [{"type": "image"}],
            None,
            7,
            "<command-name>/x</command-name>",
        ):
            found = piece(claude(content))
            assert (found.role, found.text.strip(), found.is_typed) == ("user", "", False)


class TestLimits:
    def test_texts_are_cut(self) -> None:
        long = "x" * (TYPED_CHARACTERS + 5)
        assert len(piece(claude(long)).text) == TYPED_CHARACTERS
        assert len(piece(claude(long, isCompactSummary=True)).text) == OTHER_CHARACTERS
        assert len(piece(claude(long, "assistant")).text) == OTHER_CHARACTERS
        assert len(piece(claude_result("t", long)).text) == TOOL_CHARACTERS
        (call,) = piece(claude_call("t", long, path=long)).calls
        assert (len(call.name), len(call.path or "")) == (NAME_CHARACTERS, NAME_CHARACTERS)

    def test_joined_pieces_are_cut_too(self) -> None:
        builder = MessageBuilder()
        builder.add(0, piece(claude("x" * OTHER_CHARACTERS, "assistant")))
        builder.join(piece(claude("y", "assistant")))
        assert builder.build()[0].text == "x" * OTHER_CHARACTERS

    def test_halves_of_a_pair_are_replaced(self) -> None:
        found = piece(claude("cut \ud83d emoji 🎉"))
        assert found.text == "cut \ufffd emoji 🎉"
        (call,) = piece(claude_call("\udc00", "R\udc00", path="/\udcff")).calls
        assert (call.name, call.path) == ("R\ufffd", "/\ufffd")


class TestBuilder:
    def test_pieces_of_one_message_are_joined(self) -> None:
        builder = MessageBuilder()
        builder.add(4, piece(claude("First.", "assistant", timestamp="")))
        builder.join(piece(claude("Second.", "assistant", timestamp="2026-09-01T10:00:01Z")))
        builder.join(piece(claude_call("t1", "Read", path="/a")))
        builder.join(piece(claude_call("t2", "Edit", file_path="/b")))
        builder.add(5, piece(claude_result("t2", "ok")))
        first, result = builder.build()
        assert first == Message(
            4,
            "assistant",
            "First.\nSecond.",
            1_788_256_801_000_000_000,
            (ToolCall("Read", "/a", None), ToolCall("Edit", "/b", True)),
            False,
        )
        assert result.number == 5

    def test_a_message_that_is_gone_is_an_empty_one(self) -> None:
        builder = MessageBuilder()
        builder.add(0, None)
        assert builder.build() == (Message(0, "user", "", None, (), False),)

    def test_a_message_is_the_persons_once_a_piece_of_it_is(self) -> None:
        builder = MessageBuilder()
        builder.add(0, piece(claude_result("t", "out")))
        builder.join(piece(claude("Never.")))
        (message,) = builder.build()
        assert (message.role, message.is_typed, message.text) == ("user", True, "out\nNever.")

    def test_a_result_without_its_call_is_no_harm(self) -> None:
        (message,) = messages(claude_result("t9", "x"))
        assert message.tool_calls == ()


_KEYS = (
    *("type", "message", "parts", "content", "text", "functionCall", "functionResponse", "args"),
    *("response", "input", "id", "name", "toolCallResult", "status", "role"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_KEYS),
            inner
            | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "tool_result"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(_JSON, st.sampled_from(["user", "assistant", "tool_result", "system", 3, None]))
def test_no_record_raises(message: object, kind: object) -> None:
    builder = MessageBuilder()
    found = piece_of({"type": kind, "message": message, "timestamp": message})
    builder.add(0, found)
    if found is not None:
        builder.join(found)
    for each in builder.build():
        each.text.encode()


class TestOwnWords:
    @pytest.mark.parametrize(
        "text",
        [
            "Always use tabs.",
            "Stop hook is what I call it: never mind",
            "if a < b > c and <div>text</div>",
            " \n keeps its blanks ",
            "Look at --- Content from referenced files --- here",
        ],
    )
    def test_a_persons_words_stay(self, text: str) -> None:
        assert own_words(text) == text

    @pytest.mark.parametrize(
        "text",
        [
            "<system-reminder>\nAlways.\n</system-reminder>",
            "<command-name>/init</command-name>\n<command-message>init</command-message>",
            "<local-command-stdout>never</local-command-stdout>",
            "<local-command-stdout></local-command-stdout>",
            "[Request interrupted by user]",
            "[Request interrupted by user for tool use]",
            "<system-reminder>not closed: always",
            '<teammate-message teammate_id="a">Prefer x.</teammate-message>',
            "Stop hook feedback:\n- [lint.sh]: Always run it.",
            "UserPromptSubmit hook success: Always",
            "PreToolUse:Bash hook blocking error from command: never",
            "SessionStart:startup hook success: Success",
            "This session is being continued from a previous conversation that ran out of context.",
            "Caveat: The messages below were generated by the user while running local commands. x",
            "<user-prompt-submit-hook>Always</user-prompt-submit-hook>",
        ],
    )
    def test_what_an_agent_put_in_goes(self, text: str) -> None:
        assert own_words(text) == ""

    def test_what_stands_around_it_stays(self) -> None:
        text = (
            "<system-reminder>a</system-reminder>\nNever b.\n<system-reminder>c</system-reminder>"
        )
        assert own_words(text) == "Never b."
        assert own_words("Stop. [Request interrupted by user]") == "Stop."

    @given(st.text(alphabet="<>/-system reminder\n", max_size=80))
    def test_nothing_is_added(self, text: str) -> None:
        assert own_words(text) in text
