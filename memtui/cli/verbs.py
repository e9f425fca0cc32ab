"""The verbs: each asks the manager, writes its answer, and gives the exit code.

Invariant: nothing on disk is changed. Data goes to standard output only, sentences to standard
error only. What could not be read is said and makes the exit code 4; what could is shown all the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memtui.cli.arguments import Options, Verb
from memtui.cli.json_values import (
    index_value,
    list_value,
    projects_value,
    recall_value,
    show_value,
    verdict_of,
)
from memtui.cli.output import columns, has_colour, say, write_json, write_lines
from memtui.engine.errors import MemtuiError, StoreError, UnknownIdError
from memtui.engine.format.entries import parse_entry_id, resolve_document, resolve_entry
from memtui.engine.manager import MemoryManager
from memtui.engine.types import (
    INDEX_NAME,
    SCOPES,
    Agent,
    Entry,
    Scope,
    Snapshot,
    TopicDocument,
)
from memtui.engine.workspace import Workspace

DONE, NOTHING = 0, 1
_AGENT_NAMES: Mapping[Agent, str] = {
    "qwen": "Qwen Code",
    "claude": "Claude Code",
    "none": "no agent",
}
_SUGGESTIONS = 3


def run(options: Options, manager: MemoryManager) -> int:
    """Run the verb of `options`; gives the exit code. Raises MemtuiError."""
    if options.verb is None:
        raise ValueError("no verb to run")
    return _VERBS[options.verb](options, manager)


@dataclass(frozen=True, slots=True)
class _Opened:
    """The stores a verb is about."""

    workspace: Workspace
    snapshots: tuple[Snapshot, ...]
    """Those that could be read, at least one."""
    is_whole: bool
    """False where one could not be read."""

    def exit_code(self, code: int) -> int:
        """`code`, unless something could not be read."""
        return code if self.is_whole else StoreError.exit_code

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return tuple(snapshot.store.scope for snapshot in self.snapshots)


def _open(options: Options, manager: MemoryManager, default: Sequence[Scope] = SCOPES) -> _Opened:
    """Scan; says what could not be read. Raises StoreError where nothing is left."""
    workspace = manager.scan()
    wanted = options.scopes or default
    chosen = [snap for snap in workspace.snapshots if snap.store.scope in wanted]
    readable = tuple(snap for snap in chosen if snap.state == "ok")
    faults = {snap.store.memory_dir: snap.message for snap in chosen if snap.state != "ok"}
    for place in workspace.looked_in:
        store = place.store
        if (
            place.state in ("unreadable", "not-a-directory")
            and store.scope in wanted
            and (not workspace.snapshots or store.agent == workspace.agent)
        ):
            faults.setdefault(store.memory_dir, place.message)
    fault = manager.directory_fault()
    if not readable:
        raise StoreError(" ".join(faults.values()) or _no_memory(workspace, wanted, options, fault))
    for message in faults.values():
        say(message)
    if fault:
        say(f"{fault.removesuffix('.')}; shown is the memory that belongs to that place.")
    return _Opened(workspace, readable, is_whole=not faults)


def _no_memory(workspace: Workspace, wanted: Sequence[Scope], options: Options, fault: str) -> str:
    """Where was looked, and what to do; `fault` is what is wrong with the folder itself."""
    what = "memory" if len(wanted) == len(SCOPES) else f"{' or '.join(wanted)} memory"
    places = [
        str(place.store.memory_dir)
        for place in workspace.looked_in
        if place.store.scope in wanted
        and (not workspace.snapshots or place.store.agent == workspace.agent)
    ]
    if not places:
        agent = options.agent or workspace.agent
        return f"There is no {what} here: {_AGENT_NAMES[agent]} keeps none for this folder."
    if fault:
        fault += " "
    return (
        f"{fault}No {what} here: looked in {', '.join(places)}. "
        "Start in a project folder, or name one with --project or --memory-dir."
    )


def _list(options: Options, manager: MemoryManager) -> int:
    opened = _open(options, manager)
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
    opened = _open(options, manager)
    snapshot, document, entry = _resolved(options.id, opened.snapshots)
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


def _resolved(
    text: str, snapshots: Sequence[Snapshot]
) -> tuple[Snapshot, TopicDocument, Entry | None]:
    """The file that an ID names, and the entry where it names one of several.

    Raises StoreError where it names a file that cannot be read, UnknownIdError with what it may
    have meant where it names none.
    """
    try:
        wanted = parse_entry_id(text)
        if wanted.index is None and wanted.digest is None:
            return (*resolve_document(text, snapshots), None)
        snapshot, document, entry = resolve_entry(text, snapshots)
    except UnknownIdError as error:
        for problem in (problem for snapshot in snapshots for problem in snapshot.problems):
            if text in (problem.path, f"{problem.scope}:{problem.path}"):
                raise StoreError(f"`{text}`: {problem.message}") from None
        raise UnknownIdError(f"{error}{_hint(text, snapshots)}") from None
    return snapshot, document, None if entry.index is None else entry


def _hint(text: str, snapshots: Sequence[Snapshot]) -> str:
    """What an unknown ID may have meant; empty where nothing is near."""
    from difflib import get_close_matches

    if text.rpartition(":")[2] == INDEX_NAME:
        return " That is the index: `memtui index` reports on it."
    documents = [document for snapshot in snapshots for document in snapshot.documents]
    wanted = text.casefold()
    near = [
        document
        for document in documents
        if wanted in (document.name.casefold(), document.path.rpartition("/")[2].casefold())
    ]
    if not near:
        by_path = {document.path.casefold(): document for document in reversed(documents)}
        paths = get_close_matches(wanted, by_path, _SUGGESTIONS)
        near = [by_path[path] for path in paths]
    names = [f"`{document.scope}:{document.path}`" for document in near[:_SUGGESTIONS]]
    return f" Did you mean {' or '.join(names)}?" if names else " `memtui list` shows all."


def _recall(options: Options, manager: MemoryManager) -> int:
    opened = _open(options, manager)
    workspace = opened.workspace
    ranker = manager.ranker(workspace, opened.scopes)
    scorer = workspace.auto_scorer if options.scorer == "auto" else options.scorer
    recall = ranker.rank(options.query, scorer, options.limit)
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
    return opened.exit_code(DONE if recall.hits else NOTHING)


def _index(options: Options, manager: MemoryManager) -> int:
    opened = _open(options, manager, ("project",))
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


_VERBS: Mapping[Verb, Callable[[Options, MemoryManager], int]] = {
    "list": _list,
    "show": _show,
    "recall": _recall,
    "index": _index,
    "projects": _projects,
}
