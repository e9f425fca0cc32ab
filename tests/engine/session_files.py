"""Session files as the agents write them, for tests."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from memtui.engine.format.times import iso_time

START_NS = 1_790_000_000 * 1_000_000_000
SECOND_NS = 1_000_000_000

Said = tuple[str, str]
"""Who (`user`, `assistant`, `tool`, `write`) and what; `write` is a tool call that writes the
memory file at that path, with its result."""


def qwen_lines(session: str, said: Sequence[Said], start: int = 0, cwd: str = "/w") -> list[str]:
    """The records of a Qwen session; `start` says how many of it are there already."""
    lines: list[str] = []
    parent = f"{session}-{start - 1}" if start else None

    def add(kind: str, parts: list[dict[str, object]]) -> None:
        nonlocal parent
        uuid = f"{session}-{start + len(lines)}"
        record = {
            "uuid": uuid,
            "parentUuid": parent,
            "sessionId": session,
            "timestamp": iso_time(START_NS + (start + len(lines)) * SECOND_NS),
            "type": kind,
            "cwd": cwd,
            "version": "0.24.0",
            "message": {"role": "model" if kind == "assistant" else "user", "parts": parts},
        }
        lines.append(json.dumps(record, ensure_ascii=False))
        parent = uuid

    for who, text in said:
        if who == "write":
            call = {"name": "write_file", "args": {"file_path": text}, "id": f"c{len(lines)}"}
            add("assistant", [{"functionCall": call}])
            result = {"name": "write_file", "id": call["id"], "response": {"output": "written"}}
            add("tool_result", [{"functionResponse": result}])
        else:
            add({"tool": "tool_result"}.get(who, who), [{"text": text}])
    return lines


def write_session(
    folder: Path, session: str, said: Sequence[Said], mtime_ns: int = START_NS
) -> Path:
    """A new Qwen session file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("\n".join(qwen_lines(session, said)) + "\n", "utf-8")
    os.utime(path, ns=(mtime_ns, mtime_ns))
    return path


def append_turn(path: Path, said: Sequence[Said], mtime_ns: int) -> None:
    """More messages at the end of a Qwen session file."""
    count = sum(1 for line in path.read_text("utf-8").split("\n") if line)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(qwen_lines(path.stem, said, count)) + "\n")
    os.utime(path, ns=(mtime_ns, mtime_ns))
