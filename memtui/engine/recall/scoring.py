"""Documents ranked for a query, as the agent's own scorers do (spec section 5).

Invariant: a `Ranker` gives for any query what a fresh one would give, whatever was asked before;
the score of a hit is the sum of its points.

Scores of all documents are kept bit-sliced: plane `k` is an integer that holds bit `k` of every
document's score, one bit a document, and documents are numbered in the order of ties. So adding a
token and finding the best five cost a few operations on integers, not a loop over documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from memtui.engine.recall import explain
from memtui.engine.recall.postings import SubstringIndex
from memtui.engine.recall.prompt import render_prompt
from memtui.engine.recall.tokens import tokens as tokens_of
from memtui.engine.types import (
    INDEX_NAME,
    MEMORY_TYPES,
    FileProblem,
    Hit,
    LeftOut,
    Recall,
    Scope,
    Scorer,
    Snapshot,
    TopicDocument,
    Verdict,
)

LIMIT = 5
"""Documents that the agent injects at most."""

CLASSIC_NEWEST = 200
"""`classic` looks at this many documents of each scope."""


class Ranker:
    """Ranks the documents of some stores for one query after another.

    `snapshots` come in the order of recall: project, user, team. `verdicts` say by scope and path
    whether the store's agent sees a document; one without a verdict counts as seen. `now_ns` is
    the time against which ages are told.
    """

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        verdicts: Mapping[Scope, Mapping[str, Verdict]],
        now_ns: int,
    ) -> None:
        self._candidates = [
            _Candidate(document, position, _bar(snapshot, document, verdicts))
            for position, (snapshot, document) in enumerate(
                (snapshot, document) for snapshot in snapshots for document in snapshot.documents
            )
        ]
        self._unreadable = tuple(
            _unreadable(problem)
            for snapshot in snapshots
            for problem in snapshot.problems
            if _is_topic_file(problem)
        )
        self._now_ns = now_ns
        self._tables: dict[Scorer, _Table] = {}

    def prepare(self, scorer: Scorer) -> None:
        """Build what `rank` needs for `scorer`, once; fit for a worker thread."""
        self._table(scorer)

    def rank(
        self, query: str, scorer: Scorer, limit: int = LIMIT, *, now_ns: int | None = None
    ) -> Recall:
        """The best `limit` documents for `query`, their points, and the block for the model.

        The strategy is `none` where nothing is injected. `now_ns` is for a ranker that is kept
        for long; without it the ranker's own time counts.
        """
        tokens = tokens_of(query, scorer)
        hits: tuple[Hit, ...] = ()
        if tokens and limit > 0 and self._candidates:
            hits = tuple(self._table(scorer).best(tokens, limit))
        return Recall(
            query=query,
            scorer=scorer,
            strategy="heuristic" if hits else "none",
            tokens=tokens,
            scanned=len(self._candidates),
            hits=hits,
            prompt=render_prompt(
                (hit.document for hit in hits), self._now_ns if now_ns is None else now_ns
            ),
        )

    def left_out(self, recall: Recall) -> tuple[LeftOut, ...]:
        """Every document and unreadable file that `recall` does not inject, with its one reason.

        Best score first, then the order of ties. A document that is barred has the score that it
        would have had, so that a good match which its agent can't see stands at the top.
        """
        injected = {(hit.document.scope, hit.document.path) for hit in recall.hits}
        others = [
            LeftOut(
                document.path,
                document.scope,
                document.name,
                score,
                bar or (explain.below(len(injected)) if score else explain.NO_MATCH),
            )
            for document, bar, score in self._table(recall.scorer).scores(recall.tokens)
            if (document.scope, document.path) not in injected
        ]
        return tuple(sorted((*self._unreadable, *others), key=lambda left: -left.score))

    def _table(self, scorer: Scorer) -> _Table:
        table = self._tables.get(scorer)
        if table is None:
            table = _Table(self._candidates, scorer)
            self._tables[scorer] = table
        return table


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: TopicDocument
    position: int
    """In scan order over all scopes."""
    bar: str
    """The reason for which the document takes no part; empty where it does."""


class _Table:
    """The documents in one scorer's order of ties, with the index over their text."""

    def __init__(self, candidates: Sequence[_Candidate], scorer: Scorer) -> None:
        self._scorer = scorer
        if scorer == "classic":
            ordered = sorted(_capped(candidates), key=lambda c: (c.document.type, c.position))
        else:
            ordered = sorted(candidates, key=lambda c: (-c.document.mtime_ns, c.position))
        self._ordered = ordered
        self._all = (1 << len(ordered)) - 1
        self._eligible = _mask(not candidate.bar for candidate in ordered)
        self._typed = {
            kind: _mask(candidate.document.type == kind for candidate in ordered)
            for kind in MEMORY_TYPES
        }
        documents = [candidate.document for candidate in ordered]
        if scorer == "classic":
            self._with_body = _mask(bool(explain.trimmed_body(each)) for each in documents)
            self._index = SubstringIndex(map(explain.classic_text, documents), scorer)
        else:
            self._index = SubstringIndex(_field_texts(documents), scorer)

    def best(self, tokens: Sequence[str], limit: int) -> Iterator[Hit]:
        """The best hits, at most `limit`."""
        planes = self._planes(tokens)
        rest = _any(planes) & self._eligible
        rank = 0
        while rest:
            tied, score = _highest(planes, rest)
            rest ^= tied
            while tied:
                if rank == limit:
                    return
                lowest = tied & -tied
                tied ^= lowest
                rank += 1
                document = self._ordered[lowest.bit_length() - 1].document
                yield Hit(
                    rank, document, score, explain.score_points(document, tokens, self._scorer)
                )

    def scores(self, tokens: Sequence[str]) -> Iterator[tuple[TopicDocument, str, int]]:
        """Document, bar and score of all, best first, then in the order of ties."""
        scores = [0] * len(self._ordered)
        for power, plane in enumerate(self._planes(tokens)):
            for number, digit in enumerate(reversed(f"{plane:b}")):
                if digit == "1":
                    scores[number] += 1 << power
        for number in sorted(range(len(scores)), key=lambda number: -scores[number]):
            candidate = self._ordered[number]
            yield candidate.document, candidate.bar, scores[number]

    def _planes(self, tokens: Sequence[str]) -> list[int]:
        planes: list[int] = []
        if not tokens:
            return planes
        if self._scorer == "classic":
            self._add_classic(planes, tokens)
        else:
            self._add_weighted(planes, tokens)
        return planes

    def _add_classic(self, planes: list[int], tokens: Sequence[str]) -> None:
        for token in tokens:
            _add(planes, self._index.search(token), explain.CLASSIC_TEXT_POINTS)
        for kind, documents in self._typed.items():
            keywords = sum(1 for token in tokens if token in explain.KEYWORDS[kind])
            _add(planes, documents, keywords * explain.KEYWORD_POINTS)
        _add(planes, self._with_body, explain.CLASSIC_BODY_POINTS)

    def _add_weighted(self, planes: list[int], tokens: Sequence[str]) -> None:
        count = len(self._ordered)
        for token in tokens:
            slots = self._index.search(token)
            if slots:
                _add(planes, slots & self._all, explain.NAME_POINTS)
                _add(planes, (slots >> count) & self._all, explain.DESCRIPTION_POINTS)
                _add(planes, slots >> 2 * count, explain.BODY_POINTS)
        hit = _any(planes)
        for kind, documents in self._typed.items():
            keywords = sum(1 for token in tokens if token in explain.KEYWORDS[kind])
            counted = min(keywords, explain.WEIGHTED_KEYWORDS_MAX)
            _add(planes, documents & hit, counted * explain.KEYWORD_POINTS)


def _bar(
    snapshot: Snapshot,
    document: TopicDocument,
    verdicts: Mapping[Scope, Mapping[str, Verdict]],
) -> str:
    """Why a document takes no part in recall; empty where it does.

    A type outside the four, or none, is out. Not so in a store without an agent: there type is
    one of the things by which agents differ (section 12), and recall leaves nothing out by them.
    """
    verdict = verdicts.get(snapshot.store.scope, {}).get(document.path)
    if verdict is not None and verdict.seen is False:
        return explain.UNSEEN
    if snapshot.store.agent != "none" and document.type not in MEMORY_TYPES:
        return explain.UNKNOWN_TYPE
    return ""


def _capped(candidates: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """Bar what is beyond the 200 newest of its scope, counted among those not barred."""
    taken: dict[Scope, int] = {}
    for candidate in candidates:
        if not candidate.bar:
            count = taken.get(candidate.document.scope, 0) + 1
            taken[candidate.document.scope] = count
            if count > CLASSIC_NEWEST:
                yield replace(candidate, bar=explain.BEYOND_NEWEST)
                continue
        yield candidate


def _is_topic_file(problem: FileProblem) -> bool:
    """False for a problem of an index, and for a folder, pipe or device of whatever name."""
    name = PurePosixPath(problem.path).name
    return name.lower().endswith(".md") and name != INDEX_NAME and problem.rule != "not-a-file"


def _unreadable(problem: FileProblem) -> LeftOut:
    stem = PurePosixPath(problem.path).stem
    return LeftOut(problem.path, problem.scope, stem, 0, explain.UNREADABLE)


def _field_texts(documents: Sequence[TopicDocument]) -> Iterator[str]:
    """All names, then all descriptions, then all bodies."""
    texts = [document.derive(explain.weighted_text) for document in documents]
    yield from (text.name for text in texts)
    yield from (text.description for text in texts)
    yield from (text.body for text in texts)


def _mask(flags: Iterable[bool]) -> int:
    digits = bytearray(map(b"01".__getitem__, flags))
    digits.reverse()
    return int(digits or b"0", 2)


def _any(planes: Sequence[int]) -> int:
    documents = 0
    for plane in planes:
        documents |= plane
    return documents


def _add(planes: list[int], documents: int, points: int) -> None:
    """Add `points` to the score of each of `documents`."""
    power = 0
    while points:
        if points & 1:
            carry, at = documents, power
            while carry:
                if at >= len(planes):
                    planes += [0] * (at + 1 - len(planes))
                planes[at], carry = planes[at] ^ carry, planes[at] & carry
                at += 1
        points >>= 1
        power += 1


def _highest(planes: Sequence[int], documents: int) -> tuple[int, int]:
    """Those of `documents` with the highest score, and that score."""
    score = 0
    for power in reversed(range(len(planes))):
        with_bit = documents & planes[power]
        if with_bit:
            documents = with_bit
            score += 1 << power
    return documents, score
