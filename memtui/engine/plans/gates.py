"""The gates of the automatic dream, in their order (spec section 9).

Invariant: pure; what a gate looks at is handed in, and an open gate has no reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

MIN_HOURS = 24
MIN_SCAN_MINUTES = 10
MIN_SESSIONS = 5

_NS_PER_MINUTE = 60_000_000_000
_NS_PER_HOUR = 60 * _NS_PER_MINUTE

GateName = Literal["enabled", "session", "hours", "scan", "sessions", "lock", "running"]
GateValue = str | int | float | bool | None


class Gate(NamedTuple):
    """One gate: whether it is open, what it looked at, and the reason where it is closed."""

    gate: GateName
    open: bool
    value: GateValue
    limit: GateValue
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Gates:
    """All gates at one moment, in the order in which they are asked."""

    gates: tuple[Gate, ...]

    @property
    def closed(self) -> Gate | None:
        """The first one that is closed: it alone is the reason."""
        return next((gate for gate in self.gates if not gate.open), None)

    @property
    def are_open(self) -> bool:
        """Whether an automatic dream may run."""
        return self.closed is None

    @property
    def reason(self) -> str | None:
        """Why none may run; None where it may."""
        return None if self.closed is None else self.closed.reason


@dataclass(frozen=True, slots=True)
class DreamSituation:
    """What the gates look at; times in nanoseconds since the epoch."""

    now_ns: int
    is_enabled: bool
    session: str | None
    """The followed session, else the newest."""
    last_session: str | None
    """The session that did the last dream."""
    last_dream_ns: int | None
    """None: there was none yet."""
    last_scan_ns: int | None
    """When the sessions were last counted; None: not yet in this process."""
    new_sessions: int
    """Sessions newer than the last dream, without `session`."""
    lock: str
    """`free`, `held` or `stale`."""
    clears_stale: bool
    """Whether a stale lock is cleared unasked: that of a Qwen project store."""
    is_running: bool
    """Whether a dream of this store runs in this process."""


def gates_of(situation: DreamSituation) -> Gates:
    """The gates as they stand."""
    now_ns = situation.now_ns
    hours = _since(now_ns, situation.last_dream_ns, _NS_PER_HOUR)
    minutes = _since(now_ns, situation.last_scan_ns, _NS_PER_MINUTE)
    is_same = situation.session is not None and situation.session == situation.last_session
    is_free = situation.lock == "free" or (situation.lock == "stale" and situation.clears_stale)
    return Gates(
        (
            _gate("enabled", situation.is_enabled, situation.is_enabled, True, "disabled"),
            _gate(
                "session", not is_same, situation.session, situation.last_session, "same_session"
            ),
            _gate("hours", hours is None or hours >= MIN_HOURS, hours, MIN_HOURS, "min_hours"),
            _gate(
                "scan",
                minutes is None or minutes >= MIN_SCAN_MINUTES,
                minutes,
                MIN_SCAN_MINUTES,
                "scan_throttled",
            ),
            _gate(
                "sessions",
                situation.new_sessions >= MIN_SESSIONS,
                situation.new_sessions,
                MIN_SESSIONS,
                "min_sessions",
            ),
            _gate("lock", is_free, situation.lock, "free", "locked"),
            _gate(
                "running",
                not situation.is_running,
                "running" if situation.is_running else "none",
                "none",
                "running",
            ),
        )
    )


def _gate(name: GateName, is_open: bool, value: GateValue, limit: GateValue, reason: str) -> Gate:
    return Gate(name, is_open, value, limit, None if is_open else reason)


def _since(now_ns: int, then_ns: int | None, unit_ns: int) -> float | None:
    """Units since a moment, to a hundredth, rounded down; a moment to come counts as now."""
    if then_ns is None:
        return None
    return max(0, now_ns - then_ns) * 100 // unit_ns / 100
