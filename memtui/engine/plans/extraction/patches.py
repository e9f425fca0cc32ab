"""New memories that a session proposes, and which of them are left after the filters.

Owns spec section 8, *patch* and *filters*. Invariant: a patch is in the user's own words and keeps
the sentence that it was made of; whatever is dropped is told with its rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memtui.engine.format.entries import entries_of
from memtui.engine.format.transcript import Message
from memtui.engine.matching import nearest, sorted_words
from memtui.engine.plans.extraction.filters import (
    SHORTEST_SUMMARY,
    is_question,
    is_too_short,
    temporary_word,
)
from memtui.engine.plans.extraction.rules import classify
from memtui.engine.plans.extraction.secrets import looks_secret
from memtui.engine.plans.extraction.slugs import TopicPaths
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import Sentence, sentences
from memtui.engine.plans.extraction.topic_file import one_line, topic_file
from memtui.engine.text import fold, proposal_digest
from memtui.engine.types import Entry, MemoryType, Scope, Snapshot, TopicDocument

TOO_SHORT = f"shorter than {SHORTEST_SUMMARY} characters"
QUESTION = "a question"
SAID_BEFORE = "said before"
REJECTED_BEFORE = "rejected before"
IN_THE_INBOX = "in the inbox already"
SECRET = "looks like a secret"

_FULL_STOPS = (".", "。", "．", "｡")


class Source(NamedTuple):
    """Where a patch is from."""

    session: str
    """The session's ID."""
    message: int
    """The message's number in the history of the session's file, 0-based."""
    quote: str
    """The sentence as it stands in the message."""


@dataclass(frozen=True, slots=True)
class Patch:
    """One new memory that is proposed."""

    type: MemoryType
    summary: str
    why: str | None
    how_to_apply: str | None
    source: Source
    rule: str
    """What found it, for a person to read."""
    path: str = ""
    """Of the new file, relative to the memory directory; empty before `sift`."""
    near_duplicate_of: str | None = None
    """The ID of the entry that says nearly the same, with its scope where that is another."""
    selected: bool = True
    """Whether it is written where no one chooses."""

    @property
    def digest(self) -> str:
        """By which it is known again once it was rejected; see `proposal_digest`."""
        return proposal_digest(self.type, self.summary)


class Dropped(NamedTuple):
    """A statement that becomes no patch."""

    summary: str
    rule: str
    """Why, in a few words."""
    quote: str
    message: int
    """As in `Source`."""


def find_patches(messages: Iterable[Message], session: str) -> tuple[Patch, ...]:
    """What the rules find in the messages that a person typed, in their order.

    `session` is the ID of the session. Nothing is filtered yet: see `sift`.
    """
    return tuple(
        patch
        for message in messages
        if message.role == "user" and message.is_typed
        for patch in _patches_of(message, session)
    )


def _patches_of(message: Message, session: str) -> Iterator[Patch]:
    for sentence in sentences(message.text):
        statement = classify(sentence) or _passing(sentence)
        if statement is None:
            continue
        summary = one_line(statement.summary)
        if summary:
            yield Patch(
                type=statement.type,
                summary=summary,
                why=one_line(statement.why or "") or None,
                how_to_apply=one_line(statement.how_to_apply or "") or None,
                source=Source(session, message.number, sentence.quote),
                rule=statement.rule,
            )


def _passing(sentence: Sentence) -> Statement | None:
    """What would be durable but for its question mark or a temporary word: dropped by that rule."""
    text, word = sentence.text, temporary_word(sentence.text)
    lasting = text.rstrip("?？ ") if is_question(text) else text
    if word is not None:
        lasting = " ".join(lasting.replace(word, " ").split())
    if lasting == text:
        return None
    found = classify(sentence._replace(text=lasting))
    return None if found is None else found._replace(summary=text)


def sift(
    patches: Iterable[Patch],
    snapshots: Sequence[Snapshot],
    rejected: Collection[str],
    pending: Collection[str] = (),
) -> tuple[tuple[Patch, ...], tuple[Dropped, ...]]:
    """The patches that pass the filters of spec section 8, and those that do not, with the rule.

    `snapshots` are the stores whose entries count, first the one that new files go to; `rejected`
    are the digests of patches that were discarded or undone, `pending` of those that wait in the
    inbox. A patch that is kept gets a path that is free there; where an entry says nearly the same
    it names that entry and is not selected.
    """
    known = _KnownEntries(snapshots)
    paths = TopicPaths(snapshots[0])
    rejected, pending = frozenset(rejected), frozenset(pending)
    kept: list[Patch] = []
    dropped: list[Dropped] = []
    said: set[str] = set()
    for patch in patches:
        digest = patch.digest
        rule = _filtered_by(patch)
        if rule is None:
            if digest in said:
                rule = SAID_BEFORE
            elif (same := known.same(patch)) is not None:
                rule = f"in the store already: {same}"
            elif digest in rejected:
                rule = REJECTED_BEFORE
            elif digest in pending:
                rule = IN_THE_INBOX
            said.add(digest)
        if rule is not None:
            source = patch.source
            dropped.append(Dropped(patch.summary, rule, source.quote, source.message))
            continue
        near = known.near(patch.summary)
        path = paths.give(patch.type, patch.summary)
        selected = patch.selected and near is None
        kept.append(replace(patch, path=path, near_duplicate_of=near, selected=selected))
    return tuple(kept), tuple(dropped)


def _filtered_by(patch: Patch) -> str | None:
    """The rule that drops a patch for its own words, or None."""
    summary = patch.summary
    if is_too_short(summary):
        return TOO_SHORT
    if is_question(summary):
        return QUESTION
    if any(map(looks_secret, (summary, patch.why or "", patch.how_to_apply or ""))):
        return SECRET
    word = temporary_word(summary)
    return None if word is None else f"a temporary word: {word.lower()}"


def topic_bytes(patch: Patch) -> bytes:
    """The file that `patch` becomes: frontmatter, summary, reasons (spec section 3).

    Raises `ValueError` for a summary without anything to be seen.
    """
    return topic_file(patch.type, patch.summary, patch.why, patch.how_to_apply)


class _KnownEntries:
    """What the stores say already; what is compared is made when it is first asked for."""

    def __init__(self, snapshots: Sequence[Snapshot]) -> None:
        self._snapshots = snapshots
        self._scope: Scope = snapshots[0].store.scope
        self._same: dict[tuple[str, str], Entry] | None = None
        self._texts: list[str] = []
        self._owners: list[Entry] | None = None

    def same(self, patch: Patch) -> str | None:
        """The ID of an entry of the same type and summary, a final full stop aside."""
        if self._same is None:
            self._same = {}
            for document in self._documents():
                for summary, entry in document.derive(_summaries):
                    self._same.setdefault((document.type, summary), entry)
        found = self._same.get((patch.type, _without_full_stop(fold(patch.summary))))
        return None if found is None else self._id(found)

    def near(self, summary: str) -> str | None:
        """The ID of the entry that is most like `summary`, where that is a near duplicate."""
        if self._owners is None:
            self._owners = []
            for document in self._documents():
                for text, entry in document.derive(_comparable):
                    self._texts.append(text)
                    self._owners.append(entry)
        found = nearest(sorted_words(summary), self._texts)
        return None if found is None else self._id(self._owners[found[0]])

    def _documents(self) -> Iterator[TopicDocument]:
        return (document for snapshot in self._snapshots for document in snapshot.documents)

    def _id(self, entry: Entry) -> str:
        return entry.id if entry.scope == self._scope else f"{entry.scope}:{entry.id}"


def _without_full_stop(folded: str) -> str:
    return folded[:-1].rstrip() if folded.endswith(_FULL_STOPS) else folded


def _summaries(document: TopicDocument) -> tuple[tuple[str, Entry], ...]:
    return tuple((_without_full_stop(fold(entry.summary)), entry) for entry in entries_of(document))


def _comparable(document: TopicDocument) -> tuple[tuple[str, Entry], ...]:
    """The texts by which an entry is known: its summary, and the description of a file of one."""
    entries = entries_of(document)
    texts = [(sorted_words(entry.summary), entry) for entry in entries]
    if document.description and len(entries) == 1:
        description = sorted_words(document.description)
        if description != texts[0][0]:
            texts.append((description, entries[0]))
    return tuple(texts)
