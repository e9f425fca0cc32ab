"""Session records of both agents, and files of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def qwen(uuid: str, parent: str | None, text: str = "", kind: str = "user", **more: object) -> Json:
    """A Qwen record; its text is one part."""
    role = "model" if kind == "assistant" else "user"
    message = {"role": role, "parts": [{"text": text}]}
    return {"uuid": uuid, "parentUuid": parent, "type": kind, "message": message, **more}


def qwen_call(uuid: str, parent: str | None, call_id: str, name: str, **arguments: str) -> Json:
    """A Qwen record of the assistant that calls a tool."""
    call = {"functionCall": {"id": call_id, "name": name, "args": arguments}}
    message = {"role": "model", "parts": [{"text": "hm", "thought": True}, call]}
    return {"uuid": uuid, "parentUuid": parent, "type": "assistant", "message": message}


def qwen_result(
    uuid: str, parent: str | None, call_id: str, response: Mapping[str, str], status: str = ""
) -> Json:
    """A Qwen record of a tool's result."""
    answer = {"functionResponse": {"id": call_id, "name": "t", "response": dict(response)}}
    record: Json = {
        "uuid": uuid,
        "parentUuid": parent,
        "type": "tool_result",
        "message": {"role": "user", "parts": [answer]},
    }
    if status:
        record["toolCallResult"] = {"callId": call_id, "status": status}
    return record


def claude(content: object, kind: str = "user", answer: str | None = None, **more: object) -> Json:
    """A Claude record; `answer` is its `message.id`."""
    message = {"role": kind, "content": content}
    if answer is not None:
        message["id"] = answer
    return {"type": kind, "uuid": "u", "parentUuid": None, "message": message, **more}


def claude_call(call_id: str, name: str, answer: str | None = None, **arguments: str) -> Json:
    """A Claude record that calls a tool."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    return claude([block], "assistant", answer)


def claude_result(call_id: str, text: str, is_error: bool = False) -> Json:
    """A Claude record of a tool's result."""
    block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    if is_error:
        block["is_error"] = True
    return claude([block])


def lines(records: Iterable[object]) -> bytes:
    """The records as the lines of a file."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def session(folder: Path, records: Iterable[object], name: str = "s1") -> Path:
    """A session file."""
    path = folder / f"{name}.jsonl"
    path.write_bytes(lines(records))
    return path


def append(path: Path, data: bytes) -> None:
    """What an agent does."""
    with open(path, "ab") as file:
        file.write(data)
