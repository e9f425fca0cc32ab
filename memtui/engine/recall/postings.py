"""Which fields of which documents hold a token: an index for substring search.

Invariant: `search(token)` is exactly the set of slots whose text contains the token as a
substring, for every token that `tokens.tokens` can give. A slot is one field of one document; a
set of slots is an integer with one bit a slot, so that sets of 10,000 documents are added and
intersected in microseconds.

Why an index of words answers a substring search: a token holds neither blanks nor ASCII
punctuation, and is either a pair of CJK characters or free of them. So one without CJK lies inside
one word of the text, and a search through the distinct words replaces one through all texts. Pairs
are searched in the texts that hold CJK: an index of all pairs takes longer to build than it saves.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence

from memtui.engine.recall.tokens import CJK_CLASS, has_cjk, is_cjk
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
        self._slots: dict[str, int | array[int]] = {}
        """A word of a single slot, as most rare words are, has the bare number."""
        self._cjk_texts: list[tuple[int, str]] = []
        self._slot_count = 0
        for text in texts:
            self._read(self._slot_count, text, scorer)
            self._slot_count += 1
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
            bits = self._search_pair(token) if is_cjk(token) else self._search_word(token)
            self._bits_of[token] = bits
        return bits

    def _read(self, slot: int, text: str, scorer: Scorer) -> None:
        if scorer == "classic" or text.isascii():
            found = _ASCII_WORD.findall(text)
        else:
            found = _WORD.findall(text)
            if has_cjk(text):
                self._cjk_texts.append((slot, text))
        slots = self._slots
        for word in set(found):
            known = slots.get(word)
            if known is None:
                slots[word] = slot
            elif isinstance(known, int):
                slots[word] = array("I", (known, slot))
            else:
                known.append(slot)

    def _search_pair(self, token: str) -> int:
        return self._bits([slot for slot, text in self._cjk_texts if token in text])

    def _search_word(self, token: str) -> int:
        words = self._matching_words(token)
        self._words_of[token] = words
        return self._bits(*(self._slots[word] for word in words))

    def _matching_words(self, token: str) -> list[str]:
        # A token that grew by one character can only be in words that held it before.
        for shorter in (token[:-1], token[1:]):
            known = self._words_of.get(shorter)
            if known is not None:
                return [word for word in known if token in word]
        words = []
        vocabulary = self._vocabulary
        position = vocabulary.find(token)
        while position >= 0:
            end = vocabulary.index("\n", position)
            words.append(vocabulary[vocabulary.rindex("\n", 0, position) + 1 : end])
            position = vocabulary.find(token, end)
        return words

    def _bits(self, *slots: int | Sequence[int]) -> int:
        digits = bytearray(b"0") * max(1, self._slot_count)
        one = ord("1")
        for some in slots:
            if isinstance(some, int):
                digits[some] = one
            else:
                for slot in some:
                    digits[slot] = one
        digits.reverse()
        return int(digits, 2)
