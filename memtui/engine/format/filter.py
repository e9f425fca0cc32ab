"""The filter of the list of memories: free words and terms such as `type:feedback age>30`.

Invariant: any text is a filter. A term that is not complete (`type:`, `age>`) or not known holds
nothing back or is a word like any other, so that no key stroke on the way to a term empties the
list.

| term | keeps documents |
|---|---|
| `word`, `"two words"` | with it in name, description, path or body, folded; all of them |
| `type:feedback` | of a type that begins so; several: of any of them |
| `scope:user` | of a scope that begins so; several: of any of them |
| `path:style` | with that in their path |
| `age>30` `age<7` `age>=30` `age<=7` `age=0` | by whole days since mtime |
| `seen:no` `seen:yes` | that an agent skips, or that none does |
| `pinned:yes` `pinned:no` | below `pinned/` |
| `problem:yes` `problem:no` | with something wrong in the file |

A `-` before a term or word turns it around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.engine.text import fold
from memtui.engine.types import SCOPES, Scope, Snapshot, TopicDocument, Verdict

DAY_NS = 86_400_000_000_000

_TOKEN = re.compile(r'-?(?:\w+:)?"[^"]*"?|\S+')
_AGE = re.compile(r"age(>=|<=|>|<|=|:)([0-9]{0,9})d?", re.IGNORECASE)
_OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}

Flag = Literal["seen", "pinned", "problem"]
_FLAGS: tuple[Flag, ...] = ("seen", "pinned", "problem")


@dataclass(frozen=True, slots=True)
class Filter:
    """What a document must have and must not have; all folded. Empty: every document fits."""

    words: tuple[str, ...] = ()
    not_words: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    not_scopes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    min_age_days: int = 0
    """Whole days."""
    max_age_days: int | None = None
    not_age_days: tuple[int, ...] = ()
    flags: tuple[tuple[Flag, bool], ...] = ()

    @property
    def has_terms(self) -> bool:
        """True where it asks for more than words."""
        return self != Filter(words=self.words, not_words=self.not_words)

    def matches_text(self, folded: str) -> bool:
        """True where a text that is no document fits: terms fit none, words are looked up."""
        return not self.has_terms and self._has_words(folded)

    def matches(self, document: TopicDocument, verdict: Verdict | None, now_ns: int) -> bool:
        """True where `document` fits at the time `now_ns`; no `verdict` counts as seen."""
        return (not self.has_terms or self._fits_terms(document, verdict, now_ns)) and (
            not (self.words or self.not_words) or self._has_words(document.derive(search_text))
        )

    def _has_words(self, folded: str) -> bool:
        for word in self.words:
            if word not in folded:
                return False
        return not any(word in folded for word in self.not_words)

    def _fits_terms(self, document: TopicDocument, verdict: Verdict | None, now_ns: int) -> bool:
        age_days = max(0, now_ns - document.mtime_ns) // DAY_NS
        if age_days < self.min_age_days or age_days in self.not_age_days:
            return False
        if self.max_age_days is not None and age_days > self.max_age_days:
            return False
        if not _begins(document.scope, self.scopes, self.not_scopes):
            return False
        if (self.types or self.not_types) and not _begins(
            fold(document.type), self.types, self.not_types
        ):
            return False
        if self.paths or self.not_paths:
            path = fold(document.path)
            if not all(part in path for part in self.paths):
                return False
            if any(part in path for part in self.not_paths):
                return False
        return all(_has_flag(document, verdict, flag) is wanted for flag, wanted in self.flags)


def parse_filter(text: str) -> Filter:
    """Read what a user typed; any text is a filter (see the table of the module)."""
    reader = _Reader()
    for token in _TOKEN.findall(text):
        reader.take(token)
    return reader.filter()


def filter_documents(
    snapshots: Sequence[Snapshot],
    wanted: Filter,
    verdicts: Mapping[Scope, Mapping[str, Verdict]],
    now_ns: int,
) -> list[TopicDocument]:
    """The documents that fit, in the order of the snapshots and of their scans."""
    found: list[TopicDocument] = []
    has_terms, has_words = wanted.has_terms, bool(wanted.words or wanted.not_words)
    for snapshot in snapshots:
        documents: Iterable[TopicDocument] = snapshot.documents
        if has_terms:
            of_scope = verdicts.get(snapshot.store.scope, {})
            documents = [
                document
                for document in documents
                if wanted._fits_terms(document, of_scope.get(document.path), now_ns)
            ]
        if has_words:
            documents = (
                document
                for document in documents
                if wanted._has_words(document.derive(search_text))
            )
        found += documents
    return found


def search_text(document: TopicDocument) -> str:
    """Name, description, path and body, each folded, one a line; derive it, it takes long."""
    return "\n".join(
        (
            fold(document.name),
            fold(document.description),
            fold(document.path),
            fold(document.body_text),
        )
    )


def _begins(text: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> bool:
    return (not wanted or text.startswith(wanted)) and not (unwanted and text.startswith(unwanted))


def _has_flag(document: TopicDocument, verdict: Verdict | None, flag: Flag) -> bool:
    if flag == "pinned":
        return document.is_pinned
    if flag == "problem":
        return bool(document.problems)
    return verdict is None or not verdict.skipped_by


class _Reader:
    """Collects the terms of a filter, one token after the other."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._flags: list[tuple[Flag, bool]] = []
        self._min_age_days = 0
        self._max_age_days: int | None = None
        self._not_age_days: list[int] = []

    def take(self, token: str) -> None:
        """Take one token, with its quotes and its `-`."""
        is_turned = token.startswith("-")
        term = token[1:] if is_turned else token
        age = _AGE.fullmatch(term)
        if age:
            if age[2]:
                self._take_age(age[1], int(age[2]), is_turned)
            return
        key, colon, value = term.partition(":")
        if not colon or not self._take_term(key.lower(), _unquoted(value), is_turned):
            self._add("words", _unquoted(term), is_turned)

    def filter(self) -> Filter:
        """What was collected."""
        texts = {name: tuple(dict.fromkeys(values)) for name, values in self._texts.items()}
        return Filter(
            **texts,
            min_age_days=self._min_age_days,
            max_age_days=self._max_age_days,
            not_age_days=tuple(self._not_age_days),
            flags=tuple(self._flags),
        )

    def _take_term(self, key: str, value: str, is_turned: bool) -> bool:
        """False where this is no term, but a word with a colon."""
        if key in ("type", "path"):
            self._add(f"{key}s", value, is_turned)
            return True
        if key == "scope":
            is_known = any(scope.startswith(value.lower()) for scope in SCOPES)
            if is_known:
                self._add("scopes", value, is_turned)
            return is_known
        flag = next((flag for flag in _FLAGS if flag == key), None)
        answer = next((word for word in ("yes", "no") if word.startswith(value.lower())), None)
        if flag is None or answer is None:
            return False
        if value:
            self._flags.append((flag, (answer == "yes") is not is_turned))
        return True

    def _take_age(self, sign: str, days: int, is_turned: bool) -> None:
        if is_turned and sign not in _OPPOSITE:
            self._not_age_days.append(days)
            return
        if is_turned:
            sign = _OPPOSITE[sign]
        if sign not in ("<", "<="):
            self._min_age_days = max(self._min_age_days, days + (sign == ">"))
        if sign not in (">", ">="):
            limit = days - (sign == "<")
            known = self._max_age_days
            self._max_age_days = limit if known is None else min(known, limit)

    def _add(self, name: str, text: str, is_turned: bool) -> None:
        folded = fold(text)
        if folded:
            self._texts.setdefault(f"not_{name}" if is_turned else name, []).append(folded)


def _unquoted(text: str) -> str:
    return text[1:].removesuffix('"') if text.startswith('"') else text
