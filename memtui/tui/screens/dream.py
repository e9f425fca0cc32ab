"""Dream: gates, lock, former dreams, what a dream would do now, and what it leaves to a person.

Invariant: nothing is written straight from a key: a plan goes through its review, a run in the
background and a stale lock through a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from memtui.engine.disk.agent_lock import makes_lock
from memtui.engine.disk.store import Applied
from memtui.engine.manager import MemoryManager
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.dream_history import FormerDream
from memtui.tui.dream_plan import NOTHING
from memtui.tui.dream_view import break_question, run_question
from memtui.tui.lookup import Lookup
from memtui.tui.screens.acting import review_dream, review_undo
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.dream_panes import DreamPanes
from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import RowList

_READONLY = "memtui was started with --readonly, so nothing is written."
_WAIT = "The plan is being made: a moment."
_ON = (
    "Dreams of this store run by themselves from now on, once the gates are open. They are looked"
    " at after each turn of a followed session, so only while following is on: w, among the"
    " memories."
)
_AUTO_QUESTION = (
    "Let dreams of this store run by themselves? One runs after a turn of a followed session, once"
    " all gates are open, and writes without a review. Each stands in the log, with its undo."
)
_OFF = "No dream of this store runs by itself any more."
_NOT_UNDONE = {
    "noop": "This dream changed nothing, so there is nothing to undo.",
    "failed": "This dream failed and wrote nothing, so there is nothing to undo.",
    "undone": "This dream is undone already; l, the log, can undo its undo.",
}


class DreamScreen(DreamPanes):
    """Five panes and their actions; dismissed with what was applied, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("dream")]
    places: ClassVar[tuple[Context, ...]] = ("app", "dream")

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__(manager, palette, lookup, note=note)
        self._started: int | None = None
        """The task that was started here, which esc stops."""

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.rows.id == "dreams":
            self.action_undo()
        elif event.rows.id == "suggestions":
            self.action_compare()
        else:
            self.action_review_plan()

    def action_leave(self) -> None:
        """Stop the dream that was started here; without one back to the memories."""
        task = self.running
        if task is not None and task.id == self._started:
            self._started = None
            self.action_stop()
        else:
            self.dismiss(None)

    def _left(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)

    def _warn(self, said: str) -> None:
        self.notify(said, severity="warning", timeout=8)

    def _ask_first(self, question: str, yes: str, then: Callable[[], None]) -> None:
        self.app.push_screen(
            ConfirmDialog(self.palette, question, yes), lambda wanted: then() if wanted else None
        )

    # The plan.

    def action_review_plan(self) -> None:
        """Go to the review of what a dream would do now."""
        view = self.view
        if self.is_planning:
            self.notify(_WAIT)
        elif view is None:
            self._warn("There is no plan to review.")
        elif not view.files:
            self.notify(NOTHING)
        else:
            review_dream(self, self.manager, self.lookup, view, self._left)

    def action_run_now(self) -> None:
        """Ask, then dream in the background."""
        view, lock = self.view, self.lock_state
        if self.manager.is_readonly:
            self._warn(_READONLY)
        elif self.scope != "project":
            self._warn("In the background only the project's store is tidied: enter reviews this.")
        elif self.running is not None:
            self.notify("A dream of this store is running: x stops it.")
        elif self.is_planning or view is None:
            self.notify(_WAIT if self.is_planning else "There is no plan to run.")
        elif lock is not None and lock.state == "stale" and not makes_lock(self.store):
            self._warn("A stale lock is in the way: L breaks it.")
        else:
            self._ask_first(run_question(view), "run it", self._run)

    def _run(self) -> None:
        manager = self.manager

        def run() -> str:
            record = manager.schedule_dream(trigger="manual", session=manager.live.followed)
            self._started = record.id
            if record.skipped_reason:
                return "A dream of this store is running already: x stops it."
            return ""

        self.act("run", run)

    def action_stop(self) -> None:
        """Ask the running dream to stop; nothing half done is left."""
        task = self.running
        if task is None:
            self.notify("No dream is running.")
        elif self.manager.live.tasks.ask_stop(task.id):
            self.notify("The dream was asked to stop: what it did not finish is not begun.")

    # Gates and lock.

    def action_auto(self) -> None:
        """Ask, then let dreams of this store run by themselves; or stop that."""
        if self.manager.is_readonly:
            self._warn(_READONLY)
            return
        if self.scope != "project":
            self._warn("Only the project's store can dream by itself.")
            return
        dreaming, store = self.manager.live.dreaming, self.store

        def switch(is_on: bool) -> str:
            dreaming.enable(store, is_on)
            return _ON if is_on else _OFF

        gates = self.gates
        if gates is None:
            self.notify("The gates are being looked at: a moment.")
        elif any(gate.gate == "enabled" and gate.open for gate in gates.gates):
            self.act("auto", lambda: switch(False))
        else:
            self._ask_first(
                _AUTO_QUESTION, "let them", lambda: self.act("auto", lambda: switch(True))
            )

    def action_break_lock(self) -> None:
        """Ask, then remove a stale lock."""
        lock = self.lock_state
        if self.manager.is_readonly:
            self._warn(_READONLY)
        elif lock is None or lock.state == "free":
            self.notify("No lock is in the way.")
        elif lock.state == "held":
            self._warn("The lock is held by somebody at work: only a stale one can be broken.")
        else:
            self._ask_first(break_question(lock), "break it", self._break)

    def _break(self) -> None:
        dreaming, workspace, scope = self.manager.live.dreaming, self.lookup.workspace, self.scope

        def break_lock() -> str:
            broken = dreaming.break_stale_lock(workspace, scope)
            return "The stale lock is gone." if broken else "The lock was free already."

        self.act("break", break_lock)

    # Former dreams, suggestions, other places.

    def _dream(self) -> FormerDream | None:
        """The former dream under the cursor."""
        place = self.rows("dreams").position - 1
        return self.dreams[place] if 0 <= place < len(self.dreams) else None

    def action_undo(self) -> None:
        """Go to the review of undoing a former dream, from elsewhere the newest change."""
        dream = self._dream()
        if self.focused_pane.number != 3 or dream is None:
            review_undo(self, self.manager, self.lookup, None, self._left)
        elif dream.can_be_undone:
            review_undo(self, self.manager, self.lookup, dream.act_id, self._left)
        else:
            self.notify(
                _NOT_UNDONE.get(dream.status, "The log has nothing of this dream any more.")
            )

    def action_compare(self) -> None:
        """Show the entries of the suggestion under the cursor side by side."""
        from memtui.tui.screens.compare import CompareScreen

        number = self.rows("suggestions").cursor_key
        if not isinstance(number, int) or number >= len(self.suggestions):
            self.notify("There is no suggestion to look at.")
            return
        suggestion = self.suggestions[number]
        screen = CompareScreen(self.manager, self.palette, self.lookup, suggestion, note=self.note)
        self.app.push_screen(screen, self._left)

    def action_journal(self) -> None:
        """Show what was changed."""
        from memtui.tui.screens.journal import JournalScreen

        screen = JournalScreen(self.manager, self.palette, self.lookup, note=self.note)
        self.app.push_screen(screen, self._left)

    def action_next_scope(self) -> None:
        """Turn to the next store that is open."""
        scopes = self.scopes
        if len(scopes) < 2:
            self.notify("No other store is open.")
            return
        self.scope = scopes[(scopes.index(self.scope) + 1) % len(scopes)]
        self.clear()
        self.follow(self.lookup)
        self.look(always=True)
