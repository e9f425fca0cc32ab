"""Fuzzy scores for what a person types; the only user of rapidfuzz.

Invariant: a score is 0 to 100, and 100 means that every word of the query stands in the choice as
it is. rapidfuzz folds nothing and takes a run of CJK characters for one word, so both sides are
folded first, and such runs are compared by pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtui.engine.near import Work, search
from memtui.engine.text import fold

MIN_WORD_SCORE = 75.0
"""A word that fits worse is not found: four letters may have one typo, eight may have two.

A letter too much, too little or wrong is one typo, and so are two letters that changed places.
"""

MIN_CLOSE_SCORE = 65.0
"""A choice that is less like what was asked for is not proposed."""

NEAR_SCORE = 75.0
"""`token_sort_ratio` from which two texts are near duplicates (spec section 13)."""

_MIN_TYPO_LENGTH = 4
"""A shorter word must stand in the choice as it is: with a typo it would fit nearly anything."""

_MIN_PREFIX_LENGTH = 3
"""A shorter word of a query must be a whole word of an entry."""

_WORD_START = re.compile(r"(?<![^\W_])[^\W_]")
_CLUSTER = re.compile("[\u1100-\u11ff]+|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL)
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN = re.compile(r"\S+")
_UNITS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_CJK_PAIR = re.compile(f"(?=([{_CJK}]{{2}}))")
_WORDS = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")

CHUNK_WORDS = 2_000
"""Words compared in one call: rapidfuzz does not let other threads run meanwhile."""


@dataclass(frozen=True, slots=True)
class Match:
    """One choice that a query fits."""

    index: int
    """Its place in the choices."""
    score: float
    """0 to 100."""
    spans: tuple[tuple[int, int], ...]
    """What matched: half-open ranges of characters of the choice, in order, not touching."""


class _Found(NamedTuple):
    """How well one word fits; the spans lie in the folded choice."""

    score: float
    spans: list[tuple[int, int]]
    is_at_word_start: bool


def fuzzy_rank(query: str, choices: Sequence[str], limit: int) -> list[Match]:
    """The choices that fit `query`, best first, at most `limit`.

    Every word of the query must be found, in any order: as it is, with a typo at the start of a
    word of the choice, or by CJK pairs. Equal scores: words that begin a word of the choice come
    first, then the order of the choices. A query without a word fits every choice.
    """
    words = fold(query).split()
    ranked: list[tuple[float, int, Match]] = []
    for index, choice in enumerate(choices):
        folded, begins, ends = _fold_with_origin(choice)
        starts = [start.start() for start in _WORD_START.finditer(folded)]
        found: list[_Found] = []
        for word in words:
            one = _find(word, folded, starts)
            if one is None:
                break
            found.append(one)
        else:
            score = sum(one.score for one in found) / len(found) if found else 100.0
            inside = sum(not one.is_at_word_start for one in found)
            spans = merge_spans(
                (begins[start], ends[end - 1]) for one in found for start, end in one.spans
            )
            ranked.append((-score, inside, Match(index, score, spans)))
    ranked.sort(key=lambda item: item[:2])
    return [match for _, _, match in ranked[: max(0, limit)]]


def closest(text: str, choices: Iterable[str], limit: int = 3) -> list[str]:
    """The choices most like `text` as a whole, best first: what to ask with `did you mean`."""
    # Imported where it is used: it takes as long as all else of a short command together.
    from rapidfuzz import fuzz

    folded = fold(text)
    scored = [
        (fuzz.ratio(folded, fold(choice), score_cutoff=MIN_CLOSE_SCORE), choice)
        for choice in choices
    ]
    near = sorted((item for item in scored if item[0] > 0), key=lambda item: -item[0])
    return [choice for _, choice in near[: max(0, limit)]]


def sorted_words(text: str) -> str:
    """What `token_sort_ratio` compares: the folded words of `text`, runs of CJK in pairs, sorted.

    The plain `ratio` of two such texts is the `token_sort_ratio` of the folded texts.
    """
    folded = fold(text)
    words = folded.split()
    if not folded.isascii():
        words = [
            unit
            for word in words
            for part in _UNITS.findall(word)
            for unit in _CJK_PAIR.findall(part) or [part]
        ]
    return " ".join(sorted(words))


def nearest(
    text: str, choices: Sequence[str], min_score: float = NEAR_SCORE
) -> tuple[int, float] | None:
    """The choice most like `text`, the first of equals: its place and score; None below the least.

    All are `sorted_words`; empty ones are like nothing.
    """
    from rapidfuzz import fuzz, process

    best: tuple[int, float] | None = None
    for start in range(0, len(choices) if text else 0, CHUNK_WORDS):
        found = process.extractOne(
            text,
            choices[start : start + CHUNK_WORDS],
            scorer=fuzz.ratio,
            processor=None,
            score_cutoff=min_score if best is None else best[1],
        )
        if found is not None and (best is None or found[1] > best[1]):
            best = (start + found[2], found[1])
    return best


def near_pairs(
    texts: Sequence[str],
    most: int,
    min_score: float = NEAR_SCORE,
    check: Callable[[], None] | None = None,
    work: Work | None = None,
) -> list[tuple[float, int, int]]:
    """The `most` pairs that are most alike, best first: score and the places, the lower first.

    All are `sorted_words`; empty ones are like nothing, and of equal ones each goes with the first.
    `check` is called often; what it raises ends the search. `work` bounds it and counts what was
    left out; without it nothing is.
    """
    return search(texts, most, min_score, _alike, check, work)


def _alike(query: str, choices: Sequence[str], cutoff: float) -> list[tuple[str, float]]:
    from rapidfuzz import fuzz, process

    found = process.extract(
        query, choices, scorer=fuzz.ratio, processor=None, score_cutoff=cutoff, limit=None
    )
    return [(choice, score) for choice, score, _ in found]


def words_of(folded: str) -> list[tuple[str, ...]]:
    """The words of a folded text, each as its units: itself, or the pairs of a run of CJK.

    A lone CJK character is a unit.
    """
    if folded.isascii():
        return [(word,) for word in _WORDS.findall(folded)]
    return [_units(word) for word in _WORDS.findall(folded)]


def units_in(folded: str) -> set[str]:
    """Every distinct unit of a folded text."""
    words = set(_WORDS.findall(folded))
    if folded.isascii():
        return words
    units: set[str] = set()
    for word in words:
        units.update(_units(word))
    return units


def unit_spans(folded: str, wanted: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the `wanted` units stand in a folded text; pairs may overlap."""
    for match in _WORDS.finditer(folded):
        word, start = match[0], match.start()
        if word in wanted:
            yield start, match.end()
        elif _IS_CJK.match(word):
            for at in range(len(word) - 1):
                if word[at : at + 2] in wanted:
                    yield start + at, start + at + 2


def _units(word: str) -> tuple[str, ...]:
    return tuple(_CJK_PAIR.findall(word)) or (word,) if _IS_CJK.match(word) else (word,)


def near_units(unit: str, units: Sequence[str]) -> Iterator[dict[str, float]]:
    """How well `unit` of a query fits each of `units`, in chunks; those below the least: left out.

    100: the unit is that one, or (from three letters) begins it, or (from four) stands in it. Else
    the likeness to the beginning of it or to the whole, from `MIN_WORD_SCORE` on.
    """
    for start in range(0, len(units), CHUNK_WORDS):
        yield _near(unit, units[start : start + CHUNK_WORDS])


def _near(unit: str, units: Sequence[str]) -> dict[str, float]:
    length = len(unit)
    if _IS_CJK.match(unit) or length < _MIN_PREFIX_LENGTH:
        return {unit: 100.0} if unit in units else {}
    if length < _MIN_TYPO_LENGTH:
        return {word: 100.0 for word in units if word.startswith(unit)}
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found: dict[str, float] = {}
    for size in (length, length - 1, length + 1):
        near = process.extract(
            unit,
            [word[:size] for word in units],
            scorer=OSA.normalized_similarity,
            processor=None,
            score_cutoff=MIN_WORD_SCORE / 100,
            limit=None,
        )
        for _, score, at in near:
            found[units[at]] = max(found.get(units[at], 0.0), 100 * score)
    found.update((word, 100.0) for word in units if unit in word)
    return found


def _find(word: str, folded: str, starts: list[int]) -> _Found | None:
    """Where and how well `word` stands in a folded choice whose words begin at `starts`."""
    at = folded.find(word)
    if at >= 0:
        first = next((start for start in starts if folded.startswith(word, start)), None)
        place = at if first is None else first
        return _Found(100.0, [(place, place + len(word))], first is not None)
    if _CJK_PAIR.search(word):
        return _find_units(word, folded)
    if len(word) < _MIN_TYPO_LENGTH:
        return None
    return _find_typo(word, folded, starts)


def _find_units(word: str, folded: str) -> _Found | None:
    """A word with CJK in it: how many of its pairs, and of its other parts, are there."""
    units: list[str] = []
    for part in _UNITS.findall(word):
        units += _CJK_PAIR.findall(part) or [part]
    places = [(folded.find(unit), len(unit)) for unit in dict.fromkeys(units)]
    spans = [(at, at + length) for at, length in places if at >= 0]
    score = 100.0 * len(spans) / len(places)
    # One pair of two may be an accident of the script; the longer the word, the more must fit.
    return _Found(score, spans, False) if score > 50.0 else None


def _find_typo(word: str, folded: str, starts: list[int]) -> _Found | None:
    """The stretch from the start of a word of the choice that is most like `word`."""
    from rapidfuzz.distance import OSA

    best = MIN_WORD_SCORE / 100
    found: _Found | None = None
    for start in starts:
        for length in (len(word), len(word) - 1, len(word) + 1):
            stretch = folded[start : start + length]
            score = OSA.normalized_similarity(word, stretch, score_cutoff=best)
            if score > best or (score == best and found is None):
                best = score
                found = _Found(100 * score, [(start, start + len(stretch))], True)
    return found


def _fold_with_origin(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """`text` folded, but with its blanks, and where in `text` each character begins and ends."""
    if text.isascii():
        return text.lower(), range(len(text)), range(1, len(text) + 1)
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = fold(cluster[0]) or (" " if cluster[0].isspace() else "")
        pieces.append(piece)
        begins += [cluster.start()] * len(piece)
        ends += [cluster.end()] * len(piece)
    return "".join(pieces), begins, ends


def fold_with_origin(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """`text` folded as `fold` does, with where in `text` each character begins and ends."""
    folded, begins, ends = _fold_with_origin(text)
    pieces: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    for match in _RUN.finditer(folded):
        if pieces:
            pieces.append(" ")
            starts.append(stops[-1])
            stops.append(begins[match.start()])
        pieces.append(match[0])
        starts += begins[match.start() : match.end()]
        stops += ends[match.start() : match.end()]
    return "".join(pieces), starts, stops


def merge_spans(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The same places as spans that do not touch, in order."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
