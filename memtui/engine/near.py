"""The most alike pairs among many texts, without comparing all with all (spec section 9).

Invariant: what is found is what comparing all with all finds, down to the order, as long as the
`Work` lasts. Where it does not, it was spent on the likeliest pairs first, then on the shortest
texts, and it counts the texts that were not compared with all others. The same texts always give
the same pairs, on every machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappush, heapreplace, nlargest
from itertools import compress

from memtui.engine.near_filter import Block

Alike = Callable[[str, Sequence[str], float], list[tuple[str, float]]]
"""The choices that score at least so much, with their scores."""

BLOCK_TEXTS = 4_000
"""Texts looked at in one call; other threads wait meanwhile."""
MOST_WORK = 10_000_000_000
"""What a person waits for: some seconds. 10,000 sentences of a line take half of it."""

_MIN_FILTERED = 64
"""Fewer texts are sooner compared than left out."""
_LONGEST_FILTERED = 500
"""Of longer texts each is made of the same characters at the same places."""
_LENGTH_RATIO = 1.25
_CALL_WORK = 200_000
"""Comparing long texts: so much in one call, for the threads that wait."""
_NUMBER_WORK = 500
_CHOICE_WORK = 50
_LIKELY_WORK = 150
"""What it takes to leave out by a character, to compare at all, to find neighbours by a character.
"""
_ROUNDING = 1e-3
"""rapidfuzz rounds a cutoff to 24 bits, so that it would leave out some scores equal to it."""
_NEIGHBOURS = 4
_RARE_WORDS = 4
_LONG = 300
"""Of longer texts only the likeliest two neighbours are tried first."""
_SEEDING_SHARE = 2
"""Of the work that part is for the likeliest pairs."""
_WORD_BITS = 64

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_SCRIPTS = {
    "latin": re.compile("[a-z]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "cjk": re.compile(f"[{_CJK}]"),
}


@dataclass(slots=True)
class Work:
    """How much may be compared, and how much was; a unit takes about a nanosecond."""

    most: int = MOST_WORK
    done: int = 0
    left_out: int = 0
    """The texts that were not compared with all others."""
    most_read: int = 0
    """So many characters of a long text were searched for words; 0: all."""


@dataclass(slots=True)
class _Best:
    """The best pairs by now; equal texts stand for the first of them."""

    most: int
    min_score: float
    places: dict[str, int]
    pairs: list[tuple[float, int, int]]

    @property
    def cutoff(self) -> float:
        """A pair of a lower score is none of the best."""
        if len(self.pairs) < self.most or not self.pairs:
            return self.min_score
        return max(self.min_score, self.pairs[0][0])

    def add(self, query: str, found: list[tuple[str, float]], seeded: set[tuple[int, int]]) -> None:
        """Take in what is like `query`, unless it was `seeded` before."""
        for choice, score in found:
            first, other = sorted((self.places[query], self.places[choice]))
            pair = (score, -first, -other)
            if (first, other) in seeded:
                continue
            if len(self.pairs) < self.most:
                heappush(self.pairs, pair)
            elif self.pairs and pair > self.pairs[0]:
                heapreplace(self.pairs, pair)


@dataclass(slots=True)
class _Search:
    """One search: what it found by now, and what it may still do."""

    alike: Alike
    check: Callable[[], None]
    best: _Best
    work: Work
    seeded: set[tuple[int, int]] = field(default_factory=set)

    def seed(self, texts: Sequence[str]) -> None:
        """Compare those that probably are alike: a high score to begin with leaves out more."""
        most = self.work.done + self.work.most // _SEEDING_SHARE
        for query, choices in _likely(texts, self.check):
            if self.work.done >= most:
                return
            self.check()
            self.work.done += _LIKELY_WORK * len(query)
            found = self._compare(query, choices)
            places = self.best.places
            pairs = [
                (min(places[query], places[each]), max(places[query], places[each]))
                for each, _ in found
            ]
            new = [one for one, pair in zip(found, pairs, strict=True) if pair not in self.seeded]
            self.best.add(query, new, set())
            self.seeded.update(pairs)

    def run(self, texts: Sequence[str]) -> None:
        """Compare each with all longer ones."""
        blocks: list[tuple[str, Block]] = []
        order: list[tuple[str, int, int]] = []
        for script, block in _blocks(texts, self.check):
            order += [(script, len(blocks), place) for place in range(len(block.texts))]
            blocks.append((script, block))
        order.sort(key=lambda each: len(blocks[each[1]][1].texts[each[2]]))
        for done, (script, number, place) in enumerate(order):
            if self.work.done >= self.work.most:
                self.work.left_out += len(order) - done
                return
            query = blocks[number][1].texts[place]
            for other, (other_script, block) in enumerate(blocks):
                if script and other_script and script != other_script:
                    continue
                if other < number if script == other_script else bool(script):
                    continue
                start = place + 1 if other == number else 0
                self._against(query, block, start)

    def _against(self, query: str, block: Block, start: int) -> None:
        cutoff = self.best.cutoff
        if start >= len(block.texts) or not block.may_fit(len(query), cutoff):
            return
        self.check()
        choices = block.texts[start:] if start else block.texts
        is_long = len(query) > _LONGEST_FILTERED or block.longest > _LONGEST_FILTERED
        if len(choices) >= _MIN_FILTERED and not is_long:
            bits = block.fitting(query, cutoff) >> start
            self.work.done += len(query) * (_NUMBER_WORK + len(block.texts) // 8)
            if not bits:
                return
            chosen = f"{bits:b}".encode().translate(_BITS)[::-1]
            choices = list(compress(choices, chosen))
        self.best.add(query, self._compare(query, choices), self.seeded)

    def _compare(self, query: str, choices: Sequence[str]) -> list[tuple[str, float]]:
        found: list[tuple[str, float]] = []
        words = -(-len(query) // _WORD_BITS)
        work = sum(map(len, choices)) * words + _CHOICE_WORK * len(choices)
        self.work.done += work
        step = max(1, len(choices) * _CALL_WORK // max(work, 1))
        for start in range(0, len(choices), step):
            if start:
                self.check()
            cutoff = self.best.cutoff
            near = self.alike(query, choices[start : start + step], cutoff - _ROUNDING)
            found += [each for each in near if each[1] >= cutoff]
        return found


_BITS = bytes(each & 1 for each in range(256))


def search(
    texts: Sequence[str],
    most: int,
    min_score: float,
    alike: Alike,
    check: Callable[[], None] | None = None,
    work: Work | None = None,
) -> list[tuple[float, int, int]]:
    """The `most` pairs that are most alike, best first: score and the places, the lower first.

    Empty texts are like nothing, and of equal ones each goes with the first. `check` is called
    often; what it raises ends the search. Without `work` nothing is left out.
    """
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        if text:
            places.setdefault(text, []).append(place)
    pairs = [(100.0, -first, -other) for first, *others in places.values() for other in others]
    pairs = nlargest(most, pairs)
    heapify(pairs)
    first = {text: found[0] for text, found in places.items()}
    best = _Best(most, min_score, first, pairs)
    distinct = sorted(places, key=lambda text: (len(text), text))
    if most > 0:
        found = _Search(alike, check or _nothing, best, work or Work(most=1 << 80))
        found.seed(distinct)
        found.run(distinct)
    return [(score, -one, -other) for score, one, other in sorted(best.pairs, reverse=True)]


def _nothing() -> None:
    return None


def _blocks(texts: Sequence[str], check: Callable[[], None]) -> Iterator[tuple[str, Block]]:
    """The texts, sorted by length, by script and in blocks of similar lengths."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        check()
        groups.setdefault(_script_of(text), []).append(text)
    for script, group in groups.items():
        start = 0
        for place in range(1, len(group) + 1):
            is_full = place - start >= BLOCK_TEXTS or place == len(group)
            if is_full or len(group[place]) > _LENGTH_RATIO * len(group[start]):
                yield script, Block(group[start:place])
                start = place


def _script_of(text: str) -> str:
    """The script of most of a text: two of different ones cannot be alike; empty where mixed.

    With at least 65 of 100 characters in a script, texts of two scripts share at most 35 of 100,
    and a score of 75 takes 37.5 of 100 in both.
    """
    if text.isascii():
        return "latin" if len(_SCRIPTS["latin"].findall(text)) >= 0.65 * len(text) else ""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()}
    name, count = max(counts.items(), key=lambda item: item[1])
    return name if count >= 0.65 * len(text) else ""


def _likely(texts: Sequence[str], check: Callable[[], None]) -> Iterator[tuple[str, list[str]]]:
    """Each text with some that begin, end or have rare words like it; those later in order."""
    words: list[list[str]] = []
    for text in texts:
        check()
        words.append(sorted(set(text.split())))
    counts = Counter(word for each in words for word in each)
    places: dict[str, list[int]] = {}
    rare: list[list[str]] = []
    for place, each in enumerate(words):
        check()
        shared = sorted((word for word in each if counts[word] > 1), key=counts.__getitem__)
        rare.append(shared[:_RARE_WORDS])
        for word in rare[-1]:
            places.setdefault(word, []).append(place)
    near: list[set[int]] = [set() for _ in texts]
    by_start = sorted(range(len(texts)), key=texts.__getitem__)
    by_end = sorted(range(len(texts)), key=lambda place: texts[place][::-1])
    for order in (by_start, by_end, *places.values()):
        check()
        for at, place in enumerate(order):
            near[place].update(order[at + 1 : at + 1 + _NEIGHBOURS])
    for place, others in enumerate(near):
        chosen = sorted(others)
        if len(texts[place]) > _LONG:
            own = set(words[place])
            chosen.sort(key=lambda other: -len(own.intersection(words[other])))
            chosen = chosen[:2]
        yield texts[place], [texts[other] for other in chosen]
