"""Reading what the activity screen shows: the event log with its numbers, and the journal.

Invariant: whatever cannot be read is a sentence; fit for a worker thread, and writes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from memtui.engine.disk.log import Logged
from memtui.engine.disk.telemetry import Event
from memtui.engine.errors import MemtuiError
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Workspace
from memtui.tui.activity_view import KindNumbers, LogState, numbers_of

MOST_EVENTS = 5_000
"""So many of the newest are read."""

Signature = tuple[int, ...]
"""What tells that the event log grew or was put aside."""


class Activity(NamedTuple):
    """What was read."""

    events: tuple[Event, ...] = ()
    """The newest first."""
    numbers: tuple[KindNumbers, ...] = ()
    log: LogState = LogState()
    signature: Signature = ()
    acts: tuple[Logged, ...] = ()
    journal_error: str = ""
    """Why the journal could not be read."""


def read_activity(manager: MemoryManager, workspace: Workspace) -> Activity:
    """The event log and the journal of what is open."""
    now_ns = manager.clock_ns()
    events: tuple[Event, ...] = ()
    try:
        telemetry = manager.telemetry(workspace)
    except MemtuiError as error:
        log, signature = LogState(off=str(error)), Signature()
    else:
        signature = log_signature(manager, workspace)
        events = telemetry.events(MOST_EVENTS)
        off = "" if telemetry.is_on else _why_off(manager)
        log = LogState(str(telemetry.path), off, telemetry.problem)
    acts: tuple[Logged, ...] = ()
    journal_error = ""
    try:
        acts = manager.log(workspace)
    except (MemtuiError, OSError) as error:
        journal_error = str(error)
    return Activity(events, numbers_of(events, now_ns), log, signature, acts, journal_error)


def log_signature(manager: MemoryManager, workspace: Workspace) -> Signature:
    """The signature of the event log as it is now; empty where there is none."""
    try:
        status = manager.telemetry(workspace).path.stat()
    except (MemtuiError, OSError):
        return ()
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def _why_off(manager: MemoryManager) -> str:
    if manager.is_readonly:
        return "memtui was started with --readonly"
    if manager.settings.telemetry:
        return "MEMTUI_TELEMETRY=0 is set"
    return f"`telemetry = false` stands in {manager.settings.path}"
