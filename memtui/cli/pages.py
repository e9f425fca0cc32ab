"""What each verb shows a person.

Invariant: pure; values in, finished lines out. The same facts as the JSON of the verb, and a sign
or word for each, so that nothing hangs on colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memtui.cli.json_values import Verdicts, iso_time, verdict_of
from memtui.cli.tables import AGENT_NAMES, Cell, Page, Row, plural, short_age
from memtui.engine.disk.projects import Project
from memtui.engine.format.entries import entries_of
from memtui.engine.recall.prompt import age_days, age_text
from memtui.engine.text import utf16_length
from memtui.engine.types import (
    Agent,
    Entry,
    FileProblem,
    Hit,
    LeftOut,
    Point,
    Recall,
    Snapshot,
    TopicDocument,
    Verdict,
)
from memtui.tui.safe_text import safe_lines

_TOP_LEFT_OUT = 3
_LABEL_CELLS = 13

_SCORER_OF = {"classic": "Qwen Code up to 0.22", "weighted": "Qwen Code since 0.23"}
_WHO_CHOOSES: dict[Agent, str] = {
    "qwen": "Qwen Code asks a model first where one is configured; this is its own choice without.",
    "claude": "A simulation: Claude Code chooses by the index.",
    "none": "A simulation: no agent reads this store.",
}


def list_page(
    page: Page, snapshots: Sequence[Snapshot], verdicts: Verdicts, now_ns: int
) -> list[str]:
    """`list`: the memories by scope, whether they are seen, and the files that are none."""
    lines: list[str] = []
    for snapshot in snapshots:
        store = snapshot.store
        if lines:
            lines.append("")
        head = (
            f"{AGENT_NAMES[store.agent]} · {plural(len(snapshot.documents), 'memory', 'memories')}"
        )
        lines.append(
            f"{page.style(store.scope, 'strong')} · {head} · "
            f"{page.style(str(store.memory_dir), 'muted')}"
        )
        documents = snapshot.documents
        rows = [
            _list_row(document, verdict_of(document, verdicts), now_ns) for document in documents
        ]
        for document, line in zip(documents, page.table(rows, indent=2, cut=1), strict=True):
            lines.append(line)
            lines += _faults(page, document, verdict_of(document, verdicts), "    ")
    problems = [problem for snapshot in snapshots for problem in snapshot.problems]
    return lines + _problems(page, problems)


def _list_row(document: TopicDocument, verdict: Verdict, now_ns: int) -> Row:
    words = [] if document.body_text.strip() else ["empty"]
    entries = len(entries_of(document))
    if entries > 1:
        words.append(plural(entries, "entry", "entries"))
    if document.is_pinned:
        words.append("pinned")
    if document.link is not None:
        words.append(f"link to {document.link}")
    return (
        Cell(document.type or "no type", "accent" if document.type else "attention"),
        Cell(document.name, "strong"),
        Cell(document.path),
        Cell(short_age(document.mtime_ns, now_ns), "muted", is_right=True),
        _verdict_cell(verdict),
        Cell(" · ".join(words), "muted"),
    )


def _verdict_cell(verdict: Verdict) -> Cell:
    if verdict.seen is None:
        return Cell("·", "muted")
    return Cell("✓ seen", "good") if verdict.seen else Cell("✗ unseen", "bad")


def _faults(page: Page, document: TopicDocument, verdict: Verdict, indent: str) -> list[str]:
    """Why an agent does not see a document, and what is wrong with it."""
    lines = []
    for skip in verdict.skipped_by:
        sentence = f"✗ {AGENT_NAMES[skip.agent]} skips it: {skip.reason}"
        lines.append(indent + page.style(sentence, "bad" if verdict.seen is False else "muted"))
    for problem in document.problems:
        lines.append(indent + page.style(f"! {problem.message}", "attention"))
    return lines


def _problems(page: Page, problems: Sequence[FileProblem]) -> list[str]:
    if not problems:
        return []
    count = len(problems)
    head = "1 file is no memory:" if count == 1 else f"{count:,} files are no memories:"
    rows = [
        (Cell(f"{problem.scope}:{problem.path}"), Cell(problem.message)) for problem in problems
    ]
    return ["", page.style(head, "attention"), *page.table(rows, indent=2)]


def show_page(
    page: Page,
    document: TopicDocument,
    verdict: Verdict,
    agent: Agent,
    now_ns: int,
    entry: Entry | None = None,
) -> list[str]:
    """`show`: the head of a document, then its body, or `entry` of it alone."""
    entries = entries_of(document)
    lines = [page.style(f"{document.scope}:{entry.id if entry else document.path}", "strong")]

    def fact(label: str, text: str) -> None:
        lines.append(page.style(label.ljust(_LABEL_CELLS), "muted") + page.style(text, "plain"))

    fact("name", document.name)
    fact("description", document.description)
    fact("type", document.type or "none")
    shown = {"name", "description", "type" if document.type_place == "top" else ""}
    for field in document.fields:
        if field.key not in shown:
            fact(field.key, field.value)
    age = age_text(age_days(document.mtime_ns, now_ns))
    fact("saved", f"{age}, {iso_time(document.mtime_ns)}")
    if verdict.seen is not None:
        word = "✓ by" if verdict.seen else "✗ not by"
        fact("seen", f"{word} {AGENT_NAMES[agent]}")
    if document.is_pinned:
        fact("pinned", "yes")
    if document.link is not None:
        fact("link to", document.link)
    lines += _faults(page, document, verdict, "")
    if len(entries) > 1 and entry is None:
        lines += ["", page.style(plural(len(entries), "entry", "entries"), "muted")]
        rows = [(Cell(f"{one.id}@{one.digest}", "accent"), Cell(one.summary)) for one in entries]
        lines += page.table(rows, indent=2, cut=1)
    span = entry.span if entry else document.body
    text = span.of(document.source).decode("utf-8", "replace").strip("\r\n")
    return [*lines, "", *(safe_lines(text) if text.strip() else ["(the body is empty)"])]


def recall_page(page: Page, recall: Recall, left_out: Sequence[LeftOut], agent: Agent) -> list[str]:
    """`recall`: what is injected, the points of each, and what was left out."""
    tokens = ", ".join(recall.tokens) or "none"
    lines = [
        f"{page.style(recall.scorer, 'strong')} ({_SCORER_OF[recall.scorer]}) · "
        f"{page.style(f'tokens: {tokens}', 'plain')} · "
        f"{plural(recall.scanned, 'memory', 'memories')}",
        page.style(_WHO_CHOOSES[agent], "muted"),
    ]
    if recall.hits:
        lines.append("")
    for hit, line in zip(recall.hits, page.table(_hit_rows(recall.hits), cut=3), strict=True):
        lines += [line, page.style(f"   {reasons(hit.points)}", "muted")]
    if recall.prompt:
        size = plural(utf16_length(recall.prompt), "character")
        lines += ["", f"Injected: {size}; --json has the block as `prompt`."]
    if left_out:
        counts = Counter(left.reason for left in left_out).most_common()
        said = " · ".join(f"{count:,} {reason}" for reason, count in counts)
        lines += ["", f"{len(left_out):,} left out: {said}"]
        rows = [
            (
                Cell(str(left.score), "muted", is_right=True),
                Cell(left.name),
                Cell(f"{left.scope}:{left.path}"),
                Cell(left.reason, "muted"),
            )
            for left in left_out[:_TOP_LEFT_OUT]
            if left.score > 0
        ]
        lines += page.table(rows, indent=2, cut=1)
    return lines


def _hit_rows(hits: Sequence[Hit]) -> list[Row]:
    return [
        (
            Cell(str(hit.rank), "strong", is_right=True),
            Cell(str(hit.score), is_right=True),
            Cell(hit.document.type or "no type", "accent"),
            Cell(hit.document.name, "strong"),
            Cell(f"{hit.document.scope}:{hit.document.path}"),
        )
        for hit in hits
    ]


def reasons(points: Sequence[Point]) -> str:
    """`terse: name +4, description +3 · style: type +1`."""
    by_token: dict[str, list[str]] = {}
    for point in points:
        by_token.setdefault(point.token, []).append(f"{point.field} +{point.points}")
    return " · ".join(
        f"{token}: {', '.join(fields)}" if token else f"{fields[0]} (it is not empty)"
        for token, fields in by_token.items()
    )


def projects_page(page: Page, projects: Sequence[Project]) -> list[str]:
    """`projects`: each with its agent, its documents, and its folders or its key."""
    rows = [
        (
            Cell(AGENT_NAMES[project.agent], "accent"),
            Cell(plural(project.documents, "memory", "memories"), is_right=True),
            Cell(project.title, "strong"),
            Cell(_project_words(project), "attention"),
        )
        for project in projects
    ]
    lines: list[str] = []
    for project, line in zip(projects, page.table(rows), strict=True):
        lines.append(line)
        for folder in project.folders[1:]:
            gone = "" if folder.exists else "  gone"
            lines.append(f"    {page.style(f'also {folder.path}{gone}', 'muted')}")
        lines += [f"    {page.style(f'! {problem}', 'attention')}" for problem in project.problems]
    return lines


def _project_words(project: Project) -> str:
    words = []
    if not project.folders:
        words.append("key only: no session tells its folder")
    elif not project.folders[0].exists:
        words.append("gone")
    if project.is_shared:
        words.append(f"shared: {len(project.folders)} folders have this one memory")
    return " · ".join(words)
