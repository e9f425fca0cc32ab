"""Weighs the small signs of a lasting statement in English where no family knows its wording.

Invariant: one sign is never enough; what the refusals drop isn't weighed at all.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_words import (
    DAY,
    DEV_ARTEFACTS,
    HOW_VERBS,
    MONTH,
    pattern,
)

ENOUGH = 2
"""Signs that make a statement."""

_PERSON = (
    pattern(
        r"^(?:i|we)(?: [a-z]+ly| never| always| often| still| only| mostly|"
        r" sometimes)? (?!(?:have|had|need|want|get|got|think|thought|see|saw|am|was|found|"
        r"believe|guess|suppose|did|went|made|took|just|will|would|could|can't|should|must|"
        r"don't|put|ran|tried|hope|mean|meant|agree|wonder|wish|love|bet|miss|said|told|call|"
        r"send|might|may|do|shall|could|was|were|lost|won|fixed|also|left|set|let|cut|read|hit|"
        r"moved|added)\b)[a-z]{3,}\b(?<!ed)",
        r"^(?:half |partly |mostly |native |ex-|former |trained |fluent |[a-z]+ (?:user|speaker|"
        r"person|guy|dev|by training|by trade|since \d))",
        r"^my (?:maths?|math|spelling|grammar|reading|typing|memory|attention|knowledge|skills?|"
        r"brain|hearing|sight|eyes?|hands?|sleep|week|day|mornings?|evenings?|boss|company|job|"
        r"team|first|main|own)\b",
    ),
    pattern(
        r"[,;:] so (?:please )?(?:keep|skip|explain|go easy|give|no need|use|leave|plan|spell|"
        r"don't|anything|any|no|i'd|i (?:need|like|read|can)|short|long|big|small|assume|talk|"
        r"write|stick|not)\b",
        r"\b(?:need words|plan the work|don't expect me|explain (?:it|things) to me|just fix it|"
        r"bear with me|no need to explain)\b",
    ),
    pattern(
        r"\bi (?:come from|grew up|was trained|learned to|learnt to)\b|\bi(?:'m|"
        r" am) (?:an? )?[a-z]+"
    ),
)
_MANNER = (
    pattern(
        rf"^(?:please |pls )*(?:{HOW_VERBS}|wait|show|warn|ask|avoid)\b(?! (?:me )?(?:the|this|"
        rf"that|it|them|a|an|three|two)\b)"
    ),
    pattern(
        r"[,;:–—-] (?:and )?(?:not|never|rather than|instead of|don't|no) [\w.'-]+",
        r"\b(?:rather than|instead of|and not|but not)\b",
    ),
    pattern(
        r"[,;] (?:otherwise|because|since|it took|it costs?|it breaks?|it's noise|nobody|people|"
        r"they|our [\w-]+|the [\w-]+ (?:is|are|will|can't|chokes?|breaks?|hates?))\b"
    ),
    pattern(
        r"\b(?:no exceptions?|be consistent|stay [\w-]+s\b|as (?:many|much|long|short|few) as|"
        r"the (?:less|fewer|shorter|simpler|more) .* the better|spot on|is out\b|are out\b|"
        r"pick one|by me|my okay|my ok)\b"
    ),
    pattern(r"^(?:yes|right|exactly|perfect)[,:].*\bkeep\b"),
    pattern(
        rf"^(?:all |every |each |any |our |long |short |public |"
        rf"no )*(?:[\w-]+ )?{DEV_ARTEFACTS}(?: [\w-]+){{0,3}}? (?:is|are|stays?|means?|uses?|"
        rf"goes|go|follows?|never|always|only|aren't|isn't|don't|do not|needs?)\b"
    ),
    pattern(
        r"^you (?:can|may|don't need|needn't|shouldn't)\b|\b(?:but|and) (?:main|master|prod|"
        r"production|the [\w-]+) (?:is|stays) (?:mine|off)"
    ),
)
_AFFAIRS = (
    pattern(
        r"\b(?:(?:our|two|three|some|big|paying|enterprise|hospital|bank|pilot) (?:customers?|"
        r"clients?)|legal|lawyers?|the board|auditors?|nda|contract|vendor|budget|insurers?|"
        r"compliance|grant|university|agency|ministry|hospital|partners?|investors?|"
        r"licen[cs]es?|regulators?|certification|cert|tender|sponsor|works council|union|"
        r"headcount|company policy)\b"
    ),
    pattern(
        rf"\b(?:until|per|a|every|each) (?:month|year|quarter|week|{MONTH})|\b(?:from|until|by|"
        rf"since|in|mid-|between) {MONTH}|\b(?:afterwards|from then on|no longer|any longer|"
        rf"not one more|stays alive|carry on with|got (?:killed|axed|approved|cancelled|"
        rf"canceled|bought|signed))\b|\bon {DAY}s\b"
    ),
    pattern(
        r"\b(?:must|may not|may leave|has to|have to|can't|cannot|only|nothing|nobody|no one|"
        r"everything|everyone else)\b"
    ),
    pattern(
        r"\b(?:release|version|phase|milestone|v)\s?\d+(?:\.\d+)* is the\b|^(?:the|"
        r"our) [\w -]{3,40} (?:is|are|belongs?|stays?|moves?|ends?) (?:shared|owned|paid|funded|"
        r"limited|outsourced|promised|under|to|with)\b"
    ),
    pattern(
        r"\bwe(?:'ve got| have| get)? (?:only |exactly )?\d+ \w+|\bwe(?:'re| are) under\b|"
        r"\bbelongs? to\b"
    ),
)
_WEIGHED: Families = (
    Family("about the user", "user", _PERSON[0]),
    Family("way of working", "feedback", _MANNER[0]),
    Family("fact of the project", "project", _AFFAIRS[0]),
)


def weighed(text: str) -> Family | None:
    """The family for which enough signs speak, the one with the most; None where none has them."""
    signs = [
        sum(sign.search(text) is not None for sign in group)
        for group in (_PERSON, _MANNER, _AFFAIRS)
    ]
    most = max(signs)
    return _WEIGHED[signs.index(most)] if most >= ENOUGH else None
