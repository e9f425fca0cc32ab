"""Two weeks of made-up use for the pictures of activity: events, acts, and tasks of today.

Invariant: all of it is written through the engine itself, and depends on the given time alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Literal

from memtui.engine.disk.locations import store_dir
from memtui.engine.disk.telemetry import Telemetry
from memtui.engine.lifecycle.tasks import Outcome, Progress, Work
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Workspace

_MINUTE_NS = 60 * 1_000_000_000
_DAY_NS = 1_440 * _MINUTE_NS
_EXTRACTS = (3, 5, 0, 1, 7, 9, 4, 2, 0, 6, 11, 8, 5, 4)
"""On each of fourteen days, the oldest first."""
_RECALLS = (2, 0, 1, 4, 3, 6, 0, 0, 5, 9, 4, 12, 7, 5)
_DREAMS = (1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1)
_NAP_S = 0.02
_SESSION = "8f2c71d0-5b1e-4a8e-9c3f-2f6d0a7b9e11"
_TOPICS: Sequence[tuple[str, ...]] = (("feedback",), ("project", "feedback"), ("reference",), ())


def write_events(manager: MemoryManager, workspace: Workspace, now_ns: int) -> None:
    """Events of fourteen days before `now_ns`, into the log of the project."""
    times: list[tuple[int, str, int]] = []
    for kind, counts in (("extract", _EXTRACTS), ("dream", _DREAMS), ("recall", _RECALLS)):
        for day, count in enumerate(counts):
            noon_ns = now_ns - (13 - day) * _DAY_NS - 150 * _MINUTE_NS
            times += [(noon_ns + each * 13 * _MINUTE_NS, kind, each + day) for each in range(count)]
    moments: Iterator[int] = iter(sorted(time for time, _, _ in times))
    store = workspace.store("project")
    state = manager.state_dir
    log = Telemetry(store_dir(state, store), state, is_on=True, clock_ns=lambda: next(moments))
    for _, kind, number in sorted(times):
        _write(log, kind, number)


def _write(log: Telemetry, kind: str, number: int) -> None:
    took_ms = 18 + number * 37 % 71
    if kind == "recall":
        found = number % 6
        log.recall(14 + number % 23, 33, found, "heuristic" if found else "none", took_ms // 20)
    elif kind == "dream":
        status: Literal["updated", "noop"] = "noop" if number % 3 == 0 else "updated"
        merged = 0 if status == "noop" else 1 + number % 4
        log.dream("auto", status, merged, _TOPICS[number % 3] if merged else (), 90 + took_ms * 3)
    elif number == 9:
        log.extract("auto", "failed", None, 0, (), took_ms * 6)
    elif number % 5 == 4:
        log.extract("auto", "skipped", "memory_tool", 0, (), 2)
    else:
        topics = _TOPICS[number % 4]
        log.extract("auto", "completed", None, len(topics), topics, took_ms)


def forget_some(manager: MemoryManager, paths: Sequence[str]) -> None:
    """Forget the memories at `paths`, one act each, and undo the last."""
    for path in paths:
        workspace = manager.scan()
        found = manager.matcher(workspace).candidates("")
        entries = [one.entry for one in found if one.entry.path == path]
        manager.forget(entries, manager.plan_forget(workspace, entries).change_sets)
    manager.undo(manager.scan())


def run_tasks(manager: MemoryManager, project: str) -> None:
    """A few tasks that end at once; the last, an extract, goes on until it is stopped."""
    tasks = manager.live.tasks
    outcomes: Sequence[tuple[Literal["extract", "dream"], Outcome]] = (
        ("dream", Outcome("completed", result="2 merged, 3 files")),
        ("extract", Outcome("completed", result="2 to the inbox")),
        ("dream", Outcome("skipped", "min_hours")),
        ("extract", Outcome("failed", result="The session cannot be read: permission denied.")),
        ("extract", Outcome("skipped", "memory_tool")),
        ("extract", Outcome("completed", result="1 to the inbox")),
        ("dream", Outcome("skipped", "scan_throttled")),
    )
    for number, (kind, outcome) in enumerate(outcomes):
        tasks.submit(kind, "auto", project, _SESSION, _ends_with(outcome), position=number)
        tasks.drain(5.0)
    tasks.submit("extract", "auto", project, _SESSION, _read_on, position=len(outcomes))


def _ends_with(outcome: Outcome) -> Work:
    return lambda progress: outcome


def _read_on(progress: Progress) -> Outcome:
    progress.tell("read 42 %")
    while True:
        progress.check()
        time.sleep(_NAP_S)
