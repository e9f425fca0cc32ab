"""20-search-outside-ascii: eight notes in eight languages, the oldest of 228 files."""

from __future__ import annotations

import os
import unicodedata

import pytest

from memtui.engine.format.filter import filter_documents, parse_filter
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from tests.cases.conftest import Case

NOTES = (
    "project_zh",
    "feedback_ja",
    "feedback_ko",
    "feedback_ru",
    "project_tr",
    "feedback_fr",
    "reference_nfd",
    "reference_en",
)
OLD_S = 1_735_689_600
"""2025-01-01."""

SEARCHES = [
    ("数据库迁移", "project_zh.md"),
    ("迁移", "project_zh.md"),
    ("デプロイ", "feedback_ja.md"),
    ("커밋", "feedback_ko.md"),
    ("елка", "feedback_ru.md"),
    ("ёлка", "feedback_ru.md"),
    ("izin", "project_tr.md"),
    ("règles", "feedback_fr.md"),
    ("regles", "feedback_fr.md"),
    (unicodedata.normalize("NFC", "café"), "reference_nfd.md"),
    ("vacuum", "reference_en.md"),
]
FOLDED_ONLY = {"izin", "regles"}
"""The agent's own scorers fold no accents, so recall is right to miss these."""


@pytest.fixture
def old(case: Case) -> Case:
    """The case with its eight notes the oldest, as its set-up script does it."""
    for name in NOTES:
        os.utime(case.memory / f"{name}.md", (OLD_S, OLD_S))
    return case


def found_by_filter(case: Case, words: str) -> list[str]:
    manager = MemoryManager(Target(case.root, case.memory))
    workspace = manager.scan()
    assert workspace.documents == 228
    wanted = parse_filter(words)
    now_ns = manager.clock_ns()
    found = filter_documents(workspace.snapshots, wanted, workspace.verdicts, now_ns)
    return [document.path for document in found]


@pytest.mark.parametrize(("words", "path"), SEARCHES)
def test_the_filter_finds_exactly_the_note(old: Case, words: str, path: str) -> None:
    assert [each["path"] for each in old.json("list")["documents"]][-8:] == sorted(
        f"{name}.md" for name in NOTES
    )
    assert found_by_filter(old, words) == [path]


@pytest.mark.parametrize(
    ("words", "path"), [search for search in SEARCHES if search[0] not in FOLDED_ONLY]
)
def test_recall_finds_exactly_the_note(old: Case, words: str, path: str) -> None:
    answer = old.json("recall", words)
    assert answer["scorer"] == "weighted"
    assert [each["path"] for each in answer["documents"]] == [path]


@pytest.mark.parametrize("words", ["没有这个词", "zzzz", "ёжик", "あいう"])
def test_a_search_without_a_match_gives_nothing(old: Case, words: str) -> None:
    assert found_by_filter(old, words) == []
    answer = old.run("recall", words, "--json", code=1)
    assert (answer.json["strategy"], answer.json["documents"]) == ("none", [])
