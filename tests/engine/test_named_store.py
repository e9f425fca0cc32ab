"""The store that a named directory is: `--memory-dir` (spec section 1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.paths import bases, store_at, stores_for
from memtui.engine.types import Store
from tests.engine.machine import Machine, mkdir


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_named_place_is_that_store(machine: Machine) -> None:
    for path in (machine.qwen, machine.claude, machine.user, machine.team):
        mkdir(path)
    assert store_at(machine.qwen, machine.bases) == Store(
        "project",
        "qwen",
        machine.qwen,
        key=machine.key,
        state_dir=machine.qwen.parent,
        sessions_dir=machine.qwen.parent / "chats",
    )
    assert store_at(machine.claude, machine.bases) == Store(
        "project",
        "claude",
        machine.claude,
        key=machine.key,
        sessions_dir=machine.claude.parent,
    )
    assert store_at(machine.user, machine.bases) == Store("user", "qwen", machine.user)
    assert store_at(machine.team, machine.bases) == Store(
        "team", "qwen", machine.team, project_dir=machine.repo
    )


def test_a_named_place_need_not_exist(machine: Machine) -> None:
    assert store_at(machine.qwen, machine.bases).key == machine.key
    assert store_at(machine.user, machine.bases).scope == "user"


@pytest.mark.parametrize("place", ["qwen", "claude", "user", "team"])
def test_a_place_named_through_a_link_is_that_store(
    machine: Machine, tmp_path: Path, place: str
) -> None:
    named: Path = mkdir(getattr(machine, place))
    link = tmp_path / "link"
    link.symlink_to(named)
    direct = store_at(named, machine.bases)
    linked = store_at(link, machine.bases)
    assert direct.agent != "none"
    assert linked.memory_dir == link
    assert (linked.scope, linked.agent, linked.key, linked.state_dir, linked.sessions_dir) == (
        direct.scope,
        direct.agent,
        direct.key,
        direct.state_dir,
        direct.sessions_dir,
    )


def test_a_home_behind_a_link_is_compared_by_real_paths(machine: Machine, tmp_path: Path) -> None:
    mkdir(machine.qwen)
    (tmp_path / "alias").symlink_to(machine.home)
    through_alias = tmp_path / "alias" / machine.qwen.relative_to(machine.home)
    assert store_at(through_alias, machine.bases).key == machine.key
    aliased = bases({}, tmp_path / "alias")
    assert store_at(machine.qwen, aliased).state_dir == through_alias.parent


def test_a_memory_that_is_itself_a_link_is_found_by_its_target(
    machine: Machine, tmp_path: Path
) -> None:
    elsewhere = mkdir(tmp_path / "synced/notes")
    mkdir(machine.claude.parent)
    machine.claude.symlink_to(elsewhere)
    store = store_at(elsewhere, machine.bases)
    assert (store.agent, store.key, store.memory_dir) == ("claude", machine.key, elsewhere)
    mkdir(machine.qwen.parent)
    machine.qwen.symlink_to(elsewhere)
    assert store_at(elsewhere, machine.bases).agent == "qwen"
    assert store_at(machine.claude, machine.bases).agent == "claude"


@pytest.mark.parametrize(
    "relative",
    [
        "home/.qwen",
        "home/.qwen/projects/-k",
        "home/.qwen/projects/-k/memory/pinned",
        "home/.qwen/projects/-k/deep/memory",
        "home/.claude/memories",
        "repo/.qwen/memory",
        "repo/src/app/.qwen/team-memory",
        "repo/team-memory",
        "elsewhere/memory",
    ],
)
def test_any_other_directory_has_no_agent(machine: Machine, tmp_path: Path, relative: str) -> None:
    named = mkdir(tmp_path / relative)
    assert store_at(named, machine.bases) == Store("project", "none", named)


def test_a_relative_named_directory(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert store_at(Path("notes"), machine.bases).memory_dir == tmp_path / "notes"
    assert store_at(Path("home/.qwen/memories"), machine.bases).scope == "user"


def test_local_counts_for_a_named_directory_only_where_it_is_set(machine: Machine) -> None:
    local = mkdir(machine.sub / ".qwen/memory")
    found = bases({"QWEN_CODE_MEMORY_LOCAL": "1"}, machine.home)
    assert store_at(local, found) == stores_for(machine.sub, found).stores[0]
    assert store_at(local, machine.bases).agent == "none"


@given(st.lists(st.sampled_from(["a", "b c", "é", "😀", ".x"]), min_size=1, max_size=4))
def test_the_place_of_any_folder_is_known_again_by_name(parts: list[str]) -> None:
    found = bases({}, Path("/nowhere/home"))
    for place in stores_for(Path("/nowhere", *parts), found).looked_in:
        again = store_at(place.store.memory_dir, found)
        assert (again.scope, again.agent, again.key, again.state_dir) == (
            place.store.scope,
            place.store.agent,
            place.store.key,
            place.store.state_dir,
        )
