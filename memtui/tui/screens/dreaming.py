"""What the dream screen looks up in the background: gates and lock, plan, suggestions, history.

Invariant: nothing here is slow on the thread of the screen, and nothing of an older question is
ever shown: each answer carries the number of its question. A plan that nobody waits for any more
ends at the next file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.message import Message
from textual.worker import Worker, WorkerState

from memtui.engine.disk.agent_lock import LockState
from memtui.engine.disk.log import Logged
from memtui.engine.disk.store import Applied
from memtui.engine.disk.telemetry import Event
from memtui.engine.errors import MemtuiError, StoppedError
from memtui.engine.format.times import milliseconds
from memtui.engine.lifecycle.tasks import TaskRecord
from memtui.engine.manager import MemoryManager
from memtui.engine.near import Work
from memtui.engine.plans.gates import Gates
from memtui.engine.plans.suggestions import Suggestion, stop_sentence
from memtui.engine.types import Scope, Store
from memtui.engine.workspace import Workspace
from memtui.tui.dream_history import (
    DreamHead,
    DreamRow,
    FormerDream,
    LastHeld,
    former_dreams,
    history_rows,
    last_held,
)
from memtui.tui.dream_plan import PlanView, plan_view, suggestion_rows
from memtui.tui.lookup import Lookup
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import Row

LOOK_S = 1.0
MOST_EVENTS = 5_000
"""So many of the newest events are read."""


class DreamingScreen(PanedScreen[Applied | None]):
    """Asks in workers, and tells what came of it in messages."""

    @dataclass
    class Looked(Message):
        """Gates and lock as they are now, or why they cannot be told."""

        number: int
        scope: Scope
        gates: Gates | None
        lock: LockState | None
        error: str
        signature: tuple[int, ...] = ()
        """What tells that the event log grew."""

    @dataclass
    class Planned(Message):
        """A dream was planned, or the sentence that says why not."""

        number: int
        view: PlanView | None
        error: str

    @dataclass
    class Suggested(Message):
        """What a person may want to tidy was found, with its rows; or why not."""

        number: int
        suggestions: tuple[Suggestion, ...]
        rows: Sequence[Row]
        error: str
        left_out: str = ""
        """What was not compared, in a sentence."""

    @dataclass
    class Remembered(Message):
        """The former dreams were read; `error` says what of them could not be."""

        number: int
        dreams: tuple[FormerDream, ...]
        rows: Sequence[DreamHead | DreamRow]
        last: LastHeld | None
        error: str

    @dataclass
    class TaskChanged(Message):
        """A dream in the background stands differently."""

        record: TaskRecord

    @dataclass
    class Acted(Message):
        """Something that was asked for was done, or could not be."""

        said: str
        is_fault: bool = False

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.note = note
        scopes = self.scopes
        self.scope: Scope = scopes[0] if scopes else "project"
        self.is_planning = False
        self._looks = self._plans = self._readings = 0
        self._planned_on: object = None
        """What the plan was made of: the snapshot of the store."""
        self._signature: tuple[int, ...] = ()
        self._unsubscribe: Callable[[], None] | None = None

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that are open."""
        return [snapshot.store.scope for snapshot in self.lookup.workspace.snapshots]

    @property
    def store(self) -> Store:
        """The store that is looked at; raises StoreError where it is not open."""
        return self.lookup.workspace.store(self.scope)

    @property
    def is_following(self) -> bool:
        """Whether a session is followed: nothing runs by itself without."""
        return self.manager.live.is_following

    def on_mount(self) -> None:
        """Listen to tasks, and look every second."""
        super().on_mount()
        self._unsubscribe = self.manager.subscribe(self._hear)
        self.set_interval(LOOK_S, self.look)

    def on_unmount(self) -> None:
        """Listen no longer, and let no plan go on."""
        self._plans += 1
        if self._unsubscribe is not None:
            self._unsubscribe()

    def clear(self) -> None:
        """Forget what was planned: another store is looked at."""
        self._planned_on = None
        self._plans += 1

    def _hear(self, record: TaskRecord) -> None:
        """In the thread that tells of tasks."""
        if record.kind == "dream":
            self.post_message(self.TaskChanged(record))

    # Questions.

    def look(self, *, always: bool = False) -> None:
        """Look at gates and lock, while they can be seen and, unless `always`, no look goes on."""
        is_busy = any(
            worker.group == "look" and worker.node is self and not worker.is_finished
            for worker in self.app.workers
        )
        if (is_busy and not always) or not self.is_current:
            return
        self._looks += 1
        number, workspace, scope = self._looks, self.lookup.workspace, self.scope
        live = self.manager.live

        def look() -> None:
            try:
                gates = live.dreaming.gates(workspace, scope, live.followed)
                lock = live.dreaming.lock(workspace, scope)
            except (MemtuiError, OSError) as error:
                self.post_message(self.Looked(number, scope, None, None, str(error)))
                return
            signature = self._log_signature(workspace)
            self.post_message(self.Looked(number, scope, gates, lock, "", signature))

        self.work("look", look)

    def is_looked(self, event: Looked) -> bool:
        """Whether a look is the last one that was asked for; reads the log again if it grew."""
        if event.number != self._looks or event.scope != self.scope:
            return False
        if event.signature != self._signature:
            self._signature = event.signature
            self.remember()
        return True

    def ask_plan(self, *, always: bool = False) -> None:
        """Plan on the store as it is now, then look for suggestions."""
        workspace, scope = self.lookup.workspace, self.scope
        snapshot = workspace.of(scope)
        if snapshot is self._planned_on and not always:
            return
        self._planned_on = snapshot
        self._plans += 1
        number = self._plans
        self.is_planning = True
        dreaming, clock_ns = self.manager.live.dreaming, self.manager.clock_ns

        def check() -> None:
            if number != self._plans:
                raise StoppedError("Nobody waits for this plan.")

        def plan() -> None:
            if snapshot is not None and snapshot.state != "ok":
                self.post_message(self.Planned(number, None, snapshot.message))
                return
            started_ns = clock_ns()
            try:
                found = dreaming.plan(workspace, scope, check=check)
                view = plan_view(found, milliseconds(started_ns, clock_ns()))
                self.post_message(self.Planned(number, view, ""))
            except StoppedError:
                return
            except (MemtuiError, OSError) as error:
                self.post_message(self.Planned(number, None, str(error)))
                return
            try:
                work = Work()
                suggestions = dreaming.suggestions(workspace, scope, check, plan=found, work=work)
                rows = suggestion_rows(suggestions, clock_ns())
                said = stop_sentence(work)
                self.post_message(self.Suggested(number, suggestions, rows, "", said))
            except StoppedError:
                return
            except (MemtuiError, OSError) as error:
                self.post_message(self.Suggested(number, (), (), str(error)))

        self.work("plan", plan, f"plan {number}")

    def is_wanted(self, number: int) -> bool:
        """Whether a plan is the last one that was asked for."""
        return number == self._plans

    def remember(self) -> None:
        """Read the former dreams."""
        self._readings += 1
        number, workspace, scope = self._readings, self.lookup.workspace, self.scope
        manager = self.manager

        def remember() -> None:
            acts: tuple[Logged, ...] = ()
            error = ""
            events: tuple[Event, ...] = ()
            try:
                acts = manager.log(workspace)
                events = manager.telemetry(workspace).events(MOST_EVENTS)
            except (MemtuiError, OSError) as fault:
                error = str(fault)
            dreams = former_dreams(acts, events, scope)
            rows = history_rows(dreams, manager.clock_ns())
            last = last_held(acts, scope)
            self.post_message(self.Remembered(number, dreams, rows, last, error))

        self.work("log", remember)

    def is_newest_reading(self, number: int) -> bool:
        """Whether a reading of the former dreams is the last one that was asked for."""
        return number == self._readings

    def _log_signature(self, workspace: Workspace) -> tuple[int, ...]:
        """What tells that the event log grew: another memtui may dream in this store too."""
        try:
            status = self.manager.telemetry(workspace).path.stat()
        except (MemtuiError, OSError):
            return ()
        return (status.st_ino, status.st_size, status.st_mtime_ns)

    def act(self, group: str, act: Callable[[], str]) -> None:
        """Do something in a worker; what it gives is told, and so is what it raises."""

        def run() -> None:
            try:
                said = act()
            except (MemtuiError, OSError) as error:
                self.post_message(self.Acted(str(error), True))
            else:
                self.post_message(self.Acted(said))

        self.work(group, run)

    def work(self, group: str, work: Callable[[], object], name: str = "") -> None:
        """Run `work` in a thread."""
        self.run_worker(work, thread=True, group=group, name=name or group, exit_on_error=False)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Tell an error that no plan should have."""
        worker = event.worker
        if event.state is WorkerState.ERROR and worker.name == f"plan {self._plans}":
            said = f"The planning failed: {worker.error!r}"
            self.post_message(self.Planned(self._plans, None, said))
