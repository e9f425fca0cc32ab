"""Tasks in the background, as rows, as details, and as what a toast says of them.

Invariant: pure; every text of a session or an error passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from textual.content import Content

from memtui.engine.lifecycle.tasks import TaskRecord, TaskStatus
from memtui.tui.format import hang, moment, pad, right, rule, spread
from memtui.tui.live_state import LiveState, short_id
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_SECOND_NS = 1_000_000_000
_LABEL_CELLS = 9
_WORDS = {"pending": "waits", "running": "running", "completed": "done"}
_REASONS = {
    "already_running": "An extract of the same turn is running already.",
    "queued": "A newer one took its place in the queue.",
    "running": "A dream of this store is running already.",
    "stopped": "It was stopped on request; nothing was written.",
    "memory_tool": "The agent wrote a memory itself in this turn.",
    "memory_pressure": "Memory is short, so it was left for later.",
    "disabled": "Dreams of this store are switched off.",
    "same_session": "This session did the last dream.",
    "min_hours": "The last dream is not a day old.",
    "scan_throttled": "The sessions were looked at only minutes ago.",
    "min_sessions": "There are too few new sessions since the last dream.",
    "locked": "Another process holds the lock of the store.",
}


class Told(NamedTuple):
    """What a toast says."""

    text: str
    is_fault: bool = False


def told_of(record: TaskRecord) -> Told | None:
    """What to say of a task that is over; None where nothing is worth it."""
    if record.status == "failed":
        return Told(f"{record.kind} failed: {record.error or 'no reason is known.'}", True)
    if record.status != "completed":
        return None
    if record.kind == "dream":
        is_noop = record.result in ("", "nothing to tidy")
        if is_noop:
            return Told("dream: nothing to tidy") if record.trigger == "manual" else None
        return Told(f"dream: {record.result} · u undoes it")
    parts = [part for part in record.result.split(", ") if not part.startswith("0 ")]
    if not parts:
        return Told("extract: nothing new") if record.trigger == "manual" else None
    hints = []
    if any(part.endswith("to the inbox") for part in parts):
        hints.append("x reviews them")
    if any(part.endswith("to the store") for part in parts):
        hints.append("u undoes it")
    return Told(" · ".join([", ".join(parts), *hints]))


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, or equal ones in a row: how it stands, what it is, what came of it, and when."""

    record: TaskRecord
    """The newest of them."""
    now_ns: int
    count: int = 1
    first_id: int | None = None
    """The number of the oldest of them, where they are several."""

    @property
    def key(self) -> int:
        """The number of the task; of several that of the oldest, so that it stays as they grow."""
        return self.record.id if self.first_id is None else self.first_id

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        record = self.record
        sign, style = _sign(record.status, palette)
        said = _said(record) + (f" ×{self.count:,}" if self.count > 1 else "")
        left = Content.assemble(
            " ",
            (sign, style),
            " ",
            (pad(record.kind, 8), palette.strong if has_cursor else palette.text),
            (pad(record.trigger, 7), palette.muted) if width >= 50 else "",
            (pad(short_id(record.session_id), 5), palette.muted) if width >= 40 else "",
            (said, style if record.status in ("running", "failed") else palette.muted),
        )
        return spread(left, Content.styled(right(self._time(), 6), palette.muted), width)

    def _time(self) -> str:
        record = self.record
        if record.ended_ns is not None:
            return _clock(record.ended_ns)[:5]
        if record.started_ns is not None:
            return duration(self.now_ns - record.started_ns)
        return "·"


def task_rows(records: Sequence[TaskRecord], now_ns: int) -> list[TaskRow]:
    """The tasks as rows, in their order; skipped ones that are equal stand as one, the newest.

    Equal are those of one session with one reason, where no other task of their kind came between.
    """
    rows: list[TaskRow] = []
    newest: dict[str, int] = {}
    """The place of the last row, by kind."""
    for record in records:
        place = newest.get(record.kind)
        if place is not None and _is_again(rows[place].record, record):
            row = rows[place]
            rows[place] = replace(row, count=row.count + 1, first_id=record.id)
        else:
            newest[record.kind] = len(rows)
            rows.append(TaskRow(record, now_ns))
    return rows


def _is_again(record: TaskRecord, older: TaskRecord) -> bool:
    def what(each: TaskRecord) -> tuple[str, str, str | None]:
        return each.trigger, each.session_id, each.skipped_reason

    return record.status == older.status == "skipped" and what(record) == what(older)


def lay_out_task(
    record: TaskRecord, now_ns: int, width: int, palette: Palette, *, count: int = 1
) -> list[Content]:
    """All that is known of a task, the newest of `count` equal ones."""
    sign, style = _sign(record.status, palette)
    lines = [
        spread(
            Content.styled(f"{record.kind}, {record.trigger}", palette.strong),
            Content.assemble((f"{sign} ", style), (record.status, style)),
            width,
        )
    ]
    if record.session_id:
        lines += _labelled("session", record.session_id, width, palette)
    lines += _labelled("asked", _moment(record.created_ns), width, palette)
    if record.started_ns is not None:
        end_ns = now_ns if record.ended_ns is None else record.ended_ns
        took = duration(end_ns - record.started_ns)
        lines += _labelled("started", f"{_clock(record.started_ns)}, {took} long", width, palette)
    if record.ended_ns is not None:
        lines += _labelled("ended", _clock(record.ended_ns), width, palette)
    if record.skipped_reason:
        lines += _labelled("skipped", record.skipped_reason, width, palette)
        reason = _REASONS.get(record.skipped_reason)
        lines += [] if reason is None else _labelled("", reason, width, palette)
    if count > 1:
        lines += _labelled("times", f"{count:,} in a row; this is the last", width, palette)
    if record.progress and not record.is_over:
        lines += _labelled("so far", record.progress, width, palette)
    if record.result:
        lines += _labelled("result", record.result, width, palette)
    if record.error:
        lines += hang("✗ ", safe_line(record.error), palette.bad, width)
    if not record.is_over:
        hint = Content.assemble(("x", palette.key), (" asks it to stop.", palette.muted))
        lines += [Content(""), *hint.wrap(width)]
    return lines


def lay_out_following(live: LiveState, width: int, palette: Palette) -> list[Content]:
    """Which session is followed, and where what is found goes."""
    if not live.is_following:
        said = (
            "No session is followed: w, among the memories, watches the newest one. After each"
            " turn, what you said that lasts is found and waits in the inbox."
        )
        return [
            rule("following", "off", width, palette),
            *Content.styled(said, palette.muted).wrap(width),
        ]
    goes = (
        "is written to the store at once, each time with its undo"
        if live.to == "store"
        else "waits in the inbox until you decide"
    )
    said = f"After each turn, what you said that lasts {goes}."
    lines = [
        rule("following", live.session or "no session yet", width, palette),
        *Content.styled(said, palette.muted).wrap(width),
    ]
    if live.problem:
        lines += hang("! ", safe_line(live.problem), palette.attention, width)
    return lines


def duration(time_ns: int) -> str:
    """How long, for a person: `41 ms`, `4 s`, `3 min`."""
    time_ns = max(0, time_ns)
    if time_ns < _SECOND_NS:
        return f"{time_ns // 1_000_000} ms"
    seconds = time_ns // _SECOND_NS
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60:,} min"


def _sign(status: TaskStatus, palette: Palette) -> tuple[str, str]:
    return {
        "pending": ("·", palette.muted),
        "running": ("›", palette.key),
        "completed": ("✓", palette.muted),
        "failed": ("✗", palette.bad),
        "skipped": ("·", palette.faint),
    }[status]


def _said(record: TaskRecord) -> str:
    if record.status == "skipped":
        return f"skipped {safe_line(record.skipped_reason or '')}"
    if record.status == "failed":
        return f"failed: {safe_line(record.error)}"
    word = _WORDS[record.status]
    text = safe_line(record.progress if record.status == "running" else record.result)
    return f"{word}, {text}" if text and record.status == "running" else text or word


def _labelled(label: str, text: str, width: int, palette: Palette) -> Sequence[Content]:
    parts = Content.styled(safe_line(text), palette.muted).wrap(max(8, width - _LABEL_CELLS))
    return [
        Content.styled(pad(label if place == 0 else "", _LABEL_CELLS), palette.faint) + part
        for place, part in enumerate(parts)
    ]


def _clock(time_ns: int) -> str:
    return moment(time_ns).strftime("%H:%M:%S")


def _moment(time_ns: int) -> str:
    return moment(time_ns).strftime("%Y-%m-%d %H:%M:%S")
