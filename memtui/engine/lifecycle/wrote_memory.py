"""Whether an agent wrote a memory itself in its last turn (spec section 8, `memory_tool`)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

WRITING_TOOLS = frozenset({"write_file", "edit", "replace", "create_file", "Write", "Edit"})
"""The tools of both agents that write a file, by their exact names."""


class Call(Protocol):
    """A call of a tool, as a session tells it."""

    @property
    def name(self) -> str:
        """The tool."""

    @property
    def path(self) -> str | None:
        """The file that it is about."""

    @property
    def succeeded(self) -> bool | None:
        """None where no result was seen."""


def wrote_memory(calls: Iterable[Call], memory_dirs: Iterable[str | Path]) -> bool:
    """True where one of `calls` wrote a file inside one of `memory_dirs`, and that succeeded.

    Real paths are compared; a relative path, which only the agent can place, counts as outside.
    """
    paths = [
        call.path
        for call in calls
        if call.name in WRITING_TOOLS and call.succeeded is True and call.path
    ]
    if not paths:
        return False
    roots = [_real(str(folder)) + os.sep for folder in memory_dirs]
    written = [_real(path) for path in paths if Path(path).is_absolute() and "\0" not in path]
    return any(path.startswith(root) for path in written for root in roots)


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
