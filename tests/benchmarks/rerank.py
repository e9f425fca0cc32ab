"""Speed of recall: a re-rank on each key stroke while a query of 40 characters is typed.

Source of the limits: design, section 5. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

from memtui.engine.format.document import parse_document
from memtui.engine.recall.scoring import Ranker
from memtui.engine.types import MEMORY_TYPES, Scorer, Snapshot, Store, TopicDocument
from tests.benchmarks.rows import Row

QUERY = "how do we write the notes for a release?"
"""40 characters."""

LIMITS_MS = {1_000: 3.0, 10_000: 20.0}
"""At most this long at the 95th percentile, by number of documents."""

SCORERS: tuple[Scorer, ...] = ("weighted", "classic")

_FILE_BYTES = 2_000
_ROUNDS = 5
_DAY_NS = 86_400 * 10**9
_NOW_NS = 1_780_000_000 * 10**9
_SYLLABLES = (
    "re", "le", "ase", "no", "tes", "how", "wri", "te", "ing", "con", "pre", "ba", "ko", "mi",
    "ver", "sion", "for", "the", "que", "dea",
)  # fmt: skip


def rows(limits_ms: Mapping[int, float] = LIMITS_MS, rounds: int = _ROUNDS) -> list[Row]:
    """Measure both scorers over each number of documents."""
    measured = []
    for count, limit_ms in limits_ms.items():
        store = generated_store(count)
        for scorer in SCORERS:
            milliseconds = percentile_95_ms(store, scorer, rounds)
            work = f"re-rank on a key stroke, {count:,} documents, {scorer} (p95)"
            measured.append(Row(work, limit_ms, milliseconds))
    return measured


def percentile_95_ms(store: Snapshot, scorer: Scorer, rounds: int = _ROUNDS) -> float:
    """The 95th percentile over the key strokes of `QUERY`, each the median of some rounds.

    Each round has a ranker of its own, prepared as the app does before the first key.
    """
    typed = []
    for _ in range(rounds):
        ranker = Ranker([store], {}, _NOW_NS)
        ranker.prepare(scorer)
        typed.append([_stroke_ms(ranker, QUERY[:end], scorer) for end in range(1, 41)])
    strokes = [median(same) for same in zip(*typed, strict=True)]
    return float(quantiles(strokes, n=20, method="inclusive")[-1])


def generated_store(count: int, seed: int = 1) -> Snapshot:
    """A store of `count` documents of 2 kB: frontmatter, paragraphs, lists."""
    made = random.Random(seed)
    vocabulary = ["".join(made.choices(_SYLLABLES, k=made.randint(1, 4))) for _ in range(20_000)]
    documents = [_document(made, vocabulary, number) for number in range(count)]
    return Snapshot(Store("project", "none", Path("/generated")), "ok", tuple(documents))


def _document(made: random.Random, vocabulary: Sequence[str], number: int) -> TopicDocument:
    kind = made.choice(MEMORY_TYPES)
    name = " ".join(made.choices(vocabulary, k=4))
    description = " ".join(made.choices(vocabulary, k=10))
    text = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n---\n\n"
    while len(text) < _FILE_BYTES:
        lead = made.choice(("", "", "- "))
        text += lead + " ".join(made.choices(vocabulary, k=made.randint(5, 30))) + ".\n\n"
    return parse_document(
        text[:_FILE_BYTES].encode(),
        path=f"{kind}/memory-{number:05}.md",
        mtime_ns=_NOW_NS - number * _DAY_NS // 50,
    )


def _stroke_ms(ranker: Ranker, query: str, scorer: Scorer) -> float:
    start_ns = time.perf_counter_ns()
    ranker.rank(query, scorer)
    return (time.perf_counter_ns() - start_ns) / 1e6
