"""Bases from the environment, git root and project key (spec section 1)."""

from __future__ import annotations

import json
import os
import pwd
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.paths import (
    Bases,
    absolute,
    bases,
    git_root,
    home_of,
    project_key,
    store_at,
    stores_for,
)
from memtui.engine.errors import NoHomeError, StoreError
from memtui.engine.text import utf16_length
from memtui.engine.types import Store
from tests.engine.machine import mkdir

TESTS = Path(__file__).parent.parent
KEYS = json.loads((TESTS / "documents/golden/project-keys.json").read_text("utf-8"))
HOME = Path("/home/me")

characters = st.characters(min_codepoint=1)
not_alphanumeric = characters.filter(lambda one: not (one.isascii() and one.isalnum()))


def dirs(stores: tuple[Store, ...]) -> list[tuple[str, str, Path]]:
    return [(store.scope, store.agent, store.memory_dir) for store in stores]


# The key


@pytest.mark.parametrize("golden", KEYS, ids=lambda golden: golden["path"])
def test_key_of_each_golden_path(golden: dict[str, str]) -> None:
    assert project_key(golden["path"]) == golden["key"]


def test_golden_keys_are_all_there() -> None:
    assert len(KEYS) == 12


def test_windows_lower_cases_first() -> None:
    assert project_key("C:\\Users\\Jo\\Site (1)", windows=True) == "c--users-jo-site--1-"
    assert project_key("C:\\Users\\Jo\\Site (1)") == "C--Users-Jo-Site--1-"
    # The Kelvin sign is outside A-Z, its lower case is a plain k.
    assert project_key("/\u212a", windows=True) == "-k"
    assert project_key("/\u212a") == "--"


@given(st.text(characters))
def test_a_key_has_one_unit_for_each_of_the_path(path: str) -> None:
    key = project_key(path)
    assert re.fullmatch("[A-Za-z0-9-]*", key)
    assert len(key) == utf16_length(path)
    assert project_key(key) == key


@given(st.lists(st.tuples(st.text("aZ09"), not_alphanumeric, not_alphanumeric)))
def test_paths_that_differ_only_outside_letters_and_digits_collide(
    parts: list[tuple[str, str, str]],
) -> None:
    same_width = [part for part in parts if utf16_length(part[1]) == utf16_length(part[2])]
    one = "".join(word + first for word, first, _ in same_width)
    other = "".join(word + second for word, _, second in same_width)
    assert project_key(one) == project_key(other)


@given(st.text("abAB09"), st.text("abAB09"))
def test_letters_and_digits_are_kept(one: str, other: str) -> None:
    assert project_key(f"/{one}/{other}") == f"-{one}-{other}"


# The bases


def test_bases_without_any_variable() -> None:
    assert bases({}, HOME) == Bases(
        qwen_base=Path("/home/me/.qwen"),
        qwen_runtime=Path("/home/me/.qwen"),
        claude_base=Path("/home/me/.claude"),
        is_local=False,
    )


@pytest.mark.parametrize(
    ("env", "base", "runtime"),
    [
        ({"QWEN_HOME": "/q"}, "/q", "/q"),
        ({"QWEN_RUNTIME_DIR": "/r"}, "/r", "/r"),
        ({"QWEN_RUNTIME_DIR": "/r", "QWEN_HOME": "/q"}, "/r", "/r"),
        ({"QWEN_RUNTIME_DIR": "", "QWEN_HOME": "/q"}, "/q", "/q"),
        ({"QWEN_RUNTIME_DIR": "", "QWEN_HOME": ""}, "/home/me/.qwen", "/home/me/.qwen"),
        ({"QWEN_CODE_MEMORY_BASE_DIR": "/m"}, "/m", "/home/me/.qwen"),
        ({"QWEN_CODE_MEMORY_BASE_DIR": "/m", "QWEN_HOME": "/q"}, "/m", "/q"),
        ({"QWEN_CODE_MEMORY_BASE_DIR": "", "QWEN_HOME": "/q"}, "/q", "/q"),
        ({"QWEN_HOME": "~"}, "/home/me", "/home/me"),
        ({"QWEN_HOME": "~/q/../r"}, "/home/me/r", "/home/me/r"),
        ({"QWEN_HOME": "~//q"}, "/home/me/q", "/home/me/q"),
        ({"QWEN_RUNTIME_DIR": "~/r", "QWEN_HOME": "/q"}, "/home/me/r", "/home/me/r"),
        ({"QWEN_HOME": "/q/"}, "/q", "/q"),
    ],
)
def test_bases_of_qwen(env: dict[str, str], base: str, runtime: str) -> None:
    found = bases(env, HOME)
    assert (found.qwen_base, found.qwen_runtime) == (Path(base), Path(runtime))
    assert found.claude_base == Path("/home/me/.claude")


@pytest.mark.parametrize(
    ("value", "base"),
    [("/c", "/c"), ("~/c", "/home/me/c"), ("", "/home/me/.claude")],
)
def test_base_of_claude(value: str, base: str) -> None:
    assert bases({"CLAUDE_CONFIG_DIR": value}, HOME).claude_base == Path(base)


def test_relative_variables_are_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = bases({"QWEN_HOME": "q", "CLAUDE_CONFIG_DIR": "./c/../d"}, Path("home"))
    assert (found.qwen_base, found.claude_base) == (tmp_path / "q", tmp_path / "d")
    assert bases({"QWEN_HOME": "~other/q"}, HOME).qwen_base == tmp_path / "~other/q"
    assert bases({}, Path("home")).qwen_base == tmp_path / "home/.qwen"


@pytest.mark.parametrize(
    ("value", "is_local"),
    [("1", True), ("true", False), ("0", False), ("", False), ("1 ", False), ("01", False)],
)
def test_local_is_exactly_one(value: str, is_local: bool) -> None:
    assert bases({"QWEN_CODE_MEMORY_LOCAL": value}, HOME).is_local is is_local


def test_absolute_keeps_links_and_one_leading_slash(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(mkdir(tmp_path / "real"))
    assert absolute(f"/{tmp_path}/link/./x/../y") == tmp_path / "link/y"
    assert str(absolute("//srv//x/")) == "/srv/x"


def test_a_current_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = mkdir(tmp_path / "gone")
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert absolute("/x") == Path("/x")
    with pytest.raises(StoreError, match=r"^The current directory no longer exists\.$"):
        absolute("x")


# No home


def test_home_is_the_variable_else_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert home_of({"HOME": "/home/x/"}) == Path("/home/x")
    assert home_of({}) == account
    assert home_of({"HOME": ""}) == account

    def nobody(uid: int) -> pwd.struct_passwd:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert home_of({}) is None


def test_without_a_home_named_bases_still_work(tmp_path: Path) -> None:
    found = bases({"QWEN_HOME": str(tmp_path)}, None)
    assert (found.qwen_base, found.claude_base) == (tmp_path, None)
    memory_dir = mkdir(tmp_path / "projects" / project_key("/p") / "memory")
    located = stores_for(Path("/p"), found)
    assert dirs(located.stores) == [("project", "qwen", memory_dir)]
    assert stores_for(Path("/q"), found).stores == ()


def test_no_home_is_an_error_only_where_nothing_else_was_found(tmp_path: Path) -> None:
    nothing = bases({"QWEN_HOME": "~/q"}, None)
    assert (nothing.qwen_base, nothing.qwen_runtime, nothing.claude_base) == (None, None, None)
    with pytest.raises(NoHomeError, match="QWEN_HOME") as caught:
        stores_for(tmp_path, nothing)
    assert caught.value.exit_code == 4
    with pytest.raises(NoHomeError):
        stores_for(tmp_path, bases({"QWEN_HOME": "/q"}, None), "claude")
    with pytest.raises(NoHomeError):
        stores_for(tmp_path, bases({"CLAUDE_CONFIG_DIR": "/c"}, None), "qwen")
    (tmp_path / ".git").touch()
    team = mkdir(tmp_path / ".qwen/team-memory")
    assert dirs(stores_for(tmp_path, nothing).stores) == [("team", "qwen", team)]
    assert store_at(team, nothing).scope == "team"


def test_a_local_store_needs_no_home(tmp_path: Path) -> None:
    memory_dir = mkdir(tmp_path / ".qwen/memory")
    found = bases({"QWEN_CODE_MEMORY_LOCAL": "1"}, None)
    (store,) = stores_for(tmp_path, found).stores
    assert store == Store(
        "project",
        "qwen",
        memory_dir,
        project_dir=tmp_path,
        key=project_key(str(tmp_path)),
        state_dir=tmp_path / ".qwen",
        sessions_dir=None,
    )
    assert store_at(memory_dir, found) == store


# The git root


def test_git_root_is_the_nearest_folder_with_git(tmp_path: Path) -> None:
    repo = mkdir(tmp_path / "repo")
    mkdir(repo / ".git")
    deep = mkdir(repo / "a/b")
    assert git_root(deep) == repo
    assert git_root(repo) == repo
    assert git_root(repo / "not/there") == repo
    submodule = mkdir(repo / "a/module")
    (submodule / ".git").write_text("gitdir: ../../.git/modules/module\n")
    assert git_root(mkdir(submodule / "src")) == submodule
    assert git_root(tmp_path) is None


def test_git_root_is_not_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = mkdir(tmp_path / "repo")
    mkdir(repo / ".git")
    mkdir(repo / "src")
    (tmp_path / "link").symlink_to(repo)
    assert git_root(tmp_path / "link/src") == tmp_path / "link"
    monkeypatch.chdir(tmp_path)
    assert git_root(Path("repo/src")) == repo


def test_a_dangling_or_cyclic_git_marks_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").symlink_to(tmp_path / "absent")
    assert git_root(tmp_path) is None
    (tmp_path / ".git").unlink()
    (tmp_path / ".git").symlink_to(tmp_path / ".git")
    assert git_root(tmp_path) is None
