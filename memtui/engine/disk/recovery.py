"""What the next start does about an act that was not finished (design section 1, step 4).

Invariant: called with the locks of all stores of the act held. An act whose first store has it
closed as applied is finished; any other open one is put back, in all its stores.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.agent_lock import STALE_AFTER_S, LockState, lock_paths
from memtui.engine.disk.calls import Calls
from memtui.engine.disk.files import reason_of
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.journal_entry import JournalEntry, JournalFile, Left
from memtui.engine.disk.places import real_root, state_root
from memtui.engine.disk.processes import is_running, parse_pid
from memtui.engine.disk.put_back import put_back, remove_folders, remove_traces
from memtui.engine.disk.replace import TEMPORARY, sync_folder
from memtui.engine.disk.state_undo import put_back_keys
from memtui.engine.types import Store

_LOCK_BYTES = 20


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done about one act that had not been finished, or about a store's leftovers."""

    store: Store
    entry: JournalEntry | None = None
    """The act; None where only leftovers were removed or a problem hinders."""
    restored: tuple[str, ...] = ()
    """Paths that are as they were before the act."""
    left: tuple[Left, ...] = ()
    """Paths that others have changed since; they were left alone."""
    cleared: LockState | None = None
    """The agent's lock that a memtui left when it died."""
    swept: int = 0
    """Temporary files that were removed."""
    problem: str = ""
    """One sentence where something is still to be done and cannot be now."""


def rooted_files(state_dir: Path, entry: JournalEntry) -> Iterator[tuple[Path, JournalFile]]:
    """All files of an act with the folder that each is relative to, in the order of applying."""
    root = real_root(entry.store.memory_dir)
    for file in entry.files:
        yield root, file
    for file in entry.state_files:
        yield state_root(state_dir, entry.store, file.path), file


def roll_back(
    calls: Calls, state_dir: Path, journal: Journal, entry: JournalEntry, now_ns: int
) -> tuple[tuple[str, ...], tuple[Left, ...]]:
    """Put an open act back in one store and close it; gives what was restored and what was left.

    Raises OSError; then the act is open as before, and this can be done again.
    """
    restored: list[str] = []
    left: list[Left] = []
    fault: OSError | None = None
    root = real_root(entry.store.memory_dir)
    folders: dict[Path, None] = {}
    for base, file in reversed(tuple(rooted_files(state_dir, entry))):
        if not root.is_dir() and file in entry.files:
            if file.kind != "added":
                left.append(Left(file.path, "The memory directory is gone."))
            continue
        try:
            has_changed, found = put_back(
                calls, base, file, lambda stored: journal.image(entry.id, stored)
            )
            if found is not None and file in entry.state_files:
                has_changed, found = put_back_keys(calls, base, file, entry, now_ns)
        except OSError as error:
            # The others are put back all the same: the less is between, the better.
            fault = fault or error
            continue
        if has_changed:
            restored.append(file.path)
            folders.update(dict.fromkeys(_folders(base, base / file.target)))
        if found is not None:
            left.append(found)
    if fault is not None:
        raise fault
    remove_folders(calls, root, entry.folders)
    for folder in folders:
        if folder.is_dir():
            sync_folder(calls, folder)
    left.reverse()
    journal.close(entry.id, "rolled-back", now_ns, left)
    journal.mark_clean(entry.id)
    return tuple(reversed(restored)), tuple(left)


def finish(calls: Calls, state_dir: Path, journal: Journal, entry: JournalEntry) -> None:
    """Remove what an act that is closed has left in its store. Raises OSError; can be repeated."""
    for base, file in rooted_files(state_dir, entry):
        remove_traces(calls, base, file)
    if entry.undoes is not None and entry.status == "applied":
        undone = journal.peek(entry.undoes)
        if undone is not None:
            remove_folders(calls, real_root(entry.store.memory_dir), undone.folders)
    journal.mark_clean(entry.id)


def leftovers(store: Store, keep: frozenset[str]) -> tuple[Path, ...]:
    """Temporary files of dead processes in the store and beside the agent's lock; not `keep`.

    The journal names all files of an act; what no act names is a lock that was on its way, or is
    left alone for an hour: its process may run where its number cannot be seen.
    """
    root = real_root(store.memory_dir)
    found = list(_temporary_files(root, is_deep=True))
    for path in lock_paths(store):
        if real_root(path.parent) != root:
            found.extend(_temporary_files(path.parent, is_deep=False))
    return tuple(path for path in found if path.name not in keep and _is_rubble(path))


def sweep(calls: Calls, paths: tuple[Path, ...]) -> int:
    """Remove the files that `leftovers` gave; gives how many went."""
    count = 0
    for path in paths:
        with suppress(OSError):
            calls.unlink(path)
            count += 1
    return count


def problem(store: Store, error: OSError) -> Recovered:
    """What is told where the disk does not let an act be put back."""
    return Recovered(
        store,
        problem=f"An act on {store.memory_dir} was not finished and cannot be put back now "
        f"({reason_of(error)}); it is tried again at the next start.",
    )


def _folders(root: Path, target: Path) -> Iterator[Path]:
    """From the folder of `target` up to `root`: any of them may have been made anew."""
    for folder in target.parents:
        if not folder.is_relative_to(root):
            return
        yield folder


def _temporary_files(folder: Path, *, is_deep: bool) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        for name in names:
            if TEMPORARY.match(name):
                yield Path(place, name)
        if not is_deep:
            folders.clear()


def _is_rubble(path: Path) -> bool:
    pid = TEMPORARY.match(path.name)
    if pid is None or is_running(int(pid[1])) is not False:
        return False
    try:
        status = path.lstat()
        if time.time() - status.st_ctime > STALE_AFTER_S:
            return True
        if status.st_size > _LOCK_BYTES:
            return False
        content = path.read_bytes()
    except OSError:
        return False
    return not content or parse_pid(content) is not None
