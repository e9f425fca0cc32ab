"""The index `MEMORY.md`: bytes to lines (spec section 7, Reading).

Invariant: reading never raises, and the spans of the lines joined are the source. What a line is
follows from its own text alone; whether a target exists is asked in `index_report`.

A line is an *entry* where its first link names a file and it is a list item, a table row, a
heading, or begins with that link. A wiki link counts as a link; a code span that is a file name
does where it begins the item and a separator or nothing follows it. Prose with a link in it is
text, and its links still list their files. A code block and an HTML comment hold no links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtui.engine.format.inline import (
    InlineLink,
    LinkForm,
    bracket_end,
    comment_block_end,
    destination,
    inline_links,
    is_external,
    may_name_topic,
    wiki_at,
)
from memtui.engine.format.lines import Line, lines_and_code, lines_with_spans
from memtui.engine.types import Span

LineKind = Literal["entry", "cut", "warning", "heading", "rule", "blank", "text", "code"]
"""`cut`: begins with `- [`, ends in `…`, its link unclosed; `warning`: the line that tells what
did not fit; `rule`: a thematic break or the underline of a heading."""

_BOM = b"\xef\xbb\xbf"
_ELLIPSIS = "…".encode()
_MAY_HOLD_CODE = re.compile(rb"```|~~~|^(?: {4}| {0,3}\t)", re.MULTILINE)
_USUAL = re.compile(
    rb"[-*+] (?:\*\*)?\[([^\[\]\\]*)\]\((?!//)([^()\s<>\\\"'#:]*\.md)\)([^\[\]`\\<]*)\Z"
)
"""What nearly all lines are; read in one step, to what `_read_links` would give."""
_LEAD = re.compile(
    rb"[ \t]*(?:>[ \t]*)*"
    rb"(?:(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|\|[ \t]*)|(?P<heading>#{1,6}(?:[ \t]+|\Z)))?"
    rb"(?:\[[ xX]\][ \t]+)?(?:\*\*|__|~~|\*|_)?"
)
_RULE = re.compile(rb"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)\Z")
_UNDERLINE = re.compile(rb" {0,3}(?:-{2,}|={2,})[ \t]*\Z")
_AFTER_BARE = re.compile(rb"(?:\*\*|__|\*|_)?[ \t]*(?:\Z|[|:(,;]|-[ \t]|\xe2\x80[\x93\x94])")


class IndexTarget(NamedTuple):
    """One file that a line names; `start` and `end` are the target's bytes in `Index.source`."""

    form: LinkForm
    raw: str
    """As it is written: neither decoded nor unescaped."""
    start: int
    end: int


class IndexLine(NamedTuple):
    """One line of the index."""

    number: int
    """1-based."""
    kind: LineKind
    start: int
    end: int
    """Behind the line end."""
    text: str
    """Without the line end and a byte order mark."""
    targets: tuple[IndexTarget, ...] = ()
    """Every link of the line that can name a topic file; of an entry the first is its target."""
    name: str = ""
    """What stands in the brackets of a link that begins the line, as it is written."""
    tail: str = ""
    """What follows that link."""
    is_index_line: bool = False
    """True for `- [name](path)` with whatever follows."""

    @property
    def span(self) -> Span:
        """The whole line in `Index.source`, its line end included."""
        return Span(self.start, self.end)

    @property
    def target(self) -> IndexTarget | None:
        """The file of an entry: its first link."""
        return self.targets[0] if self.kind == "entry" else None


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """One index file, read."""

    raw: bytes
    """The file's bytes, untouched."""
    source: bytes
    """`raw` where that is UTF-8, else its text encoded anew as UTF-8; spans lie in it."""
    is_utf8: bool
    lines: tuple[IndexLine, ...]


def parse_index(raw: bytes) -> Index:
    """Read an index; never raises.

    A file that is not UTF-8 is read as UTF-16 by its byte order mark, else as Latin-1, for
    display.
    """
    source, is_utf8 = _decode(raw)
    lines = list(_lines(source))
    for at, line in enumerate(lines):
        if line.kind == "rule" and at and line.text.strip(" \t=") == "":
            title = lines[at - 1]
            if title.kind == "text" and not title.targets:
                lines[at - 1] = title._replace(kind="heading")
    return Index(raw, source, is_utf8, tuple(lines))


def _decode(raw: bytes) -> tuple[bytes, bool]:
    if raw.isascii():
        return raw, True
    try:
        raw.decode()
    except UnicodeDecodeError:
        is_utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = raw.decode("utf-16" if is_utf16 else "latin-1", "replace")
        return text.encode("utf-8", "replace"), False
    return raw, True


def _lines(source: bytes) -> Iterator[IndexLine]:
    if _MAY_HOLD_CODE.search(source):
        pairs: Iterator[tuple[Line, bool]] = lines_and_code(source)
    else:
        pairs = ((line, False) for line in lines_with_spans(source))
    usual = _USUAL.match
    last_comment_end = source.rfind(b"-->")
    hidden_until = 0
    previous: LineKind = "blank"
    for number, (line, is_code) in enumerate(pairs, start=1):
        start, end, text = line
        match = usual(text)
        if match and not is_code and start >= hidden_until:
            name, target, tail = match.groups()
            at = start + match.start(2)
            found = IndexTarget("link", target.decode(), at, at + len(target))
            yield IndexLine(
                number,
                "entry",
                start,
                end,
                text.decode(),
                (found,),
                name.decode(),
                tail.decode(),
                text[:3] == b"- [",
            )
            previous = "entry"
            continue
        if number == 1 and text.startswith(_BOM):
            text = text[len(_BOM) :]
        if not is_code and hidden_until <= start < last_comment_end:
            hidden_until = max(hidden_until, comment_block_end(source, start, len(source)))
        read = _read_line(source, Line(start, end, text), number, previous, is_code, hidden_until)
        previous = read.kind
        yield read


def _read_line(
    source: bytes, line: Line, number: int, previous: LineKind, is_code: bool, hidden_until: int
) -> IndexLine:
    """One line that is not of the usual form; `source` up to `hidden_until` is a comment."""
    start, end, text = line
    shown = text.decode("utf-8", "replace")
    kind: LineKind = "text"
    if is_code:
        kind = "code"
    elif not text.strip():
        kind = "blank"
    elif start < hidden_until:
        kind = "text"
    elif text.startswith(b"> WARNING:"):
        kind = "warning"
    elif _RULE.match(text) or (previous == "text" and _UNDERLINE.match(text)):
        kind = "rule"
    else:
        text_start = source.index(text, start, end)
        return _read_links(source, Line(text_start, text_start + len(text), text), line, number)
    return IndexLine(number, kind, start, end, shown)


def _read_links(source: bytes, text_line: Line, line: Line, number: int) -> IndexLine:
    """One line of text that may hold links; `text_line` covers its text alone."""
    start, end, text = text_line
    lead = _LEAD.match(text)
    at = start + (lead.end() if lead else 0)
    is_item = lead is not None and lead.lastgroup is not None
    first, name = _leading_link(source, at, end)
    if _is_cut(source, text_line, first):
        return IndexLine(number, "cut", line.start, line.end, text.decode("utf-8", "replace"))
    found = [first] if first else []
    found.extend(inline_links(source, first.end if first else start, end))
    links = [link for link in found if link.form != "bare" or _is_bare_entry(source, link, at, end)]
    targets = tuple(
        IndexTarget(link.form, link.target(source), link.target_start, link.target_end)
        for link in found
        if _names_file(source, link)
    )
    is_entry = bool(links) and _names_file(source, links[0]) and (is_item or links[0].start == at)
    kind: LineKind = "text"
    if is_entry:
        kind = "entry"
        opening = links[0].target_start
        targets = tuple(target for target in targets if target.start >= opening) + tuple(
            target for target in targets if target.start < opening
        )
    elif lead is not None and lead.group("heading") is not None:
        kind = "heading"
    begins = is_entry and links[0].start == at
    return IndexLine(
        number,
        kind,
        line.start,
        line.end,
        text.decode("utf-8", "replace"),
        targets,
        name if begins else "",
        source[links[0].end : end].decode("utf-8", "replace") if begins else "",
        begins
        and first is not None
        and first.form == "link"
        and at == start + 2
        and text[:3] == b"- [",
    )


def _leading_link(source: bytes, at: int, end: int) -> tuple[InlineLink | None, str]:
    """The link at `at` and its name, read as the agents write it: any name, then `](path)`.

    Where the brackets of the name do not balance, the first `](` ends it.
    """
    if source[at : at + 1] != b"[":
        return None, ""
    wiki = wiki_at(source, at, end)
    if wiki:
        return wiki, wiki.target(source)
    close = bracket_end(source, at, end)
    if close is None or source[close + 1 : close + 2] != b"(":
        if close is not None and any(link.form == "link" for link in inline_links(source, at, end)):
            return None, ""
        close = source.find(b"](", at, end)
        if close < 0:
            return None, ""
    found = destination(source, close + 2, end)
    if found is None:
        return None, ""
    name = source[at + 1 : close].decode("utf-8", "replace")
    return InlineLink("link", at, found[2], found[0], found[1]), name


def _is_cut(source: bytes, line: Line, first: InlineLink | None) -> bool:
    """True for a line that the agent cut before its link was closed."""
    start, end, text = line
    if not text.startswith(b"- [") or not text.rstrip().endswith(_ELLIPSIS):
        return False
    if first:
        target = source[first.target_start : first.target_end]
        return target.count(b"(") > target.count(b")")
    close = bracket_end(source, start + 2, end)
    return close is None or source[close + 1 : close + 2] == b"("


def _names_file(source: bytes, link: InlineLink) -> bool:
    """True where the link can mean a topic file of the store."""
    if link.form != "link":
        return True
    target = link.target(source)
    return not is_external(target) and may_name_topic(target)


def _is_bare_entry(source: bytes, link: InlineLink, at: int, end: int) -> bool:
    """True for a file name in back-ticks that begins its line and stands for an entry.

    A name in capitals (`README.md`, `CLAUDE.md`) is a file of the project that is spoken of.
    """
    name = link.target(source)
    return (
        link.start == at
        and not name[:-3].isupper()
        and not any(character.isspace() for character in name)
        and _AFTER_BARE.match(source, link.end, end) is not None
    )
