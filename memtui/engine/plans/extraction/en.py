"""The English rules: which sentences of a developer are durable, and their type (spec section 8).

Invariant: a sentence that could be about the work at hand yields nothing; precision goes before
recall. Nothing here is slower than linear in the sentence, and a long one is not read at all.
"""

from __future__ import annotations

import re

from memtui.engine.plans.extraction.en_evidence import weighed
from memtui.engine.plans.extraction.en_facts import PROJECT, REFERENCE, USER
from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_feedback import FEEDBACK, SURE_FEEDBACK
from memtui.engine.plans.extraction.en_refusals import (
    is_about_one_thing,
    is_definite,
    is_refused,
    is_status,
    is_task,
)
from memtui.engine.plans.extraction.en_sure import SURE
from memtui.engine.plans.extraction.en_words import VERBS
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import LONGEST_SENTENCE

_LEAD = re.compile(
    r"(?:(?:ok(?:ay)?|alright|for (?:the love of god|god's sake|heaven's sake)|seriously|"
    r"as (?:i )?said|listen|so|also|and|but|oh|hey|hi|well|btw|by the way|fyi|one more thing|"
    r"another thing|(?:just )?(?:a )?heads[- ]up|reminder|nb|ps|p\.s\.|for the record|"
    r"general(?:ly)?(?: speaking)?|please note|note|(?:please )?(?:remember|keep in mind|"
    r"bear in mind|be aware|be advised|don't forget|make a note|note|save to memory|memori[sz]e|"
    r"write down|for your memory|know)|just so you know|important|context|background|"
    r"as a (?:general )?rule|rule(?: of thumb)?|for future reference)(?: that\b|[,:;!.]+|"
    r" [-–—]+|(?<=mind)|(?<=remember)(?= (?:i|we|my|our|always|never|don't)\b)|(?<=so)|(?<=god)|"
    r"(?<=sake)|(?<=seriously)|(?<=also)|(?<=and)|(?<=but)|(?<=ok)|(?<=okay)|(?<=btw)|(?<=fyi)|"
    r"(?<=oh)|(?<=hey)|(?<=well))\s+)+",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:(?:could|can|would|will) you (?:please )?(?=(?:always|never|stop|not|avoid|"
    r"from now on)\b)|i(?:'d| would) (?:like|want) you to (?=(?:always|never|stop|avoid)\b)|"
    r"(?:please|pls|plz|kindly),? |(?:don't forget to|remember to) )+",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"(?:from now on(?:wards?)?|going forward|in (?:the )?future|from here on(?: out)?|"
    r"henceforth),?\s+",
    re.IGNORECASE,
)
_NAME = (
    r"(?:[A-Z][a-z\u00c0-\u024f]+|[A-Z][a-z]+ [A-Z][a-z]+|[Tt]he [\w-]+ (?:team|squad|group|"
    r"guild)|DevOps|QA|SRE)"
)
_NOT_A_NAME = (
    r"(?!(?:It|This|That|There|He|She|They|We|You|Nobody|Everyone|Nothing|Everything|What|Which|"
    r"Who|Whoever|The|Each|Every|Code|Python|Docker|Git|React|Rust|Java|Swift|Kotlin|Postgres|"
    r"Redis|Kafka|Django|Rails|Node)\b)"
)
_OWNER = re.compile(
    rf"\b{_NAME} and {_NAME} (?:own|maintain|handle|run|review|do|approve|look after|share)\b|"
    rf"\b(?:is|are) outsourced\b|\b{_NOT_A_NAME}{_NAME}(?:,? (?:who|also|now|already|still|only|"
    rf"alone))? (?:owns|maintains|handles|looks after|takes (?:over|care)|signs off|approves|"
    rf"runs the|leads|heads|is (?:responsible|in charge|the (?:only|one|person|lead|owner|"
    rf"contact|maintainer|on-?call|po|product owner|release manager)|our|on (?:leave|vacation|"
    rf"parental))|is the one|does (?:the|all|our)|reviews (?:all|every|anything|everything)|"
    rf"has the (?:keys|final|last)|decides|joins|leaves|coordinates|manages|covers|owns|"
    rf"writes the|keeps the|supervises)\b|\b(?:[Nn]obody but|[Nn]o one but|[Nn]o one except|"
    rf"[Oo]nly|[Nn]obody except) {_NAME} (?:[\w-]+ ){{0,5}}?(?:may|can|is|has|gets|knows|"
    rf"signs)\b|\b(?:owned|maintained|handled|run|approved|reviewed|"
    rf"signed off) by {_NOT_A_NAME}{_NAME}|\b(?:go|goes|belongs?|report|"
    rf"reports?) to {_NOT_A_NAME}{_NAME}\b|\b(?:[Aa]sk|[Pp]ing|[Tt]alk to|[Cc]ontact|"
    rf"[Cc]heck with|[Tt]ell) {_NOT_A_NAME}{_NAME} (?:about|before|for|if|when|first)\b"
)
_PLACE = re.compile(
    r"\b(?:is|are|sits?|lives?|lands?|kept|stored|go(?:es)?|tracked|filed|documented|hosted|"
    r"archived|"
    r"published|managed|collected|logged|recorded|posted|scanned|found) (?:\w+ )?(?:in|on|at|to) "
    r"(?:the |a |our )?[A-Z]\w+(?: [A-Z]\w+)*,? (?:under|page|space|folder|project|file|board|"
    r"list|room|"
    r"channel|called|named)\b"
    r"|\b(?:tracked|filed|documented|hosted|stored|archived|published|managed|collected|"
    r"logged) (?:in|on|at) "
    r"(?!C\b|Python|Go\b|Rust|Java|English|German|French|Markdown|January|February|March|April|"
    r"May|June|July"
    r"|August|September|October|November|December)[A-Z]\w+(?:$|[,.;])"
    r"|\b(?:[Ii]n|[Oo]n) (?:the )?[A-Z]\w+ (?:under|at) [\"/]"
)
_PLACE_FAMILY = Family(
    "where things are", "reference", _PLACE, may_be_specific=False, may_be_task=False
)
_OWNER_FAMILY = Family("who does what", "project", _OWNER, may_be_specific=False, may_be_task=True)

# In the order of the hints of spec section 8: a link, a preference, behaviour, then facts; the
# looser wordings of behaviour come last.
_FIRST: Families = REFERENCE + SURE + USER + SURE_FEEDBACK
_LAST: Families = PROJECT + FEEDBACK

_WHY = re.compile(
    r"(?:,|;| [-–—]+|\.|)\s+(?P<why>(?:because|since(?! (?:\d|(?:the|our) [\w-]+ (?:outage|"
    r"breach|incident|attack|audit)|then|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|last|we (?:started|moved))\b)|otherwise|or else|"
    r"so that|due to|given that)\s+.{4,})$",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"(?:because|since|given that|due to)\s+", re.IGNORECASE)
_REASON_CLAUSE = re.compile(
    r"[,;] (?:because|since|otherwise|or|the|our|half|nobody|no one|they|people|some|most|it's|"
    r"we're|i'm|it|we)\b.*"
)
_REASON = re.compile(
    r"^(?:because|since|otherwise|or else|that's because|the reason|reason:|that way|this way|"
    r"last (?:time|year|month|week)|it (?:makes?|keeps?|breaks?|takes?|costs?|helps?|confuses?|"
    r"saves?|clutters?|looks?)|they (?:make|break|cost|confuse)|(?:our|"
    r"the) [\w -]{2,40}? (?:chokes?|breaks?|needs?|can't|cannot|won't|fails?|depends?|parses?|"
    r"rejects?|hates?|loses)|(?:half|most|some|none|two|nobody|people|reviewers|customers|"
    r"users)\b|too (?:many|much)\b|we (?:got|had|lost|were|ship))",
    re.IGNORECASE,
)
_ORDER = re.compile(rf"(?:{VERBS}|don't|dont|do not|use|no,)\b")
_LASTING = re.compile(
    r"\b(?:always|never|ever|every|each|any ?time|from now on|whenever|in general)\b"
)
_APPLY = re.compile(
    rf"^(?:please )?(?:{VERBS}\b(?! (?:it|that) (?:now|again))|if you|when you|if in doubt|"
    rf"instead\b|in that case|unless)",
    re.IGNORECASE,
)
_FINAL = re.compile(r"[\s.!;,:–—-]+$")
_SMART = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def classify(text: str, following: str = "") -> Statement | None:
    """The durable statement in one English sentence, or None.

    `following` is the next sentence of the paragraph; it may give the reason or the application.
    """
    if len(text) > LONGEST_SENTENCE:
        return None
    spoken = prepared(text)
    family = _family(spoken)
    if family is None:
        return None
    summary, why = _split_reason(spoken)
    how = None
    following = following.strip()
    if following and len(following) <= LONGEST_SENTENCE and not following.endswith(("?", ":")):
        if why is None and _REASON.match(following):
            why = _reason(following)
        elif family.type == "feedback" and _APPLY.match(following):
            how = _FINAL.sub("", following)
    return Statement(family.type, _summary(summary), why, how, family.rule)


def is_continuation(text: str, preceding: str) -> bool:
    """Whether a sentence only serves the one before it.

    It gives the reason for what is kept there already, or it goes on with a request for one piece
    of work ("Rewrite only this function. Don't add parameters").
    """
    if len(text) > LONGEST_SENTENCE or len(preceding) > LONGEST_SENTENCE:
        return False
    before, spoken = prepared(preceding).lower(), prepared(text)
    if _family(prepared(preceding)) is not None:
        return _REASON.match(spoken) is not None
    is_request = is_task(before) or (
        _ORDER.match(before) is not None and is_about_one_thing(before)
    )
    if not is_request or _LASTING.search(spoken.lower()):
        return False
    family = _family(spoken)
    return family is not None and family.type == "feedback"


def prepared(text: str) -> str:
    """The sentence without the words that only introduce it, quotation marks straight."""
    spoken = text.translate(_SMART).strip()
    while True:
        bare = spoken
        for lead in (_LEAD, _POLITE):
            if found := lead.match(bare):
                bare = bare[found.end() :]
        if bare == spoken or not bare:
            return spoken
        spoken = bare


def _family(spoken: str) -> Family | None:
    text = spoken.lower()
    if is_refused(text):
        return None
    told = _WHY.sub("", text) if len(text) > 40 else text
    is_specific, is_one_task, tells_status, names_one = (
        is_about_one_thing(text),
        is_task(text),
        is_status(told),
        is_definite(_REASON_CLAUSE.sub("", text), spoken),
    )

    def admits(family: Family, where: str) -> bool:
        return not (
            (is_specific and not family.may_be_specific)
            or (is_one_task and not family.may_be_task)
            or (names_one and not family.may_be_definite)
            or (tells_status and not family.may_be_status)
            or family.pattern.search(where) is None
        )

    if admits(_PLACE_FAMILY, spoken):
        return _PLACE_FAMILY
    known = next((family for family in _FIRST if admits(family, text)), None) or next(
        (
            family
            for family in (_OWNER_FAMILY, *_LAST)
            if admits(family, spoken if family is _OWNER_FAMILY else text)
        ),
        None,
    )
    if known is not None or is_specific or is_one_task or tells_status or names_one:
        return known
    return weighed(text)


def _split_reason(spoken: str) -> tuple[str, str | None]:
    found = _WHY.search(spoken)
    if found is None or found.start() < 12:
        return spoken, None
    return spoken[: found.start()], _reason(found["why"])


def _reason(text: str) -> str:
    """The reason without the word that announces it."""
    return _FINAL.sub("", _BECAUSE.sub("", text, count=1))


def _summary(text: str) -> str:
    """Tidied as the first line of a memory; the user's own words."""
    if found := _STANDING.match(text):
        text = text[found.end() :]
        if found := _POLITE.match(text):
            text = text[found.end() :]
    text = _FINAL.sub("", text) or text
    return text[:1].upper() + text[1:]
