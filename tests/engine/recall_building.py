"""Documents and snapshots made from values, for the tests of recall."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from memtui.engine.recall.scoring import Ranker
from memtui.engine.types import (
    Agent,
    FileProblem,
    Recall,
    Scope,
    Snapshot,
    Span,
    Store,
    TopicDocument,
    Verdict,
)

GOLDEN = Path(__file__).parent.parent / "documents" / "golden"
GOLDEN_STORES = ("recall-120-documents.json", "recall-260-documents.json")
DAY_NS = 86_400 * 10**9


def document(
    path: str = "a.md",
    *,
    name: str = "",
    description: str = "",
    kind: str = "user",
    body: str = "",
    mtime_ns: int = 0,
    scope: Scope = "project",
) -> TopicDocument:
    """A document whose whole source is its body."""
    source = body.encode()
    nothing = Span(0, 0)
    return TopicDocument(
        path=path,
        scope=scope,
        mtime_ns=mtime_ns,
        raw=source,
        source=source,
        encoding="utf-8",
        lead=nothing,
        frontmatter=nothing,
        body=Span(0, len(source)),
        fields=(),
        name=name,
        description=description,
        type=kind,
        type_place="top" if kind else "",
        problems=(),
    )


def snapshot(
    documents: Iterable[TopicDocument],
    *,
    scope: Scope = "project",
    agent: Agent = "qwen",
    problems: Sequence[FileProblem] = (),
) -> Snapshot:
    """A store that holds `documents`, in scan order."""
    ordered = sorted(documents, key=lambda each: (-each.mtime_ns, each.path))
    return Snapshot(Store(scope, agent, Path("/m")), "ok", tuple(ordered), tuple(problems))


def ranker(
    *documents: TopicDocument,
    agent: Agent = "qwen",
    verdicts: Mapping[Scope, Mapping[str, Verdict]] | None = None,
) -> Ranker:
    """A ranker over one project store, at time 0."""
    return Ranker([snapshot(documents, agent=agent)], verdicts or {}, 0)


def ranking(recall: Recall) -> list[tuple[str, int]]:
    """Path and score of each hit."""
    return [(hit.document.path, hit.score) for hit in recall.hits]


def golden(file_name: str) -> dict[str, Any]:
    """One golden file."""
    return cast(dict[str, Any], json.loads((GOLDEN / file_name).read_text(encoding="utf-8")))
