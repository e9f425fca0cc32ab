"""Query → tokens (spec section 5).

Invariant: a token of `classic` is made of `a-z0-9` only; a token of `weighted` is either one pair
of CJK characters, or a run without any CJK character. `postings.py` builds on that.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterable, Iterator

from memtui.engine.types import Scorer

CJK_RANGES: tuple[tuple[int, int], ...] = (
    (0x305, 0x305), (0x323, 0x323), (0x1100, 0x11FF), (0x2E80, 0x2E99), (0x2E9B, 0x2EF3),
    (0x2F00, 0x2FD5), (0x3001, 0x3003), (0x3005, 0x3005), (0x3007, 0x3011), (0x3013, 0x301F),
    (0x3021, 0x3029), (0x302E, 0x3035), (0x3037, 0x303D), (0x3041, 0x3096), (0x3099, 0x30FF),
    (0x3131, 0x318E), (0x31F0, 0x321E), (0x3260, 0x327E), (0x32D0, 0x32FE), (0x3300, 0x3357),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97C), (0xAC00, 0xD7A3), (0xD7B0, 0xD7C6),
    (0xD7CB, 0xD7FB), (0xF900, 0xFA6D), (0xFA70, 0xFAD9), (0xFE45, 0xFE46), (0xFF61, 0xFFBE),
    (0xFFC2, 0xFFC7), (0xFFCA, 0xFFCF), (0xFFD2, 0xFFD7), (0xFFDA, 0xFFDC), (0x16FE2, 0x16FE3),
    (0x16FF0, 0x16FF6), (0x1AFF0, 0x1AFF3), (0x1AFF5, 0x1AFFB), (0x1AFFD, 0x1AFFE),
    (0x1B000, 0x1B128), (0x1B132, 0x1B132), (0x1B150, 0x1B152), (0x1B155, 0x1B155),
    (0x1B164, 0x1B168), (0x1F200, 0x1F200), (0x20000, 0x2A6DF), (0x2A700, 0x2B81E),
    (0x2B820, 0x2CEAD), (0x2CEB0, 0x2EBE0), (0x2EBF0, 0x2EE5D), (0x2F800, 0x2FA1D),
    (0x30000, 0x3134A), (0x31350, 0x33479),
)  # fmt: skip
"""First and last code point of each range of characters that become pairs: those whose script
extensions name Han, Hiragana, Katakana or Hangul. Source: the golden file `cjk-class.json`,
measured on the agent; a test compares."""

CJK_CLASS = "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in CJK_RANGES)
"""The ranges as the inside of a character class."""

KEEP_FIRST = 32
KEEP_LAST = 32
"""`weighted` keeps at most 32 + 32 tokens of a query."""

_CJK_RUN = re.compile(f"[{CJK_CLASS}]+")
_ASCII_RUN = re.compile("[a-z0-9]{3,}")


def tokens(query: str, scorer: Scorer) -> tuple[str, ...]:
    """The distinct tokens of `query`, in the order in which the scorer counts them."""
    if scorer == "classic":
        return tuple(dict.fromkeys(_ASCII_RUN.findall(query.lower())))
    return _first_and_last(_weighted_runs(normalise(query)))


def normalise(text: str) -> str:
    """NFKC, lower-cased: how `weighted` reads a query and a field."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()


def is_cjk(token: str) -> bool:
    """Whether a token of `weighted` is a pair of CJK characters."""
    return _CJK_RUN.match(token) is not None


def has_cjk(text: str) -> bool:
    """Whether any character of `text` is of the CJK class."""
    return _CJK_RUN.search(text) is not None


def _weighted_runs(text: str) -> Iterator[str]:
    """All runs and pairs of a normalised text, in the order of the text, with repeats."""
    position = 0
    for match in _CJK_RUN.finditer(text):
        yield from _plain_runs(text[position : match.start()])
        yield from map(operator.add, match[0], match[0][1:])
        position = match.end()
    yield from _plain_runs(text[position:])


def _plain_runs(text: str) -> Iterator[str]:
    """Runs of a letter or digit and at least two letters, marks or digits."""
    if text.isascii():
        yield from _ASCII_RUN.findall(text)
        return
    start = None
    for position, character in enumerate(text):
        kind = unicodedata.category(character)[0]
        if start is None:
            if kind in "LN":
                start = position
        elif kind not in "LMN":
            if position - start >= 3:
                yield text[start:position]
            start = None
    if start is not None and len(text) - start >= 3:
        yield text[start:]


def _first_and_last(runs: Iterable[str]) -> tuple[str, ...]:
    """The first 32 distinct runs and the last 32; a repeat of a late one moves it to the end."""
    first: dict[str, None] = {}
    last: dict[str, None] = {}
    for run in runs:
        if run in first:
            continue
        if len(first) < KEEP_FIRST:
            first[run] = None
            continue
        last.pop(run, None)
        last[run] = None
        if len(last) > KEEP_LAST:
            del last[next(iter(last))]
    return (*first, *last)
