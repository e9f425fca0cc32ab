"""What the command line writes is safe and aligned for any text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.cli import main
from memtui.cli.json_values import iso_time
from memtui.cli.output import to_json
from memtui.cli.tables import Cell, Page, fit, numbered, short_age
from memtui.engine.manager import MemoryManager
from tests.cli_home import CliHome, topic

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\x1b\x9b\x07\r\n\t\u202e\u2066\u200b\ufeff\udc80\udcff\U000e0041字🙂é"),
    )
)


@given(texts, st.booleans())
def test_json_keeps_every_text_and_holds_nothing_unsafe(text: str, ascii_only: bool) -> None:
    line = to_json({text: [text]}, ascii_only=ascii_only)
    assert json.loads(line) == {text: [text]}
    assert not UNSAFE.search(line)
    assert line.isascii() or not ascii_only


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6), st.booleans())
def test_a_table_is_safe_and_aligned(rows: list[tuple[str, str, str]], has_colour: bool) -> None:
    cells = [
        [Cell("|"), Cell(a, "strong"), Cell(b, is_right=True), Cell("|" + c)] for a, b, c in rows
    ]
    lines = Page(has_colour=has_colour).table(cells, indent=2)
    bare = [re.sub("\x1b\\[[0-9]+m", "", line) for line in lines]
    assert len(bare) == len(rows)
    assert not any(UNSAFE.search(line) for line in bare)
    if any(a.count("|") + b.count("|") + c.count("|") for a, b, c in rows):
        return
    assert len({cell_len(line[: line.rindex("|")]) for line in bare}) == 1


@given(texts, st.integers(1, 30))
def test_fit_never_exceeds_its_cells(text: str, cells: int) -> None:
    assert cell_len(fit(text, cells)) <= max(cells, 1)


def test_only_the_named_column_is_cut_and_never_below_its_minimum() -> None:
    rows = [[Cell("type"), Cell("n" * 40), Cell("p" * 30)]]
    assert Page(columns=60).table(rows, cut=1) == [f"type  {'n' * 21}…  {'p' * 30}"]
    assert Page(columns=20).table(rows, cut=1) == [f"type  {'n' * 15}…  {'p' * 30}"]
    assert Page(columns=None).table(rows, cut=1) == [f"type  {'n' * 40}  {'p' * 30}"]


def test_wide_characters_count_two_cells() -> None:
    rows = [[Cell("数据"), Cell("x")], [Cell("abcde"), Cell("y")]]
    assert Page().table(rows) == ["数据   x", "abcde  y"]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], ""), ([7], "7"), ([1, 2, 3], "1-3"), ([1, 3, 4, 9], "1, 3-4, 9")],
)
def test_numbered(numbers: list[int], text: str) -> None:
    assert numbered(numbers) == text


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_700_000_000_123_999_999, "2023-11-14T22:13:20.123Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (10**21, "9999-12-31T23:59:59.999Z"),
        (-(10**21), "0001-01-01T00:00:00.000Z"),
    ],
)
def test_iso_time(time_ns: int, text: str) -> None:
    assert iso_time(time_ns) == text


@pytest.mark.parametrize(
    ("age_s", "text"), [(-5, "now"), (3599, "now"), (3600, "1h"), (86_399, "23h"), (86_400, "1d")]
)
def test_short_age(age_s: int, text: str) -> None:
    now_ns = 2_000_000_000 * 10**9
    assert short_age(now_ns - age_s * 10**9, now_ns) == text


class TestApp:
    """Without a verb the app opens, where a person sits at a terminal."""

    def open(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: str
    ) -> tuple[MemoryManager, str, list[str]]:
        home = CliHome(tmp_path)
        home.write("a.md", topic("A"))
        monkeypatch.setenv("HOME", str(home.home))
        monkeypatch.chdir(home.project)
        seen: list[tuple[MemoryManager, str, list[str]]] = []

        def run_app(manager: MemoryManager, *, note: str = "") -> int:
            names = [
                document.name for snap in manager.scan().snapshots for document in snap.documents
            ]
            seen.append((manager, note, names))
            return 7

        monkeypatch.setattr("memtui.cli.is_interactive", lambda: True)
        monkeypatch.setattr("memtui.tui.app.run_app", run_app)
        assert main(arguments) == 7
        (found,) = seen
        return found

    def test_it_gets_the_stores_of_the_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        manager, note, names = self.open(monkeypatch, tmp_path, "--readonly")
        assert (manager.target.directory, note, names) == (tmp_path / "work/app", "", ["A"])

    def test_the_demo_is_marked_and_gone_afterwards(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        manager, note, names = self.open(monkeypatch, tmp_path, "--demo")
        assert note == "demo"
        assert len(names) > 20
        assert not manager.target.directory.exists()
