"""What `extract` and `dream` show a person.

Invariant: pure; values in, finished lines out, each safe for a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from memtui.cli.change_pages import diff_lines
from memtui.cli.tables import Cell, Page, Row, plural
from memtui.engine.disk.agent_lock import LockState
from memtui.engine.lifecycle.extracting import ExtractPlan
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.plans.gates import Gate, Gates
from memtui.engine.plans.suggestions import Suggestion
from memtui.engine.types import ChangeSet

SKIPPED = {
    "memory_tool": "the agent wrote a memory itself in the last turn",
    "memory_pressure": "this process uses too much of the memory limit",
    "disabled": "dreams that run by themselves are off",
    "same_session": "this session did the last dream",
    "min_hours": "the last dream was less than 24 hours ago",
    "scan_throttled": "the sessions were counted less than 10 minutes ago",
    "min_sessions": "fewer than 5 sessions are newer than the last dream",
    "locked": "a lock is held",
    "running": "a dream is running",
}
"""What a reason means, for a person."""

_GATES = {
    "enabled": "dream enabled",
    "session": "another session",
    "hours": "hours since last",
    "scan": "minutes since the last scan",
    "sessions": "new sessions",
    "lock": "lock",
    "running": "dream running",
}
_LIMIT_SIGNS = {"session": "≠ ", "hours": "≥ ", "scan": "≥ ", "sessions": "≥ "}


def extract_page(page: Page, plan: ExtractPlan) -> list[str]:
    """`extract`: each patch with its quote, then what was dropped and by which rule."""
    said = f"{plural(plan.length, 'message')}, {plan.length - plan.start:,} not read before"
    if plan.broken_lines:
        said += f", {plural(plan.broken_lines, 'broken line')} skipped"
    lines = [page.style(f"session {plan.session}", "accent") + page.style(f"  {said}", "muted")]
    if plan.skipped_reason is not None:
        said = SKIPPED.get(plan.skipped_reason, plan.skipped_reason)
        return [*lines, page.style(f"! Skipped ({plan.skipped_reason}): {said}.", "attention")]
    for patch in plan.patches:
        mark, summary = "■" if patch.selected else "□", page.style(patch.summary, "strong")
        lines += ["", f"{mark} {page.style(patch.type, 'accent')} {summary}"]
        if patch.why:
            lines.append(f"    {page.style(f'why: {patch.why}', 'plain')}")
        if patch.how_to_apply:
            lines.append(f"    {page.style(f'how to apply: {patch.how_to_apply}', 'plain')}")
        quote = f"message {patch.source.message}, {patch.rule}: “{patch.source.quote}”"
        lines.append(f"    {page.style(quote, 'muted')}")
        if patch.near_duplicate_of is not None:
            near = f"much like {patch.near_duplicate_of}, so it is not selected"
            lines.append(f"    {page.style(f'! {near}', 'attention')}")
    if not plan.patches:
        lines.append(page.style("Nothing durable is said in the unread part.", "plain"))
    if plan.dropped:
        lines += ["", page.style(f"dropped, {len(plan.dropped):,}:", "muted")]
        rows: list[Row] = [
            (Cell(each.rule, "attention"), Cell(each.summary, "muted")) for each in plan.dropped
        ]
        lines += page.table(rows, indent=2, cut=1)
    return lines


def dream_page(
    page: Page,
    plan: DreamPlan | None,
    gates: Gates,
    lock: LockState | None,
    suggestions: Sequence[Suggestion],
    change_sets: Sequence[ChangeSet],
    *,
    clears_stale: bool,
) -> list[str]:
    """`dream`: the gates, the plan as diffs with a reason each, then the suggestions.

    `clears_stale` says that a dream removes a stale lock itself.
    """
    lines = [page.style("gates of the automatic run", "strong")]
    lines += page.table([_gate_row(gate) for gate in gates.gates], indent=2)
    if lock is not None and lock.state != "free":
        said = lock.sentence
        if clears_stale and lock.state == "stale":
            said = f"{lock.path} is a stale lock: {lock.reason}. A dream removes it."
        lines.append(page.style(f"! {said}", "attention"))
    if plan is not None:
        parts = [plural(len(plan.merges), "merge"), plural(len(plan.sorts), "sort")]
        parts.append(plural(len(plan.change_set.changes), "file"))
        said = ", ".join(parts) if plan.change_set.changes else "There is nothing to tidy"
        lines += ["", page.style(f"{said}.", "strong")]
        if plan.held_back:
            count = plural(plan.held_back, "change was", "changes were")
            lines.append(page.style(f"{count} undone before and left out.", "muted"))
        lines += diff_lines(page, change_sets)
    return [*lines, *_suggestions(page, suggestions)]


def _gate_row(gate: Gate) -> Row:
    limit = f"{_LIMIT_SIGNS.get(gate.gate, '')}{_shown(gate.limit)}"
    return (
        Cell("✓" if gate.open else "✗", "good" if gate.open else "bad"),
        Cell(_GATES[gate.gate]),
        Cell("open" if gate.open else "closed", "muted" if gate.open else "attention"),
        Cell(_shown(gate.value), is_right=True),
        Cell(limit, "muted", is_right=True),
        Cell(gate.reason or "", "attention"),
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "never"
    return f"{value:,.0f}" if isinstance(value, float) else str(value)[:36]


def _suggestions(page: Page, suggestions: Sequence[Suggestion]) -> list[str]:
    if not suggestions:
        return []
    lines = ["", page.style("suggestions, never applied by rule", "strong")]
    for each in suggestions:
        head = " ".join(
            str(part) for part in (each.kind, each.score, each.words) if part not in (None, "")
        )
        lines.append(f"  {page.style(head, 'attention')}")
        rows: list[Row] = [
            (Cell(entry.id, "accent"), Cell(entry.summary)) for _, entry in each.entries
        ]
        lines += page.table(rows, indent=4, cut=1)
    return lines
