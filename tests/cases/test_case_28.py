"""28-claude-frontmatter-in-a-qwen-store: a `type` that Qwen Code does not read."""

from __future__ import annotations

from tests.cases.conftest import Case

LATER = ("offers a conversion that adds a top-level type and leaves the rest byte for byte",)
PROJECT = ("--project", "/tmp/demo")


def test_type_is_read_from_both_places(case: Case) -> None:
    found = case.documents(*PROJECT)
    assert {path: each["type"] for path, each in found.items()} == {
        "project/nested.md": "project",
        "project/flat.md": "project",
        "project/other.md": "decision",
    }
    assert found["project/nested.md"]["description"] == "type lives under metadata"


def test_what_qwen_code_will_not_list_is_shown(case: Case) -> None:
    found = case.documents(*PROJECT)
    assert {path: each["seen"] for path, each in found.items()} == {
        "project/nested.md": False,
        "project/flat.md": True,
        "project/other.md": False,
    }
    assert found["project/nested.md"]["skipped_by"] == [
        {"agent": "qwen", "reason": "type is nested under metadata:"}
    ]
    text = case.text("list", *PROJECT)
    rows = {line.split()[-4]: line for line in text.splitlines() if "seen" in line}
    assert rows["project/nested.md"].endswith("✗ unseen")
    assert rows["project/other.md"].endswith("✗ unseen")
    assert rows["project/flat.md"].endswith("✓ seen")
    assert "Qwen Code skips it: type is nested under metadata:" in text


def test_the_index_lacks_nothing_that_the_agent_could_list(case: Case) -> None:
    report = case.json("index", *PROJECT)
    assert (report["kind"], report["files_without_line"]) == ("managed", [])
