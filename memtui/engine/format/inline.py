"""Links in Markdown bytes: where they stand and what they name, as it is written.

Invariant: this module only finds; it knows no file and resolves nothing. All positions are byte
offsets into the data that was handed in, so a target can be replaced byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

LinkForm = Literal["link", "wiki", "bare"]
"""`[text](path)`, `[[name]]`, or a code span that holds a file name alone."""

_TOKEN = re.compile(rb"\\[!-/:-@\[-`{-~]|`+|<!--|\[|\]\(?")
_TICKS = re.compile(rb"`+")
_WIKI = re.compile(rb"\[\[([^\[\]\n]{1,300})\]\](?!\()")
_COMMENT_LINE = re.compile(rb" {0,3}<!--")
_NO_WIKI_NAME = re.compile(rb"[\"$<>{}=;`]|://|\A[:!-]")
_LETTER_OR_DATE = re.compile(rb"[A-Za-z\x80-\xff]|\A[0-9_-]{4,}\Z")
_WIKI_END = re.compile(rb"\\?\||#")
_BARE = re.compile(rb"[^`\n]*[^`\n/]\.[mM][dD]")
_SIMPLE = re.compile(rb"([^()\s<>\\\"']*)\)")
_POINTED = re.compile(
    rb"[ \t]*<([^<>\n]*)>(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_TITLED = re.compile(
    rb"[ \t]*([^()\s<>\"']+(?:[ \t][^()\s<>\"']+)*)[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*')[ \t]*\)"
)
_PAREN_TITLE = re.compile(rb"(.*\.[mM][dD])[ \t]+\([^()]*\)\Z")
_PARENS = re.compile(rb"\\.|[()\n]", re.DOTALL)

_MAX_DEPTH = 32
"""Nested parentheses in a destination, as in CommonMark; it keeps hostile lines linear."""

_KNOWN_SCHEMES = "https?|ftps?|mailto|tel|data|file|javascript|ssh|git|vscode|obsidian|slack"
_EXTERNAL = re.compile(rf"//|#|(?:{_KNOWN_SCHEMES}):|[A-Za-z][A-Za-z0-9+.-]+://", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


class InlineLink(NamedTuple):
    """One link: its whole range, and the range of the target as it is written.

    The target of a `wiki` link is its name without label and part; of a `link` the destination
    without title and angle brackets; of a `bare` one the file name between the back-ticks.
    """

    form: LinkForm
    start: int
    end: int
    target_start: int
    target_end: int

    def target(self, data: bytes) -> str:
        """The target as it is written in `data`."""
        return data[self.target_start : self.target_end].decode("utf-8", "replace")


def is_external(target: str) -> bool:
    """True for a URL or an anchor: something that is no path of a file.

    A name with a colon before `.md` (`note: a.md`) is a path, unless its scheme is well known.
    """
    if _EXTERNAL.match(target):
        return True
    return _SCHEME.match(target) is not None and not names_markdown(target)


def names_markdown(target: str) -> bool:
    """True where the path in `target`, without its `#part`, ends in `.md` in any case."""
    return target[-3:].lower() == ".md" or target.partition("#")[0][-3:].lower() == ".md"


def may_name_topic(target: str) -> bool:
    """True where a link target can mean a topic file: it ends in `.md`, or has no extension.

    Pictures, scripts and folders are nothing that a snapshot knows.
    """
    if names_markdown(target):
        return True
    path = target.partition("#")[0]
    return bool(path) and not path.endswith(("/", "\\", ".")) and not _EXTENSION.search(path)


def destination(data: bytes, start: int, end: int) -> tuple[int, int, int] | None:
    """The destination of a link, `start` being the offset behind its `](`.

    Out: start and end of the target as written, and the offset behind the closing parenthesis;
    None where the link is not closed on its line. Parentheses balance; where they do not, the
    first closing one ends the link. Blanks, `<…>` and a title are understood.
    """
    simple = _SIMPLE.match(data, start, end)
    if simple:
        return simple.start(1), simple.end(1), simple.end()
    for pattern in (_POINTED, _TITLED):
        match = pattern.match(data, start, end)
        if match:
            return match.start(1), match.end(1), match.end()
    close = _closing_parenthesis(data, start, end)
    if close is None:
        return None
    inside = data[start:close]
    title = _PAREN_TITLE.match(inside)
    if title:
        inside = title.group(1)
    target = inside.strip(b" \t")
    offset = start + len(inside) - len(inside.lstrip(b" \t"))
    return offset, offset + len(target), close + 1


def _closing_parenthesis(data: bytes, start: int, end: int) -> int | None:
    """The offset of the balancing `)`, else of the first one on the line."""
    depth = 1
    first: int | None = None
    for match in _PARENS.finditer(data, start, end):
        character = match.group()
        if character == b"\n":
            break
        if character == b"(":
            depth += 1
            if depth > _MAX_DEPTH:
                break
        elif character == b")":
            depth -= 1
            if first is None:
                first = match.start()
            if not depth:
                return match.start()
    return first


def bracket_end(data: bytes, start: int, end: int) -> int | None:
    """The offset of the `]` that closes the `[` at `start`; None where brackets do not balance.

    A backslash takes the bracket behind it out of the count.
    """
    depth = 0
    position = start
    while position < end:
        byte = data[position]
        if byte == 0x5C:
            position += 1
        elif byte == 0x5B:
            depth += 1
        elif byte == 0x5D:
            depth -= 1
            if not depth:
                return position
        position += 1
    return None


def wiki_at(data: bytes, start: int, end: int) -> InlineLink | None:
    """The wiki link at `start`; None where what stands there only looks like one.

    A POSIX class (`[[:space:]]`), a shell test, numbers and markup are none; neither is
    `[[#part]]`, which names no file.
    """
    match = _WIKI.match(data, start, end)
    if match is None:
        return None
    inside = match.group(1)
    cut = _WIKI_END.search(inside)
    name = inside[: cut.start()] if cut else inside
    if not name.strip() or _NO_WIKI_NAME.search(name.strip()) or not _LETTER_OR_DATE.search(name):
        return None
    begin = match.start(1)
    return InlineLink("wiki", match.start(), match.end(), begin, begin + len(name))


def comment_block_end(data: bytes, line_start: int, end: int) -> int:
    """Where a comment that begins its line ends, blank lines included (CommonMark 4.6).

    Out: the offset behind `-->`; `line_start` where the line begins with no comment, or with one
    that is never closed.
    """
    if not _COMMENT_LINE.match(data, line_start, end):
        return line_start
    close = data.find(b"-->", line_start, end)
    return line_start if close < 0 else close + 3


def inline_links(data: bytes, start: int, end: int) -> Iterator[InlineLink]:
    """Every link in `data[start:end]`, one block of text, in the order of their targets.

    Code spans and HTML comments hold none, but a code span that is a file name alone is a `bare`
    one. Back-ticks, brackets and parentheses with a backslash before them are text.
    """
    openers: list[int] = []
    has_comments = True
    position = start
    while True:
        token = _TOKEN.search(data, position, end)
        if token is None:
            return
        position = token.end()
        kind = token.group()
        if kind == b"[":
            wiki = wiki_at(data, token.start(), end)
            if wiki:
                yield wiki
                position = wiki.end
            else:
                openers.append(token.start())
        elif kind[:1] == b"]":
            opener = openers.pop() if openers else None
            found = destination(data, position, end) if kind == b"](" else None
            if opener is not None and found:
                yield InlineLink("link", opener, found[2], found[0], found[1])
                position = found[2]
        elif kind[:1] == b"`":
            close = _code_end(data, position, end, len(kind))
            if close is not None:
                if _BARE.fullmatch(data, position, close):
                    yield InlineLink("bare", token.start(), close + len(kind), position, close)
                position = close + len(kind)
        elif kind == b"<!--":
            closed = data.find(b"-->", position, end) if has_comments else -1
            has_comments = closed >= 0
            position = closed + 3 if has_comments else position


def _code_end(data: bytes, start: int, end: int, ticks: int) -> int | None:
    """The offset of the run of exactly `ticks` back-ticks that closes a code span."""
    for run in _TICKS.finditer(data, start, end):
        if run.end() - run.start() == ticks:
            return run.start()
    return None
