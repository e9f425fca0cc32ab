"""The list of all memories, with its filter.

Invariant: it is shown rows and tells which file the cursor is on; it knows no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from memtui.tui.format import plural
from memtui.tui.messages import FilterChanged, Place, PlaceChosen, PlaceHighlighted
from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.prompt import Prompt
from memtui.tui.widgets.rows import Keep, Row, RowList


class IndexPane(Pane):
    """Filter, rows, and a text in their place where there are none."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, 1, "Index", id="index-pane")

    def compose(self) -> ComposeResult:
        """Filter line over the list."""
        with Horizontal(classes="prompt-line"):
            yield Static(Content.styled("/ ", self.palette.key), classes="prompt-sign")
            yield Prompt(placeholder="filter  type: scope: age>", id="filter")
            yield Static("", id="filter-count")
        with Vertical():
            yield RowList(self.palette, id="files")
            yield LineView(id="no-files")

    @property
    def files(self) -> RowList:
        """The list."""
        return self.query_one("#files", RowList)

    @property
    def prompt(self) -> Prompt:
        """The filter."""
        return self.query_one("#filter", Prompt)

    @property
    def place(self) -> Place | None:
        """The file under the cursor."""
        return cast("Place | None", self.files.cursor_key)

    def show_rows(
        self, rows: Sequence[Row], *, shown: int, total: int, start: Place | None, keep: Keep
    ) -> None:
        """Replace the rows; `shown` of `total` memories fit the filter.

        The cursor keeps what `keep` says; where that is nothing it goes to `start`.
        """
        self.files.display = True
        self.query_one("#no-files").display = False
        self.files.show_rows(rows, start=start, keep=keep)
        said = f"{total:,}" if shown == total else f"{shown:,}/{total:,}"
        self.query_one("#filter-count", Static).update(Content.styled(said, self.palette.muted))
        self._say_position()

    def show_text(self, lines: Sequence[Content]) -> None:
        """Say why there are no rows."""
        self.files.show_rows(())
        self.files.display = False
        view = self.query_one("#no-files", LineView)
        view.display = True
        view.show_lines(lambda width: [part for line in lines for part in line.wrap(width)])
        self.query_one("#filter-count", Static).update("")
        self.show_subtitle("")

    def focus_list(self) -> None:
        """Put the focus on what the pane shows."""
        (self.files if self.files.display else self.query_one("#no-files")).focus()

    def move_to(self, place: Place | None) -> None:
        """Put the cursor on `place` without telling it."""
        self.files.move_to(place, quietly=True)
        self._say_position()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(FilterChanged(event.value))

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_list()

    @on(Prompt.Moved, "#filter")
    def _moved(self, event: Prompt.Moved) -> None:
        event.stop()
        self.files.action_move(event.step)

    @on(Prompt.Paged, "#filter")
    def _paged(self, event: Prompt.Paged) -> None:
        event.stop()
        self.files.action_page(event.direction)

    @on(RowList.Highlighted, "#files")
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._say_position()
        self.post_message(PlaceHighlighted(cast("Place | None", event.key), "index"))

    @on(RowList.Chosen, "#files")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(PlaceChosen(cast("Place", event.key)))

    def _say_position(self) -> None:
        rows = self.files
        said = f"{rows.position:,}/{rows.count:,}" if rows.count else plural(0, "file")
        self.show_subtitle(said)
