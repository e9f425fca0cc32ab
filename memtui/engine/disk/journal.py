"""The journal of one store: what was done, and the bytes to undo it with.

Layout, below `stores/<store>/journal/`: one folder for each act, named by its ID, that holds
`intent.json`, the before-images, `closed.json` once the act is done or put back, and `clean` once
nothing of it is left in the store. Invariant: a folder with an ID is whole, since it takes its
name by a rename, and that rename is on the disk before anything of the store is touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from memtui.engine.disk.calls import SYSTEM, Calls
from memtui.engine.disk.journal_entry import (
    EntryStatus,
    JournalEntry,
    Left,
    decode,
    encode,
    encode_closed,
)
from memtui.engine.disk.locations import PRIVATE_FILE, PRIVATE_FOLDER, make_private, store_dir
from memtui.engine.disk.replace import remove_if_there, sync_folder, write_new
from memtui.engine.disk.settings import JournalSettings
from memtui.engine.errors import RefusedError, UnknownIdError
from memtui.engine.types import Store

NEWEST_KEPT = 50
"""So many entries of a store are never evicted (design section 1)."""

_ID = re.compile(r"(\d{8}-\d{4})-([0-9a-f]{4})\Z")
_MINUTE_MS = 60_000
_DAY_NS = 86_400 * 1_000_000_000
_INTENT, _CLOSED, _CLEAN = "intent.json", "closed.json", "clean"
_HALF, _GONE = ".new-", ".gone-"


@dataclass(frozen=True, slots=True)
class Purged:
    """An entry that was removed from the journal whole, and can no longer be undone."""

    id: str
    operation: str
    size_bytes: int


class Journal:
    """The entries of `store` below `root`, memtui's state directory.

    The caller holds the store's lock for everything but reading.
    """

    def __init__(self, root: Path, store: Store, calls: Calls = SYSTEM) -> None:
        self._setup(root, store_dir(root, store).name, calls)

    def _setup(self, root: Path, key: str, calls: Calls) -> None:
        self.root = root
        self.key = key
        self.folder = root / "stores" / key / "journal"
        self._calls = calls

    @classmethod
    def of_key(cls, root: Path, key: str, calls: Calls = SYSTEM) -> Journal:
        """The journal whose folder is `key`, a name in `JournalEntry.peers`."""
        journal = cls.__new__(cls)
        journal._setup(root, key, calls)
        return journal

    # Reading

    def ids(self) -> list[str]:
        """All entries, the oldest first."""
        try:
            return sorted(each.name for each in self.folder.iterdir() if _ID.match(each.name))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def entries(self) -> tuple[JournalEntry, ...]:
        """All entries that can be read, the oldest first. Raises OSError."""
        return tuple(entry for entry in map(self.peek, self.ids()) if entry is not None)

    def read(self, entry_id: str) -> JournalEntry:
        """One entry. Raises UnknownIdError where there is none that can be read, OSError."""
        entry = self.peek(entry_id)
        if entry is None:
            raise UnknownIdError(f"The journal of this store has no entry {entry_id}.")
        return entry

    def broken(self) -> tuple[str, ...]:
        """The IDs of entries that cannot be read: a disk or a hand damaged them."""
        return tuple(each for each in self.ids() if self.peek(each) is None)

    def image(self, entry_id: str, stored: str) -> bytes:
        """The bytes of `Image.stored`. Raises OSError."""
        return (self.folder / entry_id / stored).read_bytes()

    def unfinished(self) -> tuple[str, ...]:
        """The IDs of entries that are open, or of which something may be left in the store."""
        return tuple(each for each in self.ids() if not self.is_clean(each))

    def is_closed(self, entry_id: str) -> bool:
        """Whether the entry itself says what became of it."""
        return (self.folder / entry_id / _CLOSED).exists()

    def is_clean(self, entry_id: str) -> bool:
        """Whether nothing of the entry is left in the store."""
        return (self.folder / entry_id / _CLEAN).exists()

    def beside(self, key: str) -> Journal:
        """The journal of another store of the same act: a name in `JournalEntry.peers`."""
        return Journal.of_key(self.root, key, self._calls)

    def has_rubble(self) -> bool:
        """True where `sweep` would find something."""
        try:
            return any(each.name.startswith((_HALF, _GONE)) for each in self.folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return False

    def peek(self, entry_id: str) -> JournalEntry | None:
        """One entry; None where there is none that can be read. Raises OSError."""
        if not _ID.match(entry_id):
            return None
        folder = self.folder / entry_id
        try:
            intent = (folder / _INTENT).read_bytes()
            closed = _bytes_of(folder / _CLOSED)
            size_bytes = sum(each.stat().st_size for each in folder.iterdir())
            entry = decode(intent, closed, size_bytes)
            if closed is None and entry.peers and entry.peers[0] != self.key:
                # The first store decided for all; this one was not told any more.
                first = self.beside(entry.peers[0]).folder / entry_id
                decided = _bytes_of(first / _CLOSED)
                if decided is not None:
                    told = decode(intent, decided, size_bytes)
                    entry = told if told.status == "applied" else entry
        except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
            return None
        return entry

    # Writing

    def open(self, entry: JournalEntry, images: Mapping[str, bytes]) -> None:
        """Write `entry` and its images, named as in `Image.stored`; all of it is on the disk then.

        Raises OSError; then there is no entry, or an open one whose act touched nothing.
        """
        calls = self._calls
        if not self.folder.is_dir():
            make_private(self.folder, self.root)
            for folder in (self.folder.parent, self.folder.parent.parent, self.root):
                sync_folder(calls, folder)
        half = self.folder / f"{_HALF}{entry.id}"
        try:
            calls.mkdir(half, PRIVATE_FOLDER)
            for name, content in images.items():
                write_new(calls, half / name, content, mode=PRIVATE_FILE)
            write_new(calls, half / _INTENT, encode(entry), mode=PRIVATE_FILE)
            sync_folder(calls, half)
            calls.rename(half, self.folder / entry.id)
        except OSError:
            self._remove(half)
            raise
        try:
            sync_folder(calls, self.folder)
        except OSError:
            self.discard(entry.id)
            raise

    def close(
        self, entry_id: str, status: EntryStatus, closed_ns: int, left: Sequence[Left] = ()
    ) -> None:
        """Write what became of an entry. Raises OSError; then it is as open as before."""
        calls = self._calls
        folder = self.folder / entry_id
        half, closed = folder / f"{_CLOSED}.new", folder / _CLOSED
        content = encode_closed(status, closed_ns, tuple(left))
        remove_if_there(calls, half)
        write_new(calls, half, content, mode=PRIVATE_FILE)
        try:
            calls.replace(half, closed)
        except OSError:
            with suppress(OSError):
                calls.unlink(half)
            if _bytes_of(closed) != content:
                raise
        # From here on the act counts as closed, so this may not fail it: should the rename be lost
        # with the power, the entry is open again and is put back.
        with suppress(OSError):
            sync_folder(calls, folder)

    def mark_clean(self, entry_id: str) -> None:
        """Note that nothing of the entry is left in the store. Raises OSError."""
        with suppress(FileExistsError):
            write_new(self._calls, self.folder / entry_id / _CLEAN, b"", mode=PRIVATE_FILE)

    def discard(self, entry_id: str) -> None:
        """Forget an entry whose act changed nothing. Raises OSError; then it is still there."""
        gone = self.folder / f"{_GONE}{entry_id}"
        self._calls.rename(self.folder / entry_id, gone)
        self._remove(gone)

    def purge(self, entry_id: str) -> Purged:
        """Remove an entry with all its images: its act can no longer be undone.

        Raises UnknownIdError; RefusedError where the act is not finished; OSError.
        """
        entry = self.read(entry_id)
        if not self._is_settled(entry):
            raise RefusedError(f"{entry_id} is not finished; open its store again first.")
        self.discard(entry_id)
        return Purged(entry.id, entry.operation, entry.size_bytes)

    def evict(self, limits: JournalSettings, now_ns: int) -> tuple[str, ...]:
        """Remove entries beyond age and size; gives their IDs, the newest first.

        The newest 50 stay, and whatever is not finished. Raises OSError.
        """
        evicted = []
        total_bytes = 0
        for position, entry_id in enumerate(reversed(self.ids())):
            entry = self.peek(entry_id)
            if entry is None:
                continue
            total_bytes += entry.size_bytes
            is_old = now_ns - entry.time_ns > limits.keep_days * _DAY_NS
            is_large = total_bytes > limits.keep_mb * 1_000_000
            if position >= NEWEST_KEPT and (is_old or is_large) and self._is_settled(entry):
                self.discard(entry_id)
                total_bytes -= entry.size_bytes
                evicted.append(entry_id)
        return tuple(evicted)

    def sweep(self) -> None:
        """Remove what an end in the middle of `open` or `discard` left. Raises nothing."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for each in list(self.folder.iterdir()):
                if each.name.startswith((_HALF, _GONE)):
                    self._remove(each)

    def _is_settled(self, entry: JournalEntry) -> bool:
        """True where no store of the act has anything to finish any more.

        The first store's entry decides for all, so it may not go before that.
        """
        if not self.is_clean(entry.id):
            return False
        for key in entry.peers:
            folder = self.beside(key).folder / entry.id
            if folder.exists() and not (folder / _CLOSED).exists():
                return False
        return True

    def _remove(self, folder: Path) -> None:
        """Remove a folder that counts for nothing any more; what cannot go is swept later."""
        with suppress(OSError):
            for each in list(folder.iterdir()):
                with suppress(OSError):
                    self._calls.unlink(each)
            self._calls.rmdir(folder)


def new_id(root: Path, journals: Iterable[Journal], now_ns: int) -> str:
    """An ID that no store has, later than every one in `journals` even where a clock went back."""
    latest = max(
        (_milliseconds(ids[-1]) for ids in (each.ids() for each in journals) if ids), default=-1
    )
    time_ms = max(now_ns // 1_000_000, latest + 1)
    stores = root / "stores"
    taken = [each / "journal" for each in stores.iterdir()] if stores.is_dir() else []
    while any((each / _id_at(time_ms)).exists() for each in taken):
        time_ms += 1
    return _id_at(time_ms)


def _id_at(time_ms: int) -> str:
    minute, rest = divmod(time_ms, _MINUTE_MS)
    return f"{datetime.fromtimestamp(minute * 60, timezone.utc):%Y%m%d-%H%M}-{rest:04x}"


def _milliseconds(entry_id: str) -> int:
    found = _ID.match(entry_id)
    if found is None:
        return -1
    try:
        minute = datetime.strptime(found[1], "%Y%m%d-%H%M").replace(tzinfo=timezone.utc)
    except ValueError:
        return -1
    return int(minute.timestamp()) * 1000 + int(found[2], 16)


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
