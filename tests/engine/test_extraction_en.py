"""The English rules of extract, family by family, on sentences of their own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.extraction.en import classify, is_continuation
from memtui.engine.plans.extraction.filters import passes
from memtui.engine.plans.extraction.rules import classify as classify_sentence
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import sentences
from memtui.engine.types import MemoryType
from tests.engine.english_requests import NOT_DURABLE
from tests.engine.english_sentences import DURABLE


def found_in(message: str) -> list[Statement]:
    """What extract keeps of a message."""
    found = (classify_sentence(sentence) for sentence in sentences(message))
    return [each for each in found if each is not None and passes(each.summary)]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in DURABLE.items() for text in texts]
)
def test_a_durable_sentence_is_found_with_its_type(kind: MemoryType, text: str) -> None:
    assert [each.type for each in found_in(text)] == [kind]


@pytest.mark.parametrize("text", NOT_DURABLE)
def test_work_at_hand_is_not_kept(text: str) -> None:
    assert found_in(text) == []


@pytest.mark.parametrize(
    ("text", "following", "expected"),
    [
        (
            "From now on, please ask before you run anything with sudo.",
            "",
            ("Ask before you run anything with sudo", None, None, "from now on"),
        ),
        (
            "remember that we never deploy on Fridays because nobody is around to fix it.",
            "",
            ("We never deploy on Fridays", "nobody is around to fix it", None, "how to work"),
        ),
        (
            "Please keep SQL keywords in upper case.",
            "It makes the diffs bearable.",
            (
                "Keep SQL keywords in upper case",
                "It makes the diffs bearable",
                None,
                "format or style",
            ),
        ),
        (
            "Never run terraform apply yourself.",
            "Show me the plan first.",
            (
                "Never run terraform apply yourself",
                None,
                "Show me the plan first",
                "always / never",
            ),
        ),
        (
            "We're keeping Python 3.9 until the end of 2026 since two users can’t upgrade.",
            "",
            (
                "We're keeping Python 3.9 until the end of 2026",
                "two users can't upgrade",
                None,
                "decision",
            ),
        ),
        (
            "Feature freeze for 4.2 is on 9 May",
            "Is that fine?",
            ("Feature freeze for 4.2 is on 9 May", None, None, "date or deadline"),
        ),
        (
            "btw, Anna owns the billing service",
            "",
            ("Anna owns the billing service", None, None, "who does what"),
        ),
        (
            "FYI: bugs are tracked in Linear, project INGEST",
            "",
            ("Bugs are tracked in Linear, project INGEST", None, None, "where things are"),
        ),
        (
            "since the outage in May every job has a dead letter queue",
            "",
            (
                "Since the outage in May every job has a dead letter queue",
                None,
                None,
                "after an incident",
            ),
        ),
    ],
)
def test_a_statement_is_tidied_and_its_reason_split_off(
    text: str, following: str, expected: tuple[str, str | None, str | None, str]
) -> None:
    found = classify(text, following)
    assert found is not None
    assert (found.summary, found.why, found.how_to_apply, found.rule) == expected


def test_an_order_that_goes_on_with_a_request_is_part_of_it() -> None:
    assert found_in("Don't add parameters to functions.") != []
    assert found_in("Rewrite only this function. Don't add parameters to functions.") == []
    assert found_in("Rewrite only this function. And never add parameters to functions.") != []
    assert not is_continuation("x" * 700, "Rewrite only this function.")


def test_the_reason_is_no_statement_of_its_own() -> None:
    kept = found_in("Quote names in shell scripts. Our customers use blanks in filenames.")
    assert [each.summary for each in kept] == ["Quote names in shell scripts"]


@given(st.text(), st.text())
def test_any_text_is_read(text: str, following: str) -> None:
    found = classify(text, following)
    assert found is None or (found.summary and found.rule)


WORDS = (
    *("always", "never", "please", "don't", "use", "the", "tests", "in", "when", "you", "i", "am"),
    *("prefer", "we", "decided", "freeze", "9 May", "https://a.b/c", "Jira", "because", ",", "."),
)


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_the_words_of_a_summary_are_the_users(words: list[str]) -> None:
    text = " ".join(words)
    found = classify(text)
    if found is not None:
        assert found.summary.lower() in text.lower()
        assert found.why is None or found.why in text


@pytest.mark.parametrize("word", [*WORDS, "a", "-", "a.", "in the ", "[", "\\", "'", "1."])
def test_a_long_sentence_is_read_fast(word: str) -> None:
    longest = (f"{word} " * 600)[:600]
    start = time.perf_counter()
    classify(longest)
    assert time.perf_counter() - start < 1.0
    assert classify(f"{word} " * 600) is None
