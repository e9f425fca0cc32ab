"""Which entries of a store could become one (spec section 9).

Invariant: nothing is changed here. Of a pair the kept entry comes first: in its file, or in the
order of paths. What an agent sees is not paired with an entry of a file that it skips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from memtui.engine.format.entries import entries_of
from memtui.engine.plans.dream_files import Files, Pair, WorkFile
from memtui.engine.plans.dream_parts import Parts
from memtui.engine.plans.merging import may_merge
from memtui.engine.text import fold
from memtui.engine.types import MEMORY_TYPES, TopicDocument

_MOST_KEPT = 3
"""So many entries that stay are tried for one that might go."""
_UNSEEN = "unseen\n"

Place = tuple[str, str]
"""Path and Entry ID."""


@dataclass(slots=True)
class _Earlier:
    """The entries of one type and summary in the files gone over."""

    first: Place
    by_rest: dict[str, list[Place]] | None = None
    """By what they say beside summary and reasons; made once a second entry comes."""


@dataclass(slots=True)
class Pairing:
    """Finds pairs among the files as they are by now."""

    files: Files
    unseen: frozenset[str]
    is_held_back: Callable[[Pair], bool]
    failed: dict[Pair, str] = field(default_factory=dict)
    """Pairs that were tried and refused, and why: they are not found again."""
    differing: dict[tuple[str, str], str] = field(default_factory=dict)
    """IDs of entries of one summary that the rule does not merge, and why."""

    def forget(self) -> None:
        """Start anew: what was refused may be possible by now."""
        self.failed.clear()
        self.differing.clear()

    def in_file(self, file: WorkFile) -> list[Pair]:
        """The entries of one file that an earlier entry of it can take up."""
        path = file.origin.path
        kept: dict[str, list[str]] = {}
        pairs: list[Pair] = []
        for entry_id, summary in zip(file.ids, summaries_of(file.document), strict=True):
            known = kept.setdefault(summary, [])
            candidates = (Pair(path, each, path, entry_id) for each in known)
            pair = self._first(candidates)
            if pair is not None:
                pairs.append(pair)
            elif len(known) < _MOST_KEPT:
                known.append(entry_id)
        return pairs

    def across(self) -> list[Pair]:
        """The entries that one in an earlier file of their type can take up."""
        pairs: list[Pair] = []
        self.differing.clear()
        earlier: dict[tuple[str, str], _Earlier] = {}
        for path, file in self.files.by_path.items():
            kind = file.document.type
            if kind not in MEMORY_TYPES or not file.ids:
                continue
            stays: list[tuple[tuple[str, str], str]] = []
            for entry_id, summary in zip(file.ids, summaries_of(file.document), strict=True):
                known = earlier.get((kind, summary))
                pair = None if known is None else self._across(path, entry_id, known)
                if pair is None:
                    stays.append(((kind, summary), entry_id))
                else:
                    pairs.append(pair)
            for key, entry_id in stays:
                self._register(earlier, key, (path, entry_id))
        return pairs

    def _first(self, candidates: Iterable[Pair]) -> Pair | None:
        for pair in candidates:
            if pair not in self.failed and not self.is_held_back(pair):
                return pair
        return None

    def _across(self, path: str, entry_id: str, known: _Earlier) -> Pair | None:
        """The earlier entry that this one can be merged into."""
        parts = self._parts((path, entry_id))
        if parts is None:
            return None
        if known.by_rest is None:
            known.by_rest = {}
            self._add(known.by_rest, known.first)
        candidates: list[Pair] = []
        for place in sorted(self._fitting(known.by_rest, parts.rest_key, path in self.unseen)):
            other = self._parts(place)
            if other is not None and may_merge(other, parts, is_across=True):
                candidates.append(Pair(*place, path, entry_id))
        if not candidates:
            self.differing[(known.first[1], entry_id)] = "their further text differs"
        return self._first(candidates[:_MOST_KEPT])

    def _fitting(
        self, by_rest: dict[str, list[Place]], rest: str, is_unseen: bool
    ) -> Iterator[Place]:
        """The places of entries with the same further text, or where one of the two has none."""
        heads = ("", _UNSEEN) if is_unseen else ("",)
        if rest:
            for head in heads:
                yield from by_rest.get(head + rest, ())
                yield from by_rest.get(head, ())
            return
        count = 0
        for places in by_rest.values():
            for place in places:
                if is_unseen or place[0] not in self.unseen:
                    yield place
                    count += 1
            if count >= _MOST_KEPT:
                return

    def _register(
        self, earlier: dict[tuple[str, str], _Earlier], key: tuple[str, str], place: Place
    ) -> None:
        known = earlier.get(key)
        if known is None:
            earlier[key] = _Earlier(place)
            return
        if known.by_rest is None:
            known.by_rest = {}
            self._add(known.by_rest, known.first)
        self._add(known.by_rest, place)

    def _add(self, by_rest: dict[str, list[Place]], place: Place) -> None:
        parts = self._parts(place)
        if parts is not None:
            head = _UNSEEN if place[0] in self.unseen else ""
            places = by_rest.setdefault(head + parts.rest_key, [])
            if len(places) < _MOST_KEPT:
                places.append(place)

    def _parts(self, place: Place) -> Parts | None:
        path, entry_id = place
        return self.files.parts(self.files.by_path[path].content(entry_id))


def summaries_of(document: TopicDocument) -> tuple[str, ...]:
    """The folded summaries of its entries; computed once per document."""
    return document.derive(_summaries)


def _summaries(document: TopicDocument) -> tuple[str, ...]:
    return tuple(fold(entry.summary) for entry in entries_of(document))


def connected(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The pairs, those together that have files in common."""
    parent: dict[str, str] = {}

    def root(path: str) -> str:
        while (above := parent.setdefault(path, path)) != path:
            parent[path] = path = parent.setdefault(above, above)
        return path

    pairs = list(pairs)
    for pair in pairs:
        parent[root(pair.gone_path)] = root(pair.kept_path)
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(root(pair.kept_path), []).append(pair)
    return list(groups.values())
