"""Queries into tokens, and versions into scorers (spec section 5)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.recall.tokens import is_cjk, tokens
from memtui.engine.recall.versions import scorer_for
from memtui.engine.types import Scorer


@pytest.mark.parametrize(
    ("version", "scorer"),
    [
        ("0.22.9", "classic"),
        ("0.22", "classic"),
        ("v0.22.0", "classic"),
        ("0.9.1", "classic"),
        ("0.0.1", "classic"),
        ("0.22.0-nightly.20260101", "classic"),
        ("0.23", "weighted"),
        ("0.23.0", "weighted"),
        ("0.23.0-preview.1", "weighted"),
        ("0.100.0", "weighted"),
        ("0.220.0", "weighted"),
        ("1.0.0", "weighted"),
        ("1.2", "weighted"),
        (None, "weighted"),
        ("", "weighted"),
        ("unknown", "weighted"),
        ("0", "weighted"),
        ("0.x", "weighted"),
        ("9" * 9999, "weighted"),
        ("0." + "9" * 9999, "weighted"),
    ],
)
def test_the_scorer_follows_the_version(version: str | None, scorer: Scorer) -> None:
    assert scorer_for(version) == scorer


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ()),
        ("a bc", ()),
        ("How do we WRITE it?", ("how", "write")),
        ("abc abc ABC", ("abc",)),
        ("foo_bar-baz.qux", ("foo", "bar", "baz", "qux")),
        ("py311 3.11 123", ("py311", "123")),
        ("café", ("caf",)),
        ("数据库迁移", ()),
        ("release发布notes", ("release", "notes")),
        ("\u212aelvin", ("kelvin",)),
        ("ａｂｃ", ()),
        ("ab\u0301cde", ("cde",)),
    ],
)
def test_classic_tokens(query: str, expected: tuple[str, ...]) -> None:
    assert tokens(query, "classic") == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ()),
        ("a bc", ()),
        ("How do we WRITE it?", ("how", "write")),
        ("abc ABC abc", ("abc",)),
        ("foo_bar-baz", ("foo", "bar", "baz")),
        ("数据库迁移", ("数据", "据库", "库迁", "迁移")),
        ("库", ()),
        ("库 库", ()),
        ("迁移 迁移", ("迁移",)),
        ("Go语言 迁移", ("语言", "迁移")),
        ("abc漢字def", ("abc", "漢字", "def")),
        ("デプロイ", ("デプ", "プロ", "ロイ")),
        ("ﾃﾞﾌﾟﾛｲ", ("デプ", "プロ", "ロイ")),
        ("部署、发布", ("部署", "署、", "、发", "发布")),
        ("커밋", ("커밋",)),
        ("ёлка и", ("ёлка",)),
        ("ａｂｃ", ("abc",)),
        ("cafe\u0301", ("café",)),
        ("कैसे करें", ("कैसे", "करें")),
        ("\u0301\u0301abc", ("abc",)),
        ("e\u0301x", ()),
        ("q\u0327\u0327", ("q\u0327\u0327",)),
        ("İzin", ("i\u0307zin",)),
        ("\U0001d400\U0001d401\U0001d402", ("abc",)),
        ("\U00010428\U00010429\U0001042a", ("\U00010428\U00010429\U0001042a",)),
        ("😀😀😀", ()),
        ("\U00020000\U00020001\U00020002", ("\U00020000\U00020001", "\U00020001\U00020002")),
        ("don’t", ("don",)),
        ("\ud800abc", ("abc",)),
    ],
)
def test_weighted_tokens(query: str, expected: tuple[str, ...]) -> None:
    assert tokens(query, "weighted") == expected


def words(*numbers: int) -> tuple[str, ...]:
    return tuple(f"w{number:03}" for number in numbers)


@pytest.mark.parametrize(
    ("numbers", "kept"),
    [
        (range(64), [*range(64)]),
        (range(65), [*range(32), *range(33, 65)]),
        (range(200), [*range(32), *range(168, 200)]),
        # A repeat of an early one changes nothing, one of a late one moves it to the end.
        ([*range(40), 3], [*range(40)]),
        ([*range(40), 35], [*range(35), *range(36, 40), 35]),
        # One that fell out comes back as a late one.
        ([*range(65), 32], [*range(32), *range(34, 65), 32]),
    ],
)
def test_weighted_keeps_the_first_and_the_last_32(numbers: list[int], kept: list[int]) -> None:
    assert tokens(" ".join(words(*numbers)), "weighted") == words(*kept)


def test_classic_keeps_all_tokens() -> None:
    assert tokens(" ".join(words(*range(200))), "classic") == words(*range(200))


@given(st.text(), st.sampled_from(["classic", "weighted"]))
def test_tokens_are_distinct_and_of_their_kind(query: str, scorer: Scorer) -> None:
    found = tokens(query, scorer)
    assert len(set(found)) == len(found)
    for token in found:
        if scorer == "classic":
            assert len(token) >= 3
            assert set(token) <= set("abcdefghijklmnopqrstuvwxyz0123456789")
        elif is_cjk(token):
            assert len(token) == 2
            assert is_cjk(token[1])
        else:
            assert len(token) >= 3
            assert not any(is_cjk(character) for character in token)
            assert all(unicodedata.category(character)[0] in "LMN" for character in token)


@given(st.lists(st.integers(0, 99)))
def test_weighted_never_has_more_than_64(numbers: list[int]) -> None:
    found = tokens(" ".join(words(*numbers)), "weighted")
    assert len(found) == min(64, len(set(numbers))) or len(set(numbers)) > 64
    assert len(found) <= 64
    assert found[:32] == tuple(dict.fromkeys(words(*numbers)))[:32]
