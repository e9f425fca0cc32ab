"""The open stores of one target, read.

Invariant: a workspace is the same object as long as nothing on disk changed, so that a caller
compares with `is`. One scan at a time: a lock orders those of several threads. Nothing is written.

What a call needs is imported by the first such call: the app paints its first frame before it
scans, and a short command uses half of the engine.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping
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
from memtui.engine.types import Scope, Store
from memtui.engine.workspace import Target, Workspace

if TYPE_CHECKING:
    from memtui.engine.disk.agent_lock import LockState
    from memtui.engine.disk.projects import Discovery, Project
    from memtui.engine.disk.scan import Scanner
    from memtui.engine.format.index_report import IndexReport
    from memtui.engine.plans.candidates import Matcher
    from memtui.engine.recall.scoring import Ranker


class OpenStores:
    """Finds the stores of a target, scans them, and answers for them.

    `env` is the process environment; `is_readonly` refuses every write; `clock_ns` gives the time
    in nanoseconds since the epoch.
    """

    def __init__(
        self,
        target: Target,
        env: Mapping[str, str] | None = None,
        *,
        is_readonly: bool = False,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._env = env = os.environ if env is None else env
        self.is_readonly = is_readonly
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
        self._matcher: tuple[Workspace, Matcher] | None = None

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

    def matcher(self, workspace: Workspace) -> Matcher:
        """What finds entries to forget, kept as long as the workspace stays the same."""
        from memtui.engine.plans.candidates import Matcher

        with self._ranker_lock:
            if self._matcher is None or self._matcher[0] is not workspace:
                self._matcher = (workspace, Matcher(workspace.snapshots))
            return self._matcher[1]

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


def _mtime_ns(directory: Path) -> int:
    try:
        return directory.stat().st_mtime_ns
    except OSError:
        return 0
