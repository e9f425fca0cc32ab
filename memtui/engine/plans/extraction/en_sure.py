"""English wordings that last by their own form, even where they name a thing or sound like a task.

Invariant: every expression reads lower-case text from `en.prepared` that the refusals let pass.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.en_family import Families, Family
from memtui.engine.plans.extraction.en_words import pattern

_DELIVERING = (
    r"(?:committing|saving|pushing|merging|deploying|releasing|publishing|submitting|sharing|"
    r"shipping|you (?:commit|save|push|merge|deploy|release|publish|share|ship))"
)

SURE: Families = (
    Family(
        "about the user",
        "user",
        pattern(
            r"^i (?:mostly |usually |only |always |mainly )?(?:develop|code|program) (?:on|in|from|"
            r"under|with)\b",
            r"^i (?:don't|can't|cannot) (?:absorb|process|retain|follow|read|take in|handle|hear|"
            r"see)\b.*, "
            r"(?:so )?(?:give|send|write|show|put|keep|spell|prefer)\b",
            r"\b(?:isn't|is not|is) my (?:first|second|third|native|mother) (?:language|tongue)\b",
        ),
        may_be_task=False,
    ),
    Family(
        "who decides",
        "feedback",
        pattern(
            # "Deletes are mine to run", "leave running it to me", "and let me pick"
            r"^(?!(?:this|that|these|those) )[\w ,'/-]{3,60} (?:is|are) mine(?: to \w+|[,.;]|\W*$)",
            r"\bleave (?:the )?(?:running|merging|deploying|pushing|releasing|deciding|deletion|"
            r"decisions?)\b.{0,20} to me\b",
            r"\b(?:decisions?|choices?) for me\b.*\b(?:list|options?|let me|ask)\b",
            r"(?:,| and) let me (?:pick|choose|decide)\b",
        ),
        may_be_specific=False,
    ),
    Family(
        "what to show",
        "feedback",
        pattern(
            r"^(?:please )?(?:show|give|send|paste|print) me only (?:the )?(?:changed|relevant|new|"
            r"modified|affected)\b",
            r"^(?:yes|yep|yeah|right|exactly|perfect)\b.*\bwhat i (?:want|like|need) (?:from|in|"
            r"for|with) (?:every|each|all|any)\b",
        ),
    ),
    Family(
        "before delivery",
        "feedback",
        pattern(
            r"^(?:please )?(?:mask|redact|strip|escape|sanit\w+|validate|encrypt|anonymi[sz]e|"
            r"hash|trim|"
            r"log) (?!(?:the|this|that|these|it|them|my)\b)[\w ]{3,40} before (?:it|they) "
            r"(?:reach\w*|hits?|leaves?|goe?s?|lands?)\b",
            rf"^(?:in [\w-]+s,? )(?:please |always )?[a-z]+ .{{3,50}}\bbefore {_DELIVERING}\b",
            rf"^(?:please )?(?:clear|strip|rebase|squash|format|lint|regenerate|spell-?check|"
            rf"minify|compress|anonymi[sz]e) (?!(?:the|this|that|these|it|them|my)\b)"
            rf"[\w ]{{3,40}} before {_DELIVERING}\b",
        ),
    ),
    Family(
        "format or style",
        "feedback",
        pattern(
            r"^(?!(?:results?|findings?|status|update|outcome|errors?|verdict|progress|changes|"
            r"notes?|tl;?dr)\b)(?:[\w'-]+ ){0,2}[\w'-]+s: (?:no|never|always) (?!(?:errors?|"
            r"failures?|issues?|change|changes|problems?|regressions?|luck|idea|difference|news|"
            r"warnings?|diff)\b)\S",
        ),
        may_be_specific=False,
    ),
    Family(
        "goal or constraint",
        "project",
        pattern(
            r"^(?:our |the |my )?(?:goal|target|aim|objective) for (?:the |this |next )?"
            r"(?:\w+ ){0,2}(?:half|quarter|year|month|sprint|season|release|q[1-4]|h[12]|"
            r"20\d\d)\b[^:]{0,20}: \S",
            r"\b(?:sla|contract|licen[cs]e|agreement) (?:promises|guarantees|commits us)\b",
            r"\b(?:is|are|stays?) (?:out of scope|not in scope|in scope) (?:for|until|in)\b",
        ),
    ),
)
