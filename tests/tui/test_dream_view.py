"""Gates, lock and history of a dream as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.engine.disk.agent_lock import LockState
from memtui.engine.disk.journal_entry import Image, JournalEntry, JournalFile
from memtui.engine.disk.log import Logged
from memtui.engine.disk.telemetry import Event
from memtui.engine.plans.gates import DreamSituation, gates_of
from memtui.engine.types import Scope, Store
from memtui.tui.dream_history import (
    FormerDream,
    LastHeld,
    former_dreams,
    history_rows,
    last_held,
    when,
)
from memtui.tui.dream_view import (
    GateRow,
    break_question,
    gates_subtitle,
    lay_out_lock,
    sentence_of,
)
from memtui.tui.themes import COLOUR

S = 1_000_000_000
NOW_NS = 1_795_000_000 * S
HOUR_NS, DAY_NS = 3600 * S, 86_400 * S
OPEN = DreamSituation(
    now_ns=NOW_NS,
    is_enabled=True,
    session="8f2c71d0-5b1e",
    last_session="51ab0000-1111",
    last_dream_ns=NOW_NS - 31 * HOUR_NS,
    last_scan_ns=NOW_NS - 42 * 60 * S,
    new_sessions=7,
    lock="free",
    clears_stale=True,
    is_running=False,
)


pytestmark = pytest.mark.usefixtures("utc")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, "Open: a dream would run by itself after the next turn"),
        ({"is_enabled": False}, "Off: dreams run by hand only"),
        ({"last_session": "8f2c71d0-5b1e"}, "Waiting for another session than the last"),
        ({"last_dream_ns": NOW_NS - 60 * S}, "Waiting for 24 more hours"),
        ({"last_dream_ns": NOW_NS - 23 * HOUR_NS - 60 * S}, "Waiting for 1 more hour"),
        ({"last_scan_ns": NOW_NS - 6 * 60 * S}, "Waiting 4 min: sessions were just counted"),
        ({"new_sessions": 3}, "Waiting for 2 more sessions"),
        ({"new_sessions": 4}, "Waiting for 1 more session"),
        ({"lock": "held"}, "Waiting for the lock, which is held"),
        ({"is_running": True}, "Waiting for the dream that runs now"),
    ],
)
def test_the_sentence_says_what_is_waited_for(change: dict[str, object], sentence: str) -> None:
    gates = gates_of(replace(OPEN, **change))  # type: ignore[arg-type]  # names of its fields
    assert " ".join(sentence_of(gates, is_following=True)) == sentence


def test_open_gates_without_a_followed_session_say_so() -> None:
    gates = gates_of(OPEN)
    assert " ".join(sentence_of(gates, is_following=False)) == "Open, but no session is followed"
    assert gates_subtitle(gates, 60, is_following=True) == "7 open"
    closed = gates_of(replace(OPEN, new_sessions=1))
    said = "runs only while following is on"
    assert gates_subtitle(closed, 60, is_following=False) == f"{said} · 6 open · 1 closed"
    assert gates_subtitle(closed, 40, is_following=False) == said
    assert gates_subtitle(closed, 40, is_following=True) == "6 open · 1 closed"


def gate_lines(situation: DreamSituation, width: int) -> list[str]:
    return [
        GateRow(gate).draw(width, COLOUR, has_cursor=False).plain
        for gate in gates_of(situation).gates
    ]


def test_the_table_of_gates_at_full_width() -> None:
    assert gate_lines(replace(OPEN, new_sessions=3), 62) == [
        " ✓ dream enabled       open            on         on",
        " ✓ another session     open          8f2c     ≠ 51ab",
        " ✓ hours since last    open          31 h     ≥ 24 h ━━━━━━━━",
        " ✓ last session scan   open        42 min   ≥ 10 min ━━━━━━━━",
        " ✗ new sessions        closed           3        ≥ 5 ━━━━━───",
        " ✓ consolidation lock  open          free       free",
        " ✓ dream running       open          none       none",
    ]


def test_a_narrow_table_drops_bar_and_state_and_keeps_the_signs() -> None:
    never = replace(
        OPEN, session=None, last_session=None, last_dream_ns=None, last_scan_ns=None, lock="stale"
    )
    assert gate_lines(never, 41) == [
        " ✓ dream enabled            on         on",
        " ✓ another session        none        any",
        " ✓ hours since last      never     ≥ 24 h",
        " ✓ last session scan     never   ≥ 10 min",
        " ✓ new sessions              7        ≥ 5",
        " ✓ consolidation lock    stale       free",
        " ✓ dream running          none       none",
    ]
    assert all(len(line) <= 41 for line in gate_lines(never, 41))
    assert all(len(line) <= 30 for line in gate_lines(never, 30))


# The lock.

LOCK = Path("/h/.qwen/projects/x/consolidation.lock")


def lock_text(
    lock: LockState | None, last: LastHeld | None = None, width: int = 62, checked_s: int = 0
) -> list[str]:
    checked_ns = NOW_NS - checked_s * S
    shown = lay_out_lock(lock, last, NOW_NS, width, COLOUR, checked_ns=checked_ns)
    return [" ".join(line.plain.split()) for line in shown]


def test_a_free_lock_and_who_held_it_last() -> None:
    last = LastHeld(48213, "dream", NOW_NS - DAY_NS, 4.2)
    assert lock_text(LockState("free", LOCK), last) == [
        "✓ free no consolidation.lock checked 1 s ago",
        "last held by memtui dream, PID 48213, 4 s yesterday 11:06",
        "a manual run skips the gates, not the lock",
    ]
    assert lock_text(LockState("free", LOCK), width=41)[0] == "✓ free no consolidation.lock"
    # A disk that hangs shows.
    assert lock_text(LockState("free", LOCK), checked_s=40)[0].endswith(" checked 40 s ago")


def test_a_held_lock_and_a_stale_one() -> None:
    held = LockState("held", LOCK, 812, 40, True, "held by PID 812 (qwen) since 40 s")
    assert lock_text(held)[0] == "✗ held by PID 812 (qwen) since 40 s checked 1 s ago"
    stale = LockState("stale", LOCK, 812, 7200, False, "PID 812 is gone, the lock is 2 h old")
    assert lock_text(stale)[0] == "! stale PID 812 is gone, the lock is 2 h old L breaks it"
    assert lock_text(stale, width=30)[:3] == [
        "! stale PID 812 is gone, the", "lock is 2 h old L breaks it",
        "a manual run skips the",
    ]  # fmt: skip
    assert lock_text(None) == ["No agent locks this store, so nothing has to be waited for."]


def test_hostile_names_in_a_lock_are_harmless() -> None:
    held = LockState("held", LOCK, 8, 40, True, "held by PID 8 (a\x1b[2Jb) since 40 s")
    assert "\\x1b[2Jb" in lock_text(held)[0]
    assert "\x1b" not in "".join(lock_text(held))


def test_breaking_a_lock_of_claude_loses_a_time() -> None:
    reason = "PID 812 is gone, the lock is 2 h old"
    said = (
        "Break the stale lock? PID 812 is gone, the lock is 2 h old. Where an agent is tidying"
        " this store after all, both would write at once."
    )
    assert break_question(LockState("stale", LOCK, 812, 7200, False, reason)) == said
    claude = LockState("stale", Path("/m/.consolidate-lock"), 812, 7200, False, reason)
    assert break_question(claude) == (
        f"{said} Claude Code reads the time of its last tidying from this file: that time is"
        " lost, and it may tidy again sooner."
    )


# Former dreams.

STORE = Store("project", "qwen", Path("/h/memory"), state_dir=Path("/h"))


def act(
    act_id: str,
    time_ns: int,
    *,
    files: int = 2,
    merged: int = 1,
    is_undone: bool = False,
    status: str = "applied",
    scope: Scope = "project",
    operation: str = "dream",
    trigger: str | None = "manual",
) -> Logged:
    changed = tuple(
        JournalFile(f"f{number}.md", "", None, Image("x", 1), f"f{number}.md", "", "")
        for number in range(files)
    )
    details: dict[str, object] = {"deduped_entries": merged}
    if trigger is not None:
        details["trigger"] = trigger
    entry = JournalEntry(
        act_id,
        operation,
        time_ns,
        4711,
        replace(STORE, scope=scope),
        (),
        files=changed,
        details=details,
        status=status,  # type: ignore[arg-type]  # one of its words
        closed_ns=time_ns + 3 * S,
    )
    return Logged(act_id, (entry,), is_undone)


def event(time_ns: int, status: str = "updated", merged: int = 5, took_ms: int = 70) -> Event:
    fields = {"trigger": "auto", "status": status, "deduped_entries": merged}
    return Event("dream", time_ns, {**fields, "touched_topics": (), "duration_ms": took_ms})


def test_an_event_belongs_to_an_act_at_most_a_minute_before_it() -> None:
    start = NOW_NS - DAY_NS
    for late_ns, count in ((-S // 1000, 1), (0, 1), (60 * S, 1), (60 * S + 1, 2), (-S, 2)):
        dreams = former_dreams([act("a", start)], [event(start + late_ns)], "project")
        assert len(dreams) == count, late_ns
        known = next(dream for dream in dreams if dream.act_id == "a")
        assert known.duration_ms == (70 if count == 1 else None)
        assert (known.trigger, known.merged, known.files) == ("manual", 1, 2)


def test_each_event_goes_to_the_nearest_act_before_it_once() -> None:
    acts = [act("b", NOW_NS - 20 * S), act("a", NOW_NS - 40 * S)]
    events = [event(NOW_NS - 10 * S, took_ms=2), event(NOW_NS - 30 * S, took_ms=1)]
    found = [(dream.act_id, dream.duration_ms) for dream in former_dreams(acts, events, "project")]
    assert found == [("b", 2), ("a", 1)]


def test_a_failed_event_is_no_dream_that_was_applied() -> None:
    events = [event(NOW_NS, "failed", took_ms=1204)]
    failed, done = former_dreams([act("a", NOW_NS - S)], events, "project")
    assert (failed.status, failed.merged, failed.files, failed.act_id) == ("failed", None, None, "")
    assert (done.status, done.duration_ms) == ("updated", None)


def test_what_is_not_known_is_a_dot() -> None:
    acts = [
        act("e", NOW_NS - S, files=0, merged=0),
        act("d", NOW_NS - DAY_NS, is_undone=True),
        act("c", NOW_NS - 2 * DAY_NS, status="rolled-back"),
        act("b", NOW_NS - 3 * DAY_NS, operation="forget"),
        act("u", NOW_NS - 4 * DAY_NS, scope="user"),
        act("a", NOW_NS - 400 * DAY_NS, trigger=None),
    ]
    events = [event(NOW_NS - 6 * DAY_NS, "noop", 0)]
    dreams = former_dreams(acts, events, "project")
    lines = [
        " ".join(row.draw(62, COLOUR, has_cursor=False).plain.split())
        for row in history_rows(dreams, NOW_NS)
    ]
    assert lines == [
        "when trigger status merged files ms",
        "· 18 Nov 11:06 manual noop · · ·",
        "← 17 Nov 11:06 manual undone 1 2 · ━━━━━━",
        "✗ 16 Nov 11:06 manual failed · 2 ·",
        "· 12 Nov 11:06 auto noop · · 70",
        "✓ 14 Oct 2025 · updated 1 2 · ━━━━━━",
    ]
    assert [dream.act_id for dream in dreams if dream.can_be_undone] == ["a"]
    assert [dream.act_id for dream in former_dreams(acts, events, "user")] == ["u"]


def test_the_table_of_dreams_drops_columns_from_the_right() -> None:
    dream = FormerDream(NOW_NS, "updated", "auto", 12, 3, 1204, "a")
    head, row = history_rows([dream], NOW_NS)
    assert head.draw(62, COLOUR, has_cursor=False).plain == (
        "   when          trigger status   merged  files     ms"
    )
    assert row.draw(62, COLOUR, has_cursor=False).plain == (
        " ✓ 18 Nov 11:06  auto    updated      12      3  1,204  ━━━━━━"
    )
    assert row.draw(41, COLOUR, has_cursor=False).plain == " ✓ 18 Nov 11:06  updated      12      3"
    assert history_rows([], NOW_NS) == []


def test_who_held_the_lock_last_is_the_newest_act_on_a_qwen_project() -> None:
    acts = [act("u", NOW_NS, scope="user"), act("a", NOW_NS - S, operation="forget")]
    assert last_held(acts, "project") == LastHeld(4711, "forget", NOW_NS - S, 3.0)
    assert last_held(acts, "user") is None
    assert last_held([], "project") is None


def test_times_near_and_far() -> None:
    assert when(NOW_NS, NOW_NS, has_words=True) == "today 11:06"
    assert when(NOW_NS - DAY_NS, NOW_NS, has_words=True) == "yesterday 11:06"
    assert when(NOW_NS - 2 * DAY_NS, NOW_NS, has_words=True) == "16 Nov 11:06"
    assert when(NOW_NS + 9 * DAY_NS, NOW_NS, has_words=True) == "27 Nov 11:06"
    assert when(10**21, NOW_NS) == " 1 Jan 00:00"
    assert when(-5, NOW_NS) == " 1 Jan 1970"
