"""The scheduler: extract and dream as tasks in background threads, with a record of each.

Invariant: of one project at most one task runs, whatever its kind, and at most one extract and one
dream wait, in the order of asking; each task ends exactly once, with a status that tells how.
Whatever work or a listener raises, the threads go on. Listeners are called by one thread of the
scheduler's own, in the order of the changes and outside the lock, never by the caller of a method.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from memtui.engine.errors import StoppedError
from memtui.engine.lifecycle.announcing import Announcer
from memtui.engine.lifecycle.faults import sentence_of

TaskKind = Literal["extract", "dream"]
TaskTrigger = Literal["auto", "manual"]
TaskStatus = Literal["pending", "running", "completed", "failed", "skipped"]
EndStatus = Literal["completed", "failed", "skipped"]

MAX_RECORDS = 200
"""Records that are kept; those of tasks that have not ended are never dropped."""
_MAX_VALUES = 20


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task, as it was at one moment; times are nanoseconds since the epoch."""

    id: int
    """Counts up from 1, in the order of asking."""
    kind: TaskKind
    trigger: TaskTrigger
    project: str
    session_id: str
    status: TaskStatus
    created_ns: int
    progress: str = ""
    """What the work told last of how far it is."""
    started_ns: int | None = None
    ended_ns: int | None = None
    skipped_reason: str | None = None
    """`already_running`, `queued`, `running`, `stopped`, or what the work gives."""
    error: str = ""
    """One sentence where it failed."""
    result: str = ""
    """What came of it, for a person."""

    @property
    def is_over(self) -> bool:
        """False while it waits or runs."""
        return self.status not in ("pending", "running")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a piece of work ended."""

    status: EndStatus
    skipped_reason: str | None = None
    result: str = ""
    """For a person; of work that failed the reason, as one sentence."""
    value: object = None
    """For `Scheduler.take_value`."""


class Progress:
    """What a piece of work holds while it runs."""

    def __init__(self, task: _Task, tell: Callable[[_Task, str], None]) -> None:
        self._task = task
        self._tell = tell

    def tell(self, text: str) -> None:
        """Say how far the work is; after its end this does nothing."""
        self._tell(self._task, text)

    def check(self) -> None:
        """Raise StoppedError once a stop was asked for."""
        if self._task.is_stopping:
            raise StoppedError("Stopped on request.")

    def is_stopping(self) -> bool:
        """True once a stop was asked for."""
        return self._task.is_stopping


Work = Callable[[Progress], Outcome]
Listener = Callable[[TaskRecord], None]


class _Task:
    """A record that changes, and what belongs to it."""

    __slots__ = ("is_stopping", "position", "record", "work")

    def __init__(self, record: TaskRecord, work: Work, position: int) -> None:
        self.record = record
        self.work = work
        self.position = position
        self.is_stopping = False


class Scheduler:
    """Runs tasks; `clock_ns` gives the time in nanoseconds since the epoch.

    Every method may be called from any thread, and from work and listeners too.
    """

    def __init__(self, clock_ns: Callable[[], int]) -> None:
        self._clock_ns = clock_ns
        self._changed = threading.Condition(threading.RLock())
        """Guards everything below."""
        self._tasks: dict[int, _Task] = {}
        self._running: dict[str, _Task] = {}
        """By project."""
        self._waiting: dict[str, list[_Task]] = {}
        """By project, in the order of asking."""
        self._values: dict[int, object] = {}
        self._last_id = 0
        self._is_stopped = False
        self._workers: list[threading.Thread] = []
        self._announcer = Announcer(self._changed, _replaces)

    def submit(
        self,
        kind: TaskKind,
        trigger: TaskTrigger,
        project: str,
        session_id: str,
        work: Work,
        *,
        position: int = 0,
    ) -> TaskRecord:
        """Ask for `work`; the record says whether it runs, waits or is skipped.

        `position` is how far the session was when an extract was asked for: one of the same
        session and position as the one that runs is skipped as `already_running`. A newer extract
        takes the place of one that waits, which is skipped as `queued`. A dream beside another of
        its project is skipped as `running`, any task after `stop` as `stopped`.
        """
        with self._changed:
            self._last_id += 1
            record = TaskRecord(
                self._last_id, kind, trigger, project, session_id, "pending", self._clock_ns()
            )
            task = self._tasks[record.id] = _Task(record, work, position)
            refusal = self._refusal(task)
            if refusal is not None:
                self._end(task, "skipped", skipped_reason=refusal)
            else:
                self._announcer.add(record)
                waiting = self._waiting.setdefault(project, [])
                if kind == "extract":
                    for older in [each for each in waiting if each.record.kind == "extract"]:
                        waiting.remove(older)
                        self._end(older, "skipped", skipped_reason="queued")
                waiting.append(task)
                self._start(project)
            self._forget_old()
            return task.record

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have `listener` called with each new state of a record; gives what ends that.

        Of several progress texts that it has yet to be told of, it gets the last alone. What it
        raises is kept in `problems`. It must not wait for a thread that is in `stop` or `drain`.
        """
        return self._announcer.subscribe(listener)

    def records(self) -> tuple[TaskRecord, ...]:
        """The newest records, the newest first."""
        with self._changed:
            return tuple(task.record for task in reversed(self._tasks.values()))

    def take_value(self, task_id: int) -> object:
        """The value that a task ended with, once; None where there is none any more.

        Those of the newest tasks alone are kept.
        """
        with self._changed:
            return self._values.pop(task_id, None)

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each of the last failures to tell the listeners."""
        return self._announcer.problems

    def ask_stop(self, task_id: int) -> bool:
        """Stop one task: skip it where it waits, else tell its work; False where it is over."""
        with self._changed:
            task = self._tasks.get(task_id)
            if task is None or task.record.is_over:
                return False
            task.is_stopping = True
            waiting = self._waiting.get(task.record.project, [])
            if task in waiting:
                waiting.remove(task)
                self._end(task, "skipped", skipped_reason="stopped")
            return True

    def drain(self, timeout_s: float) -> bool:
        """Wait until nothing runs or waits and the listeners know; False after `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, timeout_s)

    def stop(self, timeout_s: float) -> bool:
        """Skip what waits, tell what runs to stop, and wait for the threads to end.

        False where one still runs after `timeout_s`; it goes on by itself and dies with the
        process.
        """
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            self._is_stopped = True
            for waiting in self._waiting.values():
                for task in waiting:
                    self._end(task, "skipped", skipped_reason="stopped")
                waiting.clear()
            for task in self._running.values():
                task.is_stopping = True
            self._changed.wait_for(self._is_idle, timeout_s)
            threads = (*self._workers, self._announcer.thread)
        own = threading.current_thread()
        others = [thread for thread in threads if thread is not None and thread is not own]
        for thread in others:
            thread.join(max(0.0, deadline_s - time.monotonic()))
        return not any(thread.is_alive() for thread in others)

    # Below, everything is called with the lock held unless it says otherwise.

    def _refusal(self, task: _Task) -> str | None:
        if self._is_stopped:
            return "stopped"
        record = task.record
        found = self._running.get(record.project)
        # One that is about to stop does not do what is asked for now.
        running = None if found is None or found.is_stopping else found
        if record.kind == "dream":
            beside = (running, *self._waiting.get(record.project, ()))
            is_double = any(each is not None and each.record.kind == "dream" for each in beside)
            return "running" if is_double else None
        is_same = (
            running is not None
            and running.record.kind == "extract"
            and running.record.session_id == record.session_id
            and running.position == task.position
        )
        return "already_running" if is_same else None

    def _start(self, project: str) -> None:
        """Start what waits first, where nothing runs."""
        while project not in self._running:
            task = self._next(project)
            if task is None:
                return
            self._workers = [thread for thread in self._workers if thread.is_alive()]
            name = f"memtui-{task.record.kind}-{task.record.id}"
            thread = threading.Thread(target=self._work, args=(task,), name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system has no thread left
                del self._running[project]
                self._end(task, "failed", error=sentence_of(error))
            else:
                self._workers.append(thread)

    def _next(self, project: str) -> _Task | None:
        """The task that waits first, now running; None where none does."""
        waiting = self._waiting.get(project)
        if not waiting:
            self._waiting.pop(project, None)
            return None
        task = self._running[project] = waiting.pop(0)
        task.record = replace(task.record, status="running", started_ns=self._clock_ns())
        self._announcer.add(task.record)
        return task

    def _work(self, first: _Task) -> None:
        """Run `first` and what waits behind it; without the lock."""
        task: _Task | None = first
        while task is not None:
            outcome = self._outcome(task)
            project = task.record.project
            with self._changed:
                del self._running[project]
                if outcome.value is not None:
                    self._values[task.record.id] = outcome.value
                    while len(self._values) > _MAX_VALUES:
                        del self._values[next(iter(self._values))]
                has_failed = outcome.status == "failed"
                self._end(
                    task,
                    outcome.status,
                    skipped_reason=outcome.skipped_reason,
                    error=outcome.result if has_failed else "",
                    result="" if has_failed else outcome.result,
                )
                task = self._next(project)

    def _outcome(self, task: _Task) -> Outcome:
        """What the work of `task` ends with, also where it raises; without the lock."""
        try:
            outcome = task.work(Progress(task, self._tell))
            if not isinstance(outcome, Outcome):
                raise TypeError(f"work ended with {type(outcome).__name__}, not with an Outcome")
        except StoppedError:
            return Outcome("skipped", "stopped")
        except BaseException as error:
            return Outcome("failed", result=sentence_of(error))
        return outcome

    def _tell(self, task: _Task, text: str) -> None:
        """Without the lock."""
        with self._changed:
            if task.record.status == "running" and task.record.progress != text:
                task.record = replace(task.record, progress=text)
                self._announcer.add(task.record)

    def _end(
        self,
        task: _Task,
        status: EndStatus,
        *,
        skipped_reason: str | None = None,
        error: str = "",
        result: str = "",
    ) -> None:
        task.record = replace(
            task.record,
            status=status,
            ended_ns=self._clock_ns(),
            skipped_reason=skipped_reason,
            error=error,
            result=result,
        )
        self._announcer.add(task.record)
        self._changed.notify_all()

    def _forget_old(self) -> None:
        surplus = len(self._tasks) - MAX_RECORDS
        if surplus > 0:
            over = [task_id for task_id, task in self._tasks.items() if task.record.is_over]
            for task_id in over[:surplus]:
                del self._tasks[task_id]
                self._values.pop(task_id, None)

    def _is_idle(self) -> bool:
        is_told = self._announcer.thread in (None, threading.current_thread())
        return is_told and not self._running and not any(self._waiting.values())


def _replaces(last: TaskRecord, record: TaskRecord) -> bool:
    """True for two progress texts in a row."""
    is_running = last.status == record.status == "running"
    return is_running and last.id == record.id and last.progress != ""
