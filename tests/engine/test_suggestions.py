"""What a dream leaves to a person: near duplicates, contradictions, outdated words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from memtui.engine.matching import near_pairs, sorted_words
from memtui.engine.near import Work
from memtui.engine.plans.contradictions import contradictions, opposites, statement_of
from memtui.engine.plans.suggestions import Suggestion, stop_sentence, suggest
from memtui.engine.text import fold
from memtui.engine.types import Snapshot, TopicDocument
from tests.engine.dream_building import NOW_NS, stores, topic
from tests.engine.index_building import snapshot


def suggestions(*documents: TopicDocument) -> list[tuple[str, int | None, str, list[str]]]:
    found = suggest(snapshot(*documents), now_ns=NOW_NS)
    return [
        (each.kind, each.score, each.words, [entry.id for _, entry in each.entries])
        for each in found
    ]


def fact(path: str, text: str, kind: str = "feedback", description: str = "") -> TopicDocument:
    return topic(path, f"{text}\n", description=description, kind=kind, name=path)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("Always squash before merging", "Never squash before merging", "always / never"),
        ("Always squash before merging", "Коммиты: никогда не делать squash", "always / never"),
        ("Commit after each step", "Never commit before the review", "always / never"),
        ("Use tabs for indentation", "Don't use tabs", "always / never"),
        ("You must run the tests", "Do not run tests", "always / never"),
        ("总是用中文回复", "不要用中文回复", "always / never"),
        ("必ずテストを書く", "テストは書かない。禁止", "always / never"),
        ("Всегда пиши тесты", "Тесты писать нельзя", "always / never"),
        ("Keep answers terse", "Write detailed answers", "terse / detailed"),
        ("Short commit messages", "No short commit messages", "terse / detailed"),
        ("回答要简洁", "回答要详细", "terse / detailed"),
        ("回答は簡潔に", "回答は詳しく", "terse / detailed"),
        ("Краткие ответы", "Подробные ответы", "terse / detailed"),
    ],
)
def test_what_contradicts(one: str, other: str, words: str) -> None:
    left, right = statement_of(one), statement_of(other)
    assert opposites(left, right) == words
    assert opposites(right, left) == words
    assert list(contradictions([left, right])) == [(0, 1, words)]
    assert list(contradictions([right, left])) == [(0, 1, words)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use tabs", "Never use spaces"),
        ("Never commit secrets", "Never commit on Friday"),
        ("Keep answers terse", "Write detailed changelogs"),
        ("Keep answers terse", "Do not give verbose answers"),
        ("Always run tests", "Always run tests twice"),
        ("Never", "Always"),
        ("There are 37 snapshots", "There are 15 snapshots"),
        ("总是用中文回复", "不要提交密钥"),
        ("", ""),
    ],
)
def test_what_does_not_contradict(one: str, other: str) -> None:
    assert opposites(statement_of(one), statement_of(other)) is None


def test_a_contradiction_is_no_near_duplicate() -> None:
    documents = (
        fact("a.md", "Always squash the commits before merging."),
        fact("b.md", "Never squash the commits before merging."),
    )
    assert suggestions(*documents) == [("conflict", None, "always / never", ["a.md", "b.md"])]
    other_type = fact("b.md", "Never squash the commits before merging.", "project")
    assert suggestions(documents[0], other_type) == []


def test_near_duplicates_are_found_across_types_best_first() -> None:
    documents = (
        fact("a.md", "x", description="Deploy with the script of the team"),
        fact("b.md", "y", "project", "The team's script deploys it all"),
        fact("c.md", "z", "reference", "deploy with the SCRIPT of a team"),
        fact("d.md", "用中文回复上海团队的工单"),
        fact("e.md", "用中文回复上海团队的所有工单"),
        fact("f.md", "Answer tickets of the team of 上海"),
    )
    assert suggestions(*documents) == [
        ("near-duplicate", 90, "", ["a.md", "c.md"]),
        ("near-duplicate", 88, "", ["d.md", "e.md"]),
        ("near-duplicate", 78, "", ["b.md", "c.md"]),
    ]


def test_entries_of_a_list_are_compared_by_their_summaries() -> None:
    body = "- Keep the answers in one line\n- Keep all the answers in one line\n- Use tabs\n"
    assert suggestions(topic("a.md", body)) == [("near-duplicate", 93, "", ["a.md:0", "a.md:1"])]


def test_two_that_differ_in_a_number_are_told_as_such() -> None:
    documents = (fact("a.md", "Port 8,080 of host 2"), fact("b.md", "port 9,090 of host 2"))
    (found,) = suggestions(*documents)
    assert (found[0], found[2]) == ("near-duplicate", "8,080 / 9,090")


def test_what_is_merged_is_told_no_more_and_what_is_not_is_told_why() -> None:
    documents = (
        topic("a.md", "Use tabs.\n\nSince 1990.\n", name="A"),
        topic("b.md", "Use tabs.\n\nIn Go only.\n", name="B"),
        topic("c.md", "Use tabs.\n\nsince 1990.\n", name="A"),
        topic("pinned/d.md", "Use tabs.\n", name="A"),
    )
    assert suggestions(*documents) == [
        ("same-summary", None, "their further text differs", ["a.md", "b.md"]),
        ("near-duplicate", 100, "", ["a.md", "pinned/d.md"]),
    ]


@pytest.mark.parametrize(
    ("summary", "word"),
    [
        ("Legacy auth is read-only", "legacy"),
        ("The old API is DEPRECATED", "deprecated"),
        ("The build is currently red", "currently"),
        ("旧的接口已废弃", "已废弃"),
        ("この API は非推奨", "非推奨"),
        ("Устаревший сервер", "устаревший"),
    ],
)
def test_outdated_words(summary: str, word: str) -> None:
    assert suggestions(fact("a.md", summary)) == [("outdated", None, word, ["a.md"])]


def test_words_that_are_not_outdated() -> None:
    assert suggestions(fact("a.md", "From now on use the new API")) == []


_TEXTS = st.lists(
    st.lists(
        st.sampled_from(
            ("deploy", "deploys", "the", "team", "用中文", "中文回", "сервер", "x", "12")
        ),
        max_size=6,
    ).map(" ".join),
    max_size=12,
)


@given(_TEXTS, st.integers(0, 70))
def test_near_pairs_are_those_of_a_full_comparison(texts: list[str], most: int) -> None:
    words = [sorted_words(text) for text in texts]
    first = {text: words.index(text) for text in words}
    every = []
    for other, text in enumerate(words):
        for place in range(other):
            is_same = words[place] == text and place == first[text]
            is_first = place == first[words[place]] and other == first[text]
            score = fuzz.ratio(words[place], text)
            if text and words[place] and score >= 75 and (is_same or is_first):
                every.append((score, place, other))
    every.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    found = near_pairs(words, most)
    assert [score for score, _, _ in found] == [score for score, _, _ in every[:most]]
    assert set(found) <= set(every)
    if most >= len(every):
        assert found == every


@given(stores())
def test_what_is_suggested_stays_after_the_dream(store: Snapshot) -> None:
    found: tuple[Suggestion, ...] = suggest(store, now_ns=NOW_NS)
    documents = {document.path for document in store.documents}
    for each in found:
        assert len(each.entries) == (1 if each.kind == "outdated" else 2)
        assert {document.path for document, _ in each.entries} <= documents
        if each.kind == "near-duplicate":
            assert each.score is not None
            assert 75 <= each.score <= 100
            summaries = [fold(entry.summary) for _, entry in each.entries]
            left, right = map(statement_of, summaries)
            assert opposites(left, right) is None


def test_what_is_left_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [fact(f"{number}.md", f"Rule {number} is deprecated") for number in range(4)]
    work = Work(most=0)
    suggest(snapshot(*documents), now_ns=NOW_NS, work=work)
    assert (work.left_out, work.most_read) == (4, 0)
    assert stop_sentence(work) == (
        "Suggestions stop early: 4 entries were compared with the likeliest others at most."
    )
    monkeypatch.setattr("memtui.engine.plans.suggestions._MOST_READ", 44)
    work = Work()
    found = suggest(snapshot(*documents), now_ns=NOW_NS, work=work)
    assert {each.kind for each in found} == {"near-duplicate"}
    assert stop_sentence(work) == (
        "Contradictions and outdated words were looked for in the first 11 characters of a summary."
    )
    assert stop_sentence(Work()) == ""
