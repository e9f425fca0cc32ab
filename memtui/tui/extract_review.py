"""What is written of chosen proposals, made ready for its review.

Invariant: pure values; the planner decides what changes, this module only tells it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.engine.types import INDEX_NAME, ChangeSet
from memtui.engine.workspace import Workspace
from memtui.tui.extract_found import Found, Proposed
from memtui.tui.format import plural
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
    "processedOffset": "read up to message",
}
_ID_CHARACTERS, _MINUTE_CHARACTERS = 8, 16


def extract_review(
    change_set: ChangeSet | None,
    found: Found,
    workspace: Workspace,
    *,
    taken: int,
    rejected: frozenset[Place] = frozenset(),
) -> Review:
    """The review of writing `taken` proposals; None: all files were rejected."""
    change_sets = () if change_set is None else without((change_set,), rejected)
    left = len(found.items) - taken
    effects: list[EffectSection] = []
    if change_set is not None:
        effects += _effects(change_set, rejected)
    if left:
        said = "stay in the inbox" if found.plan is None else "are not taken, and not found again"
        if left == 1:
            said = "stays in the inbox" if found.plan is None else "is not taken, nor found again"
        effects.append(
            EffectSection(
                "left",
                f"{left}",
                (EffectLine(f"{plural(left, 'proposal')} {said}.", "", "!"),),
            )
        )
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
    )


def read_of(found: Found, items: Sequence[Proposed]) -> Mapping[str, int]:
    """How many messages were read of the sessions that `items` are from."""
    if found.plan is not None:
        return found.read
    sessions = dict.fromkeys(item.patch.source.session for item in items)
    return {each: found.read.get(each, 0) for each in sessions}


def _effects(change_set: ChangeSet, rejected: frozenset[Place]) -> list[EffectSection]:
    scope = change_set.store.scope
    sections = []
    has_index = any(change.path == INDEX_NAME for change in change_set.changes)
    if not has_index or (scope, INDEX_NAME) in rejected:
        said = "The index stays as it is: it does not name what comes."
        sections.append(EffectSection("index", INDEX_NAME, (EffectLine(said, "", "!"),)))
    for state in change_set.state_changes:
        lines = tuple(_line(key, value) for key, value in state.after.items())
        sections.append(EffectSection(state.name, "written with it", lines))
    return sections


def _line(key: str, value: object) -> EffectLine:
    """One key of a state file in a few words."""
    if isinstance(value, Mapping):
        return EffectLine(safe_line(key[:_ID_CHARACTERS]), f"{value.get('processedOffset')} read")
    if isinstance(value, list):
        return EffectLine(_WORDS.get(key, key), safe_line(", ".join(map(str, value)) or "none"))
    text = "none" if value is None else str(value)
    if key.endswith("Id"):
        text = text[:_ID_CHARACTERS]
    elif key.endswith("At"):
        text = text[:_MINUTE_CHARACTERS].replace("T", " ") + " UTC"
    return EffectLine(_WORDS.get(key, key), safe_line(text))
