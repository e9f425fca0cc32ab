"""Entries to forget, as rows.

Invariant: pure; every text of a file passes `safe_text` here; a mark is a sign and a colour.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from memtui.engine.plans.candidates import Candidate
from memtui.engine.types import Entry, Scope
from memtui.tui.format import badge, bar, fit, pad, right
from memtui.tui.safe_text import safe_line
from memtui.tui.state import HeadRow
from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import Row

EntryKey = tuple[Scope, str]
"""Scope and Entry ID."""

_FOUND_FROM_CELLS = 108
_BAR_FROM_CELLS = 84
_FOUND_CELLS, _SCORE_CELLS, _BAR_CELLS = 15, 6, 8


def key_of(entry: Entry) -> EntryKey:
    """The key of an entry in a list."""
    return (entry.scope, entry.id)


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One entry: mark, badge, ID, summary with hits, where found, score."""

    candidate: Candidate
    is_marked: bool

    @property
    def key(self) -> EntryKey:
        """The entry."""
        return key_of(self.candidate.entry)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        candidate = self.candidate
        has_found, has_bar = width >= _FOUND_FROM_CELLS, width >= _BAR_FROM_CELLS
        tail_cells = _SCORE_CELLS + (_BAR_CELLS + 1 if has_bar else 0)
        tail_cells += _FOUND_CELLS if has_found else 0
        id_cells = max(12, min(38, (width - tail_cells - 5) * 2 // 5))
        mark = ("■", palette.mark) if self.is_marked else ("□", palette.faint)
        found = ", ".join(candidate.found_in[:2])
        summary_cells = max(4, width - 5 - id_cells - 1 - tail_cells)
        return Content.assemble(
            " ",
            mark,
            " ",
            badge(safe_line(candidate.document.type), palette),
            " ",
            _id(candidate.entry, id_cells, palette, has_cursor=has_cursor),
            " ",
            _summary(candidate, summary_cells, palette),
            (" " + pad(found, _FOUND_CELLS - 1) if has_found else "", palette.muted),
            self._score(has_bar, palette),
        )

    def _score(self, has_bar: bool, palette: Palette) -> Content:
        candidate = self.candidate
        if candidate.match == "listed":
            return Content(" " * (_SCORE_CELLS + (_BAR_CELLS + 1 if has_bar else 0)))
        if candidate.match == "contains":
            said = "exact" if candidate.score >= 100 else "words"
            cells = _SCORE_CELLS + (_BAR_CELLS + 1 if has_bar else 0)
            return Content.styled(right(said, cells), palette.muted)
        score = Content.styled(right(f"{candidate.score}", _SCORE_CELLS), palette.text)
        if not has_bar:
            return score
        return Content.assemble(" ", bar(candidate.score, 100, _BAR_CELLS, palette), score)


def candidate_rows(
    candidates: Sequence[Candidate], marked: Collection[EntryKey], query: str
) -> list[Row]:
    """The rows under their heads: what contains the query, then what is similar."""
    titles = {
        "contains": f"contains “{safe_line(query.strip())}”",
        "similar": "similar",
        "listed": "all entries",
    }
    rows: list[Row] = []
    for kind, title in titles.items():
        group = [candidate for candidate in candidates if candidate.match == kind]
        if group:
            rows.append(HeadRow(title, f"{len(group):,}"))
            rows += [CandidateRow(one, key_of(one.entry) in marked) for one in group]
    return rows


def _id(entry: Entry, cells: int, palette: Palette, *, has_cursor: bool) -> Content:
    scope = "" if entry.scope == "project" else f"{entry.scope}:"
    digest = f"@{entry.digest}" if entry.index is not None else ""
    name = fit(safe_line(entry.id), max(4, cells - len(scope) - len(digest)))
    used = len(scope) + cell_len(name) + len(digest)
    return Content.assemble(
        (scope, palette.faint),
        (name, palette.strong if has_cursor else palette.text),
        (digest, palette.faint),
        " " * max(0, cells - used),
    )


def _summary(candidate: Candidate, cells: int, palette: Palette) -> Content:
    raw = candidate.entry.summary
    shown = safe_line(raw)
    summary = Content.styled(shown, palette.text)
    if shown == raw:
        for start, end in candidate.summary_spans:
            summary = summary.stylize(f"bold {palette.match}", start, end)
    if summary.cell_length > cells:
        summary = summary.truncate(cells, ellipsis=True)
    return summary + " " * max(0, cells - summary.cell_length)
