"""What becomes of an index when files of its store come, go or change (spec section 7).

Invariant: a managed index is rebuilt whole, in scan order and within its limits; a line that says
what its file says keeps its bytes. Of a hand-kept index only the lines of the files in question
are written, all text of its own stays byte for byte, and a rebuild is the repair of its lines. Both
are idempotent.

Rules chosen here:

- Lines that may lead to a file behind an unreadable place, or to a nested index, are kept.
- A hand-kept line that leads out of the store is kept: nothing outside is looked at.
- A line of a hand-kept index is written anew after an edit only where it said what its file said.
- A repair that leaves an index that counts as managed is a rebuild.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from memtui.engine.format.document import parse_document
from memtui.engine.format.index import parse_index
from memtui.engine.format.index_edit import fit
from memtui.engine.format.index_line import LINE_LIMIT, index_line, is_derived
from memtui.engine.format.index_report import BUDGET_LINES, report_index
from memtui.engine.format.resolve import Resolver
from memtui.engine.plans.hand_kept import HandEdit
from memtui.engine.plans.index_values import Hidden, IndexEdit, lines_about
from memtui.engine.text import utf16_length
from memtui.engine.types import (
    INDEX_NAME,
    ChangeSet,
    FileChange,
    IndexKind,
    Snapshot,
    TopicDocument,
)

_MAX_ROUNDS = 8
"""One repair may lay bare the next: a line that goes listed other files too. Two rounds do."""


@dataclass(frozen=True, slots=True)
class RebuildPlan:
    """A whole index written anew, or repaired where it is hand-kept."""

    change_set: ChangeSet
    edit: IndexEdit


def edit_index(
    snapshot: Snapshot,
    *,
    removed: Collection[str] = (),
    written: Sequence[TopicDocument] = (),
    moved: Mapping[str, str] | None = None,
    unseen: Collection[str] = (),
) -> IndexEdit:
    """The store's own index after its topic files changed.

    `removed` are paths that go, `written` documents as they will be (new ones and changed ones,
    with their new mtime), `moved` new paths by old ones, `unseen` paths that the store's agent
    skips and that need no line.
    """
    refusal = _refusal(snapshot)
    if refusal:
        kind: IndexKind = "none" if snapshot.index is None else "hand-kept"
        return IndexEdit(INDEX_NAME, kind, notes=(refusal,))
    report = report_index(snapshot, unseen=unseen)
    index = report.index or parse_index(b"")
    after = _after(snapshot, removed, written, moved or {})
    gone = lines_about(snapshot, index, removed)
    if report.is_managed:
        return replace(_rebuild(snapshot, after, unseen), removed=gone)
    edit = HandEdit(snapshot, after, unseen)
    edit.remove(gone)
    edit.move(moved or {})
    edit.rewrite(written)
    known = {document.path for document in snapshot.documents}
    edit.add([document.path for document in written if document.path not in known])
    return replace(edit.result(), removed=gone)


def edit_nested(
    snapshot: Snapshot, *, removed: Collection[str] = (), moved: Mapping[str, str] | None = None
) -> tuple[IndexEdit, ...]:
    """The indexes in subfolders after files went or moved: each that has a line of one."""
    edits: list[IndexEdit] = []
    after = _after(snapshot, removed, (), moved or {})
    for path in snapshot.indexes:
        if path == INDEX_NAME:
            continue
        index = parse_index(snapshot.indexes[path])
        gone = lines_about(snapshot, index, removed, posixpath.dirname(path))
        edit = HandEdit(snapshot, after, (), path)
        edit.remove(gone)
        edit.move(moved or {})
        result = edit.result()
        if result.change is not None:
            edits.append(replace(result, removed=gone))
    return tuple(edits)


def plan_rebuild(snapshot: Snapshot, *, unseen: Collection[str] = ()) -> RebuildPlan:
    """The index as it should be: rebuilt where managed, its lines repaired where hand-kept.

    The repair removes lines without file and doubled ones, corrects those whose file moved or
    differs in case, and adds what no line lists; headings, order, good lines and text stay.
    """
    edit = _rebuilt(snapshot, unseen)
    changes = () if edit.change is None else (edit.change,)
    return RebuildPlan(ChangeSet(snapshot.store, "index", changes), edit)


def _rebuilt(snapshot: Snapshot, unseen: Collection[str]) -> IndexEdit:
    refusal = _refusal(snapshot)
    if refusal:
        kind: IndexKind = "none" if snapshot.index is None else "hand-kept"
        return IndexEdit(INDEX_NAME, kind, notes=(refusal,))
    report = report_index(snapshot, unseen=unseen)
    if report.is_managed:
        return _rebuild(snapshot, snapshot, unseen)
    edit = HandEdit(snapshot, snapshot, unseen)
    for _ in range(_MAX_ROUNDS):
        if not edit.repair(report):
            break
        report = report_index(edit.snapshot, unseen=unseen)
    return _settled(edit.result(), edit.snapshot, unseen)


def _settled(repair: IndexEdit, repaired: Snapshot, unseen: Collection[str]) -> IndexEdit:
    """The repair, rebuilt at once where it leaves an index that counts as managed.

    The next rebuild would do it, and no one would be asked.
    """
    if repair.change is None or not report_index(repaired).is_managed:
        return repair
    rebuild = _rebuild(repaired, repaired, unseen)
    if rebuild.change is None:
        return repair
    before = repair.change.before
    change = replace(rebuild.change, before=before)
    return replace(
        repair,
        change=None if change.after == before else change,
        left_out=rebuild.left_out,
    )


def _refusal(snapshot: Snapshot) -> str:
    """One sentence where the index cannot be written; else empty."""
    if snapshot.state != "ok":
        return snapshot.message or "The store cannot be read, so its index is left as it is."
    raw = snapshot.index
    if raw is None:
        for problem in snapshot.problems:
            if problem.path == INDEX_NAME:
                return f"{INDEX_NAME} is left as it is: {problem.message}"
        return ""
    if not parse_index(raw).is_utf8:
        return f"{INDEX_NAME} is not UTF-8, so it is left as it is; convert it first."
    return ""


def _after(
    snapshot: Snapshot,
    removed: Collection[str],
    written: Sequence[TopicDocument],
    moved: Mapping[str, str],
) -> Snapshot:
    """The snapshot as its topic files will be, in scan order; the indexes are as they were."""
    documents = {document.path: document for document in snapshot.documents}
    for path in removed:
        documents.pop(path, None)
    for old, new in moved.items():
        document = documents.pop(old, None)
        if document is not None:
            documents[new] = parse_document(
                document.raw,
                path=new,
                scope=document.scope,
                mtime_ns=document.mtime_ns,
                link=document.link,
            )
    documents.update((document.path, document) for document in written)
    ordered = sorted(documents.values(), key=lambda document: (-document.mtime_ns, document.path))
    return replace(snapshot, documents=tuple(ordered))


def _rebuild(snapshot: Snapshot, after: Snapshot, unseen: Collection[str]) -> IndexEdit:
    """A managed index anew; `after` are the files that it shall list."""
    skipped = frozenset(unseen)
    documents = [document for document in after.documents if document.path not in skipped]
    by_path = {document.path: document for document in documents}
    before = snapshot.index
    resolver = Resolver(after)
    hidden = Hidden(snapshot)
    kept: dict[str, str] = {}
    others: list[str] = []
    for line in parse_index(before or b"").lines:
        target = line.target
        if target is None:
            continue
        found = resolver.resolve(target.form, target.raw)
        document = by_path.get(found.path or "") if found.is_found else None
        if document is not None:
            fits = utf16_length(line.text) <= LINE_LIMIT
            if fits and line.is_index_line and is_derived(line, document):
                kept.setdefault(document.path, line.text)
        elif found.path in after.indexes or (not found.is_found and hidden.may_hold(target)):
            others.append(line.text)
    texts: Iterator[str] = (
        kept.get(document.path) or index_line(document) for document in documents
    )
    fitted = fit(chain(texts, others), len(documents) + len(others))
    kind: IndexKind = "none" if before is None else "managed"
    left_out = tuple(document.path for document in documents[fitted.taken :])
    if fitted.content == (before or b""):
        return IndexEdit(INDEX_NAME, kind, left_out=left_out)
    lines = fitted.content.count(b"\n") + 1 if fitted.content else 0
    reason = f"index rebuilt, {lines} of {BUDGET_LINES} lines"
    change = FileChange(INDEX_NAME, before, fitted.content, reason)
    return IndexEdit(INDEX_NAME, kind, change, left_out=left_out)
