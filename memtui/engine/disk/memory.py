"""How much of the memory that this process may use it does use.

Invariant: nothing here raises or waits; where the system does not tell, there is no pressure. One
call reads four tiny files of the kernel.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

MemoryPressure = Literal["none", "hard", "critical"]

HARD_PERCENT = 65
CRITICAL_PERCENT = 80

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")


def memory_pressure(*, proc: Path = PROC, cgroup: Path = CGROUP) -> MemoryPressure:
    """`hard` from 65 % of the memory limit on, `critical` from 80 % on (spec section 8).

    `proc` and `cgroup` are where the kernel shows processes and control groups.
    """
    used_bytes = resident_bytes(proc)
    allowed_bytes = limit_bytes(proc, cgroup)
    if used_bytes is None or allowed_bytes is None:
        return "none"
    if used_bytes * 100 >= allowed_bytes * CRITICAL_PERCENT:
        return "critical"
    return "hard" if used_bytes * 100 >= allowed_bytes * HARD_PERCENT else "none"


def resident_bytes(proc: Path = PROC) -> int | None:
    """What the process holds in memory; without `/proc` the most it ever held.

    None where neither is told.
    """
    fields = _read(proc / "self/statm").split()
    if len(fields) > 1 and fields[1].isdigit():
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    return _peak_bytes()


def limit_bytes(proc: Path = PROC, cgroup: Path = CGROUP) -> int | None:
    """The smallest `memory.max` of the process's control group and those above it, at most all
    memory of the machine; None where neither is told.
    """
    found = [_maximum(folder) for folder in _groups(proc, cgroup)]
    limits = [limit for limit in (*found, _total_bytes(proc)) if limit]
    return min(limits, default=None)


def _groups(proc: Path, cgroup: Path) -> list[Path]:
    """The folders of the process's control group (version 2) and of those above it."""
    for line in _read(proc / "self/cgroup").splitlines():
        if line.startswith("0::/"):
            own = line[4:].strip("/")
            # A group outside this container's view begins with `..`: the topmost one is seen.
            parts = () if ".." in own.split("/") else Path(own).parts
            return [cgroup.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]
    return []


def _maximum(group: Path) -> int | None:
    text = _read(group / "memory.max").strip()
    return int(text) if text.isdigit() else None  # else `max`: without a limit of its own


def _total_bytes(proc: Path) -> int | None:
    for line in _read(proc / "meminfo").splitlines():
        name, _, amount = line.partition(":")
        kilobytes = amount.removesuffix("kB").strip()
        if name == "MemTotal" and kilobytes.isdigit():
            return int(kilobytes) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _peak_bytes() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except (OSError, ValueError):
        return ""
