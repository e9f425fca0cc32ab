"""What a person may want to look at after a dream (spec section 9): never applied by rule.

Invariant: a suggestion names entries of the snapshot that stay when the planned merges are made.
Two that contradict each other are never told as near duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from memtui.engine.format.entries import entries_of
from memtui.engine.matching import near_pairs, sorted_words
from memtui.engine.near import Work
from memtui.engine.plans.contradictions import contradictions, opposites, statement_of
from memtui.engine.plans.dream import plan_dream, untouchable
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.plans.extraction.filters import temporary_word
from memtui.engine.text import fold
from memtui.engine.types import Entry, Snapshot, TopicDocument

SuggestionKind = Literal["near-duplicate", "conflict", "same-summary", "outdated"]
Place = tuple[TopicDocument, Entry]

MOST_PAIRS = 1_000
"""Of near duplicates the most alike, of conflicts the first: nobody reads more."""

_MOST_READ = 3_000_000
"""Characters of all summaries that are searched for words; of long ones then the beginning."""

_READING_WORK = 700
"""What it takes to read one character of them: at most half of all work is charged for that."""

_OUTDATED = re.compile(
    r"\b(?:deprecated|obsolete|legacy|outdated|superseded)\b"
    r"|\b(?:устаре\w+|легаси|больше не используется)"
    r"|已废弃|废弃|弃用|过时|遗留|旧版"
    r"|廃止|非推奨|旧式|旧版|レガシー|時代遅れ",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class Suggestion(NamedTuple):
    """One or two entries that a person may want to look at."""

    kind: SuggestionKind
    score: int | None
    """Of near duplicates: 75 to 100."""
    words: str
    """What it is about: `always / never`, `legacy`, `15 / 37`, or why a merge was not made."""
    entries: tuple[Place, ...]


def suggest(
    snapshot: Snapshot,
    *,
    now_ns: int,
    plan: DreamPlan | None = None,
    check: Callable[[], None] | None = None,
    work: Work | None = None,
) -> tuple[Suggestion, ...]:
    """What is left to a person: conflicts, entries of one summary, near duplicates, outdated ones.

    `plan` is the dream planned on the snapshot; without one it is planned here. `check` is called
    now and then; what it raises ends the search. Near duplicates come best first. `work` bounds
    what is compared, and says afterwards what was left out: see `stop_sentence`.
    """
    work = work or Work()
    if plan is None:
        plan = plan_dream(snapshot, now_ns=now_ns, check=check)
    gone = {merge.gone_id for merge in plan.merges}
    documents = sorted(snapshot.documents, key=lambda each: each.path)
    everything = {
        entry.id: (document, entry)
        for document in documents
        if document.link is None
        for entry in entries_of(document)
    }
    places = [place for entry_id, place in everything.items() if entry_id not in gone]
    same = [
        Suggestion("same-summary", None, each.reason, tuple(everything[each_id] for each_id in ids))
        for each in plan.unmerged
        if not gone.intersection(ids := (each.kept_id, each.other_id))
    ]
    summaries = [entry.summary for _, entry in places]
    characters = sum(map(len, summaries))
    if characters > _MOST_READ:
        work.most_read = _MOST_READ // len(summaries)
    work.done += min(_READING_WORK * characters, work.most // 2)
    conflicts = list(_conflicts(places, check, work.most_read or None))
    near = list(_near_duplicates(places, check, work))
    return (*conflicts, *same, *near, *_outdated(places, check, work.most_read or None))


def stop_sentence(work: Work) -> str:
    """What `suggest` left out, for a person; empty where it left out nothing."""
    said = []
    if work.left_out:
        noun = "entry was" if work.left_out == 1 else "entries were"
        said.append(
            f"Suggestions stop early: {work.left_out:,} {noun} compared with the likeliest others "
            "at most."
        )
    if work.most_read:
        said.append(
            "Contradictions and outdated words were looked for in the first "
            f"{work.most_read:,} characters of a summary."
        )
    return " ".join(said)


def _conflicts(
    places: Sequence[Place], check: Callable[[], None] | None, most_read: int | None
) -> Iterator[Suggestion]:
    """Within each type the entries that contradict each other."""
    types = sorted({document.type for document, _ in places})
    count = 0
    for kind in types:
        chosen = [place for place in places if place[0].type == kind]
        statements = []
        for _, entry in chosen:
            if check is not None:
                check()
            statements.append(statement_of(entry.summary[:most_read]))
        for left, right, words in contradictions(statements, check):
            yield Suggestion("conflict", None, words, (chosen[left], chosen[right]))
            count += 1
            if count >= MOST_PAIRS:
                return


def _near_duplicates(
    places: Sequence[Place], check: Callable[[], None] | None, work: Work
) -> Iterator[Suggestion]:
    """Entries of any types that say nearly the same, the most alike first."""
    texts = [_compared(place) for place in places]
    words: list[str] = []
    for text in texts:
        if check is not None:
            check()
        words.append(sorted_words(text))
    found = near_pairs(words, 2 * MOST_PAIRS, check=check, work=work)
    count = 0
    for score, left, right in found:
        if count == MOST_PAIRS:
            return
        if not _is_told_elsewhere(places[left], places[right]):
            count += 1
            numbers = _differing_numbers(texts[left], texts[right])
            yield Suggestion("near-duplicate", int(score), numbers, (places[left], places[right]))


def _compared(place: Place) -> str:
    """The description; none, or several entries below it: the summary."""
    document, entry = place
    return entry.summary if entry.index is not None else document.description or entry.summary


def _is_told_elsewhere(one: Place, other: Place) -> bool:
    """True for a conflict, and for entries of one summary, which are merged or told as such."""
    (document, entry), (second, further) = one, other
    if document.type == second.type and fold(entry.summary) == fold(further.summary):
        return not any(each.is_pinned or untouchable(each) for each in (document, second))
    texts = ((entry.summary, further.summary), (_compared(one), _compared(other)))
    return any(opposites(statement_of(left), statement_of(right)) for left, right in texts)


def _differing_numbers(one: str, other: str) -> str:
    """The numbers in which two texts differ, where they differ in nothing else."""
    left, right = fold(one), fold(other)
    if left == right or _NUMBER.sub("#", left) != _NUMBER.sub("#", right):
        return ""
    pairs = zip(_NUMBER.findall(left), _NUMBER.findall(right), strict=True)
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    return ", ".join(" / ".join(pair) for pair in differing)


def _outdated(
    places: Sequence[Place], check: Callable[[], None] | None, most_read: int | None
) -> Iterator[Suggestion]:
    for place in places:
        if check is not None:
            check()
        summary = place[1].summary[:most_read]
        found = _OUTDATED.search(summary)
        word = found[0] if found else temporary_word(summary)
        if word is not None:
            yield Suggestion("outdated", None, word.lower(), (place,))
