"""Russian text for extract: folding for a match, what is quoted put out of sight, tidying, reasons.

Invariant: a folded text has as many characters as the text it comes from, so that a span found in
the one cuts the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 700
"""Characters of a sentence that a person types; what is longer was pasted."""

_CAPITALS = "".join(map(chr, range(ord("А"), ord("Я") + 1)))
_FOLD = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + _CAPITALS + "Ёё—–−‑“”„\u00a0\t\n",
    "abcdefghijklmnopqrstuvwxyz" + _CAPITALS.lower() + 'ее----"""   ',
)

_QUOTED = re.compile(r"«[^»]*»|\"[^\"]*\"|`[^`]*`")
URL = re.compile(
    r"(?:https?|ftp|s3|gs|smb|ssh|git|hdfs)://[^\s<>«»\"]+"
    r"|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:ru|com|local|io|org|net|dev|internal|corp|lan|su|app|me|"
    r"pro|tech|cloud|team|рф)(?:/[^\s,;<>«»\"]*)?(?![\w.])"
    r"|(?<!\S)/(?:mnt|nfs|srv|data|opt|shared|net|volumes|nas)/\S+|"
    r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w&])[#@][a-z][\w-]{2,}|\\\\[\w.-]+\\\S+"
)
"""A link, an address or the name of a channel, in a folded text."""

_LEAD = re.compile(
    r"(?:(?:и\s+)?(?:пожалуйста|плиз|плз|пжлст|пж|еще\s+раз|повторяю|напоминаю|кстати|слушай|"
    r"короче|так|ну|да|нет|не|вообще|"
    r"ок|окей|ага|и\s+еще|еще|а\s+еще|на\s+будущее|на\s+заметку|если\s+что|к\s+слову|fyi|"
    r"для\s+справки|важно|имей(?:те)?\s+в\s+виду|учти(?:те)?|запомни(?:те)?|помни(?:те)?|"
    r"запиши(?:те)?(?:\s+себе)?|отметь(?:\s+себе)?|заруби\s+себе\s+на\s+носу|впредь|отныне|"
    r"с\s+этого\s+момента|в\s+дальнейшем|будь(?:те)?\s+(?:добры?|любезн[аы]?)|просьба|прошу|"
    r"раз\s+и\s+навсегда|(?:я\s+)?(?:уже|же|ведь|сто\s+раз|"
    r"\w+\s+раз)?\s*(?:я\s+)?(?:просил[аи]?|говорил[аи]?)(?:\s+же|\s+уже)?)"
    r"(?:\s*,?\s*что\s+|\s*[,:!.]\s*|\s+-\s+)+)"
)
_LEAD_BARE = re.compile(
    r"(?:пожалуйста|плиз|плз|кстати|впредь|отныне|запомни(?:те)?|учти(?:те)?|"
    r"имей(?:те)?\s+в\s+виду|"
    r"с\s+этого\s+момента|в\s+дальнейшем|на\s+будущее)\s+"
)
_TAIL = re.compile(
    r"\s*[,-]?\s*\b(?:имей(?:те)?\s+в\s+виду|учти(?:те)?|запомни(?:те)?|на\s+будущее|если\s+что|"
    r"пожалуйста|плиз|плз|пж|спасибо|ок)\s*[.!)]*$"
)

_BECAUSE = re.compile(
    r"\s*[,;:(-]*\s*\b(?:потому\s+что|потому\s+как|так\s+как|т\.\s?к\.|поскольку|ибо|"
    r"из-за\s+того,?\s+что|оттого,?\s+что|ведь)\s+"
)
_OR_ELSE = re.compile(r"\s*[,;.(-]+\s*(?=\b(?:иначе|а\s+то|а\s+не\s+то|не\s+то|чтобы?)\b)")
_WANTS_THAT = re.compile(
    r"\b(?:требу\w+|прос\w+|прошу|нужно|надо|хочу|хотим|хотел\w*|хотелось|бы|важно|следи\w*|так|"
    r"люблю|удобн\w+|проще|того|смотри|"
    r"добива\w+|убедись|убеждайся|проверяй|договорились|решили|обязыва\w+|предпочита\w+|лучше|"
    r"условие|цель|за\s+тем)\s*$"
)
_SO = re.compile(r"\s*[,;-]+\s*\b(?:поэтому|потому\s+и|так\s+что|из-за\s+этого|отсюда)\s+")
_REASON_NEXT = re.compile(
    r"(?:иначе|а\s+то|потому|так\s+как|поскольку|дело\s+в|просто\b|(?:в\s+)?прошл\w+\s+раз|"
    r"уже\s|и\s+так|потом\s|там\s+(?:же|леж|жив|сто|хран)|у\s+нас|мы\s|нам\s|мне\s+с\s|из-за|"
    r"в\s+(?:прошл|"
    r"январ|феврал|март|апрел|ма[еюя]\b|июн|июл|август|сентябр|октябр|ноябр|декабр)|однажды|"
    r"как-то|"
    r"это\s|от\s+этого|юрист|безопасник|заказчик|клиент|ревьюер|редактор|бухгалтер|на\s+десктоп|"
    r"лучше\s|проект\s|наш|команд|регулятор|аудит|причин|\w+\s+(?:потом|иначе|ругает|жалует))"
)


class Parts(NamedTuple):
    """A sentence cut at its reason."""

    main: str
    why: str | None
    how_to_apply: str | None


def fold(text: str) -> str:
    """`text` for a match: small letters, `е` for `ё`, plain dashes and quotes; of equal length."""
    return text.translate(_FOLD)


def without_quotes(folded: str) -> str:
    """A folded text whose quotes and backticks are made unreadable; of equal length."""
    return _QUOTED.sub(_hidden, folded)


def _hidden(match: re.Match[str]) -> str:
    found = match.group()
    return found[0] + "·" * (len(found) - 2) + found[-1]


def parts_of(text: str) -> Parts:
    """`text` without its reason, the reason, and what follows from it, each in the user's words.

    The reason after `иначе` and `чтобы` keeps that word, without which it would say the opposite.
    """
    folded = without_quotes(fold(text))
    start = _skip_lead(folded)
    why: str | None = None
    how: str | None = None
    end = len(folded)
    for pattern in (_BECAUSE, _OR_ELSE, _SO):
        found = pattern.search(folded, start, end)
        if (
            pattern is _OR_ELSE
            and found is not None
            and _WANTS_THAT.search(folded[: found.start()])
        ):
            continue
        if found is None or found.start() - start < 12 or end - found.end() < 5:
            continue
        rest = tidied(text[found.end() : end].removesuffix(")"))
        if pattern is _SO:
            how = rest
        else:
            why = rest
        end = found.start()
    tail = _TAIL.search(folded, start, end)
    if tail is not None and tail.start() - start >= 12:
        end = tail.start()
    return Parts(tidied(text[start:end]), why, how)


def _skip_lead(folded: str) -> int:
    at = 0
    while (found := _LEAD.match(folded, at) or _LEAD_BARE.match(folded, at)) is not None:
        at = found.end()
    return at if len(folded) - at >= 12 else 0


def tidied(text: str) -> str:
    """`text` without blanks around it, without one final full stop, its first letter a capital."""
    bare = text.strip().strip(",;:-—–").strip()
    if bare.endswith(("!", ".")) and not bare.endswith(".."):
        bare = bare[:-1].rstrip()
    first = bare[:1]
    return first.upper() + bare[1:] if re.match(r"[а-яё]", first) else bare


def is_reason(following: str) -> bool:
    """Whether the sentence after a statement tells why, and asks or orders nothing itself."""
    folded = fold(following.strip())
    if not folded or len(folded) > 300 or folded.endswith("?"):
        return False
    return _REASON_NEXT.match(folded) is not None
