"""The locks on one store: memtui's own, and around the agent's.

Invariant: whoever is inside `hold_store` is the only memtui that writes to the store, and the agent
that knows its own lock keeps out too. Beside memtui's lock file lies a note of who holds it; the
note of a process that died inside tells which agent's lock is our own leftover.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.agent_lock import (
    LockState,
    hold_lock,
    lock_paths,
    lock_state,
    makes_lock,
    store_lock_state,
)
from memtui.engine.disk.files import is_denied, reason_of
from memtui.engine.disk.locations import PRIVATE_FILE, make_private, store_dir
from memtui.engine.disk.processes import is_running
from memtui.engine.errors import LockedError, ReadOnlyError, StoreError
from memtui.engine.types import Store

_POLL_S = 0.01


class BusyError(LockedError):
    """Another memtui holds its own lock: it is in the middle of an act."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The memtui that holds a lock, or held it when it died."""

    pid: int
    since_s: float
    """Seconds since the epoch."""
    died: tuple[int, ...] = ()
    """Those that died inside before it; it had not got so far yet as to clear what they left."""

    @property
    def leftovers(self) -> set[int]:
        """The processes that died inside, itself among them if it did."""
        return {pid for pid in (self.pid, *self.died) if is_leftover(pid)}


def lock_file(state_dir: Path, store: Store) -> Path:
    """Where memtui's own lock on `store` lies; the file need not exist."""
    return state_dir / "locks" / f"{store_dir(state_dir, store).name}.lock"


def holder_of(state_dir: Path, store: Store) -> Holder | None:
    """Who noted that it holds memtui's lock; that process may be gone."""
    try:
        value = json.loads(_note(state_dir, store).read_bytes())
        died = tuple(map(int, value.get("died", ())))
        return Holder(int(value["pid"]), float(value["since_s"]), died)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@contextmanager
def hold_own(state_dir: Path, store: Store, timeout_s: float) -> Iterator[set[int]]:
    """Hold memtui's own lock; gives the processes that died inside it before.

    Raises BusyError where another memtui holds it for longer than `timeout_s` seconds,
    ReadOnlyError and StoreError where the state directory does not serve.
    """
    from filelock import FileLock, Timeout  # 50 ms to load, and reading never needs it

    path = lock_file(state_dir, store)
    try:
        make_private(path.parent, state_dir)
        lock = FileLock(path, mode=PRIVATE_FILE)
        lock.acquire(timeout=timeout_s, poll_interval=_POLL_S)
    except Timeout:
        raise BusyError(busy_sentence(holder_of(state_dir, store))) from None
    except OSError as error:
        sentence = f"memtui's own directory {state_dir} cannot be written to: {reason_of(error)}."
        raise (ReadOnlyError if is_denied(error) else StoreError)(sentence) from error
    except NotImplementedError:
        raise StoreError(
            f"The file system of {state_dir} has no locks; name another with XDG_STATE_HOME."
        ) from None
    try:
        holder = holder_of(state_dir, store)
        died = set() if holder is None else holder.leftovers
        note = _note(state_dir, store)
        # The note is a courtesy to others and to the next start: without it the lock holds too.
        with suppress(OSError):
            _write_note(note, died)
        try:
            yield died
        except BaseException:
            if not died:
                with suppress(OSError):
                    note.unlink()
            raise  # else what they left may be there still, and the next start has to know
        with suppress(OSError):
            note.unlink()
    finally:
        lock.release()


@contextmanager
def hold_agents(
    store: Store, own_pids: Iterable[int], *, timeout_s: float, breaks_stale: bool
) -> Iterator[LockState | None]:
    """Hold the agent's lock inside `hold_own`; gives a stale one that was cleared for it.

    `own_pids` are those of memtui processes that died in the middle of an act: a lock of theirs
    is cleared unasked. Raises LockedError, ReadOnlyError and StoreError as `hold_lock`.
    """
    own = set(own_pids)
    found = store_lock_state(store, time.time())
    if found is not None and found.pid in own and makes_lock(store):
        if found.pid == os.getpid():
            # In a container each start has the same number; nobody but us is inside `hold_own`.
            found.path.unlink(missing_ok=True)
        elif found.state == "stale":
            breaks_stale = True
    with hold_lock(store, timeout_s=timeout_s, clears_stale=breaks_stale) as cleared:
        yield next(iter(cleared), None)


def busy_reason(state_dir: Path, store: Store, own_pids: Iterable[int]) -> str | None:
    """Who holds a lock on `store` now and since when, one sentence; None where it is free.

    Leaves nothing behind, and takes memtui's own lock only for an instant.
    """
    from filelock import FileLock, Timeout

    path = lock_file(state_dir, store)
    own = set(own_pids)
    holder = holder_of(state_dir, store)
    if path.exists():
        lock = FileLock(path, mode=PRIVATE_FILE)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return busy_sentence(holder_of(state_dir, store))
        except OSError as error:
            return f"memtui's own lock {path} cannot be taken: {reason_of(error)}."
        lock.release()
        if holder is not None:
            own |= {holder.pid, *holder.died}
    for each in lock_paths(store):
        found = lock_state(each, time.time())
        is_ours = found.pid in own and makes_lock(store)
        if found.state != "free" and not (is_ours and not _runs_elsewhere(found)):
            return found.sentence
    return None


def busy_sentence(holder: Holder | None) -> str:
    """What is told about memtui's own lock."""
    if holder is None:
        return "Another memtui is writing to this store; try again when it is done."
    since = time.strftime("%H:%M:%S", time.localtime(holder.since_s))
    return (
        f"Another memtui (PID {holder.pid}) has been writing to this store since {since}; "
        "try again when it is done."
    )


def is_leftover(pid: int) -> bool:
    """Whether a process of this number, which died or is ourselves, cannot be in the middle now."""
    return pid == os.getpid() or is_running(pid) is False


def _runs_elsewhere(found: LockState) -> bool:
    return found.pid is not None and not is_leftover(found.pid)


def _write_note(path: Path, died: Iterable[int]) -> None:
    """Note that this process is inside; the former note stays until the new one is whole."""
    value = {"pid": os.getpid(), "since_s": time.time(), "died": sorted(died)}
    half = path.with_suffix(".json.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0)
    try:
        with open(os.open(half, flags, PRIVATE_FILE), "w") as file:
            file.write(json.dumps(value))
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise


def _note(state_dir: Path, store: Store) -> Path:
    return lock_file(state_dir, store).with_suffix(".json")
