"""Which statements are not kept: too short, a question, or bound to the moment (spec section 8).

Invariant: a word counts as a whole word only; Chinese and Japanese, which have no blanks, count
wherever the word stands.
"""

from __future__ import annotations

import re

from memtui.engine.text import utf16_length

SHORTEST_SUMMARY = 12
"""UTF-16 code units."""

_NOT_TEMPORARY = re.compile(
    r"\bfrom now on(?:wards?)?\b|\bnow and (?:then|again)\b"
    r"|с этого момента|отныне и (?:на)?всегда"
    r"|\bвременн\w+ (?:метк|зон|ряд|шкал)\w*"
    r"|从今往后|从今以后|今后|今後|これから(?:は|ずっと)|今日から|今から(?:は|ずっと)",
    re.IGNORECASE,
)
_TEMPORARY = re.compile(
    r"\b(?:today|now|currently|temporary|temporarily|for this task|this session)\b"
    r"|\b(?:сегодня|сейчас|временн(?:о|ый|ая|ое|ые|ого|ой|ых|ым|ому|ую|ыми)|пока что"
    r"|в данный момент|на данный момент|для этой задачи|в этой задаче|на эту задачу"
    r"|эт(?:а|ой|у) сесси(?:я|и|ю|ей)|в этой сессии)\b"
    r"|今天|今日|现在|目前|当前|暂时|临时|眼下|这次任务|这个任务|本次任务|本次会话|这次会话|这个会话"
    r"|本会话|当下"
    r"|本日|現在|今は|いまは|今のところ|とりあえず|一時的|当面|このタスク|今回のタスク|このセッション"
    r"|今回のセッション|今だけ|いまだけ",
    re.IGNORECASE,
)


def is_too_short(summary: str) -> bool:
    """Whether the summary has fewer than `SHORTEST_SUMMARY` UTF-16 code units."""
    return utf16_length(summary) < SHORTEST_SUMMARY


def is_question(summary: str) -> bool:
    """Whether the summary ends in a question mark, of either width."""
    return summary.rstrip().endswith(("?", "？"))


def temporary_word(summary: str) -> str | None:
    """The first word that binds the summary to the moment, as it is written there, or None.

    "From now on" and its equivalents are not temporary.
    """
    found = _TEMPORARY.search(_NOT_TEMPORARY.sub(" ", summary))
    return found[0] if found else None


def passes(summary: str) -> bool:
    """Whether none of the three filters drops the summary."""
    return not (is_too_short(summary) or is_question(summary) or temporary_word(summary))
