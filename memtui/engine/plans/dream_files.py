"""The topic files of a store while a dream is planned: what they are, and what they become.

Invariant: a file changes only through `Files.merge` and `Files.reorder`, which write nothing that
they did not read back: every entry is there again with its bytes, and `dream_check` finds nothing
lost. An entry keeps the ID that it has in the snapshot.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memtui.engine.format.blocks import heading_text
from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.format.index_edit import Splice, newline_of, splice
from memtui.engine.format.lines import FenceTracker, lines_and_code, lines_with_spans
from memtui.engine.format.links import links_of
from memtui.engine.plans.contradictions import opposites, statement_of
from memtui.engine.plans.dream_check import unkept
from memtui.engine.plans.dream_keys import closing_fence, missing_keys
from memtui.engine.plans.dream_parts import Parts, decode, holds, parts_of, says
from memtui.engine.plans.dream_values import UnsafeMergeError
from memtui.engine.plans.forget import without_entries
from memtui.engine.plans.merging import Merged, may_merge, merge, tears
from memtui.engine.text import fold
from memtui.engine.types import Entry, Snapshot, Span, TopicDocument


class Pair(NamedTuple):
    """Two entries to be merged, by path and ID."""

    kept_path: str
    kept_id: str
    gone_path: str
    gone_id: str

    @property
    def is_across(self) -> bool:
        """True where they are in two files."""
        return self.kept_path != self.gone_path


@dataclass(slots=True)
class WorkFile:
    """One topic file and what becomes of it."""

    origin: TopicDocument
    document: TopicDocument
    """As it will be; of a file that goes its last form."""
    ids: list[str]
    """The IDs of its entries in file order; empty: the file goes."""
    reasons: dict[str, None] = field(default_factory=dict)
    """Why it changes, each phrase once."""
    _places: tuple[list[str], dict[str, int]] | None = None
    """The IDs and the place of each; looked up again and again in a long list."""

    def entry(self, entry_id: str) -> Entry:
        """The entry of that ID as it is by now."""
        if self._places is None or self._places[0] is not self.ids:
            self._places = (self.ids, {each: place for place, each in enumerate(self.ids)})
        return entries_of(self.document)[self._places[1][entry_id]]

    def content(self, entry_id: str) -> bytes:
        """The bytes of the entry of that ID as it is by now."""
        return self.entry(entry_id).span.of(self.document.source)


@dataclass(slots=True)
class _Draft:
    """What some merges make of one file."""

    file: WorkFile
    replaced: dict[str, bytes] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    keys: list[bytes] = field(default_factory=list)
    """Frontmatter lines to add."""
    values: list[tuple[str, Parts]] = field(default_factory=list)
    """What the entries of these IDs must say afterwards."""

    @property
    def is_emptied(self) -> bool:
        """True where no entry is left."""
        return len(self.gone) == len(self.file.ids)


class Files:
    """All topic files of a snapshot that a dream may touch."""

    def __init__(self, snapshot: Snapshot, now_ns: int) -> None:
        self.by_path: dict[str, WorkFile] = {}
        self._now_ns = now_ns
        self._parts: dict[bytes, Parts | None] = {}
        memory_dir = snapshot.store.memory_dir.as_posix()
        self._linked = {
            posixpath.normpath(posixpath.join(memory_dir, posixpath.dirname(each.path), each.link))
            for each in snapshot.documents
            if each.link is not None
        }
        self._memory_dir = memory_dir

    def add(self, document: TopicDocument) -> WorkFile:
        """Take a file into the plan."""
        file = WorkFile(document, document, [entry.id for entry in entries_of(document)])
        self.by_path[document.path] = file
        return file

    def parts(self, content: bytes) -> Parts | None:
        """`parts_of` these bytes, kept: the same entry is asked about several times."""
        if content not in self._parts:
            self._parts[content] = parts_of(content)
        return self._parts[content]

    def changed(self) -> list[WorkFile]:
        """The files that become others or go."""
        return [
            file
            for file in self.by_path.values()
            if not file.ids or file.document.raw != file.origin.raw
        ]

    def merge(self, pairs: Sequence[Pair]) -> list[Merged]:
        """Merge all `pairs`, or none: raises `UnsafeMergeError`.

        No entry goes twice, and none that goes is kept by another pair.
        """
        drafts: dict[str, _Draft] = {}
        for pair in pairs:
            self._draft(drafts, pair.kept_path)
            self._draft(drafts, pair.gone_path).gone.add(pair.gone_id)
        emptied: set[str] = set()
        results: list[Merged] = []
        for pair in pairs:
            also: list[str] = []
            gone = drafts[pair.gone_path]
            if pair.is_across:
                self._refuse_moved_links(pair)
            if gone.is_emptied and pair.gone_path not in emptied:
                emptied.add(pair.gone_path)
                also = self._outside_of_entries(gone, drafts[pair.kept_path])
            results.append(self._merge_one(drafts, pair, also))
        after = {path: self._after(draft) for path, draft in drafts.items()}
        what = unkept(
            [draft.file.document for draft in drafts.values()],
            [document for document in after.values() if document is not None],
        )
        if what:
            raise UnsafeMergeError(what)
        for path, draft in drafts.items():
            document = after[path]
            draft.file.ids = [each for each in draft.file.ids if each not in draft.gone]
            if document is not None:
                draft.file.document = document
        return results

    def unsafe(self, pairs: Sequence[Pair]) -> dict[Pair, str]:
        """Those of `pairs` that cannot be merged whatever becomes of the others, and why."""
        drafts: dict[str, _Draft] = {}
        found: dict[Pair, str] = {}
        for pair in pairs:
            self._draft(drafts, pair.kept_path)
            self._draft(drafts, pair.gone_path)
            try:
                if pair.is_across:
                    self._refuse_moved_links(pair)
                self._merge_one(drafts, pair, [])
            except UnsafeMergeError as refusal:
                found[pair] = str(refusal)
        return found

    def reorder(self, file: WorkFile, order: Sequence[str]) -> bool:
        """Put the entries of a file into the order of these IDs; False where that is not safe.

        What separates the entries stays where it is.
        """
        document = file.document
        entries = dict(zip(file.ids, entries_of(document), strict=True))
        source = document.source
        content = {
            each: entry.span.of(source).rstrip(b" \t\r\n") for each, entry in entries.items()
        }
        pieces = [source[: next(iter(entries.values())).span.start]]
        for old, new in zip(file.ids, order, strict=True):
            separator = entries[old].span.of(source)[len(content[old]) :]
            pieces += [content[new], separator]
        after = self._parsed(document, b"".join(pieces))
        found = [entry.span.of(after.source).rstrip(b" \t\r\n") for entry in entries_of(after)]
        if found != [content[each] for each in order]:
            return False
        wanted = [entries[each] for each in order]
        if list(map(_values, entries_of(after))) != list(map(_values, wanted)):
            return False
        file.document, file.ids = after, list(order)
        return True

    def _parsed(self, document: TopicDocument, raw: bytes) -> TopicDocument:
        return parse_document(raw, path=document.path, scope=document.scope, mtime_ns=self._now_ns)

    def _draft(self, drafts: dict[str, _Draft], path: str) -> _Draft:
        if path not in drafts:
            drafts[path] = _Draft(self.by_path[path])
        return drafts[path]

    def _merge_one(self, drafts: Mapping[str, _Draft], pair: Pair, also: list[str]) -> Merged:
        kept, gone = drafts[pair.kept_path], drafts[pair.gone_path]
        document = kept.file.document
        content = kept.replaced.get(pair.kept_id) or kept.file.content(pair.kept_id)
        parts = self.parts(content)
        other = self.parts(gone.file.content(pair.gone_id))
        if parts is None or other is None:
            raise UnsafeMergeError("one of them has no text of its own")
        if not may_merge(parts, other, is_across=pair.is_across):
            raise UnsafeMergeError("their further text differs")
        if tears(parts, other):
            raise UnsafeMergeError("their first sentences go on in different ways")
        if _contradict(parts, other):
            raise UnsafeMergeError("what they ask for contradicts")
        if _is_open(content) or _is_open(other.source):
            raise UnsafeMergeError("a code block in it is not closed")
        head, newline, _ = content.partition(b"\n")
        if newline:
            newline = b"\r\n" if head.endswith(b"\r") else b"\n"
        style = _style(kept.file) if other.fields and not parts.fields else None
        merged = merge(
            parts,
            other,
            newline=newline or newline_of(document.source),
            also=also,
            said=(document.name, document.description),
            style=style,
        )
        kept.replaced[pair.kept_id] = merged.content
        kept.values.append((pair.kept_id, other))
        return merged

    def _outside_of_entries(self, gone: _Draft, kept: _Draft) -> list[str]:
        """What a file that goes says outside of its entries; its own keys go to the kept file.

        Raises `UnsafeMergeError` where there is something that cannot be kept.
        """
        document = gone.file.document
        place = posixpath.normpath(posixpath.join(self._memory_dir, document.path))
        if place in self._linked:
            raise UnsafeMergeError("a symbolic link leads to the file that would go")
        texts = [document.name, document.description]
        own = statement_of(kept.file.document.description)
        if opposites(own, statement_of(document.description)):
            raise UnsafeMergeError("their descriptions contradict each other")
        first = entries_of(document)[0].span.start
        for line, is_code in lines_and_code(document.source, document.body.start, first):
            bare = line.text.strip(b" \t\r")
            if not bare:
                continue
            if is_code or not bare.startswith(b"#") or not heading_text(bare):
                raise UnsafeMergeError("text above the entries of the file would be lost")
            texts.append(decode(heading_text(bare)))
        kept.keys += missing_keys(kept.file.document, document)
        return [text for text in texts if text.strip()]

    def _refuse_moved_links(self, pair: Pair) -> None:
        """A link relative to its file leads elsewhere from another folder."""
        if posixpath.dirname(pair.kept_path) == posixpath.dirname(pair.gone_path):
            return
        file = self.by_path[pair.gone_path]
        span = file.entry(pair.gone_id).span
        for link in links_of(file.document):
            if link.form == "link" and span.start <= link.span.start < span.end:
                raise UnsafeMergeError("a link in it leads elsewhere from another folder")

    def _after(self, draft: _Draft) -> TopicDocument | None:
        """The file as it will be, read back; None where it goes. Raises `UnsafeMergeError`."""
        if draft.is_emptied:
            return None
        file, document = draft.file, draft.file.document
        entries = dict(zip(file.ids, entries_of(document), strict=True))
        places = {place for place, each in enumerate(file.ids) if each in draft.gone}
        removed = [Splice(*span, b"") for span in without_entries(document, places)]
        splices = list(removed)
        for entry_id, content in draft.replaced.items():
            splices.append(_without_tail(removed, entries[entry_id].span, content))
        if draft.keys:
            at = closing_fence(document)
            newline = newline_of(document.frontmatter.of(document.source))
            lines = (line.rstrip(b"\r\n") for key in draft.keys for line in key.splitlines())
            splices.append(Splice(at, at, b"".join(line + newline for line in lines)))
        source = splice(document.source, splices)
        if source == document.source:
            return document
        after = self._parsed(document, source)
        _verify(draft, entries, after)
        return after


def _values(entry: Entry) -> tuple[str, str | None, str | None]:
    return entry.summary, entry.why, entry.how_to_apply


def _without_tail(splices: Sequence[Splice], span: Span, content: bytes) -> Splice:
    """The replacement of a span; its blank end may go with an entry behind it."""
    end = min((start for start, _, _ in splices if span.start < start < span.end), default=span.end)
    cut = span.end - end
    return Splice(span.start, end, content[: len(content) - cut] if cut else content)


def _verify(draft: _Draft, entries: Mapping[str, Entry], after: TopicDocument) -> None:
    """Raise `UnsafeMergeError` unless the file is read back as it was meant."""
    before = draft.file.document
    stays = [each for each in draft.file.ids if each not in draft.gone]
    found = entries_of(after)
    same_head = (before.name, before.description, before.type, before.type_place) == (
        after.name,
        after.description,
        after.type,
        after.type_place,
    )
    if not same_head or len(found) != len(stays):
        raise UnsafeMergeError("the file would be read in another way")
    for entry_id, entry in zip(stays, found, strict=True):
        old = entries[entry_id]
        content = draft.replaced.get(entry_id) or old.span.of(before.source)
        is_same = entry.span.of(after.source).strip() == content.strip() or (
            len(found) == 1 and content.strip() in after.body.of(after.source)
        )
        if not is_same or fold(entry.summary) != fold(old.summary):
            raise UnsafeMergeError("the file would be read in another way")
        if entry_id not in draft.replaced and _values(entry) != _values(old):
            raise UnsafeMergeError("the file would be read in another way")
    by_id = dict(zip(stays, found, strict=True))
    read = {each: parts_of(by_id[each].span.of(after.source)) for each in draft.replaced}
    for entry_id, gone in draft.values:
        parts = read[entry_id]
        if parts is None or not _has_fields(parts, gone):
            raise UnsafeMergeError("the file would be read in another way")


def _contradict(parts: Parts, gone: Parts) -> bool:
    """True where they ask for opposite things."""
    own, other = parts.field("how_to_apply"), gone.field("how_to_apply")
    if own is None or other is None or own.value.joined == other.value.joined:
        return False
    found = opposites(statement_of(own.value.joined), statement_of(other.value.joined))
    return found is not None


def _has_fields(parts: Parts, gone: Parts) -> bool:
    """True where each field of the entry that went is one of those that are there now."""
    return all(
        any(
            own.name == part.name
            and (
                holds(own.value.folded, part.value.folded)
                or says(own.value.joined, part.value.joined)
            )
            for own in parts.fields
        )
        for part in gone.fields
    )


def _is_open(content: bytes) -> bool:
    """True where a code block goes on behind the end."""
    if b"```" not in content and b"~~~" not in content:
        return False
    fences = FenceTracker()
    for line in lines_with_spans(content):
        fences.feed(line.text)
    return fences.in_fence


def _style(file: WorkFile) -> bytes | None:
    """How the first field of the file begins; None where it has none."""
    for entry in entries_of(file.document):
        if entry.why or entry.how_to_apply:
            parts = parts_of(entry.span.of(file.document.source))
            if parts is not None and parts.fields:
                return parts.fields[0].prefix
    return None
