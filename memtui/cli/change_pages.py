"""What the verbs that change something show a person.

Invariant: pure; values in, finished lines out. Every line of a diff is safe for a terminal, and
its signs say the same as its colours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from memtui.cli.change_values import LogEntry, paths_of
from memtui.cli.tables import Cell, Page, Row, Style, plural
from memtui.engine.disk.journal_entry import Left
from memtui.engine.disk.log import Logged
from memtui.engine.plans.broken_links import BrokenLink
from memtui.engine.plans.candidates import Candidate
from memtui.engine.plans.diff import unified_file
from memtui.engine.plans.forget import ForgetPlan
from memtui.engine.types import ChangeSet
from memtui.tui.safe_text import safe_lines, scoped

_MOST_PATHS = 8
_MOST_LINKS = 50
_KIND_STYLES: dict[str, Style] = {"added": "good", "changed": "attention", "removed": "bad"}
_DIFF_STYLES: tuple[tuple[str, Style], ...] = (
    ("@@", "accent"),
    ("-", "bad"),
    ("+", "good"),
    ("#", "muted"),
    ("\\", "muted"),
)


def candidates_page(page: Page, candidates: Sequence[Candidate]) -> list[str]:
    """`forget QUERY`: the entries by ID, with score and what the query was found in."""
    rows: list[Row] = []
    for each in candidates:
        is_listed = each.match == "listed"
        where = "" if is_listed else ", ".join(each.found_in)
        rows.append(
            (
                Cell("" if is_listed else str(each.score), "muted", is_right=True),
                Cell(each.id, "accent"),
                Cell(each.entry.summary, "strong"),
                Cell("" if is_listed else each.match, "muted"),
                Cell(where, "muted"),
            )
        )
    if rows and candidates[0].match == "listed":
        rows = [row[1:3] for row in rows]
        return [*page.table(rows, cut=1), *_choose(page, len(rows))]
    return [*page.table(rows, cut=2), *_choose(page, len(rows))]


def _choose(page: Page, count: int) -> list[str]:
    said = f"{plural(count, 'entry', 'entries')}. Choose with: memtui forget --id ID …"
    return ["", page.style(said, "muted")]


def forget_page(page: Page, plan: ForgetPlan) -> list[str]:
    """`forget --id`: what would go, as a diff, and what follows."""
    parts = [plural(plan.entries, "entry goes", "entries go")]
    if plan.files_removed:
        parts.append(plural(plan.files_removed, "file goes whole", "files go whole"))
    if plan.files_edited:
        parts.append(plural(plan.files_edited, "file is edited", "files are edited"))
    if plan.index_lines:
        parts.append(plural(plan.index_lines, "index line goes", "index lines go"))
    return [
        page.style(f"{', '.join(parts)}.", "strong"),
        *diff_lines(page, plan.change_sets),
        *consequences(page, plan, ("will lead nowhere", "will lead nowhere")),
    ]


def consequences(page: Page, plan: ForgetPlan, verbs: tuple[str, str]) -> list[str]:
    """Links that break, and what is out of the ordinary.

    `verbs` say of one link and of several what becomes of them.
    """
    lines: list[str] = []
    links = plan.broken_links
    if links:
        verb = verbs[len(links) > 1]
        lines += ["", page.style(f"! {plural(len(links), 'link')} {verb}:", "attention")]
        rows = [_link_row(link) for link in links[:_MOST_LINKS]]
        lines += page.table(rows, indent=2)
        if len(links) > _MOST_LINKS:
            lines.append(f"  and {len(links) - _MOST_LINKS:,} more")
    if plan.notes:
        lines += ["", *(page.style(f"! {note}", "attention") for note in plan.notes)]
    return lines


def _link_row(link: BrokenLink) -> Row:
    return (Cell(f"{scoped(link.scope, link.path)}:{link.line}"), Cell(link.text, "muted"))


def undo_page(
    page: Page, act: str, change_sets: Sequence[ChangeSet], left: Sequence[Left]
) -> list[str]:
    """`undo`: what would go back, as a diff, and what stays."""
    count = sum(len(each.changes) + len(each.state_changes) for each in change_sets)
    head = f"Undo of {act}: {plural(count, 'file goes', 'files go')} back."
    return [page.style(head, "strong"), *diff_lines(page, change_sets), *left_lines(page, left)]


def left_lines(page: Page, left: Sequence[Left]) -> list[str]:
    """What an undo leaves as it is, each with its reason."""
    return [page.style(f"! {each.path} stays: {each.reason}", "attention") for each in left]


def rebuild_page(
    page: Page, change_sets: Sequence[ChangeSet], left_out: Sequence[str], notes: Sequence[str]
) -> list[str]:
    """`index --rebuild`: the new index as a diff, and what it cannot hold."""
    return [*diff_lines(page, change_sets)[1:], *rebuild_notes(page, left_out, notes)]


def rebuild_notes(page: Page, left_out: Sequence[str], notes: Sequence[str]) -> list[str]:
    """What the new index cannot hold, and what was out of the ordinary."""
    lines = [page.style(f"! {note}", "attention") for note in notes]
    if left_out:
        count = plural(len(left_out), "memory does not fit", "memories do not fit")
        lines.append(page.style(f"! {count} into the index: {', '.join(left_out)}.", "attention"))
    return lines


def diff_lines(page: Page, change_sets: Iterable[ChangeSet]) -> list[str]:
    """Every change: its scope, path and reason in one line, then its diff, safe to draw."""
    lines: list[str] = []
    for change_set in change_sets:
        for change in change_set.changes:
            place = page.style(scoped(change_set.store.scope, change.path), "strong")
            kind = page.style(change.kind, _KIND_STYLES[change.kind])
            lines += ["", f"{kind} {place}: {page.style(change.reason, 'plain')}"]
            lines += _styled_diff(page, unified_file(change))
    return lines


def _styled_diff(page: Page, text: str) -> list[str]:
    is_head = True
    lines = []
    for line in safe_lines(text)[:-1]:
        is_head = is_head and not line.startswith("@@")
        style: Style = "muted" if is_head else "plain"
        if not is_head:
            style = next((found for sign, found in _DIFF_STYLES if line.startswith(sign)), "plain")
        lines.append(page.style(line, style))
    return lines


def log_page(page: Page, entries: Sequence[LogEntry]) -> list[str]:
    """`log`: each act with its ID, time, verb and state, then its files by store."""
    acts: dict[str, list[LogEntry]] = {}
    for pair in entries:
        acts.setdefault(pair[1].id, []).append(pair)
    rows = []
    for pairs in acts.values():
        act, entry = pairs[0]
        count = sum(len(paths_of(one)) for _, one in pairs)
        word, style = _state_of(act)
        rows.append(
            (
                Cell(entry.id, "accent"),
                Cell(_local_time(entry.time_ns), "muted"),
                Cell(entry.operation, "strong"),
                Cell(plural(count, "file"), is_right=True),
                Cell(word, style),
            )
        )
    lines: list[str] = []
    for line, pairs in zip(page.table(rows), acts.values(), strict=True):
        lines.append(line)
        names = [scoped(entry.store.scope, path) for _, entry in pairs for path in paths_of(entry)]
        lines += [f"    {page.style(name, 'muted')}" for name in names[:_MOST_PATHS]]
        if len(names) > _MOST_PATHS:
            lines.append(f"    and {len(names) - _MOST_PATHS:,} more")
    return lines


def _state_of(act: Logged) -> tuple[str, Style]:
    entry = act.entries[0]
    if entry.status == "open":
        return "not finished", "bad"
    if entry.status == "rolled-back":
        return "put back in part", "bad"
    words = [] if entry.undoes is None else [f"of {entry.undoes}"]
    if act.is_undone:
        words.append("undone")
    return ", ".join(words), "attention" if act.is_undone else "muted"


def _local_time(time_ns: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(time_ns // 1_000_000_000))
    except (OverflowError, ValueError, OSError):
        return "?"
