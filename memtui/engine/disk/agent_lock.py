"""The lock that the agents know: `consolidation.lock`, `.consolidate-lock` (spec section 9).

Invariant: memtui makes a lock only for a Qwen project store, and removes only its own or, when told
to, a stale one. A lock comes into being whole: there is no moment at which it lacks its PID.

Two memtui processes that break or release in one folder take turns by a lock on the folder itself
(`flock`), so that neither moves the other's new lock aside. Agents know nothing of that: against
them a lock is renamed aside, looked at again, and put back where it was not stale after all.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtui.engine.disk.files import is_denied, reason_of
from memtui.engine.disk.processes import is_running, parse_pid, process_name
from memtui.engine.errors import LockedError, ReadOnlyError, StoreError
from memtui.engine.types import Store

STALE_AFTER_S = 3600.0
"""A lock that is older is stale, whatever is in it."""

QWEN_LOCK = "consolidation.lock"
CLAUDE_LOCK = ".consolidate-lock"

_POLL_S = 0.05
_TURN_S = 5.0
_PID_BYTES = 64
_WITHOUT_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK)
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_MAKE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class LockState:
    """What a lock file tells at one moment."""

    state: Literal["free", "held", "stale"]
    path: Path
    pid: int | None = None
    """The number in the file; None where there is none."""
    age_s: float | None = None
    """Seconds since the lock was made, 0 for a time in the future; None where it is free."""
    is_alive: bool | None = None
    """Whether a process with that number runs; None where one cannot tell."""
    reason: str = ""
    """Who holds it and since when, or why it is stale; empty where it is free."""

    @property
    def sentence(self) -> str:
        """The whole for a person, with what to do."""
        if self.state == "free":
            return f"{self.path} is free."
        if self.state == "held":
            return f"{self.path} is {self.reason}. Wait until that is done, then try again."
        loss = ""
        if self.path.name == CLAUDE_LOCK:
            loss = " Claude Code takes its time for that of the last tidying; removing it loses it."
        return (
            f"{self.path} is a stale lock: {self.reason}. "
            f"If no agent is tidying this store, remove it (--break-stale-lock).{loss}"
        )


def lock_paths(store: Store) -> tuple[Path, ...]:
    """Every place where a lock on `store` may lie (spec section 1); none for user and team."""
    if store.scope != "project":
        return ()
    if store.agent == "qwen":
        return () if store.state_dir is None else (store.state_dir / QWEN_LOCK,)
    inside = store.memory_dir / CLAUDE_LOCK
    if store.agent == "claude":
        return (inside,)
    real = Path(os.path.realpath(store.memory_dir))
    beside = dict.fromkeys((store.memory_dir.parent / QWEN_LOCK, real.parent / QWEN_LOCK))
    return (inside, *beside)


def lock_path(store: Store) -> Path | None:
    """The first of `lock_paths`: for a store of an agent its only one; None where there is none."""
    return next(iter(lock_paths(store)), None)


def makes_lock(store: Store) -> bool:
    """True for a store whose lock memtui takes itself; elsewhere it only looks."""
    return store.scope == "project" and store.agent == "qwen" and store.state_dir is not None


def lock_state(path: Path, now_s: float) -> LockState:
    """What the lock at `path` tells at `now_s` (seconds since the epoch); never raises.

    Older than an hour: stale, whatever is in it; else a PID that does not run: stale; else, and
    where one cannot tell, held (spec section 9).
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return LockState("free", path)
    except (OSError, ValueError) as error:
        return LockState("held", path, reason=f"out of reach ({_reason(error)})")
    age_s = max(0.0, now_s - status.st_mtime_ns / 1e9)
    content, fault = _content(path, status)
    pid = parse_pid(content)
    is_alive = None if pid is None else is_running(pid)
    who = fault or "a lock without a process number" if pid is None else _who(pid)
    if age_s > STALE_AFTER_S:
        reason = _why_stale(age_s, pid, is_alive, who)
        return LockState("stale", path, pid, age_s, is_alive, reason)
    if is_alive is False:
        reason = f"PID {pid} is gone, the lock is {duration(age_s)} old"
        return LockState("stale", path, pid, age_s, is_alive, reason)
    if pid is None:
        reason = f"{who}, {duration(age_s)} old: it counts until it is an hour old"
    else:
        reason = f"held by {who} since {duration(age_s)}"
    return LockState("held", path, pid, age_s, is_alive, reason)


def store_lock_state(store: Store, now_s: float) -> LockState | None:
    """The state of the lock on `store`; None where a store of its kind has none.

    Of several places the one that hinders most: held before stale before free.
    """
    states = [lock_state(path, now_s) for path in lock_paths(store)]
    return min(states, key=lambda each: _WEIGHT[each.state], default=None)


_WEIGHT = {"held": 0, "stale": 1, "free": 2}


@contextmanager
def hold_lock(
    store: Store, *, timeout_s: float = 2.0, clears_stale: bool = False
) -> Iterator[tuple[LockState, ...]]:
    """Hold the lock on `store` for the block; gives the stale locks that were cleared for it.

    A Qwen project store's lock is made and removed again; elsewhere a lock is only looked for.
    `clears_stale` says that stale ones may go: a dream of a Qwen store, or a user who was asked.
    The folder of the lock must exist.

    Raises LockedError where another holds it for longer than `timeout_s` seconds or a stale one
    is in the way, ReadOnlyError where the folder may not be written, StoreError where the system
    fails otherwise. The block's own errors pass through; the lock is released.
    """
    makes = makes_lock(store)
    cleared: list[LockState] = []
    deadline = time.monotonic() + timeout_s
    for path in lock_paths(store):
        with _told(path):
            _wait(path, deadline, cleared, makes=makes, clears_stale=clears_stale)
    try:
        yield tuple(cleared)
    finally:
        if makes:
            for path in lock_paths(store):
                # What was done is done: a lock that cannot be removed is stale with this process.
                with suppress(OSError):
                    _release(path)


def break_stale_lock(store: Store) -> tuple[LockState, ...]:
    """Remove the stale locks on `store`; gives what they were, nothing where all are free.

    Raises LockedError where one is held, ReadOnlyError and StoreError as `hold_lock`.
    """
    broken = []
    for path in lock_paths(store):
        with _told(path):
            removed = _break(path)
        if removed is not None:
            broken.append(removed)
            continue
        left = lock_state(path, time.time())
        if left.state == "held":
            raise LockedError(left.sentence)
    return tuple(broken)


def duration(seconds: float) -> str:
    """A length of time in its largest unit: `40 s`, `4 min`, `3 h`, `2 days`."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return "1 day" if unit == "days" and count == 1 else f"{count} {unit}"
    return f"{int(seconds)} s"


def _wait(
    path: Path, deadline: float, cleared: list[LockState], *, makes: bool, clears_stale: bool
) -> None:
    """Return once the lock is ours, or free where memtui makes none."""
    while True:
        found = lock_state(path, time.time())
        if found.state == "stale":
            if not clears_stale:
                raise LockedError(found.sentence)
            broken = _break(path)
            if broken is not None:
                cleared.append(broken)
            found = lock_state(path, time.time())
        if found.state == "free" and (not makes or _take(path)):
            return
        if time.monotonic() >= deadline:
            found = lock_state(path, time.time())
            if found.state == "free":
                raise LockedError(f"{path} was held by another process just now. Try again.")
            raise LockedError(found.sentence)
        time.sleep(_POLL_S)


def _take(path: Path) -> bool:
    """Make the lock with our PID; False where there is one."""
    content = str(os.getpid()).encode("ascii")
    temporary = _temporary(path)
    try:
        _make(temporary, content)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _WITHOUT_LINKS:
                raise
        else:
            return True
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
    # A file system without hard links: others see it empty for an instant, which counts as held.
    try:
        _make(path, content)
    except FileExistsError:
        return False
    return True


def _make(path: Path, content: bytes) -> None:
    descriptor = os.open(path, _MAKE_FLAGS, 0o644)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _release(path: Path) -> None:
    """Remove the lock if it still holds the PID of this very process: a fork is another one."""
    with _turn(path.parent):
        content, _fault = _content(path, path.lstat())
        if parse_pid(content) == os.getpid():
            path.unlink()


def _break(path: Path) -> LockState | None:
    """Remove the lock if it is stale; gives what it was, None where it was not."""
    with _turn(path.parent):
        if lock_state(path, time.time()).state != "stale":
            return None
        if path.is_dir() and not path.is_symlink():
            raise StoreError(f"{path} is a directory in the place of a lock: remove it by hand.")
        aside = _temporary(path)
        try:
            path.rename(aside)
        except FileNotFoundError:
            return None
        moved = lock_state(aside, time.time())
        if moved.state == "stale":
            aside.unlink()
            return LockState(
                moved.state, path, moved.pid, moved.age_s, moved.is_alive, moved.reason
            )
        _put_back(aside, path)
        return None


def _put_back(aside: Path, path: Path) -> None:
    """Give a lock its place again that was made between two looks, unless a third has it."""
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        aside.replace(path)
        return
    aside.unlink()


def _temporary(path: Path) -> Path:
    """A new name beside the lock, of the form that a recovery sweeps up."""
    return path.with_name(f".memtui-{os.getpid()}-{os.urandom(4).hex()}.tmp")


def _content(path: Path, status: os.stat_result) -> tuple[bytes, str]:
    """The start of the lock, and what hinders reading it."""
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return b"", "no regular file"
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
        try:
            return os.read(descriptor, _PID_BYTES), ""
        finally:
            os.close(descriptor)
    except OSError as error:
        return b"", f"a lock that cannot be read ({reason_of(error)})"


def _reason(error: Exception) -> str:
    return reason_of(error) if isinstance(error, OSError) else str(error)


def _who(pid: int) -> str:
    if pid == os.getpid():
        return f"PID {pid} (this process)"
    name = process_name(pid)
    return f"PID {pid} ({name})" if name else f"PID {pid}"


def _why_stale(age_s: float, pid: int | None, is_alive: bool | None, who: str) -> str:
    if pid is None:
        return f"{who}, {duration(age_s)} old"
    if is_alive is False:
        return f"PID {pid} is gone, the lock is {duration(age_s)} old"
    runs = "runs" if is_alive else "may run"
    return (
        f"{duration(age_s)} old; {who} {runs}, but that is no proof of life: "
        "after an hour the number may belong to another program"
    )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the system says into a sentence."""
    try:
        yield
    except OSError as error:
        sentence = f"The lock {path} cannot be taken or removed: {reason_of(error)}."
        if is_denied(error) or error.errno == errno.EROFS:
            raise ReadOnlyError(sentence) from error
        raise StoreError(sentence) from error


if sys.platform == "win32":

    @contextmanager
    def _turn(folder: Path) -> Iterator[None]:
        """Nothing: a folder cannot be locked there."""
        yield

else:
    import fcntl

    @contextmanager
    def _turn(folder: Path) -> Iterator[None]:
        """Take turns with other memtui processes in `folder`.

        Where that fails or takes over five seconds the block runs all the same: it looks again.
        """
        descriptor = None
        with suppress(OSError):
            descriptor = os.open(folder, _OPEN_FLAGS)
        try:
            if descriptor is not None:
                _await_turn(descriptor)
            yield
        finally:
            if descriptor is not None:
                with suppress(OSError):
                    fcntl.flock(descriptor, fcntl.LOCK_UN)  # also for a fork that has it open
                os.close(descriptor)

    def _await_turn(descriptor: int) -> None:
        deadline = time.monotonic() + _TURN_S
        while time.monotonic() < deadline:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_POLL_S / 10)
            except OSError:
                return  # a file system without such locks
            else:
                return
