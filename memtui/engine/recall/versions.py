"""Which scorer an agent version has (spec section 5)."""

from __future__ import annotations

from memtui.engine.format.visibility import is_up_to_0_22
from memtui.engine.types import Scorer


def scorer_for(version: str | None) -> Scorer:
    """The scorer of an agent version such as `0.22.1`: `classic` up to 0.22, else `weighted`.

    None and a version that can't be read give `weighted` (spec section 5, `auto`).
    """
    return "classic" if is_up_to_0_22(version) else "weighted"
