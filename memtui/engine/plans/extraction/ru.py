"""The durable statement in one Russian sentence (spec section 8).

Invariant: the type follows the order of hints there (link or system, the user themselves, how to
behave, the project), and the words are the user's own.
"""

from __future__ import annotations

from memtui.engine.plans.extraction.ru_orders import order_of
from memtui.engine.plans.extraction.ru_person import user_of
from memtui.engine.plans.extraction.ru_pointers import reference_of
from memtui.engine.plans.extraction.ru_project import project_of
from memtui.engine.plans.extraction.ru_refusals import is_refused, is_small_talk, is_status
from memtui.engine.plans.extraction.ru_style import style_of
from memtui.engine.plans.extraction.ru_text import (
    LONGEST,
    fold,
    is_reason,
    parts_of,
    tidied,
    without_quotes,
)
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.types import MemoryType

_WEAK = frozenset({"convention", "format and style", "required", "forbidden"})
"""Rules of behaviour that a date, a decision or an owner in the same sentence outweighs."""

_WEAKER_THAN = {"constraint": frozenset({"required", "forbidden"})}


def classify(text: str, following: str) -> Statement | None:
    """The durable statement of the user in `text`, or None.

    `following` is the next sentence of the paragraph, `""` where there is none: it becomes the
    reason where it gives one. The filters of `filters.py` are not applied.
    """
    if len(text) > LONGEST:
        return None
    folded = without_quotes(fold(text.strip()))
    if is_refused(folded):
        return None
    parts = parts_of(text)
    found = _rule_of(without_quotes(fold(parts.main)), folded, text)
    if found is None:
        return None
    kind, rule = found
    why = parts.why
    if why is None and is_reason(following):
        why = tidied(following)
    return Statement(kind, parts.main, why, parts.how_to_apply, rule)


def _rule_of(main: str, whole: str, text: str) -> tuple[MemoryType, str] | None:
    if rule := reference_of(whole):
        return "reference", rule
    if rule := user_of(main) or user_of(whole):
        return "user", rule
    project = project_of(main, text) or project_of(whole, text)
    if rule := _feedback_of(main, whole):
        if project is not None and rule in _WEAKER_THAN.get(project, _WEAK):
            return "project", project
        return "feedback", rule
    return ("project", project) if project is not None else None


def _feedback_of(main: str, whole: str) -> str | None:
    if ordered := order_of(main, whole):
        return ordered
    return None if is_status(main) or is_small_talk(whole) else style_of(main)
