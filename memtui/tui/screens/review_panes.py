"""The review's panes, and the worker that plans what they show.

Invariant: one plan is made at a time and the newest marks are planned last; what was planned for
older marks is never taken for the plan of newer ones. Only what is in view is laid out here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker, WorkerState, get_current_worker

from memtui.engine.disk.store import Applied
from memtui.engine.errors import MemtuiError, StoppedError
from memtui.tui.diff_view import DiffPage, Heights, lay_out_diffs
from memtui.tui.format import plural, spread
from memtui.tui.messages import Place
from memtui.tui.review import Check, EffectSection, Replan, Review, ReviewFile
from memtui.tui.review_view import (
    ChangedFileRow,
    effect_heights,
    effect_lines,
    lay_out_effects,
    summary_counts,
    summary_files,
)
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header, HeaderValues
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import Row, RowList, SecondLine

Tell = Callable[[Review | Exception], None]
"""Told why there is nothing to review: the error, or the review that changes nothing."""

_QUICK_LINES = 1_000
"""No more lines are measured while the screen waits; more are in a worker."""


class ReviewPanes(PanedScreen[Applied | None]):
    """Files, their diff and what follows, for the marks as they are."""

    @dataclass
    class Planned(Message):
        """What the planner came to for the marks of generation `number`."""

        number: int
        rejected: frozenset[Place]
        found: Review | Exception

    @dataclass
    class Measured(Message):
        """The lines of a view can be laid out now."""

        view: LineView

    def __init__(
        self,
        palette: Palette,
        header: HeaderValues,
        *,
        replan: Replan,
        tell: Tell,
        first_files: Sequence[ReviewFile] = (),
    ) -> None:
        super().__init__()
        self.palette = palette
        self.header = header
        self.replan = replan
        self.tell = tell
        self.review = Review("", (), tuple(first_files), ())
        """The newest plan that is there; of the present marks only where nothing is planned."""
        self.shown_files = self.review.files
        """All files of the first plan."""
        self.rejected: frozenset[Place] = frozenset()
        self.generation = 0
        """Counts how often the marks changed."""
        self.planned_generation = -1
        self.planned_rejected: frozenset[Place] = frozenset()
        self.problem = ""
        """Why there is no plan for the marks as they are."""
        self.is_waiting = False
        """True where the plan that is being made is to be applied."""
        self.is_applying = False
        self.is_outdated = False
        self.page = DiffPage((), (), ())
        self._heights = Heights()
        self._effects: tuple[Sequence[EffectSection], int, Sequence[int]] = ((), 0, ())
        self._effect_lines: Sequence[Content] = ()
        self._is_planner_busy = False
        self._measuring: set[LineView] = set()
        self._result: tuple[Applied | None] | None = None
        """What this screen leaves with as soon as it is on top."""
        self._is_diff_behind = False
        """True where the cursor moved to another file while the diff was hidden."""

    @property
    def is_planning(self) -> bool:
        """True while the plan for the marks as they are is not there."""
        return self.planned_generation != self.generation

    def compose(self) -> ComposeResult:
        """Files over effects on the left, the diff on the right, a summary row."""
        yield Header(self.palette)
        with Horizontal(id="panes"):
            with Vertical(id="review-left"):
                with Pane(self.palette, 1, "Files", id="review-files-pane"):
                    yield RowList(self.palette, id="review-files", has_sticky_heads=False)
                with Pane(self.palette, 3, "Effects", id="effects-pane"):
                    yield LineView(id="effects")
            with Pane(self.palette, 2, "Diff", id="diff-pane"):
                yield LineView(id="diff")
        yield Static("", id="summary")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Show what is there, and plan."""
        super().on_mount()
        self.query_one(Header).values = self.header
        self.query_one(Footer).places = self.places
        self.files.focus()
        self._show()
        self._plan()

    @property
    def files(self) -> RowList:
        """The list of files."""
        return self.query_one("#review-files", RowList)

    @property
    def diff(self) -> LineView:
        """The diff."""
        return self.query_one("#diff", LineView)

    @property
    def effects(self) -> LineView:
        """What follows."""
        return self.query_one("#effects", LineView)

    def leave(self, applied: Applied | None) -> None:
        """Go away, at the latest when what lies above is closed."""
        if self.app.screen is self:
            self.dismiss(applied)
        else:
            self._result = (applied,)

    def on_screen_resume(self) -> None:
        """Go away now where that had to wait."""
        if self._result is not None:
            (applied,), self._result = self._result, None
            self.call_later(self.leave, applied)

    # Planning.

    def mark(self, rejected: frozenset[Place]) -> None:
        """Reject these files and no others; shown at once, then planned."""
        if self.is_applying or (rejected == self.rejected and not self.problem):
            return
        self.rejected = rejected
        self.generation += 1
        self.is_waiting, self.problem = False, ""
        self._show()
        self._plan()

    def apply_planned(self) -> None:
        """Apply the plan for the marks as they are; it was waited for."""
        raise NotImplementedError

    def _plan(self) -> None:
        """Plan for the marks as they are, after the plan that is being made."""
        if self._is_planner_busy:
            return
        self._is_planner_busy = True
        number, rejected = self.generation, self.rejected
        if self.planned_generation < 0:
            number, rejected = 0, frozenset()

        def plan() -> None:
            worker = get_current_worker()

            def check() -> None:
                # The first plan is needed in any case: it says which files there are.
                if worker.is_cancelled or 0 < number < self.generation:
                    raise StoppedError("This plan is not needed any more.")

            found: Review | Exception
            try:
                found = self.replan(rejected, check)
            except (MemtuiError, OSError) as error:
                found = error
            if not worker.is_cancelled:
                self.post_message(self.Planned(number, rejected, found))

        self.run_worker(plan, thread=True, group="plan", name=f"plan {number}", exit_on_error=False)

    @on(Planned)
    def _planned(self, event: Planned) -> None:
        self._is_planner_busy = False
        found, is_late = event.found, event.number != self.generation
        if self.planned_generation < 0:
            if isinstance(found, Exception) or not found.change_sets:
                self.tell(found)
                self.leave(None)
                return
            self.shown_files = found.files
        elif is_late:
            self._plan()
            return
        self.planned_generation = event.number
        if isinstance(found, Exception):
            self.problem = safe_line(str(found))
            self.is_waiting = False
            self.notify(self.problem, severity="error", timeout=10, markup=False)
        else:
            self.review, self.planned_rejected = found, event.rejected
        self._show()
        if is_late:
            self._plan()
        elif self.is_waiting:
            self.is_waiting = False
            self.apply_planned()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.state is WorkerState.ERROR:
            self.worker_failed(event.worker, MemtuiError(f"This failed: {event.worker.error!r}"))

    def worker_failed(self, worker: Worker[object], error: MemtuiError) -> None:
        """Tell an error that nobody expected, so that nothing is waited for in vain."""
        if worker.group == "plan":
            number = int(worker.name.rpartition(" ")[2])
            self.post_message(self.Planned(number, self.rejected, error))
        else:
            self.notify(safe_line(str(error)), severity="error", timeout=10, markup=False)

    # What is shown.

    def _show(self) -> None:
        rows: list[Row] = []
        for file in self._files_now():
            rows.append(ChangedFileRow(file, file.key in self.rejected))
            rows.append(SecondLine(file.key, file.reason, 5))
        self.files.show_rows(rows)
        is_alone = self.has_class("-one")
        height = min(len(rows), max(4, self.size.height // 2 - 3))
        self.files.styles.height = "1fr" if is_alone else height
        self._show_effects()
        self._show_diff()
        self._show_summary()

    def _files_now(self) -> list[ReviewFile]:
        """All files of the first plan: as they are planned now, or as they were if rejected."""
        current = {file.key: file for file in self.review.files}
        without_plan = self.rejected | self.planned_rejected
        return [
            file if file.key in without_plan else current.get(file.key) or file.without_change()
            for file in self.shown_files
        ]

    def _show_effects(self) -> None:
        self.effects.show_lines(self._lay_out_effects, keep_place=True)

    def _lay_out_effects(self, width: int) -> Sequence[Content]:
        if self.planned_generation < 0:
            return [Content.styled("planning …", self.palette.muted)]
        effects = self.review.effects
        known, known_width, heights = self._effects
        if known is not effects or known_width != width:
            if effect_lines(effects) > _QUICK_LINES:

                def measure(check: Check) -> None:
                    self._effects = (effects, width, effect_heights(effects, width, check))

                self._measure(self.effects, measure)
                return self._effect_lines
            heights = effect_heights(effects, width)
            self._effects = (effects, width, heights)
        self._effect_lines = lay_out_effects(effects, width, self.palette, heights)
        return self._effect_lines

    def _show_diff(self) -> None:
        self.diff.show_lines(self._lay_out_diff, keep_place=True)

    def _lay_out_diff(self, width: int) -> Sequence[Content]:
        files = self._files_now()
        if self._heights.unknown_lines(files, width) > _QUICK_LINES:
            self._measure(self.diff, lambda check: self._heights.measure(files, width, check))
            return self.page.lines or [Content.styled("laying out …", self.palette.muted)]
        self.page = lay_out_diffs(
            files,
            width,
            self.palette,
            has_air=self.app.size.height >= 25,
            rejected=self.rejected,
            heights=self._heights,
        )
        return self.page.lines

    def _measure(self, view: LineView, work: Callable[[Check], None]) -> None:
        """Look in a worker how high the lines of `view` are, then lay it out."""
        if view in self._measuring:
            return
        self._measuring.add(view)

        def measure() -> None:
            worker = get_current_worker()

            def check() -> None:
                if worker.is_cancelled:
                    raise StoppedError("Nobody looks at this any more.")

            try:
                work(check)
            except StoppedError:
                return
            self.post_message(self.Measured(view))

        self.run_worker(measure, thread=True, group="measure", name="measure", exit_on_error=False)

    @on(Measured)
    def _measured(self, event: Measured) -> None:
        self._measuring.discard(event.view)
        if event.view is self.diff:
            self._show_diff()
            self.call_after_refresh(self._show_file)
        else:
            self._show_effects()

    def _show_summary(self) -> None:
        marked = len(self.shown_files) - len(self.rejected)
        accepted = marked if self.is_planning else len(self.review.files)
        counted = () if self.is_planning else summary_counts(self.review, self.palette)
        row = self.query_one("#summary", Static)
        row.update(
            spread(
                Content("   ").join(
                    [summary_files(accepted, len(self.shown_files), self.palette), *counted]
                ),
                self._summary_end(accepted),
                max(10, self.size.width - 2),
            )
        )
        rejected = len(self.rejected)
        said = f"{accepted:,} accepted" + (f" · {rejected:,} rejected" if rejected else "")
        self.panes[0].show_subtitle(said if self.shown_files else "")

    def _summary_end(self, accepted: int) -> Content:
        """What goes on, else what enter does."""
        palette = self.palette
        if self.is_applying:
            return Content.styled("applying …", palette.attention)
        if self.is_outdated:
            return Content.assemble(
                ("! outdated  ", palette.attention), ("esc", palette.key), " plan it anew"
            )
        if self.is_planning:
            verb = "planning" if self.planned_generation < 0 else "replanning"
            said = f"{verb} …" + (" then apply" if self.is_waiting else "")
            return Content.styled(said, palette.attention)
        if self.problem:
            return Content.styled("! no plan", palette.attention)
        return Content.assemble(
            ("enter", palette.key), (f" apply {plural(accepted, 'file')}", palette.text)
        )

    def _show_file(self) -> None:
        """Scroll the diff to the file under the cursor."""
        keys = [file.key for file in self.shown_files]
        key = self.files.cursor_key
        if self._is_diff_behind and key in keys and len(self.page.file_starts) == len(keys):
            start = self.page.file_starts[keys.index(key)]
            self.diff.scroll_to(y=start, animate=False, force=True)
            self._is_diff_behind = False
