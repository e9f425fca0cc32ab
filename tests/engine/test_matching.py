"""Ranking what a person types against names, and `did you mean`."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.matching import MIN_WORD_SCORE, Match, closest, fuzzy_rank
from memtui.engine.text import fold

CHOICES = (
    "~/work/acme-api",
    "~/work/acme-web",
    "~/src/Postgres-tools",
    "~/проекты/ёлка",
    "~/work/数据库迁移规范",
    "~/work/İzin Café",
    "/home/me/商店",
    "~/name/same",
)


def ranked(query: str, limit: int = 9) -> list[tuple[str, float, list[str]]]:
    return [
        (CHOICES[m.index], round(m.score, 1), [CHOICES[m.index][a:b] for a, b in m.spans])
        for m in fuzzy_rank(query, CHOICES, limit)
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("acme", [("~/work/acme-api", 100, ["acme"]), ("~/work/acme-web", 100, ["acme"])]),
        ("api ACME", [("~/work/acme-api", 100, ["acme", "api"])]),
        (
            "work/acme-w",
            [("~/work/acme-web", 100, ["work/acme-w"]), ("~/work/acme-api", 90.9, ["work/acme-a"])],
        ),
        ("ostgre", [("~/src/Postgres-tools", 100, ["ostgre"])]),
        ("елка", [("~/проекты/ёлка", 100, ["ёлка"])]),
        ("izin cafe", [("~/work/İzin Café", 100, ["İzin", "Café"])]),
        (unicodedata.normalize("NFD", "café"), [("~/work/İzin Café", 100, ["Café"])]),
        ("迁移", [("~/work/数据库迁移规范", 100, ["迁移"])]),
        ("商", [("/home/me/商店", 100, ["商"])]),
        ("postgres acme", []),
        ("zzz", []),
    ],
)
def test_words_that_stand_in_a_choice(
    query: str, expected: list[tuple[str, float, list[str]]]
) -> None:
    assert ranked(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("psotgres", [("~/src/Postgres-tools", 87.5, ["Postgres"])]),
        ("postgers", [("~/src/Postgres-tools", 87.5, ["Postgres"])]),
        ("posgres", [("~/src/Postgres-tools", 87.5, ["Postgres"])]),
        ("amce web", [("~/work/acme-web", 87.5, ["acme", "web"])]),
        ("acmeapi", [("~/work/acme-api", 87.5, ["acme-api"])]),
        ("ёлки", [("~/проекты/ёлка", 75.0, ["ёлка"])]),
        ("caffe", [("~/work/İzin Café", 80.0, ["Café"])]),
        ("smae", [("~/name/same", 75.0, ["same"])]),
        ("wbe", []),
        ("pssotgers", []),
    ],
)
def test_typos(query: str, expected: list[tuple[str, float, list[str]]]) -> None:
    assert ranked(query) == expected


def test_pairs_of_cjk_characters() -> None:
    choice = "~/work/数据库迁移规范"
    assert ranked("数据迁移") == [(choice, 66.7, ["数据", "迁移"])]
    assert ranked("迁移规范手册") == [(choice, 60.0, ["迁移规范"])]
    assert ranked("数据api") == []
    assert ranked("数据手册") == []
    assert [match.index for match in fuzzy_rank("デプロイの手順", ["デプロイ手順"], 1)] == [0]


def test_exact_before_typo_and_start_of_a_word_before_its_middle() -> None:
    choices = ["remarks", "mark", "a-marker", "mrak", "my mark"]
    assert [match.index for match in fuzzy_rank("mark", choices, 9)] == [1, 2, 4, 0, 3]
    assert [match.index for match in fuzzy_rank("mark", choices, 2)] == [1, 2]
    assert fuzzy_rank("mark", choices, 0) == []


def test_a_word_is_marked_where_it_begins_a_word() -> None:
    assert fuzzy_rank("art", ["smart art"], 1) == [Match(0, 100.0, ((6, 9),))]


def test_a_query_without_words_fits_all_in_their_order() -> None:
    everything = [Match(0, 100.0, ()), Match(1, 100.0, ())]
    assert fuzzy_rank("", ["b", "a"], 9) == everything
    assert fuzzy_rank(" \t", ["b", "a"], 9) == everything


@pytest.mark.parametrize(
    ("query", "choice", "spans"),
    [
        ("f", "ﬁn", ((0, 1),)),
        ("in", "ﬁn", ((0, 2),)),
        ("fin", "ﬁn", ((0, 2),)),
        ("e", "e\u0301x", ((0, 2),)),
        ("한국", unicodedata.normalize("NFD", "x 한국"), ((2, 8),)),
        ("ab", "a\u0301b", ((0, 3),)),
        ("b c", "a\u3000b\u3000\u3000ć", ((2, 3), (5, 6))),
    ],
)
def test_spans_count_characters_of_the_choice_as_it_is_written(
    query: str, choice: str, spans: tuple[tuple[int, int], ...]
) -> None:
    assert fuzzy_rank(query, [choice], 1) == [Match(0, 100.0, spans)]


def test_closest() -> None:
    assert closest("wieghted", ["auto", "classic", "weighted"]) == ["weighted"]
    assert closest("feedback/no-sumary.md", ["a.md", "feedback/no-summary.md"]) == [
        "feedback/no-summary.md"
    ]
    assert closest("RÈGLES", ["regles", "regle", "règles"]) == ["regles", "règles", "regle"]
    assert closest("lst", ["log", "last", "list", "lest", "lost"], limit=2) == ["last", "list"]
    assert closest("q", ["recall"]) == []
    assert closest("recall", []) == []


def test_rapidfuzz_is_loaded_only_when_it_is_needed() -> None:
    program = (
        "import sys\n"
        "from memtui.engine.matching import fuzzy_rank\n"
        "fuzzy_rank('acme', ['acme'], 1)\n"
        "print('rapidfuzz' in sys.modules)\n"
        "fuzzy_rank('amce', ['acme'], 1)\n"
        "print('rapidfuzz' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"True"]


WORDS = st.text(st.sampled_from("abcdeéЁя数据库迁移 -/ﬁ\u0301"), max_size=8)


@given(query=WORDS, choices=st.lists(WORDS, max_size=5))
def test_any_query_gives_ordered_scores_and_spans_inside_the_choice(
    query: str, choices: list[str]
) -> None:
    matches = fuzzy_rank(query, choices, 99)
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert len({match.index for match in matches}) == len(matches)
    for match in matches:
        choice = choices[match.index]
        assert 50.0 < match.score <= 100.0
        ends = [0, *(place for span in match.spans for place in span)]
        assert all(start < end for start, end in match.spans)
        assert ends == sorted(ends)
        assert ends[-1] <= len(choice)
        assert bool(match.spans) == bool(fold(query))


@given(word=st.text("abcdefgh", min_size=4, max_size=9), place=st.integers(0, 8))
def test_a_word_with_two_letters_changed_round_is_found(word: str, place: int) -> None:
    at = place % (len(word) - 1)
    typo = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    (match,) = fuzzy_rank(typo, [f"~/{word}"], 1)
    assert match.score >= MIN_WORD_SCORE


@given(choice=st.text("abc 数据éﬁ", min_size=1, max_size=12))
def test_every_choice_is_found_by_its_own_words(choice: str) -> None:
    for word in choice.split():
        (match,) = fuzzy_rank(word, [choice], 1)
        assert match.score == 100.0
