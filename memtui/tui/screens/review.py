"""The review of any change set: files with accept or reject, what follows, the diff.

Invariant: nothing is written before enter; what was rejected is planned away, not skipped, so
that the index always fits the files; and only the plan for the marks as they are is applied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import on
from textual.binding import BindingType
from textual.message import Message
from textual.worker import Worker

from memtui.engine.disk.store import Applied
from memtui.engine.errors import ConflictError, LockedError, MemtuiError
from memtui.engine.plans.diff import unified
from memtui.engine.types import ChangeSet
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.format import plural
from memtui.tui.messages import Place
from memtui.tui.review import Replan, ReviewFile
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.review_panes import ReviewPanes, Tell
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import HeaderValues
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.rows import RowList

Apply = Callable[[Sequence[ChangeSet], frozenset[Place], bool], Applied]
"""Writes change sets; told what was rejected, and whether a stale lock may be removed."""

_WAIT = "The plan is being made: a moment."


class ReviewScreen(ReviewPanes):
    """Accept or reject each file, then apply all accepted ones at once.

    Dismissed with what was applied, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("review")]
    places: ClassVar[tuple[Context, ...]] = ("app", "review")

    @dataclass
    class Finished(Message):
        """The writer came back: with what it applied, or the sentence that says why not."""

        applied: Applied | None
        error: str
        is_stale: bool = False
        """A stale lock of an agent is in the way."""
        is_conflict: bool = False
        """Files changed since the plan; it has to be made anew."""

    @dataclass
    class DiffWritten(Message):
        """The diff of all that is accepted, as text."""

        text: str

    def __init__(
        self,
        palette: Palette,
        header: HeaderValues,
        *,
        replan: Replan,
        apply: Apply,
        stale_lock: Callable[[], str],
        tell: Tell,
        first_files: Sequence[ReviewFile] = (),
    ) -> None:
        super().__init__(palette, header, replan=replan, tell=tell, first_files=first_files)
        self.apply = apply
        self.stale_lock = stale_lock

    # The diff and the cursor.

    @on(RowList.Highlighted, "#review-files")
    def _file_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._is_diff_behind = True
        if not self.panes[1].has_class("-hidden"):
            self._show_file()

    def focus_changed(self) -> None:
        """Bring the diff to the file that was chosen while it was hidden."""
        super().focus_changed()
        if self._is_diff_behind and self.focused is self.diff:
            self.call_after_refresh(self._show_file)

    @on(RowList.Chosen, "#review-files")
    def _file_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_apply()

    @on(LineView.Scrolled)
    def _scrolled(self, event: LineView.Scrolled) -> None:
        event.stop()
        if event.view is self.diff and self._is_diff_behind:
            self._show_file()
        if event.view is self.diff and self.page.hunk_starts:
            passed = bisect_right(self.page.hunk_tops, self.diff.scroll_offset.y)
            total = len(self.page.hunk_starts)
            self.panes[1].show_subtitle(f"hunk {min(max(1, passed), total)}/{total}")

    def on_resize(self) -> None:
        """Lay out for the new size."""
        super().on_resize()
        self._show()

    # Actions.

    def action_accept(self) -> None:
        """Accept or reject the file under the cursor."""
        key = cast("Place | None", self.files.cursor_key)
        if key is not None:
            self.mark(self.rejected ^ {key})

    def action_accept_all(self) -> None:
        """Accept every file."""
        self.mark(frozenset())

    def action_reject_all(self) -> None:
        """Reject every file."""
        self.mark(frozenset(file.key for file in self.shown_files))

    def action_hunk(self, step: int) -> None:
        """Scroll to the next hunk, or the one before."""
        top = self.diff.scroll_offset.y
        starts = self.page.hunk_tops
        wanted = (
            next((start for start in starts if start > top), None)
            if step > 0
            else next((start for start in reversed(starts) if start < top), None)
        )
        if wanted is not None:
            self.diff.scroll_to(y=wanted, animate=False, force=True)

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        (self.files, self.diff, self.effects)[number - 1].focus()

    def action_copy_diff(self) -> None:
        """Copy the diff of what is accepted."""
        if self.is_planning or self.problem:
            self.notify(self.problem or _WAIT, markup=False)
            return
        change_sets = self.review.change_sets

        def write() -> None:
            self.post_message(self.DiffWritten("\n".join(map(unified, change_sets))))

        self.run_worker(write, thread=True, group="copy", name="copy", exit_on_error=False)

    @on(DiffWritten)
    def _diff_written(self, event: DiffWritten) -> None:
        text = event.text
        self.app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        self.notify(f"copied: the diff, {plural(text.count(chr(10)), 'line')}", markup=False)

    def action_discard(self) -> None:
        """Leave; nothing was written."""
        if not self.is_applying:
            self.leave(None)

    def action_apply(self) -> None:
        """Apply what is accepted; where that is still being planned, as soon as it is."""
        if self.is_applying:
            return
        if self.is_outdated:
            self.notify("Files changed since this plan: esc leaves it, then plan it anew.")
            return
        if self.planned_generation < 0:
            self.notify(_WAIT)
        elif self.is_planning:
            self.is_waiting = True
            self._show_summary()
        elif self.problem:
            self.notify(self.problem, severity="error", timeout=10, markup=False)
        elif not self.review.change_sets:
            self.notify("Nothing is accepted: space accepts a file, esc leaves.", markup=False)
        else:
            self._start(False)

    def apply_planned(self) -> None:
        """Apply what enter waited for."""
        self.action_apply()

    def _start(self, break_stale: bool) -> None:
        self.is_applying = True
        self._show_summary()
        change_sets, rejected = self.review.change_sets, self.planned_rejected
        self.run_worker(
            lambda: self._apply(change_sets, rejected, break_stale),
            thread=True,
            group="apply",
            name="apply",
            exit_on_error=False,
        )

    def _apply(
        self, change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> None:
        try:
            applied = self.apply(change_sets, rejected, break_stale)
        except LockedError as error:
            stale = "" if break_stale else self.stale_lock()
            self.post_message(self.Finished(None, stale or str(error), bool(stale)))
        except (MemtuiError, OSError) as error:
            is_conflict = isinstance(error, ConflictError)
            self.post_message(self.Finished(None, str(error), is_conflict=is_conflict))
        else:
            self.post_message(self.Finished(applied, ""))

    def worker_failed(self, worker: Worker[object], error: MemtuiError) -> None:
        """As for other workers; where it applied, it does not any more."""
        if worker.group == "apply":
            self.post_message(self.Finished(None, str(error)))
        else:
            super().worker_failed(worker, error)

    @on(Finished)
    def _finished(self, event: Finished) -> None:
        self.is_applying = False
        if event.applied is not None:
            self.leave(event.applied)
            return
        self.is_outdated = event.is_conflict
        self._show_summary()
        if event.is_stale:
            self.app.push_screen(
                ConfirmDialog(self.palette, safe_line(event.error), "remove the lock and go on"),
                lambda wanted: self._start(True) if wanted else None,
            )
            return
        self.notify(
            safe_line(event.error),
            title="Nothing was written",
            severity="error",
            timeout=12,
            markup=False,
        )
