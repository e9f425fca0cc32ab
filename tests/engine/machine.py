"""A home with the places of both agents, and a repository, for tests of disk modules."""

from __future__ import annotations

from pathlib import Path

from memtui.engine.disk.paths import bases, project_key


def mkdir(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


class Machine:
    """A home with the places of both agents, and a repository."""

    def __init__(self, root: Path) -> None:
        self.home = mkdir(root / "home")
        self.repo = mkdir(root / "repo")
        mkdir(self.repo / ".git")
        self.sub = mkdir(self.repo / "src/app")
        self.bases = bases({}, self.home)
        self.key = project_key(str(self.repo))
        self.sub_key = project_key(str(self.sub))
        self.qwen = self.home / ".qwen/projects" / self.key / "memory"
        self.claude = self.home / ".claude/projects" / self.key / "memory"
        self.user = self.home / ".qwen/memories"
        self.team = self.repo / ".qwen/team-memory"
