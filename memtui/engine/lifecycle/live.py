"""Extract and dream by themselves: the schedule, the followed session, the inbox.

Invariant: one extract of a project at a time, and a dream after it; what was found goes to the
inbox unless the user chose the store. Nothing runs before it is asked for, and `stop` ends all.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memtui.engine.disk.own_state import SWITCHES, edit_own, read_own
from memtui.engine.disk.places import real_root
from memtui.engine.disk.settings import FollowTo
from memtui.engine.errors import MemtuiError, ReadOnlyError, StoppedError
from memtui.engine.format.times import milliseconds
from memtui.engine.lifecycle.cursors import read_cursors
from memtui.engine.lifecycle.dreaming import Dreaming
from memtui.engine.lifecycle.extracting import Extracting, ExtractPlan, Trigger
from memtui.engine.lifecycle.follow import FollowedTurn, Follower
from memtui.engine.lifecycle.host import Host
from memtui.engine.lifecycle.inbox import (
    Inbox,
    change_in,
    put_in,
    read_inbox,
    reject,
    take_out,
)
from memtui.engine.lifecycle.sessions import (
    newest_session,
    project_sessions,
    the_same,
    with_missing,
)
from memtui.engine.lifecycle.tasks import Outcome, Progress, Scheduler, TaskRecord
from memtui.engine.plans.extraction.patches import Patch
from memtui.engine.types import Scope, Store
from memtui.engine.workspace import Workspace

if TYPE_CHECKING:
    from memtui.engine.disk.store import Applied

SCOPE: Scope = "project"
"""What runs by itself is about the project's store."""

_TO = "follow_to"
_PLACES: tuple[FollowTo, ...] = ("inbox", "store")


class Live:
    """What runs over time on the stores of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.extracting = Extracting(host)
        self.dreaming = Dreaming(host)
        self.tasks = Scheduler(host.clock_ns)
        self._follower: Follower | None = None
        self._lock = threading.Lock()

    # The schedule.

    def schedule_extract(
        self, path: Path | None = None, *, trigger: Trigger = "auto", position: int = 0
    ) -> TaskRecord:
        """Extract from the session at `path`, the newest where there is none, in the background.

        `position` is the length of the session where it is known: the same twice is one request.
        """
        workspace = self._host.scan()
        if path is None:
            sessions = project_sessions(workspace)
            path = sessions[0].path if sessions else None
        session = "" if path is None else path.stem
        store = with_missing(workspace, SCOPE).store(SCOPE)
        return self.tasks.submit(
            "extract",
            trigger,
            _key(store),
            session,
            lambda progress: self._extract(store, path, trigger, progress),
            position=position,
        )

    def schedule_dream(
        self, *, trigger: Trigger = "auto", session: str | None = None
    ) -> TaskRecord:
        """Dream in the background; an automatic one asks the gates first."""
        store = self._host.scan().store(SCOPE)
        return self.tasks.submit(
            "dream",
            trigger,
            _key(store),
            session or "",
            lambda progress: self._dream(store, trigger, session, progress),
        )

    def _extract(
        self, store: Store, path: Path | None, trigger: Trigger, progress: Progress
    ) -> Outcome:
        host = self._host
        started_ns = host.clock_ns()
        workspace = the_same(with_missing(host.scan(), SCOPE), SCOPE, store)
        telemetry = host.telemetry(workspace)

        try:
            waiting = read_inbox(host.state_dir, store)
            plan = self.extracting.plan(
                workspace,
                path,
                pending=waiting.items,
                read=waiting.read,
                progress=lambda done, total: progress.tell(_share(done, total)),
                is_cancelled=progress.is_stopping,
            )
            took_ms = milliseconds(started_ns, host.clock_ns())
            if plan.skipped_reason is not None:
                telemetry.extract(trigger, "skipped", plan.skipped_reason, 0, (), took_ms)
                return Outcome("skipped", plan.skipped_reason)
            if plan.path is None:
                return Outcome("completed", result=plan.problem)
            direct = self.follow_to(store) == "store"
            if not direct:
                topics = {patch.type for patch in plan.patches}
                telemetry.extract(trigger, "completed", None, len(plan.patches), topics, took_ms)
        except StoppedError:
            took_ms = milliseconds(started_ns, host.clock_ns())
            telemetry.extract(trigger, "skipped", "stopped", 0, (), took_ms)
            raise
        except BaseException:
            took_ms = milliseconds(started_ns, host.clock_ns())
            telemetry.extract(trigger, "failed", None, 0, (), took_ms)
            raise
        return self._kept(plan, store, trigger, direct=direct)

    def _kept(self, plan: ExtractPlan, store: Store, trigger: Trigger, *, direct: bool) -> Outcome:
        """Put what was found where the user wants it; what nobody selected waits in any case."""
        waits: Sequence[Patch] = plan.patches
        said = []
        if direct:
            self.extracting.apply(
                plan.selected,
                {plan.session: plan.length},
                trigger=trigger,
                has_news=plan.has_news,
                store=store,
            )
            waits = [patch for patch in plan.patches if not patch.selected]
            said.append(f"{len(plan.selected)} to the store")
        if waits or not direct:
            added = put_in(self._host.state_dir, store, waits, plan.session, plan.length)
            said.append(f"{added} to the inbox")
        return Outcome("completed", result=", ".join(said))

    def _dream(
        self, store: Store, trigger: Trigger, session: str | None, progress: Progress
    ) -> Outcome:
        workspace = the_same(self._host.scan(), SCOPE, store)
        if trigger == "auto":
            gates = self.dreaming.pass_gates(workspace, SCOPE, session)
            if not gates.are_open:
                return Outcome("skipped", gates.reason)
        progress.tell("planning")
        dreamed = self.dreaming.run(
            SCOPE, trigger=trigger, session=session, store=store, check=progress.check
        )
        if dreamed.status == "noop":
            return Outcome("completed", result="nothing to tidy")
        merged = dreamed.plan.deduped_entries
        files = sum(len(entry.files) for entry in dreamed.applied.entries)
        said = [f"{merged} merged"] if merged else []
        said.append("1 file" if files == 1 else f"{files} files")
        return Outcome("completed", result=", ".join(said))

    # Following.

    @property
    def is_following(self) -> bool:
        """Whether the sessions of the project are watched."""
        return self._follower is not None

    @property
    def followed(self) -> str | None:
        """The session that is followed; None where none is."""
        return None if self._follower is None else self._follower.followed

    @property
    def follow_problem(self) -> str:
        """One sentence where the sessions cannot be watched right now."""
        return "" if self._follower is None else self._follower.problem

    def follow(self, is_on: bool) -> None:
        """Watch the sessions of the project, or stop; raises ReadOnlyError under `--readonly`."""
        with self._lock:
            if is_on and self._host.is_readonly:
                raise ReadOnlyError("memtui was started with --readonly, so it cannot follow.")
            if is_on and self._follower is None:
                self._follower = self.follower()
                self._follower.start()
            elif not is_on and self._follower is not None:
                self._follower.stop()
                self._follower = None

    def follower(self) -> Follower:
        """What watches the sessions; not started."""
        return Follower(
            lambda: project_sessions(self._host.scan()),
            lambda path: self.extracting.reader.turn(path, self._host.scan().agent),
            self.turned,
            self._host.clock_ns,
        )

    def turned(self, turn: FollowedTurn) -> None:
        """Schedule what follows a turn: extract, then the dream with its gates."""
        self.schedule_extract(turn.path, position=turn.message_count)
        self.schedule_dream(session=turn.path.stem)

    def follow_to(self, store: Store) -> FollowTo:
        """Where what is found goes: the store's switch, else the setting."""
        try:
            value = read_own(self._host.state_dir, store, SWITCHES).get(_TO)
        except MemtuiError:
            return "inbox"
        return next((place for place in _PLACES if place == value), self._host.settings.follow.to)

    def send_to(self, store: Store, place: Literal["inbox", "store"]) -> None:
        """Choose where what is found goes; raises what `edit_own` raises."""
        self._refuse_readonly()
        with edit_own(self._host.state_dir, store, SWITCHES) as values:
            values[_TO] = place

    # The inbox.

    def inbox(self, workspace: Workspace) -> Inbox:
        """What waits for a decision; raises RefusedError where its file is broken."""
        return read_inbox(self._host.state_dir, workspace.store(SCOPE))

    def edit(self, workspace: Workspace, digest: str, patch: Patch) -> None:
        """Keep an edited patch in the inbox, still under the digest that it was found with."""
        self._refuse_readonly()
        change_in(self._host.state_dir, workspace.store(SCOPE), digest, patch)

    def accept(
        self,
        workspace: Workspace,
        digests: Collection[str],
        *,
        paths: Mapping[str, str] | None = None,
        without: Collection[str] = (),
        break_stale: bool = False,
    ) -> Applied:
        """Write what waits under `digests` to the store; raises what the writer raises.

        `paths` are the files that a review showed, by digest; those of the paths `without` stay as
        they are.
        """
        store = workspace.store(SCOPE)
        waiting = read_inbox(self._host.state_dir, store)
        chosen = {
            key: replace(patch, path=(paths or {}).get(key, patch.path))
            for key, patch in waiting.items.items()
            if key in digests
        }
        newest = newest_session(project_sessions(workspace))
        cursors = read_cursors(self._host.state_dir, store, newest)
        sessions = dict.fromkeys(patch.source.session for patch in chosen.values())
        applied = self.extracting.apply(
            tuple(chosen.values()),
            {each: max(waiting.read.get(each, 0), cursors.start(each)) for each in sessions},
            trigger="auto",
            proposed=tuple(chosen),
            store=store,
            without=without,
            break_stale=break_stale,
        )
        take_out(self._host.state_dir, store, chosen)
        return applied

    def discard(self, workspace: Workspace, digests: Collection[str]) -> None:
        """Drop what waits under `digests` for good; raises what `edit_own` raises."""
        self._refuse_readonly()
        store = workspace.store(SCOPE)
        waiting = read_inbox(self._host.state_dir, store).items
        edited = {waiting[digest].digest for digest in digests if digest in waiting}
        reject(self._host.state_dir, store, {*digests, *edited})
        take_out(self._host.state_dir, store, digests)

    def stop(self, timeout_s: float) -> bool:
        """End following and all tasks; True where nothing runs any more."""
        self.follow(False)
        return self.tasks.stop(timeout_s)

    def _refuse_readonly(self) -> None:
        if self._host.is_readonly:
            raise ReadOnlyError("memtui was started with --readonly, so nothing is written.")


def _key(store: Store) -> str:
    return str(real_root(store.memory_dir))


def _share(done: int, total: int) -> str:
    return f"read {done * 100 // total} %" if total else "read"
