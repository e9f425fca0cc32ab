"""A recall result laid out as lines: the points of one document, and the injected block.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from memtui.engine.text import utf16_length
from memtui.engine.types import Hit, Recall
from memtui.tui.format import fit, plural, right, rule, wrap
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_TOKEN_CELLS = 10
_POINT_ROWS = 200
_PROMPT_LINES = 2_000
_LINE_ROWS = 200
"""More tokens, lines of the block and rows of one of them are not drawn; a line says so."""
_COLUMNS = {
    "weighted": ("name", "description", "body", "type"),
    "classic": ("text", "type", "body"),
}
_HEADS = {"description": "desc"}


def lay_out_recall(
    recall: Recall | None,
    hit: Hit | None,
    hint: Sequence[str],
    width: int,
    palette: Palette,
    has_air: bool,
) -> list[Content]:
    """The points of `hit` and the block of `recall`; the sentences of `hint` where there is none.

    `has_air` puts blank lines before the rules.
    """
    lines: list[Content] = []
    if recall is None or hit is None:
        for sentence in hint:
            lines += [Content(""), *Content.styled(sentence, palette.muted).wrap(width)]
        return lines
    air = [Content("")] if has_air else []
    lines += [*air, rule(f"why {hit.rank}", "points", width, palette)]
    lines += _points(recall, hit, width, palette)
    count = f"{utf16_length(recall.prompt):,} characters"
    lines += [*air, rule("injected", count, width, palette)]
    for number, text in enumerate(recall.prompt.replace("\r\n", "\n").split("\n")):
        style = palette.muted
        if text.startswith("#"):
            style = palette.strong
        elif text.startswith("> NOTE:"):
            style = palette.attention
        start = safe_line(text[: _LINE_ROWS * width])
        lines += wrap(Content.styled(start, style), width, _LINE_ROWS) or [Content("")]
        if len(text) > _LINE_ROWS * width:
            more = f"! the line goes on: {len(text):,} characters in all"
            lines += Content.styled(more, palette.attention).wrap(width)
        if number == _PROMPT_LINES:
            return [*lines, Content.styled("! the block goes on", palette.attention)]
    return lines


def _points(recall: Recall, hit: Hit, width: int, palette: Palette) -> list[Content]:
    """The points of one document, a row a token, a column a field."""
    columns = _COLUMNS[recall.scorer]
    sum_cells = 6
    cells = max(5, min(7, (width - 1 - _TOKEN_CELLS - sum_cells) // len(columns)))
    token_cells = max(4, width - 1 - cells * len(columns) - sum_cells)
    table: dict[str, dict[str, int]] = {}
    for point in hit.points:
        earned = table.setdefault(point.token, {})
        earned[point.field] = earned.get(point.field, 0) + point.points

    def row(token: Content, values: Sequence[str], total: str, style: str, last: str) -> Content:
        parts: list[Content | tuple[str, str] | str] = [" ", token]
        parts.append(" " * max(0, token_cells - token.cell_length))
        for value in values:
            parts.append((right(value, cells), palette.faint if value == "·" else style))
        parts.append((right(total, sum_cells), last))
        return Content.assemble(*parts)

    heads = [_HEADS.get(column, column) for column in columns]
    token = Content.styled("token", palette.faint)
    lines = [row(token, heads, "sum", palette.faint, palette.faint)]
    found = [*(token for token in recall.tokens if token in table), *({""} & set(table))]
    ordered = found[:_POINT_ROWS]
    for word in ordered:
        shown = (
            Content.styled(fit(safe_line(word), token_cells - 1), palette.match)
            if word
            else Content.styled("has a body", palette.muted)
        )
        values = [_signed(table[word].get(column, 0)) for column in columns]
        total = f"{sum(table[word].values()):,}"
        lines.append(row(shown, values, total, palette.text, palette.text))
    if len(found) > len(ordered):
        more = f" {plural(len(found) - len(ordered), 'more token')}"
        lines.append(Content.styled(fit(more, width), palette.faint))
    totals = [_signed(sum(table[word].get(column, 0) for word in table)) for column in columns]
    score = Content.styled("score", palette.muted)
    lines.append(row(score, totals, f"{hit.score:,}", palette.muted, palette.score))
    silent = [word for word in recall.tokens if word not in table]
    if silent:
        said = f" {plural(len(silent), 'token')} without a hit: " + " ".join(silent)
        lines += [Content.styled(fit(safe_line(said), width), palette.faint)]
    return lines


def _signed(points: int) -> str:
    return f"+{points}" if points else "·"
