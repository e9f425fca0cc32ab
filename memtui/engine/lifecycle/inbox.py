"""The inbox: what extract found by itself, until a person decides.

Invariant: a patch is in the inbox at most once, and one that was decided does not come back: what
was accepted is in the store, what was discarded is remembered in `rejected.json`. The file lies in
memtui's own state (spec section 11); an item that cannot be understood is left in it and not shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memtui.engine.disk.own_state import INBOX, edit_own, read_own
from memtui.engine.plans.extraction.patches import Patch, Source
from memtui.engine.types import MEMORY_TYPES, MemoryType, Store

_ITEMS, _READ = "items", "read"


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits, the oldest first, by the digest under which it was found."""

    items: Mapping[str, Patch]
    read: Mapping[str, int]
    """How many messages of each session were read for it."""

    def __len__(self) -> int:
        return len(self.items)


def read_inbox(state_dir: Path, store: Store) -> Inbox:
    """What waits for `store`; raises RefusedError where the file is broken."""
    return _inbox(read_own(state_dir, store, INBOX))


def put_in(
    state_dir: Path, store: Store, patches: Iterable[Patch], session: str, length: int
) -> int:
    """Add what was found in the first `length` messages of `session`; gives how many are new.

    Raises what `edit_own` raises.
    """
    added = 0
    with edit_own(state_dir, store, INBOX) as values:
        items, read = _part(values, _ITEMS), _part(values, _READ)
        for patch in patches:
            if patch.digest not in items:
                items[patch.digest] = _value(patch)
                added += 1
        read[session] = length
        values.update({_ITEMS: items, _READ: read})
    return added


def change_in(state_dir: Path, store: Store, digest: str, patch: Patch) -> None:
    """Keep the edited `patch` for what was found under `digest`; raises what `edit_own` raises."""
    with edit_own(state_dir, store, INBOX) as values:
        items = _part(values, _ITEMS)
        if digest in items:
            items[digest] = _value(patch)
            values[_ITEMS] = items


def take_out(state_dir: Path, store: Store, digests: Collection[str]) -> None:
    """Remove what was decided; raises what `edit_own` raises."""
    with edit_own(state_dir, store, INBOX) as values:
        items = _part(values, _ITEMS)
        values[_ITEMS] = {key: each for key, each in items.items() if key not in digests}


def reject(state_dir: Path, store: Store, digests: Collection[str]) -> None:
    """Remember what was discarded, so that it is not proposed again; raises as `edit_own` does."""
    with edit_own(state_dir, store, "rejected.json") as values:
        for digest in digests:
            values.setdefault(digest, "discarded")


def _inbox(values: Mapping[str, Any]) -> Inbox:
    items = {}
    for digest, value in _part(values, _ITEMS).items():
        patch = _patch(value)
        if patch is not None:
            items[digest] = patch
    read = {session: _number(count) for session, count in _part(values, _READ).items()}
    return Inbox(items, read)


def _part(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = values.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _value(patch: Patch) -> dict[str, object]:
    return {
        "type": patch.type,
        "summary": patch.summary,
        "why": patch.why,
        "how_to_apply": patch.how_to_apply,
        "rule": patch.rule,
        "session": patch.source.session,
        "message": patch.source.message,
        "quote": patch.source.quote,
    }


def _patch(value: object) -> Patch | None:
    if not isinstance(value, Mapping):
        return None
    kind, summary = value.get("type"), value.get("summary")
    if kind not in MEMORY_TYPES or not isinstance(summary, str):
        return None
    why, how = value.get("why"), value.get("how_to_apply")
    return Patch(
        type=cast(MemoryType, kind),
        summary=summary,
        why=why if isinstance(why, str) else None,
        how_to_apply=how if isinstance(how, str) else None,
        source=Source(
            str(value.get("session", "")),
            _number(value.get("message")),
            str(value.get("quote", "")),
        ),
        rule=str(value.get("rule", "")),
    )
