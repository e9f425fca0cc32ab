"""What a rule yields: one durable statement of the user.

Invariant: every text in it is the user's own, tidied and never invented.
"""

from __future__ import annotations

from typing import NamedTuple

from memtui.engine.types import MemoryType


class Statement(NamedTuple):
    """One thing worth keeping for later sessions (spec sections 2 and 8)."""

    type: MemoryType
    summary: str
    """One line; starts with a capital, without a final full stop."""
    why: str | None
    """The reason that the user gave; it isn't in the summary."""
    how_to_apply: str | None
    """When or how to act on it, as the user said it; it isn't in the summary."""
    rule: str
    """The rule that found it, for a person to read: `always / never`, `deadline`."""
