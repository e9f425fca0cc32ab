"""Dream: its gates, its plan, and how it is carried out (spec section 9).

Invariant: a dream writes through the store writer alone, its `meta.json` in the same act; one that
fails writes nothing. Only an automatic run asks the gates, and only its look at the sessions counts
as the last scan.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memtui.engine.disk.agent_lock import (
    LockState,
    break_stale_lock,
    makes_lock,
    store_lock_state,
)
from memtui.engine.disk.own_state import SWITCHES, edit_own, read_own
from memtui.engine.disk.places import real_root
from memtui.engine.errors import (
    LockedError,
    MemtuiError,
    ReadOnlyError,
    StoppedError,
    StoreError,
)
from memtui.engine.format.times import iso_time, milliseconds
from memtui.engine.lifecycle.host import Host
from memtui.engine.lifecycle.meta import read_meta
from memtui.engine.lifecycle.sessions import newest_session, project_sessions, the_same
from memtui.engine.plans.gates import DreamSituation, Gates, gates_of
from memtui.engine.types import ChangeSet, Scope, Store
from memtui.engine.workspace import Workspace

if TYPE_CHECKING:
    from memtui.engine.disk.store import Applied
    from memtui.engine.near import Work
    from memtui.engine.plans.dream_values import DreamPlan
    from memtui.engine.plans.suggestions import Suggestion

Trigger = Literal["auto", "manual"]
Check = Callable[[], None]

AUTO = "auto_dream"
"""The switch of the store, in memtui's own state."""


@dataclass(frozen=True, slots=True)
class Dreamed:
    """What a dream came to."""

    status: Literal["updated", "noop"]
    plan: DreamPlan
    applied: Applied


class Dreaming:
    """Dreams of the stores of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._running: set[str] = set()
        self._scans_ns: dict[str, int] = {}

    def is_enabled(self, store: Store) -> bool:
        """Whether dreams of `store` run by themselves: its switch, else the setting."""
        with suppress(MemtuiError):
            value = read_own(self._host.state_dir, store, SWITCHES).get(AUTO)
            if isinstance(value, bool):
                return value
        return self._host.settings.dream.auto

    def enable(self, store: Store, is_on: bool) -> None:
        """Switch the dreams of `store` that run by themselves; raises what `edit_own` raises."""
        with edit_own(self._host.state_dir, store, SWITCHES) as values:
            values[AUTO] = is_on

    def gates(self, workspace: Workspace, scope: Scope, session: str | None = None) -> Gates:
        """The gates as they stand; `session` is the followed one, None takes the newest.

        Raises StoreError where the scope is not open.
        """
        store = workspace.store(scope)
        now_ns = self._host.clock_ns()
        meta = read_meta(self._host.state_dir, store)
        sessions = project_sessions(workspace)
        followed = session or newest_session(sessions)
        last_ns = meta.time_ns("lastDreamAt")
        newer = [
            each
            for each in sessions
            if each.session_id != followed and (last_ns is None or each.mtime_ns > last_ns)
        ]
        lock = store_lock_state(store, now_ns / 1e9)
        with self._lock:
            is_running = self._key(store) in self._running
            scan_ns = self._scans_ns.get(self._key(store))
        return gates_of(
            DreamSituation(
                now_ns=now_ns,
                is_enabled=self.is_enabled(store),
                session=followed,
                last_session=meta.text("lastDreamSessionId"),
                last_dream_ns=last_ns,
                last_scan_ns=scan_ns,
                new_sessions=len(newer),
                lock="free" if lock is None else lock.state,
                clears_stale=makes_lock(store),
                is_running=is_running,
            )
        )

    def pass_gates(self, workspace: Workspace, scope: Scope, session: str | None = None) -> Gates:
        """The gates for an automatic run: one that got as far as the sessions has scanned them."""
        found = self.gates(workspace, scope, session)
        closed = found.closed
        if closed is None or closed.gate in ("sessions", "lock", "running"):
            store = workspace.store(scope)
            with self._lock:
                self._scans_ns[self._key(store)] = self._host.clock_ns()
        return found

    def fault(self, workspace: Workspace, scope: Scope) -> str:
        """One sentence where a state file is in the way of a dream; empty where none is."""
        return read_meta(self._host.state_dir, workspace.store(scope)).problem

    def lock(self, workspace: Workspace, scope: Scope) -> LockState | None:
        """The agent's lock on the store now; None where it can have none."""
        return store_lock_state(workspace.store(scope), self._host.clock_ns() / 1e9)

    def break_stale_lock(self, workspace: Workspace, scope: Scope) -> tuple[LockState, ...]:
        """Remove the stale locks on the store; gives what they were.

        Of a Claude store the time of the last tidying goes with its lock. Raises LockedError where
        one is held, ReadOnlyError under `--readonly` or where the system forbids it, StoreError.
        """
        store = workspace.store(scope)
        if self._host.is_readonly:
            raise ReadOnlyError("memtui was started with --readonly, so no lock is removed.")
        return break_stale_lock(store)

    def plan(
        self,
        workspace: Workspace,
        scope: Scope,
        *,
        without: Collection[str] = (),
        check: Check | None = None,
    ) -> DreamPlan:
        """What a dream would do to the topic files now, without the paths of `without`.

        `check` is called between files and may raise StoppedError. Raises StoreError, RefusedError
        where what was rejected before cannot be read.
        """
        from memtui.engine.plans.dream import plan_dream

        snapshot = workspace.of(scope)
        if snapshot is None or snapshot.state != "ok":
            raise StoreError("There is no store to tidy here.")
        rejected = read_own(self._host.state_dir, snapshot.store, "rejected.json")
        return plan_dream(
            snapshot,
            unseen=workspace.unseen(scope),
            now_ns=self._host.clock_ns(),
            rejected=frozenset(rejected),
            without=frozenset(without),
            check=check,
        )

    def suggestions(
        self,
        workspace: Workspace,
        scope: Scope,
        check: Check | None = None,
        *,
        plan: DreamPlan | None = None,
        work: Work | None = None,
    ) -> tuple[Suggestion, ...]:
        """What a person may want to tidy and no rule does; `plan` is the dream planned on it.

        `work` bounds the search and says afterwards what was left out: see `stop_sentence`.
        """
        from memtui.engine.plans.suggestions import suggest

        snapshot = workspace.of(scope)
        if snapshot is None:
            return ()
        now_ns = self._host.clock_ns()
        return suggest(snapshot, now_ns=now_ns, plan=plan, check=check, work=work)

    def run(
        self,
        scope: Scope,
        *,
        trigger: Trigger,
        session: str | None = None,
        without: Collection[str] = (),
        reviewed: Sequence[ChangeSet] | None = None,
        store: Store | None = None,
        check: Check | None = None,
        break_stale: bool = False,
    ) -> Dreamed:
        """Plan a dream on what is there now and carry it out; journalled, `meta.json` with it.

        `reviewed` are the changes that a person accepted: topic files that would change in another
        way refuse the whole. `store` is the one that is meant, should another project be opened.
        `check` is called between files and may raise StoppedError, which leaves everything as it
        was. Raises LockedError where a dream of the store runs already or a lock is held,
        ConflictError that names the topic files changed under the review, and what the writer
        raises.
        """
        host = self._host
        workspace = the_same(host.scan(), scope, store)
        store = workspace.store(scope)
        key = self._key(store)
        with self._lock:
            if key in self._running:
                raise LockedError("A dream of this store is running; wait until it is done.")
            self._running.add(key)
        started_ns = host.clock_ns()
        telemetry = host.telemetry(workspace)
        try:
            dreamed = self._run(
                store, scope, trigger, session, without, reviewed, check, break_stale
            )
        except StoppedError:
            raise
        except BaseException:
            telemetry.dream(trigger, "failed", 0, (), milliseconds(started_ns, host.clock_ns()))
            raise
        finally:
            with self._lock:
                self._running.discard(key)
        plan, took_ms = dreamed.plan, milliseconds(started_ns, host.clock_ns())
        telemetry.dream(trigger, dreamed.status, plan.deduped_entries, plan.touched_topics, took_ms)
        return dreamed

    def _run(
        self,
        store: Store,
        scope: Scope,
        trigger: Trigger,
        session: str | None,
        without: Collection[str],
        reviewed: Sequence[ChangeSet] | None,
        check: Check | None,
        break_stale: bool,
    ) -> Dreamed:
        host = self._host
        plan, change_set = self._planned(store, scope, trigger, session, without, check)
        if reviewed is not None and (paths := _differing(reviewed, (change_set,))):
            from memtui.engine.disk.act import conflict

            raise conflict(paths)

        def replan() -> Sequence[ChangeSet]:
            return (self._planned(store, scope, trigger, session, without, check)[1],)

        applied = host.writer.apply(
            (change_set,),
            replan=replan,
            break_stale=break_stale or makes_lock(change_set.store),
            look_up=check,
        )
        return Dreamed("updated" if plan.change_set.changes else "noop", plan, applied)

    def _planned(
        self,
        store: Store,
        scope: Scope,
        trigger: Trigger,
        session: str | None,
        without: Collection[str],
        check: Check | None,
    ) -> tuple[DreamPlan, ChangeSet]:
        """The plan, and its change set with the keys of `meta.json`."""
        workspace = the_same(self._host.scan(), scope, store)
        plan = self.plan(workspace, scope, without=without, check=check)
        now = iso_time(self._host.clock_ns())
        meta = read_meta(self._host.state_dir, plan.change_set.store)
        state = meta.change(
            {
                "updatedAt": now,
                "lastDreamAt": now,
                "lastDreamSessionId": session or newest_session(project_sessions(workspace)),
                "lastDreamTouchedTopics": list(plan.touched_topics),
                "lastDreamStatus": "updated" if plan.change_set.changes else "noop",
            }
        )
        details = {**plan.change_set.details, "trigger": trigger}
        # An index can be rejected as well; the plan knows the paths of topic files alone.
        change_set = plan.change_set.keeping(lambda _, path: path not in without)
        return plan, replace(change_set, state_changes=(state,), details=details)

    @staticmethod
    def _key(store: Store) -> str:
        return str(real_root(store.memory_dir))


def _differing(reviewed: Sequence[ChangeSet], planned: Sequence[ChangeSet]) -> list[str]:
    """The topic files that would not change as they were reviewed."""
    before, now = _topics(reviewed), _topics(planned)
    return sorted(path for path in before.keys() | now if before.get(path) != now.get(path))


def _topics(change_sets: Sequence[ChangeSet]) -> dict[str, tuple[bytes | None, bytes | None]]:
    """The changes to topic files: the index follows from them."""
    return {
        change.path: (change.before, change.after)
        for each in change_sets
        for change in each.changes
        if change.path.rpartition("/")[2] != "MEMORY.md"
    }
