"""Whether a process runs, and what it is called.

Invariant: a process is only asked about, never signalled.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_PID = re.compile(rb"\s*([0-9]{1,10})\s*")
_LARGEST_PID = 2**31 - 1
_GONE_STATES = ("Z", "X", "x")


def parse_pid(content: bytes) -> int | None:
    """The process number that `content` holds, in decimal digits alone; None where it is none."""
    found = _PID.fullmatch(content)
    pid = int(found[1]) if found else 0
    return pid if 0 < pid <= _LARGEST_PID else None


def is_running(pid: int) -> bool | None:
    """Whether a process with this number runs; None where the system does not tell.

    One that has ended and was not yet waited for counts as gone. Without a right to signal it,
    the system does not tell; nor does Windows.
    """
    if os.name == "nt":
        return None  # signal 0 is no question there: it would interrupt the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return None
    return _state_of(pid) not in _GONE_STATES


def process_name(pid: int) -> str:
    """What the process is called, fit to print; empty where the system does not tell."""
    try:
        raw = Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return ""
    name = raw.decode("utf-8", "replace").strip()
    return "".join(character if character.isprintable() else "?" for character in name)


def _state_of(pid: int) -> str:
    """The letter of the process state; empty where there is no `/proc`."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    # The name stands in parentheses before the state and may hold any character.
    return stat.rpartition(b")")[2].strip()[:1].decode("ascii", "replace")
