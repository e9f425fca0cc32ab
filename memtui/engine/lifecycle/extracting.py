"""Extract: from the unread part of a session to memories (spec section 8).

Invariant: nothing is written but by `apply`, through the store writer: topic files, `meta.json`,
the index and last the cursor, in one act. A cursor never moves for what was skipped or failed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memtui.engine.disk.memory import memory_pressure
from memtui.engine.disk.own_state import read_own
from memtui.engine.disk.transcripts import TranscriptReader
from memtui.engine.errors import RefusedError, StoppedError
from memtui.engine.format.times import iso_time, milliseconds
from memtui.engine.format.transcript import Message, SessionSummary
from memtui.engine.lifecycle.cursors import read_cursors
from memtui.engine.lifecycle.host import Host
from memtui.engine.lifecycle.meta import read_meta
from memtui.engine.lifecycle.sessions import (
    agent_of_session,
    newest_session,
    project_sessions,
    the_same,
    with_missing,
)
from memtui.engine.lifecycle.wrote_memory import wrote_memory
from memtui.engine.plans.extract import plan_patches
from memtui.engine.plans.extraction.patches import Dropped, Patch, find_patches, sift
from memtui.engine.types import (
    MEMORY_TYPES,
    ChangeSet,
    Proposal,
    Scope,
    StateChange,
    StateName,
    Store,
)
from memtui.engine.workspace import Workspace

if TYPE_CHECKING:
    from memtui.engine.disk.store import Applied

Trigger = Literal["auto", "manual"]
ReadProgress = Callable[[int, int], None]
"""Told with the bytes that were read and those of the whole file."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session in the list."""

    summary: SessionSummary
    start: int
    """The first message that was not read yet."""
    is_agents: bool = False
    """Whether the agent's cursor stands in it."""

    @property
    def unread(self) -> int:
        """How many messages were not read yet."""
        return max(0, self.summary.messages - self.start)


@dataclass(frozen=True, slots=True)
class ExtractPlan:
    """What was found in the unread part of a session."""

    scope: Scope
    session: str = ""
    """Its ID; empty where there is none."""
    path: Path | None = None
    start: int = 0
    """The first message that was not read before."""
    length: int = 0
    """Messages in the session."""
    has_news: bool = False
    """Whether a person wrote anything in the unread part."""
    patches: tuple[Patch, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    skipped_reason: str | None = None
    broken_lines: int = 0
    problem: str = ""
    """One sentence where there is no session, or a state file is in the way of applying."""
    has_half_line: bool = False
    """One of the broken lines is the last, and may still be written."""

    @property
    def selected(self) -> tuple[Patch, ...]:
        """The patches that are taken unless a person says otherwise."""
        return tuple(patch for patch in self.patches if patch.selected)

    @property
    def moves_cursor(self) -> bool:
        """Whether applying it moves the cursor."""
        return self.path is not None and self.skipped_reason is None


class Extracting:
    """Extracts from the sessions of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.reader = TranscriptReader()

    def rows(
        self,
        workspace: Workspace,
        scope: Scope,
        is_cancelled: Callable[[], bool] | None = None,
        *,
        progress: ReadProgress | None = None,
    ) -> Iterator[SessionRow]:
        """The sessions of the project, newest first, each when it is read.

        Raises StoreError where `scope` has no place, StoppedError once `is_cancelled` says so.
        """
        workspace = with_missing(workspace, scope)
        store = workspace.store(scope)
        sessions = project_sessions(workspace)
        cursors = read_cursors(self._host.state_dir, store, newest_session(sessions))
        for each in sessions:
            summary = self.reader.summary(
                each.path, workspace.agent, progress=progress, is_cancelled=is_cancelled
            )
            is_agents = each.session_id == cursors.agents.get("sessionId")
            yield SessionRow(summary, cursors.start(each.session_id), is_agents)

    def plan(
        self,
        workspace: Workspace,
        path: Path | None = None,
        *,
        scope: Scope = "project",
        pending: Collection[str] = (),
        read: Mapping[str, int] | None = None,
        skips: bool = True,
        progress: ReadProgress | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> ExtractPlan:
        """What the unread part of the session at `path` says; None takes the newest session.

        `pending` are digests of patches that wait already; `read` tells how far sessions were read
        for them. `skips` asks for a reason not to extract at all. Raises StoreError, StoppedError,
        RefusedError where what was rejected before cannot be read.
        """
        workspace = with_missing(workspace, scope)
        store = workspace.store(scope)
        sessions = project_sessions(workspace)
        newest = newest_session(sessions)
        if path is None and not sessions:
            return ExtractPlan(scope, problem="There is no session here to extract from.")
        path = path or sessions[0].path
        session = path.stem
        if skips and memory_pressure() != "none":
            return ExtractPlan(scope, session, path, skipped_reason="memory_pressure")
        cursors = read_cursors(self._host.state_dir, store, newest)
        start = max(cursors.start(session), (read or {}).get(session, 0))
        agent = agent_of_session(path, workspace)
        found = self.reader.read(
            path,
            agent,
            start=start,
            only_typed=True,
            progress=progress,
            is_cancelled=is_cancelled,
        )
        plan = ExtractPlan(
            scope,
            session,
            path,
            min(start, found.length),
            found.length,
            broken_lines=found.broken_lines,
            problem=cursors.problem or read_meta(self._host.state_dir, store).problem,
            has_half_line=found.has_half_line,
        )
        memory_dirs = [snapshot.store.memory_dir for snapshot in workspace.snapshots]
        if skips and wrote_memory(self.reader.turn(path, agent).tool_calls, memory_dirs):
            return replace(plan, skipped_reason="memory_tool")
        if not any(each.is_typed and each.text.strip() for each in found.messages):
            return plan
        rejected = read_own(self._host.state_dir, store, "rejected.json")
        patches, dropped = sift(
            find_patches(_while_wanted(found.messages, is_cancelled), session),
            sorted(workspace.snapshots, key=lambda snapshot: snapshot.store.scope != scope),
            rejected=frozenset(rejected),
            pending=pending,
        )
        return replace(plan, has_news=True, patches=patches, dropped=dropped)

    def change_set(
        self,
        workspace: Workspace,
        scope: Scope,
        patches: Sequence[Patch],
        read: Mapping[str, int],
        *,
        has_news: bool = True,
        details: Mapping[str, object] | None = None,
        now_ns: int | None = None,
    ) -> ChangeSet:
        """What writing `patches` means, with `meta.json` and the cursors.

        `read` tells how many messages of each session were read, the session that the extract is
        about last; `now_ns` is the time that is written, None the present. Raises RefusedError
        where the store cannot be written, StoreError.
        """
        workspace = with_missing(workspace, scope)
        snapshot, store = workspace.of(scope), workspace.store(scope)
        assert snapshot is not None
        now_ns = self._host.clock_ns() if now_ns is None else now_ns
        session = _last(read)
        planned, told = plan_patches(
            snapshot,
            patches,
            unseen=workspace.unseen(scope),
            now_ns=now_ns,
            session=session or "",
        )
        if patches and not told.patches:
            raise RefusedError(" ".join(told.notes))
        cursors = read_cursors(
            self._host.state_dir, store, newest_session(project_sessions(workspace))
        )
        states = []
        if has_news:
            now = iso_time(now_ns)
            topics = {patch.type for patch in patches}
            states.append(
                read_meta(self._host.state_dir, store).change(
                    {
                        "updatedAt": now,
                        "lastExtractionAt": now,
                        "lastExtractionSessionId": session,
                        "lastExtractionTouchedTopics": [
                            kind for kind in MEMORY_TYPES if kind in topics
                        ],
                        "lastExtractionStatus": "updated" if patches else "noop",
                    }
                )
            )
        states += [cursors.moved(session, length, now_ns) for session, length in read.items()]
        return replace(planned, state_changes=merged(states), details=dict(details or {}))

    def apply(
        self,
        patches: Sequence[Patch],
        read: Mapping[str, int],
        *,
        scope: Scope = "project",
        trigger: Trigger = "manual",
        has_news: bool = True,
        proposed: Sequence[str] = (),
        without: Collection[str] = (),
        store: Store | None = None,
        break_stale: bool = False,
    ) -> Applied:
        """Write `patches` on what is there now, with `meta.json`, the index and the cursors.

        `read` as in `change_set`; `proposed` are the digests under which edited patches were found;
        the files of the paths `without` stay as they are; `store` is the one that is meant, should
        another project be opened. Logged as an event. Raises what `change_set` and the writer
        raise, RefusedError where another project was opened.
        """
        host = self._host
        started_ns = host.clock_ns()
        details = {"trigger": trigger, "patches": len(patches), "session": _last(read)}

        def build() -> Sequence[ChangeSet]:
            made = self.change_set(
                the_same(with_missing(host.scan(), scope), scope, store),
                scope,
                patches,
                read,
                has_news=has_news,
                details=details,
                now_ns=started_ns,
            )
            made = made.keeping(lambda _scope, path: path not in without)
            return (with_origins(made, patches, proposed),)

        topics = {patch.type for patch in patches}
        telemetry = host.telemetry(host.scan())
        try:
            applied = host.writer.apply(build(), replan=build, break_stale=break_stale)
        except BaseException:
            took_ms = milliseconds(started_ns, host.clock_ns())
            telemetry.extract(trigger, "failed", None, len(patches), topics, took_ms)
            raise
        took_ms = milliseconds(started_ns, host.clock_ns())
        telemetry.extract(trigger, "completed", None, len(patches), topics, took_ms)
        return applied


def _while_wanted(
    messages: Iterable[Message], is_cancelled: Callable[[], bool] | None
) -> Iterator[Message]:
    """The messages, until `is_cancelled`; then StoppedError: many messages take their time."""
    for message in messages:
        if is_cancelled is not None and is_cancelled():
            raise StoppedError("The extract was stopped.")
        yield message


def with_origins(
    change_set: ChangeSet, patches: Sequence[Patch], proposed: Sequence[str]
) -> ChangeSet:
    """The change set whose undo also remembers what the patches were before they were edited."""
    known = {patch.digest for patch in patches}
    paths = tuple(change.path for change in change_set.changes if change.kind == "added")
    more = tuple(Proposal(digest, paths) for digest in proposed if digest not in known)
    return replace(change_set, proposals=(*change_set.proposals, *more))


def _last(read: Mapping[str, int]) -> str | None:
    return list(read)[-1] if read else None


def merged(changes: Sequence[StateChange]) -> tuple[StateChange, ...]:
    """One change a state file: where two set one key, the later one counts."""
    found: dict[StateName, StateChange] = {}
    for each in changes:
        first = found.get(each.name)
        before = {} if first is None else first.before
        after = {} if first is None else first.after
        found[each.name] = StateChange(
            each.name, {**each.before, **before}, {**after, **each.after}
        )
    return tuple(found.values())
