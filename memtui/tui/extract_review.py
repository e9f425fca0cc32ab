"""What is written of chosen proposals, made ready for its review.

Invariant: pure values; the planner decides what changes, this module only tells it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.engine.lifecycle.cursors import AHEAD
from memtui.engine.types import INDEX_NAME, ChangeSet, StateName
from memtui.engine.workspace import Workspace
from memtui.tui.extract_found import Found, Proposed
from memtui.tui.extract_view import WORD_CHARACTERS
from memtui.tui.format import fit, plural
from memtui.tui.messages import Place
from memtui.tui.review import EffectLine, EffectSection, Review, files_of, without
from memtui.tui.safe_text import safe_line

_WORDS = {
    "updatedAt": "updated",
    "lastExtractionAt": "last extraction",
    "lastExtractionSessionId": "its session",
    "lastExtractionTouchedTopics": "its topics",
    "lastExtractionStatus": "its status",
    "sessionId": "session",
    "processedOffset": "cursor",
}
_AGENTS_CURSOR: StateName = "extract-cursor.json"
_ID_CHARACTERS, _MINUTE_CHARACTERS = 8, 16
_MOST_NAMED, _NAMED_CELLS = 3, 60


def extract_review(
    change_set: ChangeSet | None,
    found: Found,
    workspace: Workspace,
    *,
    taken: int,
    rejected: frozenset[Place] = frozenset(),
) -> Review:
    """The review of writing `taken` of the items that were `found`, as they were chosen.

    `change_set` is None where all files were rejected.
    """
    change_sets = () if change_set is None else without((change_set,), rejected)
    written = {change.path for each in change_sets for change in each.changes}
    left = [item for item in found.items if item.patch.path not in written]
    effects: list[EffectSection] = []
    if left and found.plan is not None:
        effects.append(_passed_over(left))
    if change_set is not None:
        effects += _effects(change_set, found, rejected)
    if left and found.plan is None:
        verb = "stays" if len(left) == 1 else "stay"
        said = f"{plural(len(left), 'proposal')} {verb} in the inbox."
        effects.append(EffectSection("left", f"{len(left)}", (EffectLine(said, "", "!"),)))
    before = workspace.documents
    effects.append(
        EffectSection(
            "store", "before → after", (EffectLine("files", f"{before:,} → {before + taken:,}"),)
        )
    )
    return Review(
        "extract",
        change_sets,
        tuple(files_of(change_sets)),
        tuple(effects),
        counts=((taken, "memory comes" if taken == 1 else "memories come"),),
        warnings=((len(left), "passed over"),) if left and found.plan is not None else (),
    )


def read_of(found: Found, items: Sequence[Proposed]) -> Mapping[str, int]:
    """How many messages were read of the sessions that `items` are from."""
    if found.plan is not None:
        return found.read
    sessions = dict.fromkeys(item.patch.source.session for item in items)
    return {each: found.read.get(each, 0) for each in sessions}


def read_question(unread: int, items: Sequence[Proposed]) -> str:
    """What marking `unread` messages as read means; what `items` state is lost by it."""
    said = f" {_passed_over_words(items)}" if items else ""
    messages = plural(unread, "message")
    return f"Mark {messages} as read?{said} Only the cursor moves; no memory is written."


def leave_question(edits: int) -> str:
    """What leaving means where so many proposals stand edited; empty where none does."""
    if not edits:
        return ""
    lost = "proposal was edited and is" if edits == 1 else "proposals were edited and are"
    return f"Leave without writing? {edits:,} {lost} not written yet: the edits are lost."


def _passed_over_words(items: Sequence[Proposed]) -> str:
    count = len(items)
    named = [
        f"“{fit(safe_line(item.patch.summary), _NAMED_CELLS)}”" for item in items[:_MOST_NAMED]
    ]
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    statements = plural(count, "statement is", "statements are")
    return f"{statements} passed over, and not found again: {', '.join(named)}{more}."


def _passed_over(items: Sequence[Proposed]) -> EffectSection:
    verb = "Its message counts" if len(items) == 1 else "Their messages count"
    pronoun = "it is" if len(items) == 1 else "they are"
    said = EffectLine(f"{verb} as read: {pronoun} not found again.", "", "!")
    lines = (EffectLine(safe_line(item.patch.summary[:WORD_CHARACTERS])) for item in items)
    return EffectSection("passed over", f"{len(items)}", (said, *lines))


def _effects(
    change_set: ChangeSet, found: Found, rejected: frozenset[Place]
) -> list[EffectSection]:
    scope = change_set.store.scope
    sections = []
    has_index = any(change.path == INDEX_NAME for change in change_set.changes)
    if not has_index or (scope, INDEX_NAME) in rejected:
        said = "The index stays as it is: it does not name what comes."
        sections.append(EffectSection("index", INDEX_NAME, (EffectLine(said, "", "!"),)))
    for state in change_set.state_changes:
        ahead = AHEAD if state.name == _AGENTS_CURSOR else 0
        lines = tuple(_line(key, value, found, ahead) for key, value in state.after.items())
        sections.append(EffectSection(state.name, "written with it", lines))
    return sections


def _line(key: str, value: object, found: Found, ahead: int) -> EffectLine:
    """One key of a state file in a few words; its cursor is `ahead` of the messages of the file."""
    if isinstance(value, Mapping):
        read = _read_words(value.get("processedOffset"), found, ahead)
        return EffectLine(safe_line(key[:_ID_CHARACTERS]), read)
    if key == "processedOffset":
        return EffectLine(_WORDS[key], f"→ {_read_words(value, found, ahead)}")
    if isinstance(value, list):
        return EffectLine(_WORDS.get(key, key), safe_line(", ".join(map(str, value)) or "none"))
    text = "none" if value is None else str(value)
    if key.endswith("Id"):
        text = text[:_ID_CHARACTERS]
    elif key.endswith("At"):
        text = text[:_MINUTE_CHARACTERS].replace("T", " ") + " UTC"
    return EffectLine(_WORDS.get(key, key), safe_line(text))


def _read_words(offset: object, found: Found, ahead: int) -> str:
    """How far a session is read: `all 4 messages read`."""
    if not isinstance(offset, int):
        return f"{safe_line(str(offset))} read"
    count = max(0, offset - ahead)
    is_all = found.plan is not None and count == found.plan.length > 1
    return f"{'all ' if is_all else ''}{plural(count, 'message')} read"
