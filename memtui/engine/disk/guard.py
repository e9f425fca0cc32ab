"""All locks of one act, over one or several stores.

Invariant: locks are taken in the order of the stores' real paths, so that two acts over the same
stores never wait for each other in a ring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memtui.engine.disk.agent_lock import LockState, makes_lock
from memtui.engine.disk.calls import Calls
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.places import real_root
from memtui.engine.disk.put_back import remove_folders
from memtui.engine.disk.replace import make_folders
from memtui.engine.disk.store_lock import hold_agents, hold_own, is_leftover
from memtui.engine.errors import MemtuiError
from memtui.engine.types import Store


def in_order(stores: Iterable[Store]) -> list[Store]:
    """`stores` by real path, each once."""
    found = {real_root(store.memory_dir): store for store in stores}
    return [found[root] for root in sorted(found)]


def leftover_pids(journal: Journal) -> set[int]:
    """The processes that died in the middle of an act; asked with memtui's own lock held."""
    found = set()
    for entry_id in journal.unfinished():
        entry = journal.peek(entry_id)
        if entry is not None and entry.status == "open" and is_leftover(entry.pid):
            found.add(entry.pid)
    return found


@contextmanager
def hold_stores(
    calls: Calls,
    state_dir: Path,
    stores: Iterable[Store],
    *,
    own_timeout_s: float,
    agent_timeout_s: float,
    breaks_stale: bool = False,
) -> Iterator[dict[Path, LockState]]:
    """Hold memtui's and the agents' locks on `stores`.

    Gives the stale locks of agents that were cleared, by the store's memory directory. Raises
    LockedError (BusyError for memtui's own), ReadOnlyError, StoreError, OSError.
    """
    cleared = {}
    made: list[Path] = []
    with ExitStack() as stack:
        try:
            for store in in_order(stores):
                died = stack.enter_context(hold_own(state_dir, store, own_timeout_s))
                pids = leftover_pids(Journal(state_dir, store, calls))
                pids |= died
                if makes_lock(store) and store.state_dir is not None:
                    make_folders(calls, store.state_dir, made)
                broken = stack.enter_context(
                    hold_agents(store, pids, timeout_s=agent_timeout_s, breaks_stale=breaks_stale)
                )
                if broken is not None:
                    cleared[store.memory_dir] = broken
            yield cleared
        except (MemtuiError, OSError):
            stack.close()
            remove_folders(calls, Path(), [str(folder) for folder in made])
            raise
