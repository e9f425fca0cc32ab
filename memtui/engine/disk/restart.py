"""Recovery of whole stores at a start, and before each act (design section 1, step 4).

Invariant: nothing is raised for what is on disk; what cannot be done now is told as a problem. A
store with nothing to do is not locked and nothing is made for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from memtui.engine.disk.agent_lock import LockState
from memtui.engine.disk.calls import Calls
from memtui.engine.disk.guard import hold_stores
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.journal_entry import JournalEntry
from memtui.engine.disk.recovery import Recovered, finish, leftovers, problem, roll_back, sweep
from memtui.engine.disk.settings import JournalSettings
from memtui.engine.disk.store_lock import BusyError, holder_of
from memtui.engine.errors import MemtuiError
from memtui.engine.types import Store


def recover_store(
    calls: Calls,
    state_dir: Path,
    store: Store,
    *,
    limits: JournalSettings,
    clock_ns: Callable[[], int],
    timeout_s: float,
    sweeps: bool,
) -> tuple[Recovered, ...]:
    """Finish or put back every act that was left open in `store`; then, with `sweeps`, tidy up.

    Another memtui that is at work there is left to it: nothing is done then.
    """
    journal = Journal(state_dir, store, calls)
    try:
        if not _has_work(journal, store, sweeps=sweeps):
            return ()
        stores = [store]
        for entry_id in journal.unfinished():
            stores.extend(entry.store for _journal, entry in _shares(journal, entry_id))
        with hold_stores(
            calls, state_dir, stores, own_timeout_s=timeout_s, agent_timeout_s=timeout_s
        ) as cleared:
            return tuple(
                _recover_locked(
                    calls,
                    state_dir,
                    store,
                    cleared.get(store.memory_dir),
                    limits=limits,
                    clock_ns=clock_ns,
                    sweeps=sweeps,
                )
            )
    except BusyError:
        return ()
    except MemtuiError as error:
        return (Recovered(store, problem=str(error)),)
    except OSError as error:
        return (problem(store, error),)


def _has_work(journal: Journal, store: Store, *, sweeps: bool) -> bool:
    if journal.unfinished():
        return True
    holder = holder_of(journal.root, store)
    if holder is not None and holder.leftovers:
        return True
    return sweeps and (journal.has_rubble() or bool(leftovers(store, frozenset())))


def _shares(journal: Journal, entry_id: str) -> list[tuple[Journal, JournalEntry]]:
    """The entries of an act in all its stores, as far as they can be read."""
    own = journal.peek(entry_id)
    if own is None:
        return []
    found = []
    for key in own.peers:
        other = journal.beside(key)
        entry = other.peek(entry_id)
        if entry is not None and entry.peers == own.peers:
            found.append((other, entry))
    return found


def _recover_locked(
    calls: Calls,
    state_dir: Path,
    store: Store,
    cleared: LockState | None,
    *,
    limits: JournalSettings,
    clock_ns: Callable[[], int],
    sweeps: bool,
) -> list[Recovered]:
    journal = Journal(state_dir, store, calls)
    found: list[Recovered] = []
    names: set[str] = set()
    for entry_id in reversed(journal.unfinished()):
        shares = _shares(journal, entry_id)
        if not shares:
            found.append(_unreadable(journal, store, entry_id))
        for each, entry in reversed(shares):
            try:
                done = _settle(calls, state_dir, each, entry, clock_ns())
            except OSError as error:
                found.append(replace(problem(entry.store, error), entry=entry))
                names.update(
                    name
                    for file in (*entry.files, *entry.state_files)
                    for name in (file.temporary, file.aside)
                )
            else:
                if done is not None:
                    found.append(done)
    swept = 0
    if sweeps:
        journal.sweep()
        swept = sweep(calls, leftovers(store, frozenset(names)))
        with suppress(OSError):
            journal.evict(limits, clock_ns())
    if swept or cleared is not None:
        found.append(Recovered(store, cleared=cleared, swept=swept))
    return found


def _settle(
    calls: Calls, state_dir: Path, journal: Journal, entry: JournalEntry, now_ns: int
) -> Recovered | None:
    if entry.status == "open":
        restored, left = roll_back(calls, state_dir, journal, entry, now_ns)
        closed = replace(entry, status="rolled-back", closed_ns=now_ns, left=left)
        return Recovered(entry.store, closed, restored, left)
    if not journal.is_closed(entry.id):
        journal.close(entry.id, entry.status, now_ns)
    if not journal.is_clean(entry.id):
        finish(calls, state_dir, journal, entry)
    return None


def _unreadable(journal: Journal, store: Store, entry_id: str) -> Recovered:
    return Recovered(
        store,
        problem=f"The journal entry {journal.folder / entry_id} cannot be read, so what it was "
        "about cannot be checked; look at the store, then move that folder away.",
    )


def open_acts(journals: Iterable[Journal]) -> bool:
    """Whether an act is still open; asked with the locks held."""
    for journal in journals:
        for entry_id in journal.unfinished():
            entry = journal.peek(entry_id)
            if entry is not None and entry.status == "open":
                return True
    return False
