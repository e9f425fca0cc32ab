"""Recall as you type: the rows, why they rank as they do, what is injected, what is left out.

Invariant: it is shown a `RecallView`, which the engine computed; it ranks nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.engine.types import Hit, LeftOut, Recall
from memtui.tui.format import (
    NAME_CHARACTERS,
    badge,
    bar,
    pad,
    right,
    spread,
)
from memtui.tui.messages import Place, PlaceChosen, PlaceHighlighted, QueryChanged
from memtui.tui.recall_lines import lay_out_recall
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.pane import Pane
from memtui.tui.widgets.prompt import Prompt
from memtui.tui.widgets.rows import Keep, RowList

_REASON_FROM_CELLS = 56
"""Below this width a reason is said in a word or two."""
_SHORT_REASONS = {
    "not seen by this agent version": "unseen",
    "no token matched": "no token",
    "below the fifth": "below 5th",
    "beyond the 200 newest": "beyond 200",
}


@dataclass(frozen=True)
class RecallView:
    """What the pane shows."""

    recall: Recall | None
    """None before anything was typed."""
    left_out: int = 0
    """Documents that are not injected."""
    stands_for: str = ""
    """Which agent version the scorer stands for, such as `Qwen 0.24`."""
    chooses: str = ""
    """How the agent itself chooses, for the lower border."""
    hint: tuple[str, ...] = ()
    """Sentences to show where there are no rows."""
    duration_ms: int = 0
    """How long the ranking took."""

    @property
    def query(self) -> str:
        """What was asked."""
        return self.recall.query if self.recall is not None else ""


@dataclass(frozen=True, slots=True)
class HitRow:
    """One injected document."""

    hit: Hit
    best_score: int

    @property
    def key(self) -> Place:
        """The file."""
        return (self.hit.document.scope, self.hit.document.path)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """Rank, score, bar, badge and name."""
        document = self.hit.document
        bar_cells = 8 if width >= 40 else 6 if width >= 30 else 4 if width >= 24 else 0
        scope = "" if document.scope == "project" else f" {document.scope}"
        left = Content.assemble(
            (f" {self.hit.rank}", palette.muted),
            (right(f"{self.hit.score:,}", 4), palette.strong if has_cursor else palette.text),
            " ",
            bar(self.hit.score, self.best_score, bar_cells, palette) if bar_cells else "",
            " " if bar_cells else "",
            badge(document.type, palette),
            " ",
        )
        cells = width - left.cell_length - len(scope)
        name = pad(safe_line(document.name[:NAME_CHARACTERS]), cells)
        return Content.assemble(
            left, (name, palette.strong if has_cursor else palette.text), (scope, palette.faint)
        )


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """One document that is not injected."""

    left_out: LeftOut

    @property
    def key(self) -> Place:
        """The file."""
        return (self.left_out.scope, self.left_out.path)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """Score, name and the one reason."""
        reason = safe_line(self.left_out.reason)
        if width < _REASON_FROM_CELLS:
            reason = _SHORT_REASONS.get(reason, reason)
        score = f"{self.left_out.score:,}" if self.left_out.score else "·"
        left = Content.assemble(
            (right(score, 4), palette.muted),
            " ",
            (
                safe_line(self.left_out.name[:NAME_CHARACTERS]),
                palette.strong if has_cursor else palette.text,
            ),
        )
        return spread(left, Content.styled(reason, palette.muted), width)


class HitList(RowList):
    """The injected documents, never more than a page; a page key is told to the pane."""

    @dataclass
    class Paged(Message):
        """A page key was pressed."""

        direction: int

    def action_page(self, direction: int) -> None:
        """Tell the pane to scroll what is below."""
        self.post_message(self.Paged(direction))


class RecallPane(Pane):
    """Prompt, scorer, five rows, and below them the points and the block, or the losers."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, 3, "Recall", id="recall-pane")
        self.view = RecallView(None)
        self._keep: Keep = "nothing"

    def compose(self) -> ComposeResult:
        """Prompt line, scorer line, rows, reading part."""
        with Horizontal(classes="prompt-line"):
            yield Static(Content.styled("› ", self.palette.key), classes="prompt-sign")
            yield Prompt(placeholder="what would you ask the agent?", id="query")
        yield Static("", id="scorer")
        yield HitList(self.palette, id="hits", has_sticky_heads=False)
        yield Static("", id="left-out")
        yield LineView(id="reading")
        yield RowList(self.palette, id="losers", has_sticky_heads=False)

    @property
    def prompt(self) -> Prompt:
        """Where the query is typed."""
        return self.query_one("#query", Prompt)

    @property
    def hits(self) -> RowList:
        """The injected documents."""
        return self.query_one("#hits", RowList)

    @property
    def losers(self) -> RowList:
        """The documents that are left out."""
        return self.query_one("#losers", RowList)

    @property
    def shows_losers(self) -> bool:
        """True while the losers stand in the place of the points."""
        return bool(self.losers.display)

    @property
    def reading(self) -> LineView:
        """The points and the block."""
        return self.query_one("#reading", LineView)

    def on_mount(self) -> None:
        """Start with the points."""
        super().on_mount()
        self.losers.display = self.query_one("#left-out").display = False

    def on_resize(self) -> None:
        """Draw what depends on the width."""
        self.draw_lines()

    def show(self, view: RecallView) -> None:
        """Show another result: of another query from its best row, else where one was."""
        is_new = view.query != self.view.query
        self._keep = "nothing" if is_new else "place"
        self.view = view
        hits = view.recall.hits if view.recall else ()
        best = hits[0].score if hits else 0
        before = self.hits.cursor_key
        self.hits.show_rows([HitRow(hit, best) for hit in hits], keep=self._keep)
        self.hits.styles.height = len(hits)
        self.hits.display = bool(hits)
        self.draw_lines()
        self._draw_reading(keep_place=not is_new and self.hits.cursor_key == before)

    def show_losers(self, left_out: Sequence[LeftOut] | None) -> None:
        """Show the losers in the place of the points; None brings the points back."""
        self.losers.display = left_out is not None
        self.reading.display = left_out is None
        self.losers.show_rows([LeftOutRow(item) for item in left_out or ()], keep=self._keep)
        self.light(self.is_lit)
        if left_out is None and self.hits.count:
            place = cast("Place | None", self.hits.cursor_key)
            self.post_message(PlaceHighlighted(place, "recall"))

    def light(self, is_lit: bool) -> None:
        """Light the pane, and of its two lists the one that is walked."""
        super().light(is_lit)
        self.hits.light(is_lit and not self.shows_losers)

    def focus_rows(self) -> None:
        """Put the focus on the losers, the rows, or the prompt: the first that is there."""
        if self.shows_losers and self.losers.count:
            self.losers.focus()
        elif self.hits.count:
            self.hits.focus()
        else:
            self.prompt.focus()

    @on(Input.Changed, "#query")
    def _query_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(QueryChanged(event.value))

    @on(Input.Submitted, "#query")
    def _query_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_rows()

    @on(Prompt.Moved, "#query")
    def _moved(self, event: Prompt.Moved) -> None:
        event.stop()
        self.hits.action_move(event.step)

    @on(Prompt.Paged, "#query")
    def _paged(self, event: Prompt.Paged) -> None:
        event.stop()
        self._page(event.direction)

    @on(HitList.Paged)
    def _hits_paged(self, event: HitList.Paged) -> None:
        event.stop()
        self._page(event.direction)

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.draw_lines()
        if event.rows is self.hits:
            self._draw_reading()
        if event.rows.display and (event.rows is self.hits or self.shows_losers):
            self.post_message(PlaceHighlighted(cast("Place | None", event.key), "recall"))

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(PlaceChosen(cast("Place", event.key)))

    def _page(self, direction: int) -> None:
        if self.shows_losers:
            self.losers.action_page(direction)
        elif direction > 0:
            self.reading.scroll_page_down(animate=False)
        else:
            self.reading.scroll_page_up(animate=False)

    def _hit(self) -> Hit | None:
        recall = self.view.recall
        if recall is None or not recall.hits:
            return None
        return recall.hits[max(1, min(self.hits.position, len(recall.hits))) - 1]

    def draw_lines(self) -> None:
        """Draw the scorer line, the count of losers and the lower border."""
        view, palette, recall = self.view, self.palette, self.view.recall
        width = max(10, self.content_size.width)
        scorer = Content.assemble(
            (recall.scorer if recall else "", palette.text),
            (f"{' · ' if recall else ''}{view.stands_for}", palette.muted),
        )
        key = Content.assemble(("s", palette.key), (" scorer", palette.muted))
        self.query_one("#scorer", Static).update(spread(scorer, key, width), layout=False)
        line = self.query_one("#left-out", Static)
        line.display = recall is not None and recall.strategy != "none"
        why = Content.assemble(
            ("n", palette.key), (" points" if self.shows_losers else " why not", palette.muted)
        )
        line.update(
            spread(
                Content.styled(f"{right(f'{view.left_out:,}', 6)} left out", palette.muted),
                why,
                width,
            ),
            layout=False,
        )
        walked = self.losers if self.shows_losers else self.hits
        position = f" · {walked.position:,}/{walked.count:,}" if walked.count else ""
        self.show_subtitle(view.chooses + position)

    def _draw_reading(self, *, keep_place: bool = False) -> None:
        view, hit = self.view, self._hit()

        def lay_out(width: int) -> list[Content]:
            has_air = self.app.size.height >= 25
            return lay_out_recall(view.recall, hit, view.hint, width, self.palette, has_air)

        self.reading.show_lines(lay_out, keep_place=keep_place)
