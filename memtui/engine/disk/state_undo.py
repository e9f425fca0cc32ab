"""Taking back single keys of a state file, where they still hold what an act wrote.

Invariant: a key that holds anything else, and every other key, stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from memtui.engine.disk.calls import Calls
from memtui.engine.disk.journal_entry import JournalEntry, JournalFile, Left
from memtui.engine.disk.places import locate, look
from memtui.engine.disk.replace import remove_if_there, write_new
from memtui.engine.disk.state import patch, read_state, same_value
from memtui.engine.errors import RefusedError
from memtui.engine.types import StateChange, StateName

REJECTED: StateName = "rejected.json"


def reversed_keys(
    folder: Path, state: StateChange, *, was_removed: bool = False
) -> tuple[StateChange | None, Left | None]:
    """The change that takes back `state` in `folder`, and what stays, with the reason.

    `was_removed` says that the act left no file; then a missing one is as it left it.
    """
    found = read_state(folder / state.name)
    if found.problem:
        return None, Left(state.name, found.problem)
    values: Mapping[str, object] | None = found.values
    if values is None:
        if not was_removed:
            return None, Left(state.name, "It is gone.")
        values = {}
    keys = tuple(dict.fromkeys((*state.before, *state.after)))
    ours = [key for key in keys if _holds(values, state.after, key)]
    others = [key for key in keys if key not in ours and not _holds(values, state.before, key)]
    left = None
    if others:
        names = ", ".join(others)
        left = Left(state.name, f"Other values were written since: {names}.")
    if not ours:
        return None, left
    before = {key: state.after[key] for key in ours if key in state.after}
    after = {key: state.before[key] for key in ours if key in state.before}
    return StateChange(state.name, before, after), left


def remembered(
    folder: Path, entry: JournalEntry, undone: AbstractSet[str]
) -> tuple[StateChange | None, Left | None]:
    """The change that remembers what rules proposed of `entry`, as far as it is undone.

    `undone` are the paths that go back; `folder` holds memtui's own state files. Gives nothing
    where all of it is known already, and what hinders it, with the reason.
    """
    digests = [each.digest for each in entry.proposals if not undone.isdisjoint(each.paths)]
    if not digests:
        return None, None
    found = read_state(folder / REJECTED)
    if found.problem:
        return None, Left(REJECTED, found.problem)
    known = found.values or {}
    after = {each: f"undone: {entry.operation} {entry.id}" for each in digests if each not in known}
    return (StateChange(REJECTED, {}, after), None) if after else (None, None)


def put_back_keys(
    calls: Calls, folder: Path, file: JournalFile, entry: JournalEntry, now_ns: int
) -> tuple[bool, Left | None]:
    """Take back the keys of the state file `file`, which was rewritten after `entry` had.

    Gives whether anything was put back, and what was left. Raises OSError; can be repeated.
    """
    has_changed, left = False, None
    for state in entry.states:
        if state.name != file.path:
            continue
        change, left = reversed_keys(folder, state)
        seen = look(locate(folder, file.path)) if change is not None else None
        if change is None or seen is None:
            continue
        try:
            content = patch(seen.content, change, now_ns=now_ns)
        except RefusedError as error:
            return has_changed, Left(file.path, str(error))
        target = folder / file.target
        temporary = target.with_name(file.temporary)
        remove_if_there(calls, temporary)
        write_new(calls, temporary, content, mode=seen.mode)
        calls.replace(temporary, target)
        has_changed = True
    return has_changed, left


def _holds(values: Mapping[str, object], expected: Mapping[str, object], key: str) -> bool:
    if key in expected:
        return key in values and same_value(values[key], expected[key])
    return key not in values
