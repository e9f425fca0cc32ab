"""The event log for the screen: the numbers of each kind, a small chart, rows, and details.

Invariant: pure; whatever the log holds, each text of it passes `safe_text` here. The chart is drawn
with block signs that the usual fonts have; its lowest step is a day without events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import NamedTuple

from textual.content import Content

from memtui.engine.disk.telemetry import Event
from memtui.engine.types import MEMORY_TYPES
from memtui.tui.format import age, badge, bar, fit, hang, moment, pad, plural, right, rule, spread
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

KINDS = ("extract", "dream", "recall")
DAYS = 14
_STEPS = " ▁▂▃▄▅▆▇█"
_DAY_NS = 86_400 * 1_000_000_000
_LABEL_CELLS = 16
_AIRY_CELLS = 2 * DAYS + 28
"""From this width on a chart has two rows, with the numbers beside it."""
_NONE_YET = {
    "extract": "None yet: w, among the memories, follows a session; x extracts from one.",
    "dream": "None yet: d, among the memories, tidies the store.",
    "recall": "None yet: r, among the memories, asks what the agent would recall.",
}
_WHAT_IT_IS = (
    "Numbers alone: no text of a memory, a query or a session. The log stays on this machine;"
    " nothing is ever sent."
)


class LogState(NamedTuple):
    """Where the event log lies, and whether it is written."""

    path: str = ""
    """Empty where memtui has no place of its own."""
    off: str = ""
    """Why nothing is logged; empty where it is."""
    problem: str = ""
    """One sentence where it cannot be read or written."""


@dataclass(frozen=True)
class KindNumbers:
    """What the events of one kind come to."""

    kind: str
    count: int
    last_ns: int | None
    last_status: str
    median_ms: int
    worst_ms: int
    statuses: tuple[tuple[str, int], ...]
    """Each status with its count: failures first, then the most frequent."""
    days: tuple[int, ...]
    """How many on each of the last `DAYS` days, today last."""
    failed: frozenset[int]
    """Those of the days on which one failed."""


def numbers_of(events: Sequence[Event], now_ns: int) -> tuple[KindNumbers, ...]:
    """The numbers of the three kinds, by the calendar days of this machine."""
    today = _day(now_ns)
    return tuple(
        _kind_numbers(kind, [event for event in events if event.event == kind], today, now_ns)
        for kind in KINDS
    )


def status_of(event: Event) -> str:
    """How an event ended: its `status`, of a recall its `strategy`."""
    return str(event.fields["strategy" if event.event == "recall" else "status"])


def chart(days: Sequence[int], rows: int) -> list[str]:
    """The rows of a chart, the upper first, one sign a day; a day without events is `▁`."""
    top = max(days, default=0)
    steps = len(_STEPS) - 1
    heights = [max(2, round(count / top * rows * steps)) if count else 1 for count in days]
    return [
        "".join(_STEPS[min(steps, max(0, height - row * steps))] for height in heights)
        for row in reversed(range(rows))
    ]


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event: how it ended, when, of which kind, what came of it, how long it took."""

    number: int
    event: Event
    worst_ms: int
    """Of its kind: the length of a whole bar."""

    @property
    def key(self) -> tuple[int, int]:
        """Its time, and its number among those of that time."""
        return (self.event.time_ns, self.number)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        event = self.event
        sign, style = _sign(status_of(event), palette)
        took = _milliseconds(event)
        left = Content.assemble(
            " ",
            (sign, style),
            " ",
            (pad(_time(event.time_ns, "%d %b %H:%M"), 13), palette.muted),
            (pad(event.event, 8), palette.strong if has_cursor else palette.text),
            (_said(event), style if sign == "✗" else palette.muted),
        )
        for topic in _topics(event):
            left += Content(" ") + badge(topic, palette)
        end = Content.styled(right(f"{took:,} ms", 8), palette.muted)
        if width >= 50:
            end += Content(" ") + bar(took, max(1, self.worst_ms), 6, palette)
        return spread(left, end, width)


def lay_out_numbers(
    numbers: Sequence[KindNumbers],
    log: LogState,
    now_ns: int,
    width: int,
    palette: Palette,
    *,
    has_air: bool,
) -> list[Content]:
    """The section of each kind, below what is to be said of the log."""
    lines: list[Content] = []
    if log.off:
        lines += hang("! ", f"No event is logged: {safe_line(log.off)}.", palette.attention, width)
    if log.problem:
        lines += hang("! ", safe_line(log.problem), palette.attention, width)
    for each in numbers:
        lines.append(rule(each.kind, plural(each.count, "event"), width, palette))
        if not each.count:
            lines += Content.styled(_NONE_YET[each.kind], palette.muted).wrap(width)
        elif has_air and width >= _AIRY_CELLS:
            lines += _airy(each, now_ns, width, palette)
        else:
            lines += _dense(each, width, palette)
    return lines


def lay_out_event(event: Event, width: int, palette: Palette) -> list[Content]:
    """All fields of an event, by the names that they have in the log."""
    lines = [
        spread(
            Content.styled(event.event, palette.strong),
            Content.styled(_time(event.time_ns, "%Y-%m-%d %H:%M:%S"), palette.muted),
            width,
        )
    ]
    for name, value in event.fields.items():
        text = ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
        lines.append(
            Content.assemble(
                (pad(name, _LABEL_CELLS), palette.faint),
                (fit(safe_line(text), width - _LABEL_CELLS), palette.text),
            )
        )
    return lines


def lay_out_log(log: LogState, settings_path: str, width: int, palette: Palette) -> list[Content]:
    """Where the event log lies, what it holds, and how it is switched off."""
    word = "off" if log.off else "faulty" if log.problem else "on"
    style = palette.muted if word == "on" else palette.attention
    lines = [rule("event log", Content.styled(word, style), width, palette)]
    if log.path:
        lines += Content.styled(safe_line(log.path), palette.text).wrap(width)
    if log.off:
        lines += hang("! ", f"{safe_line(log.off)}.", palette.attention, width)
    if log.problem:
        lines += hang("! ", safe_line(log.problem), palette.attention, width)
    where = f" in {safe_line(settings_path)}" if settings_path else ""
    switch = f"`MEMTUI_TELEMETRY=0` or `telemetry = false`{where} switches it off."
    lines += Content.styled(f"{_WHAT_IT_IS} {switch}", palette.muted).wrap(width)
    return lines


def _kind_numbers(kind: str, events: Sequence[Event], today: date, now_ns: int) -> KindNumbers:
    days, failed = [0] * DAYS, set()
    for event in events:
        if now_ns - event.time_ns > (DAYS + 1) * _DAY_NS:
            break  # the newest come first
        place = DAYS - 1 - (today - _day(event.time_ns)).days
        if 0 <= place < DAYS:
            days[place] += 1
            if status_of(event) == "failed":
                failed.add(place)
    took = [_milliseconds(event) for event in events]
    counts = Counter(map(status_of, events))
    return KindNumbers(
        kind,
        len(events),
        events[0].time_ns if events else None,
        status_of(events[0]) if events else "",
        round(median(took)) if took else 0,
        max(took, default=0),
        tuple(sorted(counts.most_common(), key=lambda each: each[0] != "failed")),
        tuple(days),
        frozenset(failed),
    )


def _airy(each: KindNumbers, now_ns: int, width: int, palette: Palette) -> list[Content]:
    upper, lower = (_chart_row(row, each, palette, gap=" ") for row in chart(each.days, 2))
    last = Content.assemble(
        _label("last", palette),
        _ago(each.last_ns or 0, now_ns),
        ", ",
        _word(each.last_status, palette),
    )
    took = Content.assemble(
        _label("median", palette),
        f"{each.median_ms:,} ms",
        (f", worst {each.worst_ms:,} ms", palette.muted),
    )
    statuses = _statuses(each, width, palette)
    axis = Content.styled(f"{DAYS} days to today", palette.faint)
    fits = statuses.cell_length + axis.cell_length + 2 <= width
    return [
        spread(last, upper, width),
        spread(took, lower, width),
        spread(statuses, axis if fits else Content(""), width),
    ]


def _dense(each: KindNumbers, width: int, palette: Palette) -> list[Content]:
    (row,) = (_chart_row(row, each, palette, gap="") for row in chart(each.days, 1))
    room = width - DAYS - 2
    numbers = Content.assemble(
        (f"{each.median_ms:,}", palette.text), (f"/{each.worst_ms:,} ms", palette.muted)
    )
    return [Content.assemble(row, "  ", spread(_statuses(each, room, palette), numbers, room))]


def _chart_row(signs: str, each: KindNumbers, palette: Palette, *, gap: str) -> Content:
    signs_of_days = []
    for place, sign in enumerate(signs):
        style = palette.bad if place in each.failed else palette.primary
        signs_of_days.append(Content.styled(sign, style if each.days[place] else palette.rule))
    return Content(gap).join(signs_of_days)


def _statuses(each: KindNumbers, room: int, palette: Palette) -> Content:
    """`✓ 38 completed  · 3 skipped`, as far as there is room."""
    said = Content("")
    for status, count in each.statuses:
        sign, style = _sign(status, palette)
        word = Content.assemble(
            (f"{sign} ", style),
            (f"{count:,}", palette.text),
            (f" {safe_line(status)}", style if sign == "✗" else palette.muted),
        )
        said += (Content("  ") if said else Content("")) + word
    return said.truncate(max(0, room), ellipsis=True)


def _sign(status: str, palette: Palette) -> tuple[str, str]:
    if status == "failed":
        return "✗", palette.bad
    if status in ("skipped", "noop", "none"):
        return "·", palette.faint
    return "✓", palette.muted


def _word(status: str, palette: Palette) -> Content:
    style = palette.bad if status == "failed" else palette.muted
    return Content.styled(safe_line(status), style)


def _label(label: str, palette: Palette) -> Content:
    return Content.styled(pad(label, 8), palette.muted)


def _said(event: Event) -> str:
    fields, status = event.fields, status_of(event)
    if event.event == "recall":
        scanned = fields["docs_scanned"]
        return f"{fields['docs_selected']} of {scanned}" if status != "none" else f"0 of {scanned}"
    if status in ("failed", "noop"):
        return status
    if status == "skipped":
        return safe_line(f"skipped {fields.get('skipped_reason', '')}")
    counted = fields["patches_count" if event.event == "extract" else "deduped_entries"]
    return f"{counted} {'found' if event.event == 'extract' else 'merged'}"


def _topics(event: Event) -> tuple[str, ...]:
    """The memory types that it touched; anything else in the log is none."""
    topics = event.fields.get("touched_topics")
    if not isinstance(topics, tuple) or status_of(event) not in ("completed", "updated"):
        return ()
    return tuple(kind for kind in MEMORY_TYPES if kind in topics)


def _milliseconds(event: Event) -> int:
    took = event.fields["duration_ms"]
    return max(0, took) if isinstance(took, int) else 0


def _ago(time_ns: int, now_ns: int) -> str:
    said = age(time_ns, now_ns)
    return said if said == "now" else f"{said} ago"


def _day(time_ns: int) -> date:
    return moment(time_ns).date()


def _time(time_ns: int, form: str) -> str:
    return moment(time_ns).strftime(form)


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A muted line where a list has no rows."""

    text: str
    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """The line, cut where it is too long."""
        return Content.styled(fit(self.text, width), palette.muted)
