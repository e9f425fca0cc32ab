"""23-duplicates: what is written twice is found, and what contradicts is never merged."""

from __future__ import annotations

from memtui.engine.disk.scan import Scanner
from memtui.engine.disk.store import StoreWriter
from memtui.engine.plans.dream import plan_dream
from memtui.engine.plans.suggestions import suggest
from memtui.engine.types import Store
from tests.cases.conftest import Case
from tests.engine.index_building import scanned
from tests.engine.written_store import tree

NOW_NS = 1_780_000_000 * 10**9


def test_the_exact_pair_is_merged_and_nothing_else() -> None:
    plan = plan_dream(scanned("23-duplicates"), now_ns=NOW_NS)
    (merge,) = plan.merges
    assert (merge.kept_id, merge.gone_id) == ("feedback_grep.md", "feedback_grep_2.md")
    assert merge.reason == "left empty, goes"
    assert [(change.path, change.kind) for change in plan.change_set.changes] == [
        ("feedback_grep_2.md", "removed"),
        ("MEMORY.md", "changed"),
    ]
    assert (plan.sorts, plan.unmerged, plan.broken_links) == ((), (), ())


def test_the_reworded_pair_and_the_one_of_two_numbers_are_proposals() -> None:
    found = suggest(scanned("23-duplicates"), now_ns=NOW_NS)
    near = [
        (each.score, each.words, [document.path for document, _ in each.entries])
        for each in found
        if each.kind == "near-duplicate"
    ]
    assert near == [
        (93, "37 / 15", ["project_rewind.md", "project_rewind_2.md"]),
        (76, "", ["feedback_grep.md", "feedback_use_grep.md"]),
    ]


def test_the_two_commit_rules_are_shown_as_a_conflict_with_both_texts() -> None:
    found = suggest(scanned("23-duplicates"), now_ns=NOW_NS)
    conflicts = [each for each in found if each.kind == "conflict"]
    assert [(each.words, [entry.summary for _, entry in each.entries]) for each in conflicts] == [
        ("always / never", ["Never commit before the review.", "Commit after each step."])
    ]


def test_the_merge_keeps_the_index_in_step_and_is_undone(case: Case) -> None:
    before = tree(case.memory)
    own = Store("project", "none", case.memory)
    plan = plan_dream(Scanner().scan(own), now_ns=NOW_NS)
    writer = StoreWriter(case.root / "state")
    writer.apply([plan.change_set])
    left = case.json("index")
    assert (left["lines"], left["lines_without_file"], left["files_without_line"]) == (6, [], [])
    assert "feedback_grep_2.md" not in case.documents()
    again = plan_dream(Scanner().scan(own), now_ns=NOW_NS)
    assert again.change_set.is_empty
    writer.undo([own])
    assert tree(case.memory) == before
    held = plan_dream(
        Scanner().scan(own), now_ns=NOW_NS, rejected=[each.digest for each in plan.merges]
    )
    assert (held.merges, held.held_back) == ((), 1)


def test_the_command_line_proposes_merges_and_undoes(case: Case) -> None:
    before = tree(case.memory)
    shown = case.json("dream")
    assert [change["path"] for change in shown["changes"]] == ["feedback_grep_2.md", "MEMORY.md"]
    assert [each["kind"] for each in shown["suggestions"]] == [
        "conflict",
        "near-duplicate",
        "near-duplicate",
    ]
    conflict = shown["suggestions"][0]
    assert [each["summary"] for each in conflict["entries"]] == [
        "Never commit before the review.",
        "Commit after each step.",
    ]
    answer = case.run("dream")
    assert "Never commit before the review." in answer.out
    assert "Commit after each step." in answer.out
    assert tree(case.memory) == before

    done = case.json("dream", "--yes")
    assert (done["applied"], done["deduped_entries"]) == (True, 1)
    left = case.json("index")
    assert (left["lines_without_file"], left["files_without_line"]) == ([], [])
    case.run("undo", done["journal_id"], "--yes")
    assert tree(case.memory) == before
    again = case.json("dream")
    assert (again["changes"], again["deduped_entries"]) == ([], 0)
