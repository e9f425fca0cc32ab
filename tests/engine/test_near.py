"""Near duplicates among many texts: the same as comparing all with all, as long as time allows."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from memtui.engine.errors import StoppedError
from memtui.engine.matching import near_pairs, sorted_words
from memtui.engine.near import Work
from memtui.engine.near_filter import Block, least_common

_LETTERS = st.text(st.sampled_from("aabcde 的数"), min_size=1, max_size=24)


@given(st.lists(_LETTERS, min_size=1, max_size=20), _LETTERS, st.sampled_from((75.0, 88.5, 100.0)))
def test_what_is_left_out_is_not_alike(texts: list[str], query: str, score: float) -> None:
    block = Block(sorted(texts, key=len))
    scores = [fuzz.ratio(query, text) for text in block.texts]
    bits = block.fitting(query, score)
    assert bits >> len(texts) == 0
    alike = {place for place, each in enumerate(scores) if each >= score}
    assert alike <= {place for place in range(len(texts)) if bits >> place & 1}
    assert block.may_fit(len(query), score) or not alike


def test_texts_of_other_characters_or_places_are_left_out() -> None:
    texts = ["abcdefghij klmnopqrst", "klmnopqrst abcdefghij", "zzzzzzzzzz yyyyyyyyyy"]
    block = Block(texts)
    assert block.fitting(texts[0], 75.0) == 0b001
    assert block.fitting(texts[1], 75.0) == 0b010
    assert block.fitting("zzzzzzzzzz", 75.0) == 0
    assert not block.may_fit(10, 75.0)
    assert block.may_fit(13, 75.0)
    assert not block.may_fit(40, 75.0)


def test_how_much_is_common_at_a_score() -> None:
    assert [least_common(8, score) for score in (75.0, 75.1, 100.0)] == [3, 4, 4]


def _full(texts: Sequence[str], most: int) -> list[tuple[float, int, int]]:
    """Every pair of distinct texts compared."""
    every = [
        (fuzz.ratio(text, texts[place]), place, other)
        for other, text in enumerate(texts)
        for place in range(other)
    ]
    near = [pair for pair in every if pair[0] >= 75]
    return sorted(near, key=lambda pair: (-pair[0], pair[1], pair[2]))[:most]


def _sentences(seed: int, vocabulary: int, letters: str, start: str = "") -> list[str]:
    chance = random.Random(seed)
    words = ["".join(chance.choices(letters, k=chance.randint(2, 8))) for _ in range(vocabulary)]
    made = (start + " ".join(chance.choices(words, k=chance.randint(3, 9))) for _ in range(400))
    return list(dict.fromkeys(map(sorted_words, made)))


@pytest.mark.parametrize("most", [20, 100_000])
@pytest.mark.parametrize(
    ("vocabulary", "letters", "start"),
    [
        (8, "abcdefghijklmnopqrstuvwxyz", ""),
        (30, "abcdefghijklmnopqrstuvwxyz", ""),
        (300, "abcdefghijklmnopqrstuvwxyz", "always remember that of the service "),
        (40, "abcdeабвгд数据库迁移", ""),
        (12, "数据库迁移规范上线前执行", ""),
    ],
)
def test_pairs_are_those_of_a_full_comparison(
    vocabulary: int, letters: str, start: str, most: int
) -> None:
    texts = _sentences(vocabulary, vocabulary, letters, start)
    work = Work()
    found = near_pairs(texts, most, work=work)
    assert found == _full(texts, most)
    assert found
    assert work.left_out == 0


def test_long_texts_are_compared_as_any() -> None:
    chance = random.Random(7)
    texts = [sorted_words(" ".join(chance.choices("abcdefgh", k=300))) for _ in range(30)]
    texts += [text[:-9] for text in texts[:3]]
    assert near_pairs(texts, 9) == _full(texts, 9)


def test_where_the_work_does_not_last_the_likeliest_are_found_and_the_others_counted() -> None:
    texts = _sentences(1, 300, "abcdefghijklmnopqrstuvwxyz")
    twins = [f"{text} zzz" for text in texts[:5]]
    work = Work(most=6_000_000)
    found = near_pairs([*texts, *twins], 9, work=work)
    pairs = {(first, other) for _, first, other in found}
    assert pairs > {(place, len(texts) + place) for place in range(5)}
    assert 0 < work.left_out < len(texts) + 5
    again = Work(most=6_000_000)
    assert near_pairs([*texts, *twins], 9, work=again) == found
    assert again == work


def test_a_search_can_be_ended() -> None:
    calls = iter(range(500))

    def check() -> None:
        if next(calls, None) is None:
            raise StoppedError("Nobody waits.")

    with pytest.raises(StoppedError):
        near_pairs(_sentences(1, 300, "abcdefghijklmnopqrstuvwxyz"), 5, check=check)


def test_of_equal_scores_the_first_are_kept() -> None:
    chance = random.Random(3)
    texts = list(
        dict.fromkeys(
            f"the {chance.randint(100, 199)} of {chance.randint(10, 49)} is kept"
            for _ in range(300)
        )
    )
    every = _full(texts, 100_000)
    for most in (10, 33, 100, 1_000):
        assert every[most - 1][0] == every[most][0]
        assert near_pairs(texts, most) == every[:most]
