"""The one object that the command line and the app hold.

Invariant: it reads; a workspace is the same object as long as nothing on disk changed, so that a
caller compares with `is`. One scan at a time: a lock orders those of several threads.

What a call needs is imported by the first such call: the app paints its first frame before it
scans, and a short command uses half of the engine.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.engine.disk.locations import state_dir
from memtui.engine.disk.paths import (
    Bases,
    Located,
    Looked,
    bases,
    directory_state,
    home_of,
    store_at,
    stores_for,
)
from memtui.engine.disk.settings import Settings, read_settings
from memtui.engine.errors import UsageError
from memtui.engine.types import Agent, Scope, Scorer, Snapshot, Store, Verdict

if TYPE_CHECKING:
    from memtui.engine.disk.agent_lock import LockState
    from memtui.engine.disk.projects import Discovery, Project
    from memtui.engine.disk.scan import Scanner
    from memtui.engine.format.index_report import IndexReport
    from memtui.engine.recall.scoring import Ranker


@dataclass(frozen=True, slots=True)
class Target:
    """What to open: the stores of a working folder, or one memory directory."""

    directory: Path
    """The working folder; also where a relative path starts."""
    memory_dir: Path | None = None
    agent: Agent | None = None
    """One agent's stores only; None: Qwen Code's where there are both."""


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """The stores that are open together, as they were at one moment."""

    snapshots: tuple[Snapshot, ...]
    """In the order project, user, team."""
    verdicts: Mapping[Scope, Mapping[str, Verdict]]
    looked_in: tuple[Looked, ...]
    """Every place that was looked at for a store."""
    qwen_version: str | None
    """Of the newest session of the project; None where none tells."""

    @property
    def agent(self) -> Agent:
        """Whose stores these are; `none` where there is no store."""
        return self.snapshots[0].store.agent if self.snapshots else "none"

    @property
    def project(self) -> Snapshot | None:
        """The snapshot of the project scope."""
        return self.of("project")

    def of(self, scope: Scope) -> Snapshot | None:
        """The snapshot of `scope`; None where it is not open."""
        return next((snap for snap in self.snapshots if snap.store.scope == scope), None)

    @property
    def documents(self) -> int:
        """How many documents there are in all scopes."""
        return sum(len(snapshot.documents) for snapshot in self.snapshots)

    @property
    def has_both_agents(self) -> bool:
        """True where the folder has a project store of either agent."""
        agents = {
            place.store.agent
            for place in self.looked_in
            if place.state == "ok" and place.store.scope == "project"
        }
        return len(agents) > 1

    def unseen(self, scope: Scope) -> list[str]:
        """The paths that the store's agent does not see."""
        return [path for path, verdict in self.verdicts[scope].items() if verdict.seen is False]

    @property
    def auto_scorer(self) -> Scorer:
        """The scorer of the agent version in use (spec section 5, `auto`)."""
        from memtui.engine.recall.versions import scorer_for

        return scorer_for(self.qwen_version if self.agent == "qwen" else None)


class MemoryManager:
    """Finds the stores of a target, scans them, and answers for them.

    `env` is the process environment; `clock_ns` gives the time in nanoseconds since the epoch.
    """

    def __init__(
        self,
        target: Target,
        env: Mapping[str, str] | None = None,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._env = env = os.environ if env is None else env
        self.target = target
        self.clock_ns = clock_ns
        self.home: Path | None = home_of(env)
        self.bases: Bases = bases(env, self.home)
        self.settings: Settings = read_settings(env, self.home)
        """What the user has set, as it was at the start."""
        self._scanner: Scanner | None = None
        self._lock = threading.RLock()
        self._ranker_lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._ranker: tuple[Workspace, Ranker] | None = None
        self._version: tuple[tuple[int, ...], str | None] | None = None
        self._named: Store | None = None

    @property
    def state_dir(self) -> Path:
        """Where memtui keeps its own files (spec section 11); it need not exist.

        Raises NoHomeError where no place can be named.
        """
        return state_dir(self._env, self.home)

    def open(self, target: Target) -> None:
        """Turn to another target; the next scan is about it."""
        with self._lock:
            self.target = target
            self._workspace = self._version = self._named = None
        with self._ranker_lock:
            self._ranker = None

    def scan(self) -> Workspace:
        """The workspace as it is now: the same object where nothing changed.

        Raises NoHomeError where no place for a store can be named.
        """
        from memtui.engine.disk.scan import Scanner
        from memtui.engine.format.visibility import verdicts

        with self._lock:
            located = self._locate()
            self._scanner = scanner = self._scanner or Scanner(self.clock_ns)
            snapshots = tuple(scanner.scan(store) for store in located.stores)
            version = self._qwen_version(located)
            before = self._workspace
            if (
                before is not None
                and len(before.snapshots) == len(snapshots)
                and all(old is new for old, new in zip(before.snapshots, snapshots, strict=True))
                and before.qwen_version == version
                and before.looked_in == located.looked_in
            ):
                return before
            self._workspace = Workspace(
                snapshots,
                {snap.store.scope: verdicts(snap, version) for snap in snapshots},
                located.looked_in,
                version,
            )
            return self._workspace

    def ranker(self, workspace: Workspace, scopes: Collection[Scope] | None = None) -> Ranker:
        """The ranker over `workspace`, kept as long as the workspace stays the same.

        It does not wait for a scan that runs: the screen asks with each key.
        """
        from memtui.engine.recall.scoring import Ranker

        if scopes is not None:
            chosen = [snap for snap in workspace.snapshots if snap.store.scope in scopes]
            return Ranker(chosen, workspace.verdicts, self.clock_ns())
        with self._ranker_lock:
            if self._ranker is None or self._ranker[0] is not workspace:
                ranker = Ranker(workspace.snapshots, workspace.verdicts, self.clock_ns())
                self._ranker = (workspace, ranker)
            return self._ranker[1]

    def index_report(self, workspace: Workspace, scope: Scope) -> IndexReport | None:
        """What the index of `scope` holds and lacks; None where the scope is not open."""
        from memtui.engine.format.index_report import report_index

        snapshot = workspace.of(scope)
        if snapshot is None:
            return None
        return report_index(snapshot, unseen=workspace.unseen(scope))

    def lock_states(self, workspace: Workspace) -> Mapping[Scope, LockState]:
        """What the agent's lock tells now, for each store that can have one (spec section 9)."""
        from memtui.engine.disk.agent_lock import store_lock_state

        now_s = self.clock_ns() / 1e9
        states = (
            (snap.store.scope, store_lock_state(snap.store, now_s)) for snap in workspace.snapshots
        )
        return {scope: state for scope, state in states if state is not None}

    def projects(self) -> Discovery:
        """Every project of both agents that has a memory, most recently used first."""
        from memtui.engine.disk.projects import discover

        return discover(self.bases)

    def target_of(self, project: Project) -> Target:
        """What to open to see `project`: a folder that leads to its memory, else that directory."""
        for folder in project.folders:
            if folder.exists:
                directory = Path(folder.path)
                stores = stores_for(directory, self.bases, project.agent).stores
                if any(store.memory_dir == project.memory_dir for store in stores):
                    return Target(directory, None, project.agent)
        return Target(self.target.directory, project.memory_dir)

    def directory_fault(self) -> str:
        """One sentence where the working folder is no directory; empty where it is one."""
        target = self.target
        return directory_state(target.directory)[1] if target.memory_dir is None else ""

    def _locate(self) -> Located:
        target = self.target
        if target.memory_dir is None:
            return stores_for(target.directory, self.bases, target.agent)
        store = self._named or store_at(target.directory / target.memory_dir, self.bases)
        self._named = store
        if target.agent not in (None, store.agent):
            raise UsageError(
                f"{store.memory_dir} is not a store of {target.agent}: leave --agent out."
            )
        state, message = directory_state(store.memory_dir)
        looked = Looked(store, "the directory named by --memory-dir", state, message)
        return Located((store,), (looked,))

    def _qwen_version(self, located: Located) -> str | None:
        """The version, read again only where a session came or went."""
        store = next((store for store in located.stores if store.scope == "project"), None)
        if store is None or store.agent != "qwen":
            return None
        from memtui.engine.disk.sessions import newest_version, session_dirs

        stamp = tuple(_mtime_ns(directory) for directory in session_dirs(store))
        if self._version is None or self._version[0] != stamp:
            self._version = (stamp, newest_version(store))
        return self._version[1]


def project_title(store: Store) -> str:
    """A short name for the store's project: its folder's name, else its key, else its place."""
    if store.project_dir is not None:
        return store.project_dir.name or str(store.project_dir)
    if store.scope != "project":
        return store.scope
    return store.key or store.memory_dir.name


def _mtime_ns(directory: Path) -> int:
    try:
        return directory.stat().st_mtime_ns
    except OSError:
        return 0
