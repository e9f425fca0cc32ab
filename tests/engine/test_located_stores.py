"""The stores of a folder, and every place that was looked at (spec section 1)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memtui.engine.disk.paths import (
    Bases,
    Looked,
    bases,
    directory_state,
    project_key,
    store_at,
    stores_for,
)
from memtui.engine.errors import UsageError
from memtui.engine.types import Agent, Store
from tests.engine.machine import Machine, mkdir
from tests.engine.unprivileged import run_without_privileges

CASES = Path(__file__).parent.parent / "cases/input"
CASE_06 = CASES / "06-key-collision-non-ascii"
CASE_16 = CASES / "16-same-path-in-two-scopes"


def dirs(stores: tuple[Store, ...]) -> list[tuple[str, str, Path]]:
    return [(store.scope, store.agent, store.memory_dir) for store in stores]


# The stores of a folder


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_all_stores_of_a_subfolder_exactly(machine: Machine) -> None:
    for path in (machine.qwen, machine.claude, machine.user, machine.team):
        mkdir(path)
    located = stores_for(machine.sub, machine.bases)
    assert located.stores == (
        Store(
            scope="project",
            agent="qwen",
            memory_dir=machine.qwen,
            project_dir=machine.repo,
            key=machine.key,
            state_dir=machine.qwen.parent,
            sessions_dir=machine.home / ".qwen/projects" / machine.sub_key / "chats",
        ),
        Store(scope="user", agent="qwen", memory_dir=machine.user),
        Store(scope="team", agent="qwen", memory_dir=machine.team, project_dir=machine.repo),
    )
    assert stores_for(machine.sub, machine.bases, "claude").stores == (
        Store(
            scope="project",
            agent="claude",
            memory_dir=machine.claude,
            project_dir=machine.repo,
            key=machine.key,
            state_dir=None,
            sessions_dir=machine.home / ".claude/projects" / machine.sub_key,
        ),
    )
    assert stores_for(machine.sub, machine.bases, "qwen").stores == located.stores


def test_sessions_lie_below_the_runtime_base_memory_below_the_base(machine: Machine) -> None:
    found = bases({"QWEN_CODE_MEMORY_BASE_DIR": "~/mem", "QWEN_HOME": "~/q"}, machine.home)
    memory_dir = mkdir(machine.home / "mem/projects" / machine.key / "memory")
    user = mkdir(machine.home / "mem/memories")
    project, shared = stores_for(machine.repo, found).stores
    assert (project.memory_dir, shared.memory_dir) == (memory_dir, user)
    assert project.state_dir == machine.home / "mem/projects" / machine.key
    assert project.sessions_dir == machine.home / "q/projects" / machine.key / "chats"


@pytest.mark.parametrize(
    ("there", "agent", "opened"),
    [
        ("qwen claude user team", None, "qwen user team"),
        ("qwen claude user team", "claude", "claude"),
        ("qwen claude user team", "qwen", "qwen user team"),
        ("qwen user", None, "qwen user"),
        ("qwen team", None, "qwen team"),
        ("claude", None, "claude"),
        ("claude", "qwen", ""),
        ("qwen", "claude", ""),
        ("claude user team", None, "claude"),
        ("claude user team", "qwen", "user team"),
        ("user", None, "user"),
        ("team", None, "team"),
        ("user team", "claude", ""),
        ("", None, ""),
    ],
)
def test_which_stores_open(machine: Machine, there: str, agent: Agent | None, opened: str) -> None:
    places = {name: getattr(machine, name) for name in ("qwen", "claude", "user", "team")}
    for name in there.split():
        mkdir(places[name])
    located = stores_for(machine.repo, machine.bases, agent)
    assert [store.memory_dir for store in located.stores] == [
        places[name] for name in opened.split()
    ]


def test_the_empty_state_tells_every_place_and_why(machine: Machine) -> None:
    mkdir(machine.claude.parent).joinpath("memory").touch()
    located = stores_for(machine.sub, machine.bases)
    assert located.stores == ()

    def seen(looked: Looked) -> tuple[Path, str, str, str]:
        return looked.store.memory_dir, looked.reason, looked.state, looked.message

    assert [seen(looked) for looked in located.looked_in] == [
        (
            machine.qwen,
            "Qwen Code's memory of this project",
            "missing",
            f"{machine.qwen} does not exist.",
        ),
        (
            machine.user,
            "Qwen Code's memory shared by all projects",
            "missing",
            f"{machine.user} does not exist.",
        ),
        (
            machine.team,
            "Qwen Code's memory shared with the team, in the repository",
            "missing",
            f"{machine.team} does not exist.",
        ),
        (
            machine.claude,
            "Claude Code's memory of this project",
            "not-a-directory",
            f"{machine.claude} is not a directory.",
        ),
    ]


def test_without_a_repository_there_is_no_team_store(tmp_path: Path) -> None:
    folder = mkdir(tmp_path / "plain")
    located = stores_for(folder, bases({}, mkdir(tmp_path / "home")))
    assert [place.store.scope for place in located.looked_in] == ["project", "user", "project"]
    assert located.looked_in[0].store.key == project_key(str(folder))


def test_the_other_agents_store_is_told_though_it_does_not_open(machine: Machine) -> None:
    mkdir(machine.qwen)
    mkdir(machine.claude)
    located = stores_for(machine.repo, machine.bases)
    there = [place.store.agent for place in located.looked_in if place.state == "ok"]
    assert there == ["qwen", "claude"]
    assert dirs(located.stores) == [("project", "qwen", machine.qwen)]


def test_local_memory_lies_in_the_folder_as_given(machine: Machine) -> None:
    found = bases({"QWEN_CODE_MEMORY_LOCAL": "1"}, machine.home)
    local = mkdir(machine.sub / ".qwen/memory")
    for path in (machine.qwen, machine.user, machine.team):
        mkdir(path)
    located = stores_for(machine.sub, found)
    assert located.stores[0] == Store(
        "project",
        "qwen",
        local,
        project_dir=machine.sub,
        key=machine.sub_key,
        state_dir=machine.sub / ".qwen",
        sessions_dir=machine.home / ".qwen/projects" / machine.sub_key / "chats",
    )
    assert dirs(located.stores[1:]) == [
        ("user", "qwen", machine.user),
        ("team", "qwen", machine.team),
    ]
    assert located.looked_in[0].reason == (
        "Qwen Code's memory of this project, in the project (QWEN_CODE_MEMORY_LOCAL is 1)"
    )
    # Neither the memory below the base nor that of the git root is this folder's now.
    assert stores_for(machine.repo, found).stores[0].scope == "user"


def test_the_agent_none_has_no_folder(machine: Machine) -> None:
    with pytest.raises(UsageError, match="--memory-dir"):
        stores_for(machine.repo, machine.bases, "none")


def test_windows_keys_are_lower_case(tmp_path: Path) -> None:
    folder = mkdir(tmp_path / "My Proj")
    found = Bases(tmp_path / "q", tmp_path / "q", tmp_path / "c", is_windows=True)
    keys = {place.store.key for place in stores_for(folder, found).looked_in}
    assert keys == {project_key(str(folder)).lower(), None}


# Bad input


def test_states_of_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "absent")
    cycle = tmp_path / "cycle"
    cycle.symlink_to(cycle)
    good = tmp_path / "good"
    good.symlink_to(tmp_path)
    long = tmp_path / ("x" * 300)
    assert directory_state(tmp_path) == ("ok", "")
    assert directory_state(good) == ("ok", "")
    assert directory_state(file) == ("not-a-directory", f"{file} is not a directory.")
    assert directory_state(file / "x") == ("not-a-directory", f"{file}/x lies below a file.")
    assert directory_state(link) == ("missing", f"{link} is a link that leads nowhere.")
    assert directory_state(cycle)[0] == "unreadable"
    assert directory_state(cycle)[1].startswith(f"{cycle} cannot be looked at: Too many levels")
    assert directory_state(cycle / "x")[0] == "unreadable"
    assert directory_state(long) == ("missing", f"{long} is too long a path for this system.")
    assert directory_state(Path("/a\0b"))[0] == "missing"


def test_a_file_or_cycle_where_a_store_should_be_is_a_message(machine: Machine) -> None:
    mkdir(machine.qwen.parent)
    machine.qwen.symlink_to(machine.qwen)
    mkdir(machine.user.parent)
    machine.user.touch()
    machine.claude.parent.parent.parent.touch()
    located = stores_for(machine.repo, machine.bases)
    assert located.stores == ()
    assert [place.state for place in located.looked_in] == [
        "unreadable",
        "not-a-directory",
        "missing",
        "not-a-directory",
    ]
    assert store_at(machine.qwen, machine.bases).key == machine.key
    assert store_at(machine.user, machine.bases).scope == "user"


def test_unreadable_directories_are_messages(machine: Machine) -> None:
    mkdir(machine.qwen)
    mkdir(machine.user)
    machine.qwen.parent.chmod(0)
    machine.user.chmod(0)
    code = """
import sys
from pathlib import Path
from memtui.engine.disk.paths import bases, store_at, stores_for
repo, home, user, qwen = map(Path, sys.argv[1:])
located = stores_for(repo, bases({}, home))
print([store.scope for store in located.stores])
print([place.state for place in located.looked_in])
print(located.looked_in[0].message)
print(store_at(user, bases({}, home)).scope, store_at(qwen, bases({}, home)).key)
home.chmod(0)
print(store_at(repo, bases({}, home)).agent)
print([place.state for place in stores_for(repo, bases({}, home)).looked_in])
"""
    arguments = (machine.repo, machine.home, machine.user, machine.qwen)
    try:
        lines = run_without_privileges(code, *map(str, arguments)).splitlines()
    finally:
        for path in (machine.home, machine.qwen.parent, machine.user):
            path.chmod(0o700)
    assert lines == [
        "['user']",
        "['unreadable', 'ok', 'missing', 'missing']",
        f"{machine.qwen} cannot be looked at: Permission denied.",
        f"user {machine.key}",
        "none",
        "['unreadable', 'unreadable', 'missing', 'unreadable']",
    ]


# Cases


def test_case_06_both_folders_compute_the_same_key() -> None:
    found = bases({}, CASE_06 / "home")
    keys = [project_key(f"/home/me/work/{name}") for name in ("商店", "面包")]
    assert keys == ["-home-me-work---"] * 2
    opened = [stores_for(Path("/home/me/work", name), found).stores for name in ("商店", "面包")]
    memory_dir = CASE_06 / "home/.claude/projects/-home-me-work---/memory"
    assert [dirs(stores) for stores in opened] == [[("project", "claude", memory_dir)]] * 2


def test_case_16_three_scopes_of_one_folder(tmp_path: Path) -> None:
    copy = tmp_path / "case"
    shutil.copytree(CASE_16, copy)
    repo = copy / "repo"
    mkdir(repo / ".git")
    projects = copy / "home/.qwen/projects"
    (projects / "-tmp-demo").rename(projects / project_key(str(repo)))
    located = stores_for(repo, bases({}, copy / "home"))
    assert dirs(located.stores) == [
        ("project", "qwen", projects / project_key(str(repo)) / "memory"),
        ("user", "qwen", copy / "home/.qwen/memories"),
        ("team", "qwen", repo / ".qwen/team-memory"),
    ]
    assert all((store.memory_dir / "feedback/style.md").is_file() for store in located.stores)
