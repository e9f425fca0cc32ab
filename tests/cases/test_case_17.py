"""17-lost-update: a program with an old copy must not erase what an agent added meanwhile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.paths import bases, store_at
from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import ConflictError
from memtui.engine.types import ChangeSet, FileChange
from tests.cases.conftest import Case
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import contents, temporaries, tree

LINE_OF_A = "- [A](project_a.md) — a\n"
LINE_OF_B = "- [B](project_b.md) — b\n"
HEADING = "# Projects\n\n"


class Tool:
    """A tool that has read the store and edits it."""

    def __init__(self, case: Case) -> None:
        self.root = case.root
        self.memory = case.memory
        self.store = store_at(case.memory, bases({}, case.root))
        self.writer = StoreWriter(case.root / "state")
        self.read = {
            path: (case.memory / path).read_bytes() for path in ("project_a.md", "MEMORY.md")
        }

    def let_the_agent_write(self) -> None:
        """Run the script of the case, without letting an mtime tell of it."""
        times = {path: (self.memory / path).stat().st_mtime_ns for path in self.read}
        subprocess.run(["sh", str(self.root / "steps.sh")], check=True)
        for path, mtime_ns in times.items():
            os.utime(self.memory / path, ns=(mtime_ns, mtime_ns))

    def edit(self, path: str, after: bytes | None) -> FileChange:
        return FileChange(path, self.read[path], after, "edited by hand")

    def plan(self, *changes: FileChange) -> ChangeSet:
        return ChangeSet(self.store, "edit", changes)

    def with_heading(self) -> ChangeSet:
        """The index in another form, made of what is there now."""
        now = (self.memory / "MEMORY.md").read_bytes()
        return self.plan(FileChange("MEMORY.md", now, HEADING.encode() + now, "heading"))


@pytest.fixture
def tool(case: Case) -> Tool:
    return Tool(case)


@pytest.mark.parametrize("after", [b"Rewritten.\n", None])
def test_a_save_over_what_the_agent_wrote_is_refused_whole(tool: Tool, after: bytes | None) -> None:
    new = FileChange("project_c.md", None, b"C.\n", "new")
    planned = tool.plan(new, tool.edit("project_a.md", after))
    tool.let_the_agent_write()
    before = tree(tool.memory)
    with pytest.raises(ConflictError) as caught:
        tool.writer.apply([planned])
    assert caught.value.paths == ("project_a.md",)
    assert str(caught.value).startswith("project_a.md changed since this was planned")
    assert tree(tool.memory) == before
    assert b"Line two, written by the agent.\n" in before["project_a.md"].content


def test_the_agent_that_writes_at_the_very_last_moment(tool: Tool) -> None:
    """Between the check and the rename; the first file of the act is put back."""
    new = FileChange("project_c.md", None, b"C.\n", "new")
    planned = tool.plan(new, tool.edit("project_a.md", b"Rewritten.\n"))
    has_written: list[str] = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        is_commit = name == "link" and Path(arguments[-1]).name == "project_c.md"
        if is_commit and not has_written:
            has_written.append(name)
            tool.let_the_agent_write()

    writer = StoreWriter(tool.root / "state", calls=FaultyCalls(watch=watch))
    with pytest.raises(ConflictError) as caught:
        writer.apply([planned])
    assert has_written == ["link"]
    assert caught.value.paths == ("project_a.md",)
    found = contents(tool.memory)
    assert sorted(found) == ["MEMORY.md", "project_a.md", "project_b.md"]
    assert str(found["project_a.md"]).count("written by the agent") == 1


def test_the_line_of_b_survives_a_reorder_of_the_index(tool: Tool) -> None:
    stale = tool.with_heading()
    tool.let_the_agent_write()
    with pytest.raises(ConflictError) as caught:
        tool.writer.apply([stale])
    assert caught.value.paths == ("MEMORY.md",)
    tool.writer.apply([stale], replan=lambda: [tool.with_heading()])
    index = (tool.memory / "MEMORY.md").read_text(encoding="utf-8")
    assert index == HEADING + LINE_OF_A + LINE_OF_B
    tool.writer.undo([tool.store])
    assert (tool.memory / "MEMORY.md").read_text(encoding="utf-8") == LINE_OF_A + LINE_OF_B


def test_writes_go_through_a_temporary_file_of_the_same_folder(tool: Tool) -> None:
    renames: list[tuple[Path, Path]] = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "replace" and Path(arguments[1]).parent == tool.memory:
            renames.append((Path(arguments[0]), Path(arguments[1])))

    target = tool.memory / "project_a.md"
    target.chmod(0o640)
    (tool.memory / "link.md").symlink_to("project_a.md")
    link = FileChange("link.md", tool.read["project_a.md"], b"Rewritten.\n", "edited")
    writer = StoreWriter(tool.root / "state", calls=FaultyCalls(watch=watch))
    writer.apply([tool.plan(link)])
    ((source, replaced),) = renames
    assert (source.parent, replaced) == (tool.memory, target)
    assert source.name.startswith(f".memtui-{os.getpid()}-")
    assert temporaries(tool.memory) == []
    found = tree(tool.memory)
    assert found["link.md"].link == "project_a.md"
    assert (found["project_a.md"].content, found["project_a.md"].mode) == (b"Rewritten.\n", 0o640)
