"""What the index of a store says about its files, and what it does not (spec section 7).

Invariant: a report is made of one snapshot, in time linear in its lines and documents, and is
plain values. `kind` follows section 7: managed or hand-kept, `none` where there is no file.

Rules chosen here:

- Every link of the index lists its file; only the first link of an entry can be double, broken or
  of another case. A link in prose that names a lost file is reported too.
- A target that leads out of the store is no file of it, and nothing outside is looked at: an entry
  with such a target is a line without file.
- The files of a nested `MEMORY.md` that is linked count as listed, on the line that links it.
- `inline` is one item per line of text, code included. A heading is one only where text stands in
  its own section: a heading that groups entries is no content. The head of a table of entries,
  rules and blank lines are none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memtui.engine.format.index import Index, IndexLine, IndexTarget, parse_index
from memtui.engine.format.index_line import LINE_LIMIT, CutLines, is_derived
from memtui.engine.format.resolve import Resolved, Resolver, fold_case
from memtui.engine.text import utf16_length
from memtui.engine.types import INDEX_NAME, IndexKind, Scope, Snapshot, TopicDocument

LOADED_LINES = 200
"""Lines of the index that an agent loads."""
LOADED_CHARACTERS = 25_000
"""Characters (UTF-16) of the index that an agent loads."""
BUDGET_LINES = 200
BUDGET_BYTES = 25_000
"""What a managed index may have."""

_TABLE_HEAD = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")


class LineWithoutFile(NamedTuple):
    """A line whose target is no file of the store."""

    line: int
    target: str
    """As it is written."""
    moved_to: str | None
    """The one file of that name in another folder."""


class CaseDifference(NamedTuple):
    """A line whose target differs from a file in case only."""

    line: int
    target: str
    file: str


class InlineText(NamedTuple):
    """A line of the index that is content of its own."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class IndexReport:
    """The index of one store, held against its files. Line numbers are 1-based."""

    scope: Scope
    kind: IndexKind
    lines: int
    bytes: int
    characters: int
    """UTF-16 units."""
    long_lines: tuple[int, ...]
    """Lines of more than 150 characters."""
    left_out: tuple[str, ...]
    """Listed files that the agent does not load of the index as it stands."""
    lines_without_file: tuple[LineWithoutFile, ...]
    files_without_line: tuple[str, ...]
    doubled: tuple[int, ...]
    """Lines whose file has a line above."""
    inline: tuple[InlineText, ...]
    case_differences: tuple[CaseDifference, ...]
    """Such a line is not without file, and its file not without line."""
    cut_line: int | None
    """The first line that the agent does not load whole."""
    line_of: Mapping[str, int]
    """The first line that lists a file: an entry of its own, else any other link."""
    is_managed: bool
    """True where the index may be rebuilt: also a missing one, but never a Claude store's."""
    has_only_index_lines: bool
    """Nothing but index lines, blank ones, the warning and lines the agent cut."""
    not_derived: tuple[int, ...]
    """Index lines whose file exists but would give another line."""
    index: Index | None
    """The index, read; None where there is no file."""

    def as_json(self) -> dict[str, object]:
        """The report as the command line prints it (design section 6), own keys last."""
        return {
            "scope": self.scope,
            "kind": self.kind,
            "lines": self.lines,
            "bytes": self.bytes,
            "characters": self.characters,
            "long_lines": list(self.long_lines),
            "left_out": list(self.left_out),
            "lines_without_file": [item._asdict() for item in self.lines_without_file],
            "files_without_line": list(self.files_without_line),
            "doubled": list(self.doubled),
            "inline": [item._asdict() for item in self.inline],
            "case_differences": [item._asdict() for item in self.case_differences],
            "cut_line": self.cut_line,
        }


def report_index(snapshot: Snapshot, *, unseen: Collection[str] = ()) -> IndexReport:
    """Hold the index of a store against its files.

    `unseen` are paths that the store's agent skips: they need no line.
    """
    raw = snapshot.index
    index = parse_index(b"" if raw is None else raw)
    text = index.source.decode("utf-8", "replace")
    long_lines, cut_line = _measure(index)
    match = _Match(snapshot, index)
    is_managed = snapshot.store.agent != "claude" and index.is_utf8 and match.is_managed
    kind: IndexKind = "none" if raw is None else "managed" if is_managed else "hand-kept"
    left_out = [
        path
        for path, line in match.first_mention.items()
        if cut_line is not None and line >= cut_line
    ]
    skip = set(unseen).union(match.first_mention, match.moved_to)
    return IndexReport(
        scope=snapshot.store.scope,
        kind=kind,
        lines=len(index.lines),
        bytes=len(index.raw),
        characters=utf16_length(text),
        long_lines=long_lines,
        left_out=tuple(left_out),
        lines_without_file=tuple(match.lines_without_file),
        files_without_line=tuple(
            document.path for document in snapshot.documents if document.path not in skip
        ),
        doubled=tuple(match.doubled),
        inline=inline_text(index),
        case_differences=tuple(match.case_differences),
        cut_line=cut_line,
        line_of={**match.first_mention, **match.own_line},
        is_managed=is_managed,
        has_only_index_lines=match.has_only_index_lines,
        not_derived=tuple(match.not_derived),
        index=None if raw is None else index,
    )


def _measure(index: Index) -> tuple[tuple[int, ...], int | None]:
    """The lines over the limit, and the first line that is not loaded whole."""
    long_lines: list[int] = []
    cut_line: int | None = None
    characters = 0
    for line in index.lines:
        size = line.end - line.start
        units = size
        if size > LINE_LIMIT or cut_line is None:
            units = len(line.text.encode("utf-16-le")) // 2
        if units > LINE_LIMIT:
            long_lines.append(line.number)
        if cut_line is None:
            if line.number > LOADED_LINES or characters + units > LOADED_CHARACTERS:
                cut_line = line.number
            whole = index.source[line.start : line.end].decode("utf-8", "replace")
            characters += utf16_length(whole)
    return tuple(long_lines), cut_line


def inline_text(index: Index) -> tuple[InlineText, ...]:
    """The lines that are content of the index itself, one item a line."""
    lines = index.lines
    found: list[InlineText] = []
    heading: IndexLine | None = None
    for position, line in enumerate(lines):
        if line.kind in ("text", "code"):
            if line.kind == "text" and _heads_entries(lines, position):
                continue
            if heading:
                found.append(InlineText(heading.number, heading.text))
                heading = None
            if line.kind == "code" and not line.text.strip():
                continue
            found.append(InlineText(line.number, line.text))
        elif line.kind == "heading":
            heading = line
    return tuple(found)


def _heads_entries(lines: tuple[IndexLine, ...], position: int) -> bool:
    """True for the head of a table, or the row of dashes below it, where entries follow."""
    for dashes in (position, position + 1):
        if dashes + 1 < len(lines) and dashes > 0 and "-" in lines[dashes].text:
            row = lines[dashes + 1]
            is_table = row.kind == "entry" and "|" in row.text and "|" in lines[dashes].text
            if is_table and _TABLE_HEAD.match(lines[dashes].text):
                return True
    return False


def is_case_only(resolver: Resolver, target: IndexTarget, found: Resolved) -> bool:
    """True where `target`, which led to `found`, differs from that file's name in case only."""
    path = found.path
    if found.status != "near" or path is None:
        return False
    if target.form == "wiki":
        stem = posixpath.basename(path)[:-3]
        return fold_case(target.raw.removesuffix(".md")) in (fold_case(stem), fold_case(path))
    return resolver.differs_in_case_only(target.raw, path)


class _Match:
    """Walks the lines of an index once and keeps what they list."""

    def __init__(self, snapshot: Snapshot, index: Index) -> None:
        self.first_mention: dict[str, int] = {}
        self.own_line: dict[str, int] = {}
        self.lines_without_file: list[LineWithoutFile] = []
        self.moved_to: set[str] = set()
        self.doubled: list[int] = []
        self.case_differences: list[CaseDifference] = []
        self.not_derived: list[int] = []
        self.has_only_index_lines = all(
            line.is_index_line or line.kind in ("blank", "warning", "cut") for line in index.lines
        )
        self._snapshot = snapshot
        self._resolver = Resolver(snapshot)
        self._documents = {document.path: document for document in snapshot.documents}
        self._seen: set[tuple[str, str]] = set()
        self._nested: list[tuple[str, int]] = []
        self._with_file = 0
        self._derived = 0
        self._cut: CutLines | None = None
        for line in index.lines:
            if line.targets:
                self._take(line)
            elif line.kind == "cut":
                self._take_cut(line)
        self._follow_nested()

    @property
    def is_managed(self) -> bool:
        """Section 7, but for the agent: at least 9 in 10 of the lines with a file are derived."""
        return self.has_only_index_lines and self._derived * 10 >= self._with_file * 9

    def _take(self, line: IndexLine) -> None:
        own = line.target
        for target in line.targets:
            found = self._resolver.resolve(target.form, target.raw)
            path = found.path
            is_same_file = found.is_found or is_case_only(self._resolver, target, found)
            if target is own:
                self._take_own(line, target, found)
            elif found.is_broken and target.form == "link" and not is_same_file and not own:
                self._lost(line, target)
            if path is not None and is_same_file:
                self._list(path, line.number)

    def _take_own(self, line: IndexLine, target: IndexTarget, found: Resolved) -> None:
        path = found.path
        if path is None or not found.is_found:
            if found.status != "other" and not is_case_only(self._resolver, target, found):
                self._lost(line, target)
                return
            if path is None:
                return
        place = (path, target.raw.partition("#")[2] if "#" in target.raw else "")
        if place in self._seen:
            self.doubled.append(line.number)
        elif not found.is_found:
            self.case_differences.append(CaseDifference(line.number, target.raw, path))
        self._seen.add(place)
        document = self._documents.get(path)
        if document is None:
            return
        self.own_line.setdefault(path, line.number)
        if found.is_found and line.is_index_line:
            self._compare(line, document)

    def _compare(self, line: IndexLine, document: TopicDocument) -> None:
        self._with_file += 1
        if is_derived(line, document):
            self._derived += 1
        else:
            self.not_derived.append(line.number)

    def _take_cut(self, line: IndexLine) -> None:
        if self._cut is None:
            self._cut = CutLines(self._snapshot.documents)
        path = self._cut.path_of(line)
        if path is not None:
            self._with_file += 1
            self._derived += 1
            self.own_line.setdefault(path, line.number)
            self._list(path, line.number)

    def _lost(self, line: IndexLine, target: IndexTarget) -> None:
        moved_to = self._resolver.by_basename(target.raw)
        if moved_to:
            self.moved_to.add(moved_to)
        self.lines_without_file.append(LineWithoutFile(line.number, target.raw, moved_to))

    def _list(self, path: str, line: int) -> None:
        if path in self._documents:
            self.first_mention.setdefault(path, line)
        elif path != INDEX_NAME:
            self._nested.append((path, line))

    def _follow_nested(self) -> None:
        """The files of linked indexes in subfolders count as listed, also through several."""
        followed: set[str] = set()
        # The list grows while it is walked: an index may link the next one.
        for path, number in self._nested:
            if path in followed:
                continue
            followed.add(path)
            base = posixpath.dirname(path)
            for line in parse_index(self._snapshot.indexes[path]).lines:
                for target in line.targets:
                    found = self._resolver.resolve(target.form, target.raw, base)
                    if found.path is not None and found.is_found:
                        self._list(found.path, number)
