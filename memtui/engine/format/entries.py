"""The entries of a topic file, what they say and what they are called (spec section 3).

Invariant: entries lie in the body, in order and without overlap; together with what stands before
the first one they cover it. Where in doubt the body is one entry. An ID resolves to exactly one
entry or to an error that says what it could mean.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent
from typing import cast

from memtui.engine.errors import AmbiguousIdError, RefusedError, UnknownIdError
from memtui.engine.format.blocks import BodyLine, FieldName, Kind, body_lines, item_text
from memtui.engine.types import Entry, Scope, Snapshot, Span, TopicDocument

DIGEST_BYTES = 2
_SHOWN_CHARACTERS = 300

_ID = re.compile(
    r"(?:(?P<scope>project|user|team):)?(?P<path>.+\.md)"
    r"(?::(?P<index>[0-9]{1,9}))?(?:@(?P<digest>[0-9a-f]+))?",
    re.IGNORECASE | re.DOTALL,
)


def entries_of(document: TopicDocument) -> tuple[Entry, ...]:
    """The entries in file order, at least one; computed once per document.

    The index of an entry is its place in the tuple, or None where the body is one entry.
    """
    return document.derive(_entries)


def digest(content: bytes) -> str:
    """Four hexadecimal digits that depend on the bytes of an entry alone."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def _entries(document: TopicDocument) -> tuple[Entry, ...]:
    lines = body_lines(document.source, document.body.start, document.body.end)
    starts = _bullet_starts(lines) or _block_starts(lines)
    if starts is None:
        return (_entry(document, lines, document.body, None),)
    bounds = [*starts, len(lines)]
    return tuple(
        _entry(document, lines[first:last], Span(lines[first].start, lines[last - 1].end), index)
        for index, (first, last) in enumerate(pairwise(bounds))
    )


def _bullet_starts(lines: Sequence[BodyLine]) -> list[int] | None:
    """The lines at which the entries of a bullet list begin; None where the body is none."""
    starts: list[int] = []
    for number, line in enumerate(lines):
        kind = line.kind
        if kind is Kind.BULLET:
            starts.append(number)
        elif kind is Kind.BLANK or (kind is Kind.HEADING and not starts):
            continue
        elif not starts or not _belongs_to_bullet(line):
            return None
    return starts if len(starts) > 1 else None


def _belongs_to_bullet(line: BodyLine) -> bool:
    is_indented = line.text[:1] in b" \t"
    if line.kind is Kind.FIELD:
        return not is_indented and line.text[:1] in b"-*"
    return line.kind is Kind.INDENTED or (line.kind is Kind.CODE and is_indented)


def _block_starts(lines: Sequence[BodyLine]) -> list[int] | None:
    """The lines at which blocks with a `Why` each begin; None where the body has no such form."""
    reasons = [number for number, line in enumerate(lines) if line.field == "why"]
    if len(reasons) < 2:
        return None
    starts: list[int] = []
    headings: set[int] = set()
    for reason in reasons:
        if lines[reason].kind is not Kind.FIELD:
            return None
        start = _paragraph_above(lines, reason)
        if start is None:
            return None
        heading = _above(lines, start)
        if heading is not None and lines[heading].kind is Kind.HEADING:
            while not lines[heading].starts:
                heading -= 1
            start = heading
            headings.add(heading)
        starts.append(start)
    first_field = next(number for number, line in enumerate(lines) if line.field)
    for number in range(first_field, len(lines)):
        line = lines[number]
        if line.kind is Kind.HEADING and line.starts and number not in headings:
            return None
    return starts


def _above(lines: Sequence[BodyLine], number: int) -> int | None:
    """The line above line `number` that is not blank."""
    for candidate in range(number - 1, -1, -1):
        if lines[candidate].kind is not Kind.BLANK:
            return candidate
    return None


def _paragraph_above(lines: Sequence[BodyLine], number: int) -> int | None:
    """The first line of the plain paragraph right above line `number`."""
    candidate = _above(lines, number)
    if candidate is None or lines[candidate].kind is not Kind.TEXT:
        return None
    while not lines[candidate].starts:
        candidate -= 1
    return candidate


def _entry(
    document: TopicDocument, lines: Sequence[BodyLine], span: Span, index: int | None
) -> Entry:
    fields = [line for line in lines if line.field]
    values: dict[FieldName, str] = {}
    for number, line in enumerate(fields):
        end = fields[number + 1].start if number + 1 < len(fields) else span.end
        if line.field is not None and line.field not in values:
            values[line.field] = _value(document.source, line, end)
    return Entry(
        path=document.path,
        scope=document.scope,
        index=index,
        span=span,
        summary=_summary(lines) or document.name,
        why=values.get("why") or None,
        how_to_apply=values.get("how_to_apply") or None,
        digest=digest(span.of(document.source)),
    )


def _value(source: bytes, line: BodyLine, end: int) -> str:
    """The text of the field that `line` begins, its further lines without common indent."""
    text = source[line.start + line.value_at : end].decode("utf-8", "replace").strip()
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    first, newline, rest = text.partition("\n")
    if rest.lstrip("\n")[:1] in (" ", "\t"):
        rest = dedent(rest)
    return f"{first}{newline}{rest}"


def _summary(lines: Sequence[BodyLine]) -> str:
    """The first line of the first plain paragraph or list item above all fields; else empty."""
    is_item_open = False
    for line in lines:
        if line.field:
            break
        if line.kind in (Kind.BULLET, Kind.LIST_ITEM):
            is_item_open = True
        elif line.kind is not Kind.TEXT and not (is_item_open and line.kind is Kind.INDENTED):
            continue
        text = line.text.strip() if line.kind is Kind.TEXT else item_text(line.text)
        if text:
            return text.decode("utf-8", "replace").strip()
    return ""


@dataclass(frozen=True, slots=True)
class EntryId:
    """An Entry ID taken apart: `user:feedback/style.md:2@3f9c`; only the path is never None."""

    scope: Scope | None
    path: str
    index: int | None = None
    digest: str | None = None

    def __str__(self) -> str:
        scope = "" if self.scope is None else f"{self.scope}:"
        index = "" if self.index is None else f":{self.index}"
        return f"{scope}{self.path}{index}" + ("" if self.digest is None else f"@{self.digest}")

    @classmethod
    def of(cls, entry: Entry) -> EntryId:
        """The whole ID of an entry, scope and digest included."""
        return cls(entry.scope, entry.path, entry.index, entry.digest)


def parse_entry_id(text: str) -> EntryId:
    """Take an Entry ID apart; raises `UnknownIdError` where it has not the form of one."""
    match = _ID.fullmatch(text)
    if match is None:
        raise UnknownIdError(
            f"`{_shown(text)}` is no Entry ID; one looks like `path.md`, `path.md:2` or "
            "`user:path.md:2@3f9c`."
        )
    scope, index, digits = match["scope"], match["index"], match["digest"]
    return EntryId(
        scope=cast("Scope", scope.lower()) if scope else None,
        path=match["path"],
        index=int(index) if index else None,
        digest=digits.lower() if digits else None,
    )


def resolve_entry(
    text: str, snapshots: Sequence[Snapshot]
) -> tuple[Snapshot, TopicDocument, Entry]:
    """The one entry that an Entry ID names in the snapshots.

    Raises `UnknownIdError` where there is none, `AmbiguousIdError` where it fits several scopes or
    a whole file of several entries, and `RefusedError` where its digest is that of no entry there.
    """
    wanted = parse_entry_id(text)
    files = list(_files(text, wanted, snapshots))
    if not files:
        raise UnknownIdError(f"There is no memory `{_shown(text)}`.")
    takes_whole_files = wanted.index is None and wanted.digest is None
    fitting = [
        (snapshot, document, entry)
        for snapshot, document in files
        for entry in entries_of(document)
        if (takes_whole_files or entry.index == wanted.index)
        and wanted.digest in (None, entry.digest)
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise AmbiguousIdError(
            f"`{_shown(text)}` could mean {_names([found[2] for found in fitting])}."
        )
    if wanted.digest is not None:
        raise RefusedError(
            f"`{_shown(text)}` has moved or changed: no entry of that place has the digest "
            f"`{wanted.digest}` now."
        )
    raise UnknownIdError(f"There is no entry `{_shown(text)}`; there is {_listed(files)}.")


def resolve_document(text: str, snapshots: Sequence[Snapshot]) -> tuple[Snapshot, TopicDocument]:
    """The one file that an Entry ID names, also one of several entries; for reading only.

    Raises as `resolve_entry` does, but takes the path of a file of several entries.
    """
    wanted = parse_entry_id(text)
    if wanted.index is not None or wanted.digest is not None:
        return resolve_entry(text, snapshots)[:2]
    files = list(_files(text, wanted, snapshots))
    if not files:
        raise UnknownIdError(f"There is no memory `{_shown(text)}`.")
    if len(files) > 1:
        names = ", ".join(f"`{document.scope}:{document.path}`" for _, document in files)
        raise AmbiguousIdError(f"`{_shown(text)}` could mean {names}.")
    return files[0]


def _files(
    text: str, wanted: EntryId, snapshots: Sequence[Snapshot]
) -> Iterator[tuple[Snapshot, TopicDocument]]:
    """Every file that the ID fits, also one whose own name begins like a scope.

    Where no path is spelled so, one that differs only in Unicode composition counts.
    """
    literal = None if wanted.scope is None else text[: len(wanted.scope) + 1] + wanted.path
    readings = [(snapshot, document) for snapshot in snapshots for document in snapshot.documents]
    exact = [
        (snapshot, document)
        for snapshot, document in readings
        if document.path == literal
        or (document.path == wanted.path and wanted.scope in (None, document.scope))
    ]
    if exact:
        yield from exact
        return
    composed = unicodedata.normalize("NFC", wanted.path)
    for snapshot, document in readings:
        if (
            wanted.scope in (None, document.scope)
            and not document.path.isascii()
            and unicodedata.normalize("NFC", document.path) == composed
        ):
            yield snapshot, document


def _shown(text: str) -> str:
    """An ID as a sentence names it: one of thousands of characters is cut."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def _names(entries: Sequence[Entry], most: int = 20) -> str:
    """What an ID could mean, shortened where that is long."""
    shown = ", ".join(f"`{entry.scope}:{entry.id}`" for entry in entries[:most])
    return shown if len(entries) <= most else f"{shown} and {len(entries) - most:,} more"


def _listed(files: Sequence[tuple[Snapshot, TopicDocument]]) -> str:
    """What there is instead, shortened where it is long."""
    entries = [entry for _, document in files for entry in entries_of(document)]
    return _names(entries, most=3)
