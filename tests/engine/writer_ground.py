"""Two stores on disk with their state, and the agents that change them at any time."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from memtui.engine.disk.journal import Journal
from memtui.engine.disk.journal_entry import JournalEntry, digest_of
from memtui.engine.disk.store import Applied, StoreWriter, Undone
from memtui.engine.errors import MemtuiError
from memtui.engine.types import ChangeSet, FileChange, StateChange, Store
from tests.engine.faults import FaultyCalls
from tests.engine.forked import DyingCalls, Tell
from tests.engine.writer_model import GONE, INDEX, NOW, Act, Changed, Files, Place
from tests.engine.written_store import OLD_NS, Found, WrittenStore, temporaries, tree

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EINTR)
PATHS = ("a.md", "b.md", "c.md", "d/x.md", "d/e/y.md", INDEX)
PLACES = st.tuples(st.integers(0, 1), st.sampled_from(PATHS))
KEYS = ("lastDreamAt", "lastDreamStatus")
OUTSIDE = ("write", "replace", "append", "delete", "rename")
"""What an agent may do to a file."""


Watch = Callable[[str, tuple[Any, ...]], None]

REFUSED = 3
"""The status of a child whose deed was refused."""


class ShortCalls(FaultyCalls):
    """A disk that takes half of a long write at a time."""

    def write(self, descriptor: int, data: bytes) -> int:
        return int(super().write(descriptor, data[: len(data) // 2] if len(data) > 600 else data))


class ShortDyingCalls(DyingCalls, ShortCalls):
    """The end comes in the middle of a file too."""


@dataclass
class Visit:
    """What an agent does, once, before the call `at` of an act or right after it."""

    at: int
    kind: str
    place: Place
    other: Place
    is_over: bool = False

    def is_due(self, count: int, name: str, arguments: tuple[Any, ...], ground: Ground) -> bool:
        """Whether it is time, said once. Before a file is replaced it is not.

        Against a writer that takes no lock nothing helps at that moment.
        """
        if self.is_over or count <= self.at:
            return False
        paths = {ground.path(self.place), ground.path(self.other)}
        self.is_over = name != "replace" or arguments[1] not in paths
        return self.is_over


class TwiceCalls(ShortCalls):
    """Two calls fail: one of the act, and one later, as of the attempt to take it back."""

    def __init__(self, first: int, second: int, error: int, watch: Watch | None) -> None:
        super().__init__(first, error, watch=watch)
        self._second = second

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.failed:
            self._at = self._second
        super().before(name, arguments)


@dataclass(frozen=True)
class Deed:
    """One call of the writer, which can be sent to another process."""

    stores: tuple[Store, ...]
    sets: tuple[ChangeSet, ...] = ()
    """What `apply` is given; none for an undo and a start."""
    is_undo: bool = False
    act_id: str | None = None

    @property
    def is_act(self) -> bool:
        """Whether it is one that is journalled."""
        return bool(self.sets) or self.is_undo

    def do(self, state_dir: Path, calls: FaultyCalls) -> Applied | Undone | None:
        """Raises MemtuiError; also where a start finds something that it cannot do now."""
        writer = StoreWriter(state_dir, calls=calls, lock_timeout_s=0.0)
        if self.sets:
            return writer.apply(self.sets)
        if self.is_undo:
            return writer.undo(self.stores, self.act_id)
        for store in self.stores:
            for found in writer.recover([store]):
                if found.problem:
                    raise MemtuiError(found.problem)
        return None


def do_and_die(tell: Tell, ground: Ground, deed: Deed, at: int, visit: Visit | None) -> None:
    """`deed` in a child that ends right before its call `at`; tells what the agent did."""

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if visit is not None and visit.is_due(calls.count, name, arguments, ground):
            found = ground.files()
            tell((found, ground.outside(visit.kind, visit.place, visit.other)))

    calls = ShortDyingCalls(at, watch=watch)
    try:
        deed.do(ground.state_dir, calls)
    except MemtuiError:
        os._exit(REFUSED)


class Ground:
    """A project store with state files, and a user store, below `root`."""

    def __init__(self, root: Path) -> None:
        self.made = (
            WrittenStore(root, {"a.md": b"a 0", "d/x.md": b"x 0", INDEX: b"- [a](a.md)\n"}),
            WrittenStore(root, {"b.md": b"b 0"}, name="user", scope="user"),
        )
        (self.made[0].memory / "a.md").chmod(0o640)
        self.stores = tuple(each.store for each in self.made)
        self.state_dir = self.made[0].state
        self.lock = self.made[0].project / "consolidation.lock"
        self._meta = self.made[0].project / "meta.json"
        self.write_meta({"version": 1, "theirs": 0})
        probe = root / "probe"
        probe.write_bytes(b"")
        self.new_mode = probe.stat().st_mode & 0o777
        self.version = 0

    # Looking

    def path(self, place: Place) -> Path:
        return self.made[place[0]].memory / place[1]

    def files(self) -> Files:
        """Every file of both stores but temporary ones."""
        return {
            (number, name): found
            for number, each in enumerate(self.made)
            for name, found in tree(each.memory).items()
            if not name.endswith("/") and ".memtui-" not in name
        }

    def everything(self, *, with_folders: bool = True) -> tuple[dict[str, Found], ...]:
        """Both stores with their folders, unless told otherwise, the state files and the lock."""
        return tuple(
            {
                name: found
                for name, found in each.tree().items()
                if ".memtui-" not in name and (with_folders or not name.endswith("/"))
            }
            for each in self.made
        )

    def meta(self) -> dict[str, object]:
        values: dict[str, object] = json.loads(self._meta.read_bytes())
        return values

    def temporaries(self) -> list[str]:
        return temporaries(*(each.project for each in self.made), self.state_dir)

    def _entries(self) -> list[tuple[int, Journal, JournalEntry]]:
        return [
            (number, journal, entry)
            for number, store in enumerate(self.stores)
            for journal in [Journal(self.state_dir, store)]
            for entry in journal.entries()
        ]

    def is_closed(self) -> bool:
        """Whether no act is open in the journals."""
        return all(entry.status != "open" for _number, _journal, entry in self._entries())

    def is_settled(self) -> bool:
        """Whether a start has nothing to do."""
        return not any(Journal(self.state_dir, store).unfinished() for store in self.stores)

    def applied(self) -> list[str]:
        """The acts that were carried out, the oldest first."""
        found = {
            entry.id for _number, _journal, entry in self._entries() if entry.status == "applied"
        }
        return sorted(found)

    def before_images(self, act_id: str) -> dict[Place, bytes]:
        """What the journal has kept of an act."""
        return {
            (number, file.path): journal.image(act_id, file.before.stored)
            for number, journal, entry in self._entries()
            if entry.id == act_id
            for file in entry.files
            if file.before is not None
        }

    def recorded(
        self, act: Act, act_id: str, touched: Collection[Place], texts: Iterable[Act]
    ) -> Act:
        """`act` as it was carried out: at the places in `touched` as the journal has it.

        `texts` are the acts among whose bytes are those that it wrote.
        """
        known = {
            digest_of(found.content): found
            for each in texts
            for found in (*each.before.values(), *each.after.values())
            if found is not None
        }
        before: Changed = {}
        after: Changed = {}
        for number, journal, entry in self._entries():
            for file in entry.files if entry.id == act_id else ():
                place = (number, file.path)
                if place not in touched:
                    before[place], after[place] = act.before[place], act.after[place]
                    continue
                old, new = file.before, file.after
                before[place] = after[place] = None
                if old is not None:
                    image = journal.image(act_id, old.stored)
                    before[place] = Found(image, old.mtime_ns or 0, old.mode or 0)
                if new is not None and new.stored:
                    after[place] = Found(journal.image(act_id, new.stored), NOW, self.new_mode)
                elif new is not None:
                    after[place] = known[new.digest]
        assert {*act.before} - {*before} <= {*touched}
        return replace(act, before=before, after=after, id=act_id)

    def has_image(self, content: bytes) -> bool:
        """Whether the journal still holds these bytes as those of before an act."""
        return any(path.read_bytes() == content for path in self.state_dir.rglob("*.before"))

    # Plans

    def next_version(self) -> int:
        self.version += 1
        return self.version

    def sets(self, act: Act) -> tuple[ChangeSet, ...]:
        """The change sets of `act`, the index last as planners have it."""
        found = []
        for number, store in enumerate(self.stores):
            changes = []
            for place in sorted(act.before, key=lambda each: each[1] == INDEX):
                before, after = act.before[place], act.after[place]
                if place[0] == number:
                    changes.append(
                        FileChange(
                            place[1],
                            None if before is None else before.content,
                            None if after is None else after.content,
                            "planned",
                            mtime_ns=after.mtime_ns if after and after.mtime_ns != NOW else None,
                        )
                    )
            states = (_state_change(act),) if act.keys and not number else ()
            if changes or states:
                found.append(ChangeSet(store, "forget", tuple(changes), states))
        return tuple(found)

    # What agents do

    def write_meta(self, values: Mapping[str, object]) -> None:
        self._meta.write_text(json.dumps(values))

    def write(self, place: Place, content: bytes, *, is_new: bool = False) -> Found:
        """As agents write: the old file in place, or a new file that takes its name."""
        path = self.path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_name("theirs.tmp") if is_new else path
        written.write_bytes(content)
        written.replace(path)
        return _found(path)

    def outside(self, kind: str, place: Place, other: Place) -> Changed:
        """One of `OUTSIDE`; gives what it changed."""
        path = self.path(place)
        new = f"theirs {self.next_version()}\n".encode()
        if kind in ("write", "replace"):
            return {place: self.write(place, new, is_new=kind == "replace")}
        if not path.exists():
            return {}
        if kind == "append":
            return {place: self.write(place, path.read_bytes() + new)}
        if kind == "rename" and place != other:
            target = self.path(other)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
            return {place: None, other: _found(target)}
        path.unlink()
        return {place: None}


def _found(path: Path) -> Found:
    status = path.stat()
    return Found(path.read_bytes(), status.st_mtime_ns, status.st_mode & 0o777)


def _state_change(act: Act) -> StateChange:
    before = {key: old for key, (old, _new) in act.keys.items() if old != GONE}
    after = {key: new for key, (_old, new) in act.keys.items() if new != GONE}
    return StateChange("meta.json", before, after)


def planned(data: st.DataObject, ground: Ground, files: Files, meta: Mapping[str, object]) -> Act:
    """An act that adds, edits and removes some files and sets some keys."""
    drawn = data.draw(st.lists(PLACES, min_size=1, max_size=5, unique=True))
    before = {place: files.get(place) for place in drawn}
    after: Changed = {}
    for place, found in before.items():
        if found is not None and data.draw(st.booleans()):
            after[place] = None
            continue
        version = ground.next_version()
        content = f"- [{version}]({version}.md)\n".encode()
        if place[1] != INDEX:
            content *= data.draw(st.sampled_from((1, 200)))
        elif found is not None:
            content = content.join(found.content.partition(b"\n")[::2])
        mtime_ns = data.draw(st.sampled_from((NOW, OLD_NS + version)))
        mode = ground.new_mode if found is None else found.mode
        after[place] = Found(content, mtime_ns, mode)
    keys = {}
    for key in data.draw(st.sets(st.sampled_from(KEYS))):
        keys[key] = (meta.get(key, GONE), f"ours {ground.next_version()}")
    return Act(before, after, keys)
