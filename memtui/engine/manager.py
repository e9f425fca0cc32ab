"""The one object that the command line and the app hold.

Invariant: it writes through the store writer only, and only what a planner made: plan, review,
apply, undo (design section 1).

What a call needs is imported by the first such call: the app paints its first frame before it
scans, and a short command uses half of the engine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.engine.disk.locations import store_dir
from memtui.engine.errors import NoHomeError, UsageError
from memtui.engine.open_stores import OpenStores
from memtui.engine.types import ChangeSet, Entry, Recall, Scope, Store
from memtui.engine.workspace import Target, Workspace

if TYPE_CHECKING:
    from memtui.engine.disk.journal import Purged
    from memtui.engine.disk.log import Logged
    from memtui.engine.disk.recovery import Recovered
    from memtui.engine.disk.store import Applied, StoreWriter, Undone
    from memtui.engine.disk.telemetry import Telemetry
    from memtui.engine.disk.undo import UndoPlan
    from memtui.engine.lifecycle.extracting import Trigger
    from memtui.engine.lifecycle.live import Live
    from memtui.engine.lifecycle.tasks import TaskRecord
    from memtui.engine.plans.forget import ForgetPlan
    from memtui.engine.plans.reindex import RebuildPlan


_BEGINNING = threading.Lock()
"""Held while what runs over time is begun: several workers may ask for it at once."""


class MemoryManager(OpenStores):
    """Everything that can be done with the stores of a target; see `OpenStores` for the rest."""

    _live: Live | None = None
    _telemetry: tuple[Store | None, Telemetry] | None = None

    def open(self, target: Target) -> None:
        """Turn to another target: the next scan is about it, and nothing is followed any more."""
        if self._live is not None:
            self._live.follow(False)
        super().open(target)

    @cached_property
    def writer(self) -> StoreWriter:
        """The only writer; raises NoHomeError where its journal has no place."""
        from memtui.engine.disk.store import StoreWriter

        return StoreWriter(
            self.state_dir,
            is_readonly=self.is_readonly,
            clock_ns=self.clock_ns,
            limits=self.settings.journal,
        )

    def recover(self, workspace: Workspace) -> tuple[Recovered, ...]:
        """Put back what a memtui left unfinished that died; nothing under `is_readonly`."""
        if self.is_readonly:
            return ()
        return self.writer.recover(_stores(workspace))

    def has_unfinished(self, workspace: Workspace) -> bool:
        """True where an act was cut short, or is being done; quick where nothing ever was."""
        try:
            folder = self.state_dir
        except NoHomeError:
            return False
        found = [
            store for store in _stores(workspace) if (store_dir(folder, store) / "journal").is_dir()
        ]
        if not found:
            return False
        from memtui.engine.disk.journal import Journal

        return any(Journal(folder, store).unfinished() for store in found)

    def refusals(self, workspace: Workspace) -> Mapping[Scope, str]:
        """Per scope, why nothing can be written there now; a scope that can be is not in it."""
        found = {}
        for store in _stores(workspace):
            reason = self.writer.refusal(store)
            if reason is not None:
                found[store.scope] = reason
        return found

    def plan_forget(
        self, workspace: Workspace, entries: Sequence[Entry], *, is_bulk: bool = False
    ) -> ForgetPlan:
        """What forgetting `entries` changes (spec section 6); raises RefusedError."""
        from memtui.engine.plans.forget import plan_forget

        return plan_forget(
            workspace.snapshots,
            entries,
            now_ns=self.clock_ns(),
            unseen={scope: workspace.unseen(scope) for scope in workspace.verdicts},
            is_bulk=is_bulk,
        )

    def plan_rebuild(self, workspace: Workspace, scope: Scope) -> RebuildPlan:
        """What a rebuild of the index of `scope` changes (spec section 7).

        Raises UsageError where the scope is not open.
        """
        from memtui.engine.plans.reindex import plan_rebuild

        snapshot = workspace.of(scope)
        if snapshot is None:
            raise UsageError(f"There is no {scope} store here.")
        return plan_rebuild(snapshot, unseen=workspace.unseen(scope))

    def forget(
        self,
        entries: Sequence[Entry],
        change_sets: Sequence[ChangeSet],
        *,
        break_stale: bool = False,
    ) -> Applied:
        """Apply a planned forget of `entries`; raises what the writer raises.

        Where only an index changed since, it is planned once more on what is there now.
        """

        def replan() -> Sequence[ChangeSet]:
            workspace = self.scan()
            wanted = {(entry.scope, entry.id, entry.digest) for entry in entries}
            found = [
                entry
                for entry in _entries(workspace)
                if (entry.scope, entry.id, entry.digest) in wanted
            ]
            return _as_far_as(change_sets, self.plan_forget(workspace, found).change_sets)

        return self.writer.apply(change_sets, replan=replan, break_stale=break_stale)

    def rebuild(self, scope: Scope, *, break_stale: bool = False) -> Applied:
        """Plan and apply a rebuild of the index of `scope`; raises what the writer raises."""

        def plan() -> Sequence[ChangeSet]:
            change_set = self.plan_rebuild(self.scan(), scope).change_set
            return () if change_set.is_empty else (change_set,)

        return self.writer.apply(plan(), replan=plan, break_stale=break_stale)

    def log(self, workspace: Workspace) -> tuple[Logged, ...]:
        """What was done to the open stores, the newest first; raises StoreError."""
        return self.writer.log(_stores(workspace))

    def plan_undo(self, workspace: Workspace, act_id: str | None = None) -> UndoPlan:
        """What undoing an act means now; raises what the writer raises."""
        return self.writer.plan_undo(_stores(workspace), act_id)

    def undo(
        self, workspace: Workspace, act_id: str | None = None, *, break_stale: bool = False
    ) -> Undone:
        """Undo an act, the newest where none is named; raises what the writer raises."""
        return self.writer.undo(_stores(workspace), act_id, break_stale=break_stale)

    def apply_undo(
        self,
        workspace: Workspace,
        act_id: str,
        change_sets: Sequence[ChangeSet],
        *,
        break_stale: bool = False,
    ) -> Applied:
        """Apply a planned undo, or the part of it that was accepted; raises what the writer raises.

        Where only an index changed since, it is planned once more on what is there now.
        """

        def replan() -> Sequence[ChangeSet]:
            return _as_far_as(change_sets, self.plan_undo(workspace, act_id).change_sets)

        return self.writer.apply(change_sets, replan=replan, undoes=act_id, break_stale=break_stale)

    def purge(
        self, workspace: Workspace, act_id: str, *, break_stale: bool = False
    ) -> tuple[Purged, ...]:
        """Remove an act and its old bytes from the journal; raises what the writer raises."""
        return self.writer.purge(_stores(workspace), act_id, break_stale=break_stale)

    # What runs over time; `live` has all of it.

    @property
    def live(self) -> Live:
        """Extract, dream, their schedules, the followed session and the inbox."""
        with _BEGINNING:
            if self._live is None:
                from memtui.engine.lifecycle.live import Live

                self._live = Live(self)
            return self._live

    @property
    def is_live(self) -> bool:
        """Whether `live` was asked for: only then can anything run over time."""
        return self._live is not None

    def schedule_extract(
        self, path: Path | None = None, *, trigger: Trigger = "auto"
    ) -> TaskRecord:
        """Extract in the background from the session at `path`, the newest where it is None."""
        return self.live.schedule_extract(path, trigger=trigger)

    def schedule_dream(
        self, *, trigger: Trigger = "auto", session: str | None = None
    ) -> TaskRecord:
        """Dream in the background; an automatic one asks the gates first."""
        return self.live.schedule_dream(trigger=trigger, session=session)

    def tasks(self) -> tuple[TaskRecord, ...]:
        """What was scheduled, the newest first."""
        return self.live.tasks.records()

    def subscribe(self, callback: Callable[[TaskRecord], None]) -> Callable[[], None]:
        """Call `callback` for each change of a task, from the task's thread; gives the way out."""
        return self.live.tasks.subscribe(callback)

    def drain(self, timeout_s: float) -> bool:
        """Wait until no task is pending or running; False where that takes longer."""
        return self.live.tasks.drain(timeout_s)

    def stop(self, timeout_s: float) -> bool:
        """End all that runs over time, if anything was begun; False where it takes longer."""
        return self._live is None or self._live.stop(timeout_s)

    def telemetry(self, workspace: Workspace) -> Telemetry:
        """The event log of what is open; off where nothing may be written (spec section 10)."""
        from memtui.engine.disk.telemetry import Telemetry, telemetry_is_on

        store = workspace.snapshots[0].store if workspace.snapshots else None
        if self._telemetry is None or self._telemetry[0] != store:
            folder = self.state_dir if store is None else store_dir(self.state_dir, store)
            is_on = not self.is_readonly and telemetry_is_on(self._env, self.settings)
            log = Telemetry(folder, self.state_dir, is_on=is_on, clock_ns=self.clock_ns)
            self._telemetry = (store, log)
        return self._telemetry[1]

    def log_recall(self, workspace: Workspace, recall: Recall, duration_ms: int) -> None:
        """Log that a query was asked; nothing where memtui has no place of its own."""
        from memtui.engine.text import utf16_length

        with suppress(NoHomeError):
            self.telemetry(workspace).recall(
                utf16_length(recall.query),
                recall.scanned,
                len(recall.hits),
                recall.strategy,
                duration_ms,
            )


def _stores(workspace: Workspace) -> tuple[Store, ...]:
    return tuple(snapshot.store for snapshot in workspace.snapshots)


def _as_far_as(accepted: Sequence[ChangeSet], planned: Sequence[ChangeSet]) -> list[ChangeSet]:
    """`planned` without the files that `accepted` leaves out."""
    kept = {(each.store.scope, change.path) for each in accepted for change in each.changes}
    return [each.keeping(lambda *place: place in kept) for each in planned]


def _entries(workspace: Workspace) -> Iterator[Entry]:
    from memtui.engine.format.entries import entries_of

    for snapshot in workspace.snapshots:
        for document in snapshot.documents:
            yield from entries_of(document)
