"""What each line of a topic file's body is: paragraph, bullet, field, code and so on.

Invariant: the lines of a body cover it without gap or overlap, each with exactly one kind. Only
the top level is told apart; what is indented below a list item is `INDENTED` whatever it is.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Literal, NamedTuple

from memtui.engine.format.lines import FenceTracker, indent_of, lines_with_spans

FieldName = Literal["why", "how_to_apply"]


class Kind(Enum):
    """The kinds of lines."""

    BLANK = 1
    TEXT = 2
    """A plain paragraph."""
    BULLET = 3
    """`- ` or `* ` in the first column."""
    LIST_ITEM = 4
    """Any other list item: numbered, with `+`, or not in the first column."""
    INDENTED = 5
    """Below a list item."""
    LAZY = 6
    """Text right below a list item that should have been indented."""
    FIELD = 7
    """`Why` or `How to apply` at the top level, or as a top-level bullet or heading."""
    FIELD_TEXT = 8
    """The lines of a field's own paragraph."""
    HEADING = 9
    RULE = 10
    CODE = 11
    TABLE = 12
    QUOTE = 13
    HTML = 14


class BodyLine(NamedTuple):
    """One line: its span, its bytes without the line end, and what it is."""

    start: int
    end: int
    text: bytes
    kind: Kind
    starts: bool = True
    """False in the second and later lines of a paragraph or heading."""
    field: FieldName | None = None
    """The field that begins here; not only in lines of kind `FIELD` but also in indented ones."""
    value_at: int = 0
    """Where in `text` the field's value begins."""


_FIELD = re.compile(
    rb"""(?:[-*+][ \t]+|\#{1,6}[ \t]+)?
    (?P<open>(?:\*{1,3}|_{1,3})[ \t]*)?
    (?:(?P<why>why)|how[ \t_]+to[ \t_]+apply)[ \t]*
    (?:(?::|\xef\xbc\x9a)(?(open)[ \t]*(?:\*{1,3}|_{1,3})?)
      |(?(open)(?:\*{1,3}|_{1,3})[ \t]*(?::|\xef\xbc\x9a)|(?!)))
    [ \t]*""",
    re.IGNORECASE | re.VERBOSE,
)
"""Spec section 3: `**Why:**`, `**Why**:`, `**Why :**`, `- **Why:**`, `## Why:`, `Why:`."""
_WIDE_COLON = "：".encode()
_FIELD_HINT = re.compile(rb"why|apply", re.IGNORECASE)
_HEADING = re.compile(rb"#{1,6}(?:[ \t]+|\Z)")
_HEADING_AT_TOP = re.compile(rb"(?:[ \t]*\r?\n)* {0,3}(#{1,6}[ \t][^\n]*)")
_RULE = re.compile(rb"(?:-[ \t]*){3,}\Z|(?:\*[ \t]*){3,}\Z|(?:_[ \t]*){3,}\Z")
_BULLET = re.compile(rb"[-*+](?:[ \t]+|\Z)")
_NUMBER = re.compile(rb"([0-9]{1,9})[.)](?:[ \t]+|\Z)")
_SETEXT = re.compile(rb"=+[ \t]*\Z")
_TABLE_DELIMITER = re.compile(rb"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?\Z")
_HTML_VERBATIM = re.compile(rb"<(pre|script|style|textarea)(?=[ \t>]|\Z)", re.IGNORECASE)
_HTML_BLOCK = re.compile(
    rb"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd"
    rb"|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]"
    rb"|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup"
    rb"|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    rb"(?=[ \t>]|/>|\Z)",
    re.IGNORECASE,
)
_HTML_TAG_ALONE = re.compile(rb"</?[A-Za-z][A-Za-z0-9-]*(?:[ \t][^<>]*)?/?>[ \t]*\Z")


def item_text(text: bytes) -> bytes:
    """A line without its indent and its list marker."""
    bare = text.strip(b" \t\r")
    marker = _BULLET.match(bare) or _NUMBER.match(bare)
    return bare[marker.end() :] if marker else bare


def heading_text(text: bytes) -> bytes:
    """A heading's line without its marks, the closing ones included."""
    bare = text.strip(b" \t\r")
    mark = _HEADING.match(bare)
    if mark is None:
        return bare
    bare = bare[mark.end() :]
    closed = bare.rstrip(b"#")
    return closed.rstrip(b" \t") if closed[-1:] in b" \t" else bare


def first_heading(body: bytes) -> str:
    """The text of the first heading of a body that has one; empty where there is none."""
    if b"#" not in body and b"=" not in body:
        return ""
    at_top = _HEADING_AT_TOP.match(body)
    if at_top and heading_text(at_top[1]) and not _FIELD.match(at_top[1]):
        return heading_text(at_top[1]).decode("utf-8", "replace")
    for line in body_lines(body):
        if line.kind is not Kind.HEADING or not line.starts:
            continue
        text = heading_text(line.text)
        if text:
            return text.decode("utf-8", "replace")
    return ""


def body_lines(data: bytes, start: int = 0, end: int | None = None) -> list[BodyLine]:
    """Every line of `data[start:end]` with its kind; offsets count from the start of `data`."""
    stop = len(data) if end is None else end
    return _Classifier(data, start, stop).lines


class _Classifier:
    """Goes once over the lines, keeping which block is open."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self.lines: list[BodyLine] = []
        self._in_list = False
        self._paragraph: Kind | None = None
        """What a plain line right below would go on with."""
        self._next_paragraph = Kind.TEXT
        """What a new paragraph is: the first one below a field without text is its value."""
        self._html_end: bytes | None = None
        self._has_fields = _FIELD_HINT.search(data, start, end) is not None
        has_fences = data.find(b"```", start, end) >= 0 or data.find(b"~~~", start, end) >= 0
        fences = FenceTracker() if has_fences else None
        for line_start, line_end, text in lines_with_spans(data, start, end):
            bare = text.strip(b" \t\r")
            if self._html_end is not None:
                self._add_html(line_start, line_end, text, bare)
            elif fences is not None and fences.feed(text):
                self._paragraph = None
                self._next_paragraph = Kind.TEXT
                self._in_list = self._in_list and text[:1] in b" \t"
                self.lines.append(BodyLine(line_start, line_end, text, Kind.CODE))
            elif not bare:
                self._paragraph = None
                self.lines.append(BodyLine(line_start, line_end, text, Kind.BLANK))
            else:
                self._add(line_start, line_end, text, bare)

    def _add_html(self, start: int, end: int, text: bytes, bare: bytes) -> None:
        """Take a line of an open HTML block."""
        kind = Kind.HTML
        if not bare and not self._html_end:
            kind = Kind.BLANK
            self._html_end = None
        elif self._html_end and self._html_end in text.lower():
            self._html_end = None
        self.lines.append(BodyLine(start, end, text, kind, kind is Kind.BLANK))

    def _add(self, start: int, end: int, text: bytes, bare: bytes) -> None:
        """Take a line that is not blank, outside of fenced code and HTML."""
        is_indented = text[0] in b" \t"
        if is_indented and not self._in_list and indent_of(text) >= 4:
            kind = self._paragraph or Kind.CODE
            self.lines.append(BodyLine(start, end, text, kind, starts=self._paragraph is None))
            return
        if self._has_fields and (b":" in bare or _WIDE_COLON in bare):
            field = _FIELD.match(text, text.index(bare[:1]))
            if field is not None:
                self._add_field(start, end, text, field)
                return
        if is_indented and self._in_list:
            self._paragraph = Kind.LAZY
            self._next_paragraph = Kind.TEXT
            self.lines.append(BodyLine(start, end, text, Kind.INDENTED))
            return
        kind, starts = self._kind(bare, is_indented)
        self.lines.append(BodyLine(start, end, text, kind, starts))

    def _add_field(self, start: int, end: int, text: bytes, match: re.Match[bytes]) -> None:
        name: FieldName = "why" if match["why"] else "how_to_apply"
        if self._in_list and text[0] in b" \t":
            kind = Kind.INDENTED
            self._paragraph = Kind.LAZY
        else:
            kind = Kind.FIELD
            self._paragraph = Kind.FIELD_TEXT
            self._in_list = _BULLET.match(text.lstrip(b" \t")) is not None
            has_value = bool(text[match.end() :].strip())
            self._next_paragraph = Kind.TEXT if has_value else Kind.FIELD_TEXT
        self.lines.append(BodyLine(start, end, text, kind, True, name, match.end()))

    def _kind(self, bare: bytes, is_indented: bool) -> tuple[Kind, bool]:
        """The kind of a line of the top level, and whether it starts a block."""
        first = bare[:1]
        if first.isalpha() or first >= b"\x80":
            return self._text(bare)
        if first in b"-*_" and bare[-1:] == first and _RULE.match(bare):
            return self._opened(Kind.RULE)
        if first == b"#" and _HEADING.match(bare):
            return self._opened(Kind.HEADING)
        if first in b"-*+" and bare[1:2] in b" \t":
            is_bullet = first != b"+" and not is_indented
            return self._item(Kind.BULLET if is_bullet else Kind.LIST_ITEM)
        if first.isdigit():
            number = _NUMBER.match(bare)
            if number and (self._paragraph is not Kind.TEXT or number[1] == b"1"):
                return self._item(Kind.LIST_ITEM)
        if first == b">":
            return self._opened(Kind.QUOTE, Kind.QUOTE)
        if first == b"|" and not self._is_table_delimiter(bare):
            return self._opened(Kind.TABLE, Kind.TABLE)
        if first == b"<" and self._opens_html(bare):
            return self._opened(Kind.HTML)
        if first == b"=" and self._paragraph is Kind.TEXT and _SETEXT.match(bare):
            self._paragraph = None
            self._rename(Kind.TEXT, Kind.HEADING)
            return Kind.HEADING, False
        return self._text(bare)

    def _item(self, kind: Kind) -> tuple[Kind, bool]:
        self._paragraph, self._in_list, self._next_paragraph = Kind.LAZY, True, Kind.TEXT
        return kind, True

    def _opened(self, kind: Kind, paragraph: Kind | None = None) -> tuple[Kind, bool]:
        starts = paragraph is None or self._paragraph is not paragraph
        self._paragraph, self._in_list, self._next_paragraph = paragraph, False, Kind.TEXT
        return kind, starts

    def _is_table_delimiter(self, bare: bytes) -> bool:
        """True for the `|---|---|` below a plain line that heads a table."""
        return (
            self._paragraph is Kind.TEXT
            and bare[:1] in b"|:-"
            and b"|" in self.lines[-1].text
            and _TABLE_DELIMITER.match(bare) is not None
        )

    def _text(self, bare: bytes) -> tuple[Kind, bool]:
        """A plain line: it goes on with what is open, or starts a paragraph."""
        if self._paragraph is None:
            kind, self._next_paragraph = self._next_paragraph, Kind.TEXT
            self._paragraph, self._in_list = kind, False
            return kind, True
        if self._is_table_delimiter(bare):
            self._paragraph = Kind.TABLE
            self.lines[-1] = self.lines[-1]._replace(kind=Kind.TABLE, starts=True)
            return Kind.TABLE, False
        return self._paragraph, False

    def _rename(self, old: Kind, new: Kind) -> None:
        """Give the open paragraph, up to its first line, another kind."""
        for index in range(len(self.lines) - 1, -1, -1):
            line = self.lines[index]
            if line.kind is not old:
                return
            self.lines[index] = line._replace(kind=new)
            if line.starts:
                return

    def _opens_html(self, bare: bytes) -> bool:
        """True where an HTML block begins; then `_html_end` says what ends it (CommonMark 4.6)."""
        verbatim = _HTML_VERBATIM.match(bare)
        if verbatim:
            ending = b"</" + verbatim[1].lower() + b">"
        elif bare.startswith(b"<!--"):
            ending = b"-->"
        elif bare.startswith(b"<?"):
            ending = b"?>"
        elif bare.startswith(b"<![CDATA["):
            ending = b"]]>"
        elif bare.startswith(b"<!"):
            ending = b">"
        elif _HTML_BLOCK.match(bare) or (
            self._paragraph is None and _HTML_TAG_ALONE.match(bare) is not None
        ):
            self._html_end = b""
            return True
        else:
            return False
        self._html_end = None if ending in bare.lower()[2:] else ending
        return True
