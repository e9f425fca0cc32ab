"""10-index-out-of-step: lines without a file, files without a line."""

from __future__ import annotations

from tests.cases.conftest import Case

LATER = (
    "the repair keeps heading, order and the wording of good lines",
    "exit status of a check command is not 0",
)


def test_exactly_what_is_wrong_is_reported(case: Case) -> None:
    report = case.json("index")
    assert report["lines_without_file"] == [
        {"line": 4, "target": "project_gone.md", "moved_to": None},
        {"line": 5, "target": "old/reference_api.md", "moved_to": "reference_api.md"},
    ]
    assert report["doubled"] == [7]
    assert report["files_without_line"] == ["project_never_listed.md"]
    assert (report["long_lines"], report["left_out"], report["inline"]) == ([], [], [])


def test_a_person_reads_the_same_and_the_case_difference(case: Case) -> None:
    findings = [line for line in case.text("index").splitlines() if line.startswith("!")]
    assert findings == [
        "! Line 4 names project_gone.md, which is not there.",
        "! Line 5 names old/reference_api.md, which is not there; it is now at reference_api.md.",
        "! Line 6 names Feedback_Case.md, but the file is feedback_case.md: another case.",
        "! Line 7 names a file that a line above names already.",
        "! 1 file has no line: project_never_listed.md.",
    ]
