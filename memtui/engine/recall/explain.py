"""Points and reasons: why a document stands where it does (spec section 5).

Invariant: `score_points` is the definition of both scorers, token by token over the text of one
document. `scoring.Ranker` reaches the same sums by way of an index, and a test holds it to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from memtui.engine.recall.tokens import normalise
from memtui.engine.text import utf16_cut
from memtui.engine.types import Point, Scorer, TopicDocument

BODY_LIMIT = 1200
"""UTF-16 code units of a trimmed body that `weighted` searches and that is injected."""

NO_ENTRIES = "_No entries yet._"
"""A body that is only this counts as empty."""

BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What the agent trims: the white space of ECMAScript, which is not quite that of `str.strip`."""

KEYWORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "user": frozenset(
            ("user", "preference", "preferences", "background", "role", "terse"),
        ),
        "feedback": frozenset(
            ("feedback", "rule", "rules", "avoid", "style", "summary"),
        ),
        "project": frozenset(
            ("project", "goal", "goals", "incident", "deadline", "release"),
        ),
        "reference": frozenset(
            ("reference", "dashboard", "ticket", "docs", "doc", "link"),
        ),
    }
)
"""Per type, the tokens that speak of it."""

CLASSIC_TEXT_POINTS = 2
CLASSIC_BODY_POINTS = 1
NAME_POINTS = 4
DESCRIPTION_POINTS = 3
BODY_POINTS = 1
KEYWORD_POINTS = 1
WEIGHTED_KEYWORDS_MAX = 2
"""How many keywords `weighted` counts; `classic` counts all."""

UNREADABLE = "unreadable"
UNSEEN = "not seen by this agent version"
UNKNOWN_TYPE = "unknown type"
BEYOND_NEWEST = "beyond the 200 newest"
NO_MATCH = "no token matched"

_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip


def below(injected: int) -> str:
    """The reason of a document that matched, where `injected` better ones were taken.

    `below the fifth` with the agent's own limit; `below the limit` where the limit lets none in.
    """
    if injected <= 0:
        return "below the limit"
    if injected <= len(_ORDINALS):
        return f"below the {_ORDINALS[injected - 1]}"
    return f"below number {injected}"


@dataclass(frozen=True, slots=True)
class WeightedText:
    """The three fields as `weighted` searches them: normalised, the body cut before that."""

    name: str
    description: str
    body: str


def trimmed_body(document: TopicDocument) -> str:
    """The body without the blanks around it; empty where it only says that it has no entries."""
    body = document.body_text.strip(BLANKS)
    return "" if body == NO_ENTRIES else body


def weighted_text(document: TopicDocument) -> WeightedText:
    """The text that `weighted` searches; call it by `document.derive`."""
    return WeightedText(
        normalise(document.name),
        normalise(document.description),
        normalise(utf16_cut(trimmed_body(document), BODY_LIMIT)),
    )


def classic_text(document: TopicDocument) -> str:
    """The text that `classic` searches: type, name, description, body, lower-cased."""
    parts = (document.type, document.name, document.description, trimmed_body(document))
    return " ".join(parts).lower()


def score_points(
    document: TopicDocument, tokens: Sequence[str], scorer: Scorer
) -> tuple[Point, ...]:
    """All points of one document; their sum is its score. No tokens: no points."""
    if not tokens:
        return ()
    if scorer == "classic":
        return tuple(_classic_points(document, tokens))
    return tuple(_weighted_points(document, tokens))


def _classic_points(document: TopicDocument, tokens: Sequence[str]) -> list[Point]:
    text = document.derive(classic_text)
    keywords = KEYWORDS.get(document.type, frozenset())
    points = []
    for token in tokens:
        if token in text:
            points.append(Point(token, "text", CLASSIC_TEXT_POINTS))
        if token in keywords:
            points.append(Point(token, "type", KEYWORD_POINTS))
    if trimmed_body(document):
        points.append(Point("", "body", CLASSIC_BODY_POINTS))
    return points


def _weighted_points(document: TopicDocument, tokens: Sequence[str]) -> list[Point]:
    text = document.derive(weighted_text)
    points = []
    for token in tokens:
        if token in text.name:
            points.append(Point(token, "name", NAME_POINTS))
        if token in text.description:
            points.append(Point(token, "description", DESCRIPTION_POINTS))
        if token in text.body:
            points.append(Point(token, "body", BODY_POINTS))
    if points:
        keywords = KEYWORDS.get(document.type, frozenset())
        spoken = [token for token in tokens if token in keywords]
        points += [Point(token, "type", KEYWORD_POINTS) for token in spoken[:WEIGHTED_KEYWORDS_MAX]]
    return points
