"""The gates of the automatic dream: their order, their limits, their reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memtui.engine.plans.gates import DreamSituation, gates_of

HOUR_NS = 3_600_000_000_000
NOW_NS = 1_790_000_000 * 1_000_000_000
OPEN = DreamSituation(
    now_ns=NOW_NS,
    is_enabled=True,
    session="new",
    last_session="old",
    last_dream_ns=NOW_NS - 24 * HOUR_NS,
    last_scan_ns=NOW_NS - HOUR_NS // 6,
    new_sessions=5,
    lock="free",
    clears_stale=True,
    is_running=False,
)


def test_all_are_open_at_their_limits_and_told_in_their_order() -> None:
    found = gates_of(OPEN)
    assert (found.are_open, found.reason) == (True, None)
    assert [(gate.gate, gate.value, gate.limit) for gate in found.gates] == [
        ("enabled", True, True),
        ("session", "new", "old"),
        ("hours", 24.0, 24),
        ("scan", 10.0, 10),
        ("sessions", 5, 5),
        ("lock", "free", "free"),
        ("running", "none", "none"),
    ]


CLOSED: list[tuple[dict[str, Any], str]] = [
    ({"is_enabled": False}, "disabled"),
    ({"last_session": "new"}, "same_session"),
    ({"last_dream_ns": NOW_NS - 24 * HOUR_NS + 1}, "min_hours"),
    ({"last_dream_ns": NOW_NS + HOUR_NS}, "min_hours"),
    ({"last_scan_ns": NOW_NS - HOUR_NS // 6 + 1}, "scan_throttled"),
    ({"new_sessions": 4}, "min_sessions"),
    ({"lock": "held"}, "locked"),
    ({"lock": "stale", "clears_stale": False}, "locked"),
    ({"is_running": True}, "running"),
]


@pytest.mark.parametrize(("change", "reason"), CLOSED)
def test_one_closed_gate_is_the_reason(change: dict[str, Any], reason: str) -> None:
    found = gates_of(replace(OPEN, **change))
    assert found.reason == reason
    assert [gate.reason for gate in found.gates if not gate.open] == [reason]


def test_the_first_closed_gate_counts() -> None:
    changes: dict[str, Any] = {}
    for change, _reason in CLOSED:
        changes = {**change, **changes}
    found = gates_of(replace(OPEN, **changes))
    assert found.reason == "disabled"
    assert [gate.open for gate in found.gates] == [False] * 7


@pytest.mark.parametrize(
    "change", [{"last_dream_ns": None}, {"last_scan_ns": None}, {"session": None}]
)
def test_what_never_was_closes_no_gate(change: dict[str, Any]) -> None:
    assert gates_of(replace(OPEN, **change)).are_open


def test_no_session_is_not_the_same_session() -> None:
    assert gates_of(replace(OPEN, session=None, last_session=None)).are_open


def test_a_stale_lock_that_is_cleared_unasked_closes_nothing() -> None:
    assert gates_of(replace(OPEN, lock="stale")).are_open
