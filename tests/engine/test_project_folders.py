"""Which folders a project belongs to, as its sessions tell (spec section 1)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk import projects
from memtui.engine.disk.paths import Bases, project_key
from memtui.engine.disk.projects import discover
from memtui.engine.disk.sessions import SessionHead, session_heads
from tests.engine.agent_home import SECOND_NS, Home, folders, set_age
from tests.engine.machine import mkdir

CASE_06 = Path(__file__).parent.parent / "cases/input/06-key-collision-non-ascii"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return mkdir(tmp_path / "work")


# Which folders a project belongs to


def test_no_known_folder_shows_the_key(home: Home) -> None:
    home.memory("-home-me-my-proj", "a.md")
    project = home.only()
    assert (project.folders, project.title) == ((), "-home-me-my-proj")


def test_a_folder_that_is_gone_is_shown_as_gone(home: Home, work: Path) -> None:
    home.memory(project_key(str(work / "gone")), "a.md")
    home.session(work / "gone")
    assert folders(home.only()) == [(str(work / "gone"), False)]


def test_sessions_in_subfolders_tell_the_git_root(home: Home, work: Path) -> None:
    repo = mkdir(work / "repo")
    (repo / ".git").write_text("gitdir: /elsewhere\n")
    home.memory(project_key(str(repo)), "a.md")
    home.session(mkdir(repo / "src"), mtime_s=5_000)
    home.session(mkdir(repo / "docs/x"), mtime_s=4_000)
    project = home.only()
    assert folders(project) == [(str(repo), True)]
    assert (project.is_shared, project.last_used_ns) == (False, 5_000 * SECOND_NS)


def test_a_gone_subfolder_tells_its_root_only_where_nothing_surer_does(
    home: Home, work: Path
) -> None:
    repo = work / "repo"
    home.memory(project_key(str(repo)), "a.md", mtime_s=1_000)
    home.session(repo / "src", mtime_s=5_000)
    project = home.only()
    assert folders(project) == [(str(repo), False)]
    assert (project.is_shared, project.last_used_ns) == (False, 1_000 * SECOND_NS)


def test_a_guess_never_makes_a_project_shared(home: Home, work: Path) -> None:
    home.memory(project_key(str(work / "a-b")), "a.md")
    home.session(work / "a-b")
    home.session(work / "a/b/src")
    project = home.only()
    assert folders(project) == [(str(work / "a-b"), False)]
    assert not project.is_shared


def test_another_folder_below_is_no_subfolder(home: Home, work: Path) -> None:
    home.memory(project_key(str(work)), "a.md")
    home.session(work)
    home.session(mkdir(work / "own"))
    other = mkdir(work / "repo")
    mkdir(other / ".git")
    home.session(other, mtime_s=9_000)
    project = home.only()
    assert folders(project) == [(str(work), True)]
    assert (project.is_shared, project.last_used_ns) == (False, 1_000 * SECOND_NS)


def test_a_memory_from_before_the_repository_keeps_its_folder(home: Home, work: Path) -> None:
    sub = mkdir(work / "repo/sub")
    home.memory(project_key(str(sub)), "a.md")
    home.session(sub)
    mkdir(work / "repo/.git")
    assert folders(home.only()) == [(str(sub), True)]
    home.memory(project_key(str(work / "repo")), "a.md")
    by_key = {project.key: folders(project) for project in home.found()}
    assert by_key == {
        project_key(str(sub)): [(str(sub), True)],
        project_key(str(work / "repo")): [(str(work / "repo"), True)],
    }


def test_sessions_under_a_foreign_key_tell_nothing_of_it(home: Home, work: Path) -> None:
    home.memory("-renamed-by-hand", "a.md", mtime_s=1_000)
    home.session(work, key="-renamed-by-hand", mtime_s=2_000)
    project = home.only()
    assert (project.folders, project.last_used_ns) == ((), 2_000 * SECOND_NS)


def test_a_relative_or_foreign_working_directory(home: Home) -> None:
    home.memory("C--Users-Jo-app", "a.md")
    home.memory("rel-app", "a.md")
    home.session("C:\\Users\\Jo\\app")
    home.session("rel/app")
    assert {project.key: folders(project) for project in home.found()} == {
        "C--Users-Jo-app": [("C:\\Users\\Jo\\app", False)],
        "rel-app": [("rel/app", False)],
    }


def test_existing_folders_first_then_the_most_recent(home: Home, work: Path) -> None:
    home.memory(project_key(str(work / "a-b")), "a.md")
    mkdir(work / "a_b")
    home.session(work / "a_b", mtime_s=1_000)
    home.session(work / "a.b", mtime_s=2_000)
    home.session(work / "a-b", mtime_s=3_000)
    assert folders(home.only()) == [
        (str(work / "a_b"), True),
        (str(work / "a-b"), False),
        (str(work / "a.b"), False),
    ]


def test_only_different_real_folders_share_a_key(home: Home, work: Path) -> None:
    home.memory(project_key(str(work / "a-b")), "a.md")
    mkdir(work / "a-b")
    (work / "a_b").symlink_to(work / "a-b")
    home.session(work / "a-b")
    home.session(f"{work}//a-b/")
    home.session(work / "a_b")
    project = home.only()
    assert folders(project) == [(str(work / "a-b"), True), (str(work / "a_b"), True)]
    assert not project.is_shared
    mkdir(work / "a b")
    home.session(work / "a b")
    assert home.only().is_shared


def test_windows_keys_match_in_lower_case(home: Home, work: Path) -> None:
    folder = mkdir(work / "My App")
    base = home.path / ".qwen"
    windows = Bases(base, base, None, is_windows=True)
    home.memory(project_key(str(folder), windows=True), "a.md")
    home.session(folder, key=project_key(str(folder), windows=True))
    (project,) = discover(windows).projects
    assert folders(project) == [(str(folder), True)]


def test_only_the_newest_sessions_of_a_key_are_read(home: Home, work: Path) -> None:
    key = project_key(str(work / "a-b"))
    home.memory(key, "a.md")
    for age in range(projects.SESSIONS_PER_KEY):
        home.session(work / "a-b", mtime_s=10_000 - age)
    home.session(work / "a_b", mtime_s=1)
    assert folders(home.only()) == [(str(work / "a-b"), False)]
    discovery = discover(home.bases, sessions_per_key=projects.SESSIONS_PER_KEY + 1)
    assert len(discovery.projects[0].folders) == 2


def test_only_keys_that_can_belong_are_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.memory("-work-app", "a.md")
    for cwd in ("/work/app", "/work/app/src", "/work/apple", "/work", "/other"):
        home.session(cwd)
    read: list[str] = []

    def recorded(directory: Path, limit: int | None) -> tuple[SessionHead, ...]:
        read.append(directory.parent.name)
        return session_heads(directory, limit)

    monkeypatch.setattr("memtui.engine.disk.projects.session_heads", recorded)
    home.found()
    assert read == ["-work-app", "-work-app-src"]
    home.memory("-", "a.md")
    read.clear()
    home.found()
    assert sorted(read) == sorted(
        ["-", "-other", *(f"-work{end}" for end in ("", "-app", "-app-src", "-apple"))]
    )


def test_a_memory_of_the_root_directory(home: Home) -> None:
    home.memory("-", "a.md")
    home.session("/")
    assert folders(home.only()) == [("/", True)]


@given(st.lists(st.sampled_from(["a", "b-c", "b_c", "é", "😀", ".x"]), min_size=1, max_size=3))
def test_the_folder_of_a_session_is_found_by_its_key(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    home = Home(tmp_path_factory.mktemp("home"))
    cwd = Path("/nowhere", *parts)
    home.memory(project_key(str(cwd)), "a.md")
    home.session(cwd)
    assert folders(home.only()) == [(str(cwd), False)]


# Case


def test_case_06_two_folders_share_one_memory(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    shutil.copytree(CASE_06 / "home", home.path, dirs_exist_ok=True)
    for name, mtime_s in (("1", 1_000), ("2", 2_000)):
        uuid = f"{name * 8}-{name * 4}-4{name * 3}-8{name * 3}-{name * 12}"
        set_age(home.path / f".claude/projects/-home-me-work---/{uuid}.jsonl", mtime_s)
    project = home.only()
    assert (project.key, project.agent, project.documents) == ("-home-me-work---", "claude", 2)
    assert project.is_shared
    assert folders(project) == [("/home/me/work/面包", False), ("/home/me/work/商店", False)]
