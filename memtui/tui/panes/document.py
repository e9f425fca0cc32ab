"""One memory to read: head, verdict, entries, links; or the file as it stands.

Invariant: it is shown a view value and lays it out; it reads no file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content

from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane

LayOut = Callable[[int, bool], Sequence[Content]]
"""Lines for a width in cells and for whether there is room for blank lines."""


class DocumentPane(Pane):
    """A scrolling text with a place in the lower border."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, 2, "Memory", id="document-pane")
        self._word = ""

    def compose(self) -> ComposeResult:
        """One view."""
        yield LineView(id="document")

    @property
    def lines(self) -> LineView:
        """The text."""
        return self.query_one("#document", LineView)

    def show(self, lay_out: LayOut, *, word: str = "", keep_place: bool = False) -> None:
        """Show what `lay_out` gives, from its top unless `keep_place`; `word` says how."""
        self._word = word
        self.lines.show_lines(
            lambda width: lay_out(width, self.app.size.height >= 25), keep_place=keep_place
        )

    @on(LineView.Scrolled)
    def _scrolled(self, event: LineView.Scrolled) -> None:
        event.stop()
        self.show_subtitle(" · ".join(part for part in (self._word, event.text) if part))
