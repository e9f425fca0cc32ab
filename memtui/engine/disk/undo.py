"""From a journal entry to the change set that reverses it (design section 1, step 5).

Invariant: only what still is as the act left it is reversed, and an index line by line; the rest is
left and told. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.files import printable, reason_of
from memtui.engine.disk.journal_entry import Image, JournalEntry, JournalFile, Left, digest_of
from memtui.engine.disk.places import Place, Seen, is_index, locate, look, real_root, state_root
from memtui.engine.disk.state_undo import REJECTED, remembered, reversed_keys
from memtui.engine.errors import ReadOnlyError
from memtui.engine.format.line_undo import reverse_lines
from memtui.engine.types import INDEX_NAME, ChangeSet, FileChange, StateChange, bound_to

Images = Callable[[str], bytes]

OPERATION = "undo"

_LASTING = {("dream", "meta.json")}
"""What the undo of an operation leaves: a dream that was undone has been all the same (spec
section 9)."""

_CHANGED_SINCE = "It was changed since."
_GONE = "It is gone."
_BOUND = "It belongs with a file that stays: going back alone, it would lose what that one gave it."


@dataclass(frozen=True, slots=True)
class StoreUndo:
    """What undoing an act means for one store."""

    entry: JournalEntry
    change_set: ChangeSet
    """Empty where nothing of the act is left to reverse."""
    left: tuple[Left, ...]
    """What others have changed since: it stays as it is."""


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What undoing an act means; made for review, applied with `undoes=plan.id`."""

    id: str
    parts: tuple[StoreUndo, ...]

    @property
    def change_sets(self) -> tuple[ChangeSet, ...]:
        """One for each store in which there is something to reverse."""
        return tuple(part.change_set for part in self.parts if not part.change_set.is_empty)

    @property
    def left(self) -> tuple[Left, ...]:
        """What stays, of all stores."""
        return tuple(left for part in self.parts for left in part.left)

    @property
    def operation(self) -> str:
        """The verb of the act that is undone."""
        return self.parts[0].entry.operation


def plan_store(entry: JournalEntry, image: Images, state_dir: Path) -> StoreUndo:
    """What undoing `entry` means now; `image` gives the bytes of `Image.stored`.

    Raises OSError where an image cannot be read.
    """
    root = real_root(entry.store.memory_dir)
    changes: list[FileChange] = []
    left: list[Left] = []
    found = {
        file.path: _reversed(root, file, image, frozenset())
        for file in reversed(entry.files)
        if not is_index(file.path)
    }
    stuck = {path for path, each in found.items() if isinstance(each, Left)}
    for path in bound_to(stuck, entry.together):
        if isinstance(found.get(path), FileChange):
            found[path] = Left(path, _BOUND)
            stuck.add(path)
    added = {file.path for file in entry.files if file.kind == "added"}
    bound = {path for path in stuck if any(path in group for group in entry.together)}
    # The index line of a file that stays stays as well.
    staying = frozenset(stuck & (added | bound))
    for file in reversed(entry.files):
        if is_index(file.path):
            found[file.path] = _reversed(root, file, image, staying)
    for each in found.values():
        if isinstance(each, FileChange):
            changes.append(each)
        elif each is not None:
            left.append(each)
    states: list[StateChange] = []
    for state in reversed(entry.states):
        if (entry.operation, state.name) in _LASTING:
            continue
        change, complaint = reversed_keys(
            state_root(state_dir, entry.store, state.name),
            state,
            was_removed=any(
                file.path == state.name and file.after is None for file in entry.state_files
            ),
        )
        if change is not None:
            states.append(change)
        if complaint is not None:
            left.append(complaint)
    if changes:
        rejected, complaint = remembered(
            state_root(state_dir, entry.store, REJECTED), entry, {each.path for each in changes}
        )
        states += [] if rejected is None else [rejected]
        left += [] if complaint is None else [complaint]
    change_set = ChangeSet(
        entry.store, OPERATION, tuple(changes), tuple(states), together=entry.together
    )
    return StoreUndo(entry, change_set, tuple(left))


def _reversed(
    root: Path, file: JournalFile, image: Images, staying: AbstractSet[str]
) -> FileChange | Left | None:
    """The reversal of one file; None where it is as before already.

    `staying` are files that stay, and with them their index lines.
    """
    try:
        place = locate(root, file.path)
        now = look(place)
    except ReadOnlyError as error:
        return Left(file.path, str(error))
    except OSError as error:
        return Left(file.path, f"It cannot be read: {reason_of(error)}.")
    if now is None:
        return _of_missing(file, image)
    before, after = file.before, file.after
    if before is not None and _is(now, before, is_edit=file.kind == "changed"):
        return None
    is_own_index = is_index(file.path) and (now.link is None or file.kind == "changed")
    is_untouched = after is not None and _is(now, after, is_edit=file.kind == "changed")
    if is_untouched and not (is_own_index and staying):
        return _of_untouched(root, file, image, place, now)
    if is_own_index:
        return _of_index(file, image, now, staying)
    return Left(
        file.path,
        "Another file has taken its name." if file.kind == "removed" else _CHANGED_SINCE,
    )


def _of_missing(file: JournalFile, image: Images) -> FileChange | Left | None:
    before = file.before
    if before is None:
        return None
    if file.kind == "changed":
        return Left(file.path, _GONE)
    is_link = before.link is not None
    return FileChange(
        path=file.path,
        before=None,
        after=image(before.stored),
        reason="comes back",
        mtime_ns=before.link_mtime_ns if is_link else before.mtime_ns,
        mode=before.mode,
        link=before.link,
    )


def _of_untouched(
    root: Path, file: JournalFile, image: Images, place: Place, now: Seen
) -> FileChange | Left:
    """The file is as the act left it: it goes back whole."""
    before = file.before
    if before is None:
        return FileChange(
            path=file.path,
            before=now.content,
            after=None,
            reason="was made by what is undone",
            link=now.link,
        )
    if place.target != root / file.target:
        return Left(file.path, f"It leads to another file now, {printable(str(place.target))}.")
    return FileChange(
        path=file.path,
        before=now.content,
        after=image(before.stored),
        reason="goes back to what it was",
        mtime_ns=before.mtime_ns,
    )


def _of_index(
    file: JournalFile, image: Images, now: Seen, staying: AbstractSet[str]
) -> FileChange | None:
    """The index was rewritten since, or has lines that stay: our own others alone are reversed."""
    before = b"" if file.before is None else image(file.before.stored)
    after = b"" if file.after is None else image(file.after.stored)
    folder = file.path.removesuffix(INDEX_NAME)
    names = {path.removeprefix(folder) for path in staying if path.startswith(folder)}
    content = reverse_lines(before, after, now.content, staying=names)
    if content == now.content:
        return None
    return FileChange(
        path=file.path,
        before=now.content,
        after=content,
        reason="its lines go back, beside what was written since",
    )


def _is(now: Seen, image: Image, *, is_edit: bool) -> bool:
    """Whether the file is as in `image`; of a link that came or went, what it says counts."""
    if not is_edit and (image.link is not None or now.link is not None):
        return image.link == now.link
    return digest_of(now.content) == image.digest
