"""Which entries a query means, for forget (spec section 6).

Invariant: what is found depends on the snapshots and the query alone, not on how the search is cut
into steps. A step looks at no more than 2,000 entries or words, so that a search can be dropped
between two key strokes; what it read of the entries is kept for the next one.

Matching is over name, description and the entry's whole text, all folded:

- *contains*, score 100: the whole query stands in one of them; 99: each of its words does.
- *similar*, 60 to 98: the mean over the words, longer ones counting more. A word that is there
  counts 100, one with a typo its likeness, a run of CJK the share of its pairs where that is more
  than half; one that is missing counts 0.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from memtui.engine.format.entries import EntryId, entries_of
from memtui.engine.matching import (
    fold_with_origin,
    merge_spans,
    near_units,
    unit_spans,
    units_in,
    words_of,
)
from memtui.engine.text import fold
from memtui.engine.types import Entry, Scope, Snapshot, TopicDocument

MatchKind = Literal["contains", "similar", "listed"]
"""`listed`: there was no query."""
Spans = tuple[tuple[int, int], ...]

STEP_ENTRIES = 2_000
STEP_BYTES = 100_000
"""Of text that is read for the first time."""
SIMILAR_LIMIT = 200
"""Of the similar ones only the best are kept."""
EXACT_SCORE = 100
WORDS_SCORE = 99
MAX_SIMILAR_SCORE = 98
MIN_SIMILAR_SCORE = 60
_FULL_WEIGHT = 8
"""A longer word counts no more than one of so many letters."""


class Hits(NamedTuple):
    """Where the query was found in an entry."""

    found_in: tuple[str, ...]
    """Of `name`, `description`, `summary`, `why`, `apply`, `body`, in this order."""
    spans: Mapping[str, Spans]
    """Ranges of characters to mark, by `name`, `description`, `summary`, `why`, `apply` in these
    texts as they are, and by `entry` in the entry's whole text."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """An entry that a query may mean."""

    document: TopicDocument
    entry: Entry
    score: int
    """100 is the query itself, 99 all of its words, 98 and less a likeness; 0 without a query."""
    match: MatchKind
    marker: Callable[[str], Iterable[tuple[int, int]]] = field(repr=False)
    """Finds the hits in a folded text."""

    @property
    def scope(self) -> Scope:
        """The scope of its store."""
        return self.entry.scope

    @property
    def id(self) -> str:
        """The whole ID, with scope and digest: `user:feedback/style.md:2@3f9c`."""
        return str(EntryId.of(self.entry))

    @cached_property
    def text(self) -> str:
        """The entry's whole text."""
        return self.entry.span.of(self.document.source).decode("utf-8", "replace")

    @cached_property
    def hits(self) -> Hits:
        """Where it was found; computed when first asked for, as only shown rows need it."""
        return _hits(self)

    @property
    def found_in(self) -> tuple[str, ...]:
        """The fields that the query was found in."""
        return self.hits.found_in

    @property
    def summary_spans(self) -> Spans:
        """The ranges of characters of `entry.summary` to mark."""
        return self.hits.spans["summary"]


class _Row(NamedTuple):
    """One entry and its folded text: name, description and span, one a line."""

    document: TopicDocument
    entry: Entry
    text: str


class Matcher:
    """All entries of some snapshots, for many queries; may be used from several threads."""

    def __init__(self, snapshots: Sequence[Snapshot]) -> None:
        self._documents = [document for snapshot in snapshots for document in snapshot.documents]
        self._rows: list[_Row] = []
        self._next_document = 0
        self._next_row = 0
        self._entries_with: dict[str, list[int]] = {}
        """By unit: the rows that have it."""
        self._units: list[str] = []
        self._near: dict[str, list[tuple[str, float]]] = {}
        """By unit of a query: the units of the entries that fit it, best first."""
        self._lock = threading.Lock()

    def search(self, query: str, scopes: Collection[Scope] | None = None) -> Search:
        """A search that is done step by step; `scopes` None: all."""
        return Search(self, query, scopes)

    def candidates(
        self, query: str, scopes: Collection[Scope] | None = None
    ) -> tuple[Candidate, ...]:
        """What `query` may mean, best first; nothing matches: empty. Without a query: all."""
        return self.search(query, scopes).run()

    def prepare(self) -> bool:
        """Do some milliseconds of what the first search would; True while there is more."""
        return self._read() or self._collect()

    def _read(self) -> bool:
        """Read some more entries; False where all are read."""
        with self._lock:
            size = 0
            while self._next_document < len(self._documents) and size < STEP_BYTES:
                document = self._documents[self._next_document]
                self._next_document += 1
                size += len(document.source)
                texts = document.derive(_folded_entries)
                for entry, text in zip(entries_of(document), texts, strict=True):
                    self._rows.append(_Row(document, entry, text))
            return self._next_document < len(self._documents)

    def _collect(self) -> bool:
        """Take the words of some more entries; False where all are taken."""
        with self._lock:
            size = 0
            while self._next_row < len(self._rows) and size < STEP_BYTES:
                text = self._rows[self._next_row].text
                size += len(text)
                for unit in units_in(text):
                    rows = self._entries_with.get(unit)
                    if rows is None:
                        self._entries_with[unit] = [self._next_row]
                        self._units.append(unit)
                    else:
                        rows.append(self._next_row)
                self._next_row += 1
            return self._next_row < len(self._rows)


class Search:
    """One query, looked up step by step: call `step` until it is False, or drop it."""

    def __init__(
        self, matcher: Matcher, query: str, scopes: Collection[Scope] | None = None
    ) -> None:
        self.query = query
        self.is_done = False
        self._matcher = matcher
        self._scopes = None if scopes is None else frozenset(scopes)
        self._phrase = fold(query)
        self._found: dict[int, Candidate] = {}
        """By row."""
        self._similar: list[Candidate] = []
        self._steps = self._run()

    def step(self) -> bool:
        """Do some milliseconds of work; True while there is more."""
        self.is_done = self.is_done or next(self._steps, None) is None
        return not self.is_done

    def run(self) -> tuple[Candidate, ...]:
        """Do all of it; the candidates, best first."""
        while self.step():
            pass
        return self.candidates

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What is found so far: what contains the query, then what is similar, best first.

        Equal scores stand in the order of the scopes, scans and files. The similar ones come with
        the last step.
        """
        contains = sorted(self._found.values(), key=lambda candidate: -candidate.score)
        return (*contains, *self._similar)

    @property
    def entries(self) -> int:
        """How many entries of the chosen scopes are read so far; at the end all."""
        rows = self._matcher._rows
        if self._scopes is None:
            return len(rows)
        return sum(row.entry.scope in self._scopes for row in rows)

    def _run(self) -> Iterator[bool]:
        """The steps; each yields True."""
        words = list(dict.fromkeys(self._phrase.split()))
        rows = self._matcher._rows
        start, has_more = 0, True
        while has_more or start < len(rows):
            if start == len(rows):
                has_more = self._matcher._read()
            stop = min(len(rows), start + STEP_ENTRIES)
            self._contains(rows[start:stop], start, words)
            start = stop
            yield True
        if words:
            yield from self._run_similar()

    def _contains(self, rows: Sequence[_Row], first: int, words: Sequence[str]) -> None:
        phrase, scopes, found = self._phrase, self._scopes, self._found
        for number, row in enumerate(rows, start=first):
            text = row.text
            if scopes is not None and row.entry.scope not in scopes:
                continue
            if not phrase:
                found[number] = Candidate(row.document, row.entry, 0, "listed", _no_marks)
            elif phrase in text:
                marker = _Needles((phrase,))
                found[number] = Candidate(row.document, row.entry, EXACT_SCORE, "contains", marker)
            elif len(words) > 1 and all(word in text for word in words):
                marker = _Needles(tuple(words))
                found[number] = Candidate(row.document, row.entry, WORDS_SCORE, "contains", marker)

    def _run_similar(self) -> Iterator[bool]:
        matcher = self._matcher
        while matcher._collect():
            yield True
        words = list(dict.fromkeys(words_of(self._phrase)))
        total = sum(_weight(word) for word in words)
        scores: dict[int, float] = {}
        matched: set[str] = set()
        for word in words:
            of_word: dict[int, float] = {}
            for unit in word:
                best: dict[int, float] = {}
                work = 0
                yield from self._find_near(unit)
                for near, score in matcher._near[unit]:
                    matched.add(near)
                    rows = matcher._entries_with[near]
                    for row in rows:
                        best.setdefault(row, score)
                    work += len(rows)
                    if work > STEP_ENTRIES:
                        work = 0
                        yield True
                for row, score in best.items():
                    of_word[row] = of_word.get(row, 0.0) + score / len(word)
                yield True
            weight = _weight(word) / total
            for row, score in of_word.items():
                # One pair of two may be an accident of the script.
                if len(word) == 1 or score > 50:
                    scores[row] = scores.get(row, 0.0) + weight * score
            yield True
        self._keep_similar(scores, frozenset(matched))
        yield True

    def _find_near(self, unit: str) -> Iterator[bool]:
        matcher = self._matcher
        if unit in matcher._near:
            return
        found: dict[str, float] = {}
        for some in near_units(unit, matcher._units):
            found.update(some)
            yield True
        matcher._near[unit] = sorted(found.items(), key=lambda item: -item[1])

    def _keep_similar(self, scores: Mapping[int, float], matched: frozenset[str]) -> None:
        rows, scopes = self._matcher._rows, self._scopes
        similar = [
            (min(round(score), MAX_SIMILAR_SCORE), number)
            for number, score in scores.items()
            if score >= MIN_SIMILAR_SCORE
            and number not in self._found
            and (scopes is None or rows[number].entry.scope in scopes)
        ]
        similar.sort(key=lambda item: (-item[0], item[1]))
        marker = _Units(matched)
        self._similar = [
            Candidate(rows[number].document, rows[number].entry, score, "similar", marker)
            for score, number in similar[:SIMILAR_LIMIT]
        ]


def _weight(word: Sequence[str]) -> int:
    """How much a word counts: by its letters, a CJK character as two."""
    if len(word) == 1:
        return min(len(word[0]), _FULL_WEIGHT)
    return min(2 * len(word) + 2, _FULL_WEIGHT)


def _folded_entries(document: TopicDocument) -> tuple[str, ...]:
    """For each entry of a document: name, description and its text, folded, one a line."""
    head = f"{fold(document.name)}\n{fold(document.description)}\n"
    return tuple(
        head + fold(entry.span.of(document.source).decode("utf-8", "replace"))
        for entry in entries_of(document)
    )


@dataclass(frozen=True, slots=True)
class _Needles:
    """Finds texts as they are."""

    texts: tuple[str, ...]

    def __call__(self, folded: str) -> Iterator[tuple[int, int]]:
        """Every place of every text."""
        for text in self.texts:
            at = folded.find(text)
            while at >= 0:
                yield at, at + len(text)
                at = folded.find(text, at + len(text))


@dataclass(frozen=True, slots=True)
class _Units:
    """Finds whole words, and pairs of CJK."""

    units: frozenset[str]

    def __call__(self, folded: str) -> Iterator[tuple[int, int]]:
        """Every place of every unit."""
        return unit_spans(folded, self.units)


def _no_marks(_folded: str) -> Iterable[tuple[int, int]]:
    return ()


def _hits(candidate: Candidate) -> Hits:
    document, entry = candidate.document, candidate.entry
    texts = {
        "name": document.name,
        "description": document.description,
        "summary": entry.summary,
        "why": entry.why or "",
        "apply": entry.how_to_apply or "",
        "entry": candidate.text,
    }
    spans = {label: _marks(text, candidate.marker) for label, text in texts.items()}
    found_in = [label for label in texts if label != "entry" and spans[label]]
    # The fields lie in the entry's text; a summary that is the name in its stead may not.
    in_fields = sum(
        len(spans[label])
        for label in ("summary", "why", "apply")
        if label != "summary" or entry.summary in candidate.text
    )
    if len(spans["entry"]) > in_fields:
        found_in.append("body")
    return Hits(tuple(found_in), spans)


def _marks(text: str, marker: Callable[[str], Iterable[tuple[int, int]]]) -> Spans:
    folded, begins, ends = fold_with_origin(text)
    return merge_spans((begins[start], ends[end - 1]) for start, end in marker(folded))
