"""The outside of a topic file: its encoding, and where the frontmatter lies (spec section 3).

Invariant: the text is never changed where it is UTF-8, and what is read around the fences covers
the whole of it.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from memtui.engine.types import Problem

RULE = "frontmatter"
"""The rule of spec section 13 that every problem of a document's bytes belongs to."""

Encoding: TypeAlias = Literal["utf-8", "utf-16-le", "utf-16-be", "latin-1"]

_FENCE = b"---"
_BOM = b"\xef\xbb\xbf"
_OPENING = re.compile(rb"((?:\xef\xbb\xbf)?(?:[ \t]*\r?\n)*)---[ \t]*(?:\r?\n|\Z)")


def decode(raw: bytes, problems: list[Problem]) -> tuple[bytes, Encoding]:
    """The file as UTF-8, and what it was."""
    if raw.isascii():
        return raw, "utf-8"
    encoding: Encoding
    if raw.startswith(b"\xff\xfe"):
        encoding, text = "utf-16-le", raw[2:].decode("utf-16-le", "replace")
    elif raw.startswith(b"\xfe\xff"):
        encoding, text = "utf-16-be", raw[2:].decode("utf-16-be", "replace")
    else:
        try:
            raw.decode()
        except UnicodeDecodeError:
            encoding, text = "latin-1", raw.removeprefix(_BOM).decode("latin-1")
        else:
            return raw, "utf-8"
    shown = "UTF-16" if encoding != "latin-1" else "Latin-1"
    problems.append(
        Problem(
            RULE,
            f"The file is not UTF-8; shown as {shown}, it can only be deleted, moved or converted.",
        )
    )
    return text.encode(), encoding


def split(source: bytes, problems: list[Problem]) -> tuple[int, int, int, int]:
    """Where the lead ends, where the lines between the fences start and end, where the body starts.

    Without a frontmatter only a byte order mark is lead, and the three others are equal.
    """
    if source.startswith(b"---\n"):
        lead_end, block_start = 0, 4
    else:
        opening = _OPENING.match(source)
        if opening is None:
            lead_end = len(_BOM) if source.startswith(_BOM) else 0
            return lead_end, lead_end, lead_end, lead_end
        lead_end, block_start = opening.end(1), opening.end()
    newline = source.find(b"\n---", block_start - 1)
    if newline < 0:
        problems.append(
            Problem(RULE, "The frontmatter is not closed by `---`; the whole file is body.")
        )
        lead_end = len(_BOM) if source.startswith(_BOM) else 0
        return lead_end, lead_end, lead_end, lead_end
    if lead_end:
        _flag_lead(source[:lead_end], problems)
    if source[lead_end:block_start].strip(b"\r\n") != _FENCE:
        problems.append(Problem(RULE, "The frontmatter's first line is not exactly `---`."))
    block_end = newline + 1
    body_start = source.find(b"\n", block_end) + 1 or len(source)
    closing = source[block_end:body_start]
    if closing != b"---\n" and closing.removesuffix(b"\n").removesuffix(b"\r") != _FENCE:
        problems.append(Problem(RULE, "The frontmatter's last line is not exactly `---`."))
    return lead_end, block_start, block_end, body_start


def _flag_lead(lead: bytes, problems: list[Problem]) -> None:
    if lead.startswith(_BOM):
        problems.append(Problem(RULE, "A byte order mark stands before the frontmatter."))
    if lead != _BOM:
        problems.append(Problem(RULE, "Blank lines stand before the frontmatter."))
