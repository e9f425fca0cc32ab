"""The verbs: each asks the manager, writes its answer, and gives the exit code.

Invariant: nothing here changes a store; the verbs that do are in `changing`. Data goes to standard
output only, sentences to standard error only. What could not be read is said and makes the exit
code 4; what could is shown all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

from memtui.cli.arguments import Options, Verb
from memtui.cli.json_values import (
    index_value,
    list_value,
    projects_value,
    recall_value,
    show_value,
    verdict_of,
)
from memtui.cli.output import DONE, NOTHING, columns, has_colour, say, write_json, write_lines
from memtui.cli.stores import open_stores, resolved
from memtui.engine.errors import MemtuiError, StoreError
from memtui.engine.manager import MemoryManager


def run(options: Options, manager: MemoryManager) -> int:
    """Run the verb of `options`; gives the exit code. Raises MemtuiError."""
    if options.verb is None:
        raise ValueError("no verb to run")
    return _VERBS[options.verb](options, manager)


def _list(options: Options, manager: MemoryManager) -> int:
    opened = open_stores(options, manager)
    if options.as_json:
        write_json(list_value(opened.snapshots, opened.workspace.verdicts))
    else:
        from memtui.cli.pages import list_page
        from memtui.cli.tables import Page

        page = Page(columns(), has_colour())
        now_ns = manager.clock_ns()
        write_lines(list_page(page, opened.snapshots, opened.workspace.verdicts, now_ns))
    if not any(snapshot.documents or snapshot.problems for snapshot in opened.snapshots):
        say("There is no memory here yet; the agent writes the first when it learns something.")
    return opened.exit_code(DONE)


def _show(options: Options, manager: MemoryManager) -> int:
    opened = open_stores(options, manager)
    snapshot, document, entry = resolved(options.id, opened.snapshots)
    verdict = verdict_of(document, opened.workspace.verdicts)
    if options.as_json:
        write_json(show_value(document, verdict))
    else:
        from memtui.cli.pages import show_page
        from memtui.cli.tables import Page

        page = Page(columns(), has_colour())
        agent, now_ns = snapshot.store.agent, manager.clock_ns()
        write_lines(show_page(page, document, verdict, agent, now_ns, entry))
    return opened.exit_code(DONE)


def _recall(options: Options, manager: MemoryManager) -> int:
    opened = open_stores(options, manager)
    workspace = opened.workspace
    ranker = manager.ranker(workspace, opened.scopes)
    scorer = workspace.auto_scorer if options.scorer == "auto" else options.scorer
    started_s = perf_counter()
    recall = ranker.rank(options.query, scorer, options.limit)
    took_ms = round((perf_counter() - started_s) * 1000)
    left_out = ranker.left_out(recall)
    if options.as_json:
        write_json(recall_value(recall, left_out))
    else:
        from memtui.cli.pages import recall_page
        from memtui.cli.tables import Page

        page = Page(columns(), has_colour())
        write_lines(recall_page(page, recall, left_out, workspace.agent))
    if not recall.hits:
        say(
            "Nothing is recalled: no memory matches."
            if recall.tokens
            else "Nothing is recalled: the query has no word that the scorer looks for."
        )
    if not manager.is_readonly:
        manager.log_recall(workspace, recall, took_ms)
    return opened.exit_code(DONE if recall.hits else NOTHING)


def _index(options: Options, manager: MemoryManager) -> int:
    if options.is_rebuild:
        return _changing(options, manager)
    opened = open_stores(options, manager, ("project",))
    (snapshot,) = opened.snapshots
    report = manager.index_report(opened.workspace, snapshot.store.scope)
    if report is None:
        raise MemtuiError("The store went away while it was read.")
    if options.as_json:
        write_json(index_value(snapshot.store.scope, report))
    else:
        from memtui.cli.index_page import index_page
        from memtui.cli.tables import Page

        write_lines(index_page(Page(columns(), has_colour()), snapshot, report))
    return opened.exit_code(DONE)


def _projects(options: Options, manager: MemoryManager) -> int:
    discovery = manager.projects()
    projects = [project for project in discovery.projects if options.agent in (None, project.agent)]
    if options.as_json:
        write_json(projects_value(projects))
    elif projects:
        from memtui.cli.pages import projects_page
        from memtui.cli.tables import Page

        write_lines(projects_page(Page(columns(), has_colour()), projects))
    for problem in discovery.problems:
        say(problem)
    if projects:
        return DONE
    if discovery.problems:
        return StoreError.exit_code
    say("No project has a memory yet; an agent makes one when it first remembers something.")
    return NOTHING


def _changing(options: Options, manager: MemoryManager) -> int:
    from memtui.cli.changing import run_changing

    return run_changing(options, manager)


_VERBS: Mapping[Verb, Callable[[Options, MemoryManager], int]] = {
    "list": _list,
    "show": _show,
    "recall": _recall,
    "forget": _changing,
    "dream": _changing,
    "extract": _changing,
    "index": _index,
    "log": _changing,
    "undo": _changing,
    "projects": _projects,
}
