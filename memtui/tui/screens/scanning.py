"""Scans behind a screen: at the start, every second, and when another target is opened.

Invariant: one scan at a time; the result of a scan that was overtaken is never shown.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.worker import Worker, WorkerState

from memtui.engine.errors import MemtuiError, NoHomeError
from memtui.engine.manager import MemoryManager
from memtui.engine.types import SCORERS, Scorer
from memtui.engine.workspace import Target, Workspace
from memtui.tui.screens.paned import PanedScreen

if TYPE_CHECKING:
    from memtui.engine.disk.projects import Project
    from memtui.engine.disk.recovery import Recovered
    from memtui.engine.recall.scoring import Ranker
    from memtui.tui.lookup import Lookup

POLL_S = 1.0
_FIRST_FRAME_S = 0.005
"""So long a frame takes from the screen to the terminal."""
WARM_UP_AFTER_S = 0.2
"""So long the panes have for themselves before recall is made ready."""
_AGES_HOLD_NS = 600 * 1_000_000_000
"""After so long ages are told anew, also where nothing changed on disk."""


class ScanningScreen(PanedScreen[None]):
    """Shows a lookup, or a fault, whenever a scan brings another."""

    @dataclass
    class Scanned(Message):
        """A scan ended: a workspace, or the sentence that says why not."""

        lookup: Lookup | None
        error: str
        generation: int

    @dataclass
    class PutBack(Message):
        """Acts of a memtui that died were put back."""

        recovered: tuple[Recovered, ...]

    @dataclass
    class Prepared(Message):
        """What a part of the screen needs of a lookup is at hand: `filter`, or a scorer."""

        lookup: Lookup
        part: str

    def __init__(self, manager: MemoryManager) -> None:
        super().__init__()
        self.manager = manager
        self.lookup: Lookup | None = None
        self.scorer: Scorer | None = None
        """The chosen one; None follows the agent's version."""
        self.is_first_look = True
        """True until a scan of the target has ended."""
        self.unprepared: frozenset[str] = frozenset()
        """Parts that wait for the warm-up, since a key would have to do its work."""
        self._is_new_target = True
        """True until a target is made ready."""
        self._generation = 0
        self._is_scanning = False

    def on_mount(self) -> None:
        """Scan every second."""
        super().on_mount()
        self.set_interval(POLL_S, self.scan)

    def on_screen_resume(self) -> None:
        """Scan once the first frame is there, and when a dialog closes."""
        self.set_timer(_FIRST_FRAME_S, self.scan)

    @property
    def scorer_in_use(self) -> Scorer:
        """The scorer that ranks now."""
        if self.scorer is not None or self.lookup is None:
            return self.scorer or "weighted"
        return self.lookup.workspace.auto_scorer

    def show_lookup(self, lookup: Lookup) -> None:
        """Show what a scan brought."""
        raise NotImplementedError

    def show_fault(self, message: str) -> None:
        """Show why a scan brought nothing."""
        raise NotImplementedError

    def show_prepared(self, part: str) -> None:
        """Show what waited for a part to be made ready."""
        raise NotImplementedError

    def tell_recovered(self, recovered: tuple[Recovered, ...]) -> None:
        """Tell what was put back."""
        raise NotImplementedError

    def is_open(self, project: Project, target: Target) -> bool:
        """Whether `project`, which `target` leads to, is what is open: then it just stays so."""
        open_store = None
        if self.lookup is not None and self.lookup.workspace.project is not None:
            open_store = self.lookup.workspace.project.store
        return (
            open_store is not None
            and (open_store.agent, open_store.memory_dir) == (project.agent, project.memory_dir)
            and (self.manager.target.memory_dir is None) == (target.memory_dir is None)
        )

    def open(self, target: Target) -> None:
        """Turn to another target."""
        self.manager.open(target)
        self._is_scanning, self.is_first_look, self._is_new_target = False, True, True
        self.lookup = None
        self.scan()

    def scan(self) -> None:
        """Scan in the background, one scan at a time."""
        if self._is_scanning:
            return
        self._is_scanning = True
        self._generation += 1
        generation = self._generation
        self.run_worker(
            lambda: self._scan(generation),
            thread=True,
            group="scan",
            name=f"scan {generation}",
            exit_on_error=False,
        )

    def _scan(self, generation: int) -> None:
        from memtui.tui.lookup import build_lookup

        before = self.lookup
        try:
            workspace = self.manager.scan()
            now_ns = self.manager.clock_ns()
            is_same = before is not None and before.workspace is workspace
            if before is not None and is_same and now_ns - before.now_ns < _AGES_HOLD_NS:
                self.post_message(self.Scanned(before, "", generation))
                return
            reports = {
                snapshot.store.scope: report
                for snapshot in workspace.snapshots
                if (report := self.manager.index_report(workspace, snapshot.store.scope))
            }
            lookup = build_lookup(workspace, reports, now_ns)
            self.post_message(self.Scanned(lookup, "", generation))
        except (MemtuiError, OSError) as error:
            self.post_message(self.Scanned(None, str(error), generation))

    @on(Scanned)
    def _scanned(self, event: Scanned) -> None:
        if event.generation != self._generation:
            return
        self._is_scanning = False
        if event.lookup is None:
            self.lookup = None
            self.show_fault(event.error)
        elif event.lookup is not self.lookup:
            self.lookup = event.lookup
            self.show_lookup(event.lookup)
            self.set_timer(WARM_UP_AFTER_S, self._warm_up)

    def _warm_up(self) -> None:
        """Put back what was left unfinished, make filter and recall ready for the first key."""
        lookup = self.lookup
        if lookup is None:
            return
        ranker = self.manager.ranker(lookup.workspace)
        is_new_target, self._is_new_target = self._is_new_target, False
        self.run_worker(
            lambda: self._prepare(lookup, ranker, is_new_target),
            thread=True,
            group="warm up",
            name="warm up",
            exit_on_error=False,
        )

    def _prepare(self, lookup: Lookup, ranker: Ranker, is_new_target: bool) -> None:
        if is_new_target:
            self._put_back(lookup.workspace)
        lookup.prepare()
        self.post_message(self.Prepared(lookup, "filter"))
        chosen = self.scorer_in_use
        for scorer in sorted(SCORERS, key=lambda scorer: scorer != chosen):  # the chosen first
            ranker.prepare(scorer)
            self.post_message(self.Prepared(lookup, scorer))
        if lookup.is_large and is_new_target:
            # Else each full collection looks at all of it and stops the screen for a tenth of a
            # second. Done once: what is garbage by now stays.
            gc.freeze()

    def _put_back(self, workspace: Workspace) -> None:
        try:
            recovered = self.manager.recover(workspace)
        except NoHomeError:
            # Without a place for a journal no act was begun.
            return
        if recovered:
            self.post_message(self.PutBack(recovered))

    @on(PutBack)
    def _was_put_back(self, event: PutBack) -> None:
        self.tell_recovered(event.recovered)
        self.scan()

    @on(Prepared)
    def _prepared(self, event: Prepared) -> None:
        if event.lookup is self.lookup and event.part in self.unprepared:
            self.unprepared -= {event.part}
            self.show_prepared(event.part)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Show an error that no scan should have; the next poll tries again."""
        worker = event.worker
        if event.state is WorkerState.ERROR and worker.name == f"scan {self._generation}":
            self._is_scanning = False
            self.lookup = None
            self.show_fault(f"The scan failed: {worker.error!r}")
        elif event.state is WorkerState.ERROR and worker.name == "warm up":
            # What failed fails again, and is shown, where a key asks for it.
            self.unprepared = frozenset()
