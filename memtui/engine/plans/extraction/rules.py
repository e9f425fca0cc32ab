"""Which language a sentence is in, and the statement that the rules of that language find.

Invariant: the language is told by script alone. Latin words inside a Chinese, Japanese or Russian
sentence don't make it English, and one foreign word doesn't make an English sentence foreign.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Literal, cast

from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import Sentence

Language = Literal["en", "zh", "ja", "ru"]
Classifier = Callable[[str, str], "Statement | None"]
ContinuationTest = Callable[[str, str], bool]

LANGUAGES: tuple[Language, ...] = ("en", "zh", "ja", "ru")

_NOT_PROSE = re.compile(
    r"`[^`\n]*`|\b[a-z][a-z0-9+.-]{0,15}://[!-~]+|[\w.-]*[/\\][\w./\\-]*",
    re.IGNORECASE | re.ASCII,
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_HAN = re.compile(r"[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_ENGLISH = re.compile(
    r"\b(?:the|an|to|is|are|was|of|for|and|with|as|we|you|it|not|don't|never|always|by|this"
    r"|that|be|must|should|have|from|our|your|my|please)\b",
    re.IGNORECASE,
)
# A Han character says as much as three Latin letters, a kana or a Cyrillic letter as two: the
# foreign letters of a mixed sentence are mostly names of tools.
_HAN_WEIGHT = 3
_OTHER_WEIGHT = 2
_FOREIGN_SHARE_WITHOUT_ENGLISH_WORDS = 0.15
_KANA_SHARE = 0.1
_ASKS_OPINION = re.compile(
    r"(?:any )?thoughts(?: on (?:this|that))?\?|what do you (?:think|make of)|do you agree|"
    r"is (?:that|this) (?:true|"
    r"right|still true|really)|你怎么看|你觉得呢|真的吗|对不对|是这样吗|靠谱吗|что (?:думаешь|"
    r"скажешь)|как думаешь|"
    r"согласен\?|это правда|どう思|どうなん|本当(?:です|なん)?か|ほんと\?",
    re.IGNORECASE,
)
"""The next sentence asks what to think of this one, which is then cited and not meant."""


def language_of(text: str) -> Language:
    """The language whose rules read `text`; English where no other script speaks for itself."""
    if text.isascii():
        return "en"
    prose = _NOT_PROSE.sub(" ", text)
    latin = len(_LATIN.findall(prose))
    han, kana = len(_HAN.findall(prose)), len(_KANA.findall(prose))
    east, cyrillic = (
        _HAN_WEIGHT * han + _OTHER_WEIGHT * kana,
        _OTHER_WEIGHT * len(_CYRILLIC.findall(prose)),
    )
    foreign = max(east, cyrillic)
    if foreign == 0:
        return "en"
    share = foreign / (foreign + latin)
    if share < _FOREIGN_SHARE_WITHOUT_ENGLISH_WORDS or (
        share < 0.5 and _ENGLISH.search(prose) is not None
    ):
        return "en"
    if cyrillic > east:
        return "ru"
    return "ja" if kana and kana >= _KANA_SHARE * (kana + han) else "zh"


@cache
def _reader(language: Language) -> tuple[Classifier, ContinuationTest]:
    """`classify` and `is_continuation` of that language's module, loaded when it is first met.

    A module without `is_continuation` takes every sentence by itself.
    """
    module = import_module(f"memtui.engine.plans.extraction.{language}")
    is_continuation = getattr(module, "is_continuation", lambda text, preceding: False)
    return cast(Classifier, module.classify), cast(ContinuationTest, is_continuation)


def classify(sentence: Sentence | str) -> Statement | None:
    """The durable statement in one sentence, or None (spec section 8).

    The filters (length, question, temporary word) are not applied here: see `filters`.
    """
    if isinstance(sentence, str):
        sentence = Sentence(text=sentence, quote=sentence)
    if _ASKS_OPINION.match(sentence.following):
        return None
    find, is_continuation = _reader(language_of(sentence.text))
    statement = find(sentence.text, sentence.following)
    if (
        statement is not None
        and sentence.preceding
        and is_continuation(sentence.text, sentence.preceding)
    ):
        return None
    return statement
