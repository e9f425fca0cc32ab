"""The numbers and charts of the event log, its rows, and what a toast says of a task."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.telemetry import Event, parse_event
from memtui.engine.lifecycle.tasks import TaskRecord
from memtui.tui.activity_view import (
    DAYS,
    EventRow,
    LogState,
    chart,
    lay_out_event,
    lay_out_numbers,
    numbers_of,
)
from memtui.tui.task_view import TaskRow, Told, duration, lay_out_task, task_rows, told_of
from memtui.tui.themes import COLOUR
from tests.tui.conftest import NOW_NS
from tests.tui.hostile import KINDS, Kind

MINUTE_NS = 60 * 10**9
DAY_NS = 86_400 * 10**9
NOON_NS = int(
    datetime.fromtimestamp(NOW_NS / 1e9).replace(hour=12, minute=0, second=0).timestamp() * 1e9
)


def extract(time_ns: int, status: str = "completed", took_ms: int = 40, found: int = 2) -> Event:
    fields = {
        "trigger": "auto",
        "status": status,
        "patches_count": found,
        "touched_topics": ("feedback", "user"),
        "duration_ms": took_ms,
    }
    return Event("extract", time_ns, fields)


def recall(time_ns: int, selected: int = 5, took_ms: int = 2) -> Event:
    fields = {
        "query_length": 24,
        "docs_scanned": 33,
        "docs_selected": selected,
        "strategy": "heuristic" if selected else "none",
        "duration_ms": took_ms,
    }
    return Event("recall", time_ns, fields)


def row(event: Event, width: int = 60, worst_ms: int = 100) -> str:
    return EventRow(1, event, worst_ms).draw(width, COLOUR, has_cursor=False).plain


def task(status: str, kind: str = "extract", trigger: str = "auto", **values: object) -> TaskRecord:
    return TaskRecord(7, kind, trigger, "/p", "8f2c71d0", status, NOON_NS, **values)  # type: ignore[arg-type]  # texts that the rows take


@pytest.mark.parametrize(
    ("days", "rows", "drawn"),
    [
        ([], 1, [""]),
        ([0, 0], 1, ["▁▁"]),
        ([1, 2, 4, 8, 0], 1, ["▂▂▄█▁"]),
        ([1, 8, 16, 0], 2, ["  █ ", "▂██▁"]),
        ([1, 1000], 1, ["▂█"]),
    ],
)
def test_a_chart_reaches_from_one_event_to_the_busiest_day(
    days: list[int], rows: int, drawn: list[str]
) -> None:
    assert chart(days, rows) == drawn


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=DAYS), st.integers(1, 3))
def test_a_day_with_events_is_higher_than_one_without(days: list[int], rows: int) -> None:
    drawn = chart(days, rows)
    heights = [sum(" ▁▂▃▄▅▆▇█".index(line[place]) for line in drawn) for place in range(len(days))]
    assert all((height == 1) == (count == 0) for height, count in zip(heights, days, strict=True))
    if max(days):
        assert heights[days.index(max(days))] == 8 * rows
    order = sorted(range(len(days)), key=lambda place: days[place])
    assert [heights[place] for place in order] == sorted(heights)


def test_the_numbers_of_each_kind() -> None:
    events = [
        recall(NOON_NS - MINUTE_NS, 0, 9),
        extract(NOON_NS - DAY_NS, "failed", 300),
        extract(NOON_NS - DAY_NS - MINUTE_NS, "completed", 41),
        extract(NOON_NS - 13 * DAY_NS, "completed", 20),
        extract(NOON_NS - 20 * DAY_NS, "skipped", 2),
    ]
    extracts, dreams, recalls = numbers_of(events, NOON_NS)
    assert (extracts.count, extracts.last_ns, extracts.last_status) == (
        4,
        NOON_NS - DAY_NS,
        "failed",
    )
    assert (extracts.median_ms, extracts.worst_ms) == (30, 300)
    assert extracts.statuses == (("failed", 1), ("completed", 2), ("skipped", 1))
    assert extracts.days == (1, *[0] * 11, 2, 0)
    assert extracts.failed == {12}
    assert (dreams.count, dreams.last_ns, dreams.statuses) == (0, None, ())
    assert (recalls.days[-1], recalls.statuses) == (1, (("none", 1),))


def test_the_sections_with_room_and_without() -> None:
    events = [recall(NOON_NS, 5, 4), extract(NOON_NS - 2 * DAY_NS, "completed", 40)]
    numbers = numbers_of(events, NOON_NS)

    def lines(width: int, *, has_air: bool) -> list[str]:
        drawn = lay_out_numbers(numbers, LogState(), NOON_NS, width, COLOUR, has_air=has_air)
        return [line.plain.rstrip() for line in drawn]

    assert lines(60, has_air=True) == [
        "extract ──────────────────────────────────────────── 1 event",
        "last    2d ago, completed                              █",
        "median  40 ms, worst 40 ms       ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ █ ▁ ▁",
        "✓ 1 completed                               14 days to today",
        "dream ───────────────────────────────────────────── 0 events",
        "None yet: d, among the memories, tidies the store.",
        "recall ───────────────────────────────────────────── 1 event",
        "last    now, heuristic                                     █",
        "median  4 ms, worst 4 ms         ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ ▁ █",
        "✓ 1 heuristic                               14 days to today",
    ]
    assert lines(40, has_air=True)[:2] == [
        "extract ──────────────────────── 1 event",
        "▁▁▁▁▁▁▁▁▁▁▁█▁▁  ✓ 1 completed   40/40 ms",
    ]
    assert lines(60, has_air=False)[1] == (
        "▁▁▁▁▁▁▁▁▁▁▁█▁▁  ✓ 1 completed                       40/40 ms"
    )


def test_a_log_that_is_off_or_faulty_is_told_first() -> None:
    drawn = lay_out_numbers(
        numbers_of((), NOON_NS),
        LogState("/x", "MEMTUI_TELEMETRY=0 is set", "It broke."),
        NOON_NS,
        60,
        COLOUR,
        has_air=True,
    )
    assert [line.plain for line in drawn[:2]] == [
        "! No event is logged: MEMTUI_TELEMETRY=0 is set.",
        "! It broke.",
    ]


def test_rows_of_events() -> None:
    when = datetime.fromtimestamp(NOON_NS / 1e9).strftime("%d %b %H:%M")
    assert row(extract(NOON_NS)) == f" ✓ {when} extract 2 found U F             40 ms ━━╸───"
    assert row(extract(NOON_NS, "failed"))[16:36].split() == ["extract", "failed"]
    skipped = extract(NOON_NS, "skipped")
    skipped = skipped._replace(fields={**skipped.fields, "skipped_reason": "memory_tool"})
    assert row(skipped)[:45] == f" · {when} extract skipped memory_tool  "
    assert row(recall(NOON_NS, 0), 40) == f" · {when} recall  0 of 33     2 ms"
    assert "5 of 33" in row(recall(NOON_NS))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.mark)
def test_no_word_of_the_log_reaches_the_terminal_as_it_is(kind: Kind) -> None:
    text = kind.raw
    event = extract(NOON_NS, text)
    event = event._replace(fields={**event.fields, "trigger": text, "touched_topics": (text,)})
    drawn = [
        row(event),
        *(line.plain for line in lay_out_event(event, 60, COLOUR)),
        *(
            line.plain
            for line in lay_out_numbers(
                numbers_of([event], NOON_NS), LogState(), NOON_NS, 60, COLOUR, has_air=True
            )
        ),
        TaskRow(task("failed", error=text), NOON_NS).draw(60, COLOUR, has_cursor=False).plain,
        *(line.plain for line in lay_out_task(task("failed", error=text), NOON_NS, 60, COLOUR)),
    ]
    assert all(line.isprintable() or "\u200d" in line for line in drawn), drawn


@pytest.mark.parametrize("year", ["0001", "1969", "9999"])
def test_a_time_that_no_calendar_has_is_drawn(year: str) -> None:
    line = (
        f'{{"event":"recall","time":"{year}-01-01T00:00:00.000Z","query_length":1,'
        '"docs_scanned":1,"docs_selected":1,"strategy":"heuristic","duration_ms":1}'
    )
    event = parse_event(line.encode())
    assert event is not None
    assert "recall" in row(event)
    assert numbers_of([event], NOON_NS)[2].count == 1


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (task("running", started_ns=NOON_NS), None),
        (task("skipped", skipped_reason="queued"), None),
        (task("completed", result="0 to the inbox"), None),
        (task("completed", trigger="manual", result="0 to the inbox"), "extract: nothing new"),
        (task("completed", result="2 to the inbox"), "2 to the inbox · x reviews them"),
        (
            task("completed", result="2 to the store, 1 to the inbox"),
            "2 to the store, 1 to the inbox · x reviews them · u undoes it",
        ),
        (
            task("completed", result="3 to the store, 0 to the inbox"),
            "3 to the store · u undoes it",
        ),
        (
            task("completed", "dream", result="2 merged, 3 files"),
            "dream: 2 merged, 3 files · u undoes it",
        ),
        (task("completed", "dream", result="nothing to tidy"), None),
        (
            task("completed", "dream", "manual", result="nothing to tidy"),
            "dream: nothing to tidy",
        ),
    ],
)
def test_what_a_toast_says_of_a_task(record: TaskRecord, told: str | None) -> None:
    assert told_of(record) == (None if told is None else Told(told))


def test_a_failure_is_told_with_its_sentence() -> None:
    record = task("failed", "dream", error="The store is locked.")
    assert told_of(record) == Told("dream failed: The store is locked.", is_fault=True)


@pytest.mark.parametrize(
    ("time_ns", "said"),
    [(-1, "0 ms"), (41 * 10**6, "41 ms"), (4 * 10**9, "4 s"), (180 * 10**9, "3 min")],
)
def test_durations(time_ns: int, said: str) -> None:
    assert duration(time_ns) == said


def test_rows_of_tasks() -> None:
    def drawn(record: TaskRecord, width: int = 56) -> list[str]:
        return (
            TaskRow(record, NOON_NS + 4 * 10**9).draw(width, COLOUR, has_cursor=False).plain.split()
        )

    assert drawn(task("pending")) == ["·", "extract", "auto", "8f2c", "waits", "·"]
    running = task("running", started_ns=NOON_NS, progress="read 42 %")
    assert drawn(running) == [
        "›", "extract", "auto", "8f2c", "running,", "read", "42", "%", "4", "s",
    ]  # fmt: skip
    over = task("skipped", started_ns=NOON_NS, ended_ns=NOON_NS, skipped_reason="min_hours")
    assert drawn(over) == ["·", "extract", "auto", "8f2c", "skipped", "min_hours", "12:00"]
    assert drawn(over, 36) == ["·", "extract", "skipped", "min_hours", "12:00"]


def test_equal_skipped_tasks_are_one_row() -> None:
    def numbered(*said: str) -> list[TaskRecord]:
        """Newest first: kind, and for a skipped task its reason and session."""
        found = []
        for number, each in enumerate(reversed(said), 1):
            kind, _, rest = each.partition(" ")
            reason, _, session = rest.partition(" ")
            record = task(
                "skipped" if reason else "completed",
                kind,
                ended_ns=NOON_NS + number * 60 * 10**9,
                skipped_reason=reason or None,
            )
            found.append(replace(record, id=number, session_id=session or "8f2c71d0"))
        return found[::-1]

    def rows(*said: str) -> list[tuple[int, list[str]]]:
        return [
            (row.key, row.draw(60, COLOUR, has_cursor=False).plain.split())
            for row in task_rows(numbered(*said), NOON_NS)
        ]

    off = "dream disabled"
    assert rows(off, "extract", off, "extract", off) == [
        (1, ["·", "dream", "auto", "8f2c", "skipped", "disabled", "×3", "12:05"]),
        (4, ["✓", "extract", "auto", "8f2c", "done", "12:04"]),
        (2, ["✓", "extract", "auto", "8f2c", "done", "12:02"]),
    ]
    # Another reason, another session, or another task of its kind in between parts them.
    assert [key for key, _ in rows(off, "dream min_hours", off)] == [3, 2, 1]
    assert [key for key, _ in rows(off, "dream disabled other", off)] == [3, 2, 1]
    assert [key for key, _ in rows(off, off, "dream", off)] == [3, 2, 1]
    assert rows() == []
    (row,) = task_rows(numbered(off, off), NOON_NS)
    shown = lay_out_task(row.record, NOON_NS, 50, COLOUR, count=row.count)
    assert "times 2 in a row; this is the last" in [" ".join(line.plain.split()) for line in shown]


def test_all_that_is_known_of_a_task() -> None:
    record = task(
        "skipped", started_ns=NOON_NS, ended_ns=NOON_NS + 10**9, skipped_reason="memory_tool"
    )
    lines = [" ".join(line.plain.split()) for line in lay_out_task(record, NOON_NS, 60, COLOUR)]
    day = datetime.fromtimestamp(NOON_NS / 1e9).strftime("%Y-%m-%d")
    assert [line[:12] for line in lines[:1]] == ["extract, aut"]
    assert lines[1] == "session 8f2c71d0"
    assert lines[2].startswith(f"asked {day} 12:")
    assert lines[3].endswith(", 1 s long")
    assert lines[5:] == ["skipped memory_tool", "The agent wrote a memory itself in this turn."]
