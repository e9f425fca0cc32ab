"""Which fields of which documents hold a token: an index for substring search.

Invariant: `search(token)` is exactly the set of slots whose text contains the token as a
substring, for every token that `tokens.tokens` can give. A slot is one field of one document; a
set of slots is an integer with one bit a slot, so that sets of 10,000 documents are added and
intersected in microseconds.

Why an index of words answers a substring search: a token holds neither blanks nor ASCII
punctuation, and is either a pair of CJK characters or free of them. So it lies inside one word of
the text, and a search through the distinct words replaces one through all texts.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable

from memtui.engine.recall.tokens import CJK_CLASS, cjk_pairs, is_cjk
from memtui.engine.types import Scorer

# Whatever no token can hold parts words: ASCII that is no lower-case letter or digit, white space,
# general punctuation, CJK. Other marks may stay inside a word; they only make it longer.
_WORD = re.compile(rf"[^\x00-/:-`{{-\x7f\s\u2000-\u206f{CJK_CLASS}]{{3,}}")
_ASCII_WORD = re.compile("[a-z0-9]{3,}")
_CACHED_TOKENS = 512


class SubstringIndex:
    """Slots by token, for the texts it was built from. Safe to share between threads."""

    def __init__(self, texts: Iterable[str], scorer: Scorer) -> None:
        """Index `texts`, one a slot, lower-cased as the scorer reads them."""
        split = _ascii_words if scorer == "classic" else _words
        self._slots: dict[str, int | array[int]] = {}
        """A word of a single slot, as most rare words are, has the bare number."""
        self.slot_count = self._read(texts, split)
        self._vocabulary = "\n".join(["", *self._slots, ""])
        self._words_of: dict[str, list[str]] = {}
        self._bits_of: dict[str, int] = {}

    def search(self, token: str) -> int:
        """The slots whose text contains `token`, bit by bit; kept for the next key stroke."""
        bits = self._bits_of.get(token)
        if bits is None:
            if len(self._bits_of) >= _CACHED_TOKENS:
                self._bits_of = {}
                self._words_of = {}
            words = self._matching_words(token)
            bits = self._union(words)
            self._words_of[token] = words
            self._bits_of[token] = bits
        return bits

    def _read(self, texts: Iterable[str], split: Callable[[str], set[str]]) -> int:
        slots = self._slots
        find = slots.get
        slot = -1
        for slot, text in enumerate(texts):
            for word in split(text):
                known = find(word)
                if known is None:
                    slots[word] = slot
                elif isinstance(known, int):
                    slots[word] = array("I", (known, slot))
                else:
                    known.append(slot)
        return slot + 1

    def _matching_words(self, token: str) -> list[str]:
        if is_cjk(token):
            return [token] if token in self._slots else []
        # A token that grew by one character can only be in words that held it before.
        for shorter in (token[:-1], token[1:]):
            known = self._words_of.get(shorter)
            if known is not None:
                return [word for word in known if token in word]
        return self._scan(token)

    def _scan(self, token: str) -> list[str]:
        words = []
        vocabulary = self._vocabulary
        position = vocabulary.find(token)
        while position >= 0:
            end = vocabulary.index("\n", position)
            words.append(vocabulary[vocabulary.rindex("\n", 0, position) + 1 : end])
            position = vocabulary.find(token, end)
        return words

    def _union(self, words: list[str]) -> int:
        if not words:
            return 0
        digits = bytearray(b"0") * self.slot_count
        one = ord("1")
        for word in words:
            slots = self._slots[word]
            for slot in (slots,) if isinstance(slots, int) else slots:
                digits[slot] = one
        digits.reverse()
        return int(digits, 2)


def _ascii_words(text: str) -> set[str]:
    return set(_ASCII_WORD.findall(text))


def _words(text: str) -> set[str]:
    if text.isascii():
        return set(_ASCII_WORD.findall(text))
    words = set(_WORD.findall(text))
    words.update(cjk_pairs(text))
    return words
