"""11-content-inside-the-index: facts that stand in MEMORY.md itself."""

from __future__ import annotations

import pytest

from memtui.engine.format.filter import parse_filter
from memtui.engine.text import fold
from tests.cases.conftest import Case
from tests.cli_home import put, topic

LATER = ("offers to move a section into a topic file",)
INLINE = {
    5: "## Build",
    7: "Use `make all`. The cache lives in `.cache/`.",
    9: "- never run as root",
    10: "- needs 8 GB",
    12: "| env | port |",
    13: "|---|---|",
    14: "| dev | 8080 |",
    16: "```",
    17: "- [not a link](inside_code.md) — inside a code block",
    18: "```",
}


def test_inline_parts_are_content_of_the_index(case: Case) -> None:
    report = case.json("index")
    assert report["kind"] == "hand-kept"
    assert {part["line"]: part["text"] for part in report["inline"]} == INLINE
    text = case.text("index")
    assert "10 lines are content of the index itself:\n" in text
    assert "     7  Use `make all`. The cache lives in `.cache/`.\n" in text


@pytest.mark.parametrize("words", ["make all", "8 GB", "8080", "NEVER root", "not a link"])
def test_inline_parts_are_found_by_the_filter(case: Case, words: str) -> None:
    index = (case.memory / "MEMORY.md").read_text(encoding="utf-8")
    assert parse_filter(words).matches_text(fold(index))


def test_the_line_in_the_code_block_is_no_entry_and_no_broken_link(case: Case) -> None:
    report = case.json("index")
    assert (report["lines_without_file"], report["files_without_line"]) == ([], [])
    assert case.json("list")["problems"] == []
    assert "✓ The index and the files agree." in case.text("index")


def test_a_rebuild_of_an_index_in_order_changes_nothing(case: Case) -> None:
    answer = case.run("index", "--rebuild", "--yes")
    assert answer.out == "The index is in order: there is nothing to rebuild.\n"
    assert case.json("log") == {"entries": []}


def test_a_rebuild_keeps_them_byte_for_byte(case: Case) -> None:
    index = case.memory / "MEMORY.md"
    before = index.read_bytes()
    line = "- [Deploy](project_deploy.md) — how we deploy\n".encode()
    put(case.memory / "project_oncall.md", topic("On call", "who is called", "project"))
    case.run("index", "--rebuild", "--yes")
    new = "- [On call](project_oncall.md) — who is called\n".encode()
    assert index.read_bytes() == before.replace(line, line + new)
    (case.memory / "project_deploy.md").unlink()
    case.run("index", "--rebuild", "--yes")
    assert index.read_bytes() == before.replace(line, new)
    repaired = index.read_bytes()
    assert case.json("index", "--rebuild", "--yes")["changes"] == []
    assert index.read_bytes() == repaired


def test_so_does_a_forget(case: Case) -> None:
    index = case.memory / "MEMORY.md"
    before = index.read_bytes()
    case.run("forget", "--id", "project_deploy.md", "--yes")
    assert index.read_bytes() == before.replace(
        "- [Deploy](project_deploy.md) — how we deploy\n".encode(), b""
    )
    case.run("undo", "--yes")
    assert index.read_bytes() == before
