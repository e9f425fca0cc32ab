"""The log: what was changed in the open stores, each act with its undo.

Invariant: reads the journal only; an undo goes through the review.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from memtui.engine.disk.log import Logged
from memtui.engine.disk.store import Applied
from memtui.engine.errors import MemtuiError
from memtui.engine.manager import MemoryManager
from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.format import fit, pad, plural, right, rule, spread
from memtui.tui.lookup import Lookup
from memtui.tui.safe_text import safe_line, scoped
from memtui.tui.screens.acting import review_undo
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette
from memtui.tui.widgets.bars import Footer, Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.rows import RowList

_KINDS = {"added": "A", "changed": "M", "removed": "D"}


@dataclass(frozen=True, slots=True)
class ActRow:
    """One act: when, what, how many files, and whether it was undone."""

    act: Logged

    @property
    def key(self) -> str:
        """The ID of the act."""
        return self.act.id

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        act = self.act
        files = sum(len(entry.files) for entry in act.entries)
        when = datetime.fromtimestamp(act.time_ns / 1e9).strftime("%d %b %H:%M")
        sign, word, style = ("✓", "", palette.muted)
        if act.is_undone:
            sign, word, style = ("←", "undone", palette.attention)
        elif not act.is_applied:
            sign, word, style = ("✗", act.entries[0].status, palette.bad)
        left = Content.assemble(
            " ",
            (sign, style),
            " ",
            (pad(when, 13), palette.muted),
            (pad(safe_line(act.operation), 9), palette.strong if has_cursor else palette.text),
        )
        end = Content.assemble((word, style), (right(plural(files, "file"), 10), palette.muted))
        return spread(left, end, width)


class JournalScreen(PanedScreen[Applied | None]):
    """Acts on the left, the files of the one under the cursor on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("journal")]
    places: ClassVar[tuple[Context, ...]] = ("app", "journal")

    @dataclass
    class Read(Message):
        """The journal was read, or the sentence that says why not."""

        acts: tuple[Logged, ...]
        error: str

    def __init__(
        self, manager: MemoryManager, palette: Palette, lookup: Lookup, *, note: str = ""
    ) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.note = note
        self.acts: tuple[Logged, ...] = ()

    def compose(self) -> ComposeResult:
        """Two panes."""
        yield Header(self.palette)
        with Horizontal(id="panes"):
            with Pane(self.palette, 1, "Log", id="acts-pane"):
                yield RowList(self.palette, id="acts", has_sticky_heads=False)
            with Pane(self.palette, 2, "Files", id="act-pane"):
                yield LineView(id="act")
        yield Footer(self.palette)

    def on_mount(self) -> None:
        """Read the journal."""
        super().on_mount()
        self.query_one(Footer).places = self.places
        self.rows.focus()
        self.follow(self.lookup)

    def follow(self, lookup: Lookup) -> None:
        """Read the journal of the stores as they are now."""
        self.lookup = lookup
        header = replace(lookup.header(self.note), crumbs=("log",))
        self.query_one(Header).values = header
        self._read()

    @property
    def rows(self) -> RowList:
        """The acts."""
        return self.query_one("#acts", RowList)

    def _read(self) -> None:
        workspace = self.lookup.workspace

        def read() -> None:
            try:
                self.post_message(self.Read(self.manager.log(workspace), ""))
            except (MemtuiError, OSError) as error:
                self.post_message(self.Read((), str(error)))

        self.run_worker(read, thread=True, group="log", name="log", exit_on_error=False)

    @on(Read)
    def _logged(self, event: Read) -> None:
        self.acts = event.acts
        self.rows.show_rows([ActRow(act) for act in event.acts])
        self._show_act(event.error)

    @on(RowList.Highlighted, "#acts")
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show_act()

    @on(RowList.Chosen, "#acts")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_undo_entry()

    def _act(self) -> Logged | None:
        return next((act for act in self.acts if act.id == self.rows.cursor_key), None)

    def _show_act(self, error: str = "") -> None:
        act, palette = self._act(), self.palette
        count = len(self.acts)
        self.panes[0].show_subtitle(f"{self.rows.position}/{count}" if count else "")
        said = (
            safe_line(error)
            or "Nothing was changed yet. What memtui changes stands here, with its undo."
        )
        self.query_one("#act", LineView).show_lines(
            lambda width: (
                lay_out_act(act, width, palette)
                if act is not None
                else Content.styled(said, palette.bad if error else palette.muted).wrap(width)
            )
        )

    # Actions.

    def action_pane(self, number: int) -> None:
        """Go to a pane."""
        self.bring(number)
        (self.rows, self.query_one("#act"))[number - 1].focus()

    def action_leave(self) -> None:
        """Back to the memories."""
        self.dismiss(None)

    def action_undo_entry(self) -> None:
        """Go to the review of undoing the act under the cursor."""
        act = self._act()
        if act is not None:
            review_undo(self, self.manager, self.lookup, act.id, self._undone)

    def _undone(self, applied: Applied | None) -> None:
        if applied is not None:
            self.dismiss(applied)

    def action_purge(self) -> None:
        """Ask, then take the act and its old bytes out of the journal."""
        act = self._act()
        if act is None:
            return
        question = (
            f"Remove this {safe_line(act.operation)} from the log, with the old bytes of its"
            " files? It can't be undone afterwards; the memories stay as they are."
        )
        self.app.push_screen(
            ConfirmDialog(self.palette, question, "remove it"),
            lambda wanted: self._purge(act.id) if wanted else None,
        )

    def _purge(self, act_id: str) -> None:
        try:
            self.manager.purge(self.lookup.workspace, act_id)
        except (MemtuiError, OSError) as error:
            self.notify(str(error), severity="error", timeout=10)
        self._read()


def lay_out_act(act: Logged, width: int, palette: Palette) -> Sequence[Content]:
    """The stores and files of one act."""
    when = datetime.fromtimestamp(act.time_ns / 1e9).strftime("%Y-%m-%d %H:%M:%S")
    lines = [
        spread(
            Content.styled(safe_line(act.operation), palette.strong),
            Content.styled(when, palette.muted),
            width,
        ),
        Content.styled(act.id, palette.faint),
    ]
    undoes = act.entries[0].undoes
    if undoes is not None:
        lines.append(Content.styled(f"undoes {undoes}", palette.muted))
    if act.is_undone:
        lines.append(Content.styled("← undone later", palette.attention))
    for entry in act.entries:
        lines += [
            Content(""),
            rule(entry.store.scope, plural(len(entry.files), "file"), width, palette),
        ]
        for file in entry.files:
            sign = _KINDS[file.kind]
            style = {"A": palette.good, "M": palette.attention, "D": palette.bad}[sign]
            label = fit(scoped(entry.store.scope, file.path), width - 2)
            lines.append(Content.assemble((sign, style), " ", (label, palette.text)))
        for left in entry.left:
            lines += Content.styled(
                f"! {safe_line(left.path)}: {safe_line(left.reason)}", palette.attention
            ).wrap(width)
    return lines
