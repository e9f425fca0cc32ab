"""Work for a scheduler that does what a test tells it, and a listener that remembers."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.engine.lifecycle.tasks import Outcome, Progress, Scheduler, TaskKind, TaskRecord

SECONDS = 10.0
"""Longer than anything here takes: reached only where a thread hangs."""


def done(progress: Progress) -> Outcome:
    """Work that is done at once."""
    return Outcome("completed", result="done")


class Gate:
    """Work that runs until the test opens it, then does `then`."""

    def __init__(self, then: Callable[[Progress], Outcome] = done) -> None:
        self.then = then
        self.entered = threading.Event()
        self.opened = threading.Event()
        self.progress: Progress | None = None

    def __call__(self, progress: Progress) -> Outcome:
        self.progress = progress
        self.entered.set()
        assert self.opened.wait(SECONDS)
        return self.then(progress)


class Clock:
    """Counts its looks: 1, 2, 3 …"""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        self.now_ns += 1
        return self.now_ns


class Listener:
    """Keeps each record that it is told, and by which thread."""

    def __init__(self) -> None:
        self.records: list[TaskRecord] = []
        self.threads: set[str] = set()

    def __call__(self, record: TaskRecord) -> None:
        self.records.append(record)
        self.threads.add(threading.current_thread().name)

    def statuses(self, task_id: int) -> list[str]:
        return [record.status for record in self.records if record.id == task_id]


class Ground:
    """A scheduler with a listener, and short ways to ask it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.scheduler = Scheduler(self.clock)
        self.listener = Listener()
        self.scheduler.subscribe(self.listener)

    def extract(
        self,
        work: Callable[[Progress], Outcome] = done,
        session: str = "s",
        position: int = 0,
        project: str = "p",
    ) -> int:
        return self._submit("extract", work, session, position, project)

    def dream(self, work: Callable[[Progress], Outcome] = done, project: str = "p") -> int:
        return self._submit("dream", work, "s", 0, project)

    def _submit(
        self,
        kind: TaskKind,
        work: Callable[[Progress], Outcome],
        session: str,
        position: int,
        project: str,
    ) -> int:
        return self.scheduler.submit(kind, "auto", project, session, work, position=position).id

    def record(self, task_id: int) -> TaskRecord:
        return next(record for record in self.scheduler.records() if record.id == task_id)

    def status(self, task_id: int) -> tuple[str, str | None]:
        record = self.record(task_id)
        return record.status, record.skipped_reason

    def drain(self) -> None:
        assert self.scheduler.drain(SECONDS)

    def drain_of(self, project: str) -> None:
        """Wait until nothing of `project` runs or waits."""
        ended = threading.Event()

        def listener(record: TaskRecord) -> None:
            if record.project == project and record.is_over:
                ended.set()

        unsubscribe = self.scheduler.subscribe(listener)
        while not all(
            record.is_over for record in self.scheduler.records() if record.project == project
        ):
            ended.wait(0.05)
        unsubscribe()
