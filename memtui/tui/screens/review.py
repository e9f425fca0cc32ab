"""The review of any change set: files with accept or reject, what follows, the diff.

Invariant: nothing is written before enter; what was rejected is planned away, not skipped, so
that the index always fits the files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.engine.disk.store import Applied
from memtui.engine.errors import ConflictError, LockedError, MemtuiError
from memtui.engine.plans.diff import unified
from memtui.engine.types import ChangeSet
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.diff_view import DiffPage, counts, lay_out_diffs
from memtui.tui.format import fit_end, hang, plural, rule, spread
from memtui.tui.messages import Place
from memtui.tui.review import EffectSection, Replan, Review, ReviewFile
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header, HeaderValues
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import Row, RowList, SecondLine

Apply = Callable[[Sequence[ChangeSet], frozenset[Place], bool], Applied]
"""Writes change sets; told what was rejected, and whether a stale lock may be removed."""


@dataclass(frozen=True, slots=True)
class ChangedFileRow:
    """A file of the review: accepted or not, kind, path, lines."""

    file: ReviewFile
    is_rejected: bool

    @property
    def key(self) -> Place:
        """The file."""
        return self.file.key

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line; the reason stands below."""
        sign = ("✗", palette.bad) if self.is_rejected else ("✓", palette.good)
        kind = {"A": palette.good, "M": palette.attention, "D": palette.bad}[self.file.sign]
        end = counts(self.file.diff.added, self.file.diff.removed, palette)
        style = palette.strong if has_cursor else palette.text
        if self.is_rejected:
            style = f"{palette.muted} strike"
        label = fit_end(self.file.label, width - 6 - end.cell_length)
        left = Content.assemble(" ", sign, " ", (self.file.sign, kind), " ", (label, style))
        return spread(left, end, width)


class ReviewScreen(PanedScreen[Applied | None]):
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

    def __init__(
        self,
        palette: Palette,
        header: HeaderValues,
        review: Review,
        *,
        replan: Replan,
        apply: Apply,
        stale_lock: Callable[[], str],
    ) -> None:
        super().__init__()
        self.palette = palette
        self.header = header
        self.review = review
        self.replan = replan
        self.apply = apply
        self.stale_lock = stale_lock
        self.shown_files = review.files
        self.rejected: frozenset[Place] = frozenset()
        self.is_applying = False
        self.is_outdated = False
        self.page = DiffPage((), (), ())
        self._is_diff_behind = False
        """True where the cursor moved to another file while the diff was hidden."""

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
        """Show the plan."""
        super().on_mount()
        self.query_one(Header).values = self.header
        self.query_one(Footer).places = self.places
        self.files.focus()
        self._show()

    @property
    def files(self) -> RowList:
        """The list of files."""
        return self.query_one("#review-files", RowList)

    @property
    def diff(self) -> LineView:
        """The diff."""
        return self.query_one("#diff", LineView)

    # What is shown.

    def _show(self) -> None:
        review = self.review
        rows: list[Row] = []
        for file in self._files_now():
            rows.append(ChangedFileRow(file, file.key in self.rejected))
            rows.append(SecondLine(file.key, file.reason, 5))
        self.files.show_rows(rows)
        is_alone = self.has_class("-one")
        height = min(len(rows), max(4, self.size.height // 2 - 3))
        self.files.styles.height = "1fr" if is_alone else height
        self.query_one("#effects", LineView).show_lines(
            lambda width: lay_out_effects(review.effects, width, self.palette), keep_place=True
        )
        self.diff.show_lines(self._lay_out_diff, keep_place=True)
        self._show_summary()

    def _files_now(self) -> list[ReviewFile]:
        """All files of the first plan: as they are planned now, or as they were if rejected."""
        current = {file.key: file for file in self.review.files}
        return [
            file if file.key in self.rejected else current.get(file.key, file.without_change())
            for file in self.shown_files
        ]

    def _lay_out_diff(self, width: int) -> Sequence[Content]:
        self.page = lay_out_diffs(
            self._files_now(),
            width,
            self.palette,
            has_air=self.app.size.height >= 25,
            rejected=self.rejected,
        )
        return self.page.lines

    def _show_summary(self) -> None:
        review, palette = self.review, self.palette
        accepted = len(review.files)
        total = len(self.shown_files)
        parts = [
            Content.assemble((f"{accepted} of {plural(total, 'file')}", palette.strong)),
            counts(review.added, review.removed, palette),
        ]
        parts += [
            Content.assemble(
                ("! ", palette.attention),
                (f"{count}", palette.strong),
                (f" {words}", palette.muted),
            )
            for count, words in review.warnings
        ]
        parts += [
            Content.assemble((f"{count}", palette.strong), (f" {words}", palette.muted))
            for count, words in review.counts
        ]
        end = Content.assemble(
            ("enter", palette.key), (f" apply {plural(accepted, 'file')}", palette.text)
        )
        if self.is_applying:
            end = Content.styled("applying …", palette.attention)
        elif self.is_outdated:
            end = Content.assemble(
                ("! outdated  ", palette.attention), ("esc", palette.key), " plan it anew"
            )
        row = self.query_one("#summary", Static)
        width = max(10, self.size.width - 2)
        row.update(spread(Content("   ").join(parts), end, width))
        rejected = len(self.rejected)
        said = f"{accepted} accepted" + (f" · {rejected} rejected" if rejected else "")
        self.panes[0].show_subtitle(said)

    @on(RowList.Highlighted, "#review-files")
    def _file_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._is_diff_behind = True
        if not self.panes[1].has_class("-hidden"):
            self._show_file()

    def _show_file(self) -> None:
        """Scroll the diff to the file under the cursor."""
        keys = [file.key for file in self.shown_files]
        key = self.files.cursor_key
        if self._is_diff_behind and key in keys and len(self.page.file_starts) == len(keys):
            start = self.page.file_starts[keys.index(key)]
            self.diff.scroll_to(y=start, animate=False, force=True)
            self._is_diff_behind = False

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
            top = self.diff.scroll_offset.y
            passed = sum(1 for start in self.page.hunk_tops if start <= top)
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
            self._reject(self.rejected ^ {key})

    def action_accept_all(self) -> None:
        """Accept every file."""
        self._reject(frozenset())

    def action_reject_all(self) -> None:
        """Reject every file."""
        self._reject(frozenset(file.key for file in self.shown_files))

    def _reject(self, rejected: frozenset[Place]) -> None:
        self.rejected = rejected
        self.review = self.replan(rejected)
        self._show()

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
        (self.files, self.diff, self.query_one("#effects", LineView))[number - 1].focus()

    def action_copy_diff(self) -> None:
        """Copy the diff of what is accepted."""
        text = "\n".join(unified(change_set) for change_set in self.review.change_sets)
        self.app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        self.notify(f"copied: the diff, {plural(text.count(chr(10)), 'line')}", markup=False)

    def action_discard(self) -> None:
        """Leave; nothing was written."""
        if not self.is_applying:
            self.dismiss(None)

    def action_apply(self) -> None:
        """Apply what is accepted."""
        if self.is_applying:
            return
        if self.is_outdated:
            self.notify("Files changed since this plan: esc leaves it, then plan it anew.")
            return
        if not self.review.change_sets:
            self.notify("Nothing is accepted: space accepts a file, esc leaves.", markup=False)
            return
        self._start(False)

    def _start(self, break_stale: bool) -> None:
        self.is_applying = True
        self._show_summary()
        change_sets, rejected = self.review.change_sets, self.rejected
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

    @on(Finished)
    def _finished(self, event: Finished) -> None:
        self.is_applying = False
        if event.applied is not None:
            self.dismiss(event.applied)
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


def lay_out_effects(
    sections: Sequence[EffectSection], width: int, palette: Palette
) -> list[Content]:
    """The sections below each other."""
    lines: list[Content] = []
    for number, section in enumerate(sections):
        if number:
            lines.append(Content(""))
        lines.append(rule(section.title, section.end, width, palette))
        for line in section.lines:
            end = Content.styled(line.end, palette.muted)
            if line.sign:
                lines += hang(f"{line.sign} ", line.text, palette.attention, width)
            elif not line.end:
                lines += Content.styled(line.text, palette.text).wrap(width)
            else:
                lines.append(spread(Content.styled(line.text, palette.text), end, width))
    return lines
