"""03-few-long-lines: an index of few lines that is too large all the same."""

from __future__ import annotations

from tests.cases.conftest import Case

PAST_THE_CUT = [f"project_area_{number:02}.md" for number in range(34, 60)]


def test_the_size_is_flagged_although_there_are_only_60_lines(case: Case) -> None:
    report = case.json("index")
    assert (report["lines"], report["bytes"], report["characters"]) == (60, 43_260, 43_140)
    text = case.text("index")
    assert "      60 of 200 lines\n" in text
    assert "  43,260 of 25,000 bytes  over the limit\n" in text
    assert "  43,140 of 25,000 characters  over the limit\n" in text


def test_one_finding_lists_the_long_lines(case: Case) -> None:
    assert case.json("index")["long_lines"] == list(range(1, 61))
    (finding,) = [line for line in case.text("index").splitlines() if "150 characters" in line]
    assert finding == "! 60 lines have more than 150 characters: 1-60."


def test_the_entries_past_the_cut_are_named(case: Case) -> None:
    assert case.json("index")["left_out"] == PAST_THE_CUT
    (finding,) = [line for line in case.text("index").splitlines() if "does not load" in line]
    assert finding.startswith("! From line 35 on the agent does not load it; 26 memories fall out")
    for path in PAST_THE_CUT:
        assert path in finding
