"""Memory pressure: the share of the limit, and which limit counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.memory import limit_bytes, memory_pressure, resident_bytes
from tests.engine.machine import mkdir

PAGE = os.sysconf("SC_PAGE_SIZE")
TOTAL_KB = 1_000_000


class Kernel:
    """A `/proc` and a tree of control groups."""

    def __init__(self, root: Path) -> None:
        self.proc = mkdir(root / "proc")
        self.cgroup = mkdir(root / "cgroup")
        mkdir(self.proc / "self")
        self.total(TOTAL_KB)
        self.group("0::/user.slice/app.scope\n")
        self.pages(0)

    def pages(self, count: int) -> None:
        (self.proc / "self/statm").write_text(f"90000 {count} 376 5 0 123 0\n")

    def total(self, kilobytes: int) -> None:
        text = f"MemFree:  5 kB\nMemTotal:       {kilobytes} kB\n"
        (self.proc / "meminfo").write_text(text)

    def group(self, lines: str) -> None:
        (self.proc / "self/cgroup").write_text(lines)

    def maximum(self, group: str, text: str) -> None:
        (mkdir(self.cgroup / group) / "memory.max").write_text(text)

    @property
    def limit(self) -> int | None:
        return limit_bytes(self.proc, self.cgroup)

    @property
    def pressure(self) -> str:
        return memory_pressure(proc=self.proc, cgroup=self.cgroup)


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(tmp_path)


@pytest.mark.parametrize(
    ("pages", "pressure"),
    [
        (0, "none"),
        (649, "none"),
        (650, "hard"),
        (799, "hard"),
        (800, "critical"),
        (2000, "critical"),
    ],
)
def test_the_share_of_the_limit(kernel: Kernel, pages: int, pressure: str) -> None:
    kernel.maximum("user.slice/app.scope", f"{1000 * PAGE}\n")
    kernel.pages(pages)
    assert resident_bytes(kernel.proc) == pages * PAGE
    assert kernel.pressure == pressure


def test_the_smallest_limit_on_the_way_up_counts(kernel: Kernel) -> None:
    assert kernel.limit == TOTAL_KB * 1024
    kernel.maximum("", "500000000\n")
    assert kernel.limit == 500_000_000
    kernel.maximum("user.slice", "300000000\n")
    kernel.maximum("user.slice/app.scope", "400000000\n")
    assert kernel.limit == 300_000_000
    kernel.maximum("user.slice", "max\n")
    assert kernel.limit == 400_000_000
    kernel.maximum("user.slice/app.scope", "max\n")
    kernel.maximum("", "9223372036854771712\n")
    assert kernel.limit == TOTAL_KB * 1024


def test_groups_of_others_and_of_version_1_do_not_count(kernel: Kernel) -> None:
    kernel.maximum("other", "5")
    kernel.maximum("user.slice/app.scope/below", "6")
    kernel.maximum("user.slice/app.scope", "800000\n")
    kernel.group("4:memory:/other\n0::/user.slice/app.scope\n")
    assert kernel.limit == 800_000
    kernel.group("4:memory:/other\n")
    assert kernel.limit == TOTAL_KB * 1024


def test_in_a_container_the_topmost_group_is_its_own(kernel: Kernel) -> None:
    kernel.maximum("", "700000\n")
    kernel.group("0::/\n")
    assert kernel.limit == 700_000
    kernel.group("0::/../../outside\n")
    (kernel.cgroup.parent.parent / "outside").mkdir()
    (kernel.cgroup.parent.parent / "outside/memory.max").write_text("1\n")
    assert kernel.limit == 700_000


def test_without_a_kernel_that_tells_there_are_the_numbers_of_the_system(tmp_path: Path) -> None:
    total = os.sysconf("SC_PHYS_PAGES") * PAGE
    assert limit_bytes(tmp_path, tmp_path) == total
    peak = resident_bytes(tmp_path)
    assert peak is not None
    assert 1_000_000 < peak < total


def test_where_nothing_is_told_there_is_no_pressure(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.pages(10**9)
    assert kernel.pressure == "critical"
    (kernel.proc / "meminfo").unlink()
    real = os.sysconf

    def sysconf(name: str) -> int:
        if name == "SC_PHYS_PAGES":
            raise ValueError("unrecognized configuration name")
        return real(name)

    monkeypatch.setattr(os, "sysconf", sysconf)
    assert kernel.limit is None
    assert kernel.pressure == "none"


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_whatever_the_files_hold_nothing_raises(
    tmp_path: Path, statm: bytes, group: bytes, maximum: bytes
) -> None:
    kernel = Kernel(tmp_path)
    (kernel.proc / "self/statm").write_bytes(statm)
    (kernel.proc / "self/cgroup").write_bytes(b"0::/" + group)
    (kernel.cgroup / "memory.max").write_bytes(maximum)
    assert kernel.pressure in ("none", "hard", "critical")


def test_this_process_is_under_its_limit() -> None:
    used, allowed = resident_bytes(), limit_bytes()
    assert used is not None
    assert allowed is not None
    assert 1_000_000 < used < allowed
    assert memory_pressure() == "none"
