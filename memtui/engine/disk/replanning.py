"""When a plan may be made once more on what is there now (design section 1, step 2).

Invariant: pure; only an index or a state file may differ, and the topic files change as before.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from memtui.engine.disk.places import is_index
from memtui.engine.types import ChangeSet, FileChange, StateName

_STATE_FILES: tuple[str, ...] = get_args(StateName)


def may_differ(paths: Iterable[str]) -> bool:
    """Whether only files differ that agents rewrite all the time."""
    return all(is_index(path) or path in _STATE_FILES for path in paths)


def topic_changes(sets: Iterable[ChangeSet]) -> dict[Path, tuple[FileChange, ...]]:
    """The changes to topic files, by memory directory."""
    found = {}
    for each in sets:
        changes = tuple(change for change in each.changes if not is_index(change.path))
        if changes:
            found[each.store.memory_dir] = changes
    return found
