"""Records of a session to messages, for both agents (spec section 8, Sessions).

Invariant: pure, and no record raises, whatever it holds: a member of another kind than expected
counts as missing. Texts hold no lone surrogates, so that they can be written anywhere.

A message has one or more records: Qwen writes lines with one uuid, Claude one assistant record per
block of an answer, next to each other and with one `message.id`. `piece_of` reads one record,
`MessageBuilder` joins the pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from memtui.engine.format.own_words import own_words
from memtui.engine.format.times import parse_iso_time
from memtui.engine.types import Agent

Role = Literal["user", "assistant", "tool"]

TYPED_CHARACTERS = 100_000
"""Of a typed message at most this much text is kept; it is cut behind."""
OTHER_CHARACTERS = 2_000
"""Likewise of an answer, and of what the agent wrote in the user's place."""
TOOL_CHARACTERS = 120
"""Likewise of the results of tools, which make up most of a session."""
NAME_CHARACTERS = 4_096
"""Likewise of every other text: a path, a tool's name, an id."""

_EPOCH = datetime(1970, 1, 1)
"""In UTC."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_TYPED = frozenset(("notification", "cron", "mid_turn_user_message"))
_MARKS = ("subtype", "source", "origin", "kind")
"""Members whose value says that a message was not typed."""
_FLAGS = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", *sorted(_NOT_TYPED))
"""Members that say so by being true."""
_THOUGHTS = ("thinking", "redacted_thinking")
_PATH_ARGUMENTS = ("file_path", "absolute_path", "path", "notebook_path")
_ROLES: Mapping[object, Role] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool_result": "tool",
    "tool": "tool",
    "function": "tool",
}


class ToolCall(NamedTuple):
    """One call of a tool by the assistant."""

    name: str
    path: str | None
    """The `file_path`, `absolute_path` or `path` argument as the agent wrote it."""
    succeeded: bool | None
    """None where no result was seen."""


class Message(NamedTuple):
    """One message of a session's history."""

    number: int
    """0-based place in the history of the file."""
    role: Role
    text: str
    """Without thoughts; of role user the person's own words. Cut at the limits above."""
    time_ns: int | None
    tool_calls: tuple[ToolCall, ...]
    is_typed: bool
    """Text that a person typed: not a tool's result, a notification, or what the agent put in."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session, read; `messages` holds those from the number asked for on."""

    session_id: str
    """The stem of the file's name."""
    path: Path
    length: int
    """Messages in the whole history."""
    messages: tuple[Message, ...]
    broken_lines: int
    """Lines that hold anything that is no record and no blank, a last half line included."""
    has_half_line: bool
    """The last of them has no line end: the agent may still be writing it."""
    cwd: str | None
    version: str | None
    first_words: str
    """The first typed message, on one line, cut; empty where there is none."""
    mtime_ns: int
    size_bytes: int
    problem: str = ""
    """One sentence where something could not be read."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a list of sessions tells of one."""

    session_id: str
    path: Path
    mtime_ns: int
    size_bytes: int
    messages: int
    typed: int
    """How many of the messages a person typed."""
    first_words: str
    cwd: str | None
    version: str | None
    broken_lines: int
    problem: str = ""
    """One sentence where something, or the whole file, could not be read."""
    has_half_line: bool = False
    """One of the broken lines has no line end: the agent may still be writing it."""
    is_readable: bool = True
    """False where the whole file could not be read."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a session stands: from the last typed message on."""

    is_complete: bool
    """The last message is the assistant's, has text and calls no tool. That nothing was written
    for 5 s since `ended_ns` is for the caller to see."""
    message_count: int
    last_user: Message | None
    """The last typed message."""
    tool_calls: tuple[ToolCall, ...]
    """All since then."""
    ended_ns: int
    """The mtime of the file."""


class Call(NamedTuple):
    """A tool call of one record, with the id that its result is known by."""

    call_id: str
    name: str
    path: str | None


class Result(NamedTuple):
    """The result of a tool call."""

    call_id: str
    succeeded: bool


class Piece(NamedTuple):
    """What one record adds to a message."""

    role: Role
    text: str
    calls: tuple[Call, ...]
    results: tuple[Result, ...]
    is_typed: bool
    time: object
    """As the record spells it."""


def mended(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def name_of(value: object) -> str | None:
    """A value as a short text; None where it is none, or empty."""
    if isinstance(value, str) and value:
        return mended(value[:NAME_CHARACTERS])
    return None


def is_left_out(record: Mapping[str, object], agent: Agent) -> bool:
    """True for a Claude record beside the conversation: a side chain, or the agent's own note."""
    return agent != "qwen" and bool(record.get("isSidechain") or record.get("isMeta"))


def piece_of(record: Mapping[str, object]) -> Piece | None:
    """What a record says; None where it is no message.

    A record of type user that holds only results is the tool's; beside a result, a text counts
    where a person wrote it.
    """
    role = _ROLES.get(kind) if isinstance(kind := record.get("type"), str) else None
    message = record.get("message")
    if role is None or not isinstance(message, dict):
        return None
    piece = _piece(role, message, record.get("timestamp"))
    if piece.is_typed and not (_says_typed(record) and _says_typed(message)):
        piece = piece._replace(text=piece.text[:OTHER_CHARACTERS], is_typed=False)
    status = record.get("toolCallResult")
    if isinstance(status, dict) and piece.results:
        piece = piece._replace(results=tuple(_with_status(piece.results, status)))
    return piece


def compressed_history(record: Mapping[str, object]) -> list[Mapping[str, object]] | None:
    """The messages that a Qwen record puts in the place of all before it; None for any other.

    `record` is `system/chat_compression`; an entry that is no object is no message.
    """
    if record.get("type") != "system" or record.get("subtype") != "chat_compression":
        return None
    for holder in (record.get("systemPayload"), record):
        if isinstance(holder, dict):
            entries = holder.get("compressedHistory")
            if isinstance(entries, list):
                return [entry for entry in entries if isinstance(entry, dict)]
    return None


def compressed_piece(entry: Mapping[str, object]) -> Piece:
    """What an entry of a compressed history says: never typed, without a time."""
    role = entry.get("role")
    piece = _piece(_ROLES.get(role, "user") if isinstance(role, str) else "user", entry, None)
    if not piece.is_typed:
        return piece
    return piece._replace(text=piece.text[:OTHER_CHARACTERS], is_typed=False)


class MessageBuilder:
    """Joins pieces to messages in the order of the history, and calls to their results."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._waiting: dict[str, tuple[int, int]] = {}
        """By the id of a call without a result: the places of its message and of the call."""
        self._names: dict[str, str] = {}
        """Tools and paths are named again and again; each is kept once."""

    def add(self, number: int, piece: Piece | None) -> None:
        """The next message, by its first piece; without one it is an empty one of the user."""
        if piece is None:
            self._messages.append(Message(number, "user", "", None, (), False))
            return
        time_ns = _time_ns(piece.time)
        calls = self._calls(piece, 0) if piece.calls else ()
        self._messages.append(
            Message(number, piece.role, piece.text, time_ns, calls, piece.is_typed)
        )
        self._settle(piece.results)

    def join(self, piece: Piece) -> None:
        """A further piece of the last message."""
        last = self._messages[-1]
        is_typed = last.is_typed or piece.is_typed
        role: Role = "user" if is_typed else last.role
        text = "\n".join(part for part in (last.text, piece.text) if part)
        self._messages[-1] = last._replace(
            role=role,
            text=_cut(text, role, is_typed),
            time_ns=_time_ns(piece.time) if last.time_ns is None else last.time_ns,
            tool_calls=last.tool_calls + self._calls(piece, len(last.tool_calls), -1),
            is_typed=is_typed,
        )
        self._settle(piece.results)

    def build(self) -> tuple[Message, ...]:
        """All messages."""
        return tuple(self._messages)

    def _calls(self, piece: Piece, first: int, message: int = 0) -> tuple[ToolCall, ...]:
        calls = []
        for place, (call_id, name, path) in enumerate(piece.calls, first):
            self._waiting[call_id] = (len(self._messages) + message, place)
            path = path if path is None else self._names.setdefault(path, path)
            calls.append(ToolCall(self._names.setdefault(name, name), path, None))
        return tuple(calls)

    def _settle(self, results: Iterable[Result]) -> None:
        for call_id, succeeded in results:
            place = self._waiting.pop(call_id, None)
            if place is None:
                continue
            message = self._messages[place[0]]
            calls = list(message.tool_calls)
            name, path, _unknown = calls[place[1]]
            calls[place[1]] = ToolCall(name, path, succeeded)
            number, role, text, time_ns, _calls, is_typed = message
            self._messages[place[0]] = Message(number, role, text, time_ns, tuple(calls), is_typed)


def _piece(role: Role, message: Mapping[str, object], time: object) -> Piece:
    """One message of either agent: Qwen's has `parts`, Claude's `content`."""
    blocks = message.get("parts")
    separator = "" if role == "assistant" and blocks is not None else "\n"
    if blocks is None:
        blocks = message.get("content")
    texts: list[str] = []
    calls: list[Call] = []
    results: list[Result] = []
    output = ""
    for block in _blocks(blocks):
        kind = block.get("type")
        if kind == "tool_use":
            calls.append(_call(block, block.get("input")))
        elif kind == "tool_result":
            results.append(Result(_id(block.get("tool_use_id")), not block.get("is_error")))
            output = output or _output(block.get("content"))
        elif block.get("thought") is True or kind in _THOUGHTS:
            continue
        elif isinstance(text := block.get("text"), str):
            texts.append(text)
        elif isinstance(function := block.get("functionCall"), dict):
            calls.append(_call(function, function.get("args")))
        elif isinstance(answer := block.get("functionResponse"), dict):
            response = answer.get("response")
            response = response if isinstance(response, dict) else {}
            results.append(Result(_id(answer.get("id")), not response.get("error")))
            output = output or _output(response.get("output") or response.get("error"))
    joined = texts[0] if len(texts) == 1 else separator.join(texts)
    is_typed = False
    if role == "user":
        joined = own_words(joined)
        is_typed = bool(joined.strip())
        if results and not is_typed:
            role = "tool"
    if role == "tool":
        joined = joined or output
    text = _cut(joined, role, is_typed)
    return Piece(role, text, tuple(calls), tuple(results), is_typed, time)


def _blocks(content: object) -> list[Mapping[str, object]]:
    """The objects of a content; a bare text stands for one."""
    found = content if isinstance(content, list) else [content]
    return [
        block if isinstance(block, dict) else {"text": block}
        for block in found
        if isinstance(block, (dict, str))
    ]


def _call(block: Mapping[str, object], arguments: object) -> Call:
    path = None
    if isinstance(arguments, dict):
        for key in _PATH_ARGUMENTS:
            path = name_of(arguments.get(key))
            if path is not None:
                break
    return Call(_id(block.get("id")), name_of(block.get("name")) or "", path)


def _id(value: object) -> str:
    return value[:NAME_CHARACTERS] if isinstance(value, str) else ""


def _output(content: object) -> str:
    """The first text of a tool's result."""
    if isinstance(content, str):
        return content
    texts = (text for block in _blocks(content) if isinstance(text := block.get("text"), str))
    return next(texts, "")


def _with_status(results: Iterable[Result], status: Mapping[str, object]) -> Iterator[Result]:
    """The results as `toolCallResult` judges them, which names one call or none."""
    verdict, call_id = status.get("status"), status.get("callId")
    for result in results:
        if isinstance(verdict, str) and call_id in (None, result.call_id):
            yield result._replace(succeeded=verdict == "success")
        else:
            yield result


def _says_typed(holder: Mapping[str, object]) -> bool:
    """False where a record or its message is marked as not typed by a person."""
    for key in _MARKS:
        value = holder.get(key)
        if isinstance(value, str) and value in _NOT_TYPED:
            return False
    return not any(holder.get(flag) is True for flag in _FLAGS)


def _time_ns(time: object) -> int | None:
    """`parse_iso_time`, quicker for the one spelling that both agents use."""
    if not isinstance(time, str) or len(time) != 24 or not time.endswith("Z"):
        return parse_iso_time(time)
    try:
        since = datetime.fromisoformat(time[:23]) - _EPOCH
    except (TypeError, ValueError):
        return parse_iso_time(time)
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


def _cut(text: str, role: Role, is_typed: bool) -> str:
    if role == "tool":
        return mended(text[:TOOL_CHARACTERS])
    return mended(text[: TYPED_CHARACTERS if is_typed else OTHER_CHARACTERS])
