"""The change set that makes files of patches, and the index with it (spec sections 7 and 8)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtui.engine.disk.scan import Scanner
from memtui.engine.disk.store import StoreWriter
from memtui.engine.format.entries import entries_of
from memtui.engine.format.visibility import verdicts
from memtui.engine.plans.extract import PlannedPatches, plan_patches
from memtui.engine.plans.extraction.patches import Patch, Source, topic_bytes
from memtui.engine.plans.reindex import plan_rebuild
from memtui.engine.types import (
    Agent,
    ChangeSet,
    FileProblem,
    MemoryType,
    Proposal,
    Snapshot,
    Store,
)
from tests.engine.index_building import snapshot, topic

NOW_NS = 1_700_000_000_123_456_789


def patch(summary: str, type_: MemoryType = "feedback", path: str = "") -> Patch:
    return Patch(type_, summary, None, None, Source("s1", 4, summary), "always / never", path)


def plan(store: Snapshot, *patches: Patch) -> tuple[ChangeSet, PlannedPatches]:
    return plan_patches(store, patches, unseen=(), now_ns=NOW_NS, session="s1")


def test_the_files_and_the_index_of_a_managed_store() -> None:
    store = snapshot("feedback/a.md", index="- [Style](feedback/a.md) — keep it short")
    one, two = patch("Always use tabs"), patch("Deploys go out on Monday", "project")
    change_set, planned = plan(store, two, one)
    assert change_set.operation == "extract"
    assert change_set.store == store.store
    assert change_set.state_changes == ()
    assert change_set.details == {"session": "s1"}
    assert change_set.proposals == (
        Proposal(two.digest, ("project/deploys-go-out-on-monday.md",)),
        Proposal(one.digest, ("feedback/always-use-tabs.md",)),
    )
    first, second, index = change_set.changes
    assert (first.path, first.before, first.after) == (
        "project/deploys-go-out-on-monday.md",
        None,
        topic_bytes(two),
    )
    assert (first.reason, first.mtime_ns) == ("new project memory (always / never)", NOW_NS)
    assert (second.path, second.after) == ("feedback/always-use-tabs.md", topic_bytes(one))
    assert index.after == (
        b"- [Always use tabs](feedback/always-use-tabs.md) \xe2\x80\x94 Always use tabs\n"
        b"- [Deploys go out on Monday](project/deploys-go-out-on-monday.md) \xe2\x80\x94 Deploys go"
        b" out on Monday\n"
        b"- [Style](feedback/a.md) \xe2\x80\x94 keep it short"
    )
    assert planned.index_edit.change == index
    assert planned.touched_topics == ("feedback", "project")
    assert planned.notes == ()
    assert [one.path for one in planned.patches] == [first.path, second.path]


def test_a_line_is_added_to_an_index_that_a_person_keeps() -> None:
    index = "# Memory\n\n- [Style](feedback/a.md) — how we write\n\nMore to come.\n"
    change_set, planned = plan(snapshot("feedback/a.md", index=index), patch("Always use tabs"))
    assert planned.index_edit.kind == "hand-kept"
    assert (
        change_set.changes[-1].after
        == (
            "# Memory\n\n- [Style](feedback/a.md) — how we write\n"
            "- [Always use tabs](feedback/always-use-tabs.md) — Always use tabs\n\nMore to come.\n"
        ).encode()
    )


@pytest.mark.parametrize("agent", ["qwen", "claude", "none"])
def test_the_first_memory_of_a_store_that_is_not_there(agent: Agent) -> None:
    missing = Snapshot(Store("project", agent, Path("/nowhere/memory")), "missing", message="No.")
    change_set, planned = plan(missing, patch("Always use tabs"))
    file, index = change_set.changes
    assert file.path == "feedback/always-use-tabs.md"
    assert (index.path, index.before) == ("MEMORY.md", None)
    assert index.after is not None
    assert index.after.decode().rstrip("\n") == (
        "- [Always use tabs](feedback/always-use-tabs.md) — Always use tabs"
    )
    assert planned.notes == ()


def test_an_index_that_cannot_be_written_is_left() -> None:
    store = snapshot("feedback/a.md", index=b"- [\xff](feedback/a.md)\n")
    change_set, planned = plan(store, patch("Always use tabs"))
    assert [change.path for change in change_set.changes] == ["feedback/always-use-tabs.md"]
    assert planned.notes == ("MEMORY.md is not UTF-8, so it is left as it is; convert it first.",)


def test_a_store_that_cannot_be_read_gets_nothing() -> None:
    store = replace(snapshot(), state="unreadable", message="The store may not be read.")
    change_set, planned = plan(store, patch("Always use tabs"))
    assert change_set.is_empty
    assert change_set.proposals == ()
    assert (planned.patches, planned.touched_topics) == ((), ())
    assert planned.notes == ("The store may not be read.",)


def test_no_patch_is_no_change() -> None:
    change_set, planned = plan(snapshot("feedback/a.md", index="stale\n"))
    assert change_set.is_empty
    assert change_set.proposals == ()
    assert change_set.details == {}
    assert planned == PlannedPatches((), planned.index_edit, (), ())
    assert planned.index_edit.change is None


def test_a_path_that_was_taken_meanwhile_is_given_anew() -> None:
    store = snapshot(topic("feedback/Always-Use-Tabs.md"))
    store = replace(store, problems=(FileProblem("feedback/uv.md", "project", "unreadable", "."),))
    _, planned = plan(
        store,
        patch("Always use tabs", path="feedback/always-use-tabs.md"),
        patch("uv", path="feedback/uv.md"),
        patch("Write in English", path="feedback/english.md"),
        patch("Never in English", path="feedback/english.md"),
        patch("Now a project", "project", path="feedback/now-a-project.md"),
    )
    assert [one.path for one in planned.patches] == [
        "feedback/always-use-tabs-2.md",
        "feedback/uv-2.md",
        "feedback/english.md",
        "feedback/never-in-english.md",
        "project/now-a-project.md",
    ]


def test_written_and_read_again(tmp_path: Path) -> None:
    """The next scan finds the files as they were planned, and the index needs nothing."""
    store = Store("project", "qwen", tmp_path / "store" / "memory")
    scanner = Scanner()
    patches = [
        patch("- Always use tabs: never spaces"),
        patch("提交信息一律用英文写"),
        patch("Why: is a fine word", "user"),
    ]
    change_set, planned = plan(scanner.scan(store), *patches)
    StoreWriter(tmp_path / "state").apply([change_set])
    after = scanner.scan(store)
    assert after.problems == ()
    assert [document.path for document in after.documents] == sorted(
        one.path for one in planned.patches
    )
    assert {entry.summary for document in after.documents for entry in entries_of(document)} == {
        one.summary for one in patches
    }
    assert {document.mtime_ns for document in after.documents} == {NOW_NS}
    assert after.index == change_set.changes[-1].after
    assert plan_rebuild(after).change_set.is_empty
    assert all(verdict.seen for verdict in verdicts(after, "0.22").values())
