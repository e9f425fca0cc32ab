"""06-key-collision-non-ascii: two folders whose names give one key."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Case

KEY = "-home-me-work---"
SHOPS = {"/home/me/work/商店", "/home/me/work/面包"}


def test_the_real_folders_are_learned_from_the_sessions_and_both_shown(case: Case) -> None:
    (project,) = case.json("projects")["projects"]
    assert (project["key"], project["agent"], project["documents"]) == (KEY, "claude", 2)
    assert {folder["path"] for folder in project["folders"]} == SHOPS
    assert not any(folder["exists"] for folder in project["folders"])
    text = case.text("projects")
    for shop in SHOPS:
        assert shop in text
    assert text.count("gone") == 2


def test_no_path_is_made_of_a_key(case: Case) -> None:
    for session in (case.home / ".claude/projects" / KEY).glob("*.jsonl"):
        session.unlink()
    (project,) = case.json("projects")["projects"]
    assert project["folders"] == []
    text = case.text("projects")
    assert f"  {KEY}  " in text
    assert "/home" not in text


def test_the_shared_directory_is_warned_of(case: Case) -> None:
    assert "shared: 2 folders have this one memory" in case.text("projects")


@pytest.mark.parametrize("folder", sorted(SHOPS))
def test_both_folders_give_the_same_key(case: Case, folder: str) -> None:
    (store,) = case.json("list", "--project", folder)["stores"]
    assert store["memory_dir"] == str(case.home / ".claude/projects" / KEY / "memory")
