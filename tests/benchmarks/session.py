"""Speed and memory of reading one long session, of each agent, from its first message on.

Source of the limits: design, section 5. Each round reads in a process of its own, whose peak
memory is that of the reader alone. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.rows import Row

MEGABYTES = 500
LIMIT_MB = 200.0
LEAST_MB_PER_S = 80.0

_ROUNDS = 3
_MB = 1_000_000
_READ = """
import pathlib, re, resource, sys, time
from memtui.engine.disk.transcripts import TranscriptReader
path, agent = pathlib.Path(sys.argv[1]), sys.argv[2]
start = time.perf_counter()
session = TranscriptReader().read(path, agent)
elapsed_s = time.perf_counter() - start
if session.length != len(session.messages) or session.problem or not session.length:
    sys.exit("not read as it was written: " + session.problem)
status = pathlib.Path("/proc/self/status")
if status.exists():
    peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text()).group(1)) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
print(elapsed_s, peak)
"""
"""Linux counts into `ru_maxrss` what the process was before it became this program."""

_WORDS = (
    *("return", "value", "the", "error", "import", "self.assert_equal", "def", "class", "None"),
    *("while", "token", "reader", "42", "path/to/file.py", "->", "{}", "[]", "==", "# comment"),
    *("строка", "値", "café"),
)
_SIZES = (300, 1_200, 2_500, 4_000, 9_000, 18_000, 45_000)
"""Characters of a tool's result."""
_WEIGHTS = (30, 25, 15, 12, 10, 6, 2)


def rows(megabytes: float = MEGABYTES, rounds: int = _ROUNDS) -> list[Row]:
    """Measure reading a session of that size, of each agent, file in the cache."""
    measured = []
    for agent in ("qwen", "claude"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "session.jsonl"
            size = write_session(path, agent, int(megabytes * _MB))
            seen = [_read(path, agent) for _ in range(rounds)]
        work = f"session of {megabytes:g} MB, {agent}"
        speed = median(size / elapsed_s for elapsed_s, _peak in seen) / _MB
        peak = median(peak for _elapsed_s, peak in seen) / _MB
        measured.append(Row(f"{work}, speed", LEAST_MB_PER_S, speed, "MB/s"))
        measured.append(Row(f"{work}, peak memory", LIMIT_MB, peak, "MB"))
    return measured


def write_session(path: Path, agent: str, size_bytes: int) -> int:
    """Write turns until the file has that size; gives its size in bytes."""
    source = random.Random(26)
    outputs = [_output(source, size) for size in _SIZES for _ in range(4)]
    weights = [weight for weight in _WEIGHTS for _ in range(4)]
    written = 0
    parent: str | None = None
    with open(path, "wb") as file:
        while written < size_bytes:
            steps = source.choices(outputs, weights, k=source.randrange(2, 14))
            for body in _turn(agent, source, steps):
                uuid = f"{source.getrandbits(128):032x}"
                frame = {
                    "uuid": uuid,
                    "parentUuid": parent,
                    "sessionId": "6a1f",
                    "timestamp": "2026-09-01T10:00:01.000Z",
                    "cwd": "/home/anna/project",
                    "version": "2.1.200",
                }
                parent = uuid
                line = json.dumps({**frame, **body}, ensure_ascii=False) + "\n"
                written += file.write(line.encode())
    return written


def _turn(agent: str, source: random.Random, outputs: list[str]) -> Iterator[dict[str, Any]]:
    """What is said, thought, called and answered between two messages of the person."""
    make = _qwen if agent == "qwen" else _claude
    yield make("user", text="Please look why the reader drops the last line, and " * 3)
    for output in outputs:
        call = f"call_{source.getrandbits(64):x}"
        yield make("call", text="Let me look at the file first.", call=call)
        yield make("result", text=output, call=call)
    yield make("answer", text="The last line has no line end. I changed it so that " * 12)


def _qwen(kind: str, text: str, call: str = "") -> dict[str, Any]:
    if kind == "result":
        response = {"id": call, "name": "read_file", "response": {"output": text}}
        message = {"role": "user", "parts": [{"functionResponse": response}]}
        status = {"callId": call, "status": "success", "resultDisplay": text[:200]}
        return {"type": "tool_result", "message": message, "toolCallResult": status}
    parts: list[dict[str, Any]] = [{"text": text}]
    if kind == "user":
        return {"type": "user", "message": {"role": "user", "parts": parts}}
    parts.insert(0, {"text": "What does the person want here? " * 10, "thought": True})
    if kind == "call":
        arguments = {"file_path": "/home/anna/project/reader.py"}
        parts.append({"functionCall": {"id": call, "name": "read_file", "args": arguments}})
    return {"type": "assistant", "message": {"role": "model", "parts": parts}}


def _claude(kind: str, text: str, call: str = "") -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if kind == "user":
        return {"type": "user", "message": {"role": "user", "content": text}}
    if kind == "result":
        blocks = [{"type": "tool_result", "tool_use_id": call, "content": text}]
        shown = {"stdout": text, "stderr": "", "interrupted": False}
        message = {"role": "user", "content": blocks}
        return {"type": "user", "message": message, "toolUseResult": shown}
    if kind == "call":
        arguments = {"file_path": "/home/anna/project/reader.py"}
        blocks.append({"type": "tool_use", "id": call, "name": "Read", "input": arguments})
    return {"type": "assistant", "message": {"role": "assistant", "content": blocks}}


def _output(source: random.Random, characters: int) -> str:
    """Lines of a program, with quotes and other scripts among them."""
    lines: list[str] = []
    while characters > 0:
        line = " ".join(source.choices(_WORDS, k=9))
        lines.append(f'    "{line}"' if source.random() < 0.2 else f"    {line}")
        characters -= len(lines[-1]) + 1
    return "\n".join(lines)


def _read(path: Path, agent: str) -> tuple[float, int]:
    """Seconds and peak bytes of one read; raises RuntimeError where it fails."""
    command = [sys.executable, "-c", _READ, str(path), agent]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"reading {path} ended with {done.stderr}")
    elapsed_s, peak_bytes = done.stdout.split()
    return float(elapsed_s), int(peak_bytes)
