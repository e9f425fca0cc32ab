"""Case 20: eight notes in eight languages, the oldest of 228 files, found by recall."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memtui.engine.disk.scan import Scanner
from memtui.engine.recall.scoring import Ranker
from memtui.engine.types import Store
from tests.engine.recall_building import ranking

CASE = Path(__file__).parent.parent / "cases" / "input" / "20-search-outside-ascii" / "memory"
OLD = (
    "project_zh.md",
    "feedback_ja.md",
    "feedback_ko.md",
    "feedback_ru.md",
    "project_tr.md",
    "feedback_fr.md",
    "reference_nfd.md",
    "reference_en.md",
)


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Ranker:
    """The case as its set-up makes it: the eight real notes are the oldest files."""
    folder = tmp_path_factory.mktemp("case") / "memory"
    shutil.copytree(CASE, folder)
    for file in folder.iterdir():
        seconds = 1_735_689_600 if file.name in OLD else 1_780_000_000
        os.utime(file, (seconds, seconds))
    scanned = Scanner().scan(Store("project", "none", folder))
    assert len(scanned.documents) == 228
    assert {each.path for each in scanned.documents[-8:]} == set(OLD)
    return Ranker([scanned], {}, 0)


@pytest.mark.parametrize(
    ("query", "path", "score"),
    [
        ("数据库迁移", "project_zh.md", 4 * 7),
        ("迁移", "project_zh.md", 7),
        ("デプロイ", "feedback_ja.md", 3 * 7),
        ("커밋", "feedback_ko.md", 7),
        ("ёлка", "feedback_ru.md", 7),
        ("елка", "feedback_ru.md", 3),
        ("règles", "feedback_fr.md", 4),
        ("RÈGLES", "feedback_fr.md", 4),
        ("caf\u00e9", "reference_nfd.md", 4),
        ("cafe\u0301", "reference_nfd.md", 4),
        ("vacuum", "reference_en.md", 3),
    ],
)
def test_weighted_finds_exactly_the_note(ranked: Ranker, query: str, path: str, score: int) -> None:
    assert ranking(ranked.rank(query, "weighted")) == [(path, score)]


@pytest.mark.parametrize("query", ["izin", "regles", "zzzunmatched", "图书馆", "??", ""])
def test_weighted_without_a_match_returns_nothing(ranked: Ranker, query: str) -> None:
    recall = ranked.rank(query, "weighted")
    assert (recall.hits, recall.strategy, recall.prompt) == ((), "none", "")
    assert {left.reason for left in ranked.left_out(recall)} == {"no token matched"}


def test_classic_says_why_it_misses_the_note(ranked: Ranker) -> None:
    recall = ranked.rank("vacuum", "classic")
    # Any token lets every document with a body in: those versions do that.
    assert [score for _, score in ranking(recall)] == [1] * 5
    left_out = ranked.left_out(recall)
    assert (left_out[0].path, left_out[0].score) == ("reference_en.md", 3)
    beyond = {left.path for left in left_out if left.reason == "beyond the 200 newest"}
    assert beyond >= set(OLD)
    assert len(beyond) == 28
    assert ranked.rank("数据库迁移", "classic").strategy == "none"
