"""Cuts by cells."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from memtui.tui.format import fit, fit_end


@pytest.mark.parametrize(
    ("text", "cells", "start", "end"),
    [
        ("project/merge-freeze.md", 16, "project/merge-f…", "…merge-freeze.md"),
        ("short.md", 16, "short.md", "short.md"),
        ("数据保留.md", 6, "数据…", "…留.md"),
        ("ab", 1, "…", "…"),
        ("ab", 0, "", ""),
    ],
)
def test_a_cut_keeps_the_start_or_the_end(text: str, cells: int, start: str, end: str) -> None:
    assert (fit(text, cells), fit_end(text, cells)) == (start, end)
    assert cell_len(fit(text, cells)) <= cells
    assert cell_len(fit_end(text, cells)) <= cells
