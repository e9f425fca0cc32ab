"""Gates and lock of a dream, as rows and lines.

Invariant: pure; every text of a session, a path or another program passes `safe_text` here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.disk.agent_lock import CLAUDE_LOCK, LockState, duration
from memtui.engine.plans.gates import (
    MIN_HOURS,
    MIN_SCAN_MINUTES,
    MIN_SESSIONS,
    Gate,
    GateName,
    Gates,
)
from memtui.tui.dream_history import LastHeld, when
from memtui.tui.dream_plan import NOTHING, PlanView
from memtui.tui.format import bar, fit, hang, pad, plural, right, spread
from memtui.tui.live_state import short_id
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

NAMES: dict[GateName, str] = {
    "enabled": "dream enabled",
    "session": "another session",
    "hours": "hours since last",
    "scan": "last session scan",
    "sessions": "new sessions",
    "lock": "consolidation lock",
    "running": "dream running",
}
_LIMITS: dict[GateName, float] = {
    "hours": MIN_HOURS,
    "scan": MIN_SCAN_MINUTES,
    "sessions": MIN_SESSIONS,
}
OTHER_SCOPE = (
    "Only the project's store dreams by itself, so no gate is asked here. enter reviews what a"
    " dream of this store would do now."
)
_ONLY_FOLLOWING = "runs only while following is on"
MANUAL = "a manual run skips the gates, not the lock"
_NAME_CELLS, _STATE_CELLS, _VALUE_CELLS, _LIMIT_CELLS, _BAR_CELLS = 20, 9, 9, 11, 8
_STATE_FROM_CELLS = 3 + _NAME_CELLS + _STATE_CELLS + _VALUE_CELLS + _LIMIT_CELLS
_BAR_FROM_CELLS = _STATE_FROM_CELLS + 1 + _BAR_CELLS


@dataclass(frozen=True, slots=True)
class GateHead:
    """The names of the columns of the gates."""

    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        state = pad("state", _STATE_CELLS) if width >= _STATE_FROM_CELLS else ""
        text = (
            " " * 3
            + pad("gate", _name_cells(width))
            + state
            + right("value", _VALUE_CELLS)
            + right("limit", _LIMIT_CELLS)
        )
        return Content.styled(fit(text, width), palette.faint)


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate: open or closed, what it looked at, what it asks for."""

    gate: Gate

    @property
    def key(self) -> GateName:
        """The name of the gate."""
        return self.gate.gate

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        gate = self.gate
        sign = ("✓", palette.good) if gate.open else ("✗", palette.attention)
        state = ("open", palette.muted) if gate.open else ("closed", f"bold {palette.attention}")
        name = pad(NAMES[gate.gate], _name_cells(width))
        parts: list[str | Content | tuple[str, str]] = [
            " ",
            sign,
            " ",
            (name, palette.strong if has_cursor else palette.text),
        ]
        if width >= _STATE_FROM_CELLS:
            parts.append((pad(state[0], _STATE_CELLS), state[1]))
        parts += [
            (right(fit(value_of(gate), _VALUE_CELLS), _VALUE_CELLS), palette.text),
            (right(fit(limit_of(gate), _LIMIT_CELLS), _LIMIT_CELLS), palette.muted),
        ]
        limit = _LIMITS.get(gate.gate)
        if width >= _BAR_FROM_CELLS and limit is not None:
            # What never happened asks for nothing: the gate is as open as it can be.
            value = limit if gate.value is None else float(gate.value)
            parts += [" ", bar(value, limit, _BAR_CELLS, palette, "" if gate.open else sign[1])]
        return Content.assemble(*parts)


def _name_cells(width: int) -> int:
    tail = _VALUE_CELLS + _LIMIT_CELLS + (_STATE_CELLS if width >= _STATE_FROM_CELLS else 0)
    return max(4, min(_NAME_CELLS, width - 3 - tail))


def value_of(gate: Gate) -> str:
    """What a gate looked at: `on`, `8f2c`, `31 h`, `42 min`, `3`, `free`, `none`."""
    value = gate.value
    if gate.gate == "enabled":
        return "on" if value else "off"
    if gate.gate == "session":
        return short_id(str(value)) if value else "none"
    if value is None:
        return "never"
    if gate.gate == "hours":
        return f"{int(float(value)):,} h"
    return f"{int(float(value)):,} min" if gate.gate == "scan" else safe_line(str(value))


def limit_of(gate: Gate) -> str:
    """What a gate asks for: `on`, `≠ 51ab`, `≥ 24 h`, `free`."""
    limit = gate.limit
    match gate.gate:
        case "enabled":
            return "on"
        case "session":
            return f"≠ {short_id(str(limit))}" if limit else "any"
        case "hours":
            return f"≥ {limit} h"
        case "scan":
            return f"≥ {limit} min"
        case "sessions":
            return f"≥ {limit}"
        case _:
            return safe_line(str(limit))


def sentence_of(gates: Gates, *, is_following: bool) -> tuple[str, str]:
    """What is waited for: its first word, which stands out, and the rest."""
    closed = gates.closed
    if closed is None:
        if is_following:
            return "Open:", "a dream would run by itself after the next turn"
        return "Open,", "but no session is followed"
    number = float(closed.value) if isinstance(closed.value, (int, float)) else 0.0
    match closed.gate:
        case "enabled":
            return "Off:", "dreams run by hand only"
        case "session":
            return "Waiting", "for another session than the last"
        case "hours":
            return "Waiting", f"for {plural(math.ceil(MIN_HOURS - number), 'more hour')}"
        case "scan":
            minutes = math.ceil(MIN_SCAN_MINUTES - number)
            return "Waiting", f"{minutes} min: sessions were just counted"
        case "sessions":
            return "Waiting", f"for {plural(MIN_SESSIONS - int(number), 'more session')}"
        case "lock":
            return "Waiting", f"for the lock, which is {safe_line(str(closed.value))}"
        case "running":
            return "Waiting", "for the dream that runs now"


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """What is waited for, and the reason as the logs call it."""

    gates: Gates
    is_following: bool
    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line above the table."""
        gates = self.gates
        first, rest = sentence_of(gates, is_following=self.is_following)
        is_calm = gates.are_open and self.is_following
        style = palette.good if is_calm else f"bold {palette.attention}"
        left = Content.assemble((first, style), (f" {rest}", palette.text))
        return spread(left, Content.styled(gates.reason or "", palette.muted), width)


def gates_subtitle(gates: Gates, width: int, *, is_following: bool) -> str:
    """How many gates are open, and what else a run by itself needs, in `width` cells."""
    closed = sum(not gate.open for gate in gates.gates)
    said = f"{len(gates.gates) - closed} open" + (f" · {closed} closed" if closed else "")
    if is_following:
        return said
    whole = f"{_ONLY_FOLLOWING} · {said}"
    return whole if len(whole) <= width else _ONLY_FOLLOWING


def lay_out_lock(
    lock: LockState | None,
    last: LastHeld | None,
    now_ns: int,
    width: int,
    palette: Palette,
    *,
    checked_ns: int,
) -> list[Content]:
    """Who holds the lock, who held it last, and what that means for a run by hand.

    `checked_ns` is when that was looked at.
    """
    if lock is None:
        said = "No agent locks this store, so nothing has to be waited for."
        return Content.styled(said, palette.muted).wrap(width)
    lines = _state(lock, now_ns - checked_ns, width, palette)
    if last is not None:
        lines.append(_last(last, now_ns, width, palette))
    lines += hang("   ", MANUAL, palette.muted, width)
    return lines


def _state(lock: LockState, age_ns: int, width: int, palette: Palette) -> list[Content]:
    # It is looked at every second: what is shown can be so old before the next look.
    age_s = max(1, age_ns // 1_000_000_000)
    looked = Content.styled(f"checked {duration(float(age_s))} ago", palette.muted)
    name = safe_line(lock.path.name)
    if lock.state == "free":
        left = Content.assemble(
            (" ✓ ", palette.good), ("free", palette.strong), (f"   no {name}", palette.muted)
        )
        return [spread(left, looked, width)] if _fits(left, looked, width) else [left]
    reason = safe_line(lock.reason).removeprefix("held ")
    if lock.state == "held":
        left = Content.assemble(
            (" ✗ ", palette.bad), ("held", palette.bad_word), (f" {reason}", palette.text)
        )
        fits = _fits(left, looked, width)
        return [spread(left, looked, width)] if fits else left.wrap(width)
    left = Content.assemble(
        (" ! ", palette.attention),
        ("stale", f"bold {palette.attention}"),
        (f" {reason}", palette.text),
    )
    does = Content.assemble(("L", palette.key), (" breaks it", palette.muted))
    return _stacked(left, does, width)


def _stacked(left: Content, end: Content, width: int) -> list[Content]:
    parts = left.wrap(width)
    if _fits(parts[-1], end, width):
        return [*parts[:-1], spread(parts[-1], end, width)]
    return [*parts, spread(Content(""), end, width)]


def _fits(left: Content, end: Content, width: int) -> bool:
    return left.cell_length + end.cell_length < width


def _last(last: LastHeld, now_ns: int, width: int, palette: Palette) -> Content:
    took = f", {duration(last.held_s)}" if last.held_s is not None and last.held_s >= 1 else ""
    said = f"   last held by memtui {safe_line(last.operation)}, PID {last.pid}{took}"
    return spread(
        Content.styled(said, palette.muted),
        Content.styled(when(last.time_ns, now_ns, has_words=True), palette.muted),
        width,
    )


def break_question(lock: LockState) -> str:
    """What breaking a stale lock means, for the one who is asked."""
    loss = ""
    if lock.path.name == CLAUDE_LOCK:
        loss = (
            " Claude Code reads the time of its last tidying from this file: that time is lost,"
            " and it may tidy again sooner."
        )
    return (
        f"Break the stale lock? {safe_line(lock.reason)[:1].upper()}{safe_line(lock.reason)[1:]}."
        f" Where an agent is tidying this store after all, both would write at once.{loss}"
    )


def run_question(view: PlanView) -> str:
    """What a run in the background does, for the one who is asked."""
    plan = view.plan
    if plan.is_empty:
        return f"{NOTHING} Run a dream all the same? Only its time is noted."
    parts = [plural(len(plan.merges), "merge"), plural(len(plan.sorts), "sort")]
    said = " and ".join(part for part in parts if not part.startswith("0 "))
    return (
        f"Run this dream now? {plural(len(view.files), 'file')} change, by {said}. It skips the"
        " gates and the review, and plans once more on what is there by then; the log has it,"
        " with its undo."
    )


def gate_rows(gates: Gates, *, is_following: bool) -> list[SentenceRow | GateHead | GateRow]:
    """The table of the gates, below what is waited for."""
    return [SentenceRow(gates, is_following), GateHead(), *map(GateRow, gates.gates)]
