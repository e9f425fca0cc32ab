"""Discovery: all projects of both agents that have a memory (spec section 1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine.disk.paths import bases, project_key
from memtui.engine.disk.projects import Project, ProjectFolder, discover
from memtui.engine.errors import NoHomeError
from tests.engine.agent_home import SECOND_NS, Home, folders
from tests.engine.machine import mkdir
from tests.engine.unprivileged import run_without_privileges


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return mkdir(tmp_path / "work")


# What is listed


def test_an_empty_home_has_no_projects(home: Home) -> None:
    assert home.found() == ()


def test_without_any_base_there_is_an_error(home: Home) -> None:
    with pytest.raises(NoHomeError):
        discover(bases({}, None))
    home.memory("-p", "a.md")
    only_qwen = bases({"QWEN_HOME": str(home.path / ".qwen")}, None)
    assert [project.key for project in discover(only_qwen).projects] == ["-p"]


def test_a_project_exactly(home: Home, work: Path) -> None:
    repo = mkdir(work / "repo")
    mkdir(repo / ".git")
    key = project_key(str(repo))
    memory_dir = home.memory(key, "MEMORY.md", "feedback/a.md", "b.MD", mtime_s=1_000)
    home.session(repo, mtime_s=2_000)
    assert home.only() == Project(
        key=key,
        agent="qwen",
        memory_dir=memory_dir,
        documents=2,
        folders=(ProjectFolder(str(repo), True),),
        is_shared=False,
        last_used_ns=2_000 * SECOND_NS,
        problems=(),
    )
    assert home.only().title == str(repo)


def test_both_agents_most_recently_used_first(home: Home) -> None:
    home.memory("-old", "a.md", mtime_s=1_000)
    home.memory("-b", "MEMORY.md", mtime_s=3_000)
    home.memory("-a", "a.md", mtime_s=3_000)
    home.memory("-a", "a.md", agent="claude", mtime_s=3_000)
    home.memory("-talked", "a.md", agent="claude", mtime_s=500)
    home.session("/talked", agent="claude", mtime_s=4_000)
    assert [(project.agent, project.key) for project in home.found()] == [
        ("claude", "-talked"),
        ("claude", "-a"),
        ("qwen", "-a"),
        ("qwen", "-b"),
        ("qwen", "-old"),
    ]


def test_sessions_without_a_memory_are_not_listed(home: Home) -> None:
    home.session("/p")
    home.session("/p", agent="claude")
    mkdir(home.path / ".qwen/projects/-q")
    (home.path / ".qwen/projects/.DS_Store").touch()
    assert home.found() == ()


def test_memory_and_sessions_below_different_bases(home: Home, work: Path) -> None:
    apart = bases({"QWEN_CODE_MEMORY_BASE_DIR": "~/mem"}, home.path)
    mkdir(home.path / "mem/projects" / project_key(str(work)) / "memory")
    home.session(work)
    (project,) = discover(apart).projects
    assert folders(project) == [(str(work), True)]


def test_counted_is_what_a_scan_takes_for_a_topic_file(home: Home) -> None:
    memory_dir = home.memory(
        "-p",
        "MEMORY.md",
        "a.md",
        "B.Md",
        ".hidden.md",
        "x/y/z/deep.md",
        "x/MEMORY.md",
        "pinned/p.md",
        "memory.md",
        ".git/no.md",
        "no.txt",
        "nomd",
    )
    outside = mkdir(home.path / "outside")
    (outside / "far.md").touch()
    (memory_dir / "linked.md").symlink_to(outside / "far.md")
    (memory_dir / "folder").symlink_to(outside)
    (memory_dir / "up").symlink_to(memory_dir)
    mkdir(memory_dir / "folder.md")
    project = home.only()
    # a, B, .hidden, deep, p, memory and the link
    assert project.documents == 7
    assert project.problems == ()


def test_a_linked_memory_is_counted(home: Home, work: Path) -> None:
    (work / "a.md").touch()
    mkdir(home.path / ".claude/projects/-p")
    (home.path / ".claude/projects/-p/memory").symlink_to(work)
    assert home.only().documents == 1


# Bad input


def test_what_is_no_directory_is_a_problem_of_its_project(home: Home, work: Path) -> None:
    base = home.path / ".claude/projects"
    for key in ("-cycle", "-dangling", "-file", "-good"):
        mkdir(base / key)
    (base / "-cycle/memory").symlink_to(base / "-cycle/memory")
    (base / "-dangling/memory").symlink_to(work / "absent")
    (base / "-file/memory").touch()
    (base / "-round").symlink_to(base / "-round")
    (base / "stray-file").touch()
    home.memory("-good", "a.md", agent="claude")
    found = {project.key: (project.documents, project.problems) for project in home.found()}
    loops = "cannot be looked at: Too many levels of symbolic links."
    assert found == {
        "-good": (1, ()),
        "-cycle": (0, (f"{base}/-cycle/memory {loops}",)),
        "-dangling": (0, (f"{base}/-dangling/memory is a link that leads nowhere.",)),
        "-file": (0, (f"{base}/-file/memory is not a directory.",)),
        "-round": (
            0,
            (f"{base}/-round/memory {loops}", f"{base}/-round cannot be read: {loops[21:]}"),
        ),
    }
    assert home.found()[0].key == "-good"


def test_links_that_lead_nowhere_inside_a_memory(home: Home) -> None:
    memory_dir = home.memory("-p", "a.md")
    (memory_dir / "dangling.md").symlink_to("absent.md")
    (memory_dir / "cycle.md").symlink_to("cycle.md")
    project = home.only()
    assert project.documents == 1
    assert sorted(project.problems) == [
        f"{memory_dir}/cycle.md cannot be looked at: Too many levels of symbolic links.",
        f"{memory_dir}/dangling.md cannot be looked at: No such file or directory.",
    ]


def test_a_file_where_projects_should_be(home: Home) -> None:
    mkdir(home.path / ".qwen")
    (home.path / ".qwen/projects").touch()
    (home.path / ".claude").touch()
    discovery = discover(home.bases)
    assert discovery.projects == ()
    assert discovery.problems == (
        f"{home.path}/.qwen/projects cannot be read: Not a directory.",
        f"{home.path}/.claude/projects cannot be read: Not a directory.",
    )


def test_a_file_where_sessions_should_be(home: Home) -> None:
    home.memory("-p", "a.md")
    (home.path / ".qwen/projects/-p/chats").touch()
    assert home.only().problems == (
        f"{home.path}/.qwen/projects/-p/chats is not a directory, so no session is read.",
    )


def test_unreadable_places_are_problems(home: Home) -> None:
    base = home.path / ".qwen/projects"
    home.memory("-closed", "a.md")
    home.memory("-sessions", "a.md")
    home.session("/sessions").chmod(0)
    memory_dir = home.memory("-sub", "a.md", "deep/b.md")
    home.memory("-p", "a.md", agent="claude")
    closed = (base / "-closed", memory_dir / "deep", home.path / ".claude/projects")
    for path in closed:
        path.chmod(0)
    code = """
import sys
from pathlib import Path
from memtui.engine.disk.paths import bases
from memtui.engine.disk.projects import discover
found = discover(bases({}, Path(sys.argv[1])))
for project in sorted(found.projects, key=lambda project: project.key):
    print(project.key, project.documents, *project.problems)
print(*found.problems)
"""
    try:
        lines = run_without_privileges(code, str(home.path)).splitlines()
    finally:
        for path in closed:
            path.chmod(0o700)
    denied = "Permission denied."
    assert lines == [
        f"-closed 0 {base}/-closed/memory cannot be looked at: {denied}"
        f" {base}/-closed/chats cannot be read: {denied}",
        f"-sessions 1 {base}/-sessions/chats/0001.jsonl cannot be read: {denied}",
        f"-sub 1 {memory_dir}/deep cannot be read: {denied}",
        f"{home.path}/.claude/projects cannot be read: {denied}",
    ]
