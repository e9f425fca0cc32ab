"""The index line that a topic file gives, and whether a line is that one (spec section 7).

Invariant: the line of a document, parsed, names that document again, whatever its name holds. A
link is never cut.

In a path of our own these are percent-encoded, as UTF-8: white space and control characters,
`( ) [ ] < > \\ % # ? & : " '` and the back-tick. Letters of other scripts stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from urllib.parse import quote, unquote

from memtui.engine.format.index import IndexLine
from memtui.engine.text import utf16_cut, utf16_length
from memtui.engine.types import TopicDocument

LINE_LIMIT = 150
"""Characters (UTF-16) that one line of an index may have."""

_ELLIPSIS = "…"
_SEPARATOR = " — "
_ENCODED = frozenset("()[]<>\\%#?&:\"'`")
_ODD_PATH = re.compile(r"[^\w/.@~!$*+,;={}^|-]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BRACKETS = re.compile(r"\\*[\[\]]|\\+\Z")
_ESCAPED = re.compile(r"(\\+)(?=[\[\]]|…?\Z)")
_DASH = re.compile(r"\s+—\s+")
_HALF_ENCODED = re.compile(r"%[0-9A-Fa-f]?\Z")


def index_line(document: TopicDocument, limit: int = LINE_LIMIT) -> str:
    """The line of `document`: `- [name](path) — description`, without a line end.

    `limit` counts UTF-16 units. The description (without one: the type) is cut with `…` to fit,
    and left out where nothing of it fits; a name that is too long is cut inside its brackets. A
    path that is too long alone makes the line longer than the limit.
    """
    path = encode_path(document.path)
    room = limit - utf16_length(f"- []({path})")
    link = f"- [{_fitting(document.name, max(room, 3))}]({path})"
    text = document.description or document.type
    room = limit - utf16_length(link + _SEPARATOR)
    shown = _fitting(text, room)
    return link + _SEPARATOR + shown if shown and utf16_length(shown) <= room else link


def encode_path(path: str) -> str:
    """`path` as it stands in a link, percent-encoded where Markdown needs it."""
    if not _ODD_PATH.search(path):
        return path
    return "".join(
        quote(character, safe="", errors="surrogateescape") if _is_encoded(character) else character
        for character in path
    )


def _is_encoded(character: str) -> bool:
    return character in _ENCODED or unicodedata.category(character) in (
        "Cc", "Cf", "Cs", "Zs", "Zl", "Zp",
    )  # fmt: skip


def escape_text(text: str) -> str:
    """`text` on one line, safe inside and behind the brackets of a link.

    A bracket that does not balance, and a `]` before `(`, get a backslash; so does a backslash
    that would otherwise take the bracket behind it. Line ends and controls become a blank.
    """
    text = _CONTROL.sub(" ", text).strip()
    if "[" not in text and "]" not in text and not text.endswith("\\"):
        return text
    matches = list(_BRACKETS.finditer(text))
    escaped: set[int] = set()
    openers: list[int] = []
    for match in matches:
        at = match.end() - 1
        if text[at] == "[":
            openers.append(at)
        elif text[at] == "]":
            if text[at + 1 : at + 2] == "(" or not openers:
                escaped.add(at)
            else:
                openers.pop()
    escaped.update(openers)
    parts: list[str] = []
    position = 0
    for match in matches:
        at = match.end() - 1
        slashes = match.group().rstrip("[]")
        parts += [text[position : match.start()], slashes * 2]
        if text[at] != "\\":
            parts += ["\\" if at in escaped else "", text[at]]
        position = match.end()
    return "".join([*parts, text[position:]])


def _fitting(text: str, limit: int) -> str:
    """`text` escaped, cut with `…` to at most `limit` UTF-16 units; `""` where nothing fits."""
    text = _CONTROL.sub(" ", text).strip()
    whole = escape_text(text)
    if utf16_length(whole) <= limit:
        return whole
    for units in range(limit - 1, 0, -1):
        start = escape_text(utf16_cut(text, units))
        if start and utf16_length(start) < limit:
            return start + _ELLIPSIS
    return ""


def unescape_text(text: str) -> str:
    """The text that `escape_text` made `text` of, also where it was cut with `…` afterwards."""
    return (
        _ESCAPED.sub(lambda match: match[1][: len(match[1]) // 2], text) if "\\" in text else text
    )


def plain(text: str) -> str:
    """`text` as the comparison sees it: back-ticks as apostrophes, blanks and controls folded."""
    return " ".join(_CONTROL.sub(" ", text.replace("`", "'")).split())


def is_derived(line: IndexLine, document: TopicDocument) -> bool:
    """True where an index line says what `document` says.

    The name is equal or a start of it before `…`; the text is the description, the type, a start
    of the description before `…`, or absent. Both count as read and as they stand in the file.
    """
    tail = line.tail
    if line.name == document.name and tail == _SEPARATOR + document.description:
        return True
    if not _says(line.name, document, "name", document.name):
        return False
    if not tail.strip():
        return True
    dash = _DASH.match(tail)
    if dash is None:
        return False
    text = tail[dash.end() :]
    return _says(text, document, "description", document.description) or (
        document.type != "" and plain(text) == plain(document.type)
    )


def _says(shown: str, document: TopicDocument, key: str, value: str) -> bool:
    """True where `shown`, as written or with our escapes undone, is the value or a start of it."""
    forms = {plain(shown), plain(unescape_text(shown))}
    texts = [plain(text) for text in _readings(document, key, value)]
    return any(
        form == text or (form.endswith(_ELLIPSIS) and text.startswith(form[:-1].rstrip()))
        for form in forms
        for text in texts
    )


def _readings(document: TopicDocument, key: str, value: str) -> Iterable[str]:
    """`value`, and the text behind the colon as a line-reading agent sees it."""
    yield value
    for field in document.fields:
        if field.key == key:
            first = field.span.of(document.source).split(b"\n", 1)[0]
            yield first.partition(b":")[2].decode("utf-8", "replace").strip()
            return


class CutLines:
    """Finds the document whose line a cut one is the start of; a look-up takes log n."""

    def __init__(self, documents: Iterable[TopicDocument]) -> None:
        pairs = sorted(
            (f"- [{plain(name)}]({document.path}", document.path)
            for document in documents
            for name in dict.fromkeys(_readings(document, "name", document.name))
        )
        self._lines = [line for line, _ in pairs]
        self._paths = [path for _, path in pairs]

    def path_of(self, line: IndexLine) -> str | None:
        """The path of the first document whose line begins with the cut `line`; none: None."""
        text = line.text.rstrip().removesuffix(_ELLIPSIS)
        name, link, target = text.partition("](")
        start = plain(unescape_text(name))
        if link:
            start += link + unquote(_HALF_ENCODED.sub("", target)).rstrip("\ufffd")
        at = bisect_left(self._lines, start)
        if at < len(self._lines) and self._lines[at].startswith(start):
            return self._paths[at]
        return None
