"""The verbs of what runs over time: `extract` and `dream`.

Invariant: nothing is written without `--yes` but a line of the event log and the recovery of what
a memtui left unfinished; a refusal is one sentence and exit code 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from memtui.cli.arguments import Options
from memtui.cli.change_values import applied_value
from memtui.cli.changing import new_page, tell_applied, tell_unwritten, undo_hint
from memtui.cli.live_pages import SKIPPED, dream_page, extract_page
from memtui.cli.live_values import dream_value, extract_value
from memtui.cli.output import DONE, say, write_json, write_lines
from memtui.cli.stores import open_stores
from memtui.cli.tables import plural
from memtui.engine.disk.agent_lock import makes_lock
from memtui.engine.disk.store import Applied
from memtui.engine.errors import StoreError
from memtui.engine.lifecycle.sessions import find_session, project_sessions, with_missing
from memtui.engine.manager import MemoryManager
from memtui.engine.near import Work
from memtui.engine.plans.suggestions import stop_sentence
from memtui.engine.types import ChangeSet


def extract(options: Options, manager: MemoryManager) -> int:
    """Show what the unread part of a session says; with `--yes` write what is selected."""
    (scope,) = options.scopes or ("project",)
    try:
        opened = open_stores(options, manager, (scope,))
        workspace, code = opened.workspace, opened.exit_code(DONE)
    except StoreError:
        workspace, code = with_missing(manager.scan(), scope), DONE
        if workspace.of(scope) is None or not project_sessions(workspace):
            raise
    extracting = manager.live.extracting
    path = None
    if options.session:
        sessions = project_sessions(workspace)
        path = find_session(sessions, options.session, manager.target.directory)
    # A session that is named is meant: no reason skips it but the machine's.
    plan = extracting.plan(workspace, path, scope=scope, skips=path is None)
    applied: Applied | None = None
    change_sets: Sequence[ChangeSet] = ()
    if plan.moves_cursor:
        read = {plan.session: plan.length}
        change_sets = (
            extracting.change_set(workspace, scope, plan.selected, read, has_news=plan.has_news),
        )
        if options.is_confirmed:
            applied = extracting.apply(
                plan.selected,
                read,
                scope=scope,
                has_news=plan.has_news,
                break_stale=options.breaks_stale_lock,
            )
            change_sets = applied.change_sets
            tell_applied(applied)
    elif plan.skipped_reason is not None and options.is_confirmed:
        manager.telemetry(workspace).extract("manual", "skipped", plan.skipped_reason, 0, (), 0)
    if options.as_json:
        states = [state for each in change_sets for state in each.state_changes]
        cursor = next((state for state in states if state.name != "meta.json"), None)
        write_json({**extract_value(plan, cursor), **applied_value(change_sets, applied)})
    elif plan.path is None:
        say(plan.problem)
    else:
        lines = extract_page(new_page(), plan)
        if applied is not None:
            said = "Nothing is written; the messages count as read."
            if plan.selected:
                written = plural(len(plan.selected), "memory is", "memories are")
                said = f"{written} written.{undo_hint(options, applied, 'Undo')}"
            lines += ["", new_page().style(said, "good")]
            if passed := len(plan.patches) - len(plan.selected):
                noun = plural(passed, "statement is", "statements are")
                lines.append(
                    new_page().style(f"! {noun} not selected and passed over.", "attention")
                )
        write_lines(lines)
    if plan.problem and plan.path is not None:
        say(plan.problem)
    if applied is None and plan.selected:
        tell_unwritten(options, manager, workspace, change_sets)
    return code


def dream(options: Options, manager: MemoryManager) -> int:
    """Show how the store would be tidied; with `--yes` tidy it; with `--auto` ask the gates."""
    opened = open_stores(options, manager, ("project",))
    workspace, scope = opened.workspace, opened.scopes[0]
    dreaming = manager.live.dreaming
    gates = dreaming.gates(workspace, scope)
    lock = dreaming.lock(workspace, scope)
    skipped = gates.reason if options.is_auto else None
    plan = None if skipped is not None else dreaming.plan(workspace, scope)
    work = Work()
    suggestions = dreaming.suggestions(workspace, scope, plan=plan, work=work)
    applied: Applied | None = None
    change_sets: Sequence[ChangeSet] = ()
    if plan is not None:
        change_sets = (plan.change_set,) if plan.change_set.changes else ()
        if options.is_confirmed:
            dreamed = dreaming.run(
                scope,
                trigger="auto" if options.is_auto else "manual",
                break_stale=options.breaks_stale_lock,
            )
            plan, applied = dreamed.plan, dreamed.applied
            change_sets = applied.change_sets
            tell_applied(applied)
    if options.as_json:
        value = dream_value(plan, gates, lock, suggestions, skipped)
        write_json({**value, **applied_value(change_sets, applied)})
    else:
        shown = () if applied is not None else change_sets
        clears = makes_lock(workspace.store(scope))
        lines = dream_page(new_page(), plan, gates, lock, suggestions, shown, clears_stale=clears)
        if applied is not None and plan is not None:
            merged = plural(plan.deduped_entries, "entry", "entries")
            files = plural(len(plan.change_set.changes), "file")
            said = "Noted as done: there was nothing to tidy."
            if plan.change_set.changes:
                hint = undo_hint(options, applied, "Undo")
                said = f"Merged {merged}, {files} changed.{hint}"
            lines += ["", new_page().style(said, "good")]
        write_lines(lines)
    if left_out := stop_sentence(work):
        say(left_out)
    fault = dreaming.fault(workspace, scope)
    if fault:
        say(fault)
    if skipped is not None:
        say(f"No dream ({skipped}): {SKIPPED.get(skipped, skipped)}.")
    elif applied is None and change_sets:
        tell_unwritten(options, manager, workspace, change_sets)
    return opened.exit_code(DONE)
