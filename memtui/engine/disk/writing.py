"""One act over one or several stores: journal, stage, commit, and back again where it fails.

Invariant: called with the locks of all its stores held. When `write` returns, every file is as
planned; when it raises, every file is as before, or the journal entry is open and the next
recovery puts it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui.engine.disk.act import (
    Owner,
    Step,
    check,
    commit,
    missing_folders,
    record,
    stage,
)
from memtui.engine.disk.calls import Calls
from memtui.engine.disk.files import reason_of
from memtui.engine.disk.journal import Journal
from memtui.engine.disk.journal_entry import JournalEntry, JournalFile, Left, digest_of
from memtui.engine.disk.locations import PRIVATE_FILE, make_private, store_dir
from memtui.engine.disk.places import is_index, real_root, state_root
from memtui.engine.disk.put_back import may_give_away, put_back, remove_folders
from memtui.engine.disk.recovery import finish
from memtui.engine.disk.replace import make_folders, remove_if_there, sync_folder
from memtui.engine.disk.state import differing_keys, patch, read_state
from memtui.engine.errors import RefusedError, StoreError
from memtui.engine.types import ChangeSet, FileChange, StateChange


@dataclass(slots=True)
class Share:
    """What an act does to one store."""

    change_set: ChangeSet
    root: Path
    journal: Journal
    steps: list[Step]
    state_steps: list[Step]
    differing: tuple[str, ...]
    """Paths and state files that are not as planned."""
    entry: JournalEntry | None = None
    is_open: bool = False
    made: list[Path] = field(default_factory=list)

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """As the journal lists them: state files last."""
        return (*self.steps, *self.state_steps)

    @property
    def in_order(self) -> list[Step]:
        """In the order of applying: topic files, `meta.json`, the index, then the cursor."""
        return sorted(self.all_steps, key=self._place)

    def _place(self, step: Step) -> int:
        if step in self.state_steps:
            return 1 if step.change.path == "meta.json" else 3
        return 2 if is_index(step.change.path) else 0

    def records(self) -> Iterator[tuple[Step, JournalFile]]:
        """Each step with what the journal keeps of it."""
        entry = self.entry
        files = () if entry is None else (*entry.files, *entry.state_files)
        return zip(self.all_steps, files, strict=True)


def prepare(
    calls: Calls, state_dir: Path, change_set: ChangeSet, undoes: str | None, now_ns: int
) -> Share:
    """Check a change set against what is there.

    Raises ReadOnlyError and RefusedError where it cannot be applied at all, OSError.
    """
    store = change_set.store
    root = real_root(store.memory_dir)
    journal = Journal(state_dir, store, calls)
    undone = None if undoes is None else journal.peek(undoes)
    steps, differing = check(root, change_set.changes, _owners(undone))
    state_steps: list[Step] = []
    for state in change_set.state_changes:
        folder = state_root(state_dir, store, state.name)
        file_change, is_planned = _state_file(folder, state, undone, journal, now_ns)
        if not is_planned:
            differing.append(state.name)
        state_steps += check(folder, [file_change])[0]
    return Share(change_set, root, journal, steps, state_steps, tuple(differing))


def _owners(undone: JournalEntry | None) -> Mapping[str, Owner]:
    if undone is None or not may_give_away():
        return {}
    return {
        file.path: file.before.owner
        for file in undone.files
        if file.before is not None and file.before.owner is not None
    }


def _state_file(
    folder: Path, state: StateChange, undone: JournalEntry | None, journal: Journal, now_ns: int
) -> tuple[FileChange, bool]:
    """The change of a state file's bytes, and whether its keys are as planned."""
    found = read_state(folder / state.name)
    if found.problem:
        raise RefusedError(found.problem)
    is_planned = not differing_keys(found.values, state)
    after: bytes | None = patch(found.raw, state, now_ns=now_ns)
    mtime_ns = None
    whole = _whole(state, undone, found.raw)
    if undone is not None and whole is not None:
        before = whole.before
        after = None if before is None else journal.image(undone.id, before.stored)
        mtime_ns = None if before is None else before.mtime_ns
    change = FileChange(
        path=state.name,
        before=found.raw,
        after=after,
        reason="keys of a state file",
        mtime_ns=mtime_ns,
        mode=PRIVATE_FILE if folder == real_root(journal.folder.parent) else None,
    )
    return change, is_planned


def _whole(
    state: StateChange, undone: JournalEntry | None, raw: bytes | None
) -> JournalFile | None:
    """The file of the undone act, where nobody wrote to it since and all its keys go back."""
    if undone is None:
        return None
    for file in undone.state_files:
        if file.path == state.name:
            digest = None if raw is None else digest_of(raw)
            after = None if file.after is None else file.after.digest
            keys = {key for each in undone.states if each.name == state.name for key in _keys(each)}
            return file if digest == after and keys == _keys(state) else None
    return None


def _keys(state: StateChange) -> set[str]:
    return {*state.before, *state.after}


def write(
    calls: Calls,
    state_dir: Path,
    shares: Sequence[Share],
    *,
    act_id: str,
    undoes: str | None,
    pid: int,
    clock_ns: Callable[[], int],
    look_up: Callable[[], None] | None = None,
) -> tuple[JournalEntry, ...]:
    """Carry out an act that was checked; gives its journal entries, closed.

    `look_up` is called before each file; what it raises stops the act, and all is put back.

    Raises ConflictError, OSError; StoreError where something could not be put back at once.
    """
    peers = tuple(share.journal.key for share in shares)
    try:
        for share in shares:
            _open(share, act_id, undoes, peers, pid, clock_ns())
        for share in shares:
            _stage(calls, state_dir, share)
        for share in shares:
            for step in share.in_order:
                if look_up is not None:
                    look_up()
                commit(calls, step)
        for share in shares:
            changed = [step.target.parent for step in share.all_steps]
            for folder in dict.fromkeys((*changed, *(made.parent for made in share.made))):
                sync_folder(calls, folder)
        closed_ns = clock_ns()
        # This one rename decides for all stores of the act.
        shares[0].journal.close(act_id, "applied", closed_ns)
    except BaseException:
        # An interrupt may come right after the rename that closed the act: then it stands.
        if not shares[0].journal.is_closed(act_id):
            _reverse(calls, shares, clock_ns)
        raise
    entries = []
    for share in shares:
        assert share.entry is not None
        entry = replace(share.entry, status="applied", closed_ns=closed_ns)
        entries.append(entry)
        # What is left undone here is done by the next recovery; the act itself stands.
        with suppress(OSError):
            _finish(calls, state_dir, share.journal, entry)
    return tuple(entries)


def _open(
    share: Share, act_id: str, undoes: str | None, peers: tuple[str, ...], pid: int, now_ns: int
) -> None:
    images: dict[str, bytes] = {}
    files = tuple(record(step, number, images) for number, step in enumerate(share.steps, 1))
    first = len(files) + 1
    state_files = tuple(
        record(step, number, images) for number, step in enumerate(share.state_steps, first)
    )
    share.entry = JournalEntry(
        id=act_id,
        operation=share.change_set.operation,
        time_ns=now_ns,
        pid=pid,
        store=share.change_set.store,
        peers=peers,
        undoes=undoes,
        files=files,
        states=share.change_set.state_changes,
        state_files=state_files,
        folders=missing_folders(share.steps),
        proposals=share.change_set.proposals,
        details=share.change_set.details,
        together=share.change_set.together,
    )
    share.journal.open(share.entry, images)
    share.is_open = True


def _stage(calls: Calls, state_dir: Path, share: Share) -> None:
    for folder in dict.fromkeys(step.root for step in share.state_steps):
        if folder == real_root(store_dir(state_dir, share.change_set.store)):
            make_private(folder, state_dir)
        else:
            make_folders(calls, folder, [])
    for step in share.all_steps:
        # A file that goes needs no folder: where there is none it is gone already.
        if step.change.after is not None:
            make_folders(calls, step.target.parent, share.made)
        stage(calls, step)


def _finish(calls: Calls, state_dir: Path, journal: Journal, entry: JournalEntry) -> None:
    """Close and tidy up, twice where the first time fails. Raises OSError."""
    assert entry.closed_ns is not None
    for attempt in range(2):
        try:
            if not journal.is_closed(entry.id):
                journal.close(entry.id, entry.status, entry.closed_ns)
            finish(calls, state_dir, journal, entry)
        except OSError:
            if attempt:
                raise
        else:
            return


def _reverse(calls: Calls, shares: Sequence[Share], clock_ns: Callable[[], int]) -> None:
    """Put everything back, twice where the first time fails.

    Raises StoreError where that does not help; the entry is left open then.
    """
    fault: OSError | None = None
    for share in reversed(shares):
        if not share.is_open:
            continue
        left: list[Left] = []
        for _attempt in range(2):
            left.clear()
            fault_here = _reverse_share(calls, share, left)
            if fault_here is None:
                break
        else:
            fault = fault_here
            continue
        _forget(share, left, clock_ns())
    if fault is not None:
        raise StoreError(
            f"A change failed and could not be taken back wholly ({reason_of(fault)}); "
            "memtui takes it back at its next start."
        ) from fault


def _reverse_share(calls: Calls, share: Share, left: list[Left]) -> OSError | None:
    entry = share.entry
    assert entry is not None
    fault: OSError | None = None
    for step, file in reversed(tuple(share.records())):
        try:
            if not step.is_begun:
                remove_if_there(calls, step.temporary)
                continue
            _changed, found = put_back(
                calls,
                step.root,
                file,
                lambda stored: share.journal.image(entry.id, stored),
                was_done=step.is_done,
            )
            if found is not None:
                left.append(found)
            sync_folder(calls, step.target.parent)
        except (FileNotFoundError, NotADirectoryError) as error:
            if step.target.parent.is_dir():
                fault = fault or error
        except OSError as error:
            fault = fault or error
    remove_folders(calls, share.root, [str(folder) for folder in share.made])
    return fault


def _forget(share: Share, left: Sequence[Left], now_ns: int) -> None:
    """Drop the entry of an act that changed nothing; keep its images where something is left."""
    assert share.entry is not None
    # An entry that stays open does no harm: the next recovery finds nothing to put back.
    with suppress(OSError):
        if left:
            share.journal.close(share.entry.id, "rolled-back", now_ns, left)
            share.journal.mark_clean(share.entry.id)
        else:
            share.journal.discard(share.entry.id)
