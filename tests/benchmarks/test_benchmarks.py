from __future__ import annotations

import pytest

from tests.benchmarks import dream, first_frame, process, rerank, scan, session
from tests.benchmarks.__main__ import GROUPS, REPORTS, main
from tests.benchmarks.rows import Row, table

TINY = {
    "scan": lambda: scan.rows({20: (100.0, 5.0)}),
    "rerank": lambda: rerank.rows({20: 3.0}, rounds=1),
    "first_frame": lambda: first_frame.rows(20, rounds=1),
    "process": lambda: process.rows({20: 150.0}, rounds=1),
    "session": lambda: session.rows(0.5, rounds=1),
    "dream": lambda: dream.rows(40, rounds=1),
}


def test_every_row_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], TINY, {}) == 0
    head, line, *printed, blank, machine = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in head.split("|")] == ["work", "limit", "median", "verdict"]
    assert set(line) == {"-", "+"}
    rows = [[cell.strip() for cell in row.split("|")] for row in printed]
    assert [row[:2] for row in rows] == [
        ["scan of 20 topic files, all new", "100 ms"],
        ["scan of 20 topic files, unchanged", "5 ms"],
        ["re-rank on a key stroke, 20 documents, weighted (p95)", "3 ms"],
        ["re-rank on a key stroke, 20 documents, classic (p95)", "3 ms"],
        ["first frame of an empty Textual app", "-"],
        ["first frame of memtui, 20 documents", "-"],
        ["filled panes of memtui, 20 documents", "-"],
        ["first frame of memtui, 20 documents, against empty", "1.6 ×"],
        ["filled panes of memtui, 20 documents, against empty", "2.2 ×"],
        ["memtui recall, process, 20 documents", "150 ms"],
        ["session of 0.5 MB, qwen, speed", "80 MB/s"],
        ["session of 0.5 MB, qwen, peak memory", "200 MB"],
        ["session of 0.5 MB, claude, speed", "80 MB/s"],
        ["session of 0.5 MB, claude, peak memory", "200 MB"],
        ["dream plan, 40 entries", "2,000 ms"],
        ["suggestions of a dream, 40 entries", "-"],
        ["suggestions, 40 entries of random words", "-"],
    ]
    assert all(float(row[2].split()[0].replace(",", "")) > 0 for row in rows)
    assert blank == ""
    assert "load" in machine


def test_every_group_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(GROUPS) == set(TINY)
    assert main(["rerank"], TINY) == 0
    assert capsys.readouterr().out.count("re-rank on a key stroke") == 2
    assert main(["rank"], TINY) == 2
    assert capsys.readouterr().err.startswith("There is no benchmark rank: choose of scan, ")


def test_reports_stand_below_the_speed_table(capsys: pytest.CaptureFixture[str]) -> None:
    one = {"one": lambda: [Row("fast", 100.0, 99.0)]}
    two = {"two": lambda: "right | 1", "three": lambda: "right | 2"}
    assert main([], one, two) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == ["", "right | 1", "", "right | 2"]
    assert main(["two"], one, two) == 0
    assert capsys.readouterr().out == "right | 1\n"
    assert list(REPORTS) == ["extract"]


def test_a_row_is_judged_by_its_limit() -> None:
    rows = [
        Row("fast", 100.0, 99.96),
        Row("slow", 1_000.0, 1_000.1),
        Row("base", None, 12.0),
        Row("ratio", 1.6, 1.6, "×"),
        Row("speed", 80.0, 80.0, "MB/s"),
        Row("crawl", 80.0, 79.9, "MB/s"),
        Row("memory", 200.0, 200.1, "MB"),
    ]
    assert table(rows).splitlines() == [
        "work   |    limit |     median | verdict",
        "-------+----------+------------+--------",
        "fast   |   100 ms |   100.0 ms | met",
        "slow   | 1,000 ms | 1,000.1 ms | NOT MET",
        "base   |        - |    12.0 ms | -",
        "ratio  |    1.6 × |     1.60 × | met",
        "speed  |  80 MB/s |  80.0 MB/s | met",
        "crawl  |  80 MB/s |  79.9 MB/s | NOT MET",
        "memory |   200 MB |   200.1 MB | NOT MET",
    ]
