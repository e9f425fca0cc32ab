"""15-forget-leaves-index-line: a memory goes, and its own index line with it."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Case
from tests.engine.written_store import tree

LINE = "- [Tabs](feedback_tabs.md) — use tabs, see also [Lint](feedback_lint.md)\n"
AFTER = """\
## Style
- [Lint](feedback_lint.md) — run the linter

## Old
- [Tabs in SQL](feedback_tabs_sql.md) — tabs in SQL too
"""


def index(case: Case) -> str:
    return (case.memory / "MEMORY.md").read_text(encoding="utf-8")


def test_the_file_goes_and_its_own_line_only(case: Case) -> None:
    before = index(case)
    case.run("forget", "--id", "feedback_tabs.md", "--yes")
    assert sorted(case.documents()) == ["feedback_lint.md", "feedback_tabs_sql.md"]
    assert index(case) == AFTER == before.replace(LINE, "")


def test_the_preview_shows_the_span_the_line_and_the_links_and_writes_nothing(case: Case) -> None:
    before = tree(case.root)
    answer = case.run("forget", "--id", "feedback_tabs.md")
    assert answer.err == "memtui: Nothing is written yet; add --yes to do it.\n"
    assert answer.out.startswith("1 entry goes, 1 file goes whole, 1 index line goes.\n")
    assert "\n-Use tabs.\n" in answer.out
    assert f"\n-{LINE}" in answer.out
    links = answer.out.partition("\n\n! 2 links will lead nowhere:\n")[2].splitlines()
    assert sorted(links) == [
        "  feedback_lint.md:7      [[feedback_tabs]]",
        "  feedback_tabs_sql.md:7  [[feedback_tabs]]",
    ]
    assert tree(case.root) == before


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_the_two_links_that_lead_nowhere_are_reported(case: Case, more: tuple[str, ...]) -> None:
    answer = case.json("forget", "--id", "feedback_tabs.md", *more)
    assert answer["applied"] is (more != ())
    assert sorted(answer["broken_links"], key=lambda link: str(link["path"])) == [
        {
            "path": path,
            "scope": "project",
            "line": 7,
            "text": "[[feedback_tabs]]",
            "leads_to": "feedback_tabs.md",
        }
        for path in ("feedback_lint.md", "feedback_tabs_sql.md")
    ]


def test_undo_brings_back_file_line_and_position(case: Case) -> None:
    before = tree(case.memory)
    case.run("forget", "--id", "feedback_tabs.md", "--yes")
    assert tree(case.memory) != before
    case.run("undo", "--yes")
    assert tree(case.memory) == before


def test_the_line_comes_back_to_its_place_in_an_index_that_an_agent_changed(case: Case) -> None:
    case.run("forget", "--id", "feedback_tabs.md", "--yes")
    new = "- [New](feedback_new.md) — written meanwhile\n"
    changed = index(case).replace("## Old\n", f"## Old\n{new}")
    (case.memory / "MEMORY.md").write_text(changed, encoding="utf-8")
    case.run("undo", "--yes")
    assert index(case) == changed.replace("## Style\n", f"## Style\n{LINE}")
    assert "feedback_tabs.md" in case.documents()


def test_an_emptied_heading_stays(case: Case) -> None:
    before = tree(case.memory)
    case.run("forget", "--id", "feedback_tabs_sql.md", "--yes")
    assert index(case).endswith("- [Lint](feedback_lint.md) — run the linter\n\n## Old\n")
    case.run("undo", "--yes")
    assert tree(case.memory) == before
