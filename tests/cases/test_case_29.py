"""29-qwen-index-links: percent-encoded targets, no newline at the end."""

from __future__ import annotations

from pathlib import Path

from memtui.engine.format.document import parse_document
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.reindex import edit_index
from memtui.engine.types import ChangeSet, FileChange
from memtui.engine.workspace import Target
from tests.cases.conftest import Case
from tests.cli_home import put, topic

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


def test_adding_a_fifth_entry_gives_five_lines(case: Case) -> None:
    memory = case.home / ".qwen/projects/-tmp-demo/memory"
    before = (memory / "MEMORY.md").read_text(encoding="utf-8").split("\n")
    assert len(before) == 4
    manager = MemoryManager(Target(Path("/tmp/demo")))
    snapshot = manager.scan().snapshots[0]
    path, content = "project/100% #1.md", topic("Fifth", "one more", "project").encode()
    document = parse_document(content, path=path, mtime_ns=manager.clock_ns())
    edit = edit_index(snapshot, written=[document])
    assert edit.change is not None
    new = FileChange(path, None, content, "new")
    manager.writer.apply([ChangeSet(snapshot.store, "test", (new, edit.change))])
    lines = (memory / "MEMORY.md").read_text(encoding="utf-8").split("\n")
    assert len(lines) == 5
    assert lines[0] == "- [Fifth](project/100%25%20%231.md) — one more"
    assert sorted(lines[1:]) == sorted(before)
    report = case.json("index", *PROJECT)
    assert (report["kind"], report["lines"]) == ("managed", 5)
    assert (report["lines_without_file"], report["files_without_line"]) == ([], [])
    case.run("undo", *PROJECT, "--yes")
    assert (memory / "MEMORY.md").read_text(encoding="utf-8").split("\n") == before
