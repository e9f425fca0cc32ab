"""The acts of several stores, read together.

Invariant: an act over several stores is one act, whichever of its stores is asked. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.guard import in_order
from memtui.engine.disk.journal import Journal, undone_ids
from memtui.engine.disk.journal_entry import JournalEntry
from memtui.engine.disk.places import real_root
from memtui.engine.errors import AmbiguousIdError, UnknownIdError
from memtui.engine.types import Store


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
    def is_applied(self) -> bool:
        """True where it was carried out, whether or not it was undone later."""
        return self.entries[0].status == "applied"


def acts_on(state_dir: Path, stores: Iterable[Store]) -> list[Logged]:
    """Every act on `stores`, with its entries in all its stores; the newest first.

    Raises OSError.
    """
    acts: dict[tuple[str, tuple[str, ...]], Logged] = {}
    for store in in_order(stores):
        journal = Journal(state_dir, store)
        entries = journal.entries()
        undone = undone_ids(entries)
        for entry in entries:
            name = (entry.id, entry.peers)
            if name not in acts:
                found = [entry, *_others(journal, entry)]
                found.sort(key=lambda each: real_root(each.store.memory_dir))
                acts[name] = Logged(entry.id, tuple(found), entry.id in undone)
    return sorted(acts.values(), key=lambda act: act.id, reverse=True)


def find_act(acts: Iterable[Logged], act_id: str | None) -> Logged:
    """The act of that ID, or whose ID ends so; None: the latest that can be undone.

    That is one that was applied, is no undo itself and is not undone. Raises UnknownIdError,
    AmbiguousIdError.
    """
    acts = list(acts)
    if act_id is None:
        for act in acts:
            if act.is_applied and act.entries[0].undoes is None and not act.is_undone:
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


def _others(journal: Journal, entry: JournalEntry) -> list[JournalEntry]:
    """The entries of the same act in its other stores; one that was purged is missing."""
    peeked = (journal.beside(key).peek(entry.id) for key in entry.peers if key != journal.key)
    return [other for other in peeked if other is not None and other.peers == entry.peers]
