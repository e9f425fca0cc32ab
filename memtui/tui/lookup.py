"""What the screen looks up in a workspace: rows, documents, problems, links, header values.

Invariant: built once per workspace, in a worker; then only read. Pure but for what it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from memtui.engine.format.entries import entries_of
from memtui.engine.format.filter import Filter, filter_documents, parse_filter, search_text
from memtui.engine.format.index_report import IndexReport
from memtui.engine.format.links import FileLink, backlinks, links_of
from memtui.engine.format.resolve import Resolver
from memtui.engine.text import fold
from memtui.engine.types import (
    INDEX_NAME,
    SCOPES,
    FileProblem,
    Scope,
    TopicDocument,
    Verdict,
)
from memtui.engine.workspace import Workspace, project_title
from memtui.tui.index_view import IndexView
from memtui.tui.messages import Place
from memtui.tui.reading import DocumentView, LinkView, ProblemView, is_long
from memtui.tui.safe_text import safe_line
from memtui.tui.state import FileRow, document_row, index_row, problem_row, scope_rows
from memtui.tui.widgets.bars import HeaderValues
from memtui.tui.widgets.rows import Row

_LARGE_BYTES = 1_000_000
_NO_VERDICT = Verdict(None)
_MARKED_TOKENS = 64
"""More of a prompt's tokens are not marked; `classic` knows no limit (spec section 5)."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """A workspace, made ready for the screen."""

    workspace: Workspace
    reports: Mapping[Scope, IndexReport]
    now_ns: int
    documents: Mapping[Place, TopicDocument]
    problems: Mapping[Place, FileProblem]
    back: Mapping[Scope, Mapping[str, tuple[FileLink, ...]]]
    rows: Mapping[Place, FileRow]
    resolvers: dict[Scope, Resolver] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        """True where a first key would wait for `prepare`, or for that of the ranker."""
        total_bytes = sum(len(document.raw) for document in self.documents.values())
        return total_bytes > _LARGE_BYTES

    @property
    def total(self) -> int:
        """How many memories there are."""
        return len(self.documents)

    def list_rows(self, filter_text: str) -> tuple[list[Row], int]:
        """The rows that fit a filter, under the heads of their scopes, and how many memories."""
        wanted = parse_filter(filter_text)
        workspace = self.workspace
        chosen = filter_documents(workspace.snapshots, wanted, workspace.verdicts, self.now_ns)
        by_scope: dict[Scope, list[FileRow]] = {}
        for document in chosen:
            row = self.rows[(document.scope, document.path)]
            by_scope.setdefault(document.scope, []).append(row)
        rows: list[Row] = []
        for scope in SCOPES:
            snapshot = workspace.of(scope)
            files = by_scope.get(scope, [])
            extra = [*self._index_rows(scope, wanted), *self._problem_rows(scope, wanted)]
            if files or extra or (snapshot is not None and not filter_text.strip()):
                total = len(snapshot.documents) if snapshot is not None else 0
                rows += scope_rows(scope, [*extra, *files], len(files), total)
        return rows, len(chosen)

    def prepare(self) -> None:
        """Fold the text of all memories, which the filter looks at; fit for a worker thread."""
        for document in self.documents.values():
            document.derive(search_text)

    def header(self, note: str) -> HeaderValues:
        """What the first row says."""
        workspace = self.workspace
        project = workspace.project
        report = self.reports.get("project") or next(iter(self.reports.values()), None)
        return HeaderValues(
            place=safe_line(project_title(project.store)) if project else "",
            agent=workspace.agent,
            counts=tuple(
                (snapshot.store.scope, len(snapshot.documents)) for snapshot in workspace.snapshots
            ),
            unseen=sum(len(workspace.unseen(scope)) for scope in workspace.verdicts),
            problems=len(self.problems),
            index_lines=report.lines if report and report.kind != "none" else None,
            index_bytes=report.bytes if report else 0,
            is_over=bool(report and report.cut_line is not None),
            note=note,
        )

    def view(
        self, place: Place, *, tokens: tuple[str, ...], is_raw: bool
    ) -> DocumentView | IndexView | ProblemView | None:
        """What the memory pane shows of a file; None where it is gone."""
        scope, path = place
        problem = self.problems.get(place)
        if problem is not None:
            return ProblemView(scope, path, problem.message)
        document = self.documents.get(place)
        if document is not None:
            return self._document_view(document, tokens, is_raw)
        snapshot, report = self.workspace.of(scope), self.reports.get(scope)
        if snapshot is not None and report is not None and path == INDEX_NAME:
            return IndexView(scope, report, snapshot.store.agent)
        return None

    def _document_view(
        self, document: TopicDocument, tokens: tuple[str, ...], is_raw: bool
    ) -> DocumentView:
        scope = document.scope
        report = self.reports.get(scope)
        return DocumentView(
            document=document,
            verdict=self.workspace.verdicts[scope].get(document.path, _NO_VERDICT),
            agent_name=agent_name(self.workspace),
            # A body that is shown raw shows neither its entries nor its links; they take long.
            entries=() if is_long(document) else entries_of(document),
            index_line=report.line_of.get(document.path) if report else None,
            has_index=report is not None and report.kind != "none",
            links_out=() if is_long(document) else self._links_out(document),
            links_in=tuple(
                LinkView(safe_line(link.path), f"line {link.link.line}")
                for link in self.back.get(scope, {}).get(document.path, ())
            ),
            tokens=tokens[:_MARKED_TOKENS],
            is_raw=is_raw,
            now_ns=self.now_ns,
        )

    def _links_out(self, document: TopicDocument) -> tuple[LinkView, ...]:
        links = links_of(document)
        snapshot = self.workspace.of(document.scope)
        if not links or snapshot is None:
            return ()
        resolver = self.resolvers.setdefault(document.scope, Resolver(snapshot))
        base = document.path.rpartition("/")[0]
        views = []
        for link in links:
            resolved = resolver.resolve(link.form, link.target, base)
            near = f"did you mean {safe_line(resolved.path)}?" if resolved.path else ""
            views.append(
                LinkView(
                    safe_line(link.target if resolved.is_broken else resolved.path or link.target),
                    f"line {link.line}",
                    is_broken=resolved.is_broken,
                    hint=near if resolved.is_broken else "",
                )
            )
        return tuple(views)

    def _index_rows(self, scope: Scope, wanted: Filter) -> list[FileRow]:
        """The index, where what it holds itself fits: its entries are found as their files."""
        row, report = self.rows.get((scope, INDEX_NAME)), self.reports.get(scope)
        if row is None or report is None or report.index is None:
            return []
        own = [line.text for line in report.index.lines if line.kind not in ("entry", "cut")]
        return [row] if wanted.matches_text(fold("\n".join([INDEX_NAME, *own]))) else []

    def _problem_rows(self, scope: Scope, wanted: Filter) -> list[FileRow]:
        return [
            self.rows[place]
            for place in self.problems
            if place[0] == scope and wanted.matches_text(fold(place[1]))
        ]


def build_lookup(workspace: Workspace, reports: Mapping[Scope, IndexReport], now_ns: int) -> Lookup:
    """Everything the screen looks up in `workspace`, at the time `now_ns`."""
    documents = {
        (document.scope, document.path): document
        for snapshot in workspace.snapshots
        for document in snapshot.documents
    }
    problems: dict[Place, FileProblem] = {}
    for problem in chain(
        _closed_stores(workspace), *(snapshot.problems for snapshot in workspace.snapshots)
    ):
        before = problems.get((problem.scope, problem.path))
        if before is not None:
            message = f"{before.message} {problem.message}"
            problem = FileProblem(problem.path, problem.scope, problem.rule, message)
        problems[(problem.scope, problem.path)] = problem
    rows: dict[Place, FileRow] = {
        place: document_row(
            document, workspace.verdicts[place[0]].get(place[1], _NO_VERDICT), now_ns
        )
        for place, document in documents.items()
    }
    rows |= {place: problem_row(problem) for place, problem in problems.items()}
    for scope, report in reports.items():
        if report.kind != "none":
            rows[(scope, INDEX_NAME)] = index_row(scope, INDEX_NAME, report.lines)
    back = {snapshot.store.scope: backlinks(snapshot) for snapshot in workspace.snapshots}
    return Lookup(workspace, reports, now_ns, documents, problems, back, rows)


def _closed_stores(workspace: Workspace) -> Iterator[FileProblem]:
    """Stores of the same agent that are there and cannot be read, each by its directory."""
    for place in workspace.looked_in:
        store = place.store
        is_faulty = place.state in ("unreadable", "not-a-directory")
        if is_faulty and store.agent == workspace.agent and workspace.of(store.scope) is None:
            yield FileProblem(str(store.memory_dir), store.scope, place.state, place.message)


def agent_name(workspace: Workspace) -> str:
    """Whose eyes a verdict speaks of: `Qwen 0.24`, `Claude Code`."""
    if workspace.agent == "claude":
        return "Claude Code"
    if workspace.agent == "none":
        return "no agent"
    version = workspace.qwen_version
    if version is None:
        return "Qwen Code"
    return safe_line("Qwen " + ".".join(version.split(".")[:2]))
