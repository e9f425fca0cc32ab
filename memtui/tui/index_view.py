"""An index laid out as lines: how full it is, what is wrong with it, its text with the cut drawn.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.format.index_report import (
    BUDGET_BYTES,
    BUDGET_LINES,
    LOADED_CHARACTERS,
    IndexReport,
)
from memtui.engine.types import INDEX_NAME, Agent, Scope
from memtui.tui.format import NAME_CHARACTERS, bar, hang, plural, right, rule, size, spread, wrap
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_BAR_CELLS = 8
_DRAWN_LINES = 2_000
_DRAWN_ROWS = 6_000
_LINE_ROWS = 200
"""More rows are not drawn, of the file and of one line of it; a line says so."""
_NAMED_FILES = 40


@dataclass(frozen=True)
class IndexView:
    """What the memory pane shows of an index."""

    scope: Scope
    report: IndexReport
    agent: Agent


def lay_out_index(view: IndexView, width: int, palette: Palette, has_air: bool) -> list[Content]:
    """The whole pane for one index."""
    report = view.report
    air = [Content("")] if has_air else []
    name = INDEX_NAME if view.scope == "project" else f"{view.scope}:{INDEX_NAME}"
    lines = [
        spread(
            Content.styled(name, palette.strong),
            Content.styled(f" {report.kind} ", palette.chips["user"]),
            width,
        ),
        spread(
            Content.styled(_who_writes(view), palette.muted),
            Content.styled(size(report.bytes), palette.muted),
            width,
        ),
        *air,
        _meter("lines", report.lines, BUDGET_LINES, width, palette),
        _meter("bytes", report.bytes, BUDGET_BYTES, width, palette),
        _meter("characters", report.characters, LOADED_CHARACTERS, width, palette),
    ]
    findings = [part for finding in _findings(report) for part in finding]
    lines += [*air, rule("findings", f"{sum(1 for _ in _findings(report))}", width, palette)]
    if not findings:
        lines.append(Content.assemble(("✓", palette.good), " every file has its line"))
    for sign, text in findings:
        style = palette.attention if sign else palette.muted
        lines += hang("! " if sign else "  ", safe_line(text), style, width)
    lines += [*air, rule("file", plural(report.lines, "line"), width, palette)]
    return lines + _text(report, width, palette)


def _who_writes(view: IndexView) -> str:
    if view.agent == "claude":
        return "the agent chooses by it"
    return "written by the agent" if view.report.kind == "managed" else "kept by hand"


def _meter(label: str, count: int, limit: int, width: int, palette: Palette) -> Content:
    is_over = count > limit
    style = palette.attention if is_over else palette.text
    left = Content.assemble(
        (right(f"{count:,}", 7), style),
        (f" of {limit:,} {label}", palette.muted),
        (" ! over" if is_over else "", palette.attention),
    )
    return spread(left, bar(count, limit, _BAR_CELLS, palette, style if is_over else ""), width)


def _findings(report: IndexReport) -> Iterator[list[tuple[bool, str]]]:
    """Each finding as lines; the first of a finding is marked."""
    if report.cut_line is not None:
        named = ", ".join(report.left_out[:_NAMED_FILES]) or "no file"
        yield [
            (True, f"the agent loads nothing from line {report.cut_line} on"),
            (False, f"out of its sight: {named}"),
        ]
    if report.long_lines:
        numbers = ", ".join(str(number) for number in report.long_lines[:60])
        more = " …" if len(report.long_lines) > 60 else ""
        yield [
            (True, f"{plural(len(report.long_lines), 'line')} of more than 150 characters"),
            (False, f"lines {numbers}{more}"),
        ]
    for lost in report.lines_without_file[:_NAMED_FILES]:
        target = lost.target[:NAME_CHARACTERS]
        what = f"moved to {lost.moved_to}" if lost.moved_to else "is no file here"
        yield [(True, f"line {lost.line}: {target} {what}")]
    yield from _more(report.lines_without_file, "line", "whose file is not here")
    for case in report.case_differences[:_NAMED_FILES]:
        yield [(True, f"line {case.line}: {case.target} differs in case from {case.file}")]
    yield from _more(report.case_differences, "line", "that differs in case")
    for number in report.doubled[:_NAMED_FILES]:
        yield [(True, f"line {number} lists a file for the second time")]
    yield from _more(report.doubled, "line", "for a file that has one")
    for path in report.files_without_line[:_NAMED_FILES]:
        yield [(True, f"{path} has no line")]
    yield from _more(report.files_without_line, "file", "without a line")
    if report.inline:
        count = plural(len(report.inline), "line")
        numbers = ", ".join(str(item.line) for item in report.inline[:40])
        yield [
            (True, f"{count} of text in the index itself, in no memory file"),
            (False, f"lines {numbers}"),
        ]


def _more(found: Sequence[object], noun: str, what: str) -> Iterator[list[tuple[bool, str]]]:
    """How many of a kind are not named; nothing where all are."""
    count = len(found) - _NAMED_FILES
    if count > 0:
        yield [(True, f"{plural(count, f'more {noun}')} {what}")]


def _text(report: IndexReport, width: int, palette: Palette) -> list[Content]:
    if report.index is None:
        return []
    lines: list[Content] = []
    inline = {item.line for item in report.inline}
    long_lines = set(report.long_lines)
    gutter = len(str(report.lines)) + 2
    cells = max(4, width - gutter)
    drawn = 0
    for line in report.index.lines[:_DRAWN_LINES]:
        if len(lines) >= _DRAWN_ROWS:
            break
        drawn += 1
        if line.number == report.cut_line:
            cut = Content.styled("! the agent loads no more", palette.attention)
            lines.append(rule(cut, "", width, palette))
        is_out = report.cut_line is not None and line.number >= report.cut_line
        style = palette.faint if is_out else palette.text
        if line.kind in ("entry", "cut") and not is_out:
            style = palette.muted
        sign = "·" if line.number in inline else "+" if line.number in long_lines else " "
        start = line.text[: _LINE_ROWS * cells]
        parts = wrap(Content.styled(safe_line(start), style), cells, _LINE_ROWS) or [Content("")]
        if len(start) < len(line.text):
            more = f"! the line goes on: {len(line.text):,} characters in all"
            parts += Content.styled(more, palette.attention).wrap(cells)
        for place, part in enumerate(parts):
            lead = f"{line.number:>{gutter - 2}}{sign} " if place == 0 else " " * gutter
            lines.append(Content.styled(lead, palette.faint) + part)
    if len(report.index.lines) > drawn:
        more = f"! {plural(len(report.index.lines) - drawn, 'more line')} not drawn here"
        lines.append(Content.styled(more, palette.attention))
    return lines
