"""Extract and dream → JSON (design section 6).

Invariant: pure; keys and their order are fixed, since scripts read them.
"""

from __future__ import annotations

from collections.abc import Iterable

from memtui.cli.json_values import Value
from memtui.engine.disk.agent_lock import LockState
from memtui.engine.lifecycle.extracting import ExtractPlan
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.plans.extraction.patches import Dropped, Patch
from memtui.engine.plans.gates import Gates
from memtui.engine.plans.suggestions import Suggestion
from memtui.engine.types import StateChange


def extract_value(plan: ExtractPlan, cursor: StateChange | None) -> Value:
    """`extract`: what was found and dropped, why nothing was read, where the cursor gets to."""
    return {
        "session": plan.session or None,
        "messages": plan.length,
        "start": plan.start,
        "broken_lines": plan.broken_lines,
        "patches": [_patch_value(patch) for patch in plan.patches],
        "dropped": [_dropped_value(each) for each in plan.dropped],
        "skipped_reason": plan.skipped_reason,
        "cursor": None if cursor is None else _cursor_value(plan.session, cursor),
    }


def dream_value(
    plan: DreamPlan | None,
    gates: Gates,
    lock: LockState | None,
    suggestions: Iterable[Suggestion],
    skipped_reason: str | None,
) -> Value:
    """`dream`: the gates, the lock, and what was or would be done; `plan` None: it was skipped."""
    status = "skipped"
    if plan is not None:
        status = "updated" if plan.change_set.changes else "noop"
    return {
        "status": status,
        "skipped_reason": skipped_reason,
        "gates": [gate._asdict() for gate in gates.gates],
        "lock": {
            "state": "free" if lock is None else lock.state,
            "pid": None if lock is None else lock.pid,
            "age_s": None if lock is None or lock.age_s is None else round(lock.age_s, 3),
        },
        "deduped_entries": 0 if plan is None else plan.deduped_entries,
        "touched_topics": [] if plan is None else list(plan.touched_topics),
        "suggestions": [_suggestion_value(each) for each in suggestions],
    }


def _patch_value(patch: Patch) -> Value:
    return {
        "type": patch.type,
        "summary": patch.summary,
        "why": patch.why,
        "how_to_apply": patch.how_to_apply,
        "path": patch.path,
        "near_duplicate_of": patch.near_duplicate_of,
        "selected": patch.selected,
        "rule": patch.rule,
        "source": {
            "session": patch.source.session,
            "message": patch.source.message,
            "quote": patch.source.quote,
        },
    }


def _dropped_value(each: Dropped) -> Value:
    return {
        "summary": each.summary,
        "rule": each.rule,
        "message": each.message,
        "quote": each.quote,
    }


def _cursor_value(session: str, cursor: StateChange) -> Value:
    """The cursor of `session` as it is written, and the file that holds it."""
    value: Value = {"file": cursor.name}
    if cursor.name == "cursors.json":
        own = cursor.after.get(session)
        return {**value, "sessionId": session, **(own if isinstance(own, dict) else {})}
    return {**value, **cursor.after}


def _suggestion_value(each: Suggestion) -> Value:
    return {
        "kind": each.kind,
        "score": each.score,
        "words": each.words,
        "entries": [
            {
                "id": entry.id,
                "digest": entry.digest,
                "scope": entry.scope,
                "type": document.type,
                "summary": entry.summary,
            }
            for document, entry in each.entries
        ],
    }
