"""What the store's `meta.json` tells of extracts and dreams (spec section 11).

Invariant: reads only; what is to be written is handed out as keys to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.places import state_root
from memtui.engine.disk.state import read_state
from memtui.engine.format.times import parse_iso_time
from memtui.engine.types import StateChange, StateName, Store

_NAME: StateName = "meta.json"


@dataclass(frozen=True, slots=True)
class Meta:
    """The keys of one `meta.json`."""

    values: Mapping[str, object]
    """None are there where the file is missing or broken."""
    problem: str = ""
    """One sentence where the file is there and cannot be used."""

    def text(self, key: str) -> str | None:
        """The text at `key`; None for anything else."""
        value = self.values.get(key)
        return value if isinstance(value, str) and value else None

    def time_ns(self, key: str) -> int | None:
        """The time at `key` in nanoseconds since the epoch; None where there is none."""
        return parse_iso_time(self.values.get(key))

    def change(self, after: Mapping[str, object | None]) -> StateChange:
        """The change that sets the keys of `after`; one whose value is None goes."""
        before = {key: self.values[key] for key in after if key in self.values}
        return StateChange(
            _NAME, before, {key: value for key, value in after.items() if value is not None}
        )


def read_meta(state_dir: Path, store: Store) -> Meta:
    """The `meta.json` of `store`; never raises."""
    found = read_state(state_root(state_dir, store, _NAME) / _NAME)
    return Meta(found.values or {}, found.problem)
