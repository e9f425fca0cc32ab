"""Which two statements contradict each other, by their words (spec sections 9 and 13).

Invariant: a contradiction needs a subject that both name, and words that are opposites: always and
never, terse and detailed, in English, Chinese, Japanese or Russian. It is a hint for a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.engine.matching import words_of
from memtui.engine.text import fold

Opposites = Literal["always / never", "terse / detailed"]
_Kind = tuple[bool, bool, bool]


def _pattern(*alternatives: str) -> re.Pattern[str]:
    """A pattern for folded text; its words are folded too."""
    return re.compile(fold("|".join(alternatives)))


_NEVER = _pattern(
    r"\b(?:never|don['’]?t|do not|doesn['’]?t|does not|avoid(?:ing)?|must not|mustn['’]?t"
    r"|should not|shouldn['’]?t|cannot|can['’]?t|stop|no longer|forbidden|banned)\b",
    r"\bnot allowed\b|^no\b",
    r"从不|从来不|永不|永远不|绝不|决不|不要|禁止|不得|不能|不准|不许|不应|不可|不用|避免|切勿|请勿|别",
    r"決して|しない|使わない|ないで|ないこと|べきではない|禁止|避け|やめ|不可|なし(?:で|に)|ません"
    r"|ない(?=[。、.,\s]|$)",
    r"\b(?:никогда|нельзя|не надо|не нужно|не следует|запре\w+|избега\w+|не)\b",
)
_ALWAYS = _pattern(
    r"\b(?:always|must|every time|each time|prefer|make sure|be sure to)\b",
    r"总是|始终|一定|必须|务必|每次|一律|都要|永远|尽量|优先",
    r"必ず|常に|いつも|毎回|絶対に|優先",
    r"\b(?:всегда|обязательно|каждый раз|непременно|должн\w+|лучше|предпочита\w+)\b",
)
_TERSE = _pattern(
    r"\b(?:terse|terser|short|shorter|brief|briefly|concise|concisely|succinct|succinctly|compact"
    r"|one[- ]?liners?|laconic)\b",
    r"简洁|简短|精简|简明|扼要|短一点",
    r"簡潔|短く|手短|短い|端的",
    r"\b(?:кратк\w*|коротк\w*|лаконичн\w*|сжат\w*|покороче)\b",
)
_DETAILED = _pattern(
    r"\b(?:detailed|verbose|long|longer|thorough|thoroughly|in (?:full )?detail|details|elaborate"
    r"|comprehensive|extensive|at length|lengthy)\b",
    r"详细|详尽|冗长|长篇|详述|细致",
    r"詳しく|詳細|長く|丁寧|冗長|長い",
    r"\b(?:подробн\w*|детальн\w*|развёрнут\w*|длинн\w*|многослов\w*|обстоятельн\w*)\b",
)
_STOP_WORDS = frozenset(
    fold(
        "the a an of to in on at for with and or is are be as by from into it its this that these"
        " those you your our my we i they them their use uses using used when while if then than"
        " before after each every all any some only also just first do does done make makes keep"
        " write give get go put set have has not no yes please want wants need needs should would"
        " can will so but more most very new instead without per about there here user i'm"
        " в на по с и а но не ни для из к от до при после перед это этот эта эти как что чтобы"
        " если то же ли бы или все всё каждый каждая каждое каждого каждой каждом использовать"
        " используй используйте делать делай писать пиши пользователь нужно надо я мы он она они"
    ).split()
)
_HIRAGANA = re.compile("[\u3040-\u309f]")
"""Grammar, mostly: what is about something is written in kanji or katakana."""
_SUFFIXES = ("ing", "ed", "es", "s", "e")
_ENGLISH_STEM = 6
_OTHER_STEM = 5
_CHECKED = 1_000
_COMMON = 500
"""A word in more statements than that is no subject."""
_MIN_OVERLAP = 0.5
"""So much of the shorter statement's words the other must have too."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says of doing or not doing, and how long; made once per text."""

    subject: frozenset[str]
    """Stems of its words, pairs of CJK characters; without those that make opposites."""
    head: str
    """The first of them in the text."""
    is_never: bool
    is_always: bool
    is_terse: bool
    is_detailed: bool

    @property
    def has_tone(self) -> bool:
        """True where it asks for short or for long."""
        return self.is_terse is not self.is_detailed


def statement_of(text: str) -> Statement:
    """Take a text apart."""
    folded = fold(text)
    is_never = _NEVER.search(folded) is not None
    is_terse, is_detailed = bool(_TERSE.search(folded)), bool(_DETAILED.search(folded))
    bare = folded
    for pattern in (_NEVER, _ALWAYS, _TERSE, _DETAILED):
        bare = pattern.sub(" ", bare)
    stems = list(_stems(bare))
    if is_never:
        # Not to be verbose is to be terse.
        is_terse, is_detailed = is_detailed, is_terse
    return Statement(
        frozenset(stems),
        stems[0] if stems else "",
        is_never,
        not is_never and _ALWAYS.search(folded) is not None,
        is_terse,
        is_detailed,
    )


def opposites(one: Statement, other: Statement) -> Opposites | None:
    """In what the two contradict each other; None where they do not.

    A plain demand counts as `always` where it begins with the very word that must never be done.
    """
    words = _opposite_words(one, other)
    if words is None:
        return None
    shared = len(one.subject & other.subject)
    if shared < _MIN_OVERLAP * min(len(one.subject), len(other.subject)) or not shared:
        return None
    return words


def _kind(statement: Statement) -> _Kind:
    """Whether it asks for a length, for a short one, and forbids."""
    return statement.has_tone, statement.has_tone and statement.is_terse, statement.is_never


def _may_oppose(one: _Kind, other: _Kind) -> bool:
    """False where no two statements of these kinds are opposites."""
    return one[1] is not other[1] if one[0] and other[0] else one[2] is not other[2]


def _opposite_words(one: Statement, other: Statement) -> Opposites | None:
    if one.has_tone and other.has_tone:
        return "terse / detailed" if one.is_terse is not other.is_terse else None
    if one.is_never is other.is_never:
        return None
    demand = other if one.is_never else one
    if demand.is_always or one.head == other.head:
        return "always / never"
    return None


def contradictions(
    statements: Sequence[Statement], check: Callable[[], None] | None = None
) -> Iterator[tuple[int, int, Opposites]]:
    """The places of every two statements that contradict each other, the lower first.

    `check` is called now and then; what it raises ends the search.
    """
    postings: dict[str, list[int]] = {}
    kinds: dict[_Kind, set[int]] = {}
    opposed: dict[_Kind, set[int]] = {}
    for place, statement in enumerate(statements):
        kinds.setdefault(_kind(statement), set()).add(place)
        for stem in statement.subject:
            postings.setdefault(stem, []).append(place)
    for place, statement in enumerate(statements):
        if check is not None:
            check()
        if not (statement.is_never or statement.has_tone):
            continue
        near: set[int] = set()
        for stem in statement.subject:
            if len(postings[stem]) <= _COMMON:
                near.update(postings[stem])
        kind = _kind(statement)
        if kind not in opposed:
            opposed[kind] = {
                each for other, them in kinds.items() if _may_oppose(kind, other) for each in them
            }
        for count, other in enumerate(sorted(near & opposed[kind])):
            if check is not None and not (count + 1) % _CHECKED:
                check()
            second = statements[other]
            is_asked_twice = other <= place and (second.is_never or second.has_tone)
            if other == place or is_asked_twice:
                continue
            found = opposites(statement, second)
            if found is not None:
                yield min(place, other), max(place, other), found


def _stems(folded: str) -> Iterator[str]:
    for units in words_of(folded):
        for unit in units:
            if unit not in _STOP_WORDS and not _HIRAGANA.search(unit):
                yield _stem(unit)


def _stem(word: str) -> str:
    """The word without its ending, roughly: enough to know `commits` for `commit`."""
    if not word.isascii():
        return word[:_OTHER_STEM]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:_ENGLISH_STEM]
