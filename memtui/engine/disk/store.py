"""The only writer of stores (design section 1).

Invariant: after `apply` returns, everything is as planned and can be undone; after it raises,
everything is as before. Nothing outside a store's real directory, the agent's state files and
memtui's own state directory is ever written. With `is_readonly` nothing is.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtui.engine.disk.act import conflict
from memtui.engine.disk.agent_lock import LockState
from memtui.engine.disk.calls import SYSTEM, Calls
from memtui.engine.disk.files import is_denied, reason_of
from memtui.engine.disk.guard import hold_stores, in_order, leftover_pids
from memtui.engine.disk.journal import Journal, Purged, new_id
from memtui.engine.disk.journal_entry import JournalEntry, Left
from memtui.engine.disk.log import Logged, acts_on, find_act
from memtui.engine.disk.paths import directory_state
from memtui.engine.disk.places import real_root
from memtui.engine.disk.recovery import Recovered
from memtui.engine.disk.replace import TEMPORARY
from memtui.engine.disk.replanning import may_differ, topic_changes
from memtui.engine.disk.restart import open_acts, recover_store
from memtui.engine.disk.settings import JournalSettings
from memtui.engine.disk.store_lock import busy_reason
from memtui.engine.disk.undo import UndoPlan, plan_store
from memtui.engine.disk.writing import prepare, write
from memtui.engine.errors import (
    ConflictError,
    ReadOnlyError,
    RefusedError,
    StoreError,
)
from memtui.engine.types import OWN_STATES, ChangeSet, Store

Replan = Callable[[], Sequence[ChangeSet]]

_ATTEMPTS = 3
_EVICTS_EVERY = 32
_READ_ONLY = "memtui was started with --readonly, so nothing is written."


@dataclass(frozen=True, slots=True)
class Applied:
    """What an act came to."""

    group: str
    """The ID by which it is undone; empty where there was nothing to write."""
    entries: tuple[JournalEntry, ...] = ()
    """One for each store, in the order of their real paths."""
    cleared: tuple[LockState, ...] = ()
    """Stale locks of agents that were removed for it."""
    recovered: tuple[Recovered, ...] = ()
    """Acts of a memtui that died, which were put back first."""
    change_sets: tuple[ChangeSet, ...] = ()
    """What was written, as it was planned in the end, in the order of `entries`."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo came to."""

    id: str
    """The act that was undone."""
    restored: tuple[str, ...]
    """Files and state files that went back, of all stores."""
    left: tuple[Left, ...]
    """What others have changed since: it stays."""
    applied: Applied | None
    """The undo's own act: undoing it is the redo. None where nothing was left to reverse."""


class StoreWriter:
    """Applies change sets, takes them back, and recovers what a crash left.

    `state_dir` is memtui's own state directory, made at the first write. `clock_ns` gives the
    time in nanoseconds since the epoch; `limits` bound the journal. `calls` is for tests.
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        is_readonly: bool = False,
        clock_ns: Callable[[], int] = time.time_ns,
        lock_timeout_s: float = 2.0,
        limits: JournalSettings | None = None,
        calls: Calls = SYSTEM,
    ) -> None:
        self.state_dir = state_dir
        self.is_readonly = is_readonly
        self._clock_ns = clock_ns
        self._timeout_s = lock_timeout_s
        self._limits = limits or JournalSettings()
        self._calls = calls
        self._applied = 0

    def apply(
        self,
        change_sets: Sequence[ChangeSet],
        *,
        replan: Replan | None = None,
        undoes: str | None = None,
        break_stale: bool = False,
        look_up: Callable[[], None] | None = None,
    ) -> Applied:
        """Carry out one act: one change set for each store, all of them or nothing.

        `replan` plans once more, with the locks held, where only an index or a state file is not
        as planned; it is followed if it changes topic files in the same way. `undoes` is the ID of
        the act that is reversed. `break_stale` removes a stale lock of an agent. `look_up` is
        called before each file is written: what it raises (StoppedError) stops the act.

        Raises ReadOnlyError, LockedError, ConflictError (its `paths` are not as planned),
        RefusedError, StoreError (what the system says); everything is as before then.
        """
        self._refuse_readonly()
        sets = self._ordered(change_sets)
        if not sets:
            return Applied("")
        stores = [change_set.store for change_set in sets]
        recovered: list[Recovered] = []
        try:
            for _attempt in range(_ATTEMPTS):
                for store in stores:
                    recovered.extend(self._recover(store, self._timeout_s, sweeps=False))
                with hold_stores(
                    self._calls,
                    self.state_dir,
                    stores,
                    own_timeout_s=self._timeout_s,
                    agent_timeout_s=self._timeout_s,
                    breaks_stale=break_stale,
                ) as cleared:
                    if open_acts(self._journal(store) for store in stores):
                        continue  # another memtui died just now, between the two looks
                    entries, written = self._apply_locked(sets, replan, undoes, look_up)
                    return Applied(
                        entries[0].id if entries else "",
                        entries,
                        tuple(cleared.values()),
                        tuple(recovered),
                        written,
                    )
        except OSError as error:
            raise _told(error, self.state_dir, stores) from error
        raise StoreError(
            next((each.problem for each in recovered if each.problem), "")
            or "An earlier act was not finished and cannot be put back now; try again."
        )

    def recover(self, stores: Iterable[Store]) -> tuple[Recovered, ...]:
        """Finish or put back what a memtui left that died; to be called when stores are opened.

        Also removes temporary files of dead processes and journal entries beyond the limits.
        Raises nothing: what cannot be done now is a problem of the result. Nothing under
        `is_readonly`, and where another memtui is at work.
        """
        if self.is_readonly:
            return ()
        found: list[Recovered] = []
        for store in in_order(stores):
            found.extend(self._recover(store, 0.0, sweeps=True))
        return tuple(found)

    def plan_undo(self, stores: Sequence[Store], entry_id: str | None = None) -> UndoPlan:
        """What undoing an act means now: its change sets, and what would be left as it is.

        `entry_id` is the ID of an act on one of `stores` or the end of one; None: the latest act
        that is neither an undo nor undone. All stores of the act take part. To be applied with
        `undoes=plan.id`.

        Raises UnknownIdError, AmbiguousIdError; RefusedError for an act that was not applied;
        StoreError where the journal cannot be read.
        """
        try:
            act = find_act(acts_on(self.state_dir, stores), entry_id)
            if not act.is_applied:
                raise RefusedError(f"{act.id} was not carried out, so there is nothing to undo.")
            parts = []
            for entry in act.entries:
                journal = self._journal(entry.store)
                parts.append(plan_store(entry, _images(journal, entry.id), self.state_dir))
        except OSError as error:
            raise StoreError(f"The journal cannot be read: {reason_of(error)}.") from error
        return UndoPlan(act.id, tuple(parts))

    def undo(
        self, stores: Sequence[Store], entry_id: str | None = None, *, break_stale: bool = False
    ) -> Undone:
        """Undo an act in all its stores; `entry_id` as in `plan_undo`. It is journalled itself.

        Raises what `plan_undo` and `apply` raise.
        """
        self._refuse_readonly()
        for attempt in range(_ATTEMPTS):
            plan = self.plan_undo(stores, entry_id)
            entry_id = plan.id
            try:
                applied = self.apply(
                    plan.change_sets,
                    replan=partial(self._undo_sets, stores, plan.id),
                    undoes=plan.id,
                    break_stale=break_stale,
                )
            except ConflictError:
                # What changed between the plan and the lock is left, by a new plan.
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            if not applied.entries:
                return Undone(plan.id, (), plan.left, None)
            restored = tuple(
                file.path
                for entry in applied.entries
                for file in (*entry.files, *entry.state_files)
                if file.path not in OWN_STATES
            )
            return Undone(plan.id, restored, plan.left, applied)
        raise AssertionError("unreachable")

    def log(self, stores: Iterable[Store]) -> tuple[Logged, ...]:
        """What was done to `stores`, the newest first; raises StoreError.

        Without what was put back again, unless something could not be.
        """
        try:
            return tuple(
                act
                for act in acts_on(self.state_dir, stores)
                if any(entry.status != "rolled-back" or entry.left for entry in act.entries)
            )
        except OSError as error:
            raise StoreError(f"The journal cannot be read: {reason_of(error)}.") from error

    def purge(
        self, stores: Sequence[Store], entry_id: str, *, break_stale: bool = False
    ) -> tuple[Purged, ...]:
        """Remove an act from the journal, with the old bytes: it can no longer be undone.

        `break_stale` removes a stale lock of an agent that is in the way.

        Raises ReadOnlyError, UnknownIdError, AmbiguousIdError, LockedError, RefusedError where the
        act is not finished, StoreError.
        """
        self._refuse_readonly()
        try:
            act = find_act(acts_on(self.state_dir, stores), entry_id)
            involved = [entry.store for entry in act.entries]
            with hold_stores(
                self._calls,
                self.state_dir,
                involved,
                own_timeout_s=self._timeout_s,
                agent_timeout_s=self._timeout_s,
                breaks_stale=break_stale,
            ):
                return tuple(self._journal(store).purge(act.id) for store in reversed(involved))
        except OSError as error:
            raise StoreError(f"The journal cannot be changed: {reason_of(error)}.") from error

    def refusal(self, store: Store) -> str | None:
        """Why nothing can be written to `store` now, in one sentence; None where it can."""
        if self.is_readonly:
            return _READ_ONLY
        root = real_root(store.memory_dir)
        state, message = directory_state(store.memory_dir)
        if state == "missing" and not store.memory_dir.is_symlink():
            while not root.exists():
                root = root.parent
        elif state != "ok":
            return message
        if not os.access(root, os.W_OK | os.X_OK):
            return f"{root} may not be written by your user; give it the right to write there."
        try:
            pids = leftover_pids(self._journal(store))
            return busy_reason(self.state_dir, store, pids)
        except OSError as error:
            return f"memtui's own directory {self.state_dir} does not serve: {reason_of(error)}."

    def _refuse_readonly(self) -> None:
        if self.is_readonly:
            raise ReadOnlyError(_READ_ONLY)

    def _journal(self, store: Store) -> Journal:
        return Journal(self.state_dir, store, self._calls)

    def _undo_sets(self, stores: Sequence[Store], entry_id: str) -> tuple[ChangeSet, ...]:
        return self.plan_undo(stores, entry_id).change_sets

    def _ordered(self, change_sets: Iterable[ChangeSet]) -> list[ChangeSet]:
        """The change sets that are not empty, by real path. Raises ValueError for a double."""
        by_root: dict[Path, ChangeSet] = {}
        for change_set in change_sets:
            root = real_root(change_set.store.memory_dir)
            if root in by_root:
                raise ValueError(f"two change sets for {root} in one act")
            by_root[root] = change_set
        return [by_root[root] for root in sorted(by_root) if not by_root[root].is_empty]

    def _apply_locked(
        self,
        sets: list[ChangeSet],
        replan: Replan | None,
        undoes: str | None,
        look_up: Callable[[], None] | None,
    ) -> tuple[tuple[JournalEntry, ...], tuple[ChangeSet, ...]]:
        for attempt in range(_ATTEMPTS):
            try:
                return self._write(sets, undoes, look_up), tuple(sets)
            except ConflictError as error:
                if replan is None or attempt == _ATTEMPTS - 1 or not may_differ(error.paths):
                    raise
                again = self._ordered(replan())
                if topic_changes(again) != topic_changes(sets):
                    raise
                known = {change_set.store.memory_dir for change_set in sets}
                if not {change_set.store.memory_dir for change_set in again} <= known:
                    raise
                sets = again
        raise AssertionError("unreachable")

    def _write(
        self,
        sets: Sequence[ChangeSet],
        undoes: str | None,
        look_up: Callable[[], None] | None,
    ) -> tuple[JournalEntry, ...]:
        shares = [
            prepare(self._calls, self.state_dir, each, undoes, self._clock_ns()) for each in sets
        ]
        differing = [path for share in shares for path in share.differing]
        if differing:
            raise conflict(differing)
        shares = [share for share in shares if share.all_steps]
        if not shares:
            return ()
        journals = [share.journal for share in shares]
        entries = write(
            self._calls,
            self.state_dir,
            shares,
            act_id=new_id(self.state_dir, journals, self._clock_ns()),
            undoes=undoes,
            pid=os.getpid(),
            clock_ns=self._clock_ns,
            look_up=look_up,
        )
        self._applied += 1
        if self._applied % _EVICTS_EVERY == 0:
            for journal in journals:
                with suppress(OSError):
                    journal.evict(self._limits, self._clock_ns())
        return entries

    def _recover(self, store: Store, timeout_s: float, *, sweeps: bool) -> tuple[Recovered, ...]:
        return recover_store(
            self._calls,
            self.state_dir,
            store,
            limits=self._limits,
            clock_ns=self._clock_ns,
            timeout_s=timeout_s,
            sweeps=sweeps,
        )


def _images(journal: Journal, entry_id: str) -> Callable[[str], bytes]:
    return lambda stored: journal.image(entry_id, stored)


def _told(error: OSError, state_dir: Path, stores: Sequence[Store]) -> StoreError | ReadOnlyError:
    """What the system says, as a sentence, with the place that a person knows."""
    where = stores[0].memory_dir if error.filename is None else Path(os.fsdecode(error.filename))
    if where.is_relative_to(state_dir):
        where = state_dir
    elif TEMPORARY.match(where.name):
        where = where.parent
    sentence = f"Nothing was written: {reason_of(error)} ({where})."
    if is_denied(error) or error.errno == errno.EROFS:
        return ReadOnlyError(sentence)
    return StoreError(sentence)
