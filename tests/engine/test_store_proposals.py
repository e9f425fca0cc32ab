"""What rules proposed: written in order, stopped whole, remembered once it is undone."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.locations import store_dir
from memtui.engine.errors import MemtuiError
from memtui.engine.text import proposal_digest
from memtui.engine.types import ChangeSet, Proposal, StateChange
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import WrittenStore, add

DIGEST = proposal_digest("feedback", "Use uv")
OTHER = proposal_digest("project", "Freeze")


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    return WrittenStore(tmp_path, {"a.md": b"a", "MEMORY.md": b"- [a](a.md)"})


def act(made: WrittenStore, operation: str = "extract") -> ChangeSet:
    return replace(
        made.changes(
            add("feedback/uv.md", b"uv"),
            add("project/freeze.md", b"freeze"),
            made.edit("MEMORY.md", b"- [a](a.md)\n- [uv](feedback/uv.md)"),
            operation=operation,
            states=(
                StateChange("extract-cursor.json", {}, {"processedOffset": 9}),
                StateChange("meta.json", {}, {"lastDreamAt": "now", "updatedAt": "now"}),
                StateChange("cursors.json", {}, {"s1": {"processedOffset": 4}}),
            ),
        ),
        proposals=(
            Proposal(DIGEST, ("feedback/uv.md",)),
            Proposal(OTHER, ("project/freeze.md",)),
        ),
        details={"trigger": "auto", "deduped_entries": 3},
    )


def own(made: WrittenStore) -> Path:
    return store_dir(made.state, made.store)


def values(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_the_cursor_comes_last_and_meta_before_the_index(made: WrittenStore) -> None:
    names: list[str] = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        target = arguments[-1]
        is_store = isinstance(target, Path) and "journal" not in target.parts
        if name in ("link", "replace") and is_store and ".memtui-" not in target.name:
            names.append(target.name)

    made.writer(calls=FaultyCalls(watch=watch)).apply([act(made)])
    assert names == [
        "uv.md",
        "freeze.md",
        "meta.json",
        "MEMORY.md",
        "extract-cursor.json",
        "cursors.json",
    ]


def test_own_state_files_lie_in_memtuis_folder_for_its_user_alone(made: WrittenStore) -> None:
    made.writer().apply([act(made)])
    path = own(made) / "cursors.json"
    assert values(path) == {"s1": {"processedOffset": 4}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not (made.project / "cursors.json").exists()
    assert values(made.project / "extract-cursor.json") == {"processedOffset": 9}


def test_the_log_keeps_what_was_proposed_and_the_details(made: WrittenStore) -> None:
    made.writer().apply([act(made)])
    (logged,) = made.writer().log([made.store])
    (entry,) = logged.entries
    assert entry.details == {"trigger": "auto", "deduped_entries": 3}
    assert entry.proposals == act_proposals()


def act_proposals() -> tuple[Proposal, ...]:
    return (Proposal(DIGEST, ("feedback/uv.md",)), Proposal(OTHER, ("project/freeze.md",)))


def test_what_is_undone_is_remembered_and_a_redo_takes_that_back(made: WrittenStore) -> None:
    writer = made.writer()
    before = made.tree()
    applied = writer.apply([act(made)])
    undone = writer.undo([made.store])
    said = f"undone: extract {applied.group}"
    assert values(own(made) / "rejected.json") == {DIGEST: said, OTHER: said}
    assert made.tree() == before
    assert "rejected.json" not in undone.restored
    assert undone.applied is not None
    writer.undo([made.store], undone.applied.group)
    assert not (own(made) / "rejected.json").exists()
    assert made.bytes_of("feedback/uv.md") == b"uv"


def test_only_what_goes_back_is_remembered(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    made.put("feedback/uv.md", b"edited since")
    writer.undo([made.store])
    assert list(values(own(made) / "rejected.json")) == [OTHER]
    assert made.bytes_of("feedback/uv.md") == b"edited since"


def test_what_is_known_already_stays_as_it_was(made: WrittenStore) -> None:
    own(made).mkdir(parents=True)
    (own(made) / "rejected.json").write_text(json.dumps({DIGEST: "discarded"}))
    writer = made.writer()
    applied = writer.apply([act(made)])
    writer.undo([made.store])
    assert values(own(made) / "rejected.json") == {
        DIGEST: "discarded",
        OTHER: f"undone: extract {applied.group}",
    }


def test_a_broken_list_of_what_was_rejected_hinders_no_undo(made: WrittenStore) -> None:
    own(made).mkdir(parents=True)
    (own(made) / "rejected.json").write_text("{")
    before = made.tree()
    writer = made.writer()
    writer.apply([act(made)])
    undone = writer.undo([made.store])
    assert made.tree() == before
    assert [left.path for left in undone.left] == ["rejected.json"]
    assert (own(made) / "rejected.json").read_text() == "{"


def test_the_undo_of_a_dream_leaves_when_it_was(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made, "dream")])
    writer.undo([made.store])
    meta = values(made.project / "meta.json")
    assert (meta["lastDreamAt"], meta["updatedAt"]) == ("now", "now")
    assert not (made.project / "extract-cursor.json").exists()
    assert not (made.memory / "feedback").exists()


class HaltError(MemtuiError):
    pass


@pytest.mark.parametrize("at", range(6))
def test_an_act_that_is_stopped_between_files_leaves_all_as_it_was(
    made: WrittenStore, at: int
) -> None:
    asked: list[int] = []

    def look_up() -> None:
        asked.append(len(asked))
        if len(asked) > at:
            raise HaltError("stopped")

    before = made.tree()
    with pytest.raises(HaltError):
        made.writer().apply([act(made)], look_up=look_up)
    assert made.tree() == before
    assert not (own(made) / "cursors.json").exists()
    assert made.writer().log([made.store]) == ()
