"""Links that will lead nowhere once files are gone (spec section 6, preview).

Invariant: a link is told only where it leads to a file that goes, stays itself, and leads to no
other file afterwards.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.engine.format.index import parse_index
from memtui.engine.format.inline import LinkForm
from memtui.engine.format.links import links_of
from memtui.engine.format.resolve import Resolver
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.types import Scope, Snapshot, Span, TopicDocument


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that will lead nowhere."""

    scope: Scope
    path: str
    """The file that it stands in; also an index."""
    line: int
    """1-based, in the file as it is."""
    form: LinkForm
    target: str
    """As it is written."""
    leads_to: str
    """The topic file that goes."""

    @property
    def text(self) -> str:
        """The link without its label: `[[name]]`, `](path)`, or the name in back-ticks."""
        if self.form == "wiki":
            return f"[[{self.target}]]"
        return f"]({self.target})" if self.form == "link" else f"`{self.target}`"


def broken_links(
    snapshot: Snapshot,
    gone: Collection[str],
    cut: Mapping[str, Sequence[Span]],
    edits: Sequence[IndexEdit],
) -> tuple[BrokenLink, ...]:
    """The links of files and indexes that stay which led to one of the files `gone`.

    `cut` are by path the ranges of `source` that go; `edits` is what becomes of the indexes.
    """
    if not gone:
        return ()
    indexes = dict(snapshot.indexes)
    for edit in edits:
        if edit.change is not None and edit.change.after is not None:
            indexes[edit.path] = edit.change.after
    stays = tuple(document for document in snapshot.documents if document.path not in gone)
    before = Resolver(snapshot)
    after = Resolver(replace(snapshot, documents=stays, indexes=indexes))
    links = (*_links_of_documents(stays, cut), *_links_of_indexes(snapshot, edits))
    broken: list[BrokenLink] = []
    for path, line, form, target in links:
        base = posixpath.dirname(path)
        found = before.resolve(form, target, base)
        if found.path is None or not found.is_found or found.path not in gone:
            continue
        if not after.resolve(form, target, base).is_found:
            scope = snapshot.store.scope
            broken.append(BrokenLink(scope, path, line, form, target, found.path))
    return tuple(broken)


_Place = tuple[str, int, LinkForm, str]
"""Path, line, form and target of a link."""


def _links_of_documents(
    documents: Sequence[TopicDocument], cut: Mapping[str, Sequence[Span]]
) -> Iterator[_Place]:
    for document in documents:
        spans = cut.get(document.path, ())
        for link in links_of(document):
            if not any(span.start <= link.span.start < span.end for span in spans):
                yield document.path, link.line, link.form, link.target


def _links_of_indexes(snapshot: Snapshot, edits: Sequence[IndexEdit]) -> Iterator[_Place]:
    """The links of the lines that stay; an index that is rebuilt holds only lines of its own."""
    rebuilt = {edit.path for edit in edits if edit.change and edit.kind == "managed"}
    removed = {edit.path: {line.number for line in edit.removed} for edit in edits}
    for path, raw in snapshot.indexes.items():
        if path in rebuilt:
            continue
        for line in parse_index(raw).lines:
            if line.number not in removed.get(path, ()):
                for target in line.targets:
                    yield path, line.number, target.form, target.raw
