"""What the Extract screen shows, read as values: sessions, what one says, what waits.

Invariant: read only, and made for a worker thread: sessions can be large. Nothing here is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from memtui.engine.disk.sessions import SessionStat, session_dirs
from memtui.engine.errors import MemtuiError, StoppedError, StoreError
from memtui.engine.format.entries import resolve_entry
from memtui.engine.format.transcript import Message
from memtui.engine.lifecycle.cursors import read_cursors
from memtui.engine.lifecycle.extracting import ExtractPlan, ReadProgress, SessionRow
from memtui.engine.lifecycle.sessions import (
    agent_of_session,
    newest_session,
    project_sessions,
    sessions_fault,
    with_missing,
)
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.extraction.patches import Dropped, Patch, sift
from memtui.engine.plans.extraction.slugs import TopicPaths
from memtui.engine.types import Entry, Scope, Snapshot
from memtui.engine.workspace import Workspace

SourceKey = Path | Literal["inbox"]
"""Where proposals are from: the file of a session, or the inbox."""

INBOX: Literal["inbox"] = "inbox"
SCOPE: Scope = "project"
"""The store that new memories go to."""

Cancelled = Callable[[], bool]

_TELL_EVERY_S = 0.1
_IN_STORE = "in the store already: "


@dataclass(frozen=True, slots=True)
class Listing:
    """The sessions of the project, as far as they were read, and what waits."""

    sessions: tuple[SessionStat, ...] = ()
    """All of them, newest first."""
    read: Mapping[Path, SessionRow] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    """The digests of what is in the inbox."""
    fault: str = ""
    """One sentence where sessions or inbox cannot be read."""
    looked_in: tuple[Path, ...] = ()
    """The folders that hold sessions, if they are there."""
    share: int | None = None
    """How far the session is read that is being read now, in percent."""
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Proposed:
    """One patch as it stands on the screen."""

    key: str
    """The digest under which it was found."""
    patch: Patch
    is_selected: bool
    note: str = ""
    """Why it is not selected at first."""
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a session says, or what waits in the inbox."""

    source: SourceKey
    items: tuple[Proposed, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    read: Mapping[str, int] = field(default_factory=dict)
    """How many messages of each session were read for it."""
    plan: ExtractPlan | None = None
    """None for the inbox."""
    messages: Mapping[tuple[str, int], Message] = field(default_factory=dict)
    """The messages that quotes stand in, by session and number."""
    near: Mapping[str, Entry] = field(default_factory=dict)
    """The entries that proposals are like, by ID."""
    store: Snapshot | None = None
    """Where new memories go."""
    error: str = ""
    """One sentence where it could not be read."""

    @property
    def is_skipped(self) -> bool:
        """Whether there is a reason not to extract by itself."""
        return self.plan is not None and self.plan.skipped_reason is not None

    @property
    def broken_lines(self) -> int:
        """How many lines were passed over for good: one that is being written is none of them."""
        return 0 if self.plan is None else self.plan.broken_lines - self.plan.has_half_line

    @property
    def unread(self) -> int:
        """How many messages of the session were not read before."""
        return 0 if self.plan is None else max(0, self.plan.length - self.plan.start)


class Choices:
    """What a person chose of proposals; it stays while sessions grow and stores change."""

    def __init__(self) -> None:
        self._selected: dict[tuple[SourceKey, str], bool] = {}
        self._edited: dict[tuple[SourceKey, str], Patch] = {}

    def select(self, source: SourceKey, key: str, is_selected: bool) -> None:
        """Take the proposal `key` of `source`, or leave it out."""
        self._selected[(source, key)] = is_selected

    def edit(self, source: SourceKey, key: str, patch: Patch) -> None:
        """Put `patch` in the place of the proposal, which is thereby selected."""
        self._edited[(source, key)] = patch
        self._selected[(source, key)] = True

    @property
    def edits(self) -> int:
        """How many proposals stand edited here, and nowhere else."""
        return len(self._edited)

    def forget(self, source: SourceKey, keys: Iterable[str]) -> None:
        """Drop what was chosen of proposals that were decided."""
        for key in keys:
            self._edited.pop((source, key), None)
            self._selected.pop((source, key), None)

    def of(self, found: Found) -> tuple[Proposed, ...]:
        """What was found, as it was chosen and edited, with the paths that it gets."""
        items = []
        for item in found.items:
            place = (found.source, item.key)
            patch = self._edited.get(place)
            if patch is not None:
                item = replace(item, patch=patch, is_edited=True)
            items.append(replace(item, is_selected=self._selected.get(place, item.is_selected)))
        return placed(items, found.store)


def list_sessions(
    manager: MemoryManager,
    workspace: Workspace,
    is_cancelled: Cancelled,
    tell: Callable[[Listing], None],
) -> None:
    """Read the sessions one after the other, and `tell` now and then how far that is.

    The last listing that is told is done. Raises StoppedError once `is_cancelled`.
    """
    workspace = with_missing(workspace, SCOPE)
    project = workspace.project
    sessions = project_sessions(workspace)
    waiting, fault = _waiting(manager, workspace)
    listing = Listing(
        sessions=sessions,
        waiting=waiting,
        fault=sessions_fault(workspace) or fault,
        looked_in=() if project is None else session_dirs(project.store),
    )
    tell(listing)
    read: dict[Path, SessionRow] = {}
    told_s = time.monotonic()

    def tell_share(done: int, total: int) -> None:
        nonlocal told_s
        if total and time.monotonic() - told_s > _TELL_EVERY_S:
            told_s = time.monotonic()
            tell(replace(listing, read=dict(read), share=done * 100 // total))

    try:
        if project is not None:
            rows = manager.live.extracting.rows(workspace, SCOPE, is_cancelled, progress=tell_share)
            for row in rows:
                read[row.summary.path] = row
                if time.monotonic() - told_s > _TELL_EVERY_S:
                    told_s = time.monotonic()
                    tell(replace(listing, read=dict(read)))
    except StoppedError:
        raise
    except (MemtuiError, OSError) as error:
        listing = replace(listing, fault=str(error))
    tell(replace(listing, read=read, is_done=True))


def find_in_session(
    manager: MemoryManager,
    workspace: Workspace,
    path: Path,
    *,
    skips: bool,
    progress: ReadProgress,
    is_cancelled: Cancelled,
) -> Found:
    """What the unread part of the session at `path` says; raises StoppedError."""
    workspace = with_missing(workspace, SCOPE)
    try:
        plan = manager.live.extracting.plan(
            workspace,
            path,
            scope=SCOPE,
            pending=_waiting(manager, workspace)[0],
            skips=skips,
            progress=progress,
            is_cancelled=is_cancelled,
        )
        wanted = {(plan.session, patch.source.message) for patch in plan.patches}
        wanted |= {(plan.session, dropped.message) for dropped in plan.dropped}
        messages = _messages(manager, workspace, wanted, {plan.session: path}, is_cancelled)
    except StoppedError:
        raise
    except (MemtuiError, OSError) as error:
        return Found(path, error=str(error))
    items = tuple(
        Proposed(
            patch.digest,
            patch,
            patch.selected,
            f"like {patch.near_duplicate_of}" if patch.near_duplicate_of else "",
        )
        for patch in plan.patches
    )
    return Found(
        path,
        items,
        plan.dropped,
        read={plan.session: plan.length},
        plan=plan,
        messages=messages,
        near=_near(items, workspace),
        store=workspace.of(SCOPE),
    )


def find_in_inbox(
    manager: MemoryManager, workspace: Workspace, *, is_cancelled: Cancelled
) -> Found:
    """What waits in the inbox; raises StoppedError."""
    workspace = with_missing(workspace, SCOPE)
    try:
        inbox = manager.live.inbox(workspace)
        sessions = project_sessions(workspace)
        store = workspace.store(SCOPE)
        cursors = read_cursors(manager.state_dir, store, newest_session(sessions))
        paths = {each.session_id: each.path for each in sessions}
        wanted = {(patch.source.session, patch.source.message) for patch in inbox.items.values()}
        messages = _messages(manager, workspace, wanted, paths, is_cancelled)
    except StoppedError:
        raise
    except (MemtuiError, OSError) as error:
        return Found(INBOX, error=str(error))
    items = _waiting_items(inbox.items, workspace)
    snapshot = workspace.of(SCOPE)
    return Found(
        INBOX,
        placed(items, snapshot),
        read={
            each: max(inbox.read.get(each, 0), cursors.start(each))
            for each in dict.fromkeys(item.patch.source.session for item in items)
        },
        messages=messages,
        near=_near(items, workspace),
        store=snapshot,
    )


def placed(items: Sequence[Proposed], store: Snapshot | None) -> tuple[Proposed, ...]:
    """The items with the paths that they get together; a path that is free stays."""
    if store is None:
        return tuple(items)
    paths = TopicPaths(store)
    found = []
    for item in items:
        patch = item.patch
        path = paths.give(patch.type, patch.summary, patch.path)
        found.append(replace(item, patch=replace(patch, path=path)))
    return tuple(found)


def _waiting(manager: MemoryManager, workspace: Workspace) -> tuple[tuple[str, ...], str]:
    """The digests of the inbox, and the sentence that says why it cannot be read."""
    if workspace.of(SCOPE) is None:
        return (), ""
    try:
        return tuple(manager.live.inbox(workspace).items), ""
    except MemtuiError as error:
        return (), str(error)


def _waiting_items(waiting: Mapping[str, Patch], workspace: Workspace) -> list[Proposed]:
    """What waits; what the store says by now, or nearly says, is not selected."""
    snapshots = sorted(workspace.snapshots, key=lambda snapshot: snapshot.store.scope != SCOPE)
    items = []
    kept, dropped = sift(waiting.values(), snapshots, rejected=())
    near = {patch.digest: patch.near_duplicate_of for patch in kept}
    rules = {each.summary: each.rule for each in dropped}
    for key, patch in waiting.items():
        like = near.get(patch.digest)
        note = f"like {like}" if like else ""
        if patch.digest not in near:
            note = rules.get(patch.summary, "")
            like = note.removeprefix(_IN_STORE) if note.startswith(_IN_STORE) else None
        patch = replace(patch, near_duplicate_of=like)
        items.append(Proposed(key, patch, not note, note))
    return items


def _near(items: Iterable[Proposed], workspace: Workspace) -> dict[str, Entry]:
    """The entries that the items are like, by the ID that they name."""
    project = [snapshot for snapshot in workspace.snapshots if snapshot.store.scope == SCOPE]
    found = {}
    for item in items:
        name = item.patch.near_duplicate_of
        if not name or name in found:
            continue
        for snapshots in (project, workspace.snapshots):
            with suppress(MemtuiError):
                found[name] = resolve_entry(name, snapshots)[2]
                break
    return found


def _messages(
    manager: MemoryManager,
    workspace: Workspace,
    wanted: Iterable[tuple[str, int]],
    paths: Mapping[str, Path],
    is_cancelled: Cancelled,
) -> dict[tuple[str, int], Message]:
    """The typed messages at the places `wanted`; a session that is gone has none."""
    numbers: dict[str, set[int]] = {}
    for session, number in wanted:
        numbers.setdefault(session, set()).add(number)
    found = {}
    for session, of_session in numbers.items():
        path = paths.get(session)
        if path is None:
            continue
        with suppress(StoreError):
            read = manager.live.extracting.reader.read(
                path,
                agent_of_session(path, workspace),
                start=min(of_session),
                only_typed=True,
                is_cancelled=is_cancelled,
            )
            for message in read.messages:
                if message.number in of_session:
                    found[(session, message.number)] = message
    return found
