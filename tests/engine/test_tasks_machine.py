"""The scheduler against a model, with real threads: whatever is asked, stopped and ended when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memtui.engine.errors import StoreError
from memtui.engine.lifecycle.tasks import Outcome, Progress
from tests.engine.scheduled_work import SECONDS, Gate, Ground

Ending = Literal["completed", "noop", "failed", "raises", "checks"]
ENDINGS: tuple[Ending, ...] = ("completed", "noop", "failed", "raises", "checks")


@dataclass
class Asked:
    """One task of the model."""

    id: int
    kind: str
    project: str
    session: str
    position: int
    gate: Gate
    is_stopping: bool = False


@dataclass
class Lane:
    """One project of the model."""

    running: Asked | None = None
    waiting: list[Asked] = field(default_factory=list)


class SchedulerMachine(RuleBasedStateMachine):
    """Two projects; each piece of work runs until the machine ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.ground = Ground()
        self.lanes = {"p": Lane(), "q": Lane()}
        self.ended: dict[int, tuple[str, str | None]] = {}
        self.started: list[int] = []
        self.gates: list[Gate] = []
        self.is_stopped = False

    def _ask(self, kind: str, project: str, session: str, position: int) -> None:
        lane = self.lanes[project]
        gate = Gate()
        self.gates.append(gate)
        if kind == "extract":
            task_id = self.ground.extract(gate, session, position, project)
        else:
            task_id = self.ground.dream(gate, project)
        asked = Asked(task_id, kind, project, session, position, gate)
        running = lane.running if lane.running and not lane.running.is_stopping else None
        if self.is_stopped:
            self.ended[task_id] = ("skipped", "stopped")
        elif kind == "dream" and any(
            each and each.kind == "dream" for each in (running, *lane.waiting)
        ):
            self.ended[task_id] = ("skipped", "running")
        elif (
            kind == "extract"
            and running
            and (running.kind, running.session, running.position) == (kind, session, position)
        ):
            self.ended[task_id] = ("skipped", "already_running")
        else:
            if kind == "extract":
                for older in [each for each in lane.waiting if each.kind == "extract"]:
                    lane.waiting.remove(older)
                    self.ended[older.id] = ("skipped", "queued")
            lane.waiting.append(asked)
            self._advance(lane)

    def _advance(self, lane: Lane) -> None:
        if lane.running is None and lane.waiting:
            lane.running = lane.waiting.pop(0)
            self.started.append(lane.running.id)

    @rule(project=st.sampled_from("pq"), session=st.sampled_from("ab"), position=st.integers(0, 1))
    def ask_extract(self, project: str, session: str, position: int) -> None:
        self._ask("extract", project, session, position)

    @rule(project=st.sampled_from("pq"))
    def ask_dream(self, project: str) -> None:
        self._ask("dream", project, "a", 0)

    @precondition(lambda self: any(lane.running for lane in self.lanes.values()))
    @rule(data=st.data(), ending=st.sampled_from(ENDINGS))
    def end(self, data: st.DataObject, ending: Ending) -> None:
        lane = data.draw(st.sampled_from([each for each in self.lanes.values() if each.running]))
        task = lane.running
        assert task is not None

        def then(progress: Progress) -> Outcome:
            progress.tell("nearly")
            if ending == "checks":
                progress.check()
            if ending == "raises":
                raise StoreError("The store is gone.")
            if ending == "noop":
                return Outcome("skipped", "min_hours")
            return Outcome("failed" if ending == "failed" else "completed")

        assert task.gate.entered.wait(SECONDS)
        task.gate.then = then
        task.gate.opened.set()
        while not self.ground.record(task.id).is_over:
            self.ground.scheduler.drain(0.0005)
        self.ended[task.id] = {
            "completed": ("completed", None),
            "noop": ("skipped", "min_hours"),
            "failed": ("failed", None),
            "raises": ("failed", None),
            "checks": ("skipped", "stopped") if task.is_stopping else ("completed", None),
        }[ending]
        lane.running = None
        self._advance(lane)

    @precondition(lambda self: self.ground.scheduler.records())
    @rule(data=st.data())
    def ask_stop(self, data: st.DataObject) -> None:
        records = self.ground.scheduler.records()
        task_id = data.draw(st.sampled_from([record.id for record in records]))
        assert self.ground.scheduler.ask_stop(task_id) is (task_id not in self.ended)
        for lane in self.lanes.values():
            if lane.running is not None and lane.running.id == task_id:
                lane.running.is_stopping = True
            for waiting in [each for each in lane.waiting if each.id == task_id]:
                lane.waiting.remove(waiting)
                self.ended[task_id] = ("skipped", "stopped")

    @precondition(lambda self: len(self.ground.scheduler.records()) > 5)
    @rule()
    def stop(self) -> None:
        self.is_stopped = True
        is_busy = any(lane.running for lane in self.lanes.values())
        assert self.ground.scheduler.stop(0.001 if is_busy else SECONDS) is not is_busy
        for lane in self.lanes.values():
            if lane.running is not None:
                lane.running.is_stopping = True
            for waiting in lane.waiting:
                self.ended[waiting.id] = ("skipped", "stopped")
            lane.waiting.clear()

    def _expected(self) -> dict[int, tuple[str, str | None]]:
        expected: dict[int, tuple[str, str | None]] = dict(self.ended)
        for lane in self.lanes.values():
            if lane.running is not None:
                expected[lane.running.id] = ("running", None)
            expected |= {each.id: ("pending", None) for each in lane.waiting}
        return expected

    def _found(self) -> dict[int, tuple[str, str | None]]:
        records = self.ground.scheduler.records()
        return {each.id: (each.status, each.skipped_reason) for each in records}

    @invariant()
    def records_are_those_of_the_model(self) -> None:
        expected = self._expected()
        assert self._found() == expected
        records = self.ground.scheduler.records()
        assert [each.id for each in records] == sorted(expected, reverse=True)

    def teardown(self) -> None:
        is_sound = self._found() == self._expected()
        for gate in self.gates:
            gate.opened.set()
        self.ground.drain()
        if not is_sound:
            return  # it was told already
        for lane in self.lanes.values():
            while lane.running is not None:
                self.ended[lane.running.id] = ("completed", None)
                lane.running = None
                self._advance(lane)
        assert self.ground.scheduler.stop(SECONDS)
        self.records_are_those_of_the_model()
        self._each_record_told_its_whole_story()

    def _each_record_told_its_whole_story(self) -> None:
        busy: dict[str, int] = {}
        started: list[int] = []
        for record in self.ground.listener.records:
            if record.status == "running" and busy.get(record.project) != record.id:
                assert record.project not in busy, "two of one project at once"
                busy[record.project] = record.id
                started.append(record.id)
            if record.is_over and busy.get(record.project) == record.id:
                del busy[record.project]
        assert busy == {}
        assert sorted(started) == sorted(self.started)
        for project in self.lanes:
            own = {each.id for each in self.ground.scheduler.records() if each.project == project}
            told = [each for each in started if each in own]
            assert told == [each for each in self.started if each in own]
        for record in self.ground.scheduler.records():
            statuses = self.ground.listener.statuses(record.id)
            if record.started_ns is None:
                assert statuses in (["skipped"], ["pending", "skipped"])
            else:
                assert statuses[:2] == ["pending", "running"]
                assert statuses[-1] == record.status
                assert set(statuses[2:-1]) <= {"running"}
                assert record.ended_ns is not None
                assert record.created_ns < record.started_ns < record.ended_ns


TestScheduler = SchedulerMachine.TestCase
TestScheduler.settings = settings(stateful_step_count=30)
