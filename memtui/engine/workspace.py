"""What is open: the stores of a target, as they were at one moment.

Invariant: values; nothing here touches a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.paths import Looked
from memtui.engine.errors import StoreError
from memtui.engine.types import Agent, Scope, Scorer, Snapshot, Store, Verdict


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

    def store(self, scope: Scope) -> Store:
        """The store of `scope`; raises StoreError where it is not open."""
        snapshot = self.of(scope)
        if snapshot is None:
            raise StoreError(f"There is no {scope} store here.")
        return snapshot.store

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


def project_title(store: Store) -> str:
    """A short name for the store's project: its folder's name, else its key, else its place."""
    if store.project_dir is not None:
        return store.project_dir.name or str(store.project_dir)
    if store.scope != "project":
        return store.scope
    return store.key or store.memory_dir.name
