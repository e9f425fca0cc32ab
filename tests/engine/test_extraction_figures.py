"""The rules keep what they reach on the labelled messages that may be looked at."""

from __future__ import annotations

import pytest

from memtui.engine.plans.extraction.statement import Statement
from tests.benchmarks import extract
from tests.benchmarks.extract import LEAST_PRECISION, LEAST_RECALL, NOTHING, Score, score
from tests.benchmarks.labelled import LANGUAGES, Labelled, Language, labelled


def open_figures(language: Language) -> Score:
    return score((*labelled(language, "open"), *labelled(language, "more")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_reaches_the_floor(language: Language) -> None:
    figures = open_figures(language)
    assert figures.messages >= 100
    assert figures.precision >= LEAST_PRECISION
    assert figures.recall >= LEAST_RECALL


def test_all_languages_together_reach_the_floor() -> None:
    whole = NOTHING
    for language in LANGUAGES:
        whole = whole.plus(open_figures(language))
    assert whole.messages >= 500
    assert whole.precision >= LEAST_PRECISION
    assert whole.recall >= LEAST_RECALL
    assert whole.type_accuracy >= 0.9


def message(text: str, kind: str | None, role: str = "user") -> Labelled:
    return Labelled("x", text, kind is not None, kind, None if kind else "one-off", role)


def test_the_figures_count_messages() -> None:
    figures = score(
        [
            message("Never force-push to shared branches.", "feedback"),
            message("I prefer tabs over spaces.", "feedback"),
            message("Anything at all that nobody finds", "project"),
            message("Never force-push to shared branches!", None),
            message("Never force-push to shared branches.", None, "tool"),
            message("Never force-push to shared branches today.", None),
        ]
    )
    assert figures == Score(messages=6, durable=3, found=3, right=2, typed=1)
    assert (figures.precision, figures.recall, figures.type_accuracy) == (2 / 3, 2 / 3, 0.5)


def test_nothing_found_is_no_mistake() -> None:
    assert (NOTHING.precision, NOTHING.recall, NOTHING.type_accuracy) == (1.0, 1.0, 1.0)


def test_the_report_has_a_row_per_language_and_part(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = Statement("user", "Prefers tabs to spaces", None, None, "preference")
    messages = (message("I prefer tabs", "user"), message("I prefer tabs", None, "tool"))
    monkeypatch.setattr(extract, "surviving", lambda m: (statement,) if m.role == "user" else ())
    monkeypatch.setattr(extract, "labelled", lambda language, part: messages)
    rows = [
        [cell.strip() for cell in row.split("|")] for row in extract.report(["open"]).split("\n")
    ]
    assert rows[0] == [
        "extract",
        "messages",
        "durable",
        "found",
        "right",
        "precision",
        "recall",
        "type",
    ]
    assert rows[2] == ["open, en", "2", "1", "1", "1", "1.000", "1.000", "1.000"]
    assert [row[0] for row in rows[2:]] == [
        "open, en",
        "open, zh",
        "open, ja",
        "open, ru",
        "open, all",
    ]
    assert rows[-1][1:5] == ["8", "4", "4", "4"]
