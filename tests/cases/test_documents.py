"""The reading half of cases 12, 13, 14 and 28, on their own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.types import TopicDocument

CASES = Path(__file__).parent / "input"
COLONS = CASES / "12-colon-in-description" / "memory"
ENCODINGS = CASES / "13-crlf-bom-utf16" / "memory"
FENCES = CASES / "14-frontmatter-taken-for-text" / "memory"
NESTED = CASES / "28-claude-frontmatter-in-a-qwen-store/home/.qwen/projects/-tmp-demo/memory"


def read(folder: Path, path: str) -> TopicDocument:
    return parse_document((folder / path).read_bytes(), path=path)


def messages(document: TopicDocument) -> list[str]:
    return [problem.message for problem in document.problems]


@pytest.mark.parametrize(
    ("stem", "name", "description", "is_valid_yaml"),
    [
        ("at", "@team/ui", "@team/ui is published by hand", False),
        ("bang", "!important", "!important is banned", False),
        ("bool", "yes", "no", True),
        ("bracket", "[WIP] search", "[WIP] do not touch", False),
        ("colon", "Deploy: production", "Use: make deploy; note: never on Friday", False),
        ("date", "2026-01-02", "2026-01-02", True),
        ("hash", "C# style", "see ticket #12 # old rule", True),
        ("num", "0123", "1e3", True),
        ("pct", "100% coverage", "%d is not allowed in messages", False),
        ("quote", '"Done" means merged', '"done" means merged, not pushed', False),
        ("star", "*args", "*args are forbidden", False),
        ("tick", "`make` first", "`make` is the entry point", False),
    ],
)
def test_plain_values_are_the_text_after_the_colon(
    stem: str, name: str, description: str, is_valid_yaml: bool
) -> None:
    document = read(COLONS, f"feedback_{stem}.md")
    assert (document.name, document.description, document.type) == (name, description, "feedback")
    assert [field.key for field in document.fields] == ["name", "description", "type"]
    assert [problem.rule for problem in document.problems] == ["frontmatter"] * (not is_valid_yaml)
    assert [entry.summary for entry in entries_of(document)] == ["Body text."]


def test_all_twelve_files_are_covered() -> None:
    assert len(list(COLONS.glob("feedback_*.md"))) == 12


@pytest.mark.parametrize(
    ("stem", "lead", "expected"),
    [
        ("crlf", b"", []),
        ("bom", b"\xef\xbb\xbf", ["A byte order mark stands before the frontmatter."]),
        ("bom_crlf", b"\xef\xbb\xbf", ["A byte order mark stands before the frontmatter."]),
        ("mixed", b"", []),
        ("eof_fence", b"", []),
        ("blank_first", b"\n\n", ["Blank lines stand before the frontmatter."]),
    ],
)
def test_line_ends_and_leads_hide_nothing(stem: str, lead: bytes, expected: list[str]) -> None:
    document = read(ENCODINGS, f"reference_{stem}.md")
    assert document.name == "Windows file"
    assert document.description == "written on Windows"
    assert (document.type, document.type_place) == ("reference", "top")
    assert document.lead.of(document.source) == lead
    assert messages(document) == expected
    assert document.encoding == "utf-8"
    assert document.source == document.raw
    body = "" if stem == "eof_fence" else "Body text."
    assert document.body_text.strip() == body


@pytest.mark.parametrize(
    ("stem", "encoding", "description", "shown"),
    [
        ("latin1", "latin-1", "café, written on Windows", "Latin-1"),
        ("utf16", "utf-16-le", "written on Windows", "UTF-16"),
    ],
)
def test_other_encodings_are_decoded_and_flagged(
    stem: str, encoding: str, description: str, shown: str
) -> None:
    document = read(ENCODINGS, f"reference_{stem}.md")
    assert document.encoding == encoding
    assert document.name == "Windows file"
    assert document.description == description
    assert document.type == "reference"
    assert "\ufffd" not in document.source.decode()
    assert document.body_text.strip() == "Body text."
    assert messages(document) == [
        f"The file is not UTF-8; shown as {shown}, it can only be deleted, moved or converted."
    ]
    assert document.raw == (ENCODINGS / f"reference_{stem}.md").read_bytes()


@pytest.mark.parametrize(
    ("stem", "name", "summary"),
    [
        ("rule", "Rule", "First thought."),
        ("nofm", "Title of a plain note", "No frontmatter here."),
        ("unclosed", "project_unclosed", "name: Unclosed"),
        ("empty", "project_empty", "project_empty"),
        ("only_fm", "Only", "Only"),
    ],
)
def test_no_title_or_summary_is_a_fence(stem: str, name: str, summary: str) -> None:
    document = read(FENCES, f"project_{stem}.md")
    assert document.name == name
    assert [entry.summary for entry in entries_of(document)] == [summary]


def test_a_body_keeps_its_rules() -> None:
    document = read(FENCES, "project_rule.md")
    assert document.body_text == (
        "\nFirst thought.\n\n---\n\nSecond thought.\n\n---\nname: not frontmatter\n---\n"
    )
    assert document.problems == ()


def test_an_unclosed_file_is_all_body_and_reported() -> None:
    document = read(FENCES, "project_unclosed.md")
    assert document.body_text.encode() == document.raw
    assert document.fields == ()
    assert messages(document) == ["The frontmatter is not closed by `---`; the whole file is body."]


def test_an_empty_file_is_an_empty_document() -> None:
    document = read(FENCES, "project_empty.md")
    assert document.source == b""
    assert (document.description, document.type, document.problems) == ("", "", ())
    assert read(FENCES, "project_only_fm.md").body_text == ""


def test_type_is_read_from_both_places() -> None:
    nested = read(NESTED, "project/nested.md")
    assert (nested.name, nested.description) == ("nested-type", "type lives under metadata")
    assert (nested.type, nested.type_place) == ("project", "metadata")
    assert [(field.key, field.value) for field in nested.fields[2:]] == [
        ("metadata.node_type", "memory"),
        ("metadata.type", "project"),
        ("metadata.originSessionId", "11111111-2222-4333-8444-555555555555"),
    ]
    assert {field.span for field in nested.fields[2:]} == {nested.fields[2].span}
    assert nested.fields[2].span.of(nested.source).startswith(b"metadata: \n  node_type: memory\n")
    flat = read(NESTED, "project/flat.md")
    assert (flat.type, flat.type_place) == ("project", "top")


def test_an_unknown_type_is_kept() -> None:
    other = read(NESTED, "project/other.md")
    assert (other.name, other.type, other.type_place) == ("Decision", "decision", "top")
    assert other.problems == ()
