"""What a store must hold after each act, told without the writer: the model of its state machine.

A place is the number of a store and a path in it. The files of a model are what lies in the stores;
a `mtime_ns` of `NOW` stands for the time of writing, which only the disk knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations

from memtui.engine.format.line_undo import reverse_lines
from tests.engine.written_store import Found

Place = tuple[int, str]
Files = dict[Place, Found]
Changed = dict[Place, Found | None]
"""Places with what lies there; None: nothing."""

INDEX = "MEMORY.md"
NOW = -1
GONE = "no such key"
"""The value of a key that is not in the state file."""


@dataclass(frozen=True)
class Act:
    """An act that stands, or would if it had been carried out."""

    before: Changed
    after: Changed
    keys: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    """Keys of the state file with their values before and after."""
    undoes: str | None = None
    id: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.before and not self.keys

    def contents_before(self) -> dict[Place, bytes]:
        """What it displaced."""
        return {place: found.content for place, found in self.before.items() if found is not None}

    def after_others(self, place: Place, theirs: Found | None) -> set[Found | None]:
        """What may lie at `place` where others left `theirs` while the act was on its way.

        That, unless its bytes are those that the act or its taking back was planned on.
        """
        found = {theirs}
        if place in self.before:
            before, after = self.before[place], self.after[place]
            for old, new in ((before, after), (after, before)):
                if theirs is old is None or (theirs and old and theirs.content == old.content):
                    found.add(new)
        return found


def with_changes(files: Files, changed: Changed) -> Files:
    """`files` where `changed` has happened."""
    found = dict(files)
    for place, content in changed.items():
        if content is None:
            found.pop(place, None)
        else:
            found[place] = content
    return found


def with_keys(meta: Mapping[str, object], act: Act) -> dict[str, object]:
    """The keys of the state file after `act`."""
    found = dict(meta)
    for key, (_before, after) in act.keys.items():
        found[key] = after
    return {key: value for key, value in found.items() if value != GONE}


def undo_of(act: Act, files: Files, meta: Mapping[str, object]) -> Act:
    """What undoing `act` has to do now, by the rules of design section 1, step 5."""
    before: Changed = {}
    after: Changed = {}
    for place in act.before:
        now = files.get(place)
        found = reversal(place, act, now, staying(act, files, place[0]))
        if found != now:
            before[place], after[place] = now, found
    keys = {
        key: (new, old) for key, (old, new) in act.keys.items() if meta.get(key, GONE) == new != old
    }
    return Act(before, after, keys, undoes=act.id)


def staying(act: Act, files: Files, store: int) -> frozenset[str]:
    """The files that `act` added to a store and that others have changed since: they stay."""
    return frozenset(
        path
        for (number, path), before in act.before.items()
        if number == store
        and path != INDEX
        and before is None
        and (now := files.get((number, path))) is not None
        and (after := act.after[number, path]) is not None
        and now.content != after.content
    )


def reversal(
    place: Place, act: Act, now: Found | None, stay: frozenset[str] = frozenset()
) -> Found | None:
    """What undoing `act` makes of `now`, which lies at `place`; the lines of `stay` do not go."""
    before, after = act.before[place], act.after[place]
    if now is None:
        return before if after is None else None
    if before is not None and now.content == before.content:
        return now
    is_index = place[1] == INDEX
    if after is not None and now.content == after.content and not (is_index and stay):
        return None if before is None else before._replace(mode=now.mode)
    if is_index:
        old, new = (b"" if each is None else each.content for each in (before, after))
        content = reverse_lines(old, new, now.content, staying=stay)
        return now if content == now.content else now._replace(content=content, mtime_ns=NOW)
    return now


def undone(acts: Iterable[Act]) -> set[str]:
    """The acts that stand reversed; `acts` from the oldest on."""
    found: set[str] = set()
    for act in reversed(tuple(acts)):
        if act.undoes is not None and act.id not in found:
            found.add(act.undoes)
    return found


def next_to_undo(acts: Iterable[Act]) -> Act | None:
    """The act that an undo without an ID is about."""
    acts = tuple(acts)
    reversed_ids = undone(acts)
    for act in reversed(acts):
        if act.undoes is None and act.id not in reversed_ids:
            return act
    return None


def same(found: Found | None, wanted: Found | None) -> bool:
    """Whether a file is as the model says."""
    if found is None or wanted is None:
        return found is wanted
    is_time = wanted.mtime_ns in (NOW, found.mtime_ns)
    return is_time and found.content == wanted.content and found.mode == wanted.mode


@dataclass
class Pending:
    """An act that is on its way, or was left in the middle."""

    act: Act
    ends: tuple[str, ...] = ("before", "after")
    """What may have become of it once a start has looked at it."""
    undone: Act | None = None
    """What it reverses."""
    touched: Changed = field(default_factory=dict)
    """What others have left since."""
    displaced: list[bytes] = field(default_factory=list)
    """Bytes that it took away, before others wrote over what it had put there."""
    theirs: dict[str, object] = field(default_factory=dict)
    """Keys of the state file that others have set since."""

    def note(self, found: Files, changed: Changed) -> None:
        """Others made `found` to `changed`."""
        self.touched.update(changed)
        for place in changed:
            before, after = (each.get(place) for each in (self.act.before, self.act.after))
            now = found.get(place)
            if before and now and after and now.content == after.content:
                self.displaced.append(before.content)

    def allowed(self, place: Place) -> set[Found | None]:
        """What may lie at a place where others have been."""
        theirs = self.touched[place]
        found = self.act.after_others(place, theirs)
        return found | self.reversals(place, theirs)

    def reversals(self, place: Place, now: Found | None) -> set[Found | None]:
        """What the undo that is on its way may make of `now`, whichever added files stay."""
        if self.undone is None or place not in self.undone.before:
            return set()
        before = self.undone.before
        added = [path for (number, path), was in before.items() if number == place[0] and not was]
        chosen = chain.from_iterable(combinations(added, n) for n in range(len(added) + 1))
        return {reversal(place, self.undone, now, frozenset(names)) for names in chosen}
