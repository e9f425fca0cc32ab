"""The durable statements in Chinese sentences, simplified and traditional.

Invariant: precision before recall: what asks, supposes, reports, cites or only serves the task at
hand is no statement, however many words of a rule it holds.
"""

from __future__ import annotations

import re

from memtui.engine.plans.extraction import zh_facts as facts
from memtui.engine.plans.extraction import zh_feedback as feedback
from memtui.engine.plans.extraction import zh_refusals as refusals
from memtui.engine.plans.extraction.cjk import LONGEST, Rule, first_rule, fold_han, tidied
from memtui.engine.plans.extraction.statement import Statement

_SHORTEST = 6
_HAN = re.compile("[\u4e00-\u9fff]")
_LEAD = re.compile(
    r"^(?:(?:请|麻烦你?)?(?:你)?(?:记住|记得|记一下|记下来|牢记|切记|注意|提醒一下|"
    r"补充一下|另外|还有|对了|顺便说一下|那个)[：:，, ]+|"
    r"(?:从现在起|从现在开始|从今天起|从今天开始|打今儿起|从今往后)[，, ]?)+"
)
_SHORTEST_REST = 12
_REASONS = (
    re.compile(r"^(?:因为|由于)(?P<why>[^，]{2,80})，(?:所以|因此)?(?P<rest>.{4,})$"),
    re.compile(r"^(?P<why>.{4,120}?)，(?:所以|因此|故)(?P<rest>.{4,})$"),
    re.compile(
        r"^(?P<rest>.{6,}?)[，；。、 ](?P<why>(?:因为|不然|否则|要不然|毕竟|为的是|原因是|理由是|"
        r"省得|免得|以免|以防|防止|主要是).{2,})$"
    ),
)
_FOLLOWING_REASON = re.compile(
    r"^(?:因为|不然|否则|要不然|毕竟|原因|理由|主要是|去年|上次|上回|上个月|之前|以前|"
    r"前阵子|有一?次|曾经|我们吃过|吃过)|"
    r"(?:踩过|炸过|出过|吃过|翻过车|误删|坑过|背过锅|才能|没法|看不清|看不懂|太贵|会崩|会挂|会炸)"
)
_SUBORDINATE = re.compile(r"因为|由于|既然|虽然|尽管|如果|要是|除非|为了")
_FOLLOWING_USE = re.compile(
    r"^(?:所以|因此|也就是说|具体来说|具体|遇到|碰到|需要的时候|比如|例如|这样|平时)"
)


def classify(text: str, following: str) -> Statement | None:
    """The durable statement of the user in one sentence.

    `following` is the next sentence of the paragraph, or empty: it may hold the reason. None where
    the sentence states nothing that lasts (spec section 8).
    """
    folded = fold_han(text)
    if not _SHORTEST <= len(folded) <= LONGEST or not _HAN.search(folded):
        return None
    rule = _rule_of(folded)
    if rule is None:
        return None
    return _statement(text, following, rule)


def is_continuation(text: str, preceding: str) -> bool:
    """Whether a sentence only serves the one before it.

    It gives the reason for what is kept there already, or it is a directive that goes on with a
    request for the task.
    """
    folded, before = fold_han(text[:LONGEST]), fold_han(preceding[:LONGEST])
    stated = _rule_of(before)
    if stated is not None:
        return _FOLLOWING_REASON.match(folded) is not None
    is_request = refusals.REQUEST.search(before) or refusals.points_here(before)
    if not is_request or feedback.LASTING.search(folded):
        return False
    rule = _rule_of(folded)
    return rule is not None and rule.type == "feedback"


def _rule_of(folded: str) -> Rule | None:
    """The rule that makes a folded sentence durable, if one does."""
    is_report = refusals.REPORTED.search(folded) is not None
    if (
        refusals.SUPPOSED.search(folded)
        or refusals.OTHERS.search(refusals.NOT_IN.sub("不要", folded))
        or refusals.CHAT.search(folded)
    ):
        return None
    if refusals.TEMPORARY.search(folded) or refusals.QUESTION.search(folded):
        return None
    dated = first_rule(folded, facts.PROJECTS[:1])
    standing = first_rule(folded, feedback.STANDING)
    if refusals.REQUEST.search(folded):
        found = (
            standing
            or first_rule(folded, feedback.CONDITIONAL)
            or first_rule(folded, facts.REFERENCES[:2])
            or _first_clause_rule(folded)
        )
        if found or refusals.REQUEST.match(folded):
            return found
        return first_rule(folded, facts.PROJECTS[:2]) or first_rule(folded, facts.DATED)
    if refusals.points_here(folded):
        if standing or is_report:
            return standing
        return (
            first_rule(folded, facts.REFERENCES[:2])
            or dated
            or _first_clause_rule(folded)
            or first_rule(folded, facts.PROJECTS)
            or first_rule(folded, facts.DATED)
        )
    if is_report:
        return standing or dated
    return (
        dated
        or _opening_rule(folded)
        or _main_rule(folded, facts.REFERENCES)
        or _main_rule(folded, facts.USERS)
        or standing
        or first_rule(folded, facts.PROJECTS)
        or first_rule(folded, feedback.DIRECTIVES)
        or first_rule(folded, feedback.CONDITIONAL)
        or first_rule(folded, facts.DATED)
    )


def _first_clause_rule(folded: str) -> Rule | None:
    """What the first clause says by itself where only a later one points at the task."""
    first, comma, _ = folded.partition("，")
    if not comma or refusals.points_here(first) or refusals.REQUEST.search(first):
        return None
    for rules in (facts.REFERENCES, facts.USERS, feedback.CONDITIONAL):
        if rule := first_rule(first, rules):
            return rule
    return None


def _opening_rule(folded: str) -> Rule | None:
    """What the first clause says by itself; what follows mostly explains it."""
    first, comma, _ = folded.partition("，")
    if not comma or _SUBORDINATE.match(first):
        return None
    for rules in (facts.REFERENCES, facts.USERS, feedback.STANDING, facts.PROJECTS):
        if rule := first_rule(first, rules):
            return rule
    return None


def _main_rule(folded: str, rules: tuple[Rule, ...]) -> Rule | None:
    """The rule that fits, unless a later clause only explains with it what is asked first."""
    rule = first_rule(folded, rules)
    first, comma, _ = folded.partition("，")
    if rule and comma and not rule.pattern.search(first):
        asked = first_rule(first, feedback.STANDING) or first_rule(first, feedback.DIRECTIVES)
        return asked or rule
    return rule


def _statement(text: str, following: str, rule: Rule) -> Statement:
    """The statement that `rule` finds in `text`, its reason apart."""
    summary, why = _split_reason(_LEAD.sub("", text.strip()), rule)
    how = None
    after = fold_han(following)
    if following and len(following) <= LONGEST:
        if why is None and _FOLLOWING_REASON.search(after):
            why = tidied(following)
        elif rule.type != "feedback" and _FOLLOWING_USE.search(after):
            how = tidied(following)
    return Statement(rule.type, tidied(summary), why, how, rule.name)


def _split_reason(text: str, rule: Rule) -> tuple[str, str | None]:
    """A sentence without its reason, and the reason; whole where the rest says too little."""
    folded = fold_han(text)
    for pattern in _REASONS:
        found = pattern.search(folded)
        if found is None or len(found["rest"]) < _SHORTEST_REST:
            continue
        kept = _rule_of(found["rest"])
        if kept is not None and kept.type == rule.type:
            why = text[slice(*found.span("why"))]
            return text[slice(*found.span("rest"))], tidied(why)
    return text, None
