"""Following the sessions of a project: each turn that an agent completes is told once.

Invariant: what was complete before following began is not told, and a turn is known by its session
and its number of messages. `poll` is one step without threads; the thread around it survives every
error and keeps it as one sentence. Reads only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memtui.engine.errors import MemtuiError
from memtui.engine.lifecycle.faults import sentence_of

QUIET_S = 5.0
"""How long a session has not grown when its turn is over (spec section 8, Sessions)."""
POLL_S = 1.0
_STOP_S = 0.2


class SessionLike(Protocol):
    """A session file."""

    @property
    def path(self) -> Path:
        """Its stem is the ID of the session."""

    @property
    def mtime_ns(self) -> int:
        """When it grew last."""


class TurnLike(Protocol):
    """The last turn of a session."""

    @property
    def is_complete(self) -> bool:
        """The session ends in an assistant record without tool calls."""

    @property
    def message_count(self) -> int:
        """Messages in the history of the session."""

    @property
    def ended_ns(self) -> int:
        """The mtime of what was read."""


@dataclass(frozen=True, slots=True)
class FollowedTurn:
    """A turn that was completed while its session was followed."""

    session_id: str
    path: Path
    message_count: int
    ended_ns: int
    """When the session grew last, in nanoseconds since the epoch."""


class Follower:
    """Watches the newest session of those that `list_sessions` gives, and what was newest before.

    `read_turn` reads the last turn of a session file, `on_turn` is called with each completed turn
    by the follower's own thread, `clock_ns` gives the time in nanoseconds since the epoch.
    """

    def __init__(
        self,
        list_sessions: Callable[[], Sequence[SessionLike]],
        read_turn: Callable[[Path], TurnLike],
        on_turn: Callable[[FollowedTurn], None],
        clock_ns: Callable[[], int],
        quiet_s: float = QUIET_S,
        poll_s: float = POLL_S,
    ) -> None:
        self._list_sessions = list_sessions
        self._read_turn = read_turn
        self._on_turn = on_turn
        self._clock_ns = clock_ns
        self._quiet_ns = round(quiet_s * 1e9)
        self._poll_s = poll_s
        self._watch = self._new_watch()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()
        self._poll_problem = ""
        self._turn_problem = ""

    @property
    def followed(self) -> str | None:
        """The ID of the session that is followed; None where there is none."""
        return self._watch.followed

    @property
    def problem(self) -> str:
        """One sentence where the last look, or the last telling of a turn, failed."""
        return self._poll_problem or self._turn_problem

    @property
    def is_running(self) -> bool:
        """True between `start` and `stop`."""
        return self._thread is not None

    def poll(self, now_ns: int) -> FollowedTurn | None:
        """Look once; the first look only takes stock.

        Gives one completed turn at most, the next look gives the next. Raises what listing and
        reading raise; then nothing is missed, the next look makes up for it.
        """
        return self._watch.look(now_ns)

    def start(self) -> None:
        """Follow from now on, anew; nothing where it runs."""
        with self._lock:
            if self._thread is not None:
                return
            self._watch = self._new_watch()
            self._poll_problem = self._turn_problem = ""
            self._ends = threading.Event()
            self._thread = threading.Thread(
                target=self._run,
                args=(self._watch, self._ends),
                name="memtui-follow",
                daemon=True,
            )
            self._thread.start()

    def stop(self) -> bool:
        """End following; no turn is told of after this but one that is just being told.

        False where a look takes longer than 0.2 s: it ends by itself.
        """
        with self._lock:
            thread, self._thread = self._thread, None
            self._ends.set()
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(_STOP_S)
        return not thread.is_alive()

    def _new_watch(self) -> _Watch:
        return _Watch(self._list_sessions, self._read_turn, self._quiet_ns)

    def _run(self, watch: _Watch, ends: threading.Event) -> None:
        while not ends.is_set():
            turn = None
            try:
                turn = watch.look(self._clock_ns())
                problem = ""
            except BaseException as error:
                problem = sentence_of(error)
            if ends.is_set():
                return
            self._poll_problem = problem
            if turn is not None:
                try:
                    self._on_turn(turn)
                    self._turn_problem = ""
                except BaseException as error:
                    self._turn_problem = sentence_of(error)
            ends.wait(self._poll_s)


class _Watch:
    """What was seen since following began."""

    def __init__(
        self,
        list_sessions: Callable[[], Sequence[SessionLike]],
        read_turn: Callable[[Path], TurnLike],
        quiet_ns: int,
    ) -> None:
        self._list_sessions = list_sessions
        self._read_turn = read_turn
        self._quiet_ns = quiet_ns
        self.followed: str | None = None
        self._stock: dict[Path, int] | None = None
        """The mtime of each session that was quiet when following began."""
        self._unsettled: dict[Path, None] = {}
        """Sessions that were followed at some time and whose last turn is not known to be over:
        one that is left for a newer session may still complete its turn."""
        self._settled: dict[Path, int] = {}
        """The mtime at which a session was quiet and looked at."""
        self._counts: dict[Path, set[int]] = {}
        """The completed turns that were told, or were there before, by their message counts."""
        self._seen: dict[Path, tuple[int, int]] = {}
        """The mtime of a session, and when it was seen first."""

    def look(self, now_ns: int) -> FollowedTurn | None:
        """See `Follower.poll`."""
        mtimes = {session.path: session.mtime_ns for session in self._list_sessions()}
        newest = max(mtimes, key=lambda path: mtimes[path], default=None)
        self.followed = None if newest is None else newest.stem
        if self._stock is None:
            self._stock = {
                path: mtime_ns
                for path, mtime_ns in mtimes.items()
                if self._is_quiet(path, mtime_ns, now_ns)
            }
        for path, mtime_ns in mtimes.items():
            is_followed = path == newest or path in self._settled
            if is_followed and self._settled.get(path) != mtime_ns:
                self._unsettled[path] = None
        for path in list(self._unsettled):
            try:
                turn = self._turn(path, mtimes.get(path), now_ns)
            except MemtuiError:
                if path == newest:
                    raise
                del self._unsettled[path]  # it was left, and is gone
                continue
            if turn is not None:
                return turn
        return None

    def _turn(self, path: Path, mtime_ns: int | None, now_ns: int) -> FollowedTurn | None:
        """The completed turn of a session that is news; None where there is none, or not yet."""
        if mtime_ns is None:
            del self._unsettled[path]
            return None
        turn = self._read_turn(path)
        counts = self._counts.setdefault(path, set())
        # A history that shrank lost the turns beyond: those that follow now are others.
        counts.intersection_update([count for count in counts if count <= turn.message_count])
        if not self._is_quiet(path, max(mtime_ns, turn.ended_ns), now_ns):
            return None
        del self._unsettled[path]
        self._settled[path] = mtime_ns
        if not turn.is_complete or turn.message_count in counts:
            return None
        counts.add(turn.message_count)
        if self._stock is not None and self._stock.get(path) == mtime_ns:
            return None
        return FollowedTurn(path.stem, path, turn.message_count, turn.ended_ns)

    def _is_quiet(self, path: Path, mtime_ns: int, now_ns: int) -> bool:
        """Whether the session has not grown for long enough.

        An mtime in the future tells nothing: then the time since it was seen first counts.
        """
        if mtime_ns > now_ns:
            seen = self._seen.get(path)
            if seen is None or seen[0] != mtime_ns:
                self._seen[path] = seen = (mtime_ns, now_ns)
            return now_ns - seen[1] >= self._quiet_ns
        return now_ns - mtime_ns >= self._quiet_ns
