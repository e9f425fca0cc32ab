"""Which stores a call is about, and what an ID in it names.

Invariant: nothing on disk is changed. What could not be read is said on standard error; an error
names where was looked, or what was perhaps meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.cli.arguments import Options
from memtui.cli.output import say
from memtui.engine.errors import StoreError, UnknownIdError
from memtui.engine.format.entries import parse_entry_id, resolve_document, resolve_entry
from memtui.engine.manager import MemoryManager
from memtui.engine.types import (
    INDEX_NAME,
    SCOPES,
    Agent,
    Entry,
    Scope,
    Snapshot,
    TopicDocument,
)
from memtui.engine.workspace import Workspace

_AGENT_NAMES: Mapping[Agent, str] = {
    "qwen": "Qwen Code",
    "claude": "Claude Code",
    "none": "no agent",
}
_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class Opened:
    """The stores a verb is about."""

    workspace: Workspace
    snapshots: tuple[Snapshot, ...]
    """Those that could be read, at least one."""
    is_whole: bool
    """False where one could not be read."""

    def exit_code(self, code: int) -> int:
        """`code`, unless something could not be read."""
        return code if self.is_whole else StoreError.exit_code

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Those that could be read."""
        return tuple(snapshot.store.scope for snapshot in self.snapshots)


def open_stores(
    options: Options, manager: MemoryManager, default: Sequence[Scope] = SCOPES
) -> Opened:
    """Scan; says what could not be read. Raises StoreError where nothing is left."""
    workspace = manager.scan()
    wanted = options.scopes or default
    chosen = [snap for snap in workspace.snapshots if snap.store.scope in wanted]
    readable = tuple(snap for snap in chosen if snap.state == "ok")
    faults = {snap.store.memory_dir: snap.message for snap in chosen if snap.state != "ok"}
    for place in workspace.looked_in:
        store = place.store
        if (
            place.state in ("unreadable", "not-a-directory")
            and store.scope in wanted
            and (not workspace.snapshots or store.agent == workspace.agent)
        ):
            faults.setdefault(store.memory_dir, place.message)
    fault = manager.directory_fault()
    if not readable:
        raise StoreError(" ".join(faults.values()) or _no_memory(workspace, wanted, options, fault))
    for message in faults.values():
        say(message)
    if fault:
        say(f"{fault.removesuffix('.')}; shown is the memory that belongs to that place.")
    return Opened(workspace, readable, is_whole=not faults)


def _no_memory(workspace: Workspace, wanted: Sequence[Scope], options: Options, fault: str) -> str:
    """Where was looked, and what to do; `fault` is what is wrong with the folder itself."""
    what = "memory" if len(wanted) == len(SCOPES) else f"{' or '.join(wanted)} memory"
    places = [
        str(place.store.memory_dir)
        for place in workspace.looked_in
        if place.store.scope in wanted
        and (not workspace.snapshots or place.store.agent == workspace.agent)
    ]
    if not places:
        agent = options.agent or workspace.agent
        return f"There is no {what} here: {_AGENT_NAMES[agent]} keeps none for this folder."
    if fault:
        fault += " "
    return (
        f"{fault}No {what} here: looked in {', '.join(places)}. "
        "Start in a project folder, or name one with --project or --memory-dir."
    )


def open_journals(options: Options, manager: MemoryManager) -> Workspace:
    """The workspace, with the stores only whose acts are asked for; they need not be readable.

    Raises StoreError where there is none.
    """
    workspace = manager.scan()
    wanted = options.scopes or SCOPES
    chosen = tuple(snap for snap in workspace.snapshots if snap.store.scope in wanted)
    if not chosen:
        fault = manager.directory_fault()
        raise StoreError(_no_memory(workspace, wanted, options, fault))
    return replace(workspace, snapshots=chosen)


def resolved(
    text: str, snapshots: Sequence[Snapshot]
) -> tuple[Snapshot, TopicDocument, Entry | None]:
    """The file that an ID names, and the entry where it names one of several.

    Raises StoreError where it names a file that cannot be read, UnknownIdError with what it may
    have meant where it names none.
    """
    try:
        wanted = parse_entry_id(text)
        if wanted.index is None and wanted.digest is None:
            return (*resolve_document(text, snapshots), None)
        snapshot, document, entry = resolve_entry(text, snapshots)
    except UnknownIdError as error:
        raise _explained(error, text, snapshots) from None
    return snapshot, document, None if entry.index is None else entry


def resolved_entries(texts: Sequence[str], snapshots: Sequence[Snapshot]) -> tuple[Entry, ...]:
    """The entries that IDs name, each once; a path names the only entry of its file.

    Raises as `resolved` does, and AmbiguousIdError where an ID fits several.
    """
    found: dict[tuple[Scope, str], Entry] = {}
    for text in texts:
        try:
            _, _, entry = resolve_entry(text, snapshots)
        except UnknownIdError as error:
            raise _explained(error, text, snapshots) from None
        found[entry.scope, entry.id] = entry
    return tuple(found.values())


def _explained(
    error: UnknownIdError, text: str, snapshots: Sequence[Snapshot]
) -> StoreError | UnknownIdError:
    """`error` with what `text` may have meant, or why its file cannot be read."""
    for problem in (problem for snapshot in snapshots for problem in snapshot.problems):
        if text in (problem.path, f"{problem.scope}:{problem.path}"):
            return StoreError(f"`{text}`: {problem.message}")
    return UnknownIdError(f"{error}{_hint(text, snapshots)}")


def _hint(text: str, snapshots: Sequence[Snapshot]) -> str:
    """What an unknown ID may have meant; empty where nothing is near."""
    from difflib import get_close_matches

    if text.rpartition(":")[2] == INDEX_NAME:
        return " That is the index: `memtui index` reports on it."
    documents = [document for snapshot in snapshots for document in snapshot.documents]
    wanted = text.casefold()
    near = [
        document
        for document in documents
        if wanted in (document.name.casefold(), document.path.rpartition("/")[2].casefold())
    ]
    if not near:
        by_path = {document.path.casefold(): document for document in reversed(documents)}
        paths = get_close_matches(wanted, by_path, _SUGGESTIONS)
        near = [by_path[path] for path in paths]
    names = [f"`{document.scope}:{document.path}`" for document in near[:_SUGGESTIONS]]
    return f" Did you mean {' or '.join(names)}?" if names else " `memtui list` shows all."
