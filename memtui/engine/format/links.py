"""The links in topic files, forth and back (spec section 13, `broken-link`).

Invariant: a link's spans lie in `TopicDocument.source`, so that a renamed target can be written
over the old one byte for byte.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from memtui.engine.format.inline import (
    LinkForm,
    comment_block_end,
    inline_links,
    is_external,
)
from memtui.engine.format.lines import lines_and_code
from memtui.engine.format.resolve import Resolved, Resolver
from memtui.engine.types import Snapshot, Span, TopicDocument

_BLOCK_START = re.compile(rb"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})(?=[ \t]|\Z)|[>|])")
_ONE_LINE_BLOCK = re.compile(rb"[ \t]*(?:#{1,6}(?=[ \t]|\Z)|\|)")


class Link(NamedTuple):
    """One link of a topic file."""

    form: LinkForm
    """`link` for `](path)`, `wiki` for `[[name]]`; a topic file has no `bare` ones."""
    target: str
    """As it is written: the path, or the name without label and part."""
    line: int
    """1-based, counted from the start of the file."""
    span: Span
    """The whole link."""
    target_span: Span


class FileLink(NamedTuple):
    """A link, the file it stands in and what it leads to."""

    path: str
    link: Link
    resolved: Resolved


def links_of(document: TopicDocument) -> tuple[Link, ...]:
    """Every `](path)` and `[[name]]` in the body, in file order; computed once per document.

    None in code blocks, code spans and HTML comments. URLs and anchors in the file itself
    (`#part`) are no links here.
    """
    return document.derive(_links_of)


def links_in(snapshot: Snapshot) -> Iterator[FileLink]:
    """Every link of every topic file with what it leads to; `](path)` from its file's folder."""
    resolver = Resolver(snapshot)
    for document in snapshot.documents:
        links = links_of(document)
        if links:
            base = posixpath.dirname(document.path)
            for link in links:
                found = resolver.resolve(link.form, link.target, base)
                yield FileLink(document.path, link, found)


def backlinks(snapshot: Snapshot) -> dict[str, tuple[FileLink, ...]]:
    """By the path of a topic file: the links of other files that lead to it."""
    back: dict[str, list[FileLink]] = {}
    for found in links_in(snapshot):
        path = found.resolved.path
        if found.resolved.is_found and path is not None and path != found.path:
            back.setdefault(path, []).append(found)
    return {path: tuple(links) for path, links in back.items()}


def _links_of(document: TopicDocument) -> tuple[Link, ...]:
    source, body = document.source, document.body
    # A single byte is looked for ten times as fast as two, and most bodies hold no link at all.
    if source.find(b"[", body.start, body.end) < 0 or (
        source.find(b"](", body.start, body.end) < 0
        and source.find(b"[[", body.start, body.end) < 0
    ):
        return ()
    links: list[Link] = []
    line = 1
    counted = 0
    for start, end in _text_blocks(source, body.start, body.end):
        for found in inline_links(source, start, end):
            target = found.target(source)
            is_file = found.form == "wiki" or (target and not is_external(target))
            if found.form == "bare" or not is_file:
                continue
            if found.start >= counted:
                line += source.count(b"\n", counted, found.start)
            else:
                line -= source.count(b"\n", found.start, counted)
            counted = found.start
            links.append(
                Link(
                    found.form,
                    target,
                    line,
                    Span(found.start, found.end),
                    Span(found.target_start, found.target_end),
                )
            )
    return tuple(links)


def _text_blocks(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Runs of lines that a code span can reach across: a paragraph, a list item's text, a row."""
    block_start: int | None = None
    hidden_until = start
    last_comment_end = data.rfind(b"-->", start, end)
    for line, is_code in lines_and_code(data, start, end):
        if not is_code and hidden_until <= line.start < last_comment_end:
            hidden_until = max(hidden_until, comment_block_end(data, line.start, end))
        is_text = not is_code and not line.is_blank and line.start >= hidden_until
        begins = is_text and _BLOCK_START.match(line.text) is not None
        if block_start is not None and (begins or not is_text):
            yield block_start, line.start
            block_start = None
        if is_text:
            if block_start is None:
                block_start = line.start
            if begins and _ONE_LINE_BLOCK.match(line.text):
                yield block_start, line.end
                block_start = None
    if block_start is not None:
        yield block_start, end
