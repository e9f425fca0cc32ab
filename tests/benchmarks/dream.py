"""Speed of a dream: planning one over 10,000 entries, and looking for what to suggest.

Source of the limit: design, section 5. Prints nothing; whoever prints the table calls `rows`.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from statistics import median

from memtui.engine.format.document import parse_document
from memtui.engine.plans.dream import plan_dream
from memtui.engine.plans.suggestions import suggest
from memtui.engine.types import Snapshot, Store, TopicDocument
from tests.benchmarks.generate import NEWEST_MTIME_NS, make_document
from tests.benchmarks.rows import Row

ENTRIES = 10_000
LIMIT_MS = 2_000.0
_ROUNDS = 5
_IN_LISTS = 4
"""One entry in that many stands in a list."""
_LIST_LENGTH = 5
_SAME = 20
"""One entry in that many is there twice."""
_RANDOM_WORDS = 500
_LETTERS = "eeeeaaaiiooutttnnnssrrrlldhcmpgbyfkvwxzjq"
"""About as often as in English: the more common a letter, the more alike seem two texts."""


def rows(entries: int = ENTRIES, limit_ms: float = LIMIT_MS, rounds: int = _ROUNDS) -> list[Row]:
    """Measure the plan and, without a limit, the suggestions, each over files just scanned.

    The suggestions also where nothing is alike, which takes them longest.
    """
    planning, suggesting = [], []
    for number in range(rounds):
        store = generated_store(entries)
        start = time.perf_counter()
        plan = plan_dream(store, now_ns=NEWEST_MTIME_NS)
        planning.append(1000 * (time.perf_counter() - start))
        if number % 2 == 0:
            start = time.perf_counter()
            suggest(store, now_ns=NEWEST_MTIME_NS, plan=plan)
            suggesting.append(1000 * (time.perf_counter() - start))
    unlike = []
    for _ in range(0, rounds, 2):
        store = random_store(entries)
        plan = plan_dream(store, now_ns=NEWEST_MTIME_NS)
        start = time.perf_counter()
        suggest(store, now_ns=NEWEST_MTIME_NS, plan=plan)
        unlike.append(1000 * (time.perf_counter() - start))
    return [
        Row(f"dream plan, {entries:,} entries", limit_ms, median(planning)),
        Row(f"suggestions of a dream, {entries:,} entries", None, median(suggesting)),
        Row(f"suggestions, {entries:,} entries of random words", None, median(unlike)),
    ]


def generated_store(entries: int) -> Snapshot:
    """A store of that many entries: a quarter in unsorted lists, one in twenty there twice."""
    in_lists = entries // _IN_LISTS
    single = [_document(number) for number in range(entries - in_lists)]
    lists = [
        _list(number, min(_LIST_LENGTH, in_lists - number))
        for number in range(0, in_lists, _LIST_LENGTH)
    ]
    documents = sorted((*single, *lists), key=lambda each: (-each.mtime_ns, each.path))
    return Snapshot(Store("project", "none", Path("/m")), "ok", tuple(documents))


def random_store(entries: int) -> Snapshot:
    """A store of that many entries, five in a file: 8 to 12 words out of 500, chosen at random."""
    chance = random.Random("memtui words")
    words = [
        "".join(chance.choices(_LETTERS, k=chance.randint(3, 11))) for _ in range(_RANDOM_WORDS)
    ]
    documents = []
    for number in range(0, entries, _LIST_LENGTH):
        count = min(_LIST_LENGTH, entries - number)
        lines = [
            f"- {' '.join(chance.choices(words, k=chance.randint(8, 12)))}\n" for _ in range(count)
        ]
        text = f"---\nname: List {number}\ndescription: some\ntype: feedback\n---\n\n"
        raw = (text + "".join(lines)).encode()
        path = f"feedback/words-{number:05d}.md"
        documents.append(parse_document(raw, path=path, mtime_ns=NEWEST_MTIME_NS))
    return Snapshot(Store("project", "none", Path("/m")), "ok", tuple(documents))


def _document(number: int) -> TopicDocument:
    own = make_document(number)
    raw = own.raw
    if number % _SAME == _SAME - 1:
        raw = make_document(number - 4).raw
        if number % 3:
            raw = raw.replace(b"name: ", b"name: The same as ", 1)
    return parse_document(raw, path=own.path, mtime_ns=NEWEST_MTIME_NS - number)


def _list(first: int, length: int) -> TopicDocument:
    lines = []
    for number in range(first, first + length):
        same = first if number % _SAME == _LIST_LENGTH - 1 else number
        lines += [
            f"- {chr(122 - same % 26)} rule {same} of the list",
            f"  - **Why:** it was {number} times forgotten.",
            f"  - **How to apply:** in all files of part {same}.",
        ]
    text = f"---\nname: List {first}\ndescription: rules {first}\ntype: feedback\n---\n\n"
    raw = (text + "\n".join(lines) + "\n").encode()
    return parse_document(raw, path=f"feedback/list-{first:05d}.md", mtime_ns=NEWEST_MTIME_NS)
