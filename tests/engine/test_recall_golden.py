"""The golden results of the agents' own scorers: tokens, order and score of every case."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.scan import Scanner
from memtui.engine.format.visibility import verdicts
from memtui.engine.recall.scoring import Ranker
from memtui.engine.recall.tokens import CJK_RANGES
from memtui.engine.recall.versions import scorer_for
from memtui.engine.types import Agent, Recall, Scorer, Snapshot, Store
from tests.engine.recall_building import (
    GOLDEN,
    GOLDEN_STORES,
    document,
    golden,
    ranking,
    snapshot,
)

SCORERS: tuple[Scorer, ...] = ("classic", "weighted")


def from_values(data: dict[str, Any]) -> Snapshot:
    return snapshot(
        [
            document(
                each["path"],
                name=each["name"],
                description=each["description"],
                kind=each["type"],
                body=each["body"],
                mtime_ns=each["mtime_ms"] * 10**6,
            )
            for each in data["documents"]
        ]
    )


def from_files(data: dict[str, Any], folder: Path, agent: Agent) -> Snapshot:
    for each in data["documents"]:
        file = folder / each["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(
            (
                f"---\nname: {each['name']}\ndescription: {each['description']}\n"
                f"type: {each['type']}\n---\n\n{each['body']}\n"
            ).encode()
        )
        os.utime(file, ns=(each["mtime_ms"] * 10**6,) * 2)
    return Scanner().scan(Store("project", agent, folder))


def wrong(ranker: Ranker, data: dict[str, Any], scorer: Scorer) -> list[str]:
    """The queries whose tokens, order or scores are not those of the agent."""
    return [
        case["query"]
        for case in data["cases"]
        if as_golden(ranker.rank(case["query"], scorer)) != case[scorer]
    ]


def as_golden(recall: Recall) -> dict[str, Any]:
    assert (recall.strategy == "heuristic") is bool(recall.hits)
    return {
        "tokens": list(recall.tokens),
        "top": [{"path": path, "score": score} for path, score in ranking(recall)],
    }


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("file_name", GOLDEN_STORES)
def test_values_rank_as_the_agent_ranks_them(file_name: str, scorer: Scorer) -> None:
    data = golden(file_name)
    assert len(data["cases"]) == 87
    assert wrong(Ranker([from_values(data)], {}, 0), data, scorer) == []


@pytest.mark.parametrize("agent", ["qwen", "none"])
@pytest.mark.parametrize("file_name", GOLDEN_STORES)
def test_files_rank_as_the_agent_ranks_them(tmp_path: Path, file_name: str, agent: Agent) -> None:
    data = golden(file_name)
    scanned = from_files(data, tmp_path, agent)
    assert scanned.problems == ()
    assert len(scanned.documents) == len(data["documents"])
    for version in ("0.22.3", "0.24.0"):
        seen = Ranker([scanned], {"project": verdicts(scanned, version)}, 0)
        assert wrong(seen, data, scorer_for(version)) == []


@pytest.mark.parametrize("file_name", GOLDEN_STORES)
def test_files_hold_the_golden_values(tmp_path: Path, file_name: str) -> None:
    data = golden(file_name)
    by_path = {each.path: each for each in from_files(data, tmp_path, "none").documents}
    for each in data["documents"]:
        read = by_path[each["path"]]
        assert (read.name, read.description, read.type) == (
            each["name"],
            each["description"].strip(),
            each["type"],
        )
        assert read.body_text.strip() == each["body"].strip()
        assert read.mtime_ns == each["mtime_ms"] * 10**6


def test_the_cjk_class_is_the_golden_one() -> None:
    ranges = json.loads((GOLDEN / "cjk-class.json").read_text(encoding="utf-8"))
    assert [(int(first, 16), int(last, 16)) for first, last in ranges] == list(CJK_RANGES)
