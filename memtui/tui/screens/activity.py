"""Activity: the event log in numbers, the tasks of this process, and the journal with its undo.

Invariant: reads only; an undo goes through the review. What changes while it is open shows by
itself, with each cursor kept on its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.engine.disk.log import Logged
from memtui.engine.disk.store import Applied
from memtui.engine.manager import MemoryManager
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.activity_reading import Activity, log_signature, read_activity
from memtui.tui.activity_view import (
    EventRow,
    NoteRow,
    lay_out_event,
    lay_out_log,
    lay_out_numbers,
)
from memtui.tui.format import hang, rule
from memtui.tui.live_state import LiveApp, LiveState
from memtui.tui.lookup import Lookup
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.acting import review_undo
from memtui.tui.screens.journal import ActRow, lay_out_act
from memtui.tui.screens.paned import ONE_PANE_BELOW, PanedScreen
from memtui.tui.task_view import TaskRow, lay_out_following, lay_out_task, task_rows
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import RowList

if TYPE_CHECKING:
    from memtui.engine.lifecycle.tasks import TaskRecord

_POLL_S = 1.0
_AIR_ROWS = 30
"""From this height on the charts have two rows."""
_DETAIL = 4
_NO_TASK = (
    "Nothing ran in the background since memtui was started. w, among the memories, follows a"
    " session; its tasks stand here, and so do dreams that run by themselves."
)
_NO_ACT = "Nothing was changed yet. What memtui changes stands here, with its undo."


class ActivityScreen(PanedScreen[Applied | None]):
    """Events on the left; tasks, the journal, and what is under the cursor on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("activity")]
    places: ClassVar[tuple[Context, ...]] = ("app", "activity")

    @dataclass
    class Read(Message):
        """The event log and the journal were read."""

        generation: int
        activity: Activity

    @dataclass
    class TaskChanged(Message):
        """A task of this process stands differently."""

        record: TaskRecord

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.note = note
        self.activity = Activity()
        self.tasks: tuple[TaskRecord, ...] = ()
        self.task_rows: list[TaskRow] = []
        self.live = LiveState()
        self._list_number = 1
        """Which of the three lists the details are about."""
        self._generation = self._shown = 0
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        """Four panes."""
        yield Header(self.palette)
        with Horizontal(id="panes"):
            with (
                Vertical(id="activity-left"),
                Pane(self.palette, 1, "Events", id="events-pane"),
            ):
                yield Static("", id="event-numbers")
                yield RowList(self.palette, id="events", has_sticky_heads=False)
            with Vertical(id="activity-right"):
                with Pane(self.palette, 2, "Tasks", id="tasks-pane"):
                    yield RowList(self.palette, id="tasks", has_sticky_heads=False)
                with Pane(self.palette, 3, "Journal", id="journal-pane"):
                    yield RowList(self.palette, id="journal", has_sticky_heads=False)
                with Pane(self.palette, _DETAIL, "Detail", id="detail-pane"):
                    yield LineView(id="detail")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Read, and go on looking."""
        super().on_mount()
        self.query_one(Footer).places = self.places
        self.events_list.focus()
        self._show_tasks()
        self.follow(self.lookup)
        self.set_interval(_POLL_S, self._poll)
        app = self.app
        if isinstance(app, LiveApp):
            self.watch(app, "live_state", self._live_changed)
        if self.manager.is_live:
            self._unsubscribe = self.manager.subscribe(self._hear)

    def on_unmount(self) -> None:
        """Listen no longer."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _hear(self, record: TaskRecord) -> None:
        """In the thread that tells of tasks."""
        self.post_message(self.TaskChanged(record))

    def follow(self, lookup: Lookup) -> None:
        """Read what belongs to the stores as they are now."""
        self.lookup = lookup
        header = replace(lookup.header(self.note), crumbs=("activity",))
        self.query_one(Header).values = header
        self._read()

    @property
    def events_list(self) -> RowList:
        """The events."""
        return self.query_one("#events", RowList)

    @property
    def tasks_list(self) -> RowList:
        """The tasks."""
        return self.query_one("#tasks", RowList)

    @property
    def journal_list(self) -> RowList:
        """The acts."""
        return self.query_one("#journal", RowList)

    # Reading.

    def _read(self, *, only_if_grown: bool = False) -> None:
        """Read log and journal in the background; a reading that was overtaken is not shown."""
        self._generation += 1
        generation, workspace = self._generation, self.lookup.workspace
        before = self.activity.signature

        def read() -> None:
            if only_if_grown and log_signature(self.manager, workspace) == before:
                return
            self.post_message(self.Read(generation, read_activity(self.manager, workspace)))

        self.run_worker(
            read, thread=True, group="activity", name=f"activity {generation}", exit_on_error=False
        )

    def _poll(self) -> None:
        """Draw running tasks anew, and read again where the log grew."""
        if any(not record.is_over for record in self.tasks):
            self._show_tasks()
        if all(worker.is_finished for worker in self.workers if worker.group == "activity"):
            self._read(only_if_grown=True)

    @on(Read)
    def _was_read(self, event: Read) -> None:
        if event.generation < self._shown:
            return
        self._shown = event.generation
        self.activity = activity = event.activity
        worst = {each.kind: each.worst_ms for each in activity.numbers}
        same = Counter[int]()
        rows = []
        for each in activity.events:
            same[each.time_ns] += 1
            rows.append(EventRow(same[each.time_ns], each, worst[each.event]))
        self.events_list.show_rows(rows)
        self.journal_list.show_rows(
            [ActRow(act) for act in activity.acts] or [NoteRow("nothing was changed yet")]
        )
        self._show_numbers()
        self._show_detail()

    @on(TaskChanged)
    def _task_changed(self, event: TaskChanged) -> None:
        self._show_tasks()
        if event.record.is_over:
            self._read()

    def _live_changed(self, live: LiveState) -> None:
        self.live = live
        self._show_detail()

    # What is shown.

    def _show_tasks(self) -> None:
        self.tasks = self.manager.tasks() if self.manager.is_live else ()
        self.task_rows = task_rows(self.tasks, self.manager.clock_ns())
        self.tasks_list.show_rows(
            self.task_rows or [NoteRow("nothing ran since memtui was started")]
        )
        if self._looked_at is self.tasks_list:
            self._show_detail(keep_place=True)

    def _show_numbers(self) -> None:
        """Draw the sections of the kinds, as tall as they are."""
        view = self.query_one("#event-numbers", Static)
        width = self.panes[0].content_size.width
        if width <= 0 or not self.activity.numbers:
            return
        has_air = self.size.height >= _AIR_ROWS
        lines = lay_out_numbers(
            self.activity.numbers,
            self.activity.log,
            self.manager.clock_ns(),
            width,
            self.palette,
            has_air=has_air,
        )
        if self.activity.events:
            lines.append(rule("newest", "", width, self.palette))
        sections = Content("\n").join(lines)
        view.update(sections)
        view.styles.height = len(lines)

    @property
    def _looked_at(self) -> RowList:
        """The list whose row the details are about."""
        return (self.events_list, self.tasks_list, self.journal_list)[self._list_number - 1]

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows is self._looked_at:
            self._show_detail()

    @on(LineView.Scrolled, "#detail")
    def _scrolled(self, event: LineView.Scrolled) -> None:
        event.stop()
        self.panes[_DETAIL - 1].show_subtitle(event.text)

    def _show_detail(self, *, keep_place: bool = False) -> None:
        """Show what is under the cursor, and positions in the borders."""
        for pane, rows in zip(
            self.panes, (self.events_list, self.tasks_list, self.journal_list), strict=False
        ):
            pane.show_subtitle(f"{rows.position:,}/{rows.count:,}" if rows.count else "")
        lay_out = (self._lay_out_event, self._lay_out_task, self._lay_out_act)[
            self._list_number - 1
        ]
        self.query_one("#detail", LineView).show_lines(lay_out, keep_place=keep_place)

    def _lay_out_event(self, width: int) -> list[Content]:
        place = self.events_list.position - 1
        lines = []
        if 0 <= place < len(self.activity.events):
            lines += [*lay_out_event(self.activity.events[place], width, self.palette), Content("")]
        path = self.manager.settings.path
        return lines + lay_out_log(
            self.activity.log, "" if path is None else str(path), width, self.palette
        )

    def _lay_out_task(self, width: int) -> list[Content]:
        palette, key = self.palette, self.tasks_list.cursor_key
        row = next((each for each in self.task_rows if each.key == key), None)
        if row is None:
            lines = Content.styled(_NO_TASK, palette.muted).wrap(width)
        else:
            now_ns = self.manager.clock_ns()
            lines = lay_out_task(row.record, now_ns, width, palette, count=row.count)
        return [*lines, Content(""), *lay_out_following(self.live, width, palette)]

    def _lay_out_act(self, width: int) -> Sequence[Content]:
        act, palette = self._act(), self.palette
        if act is not None:
            return lay_out_act(act, width, palette)
        if self.activity.journal_error:
            return hang("✗ ", safe_line(self.activity.journal_error), palette.bad, width)
        return Content.styled(_NO_ACT, palette.muted).wrap(width)

    def _act(self) -> Logged | None:
        return next(
            (act for act in self.activity.acts if act.id == self.journal_list.cursor_key), None
        )

    # Panes and widths.

    def focus_changed(self) -> None:
        """Show the details of the list that is walked."""
        number = self.focused_pane.number
        if number != _DETAIL and number != self._list_number:
            self._list_number = number
            self._show_detail()
        super().focus_changed()

    def on_resize(self) -> None:
        """Draw the numbers for the width at hand."""
        super().on_resize()
        self.call_after_refresh(self._show_numbers)

    def show_panes(self) -> None:
        """All four; below 120 columns one list over the details; below 80 one pane."""
        super().show_panes()
        width = self.size.width
        if not ONE_PANE_BELOW <= width < 120:
            return
        panes, shown = self.panes, (self._list_number, _DETAIL)
        for pane in panes:
            pane.set_class(pane.number not in shown, "-hidden")
            others = ((other.number, other.title) for other in panes if other.number not in shown)
            pane.show_tabs(tuple(others) if pane.number != _DETAIL else ())
        self.query_one("#activity-left").set_class(self._list_number != 1, "-hidden")
        self.query_one("#activity-right").set_class(self._list_number == 1, "-only-detail")

    # Actions.

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        if number != _DETAIL:
            self._list_number = number
            self._show_detail()
        self.bring(number)
        lists = (self.events_list, self.tasks_list, self.journal_list)
        (*lists, self.query_one("#detail"))[number - 1].focus()

    def action_leave(self) -> None:
        """Back to the memories."""
        self.dismiss(None)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.rows is self.journal_list:
            self.action_undo_act()
        else:
            self.action_pane(_DETAIL)

    def action_undo_act(self) -> None:
        """Go to the review of undoing the act under the cursor of the journal."""
        act = self._act()
        if act is None:
            self.notify("There is nothing to undo in these stores.")
            return
        review_undo(self, self.manager, self.lookup, act.id, self._undone)

    def _undone(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)

    def action_stop_task(self) -> None:
        """Ask the task under the cursor to stop; what it wrote by then stays whole."""
        record = next((each for each in self.tasks if each.id == self.tasks_list.cursor_key), None)
        if record is None or record.is_over:
            record = next((each for each in self.tasks if not each.is_over), None)
        if record is None:
            self.notify("No task is running.")
        elif self.manager.live.tasks.ask_stop(record.id):
            self.notify(f"The {record.kind} was asked to stop.")
