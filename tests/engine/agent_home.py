"""A home with projects and sessions of both agents, for tests of discovery."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memtui.engine.disk.paths import bases, project_key
from memtui.engine.disk.projects import Project, discover
from tests.engine.machine import mkdir

SECOND_NS = 1_000_000_000


def set_age(path: Path, mtime_s: int) -> None:
    os.utime(path, ns=(mtime_s * SECOND_NS, mtime_s * SECOND_NS))


class Home:
    """A home with projects and sessions of both agents."""

    def __init__(self, path: Path) -> None:
        self.path = mkdir(path)
        self.bases = bases({}, path)
        self._sessions = 0

    def memory(self, key: str, *files: str, agent: str = "qwen", mtime_s: int = 1_000) -> Path:
        directory = mkdir(self.path / f".{agent}/projects" / key / "memory")
        for name in files:
            mkdir((directory / name).parent)
            (directory / name).write_text("x\n")
            set_age(directory / name, mtime_s)
        return directory

    def session(
        self, cwd: Path | str, key: str | None = None, agent: str = "qwen", mtime_s: int = 1_000
    ) -> Path:
        key = project_key(str(cwd)) if key is None else key
        directory = mkdir(
            self.path / f".{agent}/projects" / key / ("chats" if agent == "qwen" else "")
        )
        self._sessions += 1
        path = directory / f"{self._sessions:04}.jsonl"
        path.write_text(json.dumps({"type": "user", "cwd": str(cwd)}) + "\n")
        set_age(path, mtime_s)
        return path

    def found(self) -> tuple[Project, ...]:
        discovery = discover(self.bases)
        assert discovery.problems == ()
        return discovery.projects

    def only(self) -> Project:
        (project,) = self.found()
        return project


def folders(project: Project) -> list[tuple[str, bool]]:
    return [(folder.path, folder.exists) for folder in project.folders]
