"""The reading half of the cases about indexes: their README lines as assertions."""

from __future__ import annotations

import pytest

from memtui.engine.format.index_report import report_index
from memtui.engine.types import Agent
from tests.engine.index_building import scanned


def test_03_few_long_lines() -> None:
    report = report_index(scanned("03-few-long-lines"))
    assert (report.lines, report.bytes, report.characters) == (60, 43_260, 43_140)
    assert report.long_lines == tuple(range(1, 61))
    assert report.cut_line == 35
    assert report.left_out == tuple(f"project_area_{number:02}.md" for number in range(34, 60))


@pytest.mark.parametrize("agent", ["none", "claude", "qwen"])
def test_10_index_out_of_step(agent: Agent) -> None:
    report = report_index(scanned("10-index-out-of-step", agent=agent))
    assert [tuple(item) for item in report.lines_without_file] == [
        (4, "project_gone.md", None),
        (5, "old/reference_api.md", "reference_api.md"),
    ]
    assert [tuple(item) for item in report.case_differences] == [
        (6, "Feedback_Case.md", "feedback_case.md")
    ]
    assert report.doubled == (7,)
    assert report.files_without_line == ("project_never_listed.md",)
    assert report.kind == "hand-kept"
    assert report.inline == ()


def test_11_content_inside_the_index() -> None:
    report = report_index(scanned("11-content-inside-the-index"))
    assert [tuple(item) for item in report.inline] == [
        (5, "## Build"),
        (7, "Use `make all`. The cache lives in `.cache/`."),
        (9, "- never run as root"),
        (10, "- needs 8 GB"),
        (12, "| env | port |"),
        (13, "|---|---|"),
        (14, "| dev | 8080 |"),
        (16, "```"),
        (17, "- [not a link](inside_code.md) — inside a code block"),
        (18, "```"),
    ]
    assert report.kind == "hand-kept"
    assert report.line_of == {"project_deploy.md": 3}
    assert report.lines_without_file == ()


def test_12_colon_in_description() -> None:
    report = report_index(scanned("12-colon-in-description"))
    assert report.kind == "managed"
    assert len(report.line_of) == 12
    assert report.not_derived == ()
    assert report.line_of["feedback_bracket.md"] == 7
    assert (report.lines_without_file, report.files_without_line) == ((), ())


def test_13_crlf_and_byte_order_mark() -> None:
    report = report_index(scanned("13-crlf-bom-utf16"))
    assert report.lines == 8
    assert report.line_of["reference_crlf.md"] == 1
    assert (report.lines_without_file, report.files_without_line) == ((), ())
    assert report.inline == ()
    assert report.has_only_index_lines


def test_19_wiki_entry() -> None:
    report = report_index(scanned("19-wiki-links"))
    assert report.line_of == {"feedback_regex.md": 1, "project_deploy.md": 2}
    assert (report.lines_without_file, report.files_without_line) == ((), ())


def test_29_qwen_index_links() -> None:
    memory = "home/.qwen/projects/-tmp-demo/memory"
    report = report_index(scanned("29-qwen-index-links", memory, agent="qwen"))
    assert report.kind == "managed"
    assert report.not_derived == ()
    assert report.line_of == {
        "user/中文回答.md": 1,
        "project/with space.md": 2,
        "project/paren(1).md": 3,
        "project/br[0]#%&.md": 4,
    }
    assert (report.lines_without_file, report.files_without_line) == ((), ())
    assert report.case_differences == ()
