"""Which entries a forget query means (spec section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.plans.candidates import SIMILAR_LIMIT, Candidate, Matcher
from memtui.engine.text import fold
from memtui.engine.types import Scope, Snapshot, Store, TopicDocument

REVIEW = """\
---
name: Reviews
description: how to review
type: feedback
---

- Name the risk in one sentence.
  - **Why:** Nobody reads two.
- Do not ask for a rebase during a merge freeze.
  - **How to apply:** Offer to merge
    main yourself.
"""


def document(path: str, name: str, body: str, scope: Scope = "project") -> TopicDocument:
    raw = f"---\nname: {name}\ndescription: about it\ntype: project\n---\n\n{body}\n"
    return parse_document(raw.encode(), path=path, scope=scope)


def snapshot(*documents: TopicDocument, scope: Scope = "project") -> Snapshot:
    return Snapshot(Store(scope, "qwen", Path("/m") / scope), "ok", documents)


STORE = snapshot(
    document("a.md", "Merge freeze", "No merges to main: merge freeze until Mina tags."),
    document("b.md", "Release", "Ask Mina first.\n\n**Why:** The freeze\nof merges ends."),
    parse_document(REVIEW.encode(), path="feedback/review.md"),
    document("c.md", "Board", "The board hides cards.\n\nThe label is merge-freeze there."),
    document("d.md", "Migrations", "数据库迁移要先在预发环境执行。"),
    document("e.md", "Ёлка", "Правило про İzin и елку."),
)
USER = snapshot(document("a.md", "Freezes", "Put code freezes here.", "user"), scope="user")


def found(query: str, snapshots: Sequence[Snapshot] = (STORE,)) -> list[tuple[str, int, str]]:
    return [
        (f"{one.scope}:{one.entry.id}".removeprefix("project:"), one.score, one.match)
        for one in Matcher(snapshots).candidates(query)
    ]


def one_of(query: str, path: str) -> Candidate:
    return next(each for each in Matcher([STORE]).candidates(query) if each.entry.id == path)


def test_the_whole_query_before_all_of_its_words() -> None:
    assert found("merge freeze") == [
        ("a.md", 100, "contains"),
        ("feedback/review.md:1", 100, "contains"),
        ("b.md", 99, "contains"),
        ("c.md", 99, "contains"),
    ]


def test_scopes_stand_in_their_order_and_can_be_chosen() -> None:
    assert [each[0] for each in found("freeze", (STORE, USER))] == [
        "a.md",
        "b.md",
        "feedback/review.md:1",
        "c.md",
        "user:a.md",
    ]
    matcher = Matcher([STORE, USER])
    search = matcher.search("freeze", ["user"])
    assert [each.id for each in search.run()] == [f"user:a.md@{search.candidates[0].entry.digest}"]
    assert search.entries == 1
    assert matcher.search("zzz").entries == 8


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("FREEZE", ["a.md", "b.md", "feedback/review.md:1", "c.md"]),
        ("izin", ["e.md"]),
        ("елка", ["e.md"]),
        ("数据库迁移", ["d.md"]),
        ("offer to merge main", ["feedback/review.md:1"]),
        ("**why:**", ["b.md", "feedback/review.md:0"]),
        ("how to review", ["feedback/review.md:0", "feedback/review.md:1"]),
    ],
)
def test_folded_text_is_found_over_line_ends(query: str, expected: list[str]) -> None:
    assert [name for name, score, _ in found(query) if score >= 99] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("feeze", [("a.md", 83), ("b.md", 83), ("feedback/review.md:1", 83), ("c.md", 83)]),
        ("rebsae during", [("feedback/review.md:1", 92)]),
        ("labels of the board", [("c.md", 81)]),
        ("tags, Mina!", [("a.md", 98)]),
        ("数据迁移", [("d.md", 67)]),
        ("数据手册", []),
        ("zebra quarterly", []),
        ("mina zebra", []),
        ("zz", []),
    ],
)
def test_similar_ones_have_a_score(query: str, expected: list[tuple[str, int]]) -> None:
    got = [(name, score) for name, score, match in found(query) if match == "similar"]
    assert got == expected


def test_without_a_query_all_entries_are_listed() -> None:
    listed = found("  ")
    assert [name for name, _, _ in listed] == [
        "a.md",
        "b.md",
        "feedback/review.md:0",
        "feedback/review.md:1",
        "c.md",
        "d.md",
        "e.md",
    ]
    assert {match for _, _, match in listed} == {"listed"}
    assert one_of("", "a.md").found_in == ()


@pytest.mark.parametrize(
    ("query", "path", "found_in"),
    [
        ("merge freeze", "a.md", ("name", "summary")),
        ("freeze", "b.md", ("why",)),
        ("merge", "feedback/review.md:1", ("summary", "apply")),
        ("label", "c.md", ("body",)),
        ("board", "c.md", ("name", "summary")),
        ("about", "c.md", ("description",)),
        ("sentense", "feedback/review.md:0", ("summary",)),
    ],
)
def test_where_it_was_found(query: str, path: str, found_in: tuple[str, ...]) -> None:
    assert one_of(query, path).found_in == found_in


def marked(query: str, path: str, label: str = "summary") -> list[str]:
    candidate = one_of(query, path)
    text = candidate.entry.summary if label == "summary" else candidate.text
    return [text[start:end] for start, end in candidate.hits.spans[label]]


def test_marks_lie_in_the_text_as_it_is_written() -> None:
    assert marked("merge freeze", "a.md") == ["merge freeze"]
    assert marked("merge", "a.md") == ["merge", "merge"]
    assert one_of("merge", "a.md").summary_spans == ((3, 8), (19, 24))
    assert marked("freeze merge", "a.md") == ["merge", "merge", "freeze"]
    assert marked("izin", "e.md") == ["İzin"]
    assert marked("елку", "e.md") == ["елку"]
    assert marked("sentense", "feedback/review.md:0") == ["sentence"]
    assert marked("数据迁移", "d.md") == ["数据", "迁移"]
    assert marked("offer to merge main", "feedback/review.md:1", "entry") == [
        "Offer to merge\n    main"
    ]


def test_a_candidate_has_its_whole_id() -> None:
    candidate = one_of("rebase", "feedback/review.md:1")
    assert candidate.id == f"project:feedback/review.md:1@{candidate.entry.digest}"


def test_the_best_similar_ones_are_kept() -> None:
    many = snapshot(*(document(f"{n:03}.md", "n", f"frieze {n}") for n in range(300)))
    similar = Matcher([many]).candidates("freeze")
    assert len(similar) == SIMILAR_LIMIT
    assert [each.entry.path for each in similar[:2]] == ["000.md", "001.md"]


def test_a_search_is_done_in_steps_and_can_be_dropped() -> None:
    body = "word " * 400
    many = snapshot(*(document(f"{n:04}.md", "n", f"{body} freeze") for n in range(300)))
    matcher = Matcher([many])
    dropped = matcher.search("freeze")
    assert dropped.step()
    assert 0 < len(dropped.candidates) < 300
    assert not dropped.is_done
    search = matcher.search("freeze")
    steps = 0
    while search.step():
        steps += 1
    assert steps > 5
    assert search.is_done
    assert len(search.candidates) == 300
    assert not search.step()


def test_prepared_or_not_the_result_is_the_same() -> None:
    matcher = Matcher([STORE, USER])
    while matcher.prepare():
        pass
    for query in ("freeze", "feeze", "数据迁移", ""):
        fresh = [(one.id, one.score) for one in Matcher([STORE, USER]).candidates(query)]
        assert [(one.id, one.score) for one in matcher.candidates(query)] == fresh


WORDS = st.text(st.sampled_from("abcdeéЁя数据库迁移 -/ﬁ\u0301\n*"), max_size=12)


@given(WORDS, st.lists(WORDS, max_size=4))
def test_what_holds_for_every_text(query: str, bodies: list[str]) -> None:
    documents = [document(f"{n}.md", "name", "x" + body) for n, body in enumerate(bodies)]
    candidates = Matcher([snapshot(*documents)]).candidates(query)
    assert len({one.entry.path for one in candidates}) == len(candidates)
    for one in candidates:
        assert 0 <= one.score <= 100
        assert (one.match == "listed") is (fold(query) == "")
        for label, text in (("summary", one.entry.summary), ("entry", one.text)):
            ends = [at for span in one.hits.spans[label] for at in span]
            assert ends == sorted(set(ends))
            assert not ends or 0 <= ends[0] <= ends[-1] <= len(text)
