"""14-frontmatter-taken-for-text: files at the edges of what frontmatter is."""

from __future__ import annotations

from tests.cases.conftest import Case


def test_titles(case: Case) -> None:
    assert {path: each["name"] for path, each in case.documents().items()} == {
        "project_rule.md": "Rule",
        "project_nofm.md": "Title of a plain note",
        "project_unclosed.md": "project_unclosed",
        "project_empty.md": "project_empty",
        "project_only_fm.md": "Only",
    }


def test_the_unclosed_file_is_reported_and_shown_whole(case: Case) -> None:
    document = case.json("show", "project_unclosed.md")
    assert [problem["rule"] for problem in document["problems"]] == ["frontmatter"]
    assert "not closed" in document["problems"][0]["message"]
    source = (case.memory / "project_unclosed.md").read_text(encoding="utf-8")
    assert document["body"] == source
    text = case.text("show", "project_unclosed.md")
    assert "! The frontmatter is not closed" in text
    assert text.endswith(
        "\n---\nname: Unclosed\ndescription: the closing line is missing\ntype: project\n\nBody.\n"
    )


def test_the_empty_file_and_the_empty_body(case: Case) -> None:
    for path in ("project_empty.md", "project_only_fm.md"):
        assert case.json("show", path)["body"] == ""
        (row,) = [line for line in case.text("list").splitlines() if path in line]
        assert row.endswith("empty")
        assert case.text("show", path).endswith("\n(the body is empty)\n")


def test_no_title_or_summary_is_a_rule(case: Case) -> None:
    for document in case.documents().values():
        for text in (document["name"], *(entry["summary"] for entry in document["entries"])):
            assert text.strip("-") != ""


def test_the_body_of_rule_keeps_both_rules(case: Case) -> None:
    document = case.json("show", "project_rule.md")
    assert document["body"] == (
        "\nFirst thought.\n\n---\n\nSecond thought.\n\n---\nname: not frontmatter\n---\n"
    )
    assert len(document["entries"]) == 1
    assert document["entries"][0]["summary"] == "First thought."
