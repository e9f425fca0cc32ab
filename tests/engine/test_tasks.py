"""The scheduler: what runs, what waits, what is skipped, and that nothing is lost."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from memtui.engine.errors import StoppedError, StoreError
from memtui.engine.lifecycle.tasks import (
    MAX_RECORDS,
    Outcome,
    Progress,
    Scheduler,
    TaskRecord,
)
from tests.engine.scheduled_work import SECONDS, Gate, Ground, done

COMPLETED = ("completed", None)
RUNNING = ("running", None)
PENDING = ("pending", None)


@pytest.fixture
def ground() -> Ground:
    return Ground()


def test_a_task_has_a_record_from_the_asking_to_the_end(ground: Ground) -> None:
    gate = Gate(lambda progress: Outcome("completed", result="2 new memories", value=[2]))
    scheduler = ground.scheduler
    asked = scheduler.submit("extract", "manual", "p", "s1", gate)
    expected = TaskRecord(1, "extract", "manual", "p", "s1", "running", 1, started_ns=2)
    assert asked == expected
    assert scheduler.records() == (expected,)
    assert not asked.is_over
    assert gate.entered.wait(SECONDS)
    assert gate.progress is not None
    gate.progress.tell("read 40 %")
    assert ground.record(1).progress == "read 40 %"
    gate.opened.set()
    ground.drain()
    over = TaskRecord(
        1,
        "extract",
        "manual",
        "p",
        "s1",
        "completed",
        1,
        progress="read 40 %",
        started_ns=2,
        ended_ns=3,
        result="2 new memories",
    )
    assert scheduler.records() == (over,)
    assert over.is_over
    assert [(record.status, record.progress) for record in ground.listener.records] == [
        ("pending", ""),
        ("running", ""),
        ("running", "read 40 %"),
        ("completed", "read 40 %"),
    ]
    assert ground.listener.records[-1] == over
    assert ground.listener.threads == {"memtui-news"}
    gate.progress.tell("too late")
    assert scheduler.records() == (over,)
    assert scheduler.take_value(1) == [2]
    assert scheduler.take_value(1) is None


def test_while_an_extract_runs_the_newest_request_waits(ground: Ground) -> None:
    gate, last = Gate(), Gate()
    first = ground.extract(gate, position=2)
    second = ground.extract(position=4)
    assert (ground.status(first), ground.status(second)) == (RUNNING, PENDING)
    third = ground.extract(last, position=6)
    assert ground.status(second) == ("skipped", "queued")
    assert ground.status(third) == PENDING
    assert ground.record(second).started_ns is None
    assert ground.record(second).ended_ns is not None
    gate.opened.set()
    assert last.entered.wait(SECONDS)
    assert ground.status(first) == COMPLETED
    assert ground.status(third) == RUNNING
    last.opened.set()
    ground.drain()
    assert ground.status(third) == COMPLETED
    assert ground.listener.statuses(second) == ["pending", "skipped"]


def test_the_same_request_as_the_one_that_runs_is_skipped(ground: Ground) -> None:
    gate = Gate()
    ground.extract(gate, session="a", position=4)
    same = ground.extract(session="a", position=4)
    assert ground.status(same) == ("skipped", "already_running")
    further = ground.extract(session="a", position=6)
    assert ground.status(further) == PENDING
    other = ground.extract(session="b", position=4)
    assert ground.status(further) == ("skipped", "queued")
    assert ground.status(other) == PENDING
    again = ground.extract(session="a", position=4)
    assert ground.status(again) == ("skipped", "already_running")
    assert ground.status(other) == PENDING
    gate.opened.set()
    ground.drain()
    assert ground.listener.statuses(same) == ["skipped"]
    assert ground.status(ground.extract(session="a", position=4))[0] in ("running", "completed")


def test_one_dream_of_a_store_at_a_time(ground: Ground) -> None:
    gate = Gate()
    first = ground.dream(gate)
    second = ground.dream()
    elsewhere = ground.dream(project="q")
    assert ground.status(first) == RUNNING
    assert ground.status(second) == ("skipped", "running")
    gate.opened.set()
    ground.drain()
    assert ground.status(elsewhere) == COMPLETED
    waiting_gate = Gate()
    ground.extract(waiting_gate)
    third, fourth = ground.dream(), ground.dream()
    assert ground.status(third) == PENDING
    assert ground.status(fourth) == ("skipped", "running")
    waiting_gate.opened.set()
    ground.drain()
    assert ground.status(third) == COMPLETED


def test_extract_and_dream_of_a_project_take_turns_as_asked(ground: Ground) -> None:
    order: list[str] = []

    def named(name: str) -> Gate:
        def then(progress: Progress) -> Outcome:
            order.append(name)
            return Outcome("completed")

        return Gate(then)

    gates = [named(name) for name in ("extract 1", "dream", "extract 2")]
    ground.extract(gates[0], position=1)
    dream = ground.dream(gates[1])
    later = ground.extract(gates[2], position=2)
    assert (ground.status(dream), ground.status(later)) == (PENDING, PENDING)
    gates[0].opened.set()
    assert gates[1].entered.wait(SECONDS)
    assert ground.status(later) == PENDING
    assert not gates[2].entered.is_set()
    gates[1].opened.set()
    gates[2].opened.set()
    ground.drain()
    assert order == ["extract 1", "dream", "extract 2"]


def test_projects_do_not_wait_for_each_other(ground: Ground) -> None:
    gates = {project: Gate() for project in ("p", "q", "r")}
    for project, gate in gates.items():
        ground.extract(gate, project=project)
    for gate in gates.values():
        assert gate.entered.wait(SECONDS)
    for gate in gates.values():
        gate.opened.set()
    ground.drain()
    assert [record.status for record in ground.scheduler.records()] == ["completed"] * 3


def _raising(error: BaseException) -> Gate:
    def then(progress: Progress) -> Outcome:
        raise error

    return Gate(then)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (StoreError("/x cannot be read: no."), "/x cannot be read: no."),
        (ValueError("bad\n  line"), "unexpected: ValueError: bad line"),
        (KeyError("a"), "unexpected: KeyError: 'a'"),
        (RuntimeError(), "unexpected: RuntimeError"),
        (StoreError(), "unexpected: StoreError"),
        (SystemExit(3), "unexpected: SystemExit: 3"),
        (KeyboardInterrupt(), "unexpected: KeyboardInterrupt"),
    ],
)
def test_work_that_raises_has_failed_and_the_next_one_runs(
    ground: Ground, error: BaseException, sentence: str
) -> None:
    gate = _raising(error)
    failing = ground.extract(gate, position=1)
    following = ground.extract(position=2)
    gate.opened.set()
    ground.drain()
    record = ground.record(failing)
    assert (record.status, record.error, record.result) == ("failed", sentence, "")
    assert ground.status(following) == COMPLETED


def test_work_says_itself_that_it_failed_or_skipped(ground: Ground) -> None:
    failed = ground.extract(lambda progress: Outcome("failed", result="The disk is full."))
    ground.drain()
    assert ground.record(failed).error == "The disk is full."
    assert ground.record(failed).result == ""
    skipped = ground.dream(lambda progress: Outcome("skipped", "min_hours"))
    ground.drain()
    assert ground.status(skipped) == ("skipped", "min_hours")


def test_work_without_an_outcome_has_failed(ground: Ground) -> None:
    nothing: Any = None
    broken = ground.extract(lambda progress: cast(Outcome, nothing))
    ground.drain()
    assert ground.record(broken).error == (
        "unexpected: TypeError: work ended with NoneType, not with an Outcome"
    )


def test_one_task_is_stopped(ground: Ground) -> None:
    def then(progress: Progress) -> Outcome:
        assert progress.is_stopping()
        progress.check()
        return Outcome("completed")

    gate = Gate(then)
    running = ground.extract(gate, position=1)
    waiting = ground.dream()
    assert gate.entered.wait(SECONDS)
    assert gate.progress is not None
    gate.progress.check()
    assert not gate.progress.is_stopping()
    assert ground.scheduler.ask_stop(waiting)
    assert ground.status(waiting) == ("skipped", "stopped")
    assert ground.scheduler.ask_stop(running)
    assert ground.status(running) == RUNNING
    with pytest.raises(StoppedError, match=r"\AStopped on request\.\Z"):
        gate.progress.check()
    again = ground.extract(position=1)
    assert ground.status(again) == PENDING, "one that is about to stop does not do the work"
    gate.opened.set()
    ground.drain()
    assert ground.status(running) == ("skipped", "stopped")
    assert ground.status(again) == COMPLETED
    assert not ground.scheduler.ask_stop(running)
    assert not ground.scheduler.ask_stop(99)


def test_stop_ends_what_runs_and_skips_what_waits(ground: Ground) -> None:
    def obedient(progress: Progress) -> Outcome:
        while True:
            progress.check()
            threading.Event().wait(0.001)

    running = [ground.extract(obedient, project=project) for project in ("p", "q")]
    waiting = [ground.extract(project="p", position=1), ground.dream(project="q")]
    assert ground.scheduler.stop(SECONDS)
    assert [ground.status(each) for each in (*running, *waiting)] == [("skipped", "stopped")] * 4
    late = ground.extract()
    assert ground.status(late) == ("skipped", "stopped")
    assert ground.status(ground.dream()) == ("skipped", "stopped")
    assert ground.scheduler.stop(SECONDS)
    assert ground.listener.statuses(late) == ["skipped"]
    alive = {thread.name for thread in threading.enumerate()}
    assert not [name for name in alive if name.startswith("memtui-")]


def test_stop_does_not_wait_for_ever(ground: Ground) -> None:
    gate = Gate()
    running = ground.extract(gate)
    assert not ground.scheduler.drain(0.01)
    assert not ground.scheduler.stop(0.01)
    assert ground.status(running) == RUNNING
    gate.opened.set()
    assert ground.scheduler.stop(SECONDS)
    assert ground.status(running) == COMPLETED


def test_threads_die_with_the_process(ground: Ground) -> None:
    gate = Gate()
    ground.extract(gate)
    assert gate.entered.wait(SECONDS)
    own = [thread for thread in threading.enumerate() if thread.name.startswith("memtui-")]
    assert own
    assert all(thread.daemon for thread in own)
    gate.opened.set()
    assert ground.scheduler.stop(SECONDS)


def test_a_listener_that_raises_is_told_and_hinders_nobody() -> None:
    scheduler = Scheduler(lambda: 0)
    heard: list[str] = []

    def broken(record: TaskRecord) -> None:
        raise ValueError(f"at {record.status}")

    scheduler.subscribe(broken)
    scheduler.subscribe(lambda record: heard.append(record.status))
    scheduler.submit("extract", "auto", "p", "s", done)
    assert scheduler.drain(SECONDS)
    assert heard == ["pending", "running", "completed"]
    assert scheduler.problems == tuple(
        f"A listener to tasks failed: unexpected: ValueError: at {status}"
        for status in ("pending", "running", "completed")
    )


def test_a_listener_may_ask_and_is_called_outside_the_lock(ground: Ground) -> None:
    asked: list[bool] = []

    def listener(record: TaskRecord) -> None:
        if record.id == 1 and record.is_over:
            other = threading.Thread(target=ground.scheduler.records)
            other.start()
            other.join(SECONDS)
            asked.append(not other.is_alive())
            ground.dream()
            asked.append(ground.scheduler.drain(SECONDS))

    ground.scheduler.subscribe(listener)
    ground.extract()
    ground.drain()
    assert asked == [True, True]
    assert ground.status(2) == COMPLETED


def test_who_unsubscribed_is_told_no_more(ground: Ground) -> None:
    heard: list[int] = []
    unsubscribe = ground.scheduler.subscribe(lambda record: heard.append(record.id))
    ground.extract()
    ground.drain()
    unsubscribe()
    unsubscribe()
    ground.extract()
    ground.drain()
    assert heard == [1, 1, 1]
    assert len(ground.listener.records) == 6


def test_a_slow_listener_gets_the_last_progress_alone(ground: Ground) -> None:
    heard: list[tuple[str, str]] = []
    is_busy, goes_on = threading.Event(), threading.Event()

    def slow(record: TaskRecord) -> None:
        heard.append((record.status, record.progress))
        is_busy.set()
        assert goes_on.wait(SECONDS)

    def many(progress: Progress) -> Outcome:
        assert is_busy.wait(SECONDS)
        for percent in range(101):
            progress.tell(f"{percent} %")
        return Outcome("completed")

    ground.scheduler.subscribe(slow)
    ground.extract(many)
    assert is_busy.wait(SECONDS)
    while ground.status(1) != COMPLETED:
        threading.Event().wait(0.001)
    goes_on.set()
    ground.drain()
    assert heard == [
        ("pending", ""),
        ("running", ""),
        ("running", "100 %"),
        ("completed", "100 %"),
    ]


def test_old_records_are_dropped_unless_they_are_not_over(ground: Ground) -> None:
    gate = Gate()
    first = ground.extract(gate, project="long")
    waiting = ground.dream(project="long")
    for _ in range(MAX_RECORDS + 10):
        ground.extract(project="q")
        ground.drain_of("q")
    records = ground.scheduler.records()
    assert len(records) == MAX_RECORDS == 200
    assert [record.id for record in records] == [
        *range(MAX_RECORDS + 12, 14, -1),
        waiting,
        first,
    ]
    gate.opened.set()
    ground.drain()


def test_values_of_the_newest_tasks_alone_are_kept(ground: Ground) -> None:
    numbers = iter(range(1, 26))
    for _ in range(25):
        ground.extract(lambda progress: Outcome("completed", value=next(numbers)))
        ground.drain()
    assert [ground.scheduler.take_value(task_id) for task_id in (4, 5, 6, 25)] == [
        None,
        None,
        6,
        25,
    ]


def test_without_a_thread_the_task_has_failed(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        failed = ground.extract()
        assert ground.record(failed).error == "unexpected: RuntimeError: can't start new thread"
        ground.drain()
    assert ground.scheduler.problems[0] == (
        "News of tasks have to wait: unexpected: RuntimeError: can't start new thread."
    )
    following = ground.extract()
    ground.drain()
    assert ground.status(following) == COMPLETED
    assert ground.listener.statuses(failed) == ["pending", "running", "failed"]
