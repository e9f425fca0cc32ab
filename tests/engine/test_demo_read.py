"""The bundled demo as the engine reads it: what a user of `--demo` is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.demo import DemoHome, materialize
from memtui.engine.format.entries import entries_of
from memtui.engine.format.index_line import index_line
from memtui.engine.format.index_report import report_index
from memtui.engine.format.links import links_in
from memtui.engine.manager import MemoryManager
from memtui.engine.text import fold
from memtui.engine.workspace import Target, Workspace

NOW = 1_790_000_000.25


@pytest.fixture
def demo(tmp_path: Path) -> DemoHome:
    return materialize(tmp_path / "demo", NOW)


def workspace(demo: DemoHome, directory: Path) -> Workspace:
    manager = MemoryManager(Target(directory), demo.env, clock_ns=lambda: int(NOW * 1e9))
    return manager.scan()


def test_unseen_files_are_the_few_meant_to_be(demo: DemoHome) -> None:
    api, mobile = workspace(demo, demo.api_dir), workspace(demo, demo.mobile_dir)
    assert api.qwen_version == "0.24.2"
    assert sorted(api.unseen("project")) == [
        "reference/deploy-checklist.md",
        "reference/staging.md",
    ]
    assert api.unseen("user") == []
    assert api.unseen("team") == ["reference/runbooks.md"]
    assert mobile.agent == "claude"
    assert mobile.unseen("project") == []
    assert [snapshot.problems for snapshot in api.snapshots + mobile.snapshots] == [()] * 4


def test_managed_indexes_are_what_their_files_give(demo: DemoHome) -> None:
    api = workspace(demo, demo.api_dir)
    for snapshot in api.snapshots:
        unseen = api.unseen(snapshot.store.scope)
        lines = [index_line(doc) for doc in snapshot.documents if doc.path not in unseen]
        assert snapshot.index == "\n".join(lines).encode("utf-8")
        report = report_index(snapshot, unseen=unseen)
        assert report.kind == "managed"
        assert (report.files_without_line, report.not_derived) == ((), ())
        assert (report.long_lines, report.left_out, report.inline) == ((), (), ())
    index = (demo.api_memory / "MEMORY.md").read_text(encoding="utf-8")
    cut = [line for line in index.split("\n") if line.endswith("…")]
    assert [line.split("](")[0] for line in cut] == ["- [Payments leave the old gateway"]


def test_the_hand_kept_index_has_its_faults(demo: DemoHome) -> None:
    (snapshot,) = workspace(demo, demo.mobile_dir).snapshots
    report = report_index(snapshot)
    assert report.kind == "hand-kept"
    assert [broken.target for broken in report.lines_without_file] == ["project_beta_build.md"]
    assert report.files_without_line == ("project_beta_notes.md",)


def test_files_of_several_entries(demo: DemoHome) -> None:
    (project, *_) = workspace(demo, demo.api_dir).snapshots
    several = {
        document.path: len(entries_of(document))
        for document in project.documents
        if len(entries_of(document)) > 1
    }
    assert several == {
        "feedback/release-notes.md": 3,
        "project/リリース手順.md": 3,
        "feedback/review.md": 4,
        "project/postgres-16.md": 5,
        "feedback/коммиты.md": 2,
        "feedback/errors.md": 2,
        "project/数据保留.md": 3,
    }


def test_a_dream_has_something_to_merge_and_to_sort(demo: DemoHome) -> None:
    (project, *_) = workspace(demo, demo.api_dir).snapshots
    summaries = {
        document.path: [fold(entry.summary) for entry in entries_of(document)]
        for document in project.documents
    }
    review = summaries["feedback/review.md"]
    assert review[0] == review[2] == summaries["feedback/pr-review.md"][0]
    assert summaries["project/数据保留.md"][0] == summaries["project/数据保留.md"][1]
    upgrade = summaries["project/postgres-16.md"]
    assert upgrade != sorted(upgrade)
    assert summaries["feedback/squash.md"] == ["always squash a branch before merging."]
    assert summaries["feedback/migrations.md"][0].startswith("never squash a branch before merging")


def test_recall_of_the_question_in_the_pictures(demo: DemoHome) -> None:
    manager = MemoryManager(Target(demo.api_dir), demo.env, clock_ns=lambda: int(NOW * 1e9))
    api = manager.scan()
    assert api.auto_scorer == "weighted"
    recall = manager.ranker(api).rank("how do we write release notes?", api.auto_scorer)
    assert [(hit.score, hit.document.name) for hit in recall.hits] == [
        (24, "Release notes style"),
        (12, "Release 2.4, who and when"),
        (8, "Release board in Linear"),
        (7, "リリース手順 (release)"),
        (5, "Writes British English"),
    ]


def test_links_lead_somewhere_but_for_three(demo: DemoHome) -> None:
    snapshots = workspace(demo, demo.api_dir).snapshots + workspace(demo, demo.mobile_dir).snapshots
    links = [found for snapshot in snapshots for found in links_in(snapshot)]
    assert sum(found.resolved.is_found for found in links) == 11
    assert [(found.path, found.link.target) for found in links if found.resolved.is_broken] == [
        ("project/release-2-4.md", "hotfix-policy"),
        ("project/incident-0412.md", "../reference/queue-runbook.md"),
        ("project_ios15_sunset.md", "project_beta_build.md"),
    ]
