"""The acts of several stores, read together.

Invariant: an act over several stores is one act, whichever of its stores is asked. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.guard import in_order
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.journal_entry import JournalEntry
from memtui.engine.disk.places import real_root
from memtui.engine.errors import AmbiguousIdError, UnknownIdError
from memtui.engine.types import Store

_Name = tuple[str, tuple[str, ...]]
"""Of an act: two processes in two stores may find the same ID at once."""
_Journals = Mapping[str, Mapping[str, JournalEntry]]
"""Entries by the folder of their store and by ID."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One act in the log."""

    id: str
    entries: tuple[JournalEntry, ...]
    """One for each of its stores, in the order of their real paths."""
    is_undone: bool
    """True where an undo of it stands."""

    @property
    def operation(self) -> str:
        """The verb."""
        return self.entries[0].operation

    @property
    def time_ns(self) -> int:
        """When, in nanoseconds since the epoch."""
        return self.entries[0].time_ns

    @property
    def has_files(self) -> bool:
        """True where it changed more than state files."""
        return any(entry.files for entry in self.entries)

    @property
    def is_applied(self) -> bool:
        """True where it was carried out, whether or not it was undone later."""
        return self.entries[0].status == "applied"


def acts_on(state_dir: Path, stores: Iterable[Store]) -> list[Logged]:
    """Every act on `stores`, with its entries in all its stores; the newest first.

    Raises OSError.
    """
    journals: dict[str, Mapping[str, JournalEntry]] = {}
    asked = [Journal(state_dir, store) for store in in_order(stores)]
    for journal in asked:
        _read(journal, journals)
    own = [entry for journal in asked for entry in journals[journal.key].values()]
    for key in {key for entry in own for key in entry.peers}:
        # An undo may lie in one store of its act alone: where there was something to reverse.
        _read(asked[0].beside(key), journals)
    undone = _undone(journals)
    acts: dict[_Name, Logged] = {}
    for entry in own:
        name = (entry.id, entry.peers)
        if name not in acts:
            found = [each for each in _shares(entry, journals) if each.peers == entry.peers]
            found.sort(key=lambda each: real_root(each.store.memory_dir))
            acts[name] = Logged(entry.id, tuple(found), name in undone)
    return sorted(acts.values(), key=lambda act: act.id, reverse=True)


def find_act(acts: Iterable[Logged], act_id: str | None) -> Logged:
    """The act of that ID, or whose ID ends so; None: the latest that can be undone.

    That is one that was applied, changed a memory or an index, is no undo itself and is not undone:
    a run that found nothing only noted so. Raises UnknownIdError,
    AmbiguousIdError.
    """
    acts = list(acts)
    if act_id is None:
        for act in acts:
            is_open = act.entries[0].undoes is None and not act.is_undone
            if act.is_applied and is_open and act.has_files:
                return act
        raise UnknownIdError("There is nothing to undo in these stores.")
    found = [act for act in acts if act.id == act_id] or [
        act for act in acts if act_id and act.id.endswith(act_id)
    ]
    if not found:
        raise UnknownIdError(f"The journal of these stores has no entry {act_id}.")
    if len(found) > 1:
        names = ", ".join(act.id for act in found)
        raise AmbiguousIdError(f"“{act_id}” fits several entries: {names}.")
    return found[0]


def _read(journal: Journal, journals: dict[str, Mapping[str, JournalEntry]]) -> None:
    if journal.key not in journals:
        journals[journal.key] = {entry.id: entry for entry in journal.entries()}


def _shares(entry: JournalEntry, journals: _Journals) -> list[JournalEntry]:
    """The entries of an act in all its stores; one that was purged is missing."""
    found = (journals.get(key, {}).get(entry.id) for key in entry.peers)
    return [each for each in found if each is not None]


def _undone(journals: _Journals) -> set[_Name]:
    """The acts that stand reversed, wherever the undo lies."""
    undone: set[_Name] = set()
    reversals = [
        (entry, entries[entry.undoes])
        for entries in journals.values()
        for entry in entries.values()
        if entry.status == "applied" and entry.undoes is not None and entry.undoes in entries
    ]
    for undo, act in sorted(reversals, key=lambda each: each[0].id, reverse=True):
        if (undo.id, undo.peers) not in undone:
            undone.add((act.id, act.peers))
    return undone
