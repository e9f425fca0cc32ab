"""Both scorers, rule by rule with exact scores (spec section 5)."""

from __future__ import annotations

import pytest

from memtui.engine.recall.scoring import Ranker
from memtui.engine.types import Scope, Scorer, TopicDocument
from tests.engine.recall_building import document, ranker, ranking, snapshot


def score(document: TopicDocument, query: str, scorer: Scorer) -> int:
    """The score of one document in a store of its own; 0 where it is out."""
    hits = ranker(document).rank(query, scorer).hits
    assert all(hit.score == sum(point.points for point in hit.points) for hit in hits)
    return hits[0].score if hits else 0


@pytest.mark.parametrize(
    ("made", "query", "expected"),
    [
        # +2 for each token that occurs anywhere in type, name, description or body.
        (document(name="Cache"), "cache", 2),
        (document(description="the CACHE"), "cache", 2),
        (document(kind="feedback"), "eed", 2),
        (document(name="cache", description="cache"), "cache", 2),
        (document(name="cache queue"), "cache queue", 4),
        (document(name="caches"), "ache", 2),
        (document(name="cache"), "caches", 0),
        # The fields are joined by blanks, so no token reaches over two of them.
        (document(name="cac", description="hex"), "cache", 0),
        # +1 for a body that is not empty, whatever it says.
        (document(body="x"), "cache", 1),
        (document(body="cache"), "cache", 3),
        (document(body=" \n\ufeff\t"), "cache", 0),
        (document(body="_No entries yet._"), "cache", 0),
        (document(body="\n_No entries yet._\n\n"), "entries", 0),
        (document(body="_No entries yet._ x"), "entries", 3),
        # The body counts to its end.
        (document(body="x" * 5000 + " cache"), "cache", 3),
        # +1 for each token that is a keyword of the type, also where it occurs nowhere.
        (document(kind="user"), "terse", 1),
        (document(kind="user"), "user", 3),
        (document(kind="user"), "user preference preferences background role terse", 8),
        (document(kind="feedback"), "feedback rule rules avoid style summary", 8),
        (document(kind="project"), "project goal goals incident deadline release", 8),
        (document(kind="reference"), "reference dashboard ticket docs doc link", 8),
        (document(kind="user"), "rule", 0),
        (document(kind="user", name="Role"), "role", 3),
        # No token: nothing, also where the body alone would count.
        (document(body="x"), "a bc", 0),
        (document(body="数据库迁移"), "数据库迁移", 0),
    ],
)
def test_classic_score(made: TopicDocument, query: str, expected: int) -> None:
    assert score(made, query, "classic") == expected


@pytest.mark.parametrize(
    ("made", "query", "expected"),
    [
        (document(name="Cache"), "cache", 4),
        (document(description="Cache"), "cache", 3),
        (document(body="Cache"), "cache", 1),
        (document(name="cache", description="cache", body="cache"), "cache", 8),
        (document(name="cache queue"), "cache queue", 8),
        (document(name="caches"), "ache", 4),
        (document(name="cache"), "caches", 0),
        # The type is no text, and a body that is not empty is worth nothing by itself.
        (document(kind="feedback"), "eed", 0),
        (document(body="x"), "cache", 0),
        (document(body="_No entries yet._"), "entries", 0),
        (document(body="_No entries yet._ x"), "entries", 1),
        # Keywords count after a hit only, and two at most.
        (document(kind="user"), "terse", 0),
        (document(kind="user", name="cache"), "cache terse", 5),
        (document(kind="user", name="cache"), "cache terse role", 6),
        (document(kind="user", name="cache"), "cache terse role user background", 6),
        (document(kind="user", body="role"), "role", 2),
        (document(kind="feedback", name="cache"), "cache feedback rule rules avoid", 6),
        (document(kind="feedback", name="cache"), "cache style summary", 6),
        (document(kind="project", name="cache"), "cache project", 5),
        (document(kind="project", name="cache"), "cache goal goals", 6),
        (document(kind="project", name="cache"), "cache incident deadline release", 6),
        (document(kind="reference", name="cache"), "cache reference dashboard ticket", 6),
        (document(kind="reference", name="cache"), "cache docs doc link", 6),
        (document(kind="feedback", name="cache"), "cache terse role", 4),
        # The body: trimmed, its first 1,200 UTF-16 code units, then NFKC.
        (document(body=" \n" + "x" * 1195 + "cache"), "cache", 1),
        (document(body=" \n" + "x" * 1196 + "cache"), "cache", 0),
        (document(body="😀" * 597 + " cache"), "cache", 1),
        (document(body="😀" * 598 + "cache"), "cache", 0),
        (document(body="😀" * 598 + "cache"), "cac", 1),
        (document(body="x" * 1199 + "😀 cache"), "cache", 0),
        (document(body="㌔" * 1195 + "cache"), "cache", 1),
        (document(name="x" * 5000 + " cache"), "cache", 4),
        # NFKC and lower case on both sides.
        (document(name="Ｃａｃｈｅ"), "cache", 4),
        (document(name="cafe\u0301"), "CAFÉ", 4),
        (document(description="ﾃﾞﾌﾟﾛｲ手順"), "デプロイ", 9),
        # Pairs of CJK characters: 数据 据库 库迁 迁移.
        (document(name="数据库迁移规范"), "数据库迁移", 16),
        (document(name="迁移数据"), "数据库迁移", 8),
        (document(name="数 据"), "数据", 0),
        (document(name="커밋 규칙", body="커밋"), "커밋", 5),
        # Accents count: the scorer does not fold.
        (document(name="Ёлка"), "ёлка", 4),
        (document(name="Ёлка"), "елка", 0),
    ],
)
def test_weighted_score(made: TopicDocument, query: str, expected: int) -> None:
    assert score(made, query, "weighted") == expected


def test_classic_order_is_score_then_type_then_scan() -> None:
    ranked = ranker(
        document("1.md", kind="user", name="cache", mtime_ns=9),
        document("2.md", kind="feedback", name="cache", mtime_ns=1),
        document("3.md", kind="feedback", name="cache", mtime_ns=2),
        document("5.md", kind="feedback", name="cache", mtime_ns=2),
        document("4.md", kind="project", name="cache", body="x", mtime_ns=0),
    ).rank("cache", "classic")
    assert ranking(ranked) == [("4.md", 3), ("3.md", 2), ("5.md", 2), ("2.md", 2), ("1.md", 2)]
    assert [hit.rank for hit in ranked.hits] == [1, 2, 3, 4, 5]


def test_weighted_order_is_score_then_mtime_then_scan() -> None:
    ranked = ranker(
        document("1.md", kind="user", name="cache", mtime_ns=9),
        document("2.md", kind="feedback", name="cache", mtime_ns=1),
        document("3.md", kind="reference", name="cache", mtime_ns=2),
        document("5.md", kind="feedback", name="cache", mtime_ns=2),
        document("4.md", kind="project", name="cache", body="cache", mtime_ns=0),
    ).rank("cache", "weighted")
    assert ranking(ranked) == [("4.md", 5), ("1.md", 4), ("3.md", 4), ("5.md", 4), ("2.md", 4)]


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        ("classic", [("project", "z.md"), ("user", "a.md"), ("team", "a.md")]),
        ("weighted", [("team", "a.md"), ("project", "z.md"), ("user", "a.md")]),
    ],
)
def test_scopes_come_in_their_order(scorer: Scorer, expected: list[tuple[Scope, str]]) -> None:
    places: list[tuple[Scope, str, int]] = [
        ("project", "z.md", 5),
        ("user", "a.md", 5),
        ("team", "a.md", 6),
    ]
    stores = [
        snapshot([document(path, scope=scope, name="cache", mtime_ns=mtime_ns)], scope=scope)
        for scope, path, mtime_ns in places
    ]
    hits = Ranker(stores, {}, 0).rank("cache", scorer).hits
    assert [(hit.document.scope, hit.document.path) for hit in hits] == expected


def test_classic_looks_at_the_200_newest_of_each_scope() -> None:
    def store(scope: Scope) -> list[TopicDocument]:
        return [
            document(f"{age:03}.md", scope=scope, name="cache", mtime_ns=-age) for age in range(202)
        ]

    stores = [snapshot(store("project")), snapshot(store("user"), scope="user")]
    both = Ranker(stores, {}, 0)
    assert len(both.rank("cache", "weighted", limit=1000).hits) == 404
    assert len(both.rank("cache", "classic", limit=1000).hits) == 400
    taken = {hit.document.path for hit in both.rank("cache", "classic", limit=1000).hits}
    assert taken == {f"{age:03}.md" for age in range(200)}


@pytest.mark.parametrize("scorer", ["classic", "weighted"])
@pytest.mark.parametrize(
    ("made", "query", "limit"),
    [
        ([document(name="cache", body="x")], "", 5),
        ([document(name="cache", body="x")], "ca ch", 5),
        ([document(name="cache", body="x")], "cache", 0),
        ([document(name="cache", body="x")], "cache", -1),
        ([], "cache", 5),
        ([document(name="cache")], "queue", 5),
    ],
)
def test_nothing_to_do_is_strategy_none(
    made: list[TopicDocument], query: str, limit: int, scorer: Scorer
) -> None:
    recall = ranker(*made).rank(query, scorer, limit)
    assert (recall.strategy, recall.hits, recall.prompt) == ("none", (), "")
    assert recall.scanned == len(made)


def test_a_document_of_no_match_never_comes_in() -> None:
    recall = ranker(document("a.md", name="cache"), document("b.md", body="x")).rank(
        "cache", "weighted"
    )
    assert recall.strategy == "heuristic"
    assert ranking(recall) == [("a.md", 4)]


@pytest.mark.parametrize("limit", [1, 2, 5, 6, 100])
def test_the_limit_is_kept(limit: int) -> None:
    documents = [document(f"{number}.md", name="cache", mtime_ns=-number) for number in range(8)]
    recall = ranker(*documents).rank("cache", "weighted", limit)
    assert [hit.document.path for hit in recall.hits] == [f"{n}.md" for n in range(min(limit, 8))]


def test_five_by_default() -> None:
    documents = [document(f"{number}.md", name="cache") for number in range(8)]
    assert len(ranker(*documents).rank("cache", "weighted").hits) == 5


def test_64_tokens_at_most_count() -> None:
    # 70 tokens, of which the 33rd to 38th fall out.
    words = [f"w{number:03}" for number in range(70)]
    made = document(name=" ".join(words))
    assert score(made, " ".join(words), "weighted") == 64 * 4
    assert score(document(name=words[31]), " ".join(words), "weighted") == 4
    assert score(document(name=" ".join(words[32:38])), " ".join(words), "weighted") == 0
    assert score(document(name=words[38]), " ".join(words), "weighted") == 4
    assert score(made, " ".join(words), "classic") == 70 * 2
