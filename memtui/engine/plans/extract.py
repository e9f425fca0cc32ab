"""The change set that makes topic files of accepted patches (spec section 8).

Invariant: every patch becomes one new file, and no file that is there is touched but the index.
The new files are written as they will be read, so that the index says what they say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memtui.engine.format.document import parse_document
from memtui.engine.plans.extraction.patches import Patch, topic_bytes
from memtui.engine.plans.extraction.slugs import TopicPaths
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.plans.reindex import edit_index
from memtui.engine.types import (
    INDEX_NAME,
    MEMORY_TYPES,
    ChangeSet,
    FileChange,
    MemoryType,
    Proposal,
    Snapshot,
)

OPERATION = "extract"


@dataclass(frozen=True, slots=True)
class PlannedPatches:
    """Everything that a preview of an extract shows beside its change set."""

    patches: tuple[Patch, ...]
    """Those that are written, with the paths that they get."""
    index_edit: IndexEdit
    """What becomes of the index, also where it stays."""
    touched_topics: tuple[MemoryType, ...]
    """The types of the new files, in the order of `MEMORY_TYPES`."""
    notes: tuple[str, ...]
    """Sentences about what is out of the ordinary, such as an index that is left as it is."""


def plan_patches(
    snapshot: Snapshot,
    patches: Sequence[Patch],
    *,
    unseen: Collection[str],
    now_ns: int,
    session: str,
) -> tuple[ChangeSet, PlannedPatches]:
    """The new files of all `patches`, selected or not, and the index with them.

    `unseen` are the paths that the store's agent skips; `now_ns`, nanoseconds since the epoch, is
    the mtime of every new file, so that the next scan has them in the order of the index;
    `session` is the ID of the session that they are from. A patch keeps its path where that is
    free. A store whose directory is missing is made; one that cannot be read gets nothing, and a
    note says why.
    """
    if snapshot.state not in ("ok", "missing"):
        note = snapshot.message or "The store cannot be read, so nothing is written to it."
        edit = IndexEdit(INDEX_NAME, "none")
        return ChangeSet(snapshot.store, OPERATION, ()), PlannedPatches((), edit, (), (note,))
    # The writer makes a directory that is missing: for a plan it is an empty one.
    store = replace(snapshot, state="ok", message="")
    paths = TopicPaths(store)
    placed = tuple(
        replace(patch, path=paths.give(patch.type, patch.summary, patch.path)) for patch in patches
    )
    changes = [_addition(patch, now_ns) for patch in placed]
    written = [
        parse_document(
            change.after or b"", path=change.path, scope=store.store.scope, mtime_ns=now_ns
        )
        for change in changes
    ]
    edit = IndexEdit(INDEX_NAME, "none")
    if written:
        edit = edit_index(store, written=written, unseen=unseen)
        if edit.change is not None:
            changes.append(edit.change)
    change_set = ChangeSet(
        store.store,
        OPERATION,
        tuple(changes),
        proposals=tuple(Proposal(patch.digest, (patch.path,)) for patch in placed),
        details={"session": session} if changes else {},
    )
    types = {patch.type for patch in placed}
    touched = tuple(type_ for type_ in MEMORY_TYPES if type_ in types)
    return change_set, PlannedPatches(placed, edit, touched, edit.notes)


def _addition(patch: Patch, now_ns: int) -> FileChange:
    reason = f"new {patch.type} memory" + (f" ({patch.rule})" if patch.rule else "")
    return FileChange(patch.path, None, topic_bytes(patch), reason, mtime_ns=now_ns)
