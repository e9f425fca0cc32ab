"""16-same-path-in-two-scopes: one relative path in the project, user and team store."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine.disk.paths import project_key
from memtui.engine.format.filter import filter_documents, parse_filter
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from tests.cases.conftest import Case
from tests.engine.written_store import tree

LATER = ("moving between scopes asks on a name clash",)
PATH = "feedback/style.md"
SCOPES = ["project", "user", "team"]


@pytest.fixture
def repo(case: Case, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy of the repository, whose key the project's memory gets."""
    repo = case.root / "repo"
    (repo / ".git").mkdir()
    projects = case.home / ".qwen/projects"
    (projects / "-tmp-demo").rename(projects / project_key(str(repo)))
    monkeypatch.chdir(repo)
    return repo


@pytest.mark.usefixtures("repo")
def test_the_scope_is_always_shown(case: Case) -> None:
    found = case.json("list")["documents"]
    assert [(each["scope"], each["path"]) for each in found] == [(name, PATH) for name in SCOPES]
    heads = [
        line for line in case.text("list").splitlines() if " · Qwen Code · 1 memory · " in line
    ]
    assert [head.partition(" ")[0] for head in heads] == SCOPES
    for scope in SCOPES:
        assert case.text("show", f"{scope}:{PATH}").startswith(f"{scope}:{PATH}\n")
        shown = case.json("show", PATH, "--scope", scope)
        assert shown["scope"] == scope
    assert len({each["description"] for each in found}) == 3


@pytest.mark.usefixtures("repo")
def test_search_lists_three_hits(case: Case) -> None:
    answer = case.json("recall", "style")
    assert sorted(each["scope"] for each in answer["documents"]) == sorted(SCOPES)
    assert {each["path"] for each in answer["documents"]} == {PATH}
    text = case.text("recall", "style")
    for scope in SCOPES:
        assert f"{scope}:{PATH}" in text


def test_the_filter_lists_three_hits(repo: Path) -> None:
    manager = MemoryManager(Target(repo))
    workspace = manager.scan()
    found = filter_documents(
        workspace.snapshots, parse_filter("style"), workspace.verdicts, manager.clock_ns()
    )
    assert [document.scope for document in found] == SCOPES


@pytest.mark.usefixtures("repo")
def test_an_id_without_a_scope_is_refused_with_the_three(case: Case) -> None:
    answer = case.run("show", PATH, code=3)
    for scope in SCOPES:
        assert f"`{scope}:{PATH}`" in answer.err


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.usefixtures("repo")
def test_deleting_one_leaves_the_others_and_their_indexes_untouched(case: Case, scope: str) -> None:
    folders = {each["scope"]: Path(each["memory_dir"]) for each in case.json("list")["stores"]}
    before = {name: tree(folder) for name, folder in folders.items()}
    planned = case.json("forget", "--id", f"{scope}:{PATH}")
    assert {change["scope"] for change in planned["changes"]} == {scope}
    applied = case.json("forget", "--id", f"{scope}:{PATH}", "--yes")
    assert [change["path"] for change in applied["changes"]] == [PATH, "MEMORY.md"]
    after = {name: tree(folder) for name, folder in folders.items()}
    assert PATH not in after[scope]
    assert after[scope]["MEMORY.md"].content == b""
    for other in set(SCOPES) - {scope}:
        assert after[other] == before[other]
    (entry,) = case.json("log")["entries"]
    assert (entry["scope"], entry["paths"]) == (scope, [PATH, "MEMORY.md"])
    case.run("undo", "--yes")
    assert {name: tree(folder) for name, folder in folders.items()} == before


@pytest.mark.usefixtures("repo")
def test_forgetting_without_a_scope_is_refused_with_the_three(case: Case) -> None:
    answer = case.run("forget", "--id", PATH, "--yes", code=3)
    for scope in SCOPES:
        assert f"`{scope}:{PATH}`" in answer.err
    shown = case.json("forget", "--id", PATH, "--scope", "user")
    assert [each["scope"] for each in shown["candidates"]] == ["user"]
