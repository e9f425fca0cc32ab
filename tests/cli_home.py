"""A home with one project for tests of the command line, and ways to run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memtui.cli import main
from memtui.engine.disk.paths import project_key
from memtui.engine.types import Scope

SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Answer:
    """What one call gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output read as JSON, which must be one line."""
        assert self.out.count("\n") == 1
        return json.loads(self.out)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    """Run the command line in this process."""
    capsys.readouterr()
    code = main(arguments)
    captured = capsys.readouterr()
    return Answer(code, captured.out, captured.err)


def call_process(
    *arguments: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdout: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process with warnings as errors."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "memtui",
        *(os.fspath(each) for each in arguments),
    ]
    return subprocess.run(
        command,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=env,
        cwd=cwd,
        check=False,
        timeout=60,
    )


def topic(
    name: str, description: str = "", kind: str = "feedback", body: str = "Body text.\n"
) -> str:
    """A topic file as an agent writes it."""
    head = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n"
    return f"{head}\n{body}" if body else head


class CliHome:
    """A home, a repository in it, and the stores of both agents for that."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "work" / "app"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()
        self.key = project_key(str(self.project))
        self.qwen = self.home / ".qwen" / "projects" / self.key
        self.claude = self.home / ".claude" / "projects" / self.key
        self.memory: dict[Scope, Path] = {
            "project": self.qwen / "memory",
            "user": self.home / ".qwen" / "memories",
            "team": self.project / ".qwen" / "team-memory",
        }

    def write(
        self, path: str, text: str | bytes, scope: Scope = "project", mtime_s: int | None = None
    ) -> Path:
        """Put a file into a store of Qwen Code."""
        return put(self.memory[scope] / path, text, mtime_s)


class HomeCli:
    """The command line, run in the folder of a home's project; every code but 0 is expected."""

    def __init__(
        self, home: CliHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.home = home
        self._capsys = capsys
        monkeypatch.setenv("HOME", str(home.home))
        monkeypatch.chdir(home.project)

    def __call__(self, *arguments: str, code: int = 0) -> Answer:
        answer = call(self._capsys, *arguments)
        assert answer.code == code, answer.err
        return answer

    def json(self, *arguments: str, code: int = 0) -> Any:
        return self(*arguments, "--json", code=code).json

    @property
    def state(self) -> Path:
        """Where memtui keeps its own files."""
        return self.home.home / ".local/state/memtui"


def put(file: Path, text: str | bytes, mtime_s: int | None = None) -> Path:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    if mtime_s is not None:
        os.utime(file, ns=(mtime_s * SECOND_NS, mtime_s * SECOND_NS))
    return file
