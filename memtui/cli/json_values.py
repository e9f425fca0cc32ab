"""Engine values → the JSON of each verb (design section 6).

Invariant: pure; keys and their order are fixed, since scripts read them. File text stays as it is;
`output.to_json` makes it safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone

from memtui.engine.disk.projects import Project
from memtui.engine.format.entries import entries_of
from memtui.engine.format.index_report import IndexReport
from memtui.engine.types import (
    Entry,
    LeftOut,
    Recall,
    Scope,
    Snapshot,
    TopicDocument,
    Verdict,
)

Value = dict[str, object]
Verdicts = Mapping[Scope, Mapping[str, Verdict]]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def iso_time(time_ns: int) -> str:
    """`time_ns` since the epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ` (spec section 11).

    A time outside the years 1 to 9999, which a file system can hold, is the nearest in it.
    """
    try:
        moment = _EPOCH + timedelta(milliseconds=time_ns // 1_000_000)
    except OverflowError:
        limit = datetime.max if time_ns > 0 else datetime.min
        moment = limit.replace(tzinfo=timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def list_value(snapshots: Sequence[Snapshot], verdicts: Verdicts) -> Value:
    """`list`: the stores, their documents in scan order, and the files that are no document."""
    return {
        "stores": [
            {
                "scope": snapshot.store.scope,
                "agent": snapshot.store.agent,
                "memory_dir": str(snapshot.store.memory_dir),
            }
            for snapshot in snapshots
        ],
        "documents": [
            document_value(document, verdict_of(document, verdicts))
            for snapshot in snapshots
            for document in snapshot.documents
        ],
        "problems": [
            {
                "path": problem.path,
                "scope": problem.scope,
                "rule": problem.rule,
                "message": problem.message,
            }
            for snapshot in snapshots
            for problem in snapshot.problems
        ],
    }


def verdict_of(document: TopicDocument, verdicts: Verdicts) -> Verdict:
    """Whether the store's agent sees `document`; unknown where nothing was said of it."""
    return verdicts.get(document.scope, {}).get(document.path) or Verdict(None)


def document_value(document: TopicDocument, verdict: Verdict) -> Value:
    """One document of `list`."""
    return {
        "path": document.path,
        "scope": document.scope,
        "type": document.type,
        "name": document.name,
        "description": document.description,
        "mtime": iso_time(document.mtime_ns),
        "seen": verdict.seen,
        "skipped_by": [{"agent": skip.agent, "reason": skip.reason} for skip in verdict.skipped_by],
        "pinned": document.is_pinned,
        "link": document.link,
        "entries": [_entry_value(entry) for entry in entries_of(document)],
        "problems": [
            {"rule": problem.rule, "message": problem.message} for problem in document.problems
        ],
    }


def show_value(document: TopicDocument, verdict: Verdict) -> Value:
    """`show`: the document as in `list`, whole, and its body."""
    return {**document_value(document, verdict), "body": document.body_text}


def recall_value(recall: Recall, left_out: Iterable[LeftOut]) -> Value:
    """`recall`: what is injected and why, what is not and why, and the block for the model."""
    return {
        "query": recall.query,
        "scorer": recall.scorer,
        "strategy": recall.strategy,
        "tokens": list(recall.tokens),
        "documents": [
            {
                "rank": hit.rank,
                "path": hit.document.path,
                "scope": hit.document.scope,
                "score": hit.score,
                "points": [
                    {"token": point.token, "field": point.field, "points": point.points}
                    for point in hit.points
                ],
            }
            for hit in recall.hits
        ],
        "left_out": [
            {"path": left.path, "scope": left.scope, "score": left.score, "reason": left.reason}
            for left in left_out
        ],
        "prompt": recall.prompt,
    }


def index_value(scope: Scope, report: IndexReport) -> Value:
    """`index`: the size of the index, and where it and the files differ."""
    return {
        "scope": scope,
        "kind": report.kind,
        "lines": report.lines,
        "bytes": report.bytes,
        "characters": report.characters,
        "long_lines": list(report.long_lines),
        "left_out": list(report.left_out),
        "lines_without_file": [
            {"line": line.line, "target": line.target, "moved_to": line.moved_to}
            for line in report.lines_without_file
        ],
        "files_without_line": list(report.files_without_line),
        "doubled": list(report.doubled),
        "inline": [{"line": part.line, "text": part.text} for part in report.inline],
    }


def projects_value(projects: Iterable[Project]) -> Value:
    """`projects`: every project with a memory and the folders it belongs to."""
    return {
        "projects": [
            {
                "key": project.key,
                "agent": project.agent,
                "memory_dir": str(project.memory_dir),
                "documents": project.documents,
                "folders": [
                    {"path": folder.path, "exists": folder.exists} for folder in project.folders
                ],
            }
            for project in projects
        ]
    }


def _entry_value(entry: Entry) -> Value:
    return {
        "id": entry.id,
        "digest": entry.digest,
        "summary": entry.summary,
        "why": entry.why,
        "how_to_apply": entry.how_to_apply,
    }
