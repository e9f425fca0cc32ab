"""How far a session was read: the agent's one cursor, and memtui's own for further sessions.

Invariant: a cursor is handed out as keys to change and never written here; positions are counts of
messages in the file of the session (spec section 8).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.places import state_root
from memtui.engine.disk.state import read_state
from memtui.engine.format.times import iso_time
from memtui.engine.types import StateChange, StateName, Store

AHEAD = 2
"""The agent's history begins with two messages that are not in the file."""

_AGENTS: StateName = "extract-cursor.json"
_OWN: StateName = "cursors.json"


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursors of one store, as they were read."""

    agents: Mapping[str, object]
    """The keys of `extract-cursor.json`; none where it is missing."""
    own: Mapping[str, object]
    """The keys of `cursors.json`, by session."""
    newest: str | None
    """The newest session of the store's project."""
    problem: str = ""
    """One sentence where a file is there and cannot be used."""

    def is_agents(self, session: str) -> bool:
        """Whether the agent's cursor is about `session`: it stands in it, or it is the newest."""
        return session in (self.agents.get("sessionId"), self.newest)

    def start(self, session: str) -> int:
        """The first message of `session` that was not read yet."""
        if not self.is_agents(session):
            value = self.own.get(session)
            return _count(value.get("processedOffset")) if isinstance(value, Mapping) else 0
        if self.agents.get("sessionId") != session:
            return 0
        return max(0, _count(self.agents.get("processedOffset")) - AHEAD)

    def moved(self, session: str, length: int, now_ns: int) -> StateChange:
        """The change that says that all `length` messages of `session` were read."""
        at = iso_time(now_ns)
        if self.is_agents(session):
            after = {"sessionId": session, "processedOffset": length + AHEAD, "updatedAt": at}
            before = {key: self.agents[key] for key in after if key in self.agents}
            return StateChange(_AGENTS, before, after)
        before = {session: self.own[session]} if session in self.own else {}
        return StateChange(_OWN, before, {session: {"processedOffset": length, "updatedAt": at}})


def read_cursors(state_dir: Path, store: Store, newest: str | None) -> Cursors:
    """The cursors of `store`; `newest` is the newest session of its project. Never raises."""
    found = [read_state(state_root(state_dir, store, name) / name) for name in (_AGENTS, _OWN)]
    problem = next((each.problem for each in found if each.problem), "")
    return Cursors(found[0].values or {}, found[1].values or {}, newest, problem)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(0, int(value))
