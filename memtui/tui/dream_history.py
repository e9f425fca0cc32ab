"""Former dreams: the journal and the event log joined, as rows.

Invariant: pure. A dream of the journal and an event are one where the event was logged at most a
minute after it; what neither tells is a dot, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from textual.content import Content

from memtui.engine.disk.log import Logged
from memtui.engine.disk.telemetry import Event
from memtui.engine.types import Scope
from memtui.tui.format import bar, fit, pad, right
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

JOIN_NS = 60_000_000_000
"""An event belongs to an act of the journal at most so long before it."""
_EARLY_NS = 1_000_000
"""The time of an event is cut to the millisecond."""
_DAY_NS = 86_400 * 1_000_000_000
_LAST_S = 32_503_680_000
"""The year 3000."""
_YEAR_FROM_NS = 300 * _DAY_NS

_WHEN_CELLS, _TRIGGER_CELLS, _STATUS_CELLS = 14, 8, 9
_MERGED_CELLS, _NUMBER_CELLS, _BAR_CELLS = 6, 7, 6
_SHORT_CELLS = 3 + _WHEN_CELLS + _STATUS_CELLS + _MERGED_CELLS + _NUMBER_CELLS
_TRIGGER_FROM_CELLS = _SHORT_CELLS + _TRIGGER_CELLS
_MS_FROM_CELLS = _TRIGGER_FROM_CELLS + _NUMBER_CELLS
_BAR_FROM_CELLS = _MS_FROM_CELLS + 2 + _BAR_CELLS


class LastHeld(NamedTuple):
    """Who held the lock last, as far as the journal knows."""

    pid: int
    operation: str
    time_ns: int
    held_s: float | None


@dataclass(frozen=True)
class FormerDream:
    """One dream that is over; None for what is not known of it."""

    time_ns: int
    status: str
    """`updated`, `noop`, `failed`, `undone`, or `open` for an act that was cut short."""
    trigger: str
    merged: int | None
    files: int | None
    """Indexes too."""
    duration_ms: int | None
    act_id: str = ""
    """The act of the journal; empty where there is none, so that there is nothing to undo."""

    @property
    def can_be_undone(self) -> bool:
        """True where an act of it stands that changed a file."""
        return bool(self.act_id) and bool(self.files) and self.status == "updated"


def former_dreams(
    acts: Iterable[Logged], events: Iterable[Event], scope: Scope
) -> tuple[FormerDream, ...]:
    """The dreams of the store of `scope`, the newest first.

    The event log is that of the project: an event without its act counts for the project's store.
    """
    dreams = sorted(
        (act for act in acts if act.operation == "dream" and act.entries[0].undoes is None),
        key=lambda act: act.time_ns,
    )
    log = sorted((event for event in events if event.event == "dream"), key=lambda e: e.time_ns)
    joined: dict[str, Event] = {}
    alone: list[Event] = []
    start = 0
    for event in log:
        while start < len(dreams) and dreams[start].time_ns < event.time_ns - JOIN_NS:
            start += 1
        found = None
        for act in dreams[start:]:
            if act.time_ns > event.time_ns + _EARLY_NS:
                break
            is_same = act.is_applied == (event.fields["status"] != "failed")
            if is_same and act.id not in joined:
                found = act
        if found is None:
            alone.append(event)
        else:
            joined[found.id] = event
    rows = [
        _of_act(act, joined.get(act.id))
        for act in dreams
        if any(entry.store.scope == scope for entry in act.entries)
    ]
    if scope == "project":
        rows += [_of_event(event) for event in alone]
    return tuple(sorted(rows, key=lambda row: row.time_ns, reverse=True))


def last_held(acts: Iterable[Logged], scope: Scope) -> LastHeld | None:
    """The newest act that held the lock of a Qwen project store; None for any other store."""
    if scope != "project":
        return None
    for act in acts:
        for entry in act.entries:
            store = entry.store
            if store.scope == scope and store.agent == "qwen" and store.state_dir is not None:
                held_s = None
                if entry.closed_ns is not None:
                    held_s = max(0, entry.closed_ns - entry.time_ns) / 1e9
                return LastHeld(entry.pid, entry.operation, entry.time_ns, held_s)
    return None


def when(time_ns: int, now_ns: int, *, has_words: bool = False) -> str:
    """`29 Nov 12:14`, of long ago `29 Nov 2024`; with words also `today`, `yesterday 18:02`."""
    moment = datetime.fromtimestamp(min(max(0.0, time_ns / 1e9), _LAST_S))
    if has_words:
        now = datetime.fromtimestamp(min(max(0.0, now_ns / 1e9), _LAST_S))
        days = (now.date() - moment.date()).days
        if 0 <= days <= 1:
            return f"{('today', 'yesterday')[days]} {moment:%H:%M}"
    is_long_ago = now_ns - time_ns > _YEAR_FROM_NS
    return (
        f"{moment.day:>2} {moment:%b %Y}" if is_long_ago else f"{moment.day:>2} {moment:%b %H:%M}"
    )


def history_rows(dreams: Sequence[FormerDream], now_ns: int) -> list[DreamHead | DreamRow]:
    """The table of the former dreams."""
    most = max((dream.merged or 0 for dream in dreams), default=0)
    rows = [DreamRow(dream, most, now_ns) for dream in dreams]
    return [DreamHead(), *rows] if rows else []


@dataclass(frozen=True, slots=True)
class DreamHead:
    """The names of the columns."""

    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        ms = right("ms", _NUMBER_CELLS) if width >= _MS_FROM_CELLS else ""
        trigger = pad("trigger", _TRIGGER_CELLS) if width >= _TRIGGER_FROM_CELLS else ""
        text = (
            " " * 3
            + pad("when", _WHEN_CELLS)
            + trigger
            + pad("status", _STATUS_CELLS)
            + right("merged", _MERGED_CELLS)
            + right("files", _NUMBER_CELLS)
            + ms
        )
        return Content.styled(fit(text, width), palette.faint)


@dataclass(frozen=True, slots=True)
class DreamRow:
    """One former dream; the bar shows what it merged."""

    dream: FormerDream
    most: int
    """What the greatest one merged: the length of a whole bar."""
    now_ns: int

    @property
    def key(self) -> tuple[int, str]:
        """Its time, and its act."""
        return (self.dream.time_ns, self.dream.act_id)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        dream = self.dream
        sign, style = _look(dream.status, palette)
        is_calm = dream.status in ("updated", "noop")
        parts: list[str | Content | tuple[str, str]] = [
            " ",
            (sign, style),
            " ",
            (
                pad(when(dream.time_ns, self.now_ns), _WHEN_CELLS),
                palette.strong if has_cursor else palette.text,
            ),
        ]
        if width >= _TRIGGER_FROM_CELLS:
            parts.append((pad(safe_line(dream.trigger) or "·", _TRIGGER_CELLS), palette.muted))
        said = pad(safe_line(dream.status), _STATUS_CELLS)
        parts.append((said, palette.muted if is_calm else f"bold {style}"))
        parts += [_number(dream.merged, palette, _MERGED_CELLS), _number(dream.files, palette)]
        if width >= _MS_FROM_CELLS:
            parts.append(_number(dream.duration_ms, palette, is_quiet=True))
        if width >= _BAR_FROM_CELLS and dream.merged:
            parts += ["  ", bar(dream.merged, self.most, _BAR_CELLS, palette)]
        return Content.assemble(*parts)


def _number(
    value: int | None, palette: Palette, cells: int = _NUMBER_CELLS, *, is_quiet: bool = False
) -> tuple[str, str]:
    if value is None:
        return (right("·", cells), palette.faint)
    return (right(f"{value:,}", cells), palette.muted if is_quiet else palette.text)


def _look(status: str, palette: Palette) -> tuple[str, str]:
    match status:
        case "updated":
            return "✓", palette.good
        case "noop":
            return "·", palette.faint
        case "undone":
            return "←", palette.attention
        case _:
            return "✗", palette.bad


def _of_act(act: Logged, event: Event | None) -> FormerDream:
    entry = act.entries[0]
    files = [file for each in act.entries for file in each.files]
    status = "updated" if files else "noop"
    if act.is_undone:
        status = "undone"
    elif not act.is_applied:
        status = "failed" if entry.status == "rolled-back" else entry.status
    trigger = entry.details.get("trigger")
    if not isinstance(trigger, str):
        trigger = "" if event is None else str(event.fields["trigger"])
    merged = entry.details.get("deduped_entries")
    is_noop = status == "noop"
    return FormerDream(
        act.time_ns,
        status,
        trigger,
        merged if isinstance(merged, int) and status in ("updated", "undone") else None,
        None if is_noop else len(files),
        None if event is None else _integer(event.fields["duration_ms"]),
        act.id,
    )


def _of_event(event: Event) -> FormerDream:
    status = str(event.fields["status"])
    merged = _integer(event.fields["deduped_entries"]) if status == "updated" else None
    return FormerDream(
        event.time_ns,
        status,
        str(event.fields["trigger"]),
        merged,
        None,
        _integer(event.fields["duration_ms"]),
    )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None
