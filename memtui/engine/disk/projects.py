"""Every project of both agents that has a memory, and the folders it belongs to.

Invariant: a folder is only ever learned from the `cwd` in a session, never by turning the dashes
of a key back (spec section 1). Nothing is written, and one bad project hides no other.

What is listed: each `<base>/projects/<key>` that has something named `memory`. A key that holds
sessions only is not listed: there is no memory to look at, and a session is extracted from the
folder that it belongs to.

How many sessions are read: of each key that can belong to a listed project, the heads of the
`SESSIONS_PER_KEY` newest. A folder that was last used before those is not learned.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from memtui.engine.disk.paths import (
    MEMORY,
    PROJECTS,
    Bases,
    absolute,
    directory_state,
    git_root,
    project_key,
)
from memtui.engine.disk.sessions import SessionHead, session_heads
from memtui.engine.errors import StoreError
from memtui.engine.types import INDEX_NAME, Agent

SESSIONS_PER_KEY = 20

_Claim = tuple[str, str]
"""A project's key, and a folder that it belongs to."""


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A folder that a project's sessions were started in, or its git root."""

    path: str
    exists: bool


@dataclass(frozen=True, slots=True)
class Project:
    """One project memory of one agent."""

    key: str
    agent: Agent
    memory_dir: Path
    documents: int
    """Files that a scan takes for topic files (spec section 4)."""
    folders: tuple[ProjectFolder, ...]
    """Existing ones first, then the most recently used; empty where no session tells."""
    is_shared: bool
    """Several folders that are not the same real one have this key."""
    last_used_ns: int
    """The newest mtime of the memory and of the sessions; 0 where nothing could be read."""
    problems: tuple[str, ...] = ()
    """Sentences: what of it could not be read."""

    @property
    def title(self) -> str:
        """The first folder; the key where none is known."""
        return self.folders[0].path if self.folders else self.key


@dataclass(frozen=True, slots=True)
class Discovery:
    """What `discover` found."""

    projects: tuple[Project, ...]
    """Most recently used first, then by agent and key."""
    problems: tuple[str, ...] = ()
    """Sentences: what beside a single project could not be read."""


@dataclass(slots=True)
class _Found:
    """A project while its parts are gathered."""

    memory_dir: Path
    documents: int = 0
    newest_ns: int = 0
    folders: dict[str, int] = field(default_factory=dict)
    """Path of each, with the mtime of its newest session."""
    problems: list[str] = field(default_factory=list)


def discover(bases: Bases, *, sessions_per_key: int = SESSIONS_PER_KEY) -> Discovery:
    """All projects below `bases` that have a memory.

    Raises NoHomeError where the base of neither agent is known.
    """
    bases.require_any()
    projects: list[Project] = []
    problems: list[str] = []
    layouts: tuple[tuple[Agent, Path | None, Path | None, str], ...] = (
        ("qwen", bases.qwen_base, bases.qwen_runtime, "chats"),
        ("claude", bases.claude_base, bases.claude_base, ""),
    )
    for agent, base, runtime, chats in layouts:
        if base is None:
            continue
        found = _memories(base / PROJECTS, problems)
        if runtime is not None and found:
            finder = _FolderFinder(found, bases.is_windows, sessions_per_key)
            finder.learn(runtime / PROJECTS, chats, problems)
        projects += [_project(agent, key, one) for key, one in found.items()]
    projects.sort(key=lambda project: (-project.last_used_ns, project.agent, project.key))
    return Discovery(tuple(projects), tuple(dict.fromkeys(problems)))


def _memories(directory: Path, problems: list[str]) -> dict[str, _Found]:
    """Each key below `directory` that has something named `memory`, with its documents counted."""
    found: dict[str, _Found] = {}
    for key in _names(directory, problems):
        memory_dir = directory / key / MEMORY
        state, message = directory_state(memory_dir)
        if state == "ok":
            found[key] = _counted(memory_dir)
        elif state == "unreadable" or os.path.lexists(memory_dir):
            found[key] = _Found(memory_dir, problems=[message])
    return found


def _names(directory: Path, problems: list[str]) -> list[str]:
    """The sorted names in `directory`; none where it is missing."""
    try:
        return sorted(path.name for path in directory.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(f"{directory} cannot be read: {error.strerror}.")
        return []


def _counted(memory_dir: Path) -> _Found:
    """The topic files below `memory_dir` counted, by the rules of a scan but without reading."""
    found = _Found(memory_dir)
    waiting = [str(memory_dir)]
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith("."):
                            waiting.append(entry.path)
                    elif entry.name[-3:].lower() == ".md":
                        _count(entry, found)
        except OSError as error:
            found.problems.append(f"{directory} cannot be read: {error.strerror}.")
    return found


def _count(entry: os.DirEntry[str], found: _Found) -> None:
    try:
        status = entry.stat()
    except OSError as error:
        found.problems.append(f"{entry.path} cannot be looked at: {error.strerror}.")
        return
    if stat.S_ISREG(status.st_mode):
        found.documents += entry.name != INDEX_NAME
        found.newest_ns = max(found.newest_ns, status.st_mtime_ns)


class _FolderFinder:
    """Learns from sessions which folders each project belongs to.

    A session's working directory belongs for sure to the project of its git root, or, where that
    is none or the directory is gone, to the project of its own key. What only fits by a key of
    its own or of an ancestor (a subfolder of a repository that is gone, say) is kept as a guess,
    and used for a project that nothing belongs to for sure.
    """

    def __init__(self, found: dict[str, _Found], is_windows: bool, limit: int) -> None:
        self._found = found
        self._is_windows = is_windows
        self._limit = limit
        self._guesses: dict[str, dict[str, int]] = {}
        self._owners: dict[str, tuple[_Claim | None, _Claim | None]] = {}

    def learn(self, directory: Path, chats: str, problems: list[str]) -> None:
        """Read the heads of the sessions in each `<directory>/<key>/<chats>`."""
        for key in _names(directory, problems):
            if not self._can_belong(key):
                continue
            own = self._found.get(key)
            heard = problems if own is None else own.problems
            try:
                heads = session_heads(directory / key / chats, self._limit)
            except StoreError as error:
                heard.append(str(error))
                continue
            heard += [head.problem for head in heads if head.problem][:1]
            if own is not None and heads:
                own.newest_ns = max(own.newest_ns, heads[0].mtime_ns)
            for head in heads:
                self._take(head)
        for key, folders in self._guesses.items():
            if not self._found[key].folders:
                self._found[key].folders.update(folders)

    def _can_belong(self, session_key: str) -> bool:
        """A folder's git root is the folder or above it, and so is the start of its key."""
        ends = (i for i, unit in enumerate(session_key) if unit == "-" and i)
        return "-" in self._found or any(
            session_key[:end] in self._found for end in (len(session_key), *ends)
        )

    def _take(self, head: SessionHead) -> None:
        if head.cwd is None:
            return
        if head.cwd not in self._owners:
            self._owners[head.cwd] = self._owners_of(head.cwd)
        sure, guess = self._owners[head.cwd]
        if sure is not None:
            one = self._found[sure[0]]
            one.newest_ns = max(one.newest_ns, head.mtime_ns)
            _note(one.folders, sure[1], head.mtime_ns)
        if guess is not None:
            _note(self._guesses.setdefault(guess[0], {}), guess[1], head.mtime_ns)

    def _owners_of(self, cwd: str) -> tuple[_Claim | None, _Claim | None]:
        """What `cwd` belongs to for sure, and by guess."""
        if not Path(cwd).is_absolute():
            return self._first((cwd,)), None  # of another system: no ancestors to go by
        path = absolute(cwd)
        root = git_root(path) if directory_state(path)[0] == "ok" else None
        sure = self._first((str(root or path),))
        guess = self._first(str(folder) for folder in (path, *path.parents))
        if guess is not None and sure is not None and guess[0] == sure[0]:
            guess = None
        return sure, guess

    def _first(self, folders: Iterable[str]) -> _Claim | None:
        for folder in folders:
            key = project_key(folder, windows=self._is_windows)
            if key in self._found:
                return key, folder
        return None


def _note(folders: dict[str, int], folder: str, mtime_ns: int) -> None:
    folders[folder] = max(mtime_ns, folders.get(folder, 0))


def _project(agent: Agent, key: str, found: _Found) -> Project:
    known = [
        (not _may_exist(folder), -mtime_ns, folder) for folder, mtime_ns in found.folders.items()
    ]
    return Project(
        key=key,
        agent=agent,
        memory_dir=found.memory_dir,
        documents=found.documents,
        folders=tuple(ProjectFolder(folder, not is_gone) for is_gone, _, folder in sorted(known)),
        is_shared=len({os.path.normcase(os.path.realpath(folder)) for folder in found.folders}) > 1,
        last_used_ns=found.newest_ns,
        problems=tuple(found.problems),
    )


def _may_exist(folder: str) -> bool:
    """False only where it is certain that there is no such folder on this system."""
    path = Path(folder)
    return path.is_absolute() and directory_state(path)[0] in ("ok", "unreadable")
