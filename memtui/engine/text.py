"""Text measures and foldings that several modules share.

Invariant: a limit in "characters" counts UTF-16 code units, as the agents do, and a cut never
splits one character (spec, Words).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_COMBINING = re.compile("[\u0300-\u036f]")


def utf16_length(text: str) -> int:
    """The length of `text` in UTF-16 code units; an emoji is 2."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_cut(text: str, limit: int) -> str:
    """The longest start of `text` that has at most `limit` UTF-16 code units."""
    if limit <= 0:
        return ""
    start = text[:limit]
    if start.isascii() or utf16_length(start) <= limit:
        return start
    units = 0
    for position, character in enumerate(start):
        units += 2 if character > "\uffff" else 1
        if units > limit:
            return start[:position]
    return start


def fold(text: str) -> str:
    """`text` for comparing: accents dropped, case and width folded, blanks collapsed.

    NFKD, U+0300 to U+036F dropped, NFKC, case-folded, white space collapsed (spec, Words), so that
    `izin` finds `İzin` and `елка` finds `ёлка`.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    bare = _COMBINING.sub("", unicodedata.normalize("NFKD", text))
    return " ".join(unicodedata.normalize("NFKC", bare).casefold().split())


def proposal_digest(*parts: str) -> str:
    """Sixteen hexadecimal digits by which a proposal is known again, however it is spelled.

    SHA-256 over the folded parts, so that case, accents and blanks make no difference.
    """
    folded = "\n".join(fold(part) for part in parts)
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]
