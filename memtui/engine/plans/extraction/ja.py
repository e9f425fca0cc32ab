"""The durable statements in Japanese sentences.

Invariant: precision before recall: what asks, supposes, reports, cites or only serves the task at
hand is no statement, however many words of a rule it holds.
"""

from __future__ import annotations

import re

from memtui.engine.plans.extraction import ja_facts as facts
from memtui.engine.plans.extraction import ja_feedback as feedback
from memtui.engine.plans.extraction import ja_refusals as refusals
from memtui.engine.plans.extraction.cjk import LONGEST, Rule, first_rule, fold_kana, tidied
from memtui.engine.plans.extraction.statement import Statement

_SHORTEST = 6
_JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
_LEAD = re.compile(
    r"^(?:(?:覚えておいて(?:ください|ほしい|ね)?|覚えといて|メモして(?:おいて)?|"
    r"念のため|ちなみに|あと|それと|ところで|補足(?:ですが|だけど)?|今後(?:は)?|"
    r"これからは|今度から(?:は)?|次から(?:は)?|次回から(?:は)?|以降は?)[、,:： ]+)+"
)
_SHORTEST_REST = 12
_REASONS = (
    re.compile(
        r"^(?P<why>[^。]{6,120}?(?:ので|ため|んで|んだから|から|"
        r"なくて))[、,](?P<rest>[^。]{6,})。?$"
    ),
    re.compile(
        r"^(?P<rest>.{6,}?)[、,。](?P<why>(?:理由は|なぜなら|というのも|でないと|じゃないと|"
        r"さもないと|そうしないと).{3,})$"
    ),
)
_FOLLOWING_REASON = re.compile(
    r"(?:から|ので|ため|んで|んだよね|んですよ|んですよね|からね|なので|のが理由です?|"
    r"理由です)[。!]*$|^(?:理由は|なぜなら|というのも|でないと|じゃないと|さもないと|"
    r"そうしないと|前に|以前|昔|一回|過去に|去年|先月|前回)|"
    r"(?:事故|痛い目|ハマ|はま|困る|困り|つらい|辛い|読めない|追えない|取れない|"
    r"見づらい|見えない|落ちる|壊れ|死ぬ|検索できな|わからなくな|分からなくな)"
)
_WHEN = re.compile(r"(?<=[るうくすむぶつの])前に|とき|際[はに]|場合")
_ONLY_REASON = re.compile(r"(?:から|ので|ため|んで|なので)[。!]*$|^(?:理由は|なぜなら|というのも)")
_ASKS = re.compile(r"[てで](?:ください|下さい|くれ|ほしい|くれる|もらえる|もらえますか)?[。!?]*$")
_FOLLOWING_USE = re.compile(
    r"^(?:だから|なので|ですので|つまり|そのため|その場合|具体的には|例えば|たとえば)|"
    r"(?:追う|調べる|探す|見る|使う|迷う|困った)(?:なら|ときは|時は|場合は|たら)"
)


def classify(text: str, following: str) -> Statement | None:
    """The durable statement of the user in one sentence.

    `following` is the next sentence of the paragraph, or empty: it may hold the reason. None where
    the sentence states nothing that lasts (spec section 8).
    """
    folded = fold_kana(text)
    if not _SHORTEST <= len(folded) <= LONGEST or not _JAPANESE.search(folded):
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
    folded, before = fold_kana(text[:LONGEST]), fold_kana(preceding[:LONGEST])
    if _rule_of(before) is not None:
        return _ONLY_REASON.search(folded) is not None
    is_request = _ASKS.search(before) or refusals.REQUEST.search(before)
    if not (is_request or refusals.HERE.search(before)) or feedback.LASTING.search(folded):
        return False
    rule = _rule_of(folded)
    return rule is not None and rule.type == "feedback"


def _first_clause_rule(folded: str) -> Rule | None:
    """What the first clause says where only a later one asks for something."""
    first, comma, _ = folded.partition("、")
    if not comma or refusals.REQUEST.search(first) or refusals.HERE.search(first):
        return None
    rule = first_rule(first, facts.USERS)
    if rule is None and _WHEN.search(first):
        rule = first_rule(first, feedback.CONDITIONAL)
    return rule


def _rule_of(folded: str) -> Rule | None:
    """The rule that makes a folded sentence durable, if one does."""
    if (
        refusals.SUPPOSED.search(folded)
        or refusals.OTHERS.search(folded)
        or refusals.CHAT.search(folded)
    ):
        return None
    if refusals.TEMPORARY.search(folded) or refusals.DERIVED.search(folded):
        return None
    if refusals.QUESTION.search(folded) and not refusals.POLITE.search(folded):
        return None
    if refusals.BUILD.search(folded) and not feedback.LASTING.search(folded):
        return None
    project = first_rule(folded, facts.PROJECTS)
    standing = first_rule(folded, feedback.STANDING)
    if refusals.STEP.search(folded):
        return first_rule(folded, facts.PROJECTS[:1]) or standing
    if refusals.REPORTED.search(folded):
        return project or _first_clause_rule(folded)
    is_request = refusals.REQUEST.search(folded) is not None
    if refusals.HERE.search(folded):
        if standing and standing.name != "confirmation" and not feedback.LASTING.search(folded):
            standing = None
        lasting = first_rule(folded, facts.REFERENCES) or standing or _first_clause_rule(folded)
        return lasting or (None if is_request else project)
    if is_request:
        return (
            first_rule(folded, facts.REFERENCES)
            or _first_clause_rule(folded)
            or (standing if feedback.LASTING.search(folded) else None)
            or first_rule(folded, feedback.CONDITIONAL)
        )
    return (
        first_rule(folded, facts.REFERENCES)
        or first_rule(folded, facts.PROJECTS[:1])
        or first_rule(folded, facts.USERS)
        or _first_clause_rule(folded)
        or standing
        or first_rule(folded, feedback.DIRECTIVES)
        or first_rule(folded, feedback.CONDITIONAL)
        or project
        or first_rule(folded, facts.DATED)
    )


def _statement(text: str, following: str, rule: Rule) -> Statement:
    """The statement that `rule` finds in `text`, its reason apart."""
    summary, why = _split_reason(_LEAD.sub("", text.strip()), rule)
    how = None
    after = fold_kana(following)
    if following and len(following) <= LONGEST:
        if rule.type != "feedback" and _FOLLOWING_USE.search(after):
            how = tidied(following)
        elif why is None and _FOLLOWING_REASON.search(after):
            why = tidied(following)
    return Statement(rule.type, tidied(summary), why, how, rule.name)


def _split_reason(text: str, rule: Rule) -> tuple[str, str | None]:
    """A sentence without its reason, and the reason; whole where the rest says too little."""
    folded = fold_kana(text)
    for pattern in _REASONS:
        found = pattern.search(folded)
        if found is None or len(found["rest"]) < _SHORTEST_REST:
            continue
        kept = _rule_of(found["rest"])
        if kept is not None and kept.type == rule.type:
            why = text[slice(*found.span("why"))]
            return text[slice(*found.span("rest"))], tidied(why)
    return text, None
