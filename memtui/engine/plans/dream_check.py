"""That a dream loses nothing: asked of every merge before it is proposed (spec section 9).

Invariant: this knows nothing of how entries are merged. It reads files as they are and as they
would be, and tells each sentence, name, description and further key that is no longer found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memtui.engine.format.entries import entries_of
from memtui.engine.format.lines import lines_and_code
from memtui.engine.text import fold
from memtui.engine.types import TopicDocument

_READ_KEYS = frozenset(("name", "description", "type", "metadata.type"))
_LABEL = re.compile(
    r"(?:[-*+]\s+|#{1,6}\s+)?[*_]*\s*(?P<name>why|how[\s_]+to[\s_]+apply)\s*[*_]*\s*[:：]\s*[*_]*\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"(?:(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)(?:\s+|\Z))+")
_STARTS_ANEW = re.compile(rf"\Z|\||{_MARKS.pattern}|Also:")
_ALSO = re.compile(r"Also:\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*")


class Saying(NamedTuple):
    """One text of a file: where it stands, and what it says, folded."""

    place: str
    """`text`, `why`, `how`, `name`, `description`, `frontmatter`, or `key` and the key."""
    text: str


def lost(before: Iterable[TopicDocument], after: Iterable[TopicDocument]) -> tuple[Saying, ...]:
    """What the files `before` say and the files `after`, which take their place, do not.

    A reason must be found among reasons, a way to apply among those; text, names and descriptions
    anywhere.
    """
    after = tuple(after)
    same = {(document.source, document.name) for document in after}
    changed = [document for document in before if (document.source, document.name) not in same]
    if not changed:
        return ()
    heap: dict[str, list[str]] = {}
    known: set[Saying] = set()
    for document in after:
        for saying in sayings(document):
            known.add(saying)
            heap.setdefault(saying.place, []).append(saying.text)
    anywhere = "\n".join(text for texts in heap.values() for text in texts)
    missing: dict[Saying, None] = {}
    for document in changed:
        for saying in sayings(document):
            if saying in known:
                continue
            place = saying.place
            if place.startswith("key "):
                is_found = False
            elif place in ("why", "how", "frontmatter"):
                is_found = _is_in(saying.text, "\n".join(heap.get(place, ())))
            elif place == "text":
                is_found = _is_in(saying.text, anywhere)
            else:
                is_found = _is_in(saying.text.rstrip(".。"), anywhere)
            if not is_found:
                missing[saying] = None
    return tuple(missing)


def sayings(document: TopicDocument) -> tuple[Saying, ...]:
    """Everything that a file says, sentence by sentence; computed once per document."""
    return document.derive(_sayings)


def _sayings(document: TopicDocument) -> tuple[Saying, ...]:
    return tuple(_said(document))


def _said(document: TopicDocument) -> Iterator[Saying]:
    yield Saying("name", fold(document.name))
    if document.description:
        yield Saying("description", fold(document.description))
    for field in document.fields:
        if field.key not in _READ_KEYS:
            yield Saying(f"key {field.key}", fold(field.value))
    for line in _strays(document):
        yield Saying("frontmatter", line)
    for place, paragraph in _paragraphs(document):
        for sentence in _SENTENCE_END.split(paragraph):
            folded = fold(sentence)
            if folded:
                yield Saying(place, folded)


def _strays(document: TopicDocument) -> Iterator[str]:
    """Lines of the frontmatter that belong to no key: comments, repeated keys, what is broken."""
    source = document.source
    position = document.frontmatter.start
    spans = sorted(field.span for field in document.fields)
    for start, end in (*spans, (document.frontmatter.end, document.frontmatter.end)):
        for line in source[position : max(start, position)].split(b"\n"):
            bare = line.strip(b" \t\r\xef\xbb\xbf")
            if bare and not bare.startswith(b"---"):
                yield fold(bare.decode("utf-8", "replace"))
        position = max(position, end)
    for field in document.fields:
        if field.key in ("name", "description", "type"):
            continue
        for line in field.span.of(source).split(b"\n"):
            _, hash_sign, comment = line.partition(b" #")
            if hash_sign or line.lstrip().startswith(b"#"):
                yield fold((comment or line).decode("utf-8", "replace"))


def _paragraphs(document: TopicDocument) -> Iterator[tuple[str, str]]:
    """Every paragraph and list item with the field that it belongs to; code is one paragraph."""
    starts = {entry.span.start for entry in entries_of(document)}
    place = "text"
    parts: list[str] = []
    was_code = False
    for line, is_code in lines_and_code(document.source, document.body.start, document.body.end):
        text = line.text.decode("utf-8", "replace").strip()
        label = None if is_code else _LABEL.match(text)
        is_new = (
            line.start in starts
            or is_code is not was_code
            or label is not None
            or (not is_code and _STARTS_ANEW.match(text) is not None)
        )
        if is_new:
            if parts:
                yield place, " ".join(parts)
            parts = []
        if line.start in starts:
            place = "text"
        if label is not None:
            place = "why" if label["name"].lower() == "why" else "how"
            text = text[label.end() :]
        elif not is_code:
            text = _without(_ALSO, _without(_MARKS, text))
        if text:
            parts.append(text)
        was_code = is_code
    if parts:
        yield place, " ".join(parts)


def _without(beginning: re.Pattern[str], text: str) -> str:
    match = beginning.match(text)
    return text[match.end() :] if match else text


def _is_in(part: str, text: str) -> bool:
    """True where `text` holds `part`, and not in the middle of words."""
    at = text.find(part)
    while at >= 0:
        left, right = text[at - 1 : at], text[at + len(part) : at + len(part) + 1]
        if not (_is_letter(left) and _is_letter(part[:1])) and not (
            _is_letter(right) and _is_letter(part[-1:])
        ):
            return True
        at = text.find(part, at + 1)
    return False


def _is_letter(character: str) -> bool:
    """True for what makes words with its neighbours; CJK does not."""
    return character.isalnum() and character < "\u2e80"


def unkept(before: Sequence[TopicDocument], after: Sequence[TopicDocument]) -> str:
    """One phrase that names the first thing that would be lost; empty where nothing is."""
    missing = lost(before, after)
    if not missing:
        return ""
    place, text = missing[0]
    shown = text if len(text) <= 60 else text[:59] + "…"
    if place == "text":
        return f"a sentence would be torn apart: “{shown}”"
    return f"{place.removeprefix('key ')} “{shown}” would be lost"
