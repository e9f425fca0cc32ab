"""Which stores a call is about, and what an ID in it names.

Invariant: nothing on disk is changed. What could not be read is said on standard error; an error
names where was looked, or what was perhaps meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtui.cli.arguments import Options
from memtui.cli.output import say
from memtui.engine.errors import NoHomeError, StoreError, UnknownIdError
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

if TYPE_CHECKING:
    from memtui.engine.disk.recovery import Recovered

_AGENT_NAMES: Mapping[Agent, str] = {
    "qwen": "Qwen Code",
    "claude": "Claude Code",
    "none": "no agent",
}
_SUGGESTIONS = 3
_NAMED_FILES = 5


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
    workspace = _settled(manager)
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


def _settled(manager: MemoryManager) -> Workspace:
    """The workspace, after what a memtui left unfinished is put back."""
    workspace = manager.scan()
    if not manager.has_unfinished(workspace):
        return workspace
    recover(manager)
    return manager.scan()


def recover(manager: MemoryManager) -> None:
    """Put back what a memtui left unfinished that died, and tell it."""
    workspace = manager.scan()
    if manager.is_readonly:
        if manager.has_unfinished(workspace):
            say("An act was cut short or is being done; without --readonly it is put back.")
        return
    # Where no place for a journal can be named there is none to recover from.
    with suppress(NoHomeError):
        for each in manager.recover(workspace):
            tell_recovered(each)


def tell_recovered(recovered: Recovered) -> None:
    """Say what was put back of one act, and what was not."""
    if recovered.restored:
        names = ", ".join(recovered.restored[:_NAMED_FILES])
        more = len(recovered.restored) - _NAMED_FILES
        names += f" and {more:,} more" if more > 0 else ""
        say(f"Put back what an act that was cut short had changed: {names}.")
    for left in recovered.left[:_NAMED_FILES]:
        say(f"{left.path} was left alone: {left.reason}")
    if recovered.cleared is not None:
        say(f"Removed a lock that a memtui left: {recovered.cleared.reason}.")
    if recovered.problem:
        say(recovered.problem)


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
        if agent == "none":
            return f"There is no {what} here: a directory that is named is one store."
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
    workspace = _settled(manager)
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
