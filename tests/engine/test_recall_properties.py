"""Recall over hostile text: the index and its caches against the plain definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.recall.explain import score_points
from memtui.engine.recall.postings import SubstringIndex
from memtui.engine.recall.scoring import Ranker
from memtui.engine.recall.tokens import normalise, tokens
from memtui.engine.types import (
    Agent,
    FileProblem,
    Recall,
    Scope,
    Scorer,
    Snapshot,
    TopicDocument,
    Verdict,
)
from tests.engine.recall_building import document, snapshot

# Few letters, so that queries hit; and what scripts, widths, marks and separators can do.
LETTERS = "abcr1 -_.A\n\u00e9\u0301\u0130\u03a3\u0451\u0915\u0948\u3099\u304b\u6570\u636e\u5e93"
ODD = "\u200d\u2019\u00a0\x85\x1c\uff21\uff76\uff9e\u212a\u1e9e\U00010400\U00020000\U0001f600\x00["
WORDS = ("role", "rule", "user", "release", "doc", "docs", "数据库", "デプロイ", "cafe\u0301")

texts = st.lists(
    st.text(LETTERS + ODD, max_size=6) | st.sampled_from(WORDS) | st.text(max_size=4), max_size=6
).map(lambda parts: "".join(parts).encode("utf-8", "replace").decode())
queries = texts | st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
scorers = st.sampled_from(["classic", "weighted"])
kinds = st.sampled_from(["user", "feedback", "project", "reference", "", "todo"])
SCOPES: tuple[Scope, ...] = ("project", "user")
AGENTS: tuple[Agent, ...] = ("qwen", "claude", "none")


@st.composite
def documents(draw: st.DrawFn, scope: Scope) -> list[TopicDocument]:
    count = draw(st.integers(0, 5))
    return [
        document(
            f"{number}.md",
            name=draw(texts),
            description=draw(texts),
            kind=draw(kinds),
            body=draw(texts | st.just("_No entries yet._")),
            mtime_ns=draw(st.integers(-2, 2)),
            scope=scope,
        )
        for number in range(count)
    ]


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Snapshot], dict[Scope, dict[str, Verdict]]]:
    snapshots, verdicts = [], {}
    for scope in SCOPES:
        agent = draw(st.sampled_from(AGENTS))
        made = draw(documents(scope))
        problems = [FileProblem("broken.md", scope, "unreadable", "No permission.")]
        snapshots.append(snapshot(made, scope=scope, agent=agent, problems=problems))
        verdicts[scope] = {
            each.path: Verdict(draw(st.sampled_from([True, False, None]))) for each in made
        }
    return snapshots, verdicts


def expected_hits(
    snapshots: list[Snapshot],
    verdicts: dict[Scope, dict[str, Verdict]],
    query: str,
    scorer: Scorer,
) -> list[tuple[Scope, str, int]]:
    """The whole ranking, from the points of each document and the rule of ties."""
    found = tokens(query, scorer)
    rows = []
    for scope_number, store in enumerate(snapshots):
        for position, each in enumerate(store.documents):
            is_typed = each.type in ("user", "feedback", "project", "reference")
            is_seen = verdicts[each.scope][each.path].seen is not False
            score = sum(point.points for point in score_points(each, found, scorer))
            if score and is_seen and (is_typed or store.store.agent == "none"):
                tie = each.type if scorer == "classic" else -each.mtime_ns
                rows.append(((-score, tie, scope_number, position), each, score))
    rows.sort(key=lambda row: row[0])
    return [(each.scope, each.path, score) for _, each, score in rows]


def hits_of(recall: Recall) -> list[tuple[Scope, str, int]]:
    return [(hit.document.scope, hit.document.path, hit.score) for hit in recall.hits]


@given(stores(), queries, scorers, st.integers(-1, 8))
def test_ranking_is_that_of_the_points(
    made: tuple[list[Snapshot], dict[Scope, dict[str, Verdict]]],
    query: str,
    scorer: Scorer,
    limit: int,
) -> None:
    snapshots, verdicts = made
    ranked = Ranker(snapshots, verdicts, 0)
    recall = ranked.rank(query, scorer, limit)
    assert hits_of(recall) == expected_hits(snapshots, verdicts, query, scorer)[: max(limit, 0)]
    assert [hit.rank for hit in recall.hits] == [*range(1, len(recall.hits) + 1)]
    for hit in recall.hits:
        assert hit.points == score_points(hit.document, recall.tokens, scorer)
        assert hit.score == sum(point.points for point in hit.points)
    assert recall.strategy == ("heuristic" if recall.hits else "none")
    assert bool(recall.prompt) is bool(recall.hits)


@given(stores(), queries, scorers, st.integers(0, 8))
def test_each_document_is_once_in_or_out(
    made: tuple[list[Snapshot], dict[Scope, dict[str, Verdict]]],
    query: str,
    scorer: Scorer,
    limit: int,
) -> None:
    snapshots, verdicts = made
    ranked = Ranker(snapshots, verdicts, 0)
    recall = ranked.rank(query, scorer, limit)
    left_out = ranked.left_out(recall)
    known = {(each.scope, each.path): each for store in snapshots for each in store.documents}
    out = [(left.scope, left.path) for left in left_out if left.reason != "unreadable"]
    inside = [(hit.document.scope, hit.document.path) for hit in recall.hits]
    assert sorted(out + inside) == sorted(known)
    assert recall.scanned == len(known)
    assert len(left_out) == len(out) + len(snapshots)
    assert [left.score for left in left_out] == sorted(
        (left.score for left in left_out), reverse=True
    )
    for left in left_out:
        if left.reason != "unreadable":
            points = score_points(known[left.scope, left.path], recall.tokens, scorer)
            assert left.score == sum(point.points for point in points)
            assert (left.reason == "no token matched") <= (left.score == 0)
            assert left.reason.startswith("below") <= (left.score > 0)


@given(st.lists(texts, max_size=8), st.lists(queries, max_size=8), scorers)
def test_the_index_finds_what_a_substring_search_finds(
    made: list[str], asked: list[str], scorer: Scorer
) -> None:
    fields = [text.lower() if scorer == "classic" else normalise(text) for text in made]
    index = SubstringIndex(fields, scorer)
    for query in asked + made:
        for token in tokens(query, scorer):
            expected = sum(1 << slot for slot, text in enumerate(fields) if token in text)
            assert index.search(token) == expected
            assert index.search(token) == expected


@given(
    stores(),
    st.lists(st.tuples(st.integers(0, 30), st.text(LETTERS, max_size=2), st.integers(0, 2))),
    scorers,
)
def test_a_typed_query_ranks_as_a_fresh_one(
    made: tuple[list[Snapshot], dict[Scope, dict[str, Verdict]]],
    edits: list[tuple[int, str, int]],
    scorer: Scorer,
) -> None:
    snapshots, verdicts = made
    kept = Ranker(snapshots, verdicts, 0)
    kept.prepare(scorer)
    query = " ".join(each.name for store in snapshots for each in store.documents)
    for place, typed, deleted in edits:
        query = query[:place] + typed + query[place + deleted :]
        recall = kept.rank(query, scorer)
        fresh = Ranker(snapshots, verdicts, 0)
        assert recall == fresh.rank(query, scorer)
        assert kept.left_out(recall) == fresh.left_out(recall)


def test_the_caches_are_bounded_and_stay_right() -> None:
    made = [document(f"{number}.md", name=f"word{number}") for number in range(40)]
    kept = Ranker([snapshot(made)], {}, 0)
    for number in range(1500):
        recall = kept.rank(f"word{number}", "weighted")
        expected = {f"{number}.md"} if number < 40 else set()
        if number < 4:
            expected |= {f"{number}{digit}.md" for digit in range(10) if number}
        assert {hit.document.path for hit in kept.rank(f"word{number}", "weighted", 50).hits} == (
            expected
        )
        assert len(recall.hits) == min(5, len(expected))
