from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.links import backlinks, links_in, links_of
from memtui.engine.types import TopicDocument
from tests.engine.index_building import scanned, snapshot, topic
from tests.engine.test_index import index_like


def found(body: str) -> list[tuple[str, str]]:
    return [(link.form, link.target) for link in links_of(topic("a.md", body=body))]


def outcome(
    target: str, *documents: TopicDocument | str, at: str = "a.md"
) -> tuple[str, str | None]:
    """What one link in the file `at` leads to."""
    (link,) = links_in(snapshot(topic(at, "From here", body=f"x {target} y\n"), *documents))
    return link.resolved.status, link.resolved.path


@given(index_like, st.sampled_from([b"", b"---\nname: a\n---\n"]))
def test_spans_are_the_bytes_at_their_place(raw: bytes, head: bytes) -> None:
    document = parse_document(head + raw, path="a.md")
    for link in links_of(document):
        whole = link.span.of(document.source)
        assert whole.startswith(b"[")
        assert whole.endswith(b")" if link.form == "link" else b"]]")
        assert link.target_span.of(document.source).decode("utf-8", "replace") == link.target
        assert link.span.start < link.target_span.start <= link.target_span.end < link.span.end
        assert document.body.start <= link.span.start
        assert link.line == document.source.count(b"\n", 0, link.span.start) + 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[A](b.md)", [("link", "b.md")]),
        ("[A](sub/b%20c.md#part)", [("link", "sub/b%20c.md#part")]),
        ('![A](b.png "title")', [("link", "b.png")]),
        ("[A](<b (c).md>)", [("link", "b (c).md")]),
        ("[A](b(1).md)", [("link", "b(1).md")]),
        ("[![A](b.png)](c.md)", [("link", "b.png")]),
        ("[two\nlines](b.md)", [("link", "b.md")]),
        ("[[b]] and [[b|label]], [[b#part]], [[b#part|label]], ![[b]]", [("wiki", "b")] * 5),
        ("| [[b\\|label]] |", [("wiki", "b")]),
        ("- [[b]]\n- [A](c.md)", [("wiki", "b"), ("link", "c.md")]),
        ("> [[b]]", [("wiki", "b")]),
        ("- a\n\n    [[b]]", [("wiki", "b")]),
        ("para\n    [[b]]", [("wiki", "b")]),
        ("a ` b [[c]]\n\nd ` e", [("wiki", "c")]),
        ("- a ` b [[c]]\n- d ` e", [("wiki", "c")]),
        ("<!-- a -->[[b]]", []),
        ("x <!-- [[a]] --> [[b]]", [("wiki", "b")]),
        ("<!-- [[a]]", [("wiki", "a")]),
    ],
)
def test_what_is_a_link(body: str, expected: list[tuple[str, str]]) -> None:
    if body.startswith("[![A]"):
        assert ("link", "b.png") in found(body)
    else:
        assert found(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "`[[a]]` and `` [A](b.md) ` ``",
        "a `code\n[[a]]` b",
        "```\n[[a]]\n```",
        "~~~\n[A](b.md)\n~~~",
        "- x\n  ```\n  [[a]]\n  ```",
        "    [[a]]",
        "<!--\n\n[[a]]\n\n-->",
        "[[:space:]] [[:alpha:]]",
        'if [[ -f "$x" ]]; then',
        "[[1, 2]] and [[0]]",
        "[[]] [[ ]] [[#part]]",
        "[A](https://example.org/b.md) [A](mailto:a@b.c) [A](#part) [A](//host/b.md)",
        "[A]()",
        r"\[[a]] and \[A](b.md)",
        "`b.md`",
        "a](b.md)",
    ],
)
def test_what_is_none(body: str) -> None:
    assert found(body) == []


def test_line_and_spans() -> None:
    document = parse_document(
        "---\nname: ü\n---\nü\r\n\r\nsee [[b|x]],\r\n[A](c.md)\r\n".encode(), path="a.md"
    )
    wiki, link = links_of(document)
    assert (wiki.line, wiki.span.of(document.source), wiki.target_span.of(document.source)) == (
        6,
        b"[[b|x]]",
        b"b",
    )
    assert (link.line, link.span.of(document.source), link.target_span.of(document.source)) == (
        7,
        b"[A](c.md)",
        b"c.md",
    )


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("[[deploy_flow]]", ("found", "sub/deploy_flow.md")),
        ("[[Release: how]]", ("found", "release.md")),
        ("[[deploy-flow]]", ("found", "sub/deploy_flow.md")),
        ("[[deploy_flow.md]]", ("found", "sub/deploy_flow.md")),
        ("[[deploy-flow.md]]", ("found", "sub/deploy_flow.md")),
        ("[[sub/deploy_flow]]", ("found", "sub/deploy_flow.md")),
        ("[[sub/deploy_flow.md]]", ("found", "sub/deploy_flow.md")),
        ("[[Deploy_Flow]]", ("near", "sub/deploy_flow.md")),
        ("[[deploy flow]]", ("near", "sub/deploy_flow.md")),
        ("[[ deploy_flow ]]", ("near", "sub/deploy_flow.md")),
        ("[[release: HOW]]", ("near", "release.md")),
        ("[[deploy]]", ("missing", None)),
        ("[A](sub/deploy_flow.md)", ("found", "sub/deploy_flow.md")),
        ("[A](./release.md#part)", ("found", "release.md")),
        ("[A](release)", ("found", "release.md")),
        ("[A](Release.md)", ("near", "release.md")),
        ("[A](deploy_flow.md)", ("missing", None)),
        ("[A](sub)", ("missing", None)),
        ("[A](../release.md)", ("outside", None)),
        ("[A](/release.md)", ("outside", None)),
        ("[A](picture.png)", ("other", None)),
        ("[A](sub/)", ("other", None)),
    ],
)
def test_what_a_link_leads_to(target: str, expected: tuple[str, str | None]) -> None:
    documents = (topic("sub/deploy_flow.md", "Flow"), topic("release.md", "Release: how"))
    assert outcome(target, *documents) == expected


def test_a_stem_comes_before_a_name() -> None:
    named = topic("other.md", "target")
    assert outcome("[[target]]", named) == ("found", "other.md")
    assert outcome("[[target]]", named, topic("z/target.md")) == ("found", "z/target.md")


def test_a_name_comes_before_a_stem_that_differs_in_dashes() -> None:
    assert outcome("[[a-b]]", topic("a_b.md"), topic("z.md", "a-b")) == ("found", "z.md")


def test_a_heading_is_no_name() -> None:
    plain = parse_document(b"# Title\n", path="b.md")
    assert outcome("[[Title]]", plain) == ("missing", None)


def test_of_equal_stems_the_one_in_the_same_folder_counts() -> None:
    twins = ("a/same.md", "b/same.md")
    assert outcome("[[same]]", *twins, at="b/x.md") == ("found", "b/same.md")
    assert outcome("[[same]]", *twins, at="c/x.md") == ("found", "a/same.md")


def test_paths_count_from_the_file_that_links() -> None:
    assert outcome("[A](b.md)", "b.md", at="sub/x.md") == ("missing", None)
    assert outcome("[A](../b.md)", "b.md", at="sub/x.md") == ("found", "b.md")
    assert outcome("[A](y.md)", "sub/y.md", at="sub/x.md") == ("found", "sub/y.md")
    assert outcome("[A](../../b.md)", "b.md", at="sub/x.md") == ("outside", None)


def test_backlinks() -> None:
    documents = (
        topic("a.md", body="[[b]] and [[a]] and [[B]]\n"),
        topic("c.md", body="[B](b.md) [[b]] [[gone]]\n"),
        topic("b.md", "Named", body="none\n"),
    )
    back = backlinks(snapshot(*documents))
    assert {
        path: [(link.path, link.link.target) for link in links] for path, links in back.items()
    } == {"b.md": [("a.md", "b"), ("c.md", "b.md"), ("c.md", "b")]}


def test_19_wiki_links() -> None:
    links = list(links_in(scanned("19-wiki-links")))
    assert [(link.link.target, link.link.line, link.resolved) for link in links] == [
        ("deploy-flow", 7, ("found", "project_deploy.md")),
        ("project_deploy", 7, ("found", "project_deploy.md")),
        ("Deploy flow", 7, ("near", "project_deploy.md")),
        ("project_deploy", 7, ("found", "project_deploy.md")),
        ("project_deploy", 7, ("found", "project_deploy.md")),
        ("missing-note", 7, ("missing", None)),
    ]
    assert [link.link.target for link in links if link.resolved.is_broken] == [
        "Deploy flow",
        "missing-note",
    ]
