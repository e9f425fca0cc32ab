"""What goes when entries are forgotten, and what follows from it (spec section 6).

Invariant: a plan is made of one set of snapshots, and the entries that stay keep their bytes. A
file goes when its last entry does, and its index lines with it; everything else that leads to it
is told, not touched.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memtui.engine.errors import RefusedError
from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import EntryId, entries_of
from memtui.engine.plans.broken_links import BrokenLink, broken_links
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.plans.reindex import edit_index, edit_nested
from memtui.engine.types import (
    ChangeSet,
    Entry,
    FileChange,
    Scope,
    Snapshot,
    Span,
    TopicDocument,
)

OPERATION = "forget"


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """One chosen entry and the lines of its file that go with it."""

    entry: Entry
    span: Span
    """In `TopicDocument.source`. Of the last entry of a file also the blank lines before it."""
    first_line: int
    """1-based, in the file as it is."""
    last_line: int


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes of one topic file."""

    document: TopicDocument
    change: FileChange
    entries: tuple[RemovedEntry, ...]
    """In file order."""
    entries_before: int
    """How many entries the file has now."""
    lines: int
    """How many lines go."""
    bytes: int
    """How many bytes go; 0 where only a symlink does."""

    @property
    def is_whole_file(self) -> bool:
        """True where the file itself goes."""
        return self.change.after is None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A chosen entry that stays, and the sentence that says why."""

    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """Everything that a preview of a forget shows."""

    change_sets: tuple[ChangeSet, ...]
    """One per store that changes, in the order of the snapshots."""
    removals: tuple[Removal, ...]
    index_edits: Mapping[Scope, tuple[IndexEdit, ...]]
    """Per scope: the edited indexes in subfolders, then the store's own, also where it stays."""
    broken_links: tuple[BrokenLink, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]
    """Sentences about what is out of the ordinary."""

    @property
    def entries(self) -> int:
        """How many entries go."""
        return sum(len(removal.entries) for removal in self.removals)

    @property
    def files_removed(self) -> int:
        """How many topic files go."""
        return sum(removal.is_whole_file for removal in self.removals)

    @property
    def files_edited(self) -> int:
        """How many topic files lose some of their entries."""
        return len(self.removals) - self.files_removed

    @property
    def index_lines(self) -> int:
        """How many index lines of removed files go."""
        return sum(len(edit.removed) for edits in self.index_edits.values() for edit in edits)


def plan_forget(
    snapshots: Sequence[Snapshot],
    entries: Sequence[Entry],
    *,
    now_ns: int,
    unseen: Mapping[Scope, Collection[str]] | None = None,
    is_bulk: bool = False,
) -> ForgetPlan:
    """The change sets that remove `entries`, and what follows.

    All entries must be of `snapshots`; `now_ns` is the time that edited files get, in nanoseconds
    since the epoch; `unseen` are per scope the paths that the store's agent skips (they get no
    index line). With `is_bulk` the choice is not one of single entries: what is pinned stays.

    What cannot go is told in `refusals`. Raises `RefusedError` for an entry that is not, or no
    longer, in the snapshots.
    """
    change_sets: list[ChangeSet] = []
    removals: list[Removal] = []
    index_edits: dict[Scope, tuple[IndexEdit, ...]] = {}
    broken: list[BrokenLink] = []
    refusals: list[Refusal] = []
    notes: dict[str, None] = {}
    wanted = _by_file(snapshots, entries)
    for snapshot in snapshots:
        scope = snapshot.store.scope
        paths = {path for of_scope, path in wanted if of_scope == scope}
        store_plan = _StorePlan(snapshot, paths, now_ns, is_bulk)
        for document in snapshot.documents:
            chosen = wanted.get((scope, document.path))
            if chosen:
                store_plan.take(document, chosen)
        refusals += store_plan.refusals
        notes.update(dict.fromkeys(store_plan.notes))
        if not store_plan.removals:
            continue
        edits = store_plan.index_edits((unseen or {}).get(scope, ()))
        notes.update(dict.fromkeys(note for edit in edits for note in edit.notes))
        changes = [removal.change for removal in store_plan.removals]
        changes += [edit.change for edit in edits if edit.change is not None]
        change_sets.append(ChangeSet(snapshot.store, OPERATION, tuple(changes)))
        removals += store_plan.removals
        index_edits[scope] = edits
        broken += store_plan.broken_links(edits)
    return ForgetPlan(
        tuple(change_sets),
        tuple(removals),
        index_edits,
        tuple(broken),
        tuple(refusals),
        tuple(notes),
    )


def without_entries(document: TopicDocument, indexes: Collection[int]) -> tuple[Span, ...]:
    """The ranges of `source` that go with the entries of those places, in file order.

    What stays are the bytes of the other entries; the last one of a file takes the blank lines
    before it.
    """
    entries = entries_of(document)
    spans = [entries[index].span for index in sorted(indexes)]
    first_of_tail = len(entries)
    while first_of_tail - 1 in indexes:
        first_of_tail -= 1
    if 0 < first_of_tail < len(entries):
        at = len(spans) - (len(entries) - first_of_tail)
        above = entries[first_of_tail - 1].span
        start = _blank_lines_before(document.source, spans[at].start, above.start)
        spans[at] = Span(start, spans[at].end)
    return tuple(spans)


def _blank_lines_before(source: bytes, end: int, floor: int) -> int:
    """Where the run of blank lines that ends at `end` begins, not before `floor`."""
    while end > floor:
        start = source.rfind(b"\n", floor, end - 1) + 1
        if start <= floor or source[start:end].strip():
            return end
        end = start
    return end


def _by_file(
    snapshots: Sequence[Snapshot], entries: Sequence[Entry]
) -> dict[tuple[Scope, str], list[Entry]]:
    """The chosen entries by file, each once, checked against the snapshots."""
    documents = {
        (snapshot.store.scope, document.path): document
        for snapshot in snapshots
        for document in snapshot.documents
    }
    wanted: dict[tuple[Scope, str], dict[int | None, Entry]] = {}
    for entry in entries:
        key = (entry.scope, entry.path)
        document = documents.get(key)
        place = entry.index or 0
        if document is None or entries_of(document)[place : place + 1] != (entry,):
            raise RefusedError(
                f"`{EntryId.of(entry)}` has moved or changed since it was chosen; choose it again."
            )
        wanted.setdefault(key, {})[entry.index] = entry
    return {key: list(chosen.values()) for key, chosen in wanted.items()}


class _StorePlan:
    """The plan for one store, built file by file."""

    def __init__(
        self, snapshot: Snapshot, chosen: Collection[str], now_ns: int, is_bulk: bool
    ) -> None:
        self.removals: list[Removal] = []
        self.refusals: list[Refusal] = []
        self.notes: list[str] = []
        self._snapshot = snapshot
        self._now_ns = now_ns
        self._is_bulk = is_bulk
        self._chosen = chosen
        self._written: list[TopicDocument] = []
        self._links_to: dict[str, list[str]] = {}
        for document in snapshot.documents:
            if document.link is not None:
                self._links_to.setdefault(_link_place(document), []).append(document.path)

    def take(self, document: TopicDocument, chosen: Sequence[Entry]) -> None:
        """Plan the removal of `chosen`, entries of `document`."""
        reason = self._refusal(document, len(chosen))
        if reason:
            self.refusals += [Refusal(entry, reason) for entry in chosen]
            return
        if document.is_pinned:
            self.notes.append(f"{document.path} is pinned; it goes because you chose it.")
        if len(chosen) == len(entries_of(document)):
            self.removals.append(self._whole_file(document))
        else:
            self.removals.append(self._some_entries(document, chosen))

    def index_edits(self, unseen: Collection[str]) -> tuple[IndexEdit, ...]:
        """What becomes of the indexes of the store."""
        gone = self._gone()
        own = edit_index(self._snapshot, removed=gone, written=self._written, unseen=unseen)
        return (*edit_nested(self._snapshot, removed=gone), own)

    def broken_links(self, edits: Sequence[IndexEdit]) -> tuple[BrokenLink, ...]:
        """The links of what stays that will lead nowhere."""
        cut = {
            removal.document.path: [entry.span for entry in removal.entries]
            for removal in self.removals
        }
        return broken_links(self._snapshot, self._gone(), cut, edits)

    def _gone(self) -> frozenset[str]:
        return frozenset(
            removal.document.path for removal in self.removals if removal.is_whole_file
        )

    def _refusal(self, document: TopicDocument, chosen: int) -> str:
        """Why nothing of `document` may go; else empty."""
        if document.is_pinned and self._is_bulk:
            return f"{document.path} is pinned: it goes only when it is chosen by itself."
        total = len(entries_of(document))
        if document.encoding != "utf-8" and chosen < total:
            return (
                f"{document.path} is not UTF-8, so single entries of it cannot go: "
                f"choose all {total}, or convert it first."
            )
        if document.link is not None and chosen < total and _link_place(document) in self._chosen:
            return f"{document.path} is a symbolic link to a file that is chosen too: choose there."
        return ""

    def _whole_file(self, document: TopicDocument) -> Removal:
        entries = entries_of(document)
        source = document.source
        if document.link is not None:
            self.notes.append(
                f"{document.path} is a symbolic link: the link goes, {document.link} stays."
            )
        for link in self._links_to.get(document.path, ()):
            if link not in self._chosen:
                self.notes.append(
                    f"The symbolic link {link} will lead nowhere: {document.path} goes."
                )
        reason = "its only entry goes" if len(entries) == 1 else f"all {len(entries)} entries go"
        if document.link is not None:
            reason += ", the symbolic link itself"
        change = FileChange(document.path, document.raw, None, reason, link=document.link)
        removed = tuple(_removed(document, entry, entry.span) for entry in entries)
        size = len(document.raw) if document.link is None else 0
        return Removal(document, change, removed, len(entries), _lines_in(source), size)

    def _some_entries(self, document: TopicDocument, chosen: Sequence[Entry]) -> Removal:
        entries = entries_of(document)
        places = sorted(entry.index for entry in chosen if entry.index is not None)
        spans = without_entries(document, places)
        after = bytearray(document.raw)
        for span in reversed(spans):
            del after[span.start : span.end]
        reason = f"{len(places)} of {len(entries)} entries {'goes' if len(places) == 1 else 'go'}"
        change = FileChange(document.path, document.raw, bytes(after), reason)
        self._written.append(
            parse_document(
                change.after or b"",
                path=document.path,
                scope=document.scope,
                mtime_ns=self._now_ns,
                link=document.link,
            )
        )
        removed = tuple(
            _removed(document, entries[place], span)
            for place, span in zip(places, spans, strict=True)
        )
        return Removal(
            document,
            change,
            removed,
            len(entries),
            sum(one.last_line - one.first_line + 1 for one in removed),
            sum(span.end - span.start for span in spans),
        )


def _removed(document: TopicDocument, entry: Entry, span: Span) -> RemovedEntry:
    source = document.source
    first = source.count(b"\n", 0, span.start) + 1
    return RemovedEntry(entry, span, first, first + max(_lines_in(span.of(source)), 1) - 1)


def _lines_in(text: bytes) -> int:
    return text.count(b"\n") + (not text.endswith(b"\n") and text != b"")


def _link_place(document: TopicDocument) -> str:
    """Where a relative symlink leads, by its text alone."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document.path), document.link or ""))
