"""Points per token and field, and the one reason of a document that is left out (spec 5)."""

from __future__ import annotations

import pytest

from memtui.engine.recall.explain import score_points
from memtui.engine.recall.scoring import Ranker
from memtui.engine.types import (
    Agent,
    FileProblem,
    LeftOut,
    Point,
    Scorer,
    Skip,
    TopicDocument,
    Verdict,
)
from tests.engine.recall_building import document, ranker, ranking, snapshot

UNSEEN = Verdict(False, (Skip("qwen", "has no type"),))


def reasons(left_out: tuple[LeftOut, ...]) -> list[tuple[str, int, str]]:
    return [(left.path, left.score, left.reason) for left in left_out]


def test_points_of_weighted_name_token_and_field() -> None:
    made = document(kind="feedback", name="Release style", description="style", body="the style")
    assert score_points(made, ("release", "style", "rule", "avoid"), "weighted") == (
        Point("release", "name", 4),
        Point("style", "name", 4),
        Point("style", "description", 3),
        Point("style", "body", 1),
        Point("style", "type", 1),
        Point("rule", "type", 1),
    )


def test_points_of_classic_name_text_type_and_body() -> None:
    made = document(kind="feedback", name="Release style", body="x")
    assert score_points(made, ("release", "style", "rule", "none"), "classic") == (
        Point("release", "text", 2),
        Point("style", "text", 2),
        Point("style", "type", 1),
        Point("rule", "type", 1),
        Point("", "body", 1),
    )


def test_no_tokens_give_no_points() -> None:
    made = document(name="cache", body="x")
    assert score_points(made, (), "classic") == score_points(made, (), "weighted") == ()


def every_reason(agent: Agent = "qwen") -> Ranker:
    """A document for each reason; `old` lies beyond the 200 newest."""
    documents: list[TopicDocument] = [
        document(f"new{number:03}.md", name="cache", kind="user", mtime_ns=1000 - number)
        for number in range(199)
    ]
    documents += [
        document("miss.md", name="queue", mtime_ns=2000),
        document("old.md", name="cache cache2", mtime_ns=1),
        document("type.md", name="cache cache2", kind="todo", mtime_ns=1500),
        document("unseen.md", name="cache cache2", kind="todo", mtime_ns=1500),
        document("oldmiss.md", name="queue", mtime_ns=0),
    ]
    problems = (FileProblem("sub/broken.md", "project", "unreadable", "No permission."),)
    return Ranker(
        [snapshot(documents, agent=agent, problems=problems)],
        {"project": {"unseen.md": UNSEEN, "miss.md": Verdict(True)}},
        0,
    )


def test_classic_gives_the_first_reason_that_holds() -> None:
    explained = every_reason()
    recall = explained.rank("cache cache2", "classic")
    left_out = explained.left_out(recall)
    # What is barred and would have won stands at the top.
    assert reasons(left_out)[:4] == [
        ("type.md", 4, "unknown type"),
        ("unseen.md", 4, "not seen by this agent version"),
        ("old.md", 4, "beyond the 200 newest"),
        ("new005.md", 2, "below the fifth"),
    ]
    assert reasons(left_out)[-3:] == [
        ("sub/broken.md", 0, "unreadable"),
        ("miss.md", 0, "no token matched"),
        ("oldmiss.md", 0, "beyond the 200 newest"),
    ]
    assert len(left_out) == 204 + 1 - 5
    assert recall.scanned == 204


def test_weighted_knows_no_200() -> None:
    explained = every_reason()
    recall = explained.rank("cache cache2", "weighted")
    assert ranking(recall)[0] == ("old.md", 8)
    by_path = {left.path: left.reason for left in explained.left_out(recall)}
    assert by_path["oldmiss.md"] == "no token matched"
    assert by_path["type.md"] == "unknown type"
    assert by_path["unseen.md"] == "not seen by this agent version"
    assert by_path["new004.md"] == "below the fifth"
    assert by_path["sub/broken.md"] == "unreadable"


def test_the_200_are_counted_among_those_that_take_part() -> None:
    documents = [
        document(f"{number:03}.md", name="cache", mtime_ns=-number, kind="user")
        for number in range(210)
    ]
    unseen = {f"{number:03}.md": UNSEEN for number in range(5)}
    explained = Ranker([snapshot(documents)], {"project": unseen}, 0)
    recall = explained.rank("cache", "classic", limit=500)
    assert [hit.document.path for hit in recall.hits] == [f"{n:03}.md" for n in range(5, 205)]


@pytest.mark.parametrize(
    ("scorer", "expected"), [("classic", ["p.md", "u.md"]), ("weighted", ["p.md", "f.md"])]
)
def test_ties_stand_in_the_order_of_the_scorer(scorer: Scorer, expected: list[str]) -> None:
    documents = [
        document("u.md", name="cache", kind="user", mtime_ns=3),
        document("p.md", name="cache", kind="project", mtime_ns=2),
        document("f.md", name="cache", kind="feedback", mtime_ns=1),
    ]
    explained = ranker(*documents)
    left_out = explained.left_out(explained.rank("cache", scorer, limit=1))
    assert [left.path for left in left_out] == expected


def test_the_place_follows_the_limit() -> None:
    documents = [document(f"{number:02}.md", name="cache") for number in range(20)]
    explained = ranker(*documents)
    for limit, reason in (
        (1, "below the first"),
        (3, "below the third"),
        (5, "below the fifth"),
        (10, "below the tenth"),
        (12, "below number 12"),
        (0, "below the limit"),
    ):
        left_out = explained.left_out(explained.rank("cache", "weighted", limit))
        assert {left.reason for left in left_out} == {reason}
        assert len(left_out) == 20 - limit


def test_without_a_token_no_token_matched() -> None:
    explained = ranker(document("a.md", name="cache", body="x", mtime_ns=1), document("b.md"))
    for query in ("", "ca"):
        recall = explained.rank(query, "classic")
        assert reasons(explained.left_out(recall)) == [
            ("a.md", 0, "no token matched"),
            ("b.md", 0, "no token matched"),
        ]


def test_qwen_does_not_rank_what_it_does_not_see() -> None:
    documents = [document("a.md", name="cache"), document("b.md", name="cache")]
    recall = ranker(*documents, verdicts={"project": {"a.md": UNSEEN}}).rank("cache", "weighted")
    assert ranking(recall) == [("b.md", 4)]
    assert recall.scanned == 2


def test_a_verdict_counts_for_its_own_scope() -> None:
    stores = [
        snapshot([document("a.md", name="cache")]),
        snapshot([document("a.md", name="cache", scope="user")], scope="user"),
    ]
    explained = Ranker(stores, {"user": {"a.md": UNSEEN}}, 0)
    recall = explained.rank("cache", "weighted")
    assert [hit.document.scope for hit in recall.hits] == ["project"]
    assert [(left.scope, left.path) for left in explained.left_out(recall)] == [("user", "a.md")]


def test_claude_leaves_out_an_unknown_and_a_missing_type() -> None:
    documents = [
        document("known.md", name="cache", kind="user"),
        document("missing.md", name="cache", kind=""),
        document("unknown.md", name="cache", kind="Feedback"),
    ]
    explained = ranker(*documents, agent="claude")
    recall = explained.rank("cache", "weighted")
    assert ranking(recall) == [("known.md", 4)]
    assert {left.path: left.reason for left in explained.left_out(recall)} == {
        "missing.md": "unknown type",
        "unknown.md": "unknown type",
    }


def test_a_store_without_agent_leaves_nothing_out() -> None:
    documents = [
        document("missing.md", name="cache", kind=""),
        document("unknown.md", name="cache", kind="todo"),
    ]
    skipped = Verdict(None, (Skip("qwen", "has no type"), Skip("claude", "is beyond the index")))
    recall = ranker(
        *documents,
        agent="none",
        verdicts={"project": {"missing.md": skipped, "unknown.md": skipped}},
    ).rank("cache", "weighted")
    assert ranking(recall) == [("missing.md", 4), ("unknown.md", 4)]


def test_only_topic_files_are_unreadable_documents() -> None:
    problems = [
        FileProblem(path, "project", rule, "A sentence.")
        for path, rule in (
            ("a.md", "unreadable"),
            ("b.MD", "dangling-link"),
            ("c.md", "too-large"),
            ("MEMORY.md", "unreadable"),
            ("sub", "unreadable"),
            ("pipe.md", "not-a-file"),
        )
    ]
    explained = Ranker([snapshot([], problems=problems)], {}, 0)
    assert explained.left_out(explained.rank("cache", "weighted")) == (
        LeftOut("a.md", "project", "a", 0, "unreadable"),
        LeftOut("b.MD", "project", "b", 0, "unreadable"),
        LeftOut("c.md", "project", "c", 0, "unreadable"),
    )
