"""10-index-out-of-step: lines without a file, files without a line."""

from __future__ import annotations

from tests.cases.conftest import Case

LATER = ("exit status of a check command is not 0",)
REPAIRED = """\
# Memory Index

- [Commits](feedback_commits.md) — small commits
- [Moved](reference_api.md) — moved to the top folder
- [Case](feedback_case.md) — differs in case
- [project_never_listed](project_never_listed.md) — about project_never_listed
"""


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


def test_the_repair_keeps_heading_order_and_wording(case: Case) -> None:
    index = case.memory / "MEMORY.md"
    before = index.read_bytes()
    planned = case.json("index", "--rebuild")
    assert (planned["applied"], planned["journal_id"], planned["left_out"]) == (False, None, [])
    assert planned["doubled"] == [7]
    (change,) = planned["changes"]
    assert (change["path"], change["kind"]) == ("MEMORY.md", "changed")
    assert [line for line in change["diff"].splitlines() if line[0] in "+-"] == [
        "--- a/MEMORY.md",
        "+++ b/MEMORY.md",
        "-- [Gone](project_gone.md) — the file was removed",
        "-- [Moved](old/reference_api.md) — moved to the top folder",
        "+- [Moved](reference_api.md) — moved to the top folder",
        "-- [Case](Feedback_Case.md) — differs in case",
        "+- [Case](feedback_case.md) — differs in case",
        "-- [Twice](feedback_commits.md) — listed a second time",
        "+- [project_never_listed](project_never_listed.md) — about project_never_listed",
    ]
    assert index.read_bytes() == before
    applied = case.json("index", "--rebuild", "--yes")
    assert applied["applied"] is True
    assert applied["changes"] == planned["changes"]
    assert index.read_text(encoding="utf-8") == REPAIRED
    case.run("undo", applied["journal_id"], "--yes")
    assert index.read_bytes() == before


def test_nothing_is_left_to_report_and_a_second_repair_does_nothing(case: Case) -> None:
    case.run("index", "--rebuild", "--yes")
    assert "✓ The index and the files agree." in case.text("index")
    again = case.json("index", "--rebuild", "--yes")
    assert (again["changes"], again["applied"], again["journal_id"]) == ([], True, None)
    assert len(case.json("log")["entries"]) == 1
