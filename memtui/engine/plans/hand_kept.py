"""Splices an index that a person keeps (spec section 7, Hand-kept).

Invariant: only lines of files that are named to it are written; headings, prose, code, order and
the wording of good lines stay byte for byte.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.engine.format.index import IndexLine, IndexTarget, parse_index
from memtui.engine.format.index_edit import (
    Addition,
    Kinship,
    Splice,
    removal,
    replacement,
    retargeted,
    splice,
    with_additions,
)
from memtui.engine.format.index_line import (
    encode_path,
    escape_text,
    index_line,
    is_derived,
    plain,
)
from memtui.engine.format.index_report import IndexReport, report_index
from memtui.engine.format.resolve import Resolver
from memtui.engine.plans.index_values import Hidden, IndexEdit, ListedLine, listed_lines
from memtui.engine.types import INDEX_NAME, FileChange, IndexKind, Snapshot, TopicDocument


@dataclass(slots=True)
class _Counts:
    """How many lines were written, by what was done."""

    removed: int = 0
    corrected: int = 0
    added: int = 0

    def __str__(self) -> str:
        done = (("removed", self.removed), ("corrected", self.corrected), ("added", self.added))
        parts = [
            f"{number} {'line' if number == 1 else 'lines'} {word}"
            for word, number in done
            if number
        ]
        return ", ".join(parts)


@dataclass(slots=True)
class HandEdit:
    """Splices one index that a person keeps, step by step."""

    before: Snapshot
    after: Snapshot
    unseen: Collection[str]
    path: str = INDEX_NAME
    source: bytes = b""
    counts: _Counts = field(default_factory=_Counts)
    notes: dict[str, None] = field(default_factory=dict)
    resolver: Resolver = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.before.indexes.get(self.path, b"")
        self.resolver = Resolver(self.after)

    @property
    def snapshot(self) -> Snapshot:
        """The files as they will be, and the index as far as it is written."""
        return replace(self.after, indexes={**self.after.indexes, self.path: self.source})

    @property
    def base(self) -> str:
        """The folder of the index."""
        return posixpath.dirname(self.path)

    def result(self) -> IndexEdit:
        """What came of it."""
        before = self.before.indexes.get(self.path)
        kind: IndexKind = "none" if before is None else "hand-kept"
        left_out: tuple[str, ...] = ()
        change: FileChange | None = None
        if self.path == INDEX_NAME:
            report = report_index(self.snapshot, unseen=self.unseen)
            left_out = report.left_out
            if self.counts.removed:
                self._note_unlisted(report)
        if self.source != (before or b""):
            change = FileChange(self.path, before, self.source, str(self.counts))
        return IndexEdit(self.path, kind, change, left_out=left_out, notes=tuple(self.notes))

    def remove(self, lines: Sequence[ListedLine]) -> None:
        """Remove lines of the index as it is."""
        index = parse_index(self.source)
        self._write([removal(index.lines[line.number - 1]) for line in lines])
        self.counts.removed += len(lines)

    def move(self, moved: Mapping[str, str]) -> None:
        """Let the lines of moved files name their new places."""
        if not moved:
            return
        index = parse_index(self.source)
        splices: list[Splice] = []
        for number, path in listed_lines(self.before, index, self.base).items():
            target = index.lines[number - 1].target
            if path in moved and target is not None:
                self._correct(target, moved[path], splices)
        self._write(splices)

    def rewrite(self, written: Sequence[TopicDocument]) -> None:
        """Splice anew what lines said of the name and description of changed files."""
        old = {document.path: document for document in self.before.documents}
        new = {document.path: document for document in written if document.path in old}
        if not new:
            return
        index = parse_index(self.source)
        splices: list[Splice] = []
        for number, path in listed_lines(self.after, index, self.base).items():
            if path in new:
                line = index.lines[number - 1]
                text = _renamed(line, old[path], new[path])
                if text is not None and text != line.text:
                    splices.append(replacement(index, line, text))
                    self.counts.corrected += 1
        self._write(splices)

    def add(self, paths: Collection[str]) -> None:
        """Add a line for each of `paths` that is seen and that no line lists."""
        if not paths:
            return
        snapshot = self.snapshot
        report = report_index(snapshot, unseen=self.unseen)
        listed = listed_lines(snapshot, parse_index(self.source))
        documents = {document.path: document for document in snapshot.documents}
        additions: list[Addition] = []
        kinships: dict[tuple[str, str], dict[int, Kinship]] = {}
        for path in report.files_without_line:
            if path not in paths:
                continue
            if self.resolver.link(encode_path(path)).path != path:
                self._note(f"{path} gets no line: a link to it would lead to another file.")
                continue
            document = documents[path]
            kind = (posixpath.dirname(path), document.type)
            if kind not in kinships:
                kinships[kind] = {
                    number: _kinship(document, documents[other]) for number, other in listed.items()
                }
            additions.append(Addition(index_line(document), kinships[kind]))
        source = with_additions(self.source, additions)
        if source is None:
            self._note(f"{self.path} has no place where a new line would be read as an entry.")
            return
        self.source = source
        self.counts.added += len(additions)

    def repair(self, report: IndexReport) -> bool:
        """One round of a rebuild, `report` being about the index so far; False: all is well."""
        source = self.source
        index = parse_index(source)
        listed = set(listed_lines(self.snapshot, index).values())
        removed = {number: removal(index.lines[number - 1]) for number in report.doubled}
        splices: list[Splice] = []
        for lost in report.lines_without_file:
            target = index.lines[lost.line - 1].target
            if target is None or target.raw != lost.target:
                continue
            if lost.moved_to is not None and lost.moved_to not in listed:
                if self._correct(target, lost.moved_to, splices):
                    listed.add(lost.moved_to)
            elif lost.moved_to is not None or self._is_lost(target, lost.line):
                removed[lost.line] = removal(index.lines[lost.line - 1])
        for other in report.case_differences:
            target = index.lines[other.line - 1].target
            if target is not None and other.line not in removed:
                self._correct(target, other.file, splices)
        self._write([*removed.values(), *splices])
        self.counts.removed += len(removed)
        self.add(report.files_without_line)
        return self.source != source

    def _is_lost(self, target: IndexTarget, line: int) -> bool:
        """True where there is no file of the store behind `target`, read or not."""
        if Hidden(self.before).may_hold(target, self.base):
            return False
        if self.resolver.resolve(target.form, target.raw, self.base).status == "outside":
            self._note(f"Line {line} of {self.path} leads out of the store and is kept.")
            return False
        return True

    def _correct(self, target: IndexTarget, path: str, splices: list[Splice]) -> bool:
        """Let `target` name `path`; False where its form cannot, and nothing is written."""
        place = posixpath.relpath(path, self.base) if self.base else path
        for name in (posixpath.basename(path), place) if target.form == "wiki" else (place,):
            one = retargeted(target, name)
            if one is None:
                continue
            raw = one.content.decode()
            if self.resolver.resolve(target.form, raw, self.base).path == path:
                splices.append(one)
                self.counts.corrected += 1
                return True
        return False

    def _write(self, splices: Sequence[Splice]) -> None:
        if splices:
            self.source = splice(self.source, splices)

    def _note_unlisted(self, report: IndexReport) -> None:
        """A line that went may have listed other files by its further links."""
        without_line = set(report_index(self.before, unseen=self.unseen).files_without_line)
        known = {document.path for document in self.before.documents}
        for path in report.files_without_line:
            if path in known and path not in without_line:
                self._note(f"{path} was listed only by a line that goes, and has no line then.")

    def _note(self, sentence: str) -> None:
        self.notes[sentence] = None


def _renamed(line: IndexLine, old: TopicDocument, new: TopicDocument) -> str | None:
    """The text of a line about a file that was `old` and becomes `new`; None: as it is."""
    if not line.is_index_line or is_derived(line, new):
        return None
    if is_derived(line, old):
        return index_line(new)
    if plain(line.name) == plain(old.name) and old.name != new.name:
        return f"- [{escape_text(new.name)}{line.text[3 + len(line.name) :]}"
    return None


def _kinship(document: TopicDocument, other: TopicDocument) -> Kinship:
    """How near `other` is: by folder, then by type; at the top of a store by type first."""
    folder = posixpath.dirname(document.path)
    is_same_folder = posixpath.dirname(other.path) == folder
    is_same_type = document.type != "" and other.type == document.type
    both = is_same_folder and is_same_type
    if folder:
        return (int(is_same_folder), int(both), int(is_same_type))
    return (int(both), int(is_same_type), int(is_same_folder))
