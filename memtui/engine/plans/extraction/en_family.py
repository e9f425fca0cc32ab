"""One kind of English statement: what it is called, its type, how it is recognised."""

from __future__ import annotations

import re
from typing import NamedTuple

from memtui.engine.types import MemoryType


class Family(NamedTuple):
    """Sentences of one kind; what it may not be is refused before its expression is asked."""

    rule: str
    """For a person to read."""
    type: MemoryType
    pattern: re.Pattern[str]
    may_be_specific: bool = True
    """Whether it may point at something at hand (this, here, the second one)."""
    may_be_task: bool = True
    """Whether it may start like a request for one piece of work."""
    may_be_definite: bool = True
    """Whether it may name one thing of its own (the parser, utils.py)."""
    may_be_status: bool = False
    """Whether it may tell what happened."""


Families = tuple[Family, ...]
