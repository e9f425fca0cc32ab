"""13-crlf-bom-utf16: line ends, byte order marks and other encodings."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Case

LATER = ("saving keeps BOM and line ends of the file",)


@pytest.mark.parametrize("kind", ["crlf", "bom", "bom_crlf", "mixed", "eof_fence", "blank_first"])
def test_name_description_and_type_are_read(case: Case, kind: str) -> None:
    document = case.documents()[f"reference_{kind}.md"]
    assert (document["name"], document["description"], document["type"]) == (
        "Windows file",
        "written on Windows",
        "reference",
    )


@pytest.mark.parametrize(
    ("kind", "description", "shown_as"),
    [
        ("latin1", "café, written on Windows", "Latin-1"),
        ("utf16", "written on Windows", "UTF-16"),
    ],
)
def test_what_is_not_utf8_is_shown_and_said_to_be_read_only(
    case: Case, kind: str, description: str, shown_as: str
) -> None:
    document = case.json("show", f"reference_{kind}.md")
    assert (document["name"], document["description"]) == ("Windows file", description)
    assert "Body text." in document["body"]
    assert "\ufffd" not in document["body"] + document["description"]
    (problem,) = document["problems"]
    assert problem["rule"] == "frontmatter"
    for word in ("not UTF-8", f"shown as {shown_as}"):
        assert word in problem["message"]
    assert problem["message"] in case.text("list")


def test_the_index_is_read_past_its_byte_order_mark_and_line_ends(case: Case) -> None:
    report = case.json("index")
    assert report["lines"] == 8
    assert (report["lines_without_file"], report["files_without_line"]) == ([], [])
    assert (report["inline"], report["doubled"]) == ([], [])


def test_which_of_them_the_agents_skip(case: Case) -> None:
    """Qwen Code up to 0.22 skips CRLF too; every version what begins with something else."""
    every: set[str] = set()
    old: set[str] = set()
    for path, document in case.documents().items():
        kind = path.removeprefix("reference_").removesuffix(".md")
        for skip in document["skipped_by"]:
            assert skip["agent"] == "qwen"
            (old if "up to 0.22" in skip["reason"] else every).add(kind)
    assert every == {"utf16", "bom", "bom_crlf", "blank_first"}
    assert old == {"crlf", "bom_crlf", "mixed"}
    text = case.text("list")
    assert "✗ Qwen Code skips it: byte order mark before the first ---" in text
    assert "✗ Qwen Code skips it: blank line before the first ---" in text
