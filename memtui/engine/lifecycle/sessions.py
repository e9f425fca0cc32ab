"""The sessions of what is open: which there are, and the one that a person names.

Invariant: the sessions are those of the project, whichever scope is written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.engine.disk.sessions import SessionStat, session_dirs, session_files
from memtui.engine.errors import RefusedError, StoreError, UnknownIdError
from memtui.engine.types import SCOPES, Agent, Scope, Snapshot, Store
from memtui.engine.workspace import Workspace

_MOST_NAMED = 5


def project_sessions(workspace: Workspace) -> tuple[SessionStat, ...]:
    """The sessions of the project, newest first; none where it has no store or no folder of them.

    A folder that cannot be read has none here: `sessions_fault` tells.
    """
    found: list[SessionStat] = []
    for directory in _dirs(workspace):
        try:
            found += session_files(directory)
        except StoreError:
            continue
    return tuple(sorted(found, key=lambda session: (-session.mtime_ns, str(session.path))))


def sessions_fault(workspace: Workspace) -> str:
    """One sentence where a folder of sessions is there and cannot be read; else empty."""
    for directory in _dirs(workspace):
        try:
            session_files(directory)
        except StoreError as error:
            return str(error)
    return ""


def newest_session(sessions: Sequence[SessionStat]) -> str | None:
    """The ID of the newest session; None where there is none."""
    return sessions[0].session_id if sessions else None


def find_session(sessions: Sequence[SessionStat], name: str, directory: Path) -> Path:
    """The file of the session that `name` says: an ID, the start of one, or a path.

    A relative path starts at `directory`. Raises UnknownIdError, and RefusedError where a start
    fits several.
    """
    exact = [each.path for each in sessions if each.session_id == name]
    found = exact or [each.path for each in sessions if name and each.session_id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(path.stem for path in found[:_MOST_NAMED])
        more = len(found) - _MOST_NAMED
        shown += f" and {more:,} more" if more > 0 else ""
        raise RefusedError(f"“{name}” fits several sessions: {shown}; write more of it.")
    path = directory / name
    if name.endswith(".jsonl") and path.is_file():
        return path
    raise UnknownIdError(f"There is no session “{name}”; name one by its ID or by its file.")


def agent_of_session(path: Path, workspace: Workspace) -> Agent:
    """Whose session a file is: the project's where it lies among them, else `none`."""
    return workspace.agent if path.parent in _dirs(workspace) else "none"


def the_same(workspace: Workspace, scope: Scope, store: Store | None) -> Workspace:
    """The workspace, where its store of `scope` is still `store`; None takes any.

    Raises RefusedError where another project was opened since.
    """
    if store is not None and workspace.store(scope).memory_dir != store.memory_dir:
        raise RefusedError("Another project was opened meanwhile, so nothing was written.")
    return workspace


def with_missing(workspace: Workspace, scope: Scope) -> Workspace:
    """The workspace with a store of `scope` whose directory is still to be made.

    That of the agent whose sessions there are, so that the first memory can be written. The same
    workspace where the scope is open, or no place for it is known.
    """
    if workspace.of(scope) is not None:
        return workspace
    places = [
        place.store
        for place in workspace.looked_in
        if place.store.scope == scope
        and place.state == "missing"
        and (not workspace.snapshots or place.store.agent == workspace.agent)
    ]
    if not places:
        return workspace
    store = next((each for each in places if _has_sessions(each)), places[0])
    missing = Snapshot(store, "missing")
    snapshots = sorted(
        (*workspace.snapshots, missing), key=lambda snapshot: SCOPES.index(snapshot.store.scope)
    )
    return replace(
        workspace, snapshots=tuple(snapshots), verdicts={**workspace.verdicts, scope: {}}
    )


def _has_sessions(store: Store) -> bool:
    try:
        return any(session_files(directory) for directory in session_dirs(store))
    except StoreError:
        return False


def _dirs(workspace: Workspace) -> tuple[Path, ...]:
    project = workspace.project
    return () if project is None else session_dirs(project.store)
