"""The verbs that change stores: `forget`, `undo`, `index --rebuild`, and `log` with its purge.

Invariant: nothing is written without `--yes` but the recovery of what a memtui left unfinished,
and the purge, which is asked for by its own option. What is shown is what the writer is given; a
refusal is one sentence and exit code 3.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.cli.arguments import Options, Verb
from memtui.cli.change_values import (
    LogEntry,
    applied_value,
    broken_links_value,
    candidate_value,
    log_value,
    undo_value,
)
from memtui.cli.output import DONE, NOTHING, columns, has_colour, say, write_json, write_lines
from memtui.cli.stores import (
    open_journals,
    open_stores,
    resolved_entries,
    tell_recovered,
)
from memtui.engine.disk.places import real_root
from memtui.engine.errors import NoHomeError, RefusedError, StoreError
from memtui.engine.format.index import parse_index
from memtui.engine.manager import MemoryManager
from memtui.engine.types import INDEX_NAME, ChangeSet, Snapshot
from memtui.engine.workspace import Workspace

if TYPE_CHECKING:
    from memtui.cli.tables import Page
    from memtui.engine.disk.log import Logged
    from memtui.engine.disk.store import Applied


def run_changing(options: Options, manager: MemoryManager) -> int:
    """Run the verb of `options`; gives the exit code. Raises MemtuiError."""
    if options.verb is None:
        raise ValueError("no verb to run")
    return _VERBS[options.verb](options, manager)


def _forget(options: Options, manager: MemoryManager) -> int:
    if not options.ids:
        return _candidates(options, manager)
    opened = open_stores(options, manager)
    entries = resolved_entries(options.ids, opened.snapshots)
    plan = manager.plan_forget(opened.workspace, entries)
    if plan.refusals:
        raise RefusedError(" ".join(dict.fromkeys(each.reason for each in plan.refusals)))
    applied, change_sets = None, plan.change_sets
    if options.is_confirmed:
        applied = manager.forget(entries, change_sets, break_stale=options.breaks_stale_lock)
        change_sets = applied.change_sets
        tell_applied(applied)
    if options.as_json:
        write_json(
            {
                "candidates": [candidate_value(entry, 0, "listed") for entry in entries],
                **applied_value(change_sets, applied),
                "broken_links": broken_links_value(plan.broken_links),
            }
        )
    elif applied is None:
        from memtui.cli.change_pages import forget_page

        write_lines(forget_page(new_page(), plan))
    else:
        from memtui.cli.change_pages import consequences
        from memtui.cli.tables import plural

        page, now = new_page(), ("leads nowhere now", "lead nowhere now")
        said = (
            f"Forgot {plural(plan.entries, 'entry', 'entries')} in "
            f"{plural(len(plan.removals), 'file')}.{undo_hint(options, applied, 'Undo')}"
        )
        write_lines([page.style(said, "good"), *consequences(page, plan, now)])
    if applied is None:
        tell_unwritten(options, manager, opened.workspace, change_sets)
    return DONE


def _candidates(options: Options, manager: MemoryManager) -> int:
    opened = open_stores(options, manager)
    found = manager.matcher(opened.workspace).candidates(options.query, opened.scopes)
    if options.as_json:
        values = [candidate_value(each.entry, each.score, each.match) for each in found]
        write_json({"candidates": values})
    elif found:
        from memtui.cli.change_pages import candidates_page

        write_lines(candidates_page(new_page(), found))
    if not found:
        say("Nothing matches: no entry contains the query or is like it.")
    return opened.exit_code(DONE if found else NOTHING)


def _rebuild(options: Options, manager: MemoryManager) -> int:
    from memtui.cli.json_values import index_value

    opened = open_stores(options, manager, ("project",))
    (snapshot,) = opened.snapshots
    scope = snapshot.store.scope
    report = manager.index_report(opened.workspace, scope)
    plan = manager.plan_rebuild(opened.workspace, scope)
    if report is None:
        raise StoreError("The store went away while it was read.")
    if plan.change_set.is_empty and _cannot_be_written(snapshot):
        raise RefusedError(" ".join(plan.edit.notes))
    applied: Applied | None = None
    change_sets: Sequence[ChangeSet] = () if plan.change_set.is_empty else (plan.change_set,)
    if options.is_confirmed:
        applied = manager.rebuild(scope, break_stale=options.breaks_stale_lock)
        change_sets = applied.change_sets
        tell_applied(applied)
    if options.as_json:
        value = index_value(scope, report)
        value["left_out"] = list(plan.edit.left_out)
        write_json({**value, **applied_value(change_sets, applied)})
    else:
        from memtui.cli.change_pages import rebuild_notes, rebuild_page

        page, edit = new_page(), plan.edit
        if not change_sets:
            lines = [page.style("The index is in order: there is nothing to rebuild.", "good")]
            lines += rebuild_notes(page, edit.left_out, edit.notes)
        elif applied is None:
            lines = rebuild_page(page, change_sets, edit.left_out, edit.notes)
        else:
            reason = change_sets[0].changes[0].reason
            hint = undo_hint(options, applied, "Undo")
            lines = [page.style(f"{reason[:1].upper()}{reason[1:]}.{hint}", "good")]
            lines += rebuild_notes(page, edit.left_out, edit.notes)
        write_lines(lines)
    if applied is None and change_sets:
        tell_unwritten(options, manager, opened.workspace, change_sets)
    return DONE


def _cannot_be_written(snapshot: Snapshot) -> bool:
    """True where the index is there and cannot be read as text, so that its plan is empty."""
    if snapshot.index is None:
        return any(problem.path == INDEX_NAME for problem in snapshot.problems)
    return not parse_index(snapshot.index).is_utf8


def _undo(options: Options, manager: MemoryManager) -> int:
    workspace = open_journals(options, manager)
    plan = manager.plan_undo(workspace, options.act_id)
    act = f"{plan.operation} {plan.id}"
    applied: Applied | None = None
    change_sets, left = plan.change_sets, plan.left
    _tell_others(workspace, change_sets)
    restored = [
        path
        for each in change_sets
        for path in (
            *(change.path for change in each.changes),
            *(change.name for change in each.state_changes),
        )
    ]
    if options.is_confirmed and change_sets:
        undone = manager.undo(workspace, plan.id, break_stale=options.breaks_stale_lock)
        applied, left, restored = undone.applied, undone.left, list(undone.restored)
        change_sets = () if applied is None else applied.change_sets
        if applied is not None:
            tell_applied(applied)
    if options.as_json:
        write_json({**undo_value(restored, left), **applied_value(change_sets, applied)})
    elif applied is not None:
        from memtui.cli.change_pages import left_lines
        from memtui.cli.tables import plural

        page = new_page()
        said = f"Undid {act}: {plural(len(restored), 'file is', 'files are')} as before it."
        hint = undo_hint(options, applied, "Redo")
        write_lines([page.style(said + hint, "good"), *left_lines(page, left)])
    elif change_sets:
        from memtui.cli.change_pages import undo_page

        write_lines(undo_page(new_page(), act, change_sets, left))
    else:
        from memtui.cli.change_pages import left_lines

        said = f"There is nothing to undo: all that {act} did is undone already."
        page = new_page()
        write_lines(left_lines(page, left) if left else [page.style(said, "plain")])
    if applied is None and change_sets:
        tell_unwritten(options, manager, workspace, change_sets)
    return DONE if change_sets else NOTHING


def _tell_others(workspace: Workspace, change_sets: Sequence[ChangeSet]) -> None:
    """Name the stores that are not open here and take part."""
    opened = {snapshot.store.memory_dir for snapshot in workspace.snapshots}
    roots = {real_root(memory_dir) for memory_dir in opened}
    for each in change_sets:
        if real_root(each.store.memory_dir) not in roots:
            say(f"This change is also about {each.store.memory_dir}.")


def _log(options: Options, manager: MemoryManager) -> int:
    if options.act_id is not None:
        return _purge(options, manager, options.act_id)
    workspace = open_journals(options, manager)
    entries = _entries_in(manager.log(workspace), workspace)
    if options.as_json:
        write_json(log_value(entries))
    elif entries:
        from memtui.cli.change_pages import log_page

        write_lines(log_page(new_page(), entries))
    else:
        say("memtui has changed nothing here yet.")
    return DONE


def _purge(options: Options, manager: MemoryManager, act_id: str) -> int:
    workspace = open_journals(options, manager)
    acts = manager.log(workspace)
    purged = manager.purge(workspace, act_id, break_stale=options.breaks_stale_lock)
    gone = {each.id for each in purged}
    if options.as_json:
        write_json(log_value((act, one) for act in acts if act.id in gone for one in act.entries))
        return DONE
    size = sum(each.size_bytes for each in purged)
    names = ", ".join(dict.fromkeys(f"{each.operation} {each.id}" for each in purged))
    page = new_page()
    write_lines(
        [page.style(f"Purged {names}, {size:,} bytes: it can no longer be undone.", "good")]
    )
    return DONE


def _entries_in(acts: Sequence[Logged], workspace: Workspace) -> list[LogEntry]:
    """What the acts did to the stores of `workspace`."""
    roots = {real_root(snapshot.store.memory_dir) for snapshot in workspace.snapshots}
    return [
        (act, entry)
        for act in acts
        for entry in act.entries
        if real_root(entry.store.memory_dir) in roots
    ]


def tell_applied(applied: Applied) -> None:
    """What the writer did beside the act."""
    for each in applied.recovered:
        tell_recovered(each)
    for lock in applied.cleared:
        say(f"Removed the stale lock {lock.path}: {lock.reason}.")


def tell_unwritten(
    options: Options,
    manager: MemoryManager,
    workspace: Workspace,
    change_sets: Sequence[ChangeSet],
) -> None:
    """That nothing was written yet, and what would hinder it now."""
    scopes = {each.store.scope for each in change_sets}
    hindrances: list[str] = []
    with suppress(NoHomeError):
        refusals = manager.refusals(workspace)
        hindrances = [reason for scope, reason in refusals.items() if scope in scopes]
    for reason in dict.fromkeys(hindrances):
        say(f"It would be refused now: {reason}")
    if not hindrances and not options.as_json:
        say("Nothing is written yet; add --yes to do it.")


def undo_hint(options: Options, applied: Applied, word: str) -> str:
    """How to take it back, with the place that the call named; a demo is gone by then."""
    if options.is_demo or not applied.group:
        return ""
    where: list[str] = []
    if options.project is not None:
        where = ["--project", str(options.project)]
    if options.memory_dir is not None:
        where = ["--memory-dir", str(options.memory_dir)]
    if options.agent is not None:
        where += ["--agent", options.agent]
    return f" {word}: {shlex.join(['memtui', 'undo', applied.group, *where])}"


def new_page() -> Page:
    """A page for the terminal that there is, or for a pipe."""
    from memtui.cli.tables import Page

    return Page(columns(), has_colour())


def _extract(options: Options, manager: MemoryManager) -> int:
    from memtui.cli.live import extract

    return extract(options, manager)


def _dream(options: Options, manager: MemoryManager) -> int:
    from memtui.cli.live import dream

    return dream(options, manager)


_VERBS: Mapping[Verb, Callable[[Options, MemoryManager], int]] = {
    "dream": _dream,
    "extract": _extract,
    "forget": _forget,
    "index": _rebuild,
    "log": _log,
    "undo": _undo,
}
