"""What `index` shows a person: meters and one sentence for each finding.

Invariant: pure; line numbers are 1-based, as editors count.
"""

from __future__ import annotations

from memtui.cli.tables import AGENT_NAMES, Page, numbered, plural
from memtui.engine.format.index_line import LINE_LIMIT
from memtui.engine.format.index_report import (
    BUDGET_BYTES,
    LOADED_CHARACTERS,
    LOADED_LINES,
    IndexReport,
)
from memtui.engine.types import Snapshot

_SHOWN_INLINE = 8
_KIND_WORDS = {
    "managed": "managed: the agent rebuilds it",
    "hand-kept": "hand-kept: only lines of changed files are touched",
    "none": "there is no index",
}


def index_page(page: Page, snapshot: Snapshot, report: IndexReport) -> list[str]:
    """`index`: its kind, its size against the limits, and where it and the files differ."""
    store = snapshot.store
    lines = [
        f"{page.style(report.scope, 'strong')} · {AGENT_NAMES[store.agent]} · "
        f"{page.style(str(store.memory_dir), 'muted')}",
        page.style(_KIND_WORDS[report.kind], "plain"),
    ]
    if report.kind != "none":
        lines += [
            _meter(page, report.lines, LOADED_LINES, "lines"),
            _meter(page, report.bytes, BUDGET_BYTES, "bytes"),
            _meter(page, report.characters, LOADED_CHARACTERS, "characters"),
        ]
    findings = _findings(report, is_qwen=store.agent == "qwen")
    lines += ["", *(page.style(f"! {finding}", "attention") for finding in findings)]
    if not findings and report.kind != "none":
        lines.append(page.style("✓ The index and the files agree.", "good"))
    if report.inline:
        count = plural(len(report.inline), "line is content", "lines are content")
        lines += ["", f"{count} of the index itself:"]
        lines += [
            f"{part.line:>6}  {page.style(part.text, 'muted')}"
            for part in report.inline[:_SHOWN_INLINE]
        ]
        if len(report.inline) > _SHOWN_INLINE:
            lines.append(f"        and {len(report.inline) - _SHOWN_INLINE:,} more")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _meter(page: Page, value: int, limit: int, unit: str) -> str:
    text = f"{value:>8,} of {limit:,} {unit}"
    return page.style(f"{text}  over the limit", "attention") if value > limit else text


def _findings(report: IndexReport, *, is_qwen: bool) -> list[str]:
    found = []
    if report.cut_line is not None:
        found.append(
            f"From line {report.cut_line} on the agent does not load it; "
            f"{plural(len(report.left_out), 'memory falls', 'memories fall')} out"
            f"{': ' if report.left_out else ''}{', '.join(report.left_out)}."
        )
    if report.long_lines:
        found.append(
            f"{plural(len(report.long_lines), 'line has', 'lines have')} more than {LINE_LIMIT} "
            f"characters: {numbered(report.long_lines)}."
        )
    for lost in report.lines_without_file:
        where = f"; it is now at {lost.moved_to}" if lost.moved_to else ""
        found.append(f"Line {lost.line} names {lost.target}, which is not there{where}.")
    for case in report.case_differences:
        found.append(
            f"Line {case.line} names {case.target}, but the file is {case.file}: another case."
        )
    for number in report.doubled:
        found.append(f"Line {number} names a file that a line above names already.")
    is_derived = report.kind == "managed" or (is_qwen and report.has_only_index_lines)
    if is_derived and report.not_derived:
        count = plural(len(report.not_derived), "line does", "lines do")
        found.append(f"{count} not say what the file says now: {numbered(report.not_derived)}.")
    if report.files_without_line:
        found.append(
            f"{plural(len(report.files_without_line), 'file has', 'files have')} no line: "
            f"{', '.join(report.files_without_line)}."
        )
    return found
