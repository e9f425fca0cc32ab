"""The bytes of a new topic file that holds one fact (spec sections 3 and 8).

Invariant: what is written reads back. The file has one entry with the given summary and reasons,
and the agent of every version sees it.

The body's first line is the summary as it is. Where that would be read as something else than a
paragraph (a heading, a list, code, a field), it becomes the only item of a list.
"""

from __future__ import annotations

import re
import unicodedata

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.format.yaml_values import value_of
from memtui.engine.text import utf16_cut, utf16_length
from memtui.engine.types import MemoryType

NAME_LIMIT = 60
"""UTF-16 units of a name that is made of a summary."""

DESCRIPTION_LIMIT = 2_000
"""UTF-16 units of a description; far below what a frontmatter may have."""

_MIN_WORD_CUT = 20
"""A name is cut between words only where this many UTF-16 units stay."""
_ELLIPSIS = "…"

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_NOT_TEXT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Controls, bidirectional controls, what is drawn as nothing, and what is no character."""
_JOINERS = re.compile(f"[{_SELECTORS}\u200c\u200d]+")
_JOINER = re.compile(f"[{_SELECTORS}]?[\u200c\u200d]?")
_KEYCAP = re.compile("(?<=[0-9#*])\ufe0f(?=\u20e3)")

_TYPED = re.compile(
    r"[-+.]?[0-9][0-9a-fox_:.,eE+ TtZz-]*\Z|[-+]?\.(?:inf|nan)\Z"
    r"|(?:~|y|n|yes|no|on|off|true|false|null)\Z",
    re.IGNORECASE,
)
"""What a reader of YAML may take for a number, a time or a truth value."""

_FORMS = ("", "- ", "1. ", "-     ", "1.     ")
"""What may stand before a summary. Behind five blanks nothing of it is Markdown any more."""

_NAMELESS = "\n.md"
"""A path that no line of text is equal to."""


def one_line(text: str) -> str:
    """`text` on one line: line ends, controls and what is not drawn become a blank, blanks one.

    A joiner or a selector stays where it shapes the character before it.
    """
    text = " ".join(_NOT_TEXT.sub(" ", text).split())
    if text.isascii():
        return text
    return " ".join(_JOINERS.sub(_shaping, text).split())


def _shaping(match: re.Match[str]) -> str:
    text, start = match.string, match.start()
    if text[start - 1 : start] > "\x7f":
        kept = _JOINER.match(match.group())
        return kept.group() if kept else ""
    keycap = _KEYCAP.match(text, start)
    return keycap.group() if keycap else ""


def title(summary: str) -> str:
    """A name made of a summary: at most 60 UTF-16 units, cut with `…` between words."""
    text = one_line(summary)
    if utf16_length(text) <= NAME_LIMIT:
        return text
    start = utf16_cut(text, NAME_LIMIT - 1)
    end = len(start)
    if text[end] != " ":
        blank = start.rfind(" ")
        if blank >= _MIN_WORD_CUT:
            end = blank
        else:
            while end > 1 and _is_bound(text, end):
                end -= 1
    return text[:end].rstrip(" ,;:—–-(，、；：") + _ELLIPSIS


def _is_bound(text: str, at: int) -> bool:
    """True where the character at `at` belongs to the one before it."""
    return (
        unicodedata.category(text[at])[0] == "M"
        or text[at] in "\u200c\u200d"
        or text[at - 1] == "\u200d"
        or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    )


def topic_file(
    type_: MemoryType, summary: str, why: str | None = None, how_to_apply: str | None = None
) -> bytes:
    """A topic file that says `summary`; each text is put on one line first.

    Raises `ValueError` for a summary without anything to be seen.
    """
    text = one_line(summary)
    if not text:
        raise ValueError("a memory needs a summary")
    reason = one_line(why or "") or None
    how = one_line(how_to_apply or "") or None
    description = text
    if utf16_length(text) > DESCRIPTION_LIMIT:
        description = utf16_cut(text, DESCRIPTION_LIMIT - 1).rstrip() + _ELLIPSIS
    head = f"---\nname: {scalar(title(text))}\ndescription: {scalar(description)}\n"
    fields = "".join(
        f"\n{label}: {value}\n"
        for label, value in (("Why", reason), ("How to apply", how))
        if value
    )
    for form in _FORMS:
        tail = f"type: {type_}\n---\n\n{form}{text}\n{fields}"
        # Without a name, which would stand in for a summary that is not found.
        entries = entries_of(parse_document(f"---\n{tail}".encode(), path=_NAMELESS))
        read = [(entry.summary, entry.why, entry.how_to_apply) for entry in entries]
        if read == [(text, reason, how)]:
            return f"{head}{tail}".encode()
    raise ValueError(f"no form of a body holds {text!r}")


def scalar(text: str) -> str:
    """`text`, one line, as the value of a key: plain where YAML reads it back, else in quotes."""
    if value_of(f"name: {text}\n") == text and not _TYPED.match(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
