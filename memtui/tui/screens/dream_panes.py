"""The five panes of the dream screen, and how they show what the workers bring.

Invariant: only shows; what is of an older question than the last is left aside.
"""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.notifications import SeverityLevel
from textual.widgets import Static

from memtui.engine.disk.agent_lock import LockState
from memtui.engine.lifecycle.tasks import TaskRecord
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.gates import Gates
from memtui.engine.plans.suggestions import Suggestion
from memtui.tui.dream_history import FormerDream, LastHeld
from memtui.tui.dream_plan import CountsRow, PlanView, SuggestionsHead
from memtui.tui.dream_view import (
    OTHER_SCOPE,
    gate_rows,
    gates_subtitle,
    lay_out_lock,
)
from memtui.tui.lookup import Lookup
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.dreaming import LOOK_S, DreamingScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import RowList

LOW_ROWS, TINY_ROWS = 30, 20
"""Below the first the lock has one line; below the second one pane is shown at a time."""
_NO_DREAM = "No dream yet. R runs one, and it stands here with its undo."


class DreamPanes(DreamingScreen):
    """What was on the left, what could be on the right."""

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__(manager, palette, lookup, note=note)
        self.gates: Gates | None = None
        self.lock_state: LockState | None = None
        self.last: LastHeld | None = None
        self.view: PlanView | None = None
        self.plan_error = ""
        self.suggestions: tuple[Suggestion, ...] = ()
        self.left_out = ""
        self._checked_ns: int | None = None
        """When gates and lock were looked at last."""
        self.dreams: tuple[FormerDream, ...] = ()
        self.running: TaskRecord | None = None
        """The dream that waits or runs."""

    def compose(self) -> ComposeResult:
        """What was on the left, what could be on the right."""
        palette = self.palette
        yield Header(palette)
        with Horizontal(id="panes"):
            with Vertical(id="dream-left"):
                with Pane(palette, 1, "Gates", id="gates-pane"):
                    yield Static("", id="gates-note", classes="pane-note")
                    yield RowList(palette, id="gates", has_sticky_heads=False)
                with Pane(palette, 2, "Lock", id="lock-pane"):
                    yield LineView(id="lock")
                with Pane(palette, 3, "Former dreams", id="dreams-pane"):
                    yield Static("", id="dreams-note", classes="pane-note")
                    yield RowList(palette, id="dreams")
            with Vertical(id="dream-right"):
                with Pane(palette, 4, "Plan", id="plan-pane"):
                    yield Static("", id="plan-note", classes="pane-note")
                    yield RowList(palette, id="plan")
                with Pane(palette, 5, "Suggestions", id="suggestions-pane"):
                    yield Static("", id="suggestions-note", classes="pane-note")
                    yield RowList(palette, id="suggestions")
        yield Footer(palette)

    def on_mount(self) -> None:
        """Ask for everything."""
        super().on_mount()
        self.query_one(Footer).places = self.places
        self.rows("gates").focus()
        # Also where a look hangs: then its age has to grow.
        self.set_interval(LOOK_S, self._show_lock)
        running = (each for each in self.manager.tasks() if each.kind == "dream")
        self.running = next((each for each in running if not each.is_over), None)
        self.follow(self.lookup)

    def rows(self, name: str) -> RowList:
        """A list by its id."""
        return self.query_one(f"#{name}", RowList)

    def follow(self, lookup: Lookup) -> None:
        """Show the stores as they are now."""
        self.lookup = lookup
        if self.scope not in self.scopes and self.scopes:
            self.scope = self.scopes[0]
        crumbs = ("dream",) if self.scope == "project" else ("dream", self.scope)
        self.query_one(Header).values = replace(lookup.header(self.note), crumbs=crumbs)
        self._ask()

    def _ask(self) -> None:
        self.ask_plan()
        self.remember()
        self.look()
        self._show_plan()

    def clear(self) -> None:
        """Show nothing of the store that was looked at."""
        super().clear()
        self.view, self.suggestions, self.plan_error = None, (), ""
        for name in ("plan", "suggestions"):
            self.rows(name).show_rows(())
        self._show_suggestions("")

    # What is shown.

    def _say(self, name: str, text: str, style: str = "") -> None:
        """One sentence above a list; nothing where it is empty."""
        note = self.query_one(f"#{name}-note", Static)
        note.display = bool(text)
        note.update(Content.styled(safe_line(text), style or self.palette.muted))

    @on(DreamingScreen.Looked)
    def _looked(self, event: DreamingScreen.Looked) -> None:
        if not self.is_looked(event):
            return
        self.gates, self.lock_state = event.gates, event.lock
        self._checked_ns = self.manager.clock_ns()
        rows, palette = self.rows("gates"), self.palette
        if event.gates is None or self.scope != "project":
            rows.show_rows(())
            said = event.error or OTHER_SCOPE
            self._say("gates", said, palette.bad if event.error else palette.text)
        else:
            self._say("gates", "")
            closed = event.gates.closed
            rows.show_rows(
                gate_rows(event.gates, is_following=self.is_following),
                start=None if closed is None else closed.gate,
            )
        self._show_gates_subtitle()
        self._show_lock()

    def _show_gates_subtitle(self) -> None:
        pane, gates, said = self.panes[0], self.gates, ""
        if gates is not None and self.scope == "project":
            said = gates_subtitle(gates, pane.size.width - 6, is_following=self.is_following)
        pane.show_subtitle(said)

    def _show_lock(self) -> None:
        lock, last, now_ns = self.lock_state, self.last, self.manager.clock_ns()
        checked_ns = self._checked_ns or now_ns

        def lay_out(width: int) -> list[Content]:
            return lay_out_lock(lock, last, now_ns, width, self.palette, checked_ns=checked_ns)

        self.query_one("#lock", LineView).show_lines(lay_out, keep_place=True)

    @on(DreamingScreen.Planned)
    def _planned(self, event: DreamingScreen.Planned) -> None:
        if not self.is_wanted(event.number):
            return
        self.is_planning = False
        self.view, self.plan_error = event.view, event.error
        plan = self.rows("plan")
        if event.view is None:
            plan.show_rows(())
            self.suggestions = ()
            self.rows("suggestions").show_rows(())
            self._show_suggestions("")
        else:
            plan.show_rows([CountsRow(event.view), *event.view.rows])
            self._show_suggestions("looking…")
        self._show_plan()

    def _show_plan(self) -> None:
        task, view, palette = self.running, self.view, self.palette
        if task is not None:
            told = f": {task.progress}" if task.progress else ""
            state = "runs" if task.status == "running" else "waits for another task"
            self._say("plan", f"A dream {state}{told}. x stops it.", palette.attention)
        else:
            self._say("plan", self.plan_error, palette.bad)
        if self.is_planning:
            self.panes[3].show_subtitle("planning…")
        elif view is not None:
            self.panes[3].show_subtitle(f"planned in {view.took_ms:,} ms")
        else:
            self.panes[3].show_subtitle("")

    @on(DreamingScreen.Suggested)
    def _suggested(self, event: DreamingScreen.Suggested) -> None:
        if not self.is_wanted(event.number):
            return
        self.suggestions, self.left_out = event.suggestions, event.left_out
        rows = [SuggestionsHead(), *event.rows] if event.rows else []
        self.rows("suggestions").show_rows(rows, keep="key")
        self._show_suggestions()
        if event.error:
            self._say("suggestions", event.error, self.palette.bad)

    def _show_suggestions(self, state: str | None = None) -> None:
        rows = self.rows("suggestions")
        if state is None:
            state = f"{rows.position:,}/{rows.count:,}" if rows.count else ""
            nothing = "Nothing looks alike, contradicts another, or reads as outdated."
            self._say("suggestions", self.left_out or ("" if rows.count else nothing))
        else:
            self._say("suggestions", "")
        self.panes[4].show_subtitle(state)

    @on(DreamingScreen.Remembered)
    def _remembered(self, event: DreamingScreen.Remembered) -> None:
        if not self.is_newest_reading(event.number):
            return
        self.dreams, self.last = event.dreams, event.last
        self.rows("dreams").show_rows(event.rows)
        nothing = "" if event.dreams else _NO_DREAM
        style = self.palette.bad if event.error else self.palette.muted
        self._say("dreams", event.error or nothing, style)
        self._show_position("dreams")
        self._show_lock()

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows.id == "dreams":
            self._show_position("dreams")
        elif event.rows.id == "suggestions" and self.rows("suggestions").count:
            self._show_suggestions()

    def _show_position(self, name: str) -> None:
        rows = self.rows(name)
        said = f"{rows.position:,}/{rows.count:,}" if rows.count else ""
        self.panes[2].show_subtitle(said)

    @on(DreamingScreen.TaskChanged)
    def _task_changed(self, event: DreamingScreen.TaskChanged) -> None:
        record = event.record
        self.running = None if record.is_over else record
        self._show_plan()
        if record.is_over:
            self.remember()
            self.look()

    @on(DreamingScreen.Acted)
    def _acted(self, event: DreamingScreen.Acted) -> None:
        if event.said:
            severity: SeverityLevel = "error" if event.is_fault else "information"
            self.notify(event.said, severity=severity, timeout=10)
        self.look()

    # Panes and sizes.

    @property
    def has_one_pane(self) -> bool:
        """Also in a low terminal."""
        return super().has_one_pane or self.size.height < TINY_ROWS

    def on_resize(self) -> None:
        """Name the height for the stylesheet."""
        super().on_resize()
        self.set_class(self.size.height < LOW_ROWS, "-short")
        self.call_after_refresh(self._show_gates_subtitle)

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        names = ("#gates", "#lock", "#dreams", "#plan", "#suggestions")
        self.query_one(names[number - 1]).focus()
