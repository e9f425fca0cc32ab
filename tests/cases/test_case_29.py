"""29-qwen-index-links: percent-encoded targets, no newline at the end."""

from __future__ import annotations

from tests.cases.conftest import Case
from tests.cli_home import put, topic

LATER = ("adding a fifth entry gives five lines",)
PROJECT = ("--project", "/tmp/demo")


def test_no_broken_links_and_no_files_without_a_line(case: Case) -> None:
    report = case.json("index", *PROJECT)
    assert (report["kind"], report["lines"]) == ("managed", 4)
    assert (report["lines_without_file"], report["files_without_line"]) == ([], [])
    assert (report["doubled"], report["inline"]) == ([], [])
    assert "✓ The index and the files agree." in case.text("index", *PROJECT)


def test_targets_are_decoded(case: Case) -> None:
    assert sorted(case.documents(*PROJECT)) == [
        "project/br[0]#%&.md",
        "project/paren(1).md",
        "project/with space.md",
        "user/中文回答.md",
    ]
    (case.home / ".qwen/projects/-tmp-demo/memory/project/with space.md").unlink()
    assert case.json("index", *PROJECT)["lines_without_file"] == [
        {"line": 2, "target": "project/with%20space.md", "moved_to": None}
    ]


def test_a_file_literally_so_named_comes_first(case: Case) -> None:
    memory = case.home / ".qwen/projects/-tmp-demo/memory"
    put(memory / "project/with%20space.md", topic("With space", "literal", "project"))
    report = case.json("index", *PROJECT)
    assert report["files_without_line"] == ["project/with space.md"]
    assert report["lines_without_file"] == []
