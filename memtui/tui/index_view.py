"""An index laid out as lines: how full it is, what is wrong with it, its text with the cut drawn.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.format.index_report import (
    BUDGET_BYTES,
    BUDGET_LINES,
    LOADED_CHARACTERS,
    IndexReport,
)
from memtui.engine.types import INDEX_NAME, Agent, Scope
from memtui.tui.format import bar, hang, plural, right, rule, size, spread
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_BAR_CELLS = 8
_DRAWN_LINES = 2_000
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
    for lost in report.lines_without_file:
        if lost.moved_to:
            yield [(True, f"line {lost.line}: {lost.target} moved to {lost.moved_to}")]
        else:
            yield [(True, f"line {lost.line}: {lost.target} is no file here")]
    for case in report.case_differences:
        yield [(True, f"line {case.line}: {case.target} differs in case from {case.file}")]
    for number in report.doubled:
        yield [(True, f"line {number} lists a file for the second time")]
    for path in report.files_without_line[:_NAMED_FILES]:
        yield [(True, f"{path} has no line")]
    more_files = len(report.files_without_line) - _NAMED_FILES
    if more_files > 0:
        yield [(True, f"{plural(more_files, 'more file')} without a line")]
    if report.inline:
        count = plural(len(report.inline), "line")
        numbers = ", ".join(str(item.line) for item in report.inline[:40])
        yield [
            (True, f"{count} of text in the index itself, in no memory file"),
            (False, f"lines {numbers}"),
        ]


def _text(report: IndexReport, width: int, palette: Palette) -> list[Content]:
    if report.index is None:
        return []
    lines: list[Content] = []
    inline = {item.line for item in report.inline}
    long_lines = set(report.long_lines)
    gutter = len(str(report.lines)) + 2
    for line in report.index.lines[:_DRAWN_LINES]:
        if line.number == report.cut_line:
            cut = Content.styled("! the agent loads no more", palette.attention)
            lines.append(rule(cut, "", width, palette))
        is_out = report.cut_line is not None and line.number >= report.cut_line
        style = palette.faint if is_out else palette.text
        if line.kind in ("entry", "cut") and not is_out:
            style = palette.muted
        sign = "·" if line.number in inline else "+" if line.number in long_lines else " "
        shown = Content.styled(safe_line(line.text), style)
        for place, part in enumerate(shown.wrap(max(4, width - gutter)) or [Content("")]):
            lead = f"{line.number:>{gutter - 2}}{sign} " if place == 0 else " " * gutter
            lines.append(Content.styled(lead, palette.faint) + part)
    if len(report.index.lines) > _DRAWN_LINES:
        more = f"! {len(report.index.lines) - _DRAWN_LINES:,} more lines are not drawn"
        lines.append(Content.styled(more, palette.attention))
    return lines
