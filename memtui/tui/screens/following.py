"""What goes on beside the main screen: the followed session, tasks that end, settled queries.

Invariant: nothing is followed before it is asked for, and nothing of one project goes on while
another is opened. What may wait for the disk or a thread runs in a worker; nothing of the engine's
live part is loaded before something asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.message import Message
from textual.timer import Timer

from memtui.engine.disk.locations import store_dir
from memtui.engine.errors import MemtuiError
from memtui.engine.manager import MemoryManager
from memtui.engine.types import Recall, Scorer, Store
from memtui.engine.workspace import Workspace
from memtui.tui.live_state import LiveApp, LiveState, place_words, short_id
from memtui.tui.screens.changing import ChangingScreen
from memtui.tui.screens.scanning import POLL_S
from memtui.tui.themes import Palette

if TYPE_CHECKING:
    from memtui.engine.disk.projects import Project
    from memtui.engine.disk.settings import FollowTo
    from memtui.engine.lifecycle.tasks import TaskRecord

SETTLED_S = 1.0
"""After so long without a key a query counts as asked."""
_LEAVE_S = 5.0
"""So long tasks of a project may take to stop when another is opened."""
_STORE_QUESTION = (
    "Send what is found straight to the store? After each turn of the followed session, what you"
    " said that lasts is then written without a review; near-duplicates still wait in the inbox."
    " Each time stands in the log, with its undo."
)


class FollowingScreen(ChangingScreen):
    """A changing screen that follows a session, tells what tasks came to, and logs recalls."""

    @dataclass
    class Looked(Message):
        """The live state was looked up."""

        workspace: Workspace
        state: LiveState
        switches: int
        """How often this memtui had begun or ended a switch of the place by then."""

    @dataclass
    class TaskChanged(Message):
        """A task stands differently."""

        record: TaskRecord

    @dataclass
    class Switched(Message):
        """Following was switched, or the sentence that says why not."""

        is_on: bool
        error: str
        to: FollowTo = "inbox"

    @dataclass
    class PlaceRead(Message):
        """Where what is found goes now; or why that cannot be told or changed."""

        place: FollowTo
        is_new: bool
        error: str

    @dataclass
    class Left(Message):
        """Nothing of the project that was open goes on; or why something does."""

        was_following: bool
        error: str

    def __init__(self, manager: MemoryManager, palette: Palette, *, note: str = "") -> None:
        super().__init__(manager, palette, note=note)
        self._is_subscribed = False
        self._told: set[int] = set()
        """The tasks whose end was told."""
        self._after_leaving: Callable[[], None] | None = None
        self._inbox: tuple[Path, tuple[int, int, int] | None, int] | None = None
        """The inbox as it was read last: its file, what tells that it changed, its count."""
        self._place: FollowTo | None = None
        """Where what is found goes, as far as the person knows; None while nothing is followed."""
        self._switches = 0
        self._asked: tuple[tuple[Store, ...], str, Scorer] | None = None
        """The recall that was logged last."""
        self._settling: Timer | None = None

    def on_mount(self) -> None:
        """Look at the live state every second."""
        super().on_mount()
        self.set_interval(POLL_S, self._look)

    # The live state.

    @property
    def live_state(self) -> LiveState:
        """The state that every header shows."""
        app = self.app
        return app.live_state if isinstance(app, LiveApp) else LiveState()

    def _is_busy(self, group: str) -> bool:
        return any(
            worker.group == group and worker.node is self and not worker.is_finished
            for worker in self.app.workers
        )

    def _look(self) -> None:
        """Look up the live state in the background, one look at a time."""
        self._subscribe()
        if self.lookup is not None and not self._is_busy("look"):
            workspace, switches = self.lookup.workspace, self._switches
            self._work(
                "look",
                lambda: self.post_message(self.Looked(workspace, self._state(workspace), switches)),
            )

    def _subscribe(self) -> None:
        """Listen to tasks once there can be any, and tell what ended before."""
        if self._is_subscribed or not self.manager.is_live:
            return
        self._is_subscribed = True
        self.manager.subscribe(self._hear)
        for record in reversed(self.manager.tasks()):
            self._tell(record)

    def _hear(self, record: TaskRecord) -> None:
        """In the thread that tells of tasks."""
        self.post_message(self.TaskChanged(record))

    def _state(self, workspace: Workspace) -> LiveState:
        project = workspace.project
        if project is None:
            return LiveState()
        problem = ""
        try:
            waiting = self._waiting(workspace, project.store)
        except (MemtuiError, OSError) as error:
            waiting, problem = 0, str(error)
        if not self.manager.is_live or not self.manager.live.is_following:
            return LiveState(problem=problem, inbox=waiting)
        live = self.manager.live
        return LiveState(
            is_following=True,
            session=short_id(live.followed or ""),
            to=live.follow_to(project.store),
            problem=live.follow_problem or problem,
            inbox=waiting,
        )

    def _waiting(self, workspace: Workspace, store: Store) -> int:
        """How much waits in the inbox, read again only where its file changed."""
        path = store_dir(self.manager.state_dir, store) / "inbox.json"
        try:
            status = path.stat()
        except FileNotFoundError:
            return 0
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if self._inbox is None or self._inbox[:2] != (path, signature):
            self._inbox = (path, signature, len(self.manager.live.inbox(workspace)))
        return self._inbox[2]

    @on(Looked)
    def _looked(self, event: Looked) -> None:
        app = self.app
        if self.lookup is None or not isinstance(app, LiveApp):
            return
        if event.workspace.project is None or self.lookup.workspace.project is None:
            same_store = event.workspace is self.lookup.workspace
        else:
            same_store = event.workspace.project.store == self.lookup.workspace.project.store
        if not same_store:
            return
        before, app.live_state = app.live_state, event.state
        if event.switches == self._switches:
            self._see_place(event.state)
        if event.state.problem and event.state.problem != before.problem:
            self.notify(event.state.problem, severity="warning", timeout=10)

    def _see_place(self, state: LiveState) -> None:
        """Say it where somebody else chose another place for what is found."""
        before, self._place = self._place, state.to if state.is_following else None
        if self._place is None or before in (None, self._place):
            return
        self._tell_place("Another memtui switched it.", self._place)

    def _tell_place(self, before: str, place: FollowTo) -> None:
        said = " ".join(filter(None, (before, place_words(place))))
        self.notify(said, severity="warning" if place == "store" else "information", timeout=8)

    # Tasks.

    @on(TaskChanged)
    def _task_changed(self, event: TaskChanged) -> None:
        if event.record.is_over:
            self._tell(event.record)
            self.scan()
            self._look()

    def _tell(self, record: TaskRecord) -> None:
        """Say once what a task came to, where it is worth it."""
        from memtui.tui.task_view import told_of

        if not record.is_over or record.id in self._told:
            return
        self._told.add(record.id)
        told = told_of(record)
        if told is not None:
            self.notify(told.text, severity="error" if told.is_fault else "information", timeout=10)

    # Following.

    def action_follow(self) -> None:
        """Watch the sessions of the project, or stop."""
        if self._is_busy("follow"):
            return
        is_on = not (self.manager.is_live and self.manager.live.is_following)
        if is_on and (refusal := self._refusal()):
            self.notify(refusal, severity="warning", timeout=8)
            return

        store = self.lookup.workspace.store("project") if is_on and self.lookup else None

        def switch() -> None:
            live, error = self.manager.live, ""
            to: FollowTo = "inbox"
            try:
                live.follow(is_on)
                to = "inbox" if store is None else live.follow_to(store)
            except (MemtuiError, OSError) as fault:
                error = str(fault)
            self.post_message(self.Switched(is_on, error, to))

        self._work("follow", switch)

    def _refusal(self) -> str:
        """Why nothing can be followed here; empty where it can."""
        workspace = self.lookup.workspace if self.lookup is not None else None
        if workspace is None or workspace.project is None:
            return "There is no project memory here to follow a session for: p opens another."
        if workspace.agent == "none":
            return "No agent's sessions belong to this store, so there is none to follow."
        return ""

    @on(Switched)
    def _switched(self, event: Switched) -> None:
        if event.error:
            self.notify(event.error, severity="warning", timeout=8)
        elif event.is_on:
            self._place = event.to
            self._tell_place("Following the newest session.", event.to)
        else:
            self.notify("No session is followed any more.")
        self._look()

    def action_follow_to(self) -> None:
        """Choose where what is found goes: into the inbox, or straight to the store."""
        workspace = self.lookup.workspace if self.lookup is not None else None
        if refusal := self._refusal():
            self.notify(refusal, severity="warning", timeout=8)
        elif self.manager.is_readonly:
            said = "memtui was started with --readonly, so nothing is written."
            self.notify(said, severity="warning", timeout=8)
        elif workspace is not None and not self._is_busy("follow"):
            store = workspace.store("project")

            def read() -> None:
                place = self.manager.live.follow_to(store)
                self.post_message(self.PlaceRead(place, False, ""))

            self._work("follow", read)

    @on(PlaceRead)
    def _place_read(self, event: PlaceRead) -> None:
        self._switches += event.is_new
        if event.is_new and not event.error:
            self._place = event.place
        if event.error:
            self.notify(event.error, severity="error", timeout=10)
        elif event.is_new:
            self._tell_place("", event.place)
            self._look()
        elif event.place == "store":
            self._send_to("inbox")
        else:
            from memtui.tui.screens.dialogs import ConfirmDialog

            self.app.push_screen(
                ConfirmDialog(self.palette, _STORE_QUESTION, "to the store"),
                lambda wanted: self._send_to("store") if wanted else None,
            )

    def _send_to(self, place: Literal["inbox", "store"]) -> None:
        if self.lookup is None:
            return
        store = self.lookup.workspace.store("project")
        self._switches += 1

        def send() -> None:
            error = ""
            try:
                self.manager.live.send_to(store, place)
            except (MemtuiError, OSError) as fault:
                error = str(fault)
            self.post_message(self.PlaceRead(place, True, error))

        self._work("follow", send)

    # Another project.

    def open_project(self, project: Project | None) -> None:
        """Turn to `project`, where there is one and it is not the one that is open."""
        if project is not None:
            target = self.manager.target_of(project)
            if not self.is_open(project, target):
                self.leave_project(lambda: self.open(target))

    def leave_project(self, then: Callable[[], None]) -> None:
        """End what goes on for the open project, then do `then`; say so where that takes long."""
        manager = self.manager
        if not manager.is_live or self._is_idle():
            then()
            return
        if self._after_leaving is not None:
            return
        self._after_leaving = then

        def leave() -> None:
            live, error = manager.live, ""
            was_following = live.is_following
            try:
                live.follow(False)
                for record in live.tasks.records():
                    if not record.is_over:
                        live.tasks.ask_stop(record.id)
                if not live.tasks.drain(_LEAVE_S):
                    error = "A task of this project is still running: open the other one later."
            except (MemtuiError, OSError) as fault:
                error = str(fault)
            self.post_message(self.Left(was_following, error))

        self._work("follow", leave)

    def _is_idle(self) -> bool:
        live = self.manager.live
        return not live.is_following and all(record.is_over for record in live.tasks.records())

    @on(Left)
    def _left(self, event: Left) -> None:
        then, self._after_leaving = self._after_leaving, None
        if event.was_following:
            self.notify("The session of the other project is not followed any more.")
        if event.error:
            self.notify(event.error, severity="error", timeout=10)
        elif then is not None:
            then()
        self._look()

    # Recalls.

    def recall_shown(self, recall: Recall | None, duration_ms: int) -> None:
        """Log what is asked once it settles; `duration_ms` is how long the ranking took."""
        if self._settling is not None:
            self._settling.stop()
            self._settling = None
        lookup = self.lookup
        if recall is None or lookup is None:
            return
        workspace = lookup.workspace
        # What an agent writes meanwhile ranks anew and asks nothing.
        stores = tuple(snapshot.store for snapshot in workspace.snapshots)
        asked = (stores, recall.query, recall.scorer)
        if asked == self._asked:
            return

        def settled() -> None:
            self._asked = asked
            self._work("telemetry", lambda: self.manager.log_recall(workspace, recall, duration_ms))

        self._settling = self.set_timer(SETTLED_S, settled)

    def _work(self, group: str, work: Callable[[], object]) -> None:
        self.run_worker(work, thread=True, group=group, name=group, exit_on_error=False)
