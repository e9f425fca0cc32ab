"""Which of many texts cannot be nearly equal to one, without comparing them (spec section 9).

Invariant: what `Block.fitting` leaves out scores less than asked for; what it lets through may
score that. A score is 200 * common / (both lengths), `common` the longest common subsequence. Each
character is common at most as often as both texts have it, and for a high score hardly any may be
skipped on either side, so that a common one stands at nearly the same place in both.

All texts of a block are looked at together: one integer has one bit for each of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, floor

_STEPS = 8
"""Places are told apart in steps of a text's length divided by that."""
_MOST_KEPT = 20_000
"""So many numbers are kept for texts to come; with a bit for each of 2,000 texts 5 MB."""
_SLACK = 1e-6
"""Scores are floating-point numbers."""

Reach = tuple[int, int]
"""The first and last step at which a common character can stand."""


def least_common(lengths: int, score: float) -> int:
    """How many characters two texts of together that length have in common at that score."""
    return ceil(score * lengths / 200.0 - _SLACK)


class Block:
    """Texts of similar lengths, sorted by length, with where their characters stand."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.shortest, self.longest = len(texts[0]), len(texts[-1])
        self._step = max(3, self.shortest // _STEPS)
        self._every = (1 << len(texts)) - 1
        self._needed: dict[tuple[int, float], list[tuple[int, int]]] = {}
        self._lengths = [len(text) for text in texts]
        self._at: list[dict[str, int]] | None = None
        self._counts: dict[tuple[str, Reach], list[int]] = {}
        self._common: dict[tuple[str, int, int, Reach, Reach], tuple[int, list[int]]] = {}

    def may_fit(self, length: int, score: float) -> bool:
        """False where all texts are too long or too short for a text of `length`."""
        return (
            least_common(length + self.shortest, score) <= length
            and least_common(length + self.longest, score) <= self.longest
        )

    def fitting(self, text: str, score: float) -> int:
        """The bits of the texts that may reach `score`, over 0; the lowest is the first text."""
        length, middle = len(text), len(text) // 2
        need = least_common(length + self.shortest, score)
        left = length - need
        right = self.longest - least_common(length + self.longest, score)
        heads, tails = Counter(text[:middle]), Counter(text[middle:])
        reaches = (self._reach(0, middle + right), self._reach(middle - left, length + right))
        always = 0
        numbers: list[int] = []
        for character in heads | tails:
            key = (character, heads[character], tails[character], *reaches)
            known = self._common.get(key)
            if known is None:
                if len(self._common) >= _MOST_KEPT:
                    self._common.clear()
                known = self._common[key] = self._in_common(*key)
            always += known[0]
            numbers += known[1]
        if always + len(numbers) < need:
            return 0
        digits = _sum(numbers)
        found = 0
        needs = self._needed.get((length, score))
        if needs is None:
            if len(self._needed) >= _MOST_KEPT:
                self._needed.clear()
            needs = self._needed[length, score] = list(self._needs(length, score))
        for least, bits in needs:
            found |= _at_least(digits, least - always) & bits
        return found

    def _needs(self, length: int, score: float) -> Iterator[tuple[int, int]]:
        """How many characters the texts must have in common with one of `length`, and which."""
        start = 0
        while start < len(self._lengths):
            least = least_common(length + self._lengths[start], score)
            longest = floor((200.0 * (least + _SLACK)) / score - length + _SLACK)
            stop = max(start + 1, bisect_right(self._lengths, longest))
            yield least, (1 << stop) - (1 << start)
            start = stop

    def _reach(self, start: int, stop: int) -> Reach:
        last = min(self.longest, stop) - 1
        return max(0, start) // self._step, last // self._step

    def _in_common(
        self, character: str, in_head: int, in_tail: int, head: Reach, tail: Reach
    ) -> tuple[int, list[int]]:
        """How often all texts have it in common, and the texts that have it once more, twice, …

        At most as often as in the other text, and as in what each half can reach of it.
        """
        whole = self._count(character, self._reach(0, self.longest))
        heads = self._count(character, head)[:in_head]
        tails = self._count(character, tail)[:in_tail]
        found: list[int] = []
        for count, bits in enumerate(whole[: in_head + in_tail], 1):
            either = 0
            for share in range(max(0, count - len(tails)), min(count, len(heads)) + 1):
                both = heads[share - 1] if share else self._every
                either |= both & tails[count - share - 1] if share < count else both
            found.append(bits & either)
        found = [bits for bits in found if bits]
        others = [bits for bits in found if bits != self._every]
        return len(found) - len(others), others

    def _count(self, character: str, reach: Reach) -> list[int]:
        """The texts with at least one, two, … of a character within these steps."""
        known = self._counts.get((character, reach))
        if known is not None:
            return known
        if self._at is None:
            self._at = _places(self.texts)
        counts: list[int] = []
        for here in self._at[reach[0] * self._step : (reach[1] + 1) * self._step]:
            more = here.get(character, 0)
            for place, already in enumerate(counts):
                if not more:
                    break
                counts[place] = already | more
                more &= already
            if more:
                counts.append(more)
        if len(self._counts) >= _MOST_KEPT:
            self._counts.clear()
        self._counts[(character, reach)] = counts
        return counts


def _places(texts: Sequence[str]) -> list[dict[str, int]]:
    """For each place the bits of the texts that have a character there."""
    found: list[dict[str, int]] = [{} for _ in range(len(texts[-1]))]
    bit = 1
    for text in texts:
        for here, character in zip(found, text, strict=False):
            here[character] = here.get(character, 0) | bit
        bit <<= 1
    return found


def _sum(numbers: list[int]) -> list[int]:
    """For each bit, in how many of the numbers it is set: the binary digits, lowest first."""
    digits: list[int] = []
    while numbers:
        carried: list[int] = []
        while len(numbers) > 2:
            one, two, three = numbers.pop(), numbers.pop(), numbers.pop()
            either = one ^ two
            carried.append((one & two) | (either & three))
            numbers.append(either ^ three)
        if len(numbers) == 2:
            one, two = numbers
            carried.append(one & two)
            numbers = [one ^ two]
        digits.append(numbers[0])
        numbers = carried
    return digits


def _at_least(digits: Sequence[int], least: int) -> int:
    """The bits whose sum is at least that; all where `least` is 0 or lower."""
    if least <= 0:
        return -1
    if least >> len(digits):
        return 0
    greater, equal = 0, -1
    for place in range(len(digits) - 1, -1, -1):
        if least >> place & 1:
            equal &= digits[place]
        else:
            greater |= equal & digits[place]
            equal &= ~digits[place]
    return greater | equal
