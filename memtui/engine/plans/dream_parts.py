"""What an entry is made of, for merging two of them: summary, titles, text, fields.

Invariant: the parts of an entry lie in its own bytes, and joined they are all that it says. Equal
means equal when folded; where lines begin and how they are indented makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from memtui.engine.format.blocks import (
    BodyLine,
    FieldName,
    Kind,
    body_lines,
    heading_text,
    item_text,
)
from memtui.engine.text import fold

ALSO = b"Also:"
"""Begins the line that keeps the name and description of a file that goes (spec section 9)."""

FULL_STOPS = ".。"
"""With or without one at its end, a name or description says the same."""

_ITEM = re.compile(rb"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
_LEAD = re.compile(rb"[ \t]*")
_LEAD_AND_MARKER = re.compile(rb"[ \t]*(?:[-*+][ \t]+)?")
_WIDEST_MARKER = 6


@dataclass(frozen=True)
class Block:
    """Some lines of an entry, without their common indent and without line ends."""

    lines: tuple[bytes, ...]
    is_tight: bool = True
    """True where no blank line stands before them."""

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The lines that are not blank, folded."""
        return tuple(folded for line in self.lines if (folded := fold(decode(line))))

    @property
    def joined(self) -> str:
        """All of it as one folded text."""
        return " ".join(self.folded)


@dataclass(frozen=True, slots=True)
class FieldPart:
    """One `Why` or `How to apply` of an entry."""

    name: FieldName
    prefix: bytes
    """The line up to the value: indent, marker, label."""
    start: int
    """Where its line begins."""
    end: int
    """Behind its last line that is not blank, line end included."""
    value: Block
    has_blank_before: bool
    is_top_level: bool
    ends_in_text: bool
    """True where its last line is plain text, which a further line goes on with."""

    @property
    def indent(self) -> bytes:
        """What a further line of the value begins with."""
        bare = self.prefix.lstrip(b" \t")
        if bare.startswith(b"#"):
            return b""
        match = _LEAD_AND_MARKER.match(self.prefix)
        lead = _LEAD.match(self.prefix)
        assert match is not None
        assert lead is not None
        return lead[0] + b" " * (match.end() - lead.end())


@dataclass(frozen=True, slots=True)
class Parts:
    """One entry taken apart."""

    source: bytes
    summary: str
    """Folded."""
    is_item: bool
    """True where the entry begins with a list marker, so that its lines are indented."""
    indent: bytes
    """What further lines of the entry begin with; empty where it is no list item."""
    titles: tuple[str, ...]
    """The texts of headings above the summary."""
    also: tuple[str, ...]
    """What former merges kept: the texts of `Also:` lines."""
    wrapped: tuple[str, ...]
    """The folded lines, of the text below, that go on with the paragraph of the summary."""
    rest: Block
    """All other text above the fields."""
    text_end: int
    """Behind the last line above the fields that is not blank."""
    text_ends_in_text: bool
    fields: tuple[FieldPart, ...]
    end: int
    """Behind the last line of all that is not blank."""

    def field(self, name: FieldName) -> FieldPart | None:
        """The first field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def rest_key(self) -> str:
        """What stands beside summary, reasons and `Also:` lines, folded: titles and text."""
        return " ".join((*map(fold, self.titles), *self.rest.folded))


def parts_of(source: bytes) -> Parts | None:
    """The parts of the entry with these bytes; None where it has no line to be its summary."""
    lines = [line for line in body_lines(source) if line.kind is not Kind.BLANK]
    first_field = next((n for n, line in enumerate(lines) if line.field), len(lines))
    summary_at = _summary_line(lines[:first_field])
    if summary_at is None:
        return None
    summary = lines[summary_at]
    is_item = summary.kind is not Kind.TEXT
    indent = b""
    if is_item:
        marker = _ITEM.match(summary.text)
        width = marker.end() if marker else 2
        indent = b" " * (width if width <= _WIDEST_MARKER and b"\t" not in summary.text[:2] else 2)
    titles: list[str] = []
    also: list[str] = []
    rest: list[BodyLine] = []
    for number, line in enumerate(lines[:first_field]):
        bare = line.text.strip(b" \t\r")
        if number < summary_at and line.kind is Kind.HEADING:
            if line.starts and heading_text(bare):
                titles.append(decode(heading_text(bare)))
            continue
        if number == summary_at:
            continue
        if bare.startswith(ALSO) and line.kind is not Kind.CODE:
            also.append(decode(bare[len(ALSO) :]).strip())
        else:
            rest.append(line)
    text = lines[:first_field]
    return Parts(
        source=source,
        summary=fold(decode(item_text(summary.text))),
        is_item=is_item,
        indent=indent,
        titles=tuple(titles),
        also=tuple(also),
        wrapped=tuple(_wrapped(lines[summary_at:first_field])),
        rest=_block(source, rest, len(indent), summary.end if is_after(rest, summary) else None),
        text_end=text[-1].end,
        text_ends_in_text=_is_text(text[-1]) or text[-1] is summary,
        fields=tuple(_fields(source, lines, first_field)),
        end=lines[-1].end,
    )


def is_after(lines: Sequence[BodyLine], line: BodyLine) -> bool:
    """True where all `lines` lie behind `line`."""
    return all(each.start >= line.end for each in lines)


def decode(text: bytes) -> str:
    """The text of bytes that are UTF-8."""
    return text.decode("utf-8", "replace")


def says(text: str, part: str) -> bool:
    """True where the folded `text` holds the folded `part` as whole words."""
    if not part:
        return True
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        is_cut = (at > 0 and _joins(text[at - 1], part[0])) or (
            end < len(text) and _joins(part[-1], text[end])
        )
        if not is_cut:
            return True
        at = text.find(part, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """True where two neighbours are of one word; scripts without blanks have no such words."""
    return left.isalnum() and right.isalnum() and (left < "\u2e80" or right < "\u2e80")


def holds(lines: Sequence[str], part: Sequence[str]) -> bool:
    """True where `part` is a run of whole `lines`, or the same text in lines of other lengths."""
    if not part or " ".join(lines) == " ".join(part):
        return True
    size = len(part)
    wanted = tuple(part)
    return any(tuple(lines[at : at + size]) == wanted for at in range(len(lines) - size + 1))


def _summary_line(lines: Sequence[BodyLine]) -> int | None:
    is_item_open = False
    for number, line in enumerate(lines):
        if line.kind in (Kind.BULLET, Kind.LIST_ITEM):
            is_item_open = True
        elif line.kind is not Kind.TEXT and not (is_item_open and line.kind is Kind.INDENTED):
            continue
        text = line.text if line.kind is Kind.TEXT else item_text(line.text)
        if text.strip():
            return number
    return None


def _wrapped(lines: Sequence[BodyLine]) -> Iterable[str]:
    """The lines of the first one's paragraph, without that one."""
    for above, line in pairwise(lines):
        if line.start != above.end or not _is_text(line) or line.text.lstrip().startswith(ALSO):
            return
        yield fold(decode(line.text))


def _fields(source: bytes, lines: Sequence[BodyLine], first: int) -> Iterable[FieldPart]:
    starts = [number for number in range(first, len(lines)) if lines[number].field]
    for number, end in pairwise([*starts, len(lines)]):
        line, last = lines[number], lines[end - 1]
        prefix = line.text[: line.value_at]
        match = _LEAD_AND_MARKER.match(prefix)
        width = match.end() if match else 0
        more = _block(source, lines[number + 1 : end], width, None)
        assert line.field is not None
        yield FieldPart(
            name=line.field,
            prefix=prefix,
            start=line.start,
            end=last.end,
            value=Block((line.text[line.value_at :].strip(b" \t\r"), *more.lines)),
            has_blank_before=_has_blank_above(source, line.start),
            is_top_level=line.kind is Kind.FIELD,
            ends_in_text=_is_text(last)
            or (last is line and bool(line.text[line.value_at :].strip())),
        )


def _has_blank_above(source: bytes, start: int) -> bool:
    above = source[source.rfind(b"\n", 0, max(start - 1, 0)) + 1 : start]
    return not above.strip()


def _is_text(line: BodyLine) -> bool:
    """True for a line that a plain line right below goes on with."""
    if line.kind in (Kind.TEXT, Kind.FIELD_TEXT, Kind.LAZY):
        return True
    return line.kind is Kind.INDENTED and is_plain(line.text)


def is_plain(text: bytes) -> bool:
    """True for a line that begins no list item, quote, table, heading, code or HTML."""
    bare = text.strip(b" \t\r")
    return bool(bare) and not _ITEM.match(bare) and bare[:1] not in b">|#<`~="


def _block(
    source: bytes, lines: Sequence[BodyLine], most_indent: int, right_after: int | None
) -> Block:
    """The lines with the blank ones between them, without the indent of what they belong to."""
    if not lines:
        return Block(())
    widths = [len(line.text) - len(bare) for line in lines if (bare := line.text.lstrip(b" \t"))]
    cut = min([most_indent, *widths])
    texts: list[bytes] = []
    for number, line in enumerate(lines):
        if number and source[lines[number - 1].end : line.start]:
            is_blank = not source[lines[number - 1].end : line.start].strip()
            if is_blank:
                texts += [b""] * source.count(b"\n", lines[number - 1].end, line.start)
        texts.append(line.text[cut:].rstrip(b"\r"))
    return Block(tuple(texts), right_after is not None and lines[0].start == right_after)
