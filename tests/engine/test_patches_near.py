"""Which of many texts is nearly the same (spec section 13, `near-duplicate`)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from memtui.engine.matching import CHUNK_WORDS, NEAR_SCORE, nearest, sorted_words
from memtui.engine.text import fold

WORDS = st.lists(st.text("abcé", min_size=1, max_size=5), min_size=1, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run the  TESTS", "run tests the"),
        ("Règles, ёлка", "regles, елка"),
        ("用英文写", "文写 用英 英文"),
        ("用 pnpm安装", "pnpm 安装 用"),
        ("", ""),
    ],
)
def test_what_is_compared(text: str, expected: str) -> None:
    assert sorted_words(text) == expected


@given(WORDS, WORDS)
def test_the_score_is_the_token_sort_ratio(text: str, other: str) -> None:
    score = fuzz.token_sort_ratio(fold(text), fold(other))
    expected = (0, score) if score >= NEAR_SCORE else None
    assert nearest(sorted_words(text), [sorted_words(other)]) == expected


@given(WORDS, st.lists(WORDS, max_size=8))
def test_the_first_of_the_best_is_found(text: str, others: list[str]) -> None:
    choices = [sorted_words(other) for other in others]
    scores = [fuzz.ratio(sorted_words(text), choice) for choice in choices]
    best = max(scores, default=0.0)
    expected = (scores.index(best), best) if best >= NEAR_SCORE else None
    assert nearest(sorted_words(text), choices) == expected


def test_the_best_of_many_chunks_is_found() -> None:
    choices = [f"a{number} b{number} c{number}" for number in range(3 * CHUNK_WORDS)]
    choices[1] = "always run tests thee"
    choices[2 * CHUNK_WORDS + 5] = "always run tests the"
    choices[2 * CHUNK_WORDS + 6] = "always run tests the"
    text = sorted_words("Always run the tests")
    assert nearest(text, choices) == (2 * CHUNK_WORDS + 5, 100.0)
    near = 200 * len(text) / (2 * len(text) + 1)
    assert nearest(text, choices[: 2 * CHUNK_WORDS]) == (1, near)
    assert nearest(text, choices, min_score=100.0) == (2 * CHUNK_WORDS + 5, 100.0)
    assert nearest("", choices) is None
    assert nearest("", [""]) is None
    assert nearest(text, []) is None
