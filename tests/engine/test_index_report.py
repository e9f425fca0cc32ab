from __future__ import annotations

import json

import pytest
from hypothesis import given

from memtui.engine.format.index_report import IndexReport, report_index
from memtui.engine.types import Agent
from tests.engine.index_building import snapshot, topic
from tests.engine.test_index import index_like

LINE = "- [Style](a.md) — keep it short"


def report(index: str | None, *paths: str) -> IndexReport:
    return report_index(snapshot(*paths, index=index))


def lost(found: IndexReport) -> list[tuple[int, str, str | None]]:
    return [(item.line, item.target, item.moved_to) for item in found.lines_without_file]


@given(index_like)
def test_a_report_never_raises_and_names_real_lines(raw: bytes) -> None:
    found = report_index(snapshot("a.md", "sub/style.md", index=raw, nested={"sub/MEMORY.md": "x"}))
    numbers = {*found.long_lines, *found.doubled, *found.line_of.values(), *found.not_derived}
    numbers.update(item.line for item in found.lines_without_file)
    numbers.update(item.line for item in found.inline)
    assert numbers <= set(range(1, found.lines + 1))
    assert found.bytes == len(raw)
    listed = set(found.line_of)
    assert listed <= {"a.md", "sub/style.md"}
    assert not listed & set(found.files_without_line)


def test_the_keys_that_the_command_line_prints() -> None:
    index = f"# Index\n{LINE}\n- [Gone](old/b.md) — gone\nA fact.\n{LINE}\n- [C](C.md)\n"
    found = report(index, "a.md", "b.md", "c.md", "d.md")
    assert list(found.as_json().items()) == [
        ("scope", "project"),
        ("kind", "hand-kept"),
        ("lines", 6),
        ("bytes", len(index.encode())),
        ("characters", len(index)),
        ("long_lines", []),
        ("left_out", []),
        ("lines_without_file", [{"line": 3, "target": "old/b.md", "moved_to": "b.md"}]),
        ("files_without_line", ["d.md"]),
        ("doubled", [5]),
        ("inline", [{"line": 1, "text": "# Index"}, {"line": 4, "text": "A fact."}]),
        ("case_differences", [{"line": 6, "target": "C.md", "file": "c.md"}]),
        ("cut_line", None),
    ]
    assert json.loads(json.dumps(found.as_json())) == found.as_json()


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("with%20space.md", "with space.md"),
        ("with space.md", "with space.md"),
        ("<with space.md>", "with space.md"),
        ("./a.md", "a.md"),
        ("sub/../a.md", "a.md"),
        ("%E4%B8%AD.md", "中.md"),
        ("%e4%b8%ad.md", "中.md"),
        ("100%.md", "100%.md"),
        ("100%25.md", "100%.md"),
        ("a%20b.md", "a%20b.md"),
        ("a.md#part", "a.md"),
        ("c#.md", "c#.md"),
        ("with%20space.md#a%20b", "with space.md"),
        ("paren\\(1.md", "paren(1.md"),
        ("sub\\a.md", "sub/a.md"),
        ("a", "a.md"),
        ("/home/a/store/memory/sub/a.md", "sub/a.md"),
        ("../memory/sub/a.md", "sub/a.md"),
        ("note: a.md", "note: a.md"),
        ("bad%FF.md", "bad\udcff.md"),
    ],
)
def test_a_target_that_names_a_file(target: str, path: str) -> None:
    found = report(f"- [A]({target}) — text", path)
    assert found.line_of == {path: 1}
    assert lost(found) == []
    assert found.files_without_line == ()


def test_a_file_literally_so_named_comes_first() -> None:
    found = report("- [A](a%20b.md)", "a b.md", "a%20b.md")
    assert found.line_of == {"a%20b.md": 1}
    assert found.files_without_line == ("a b.md",)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("- [A](gone.md)", "gone.md"),
        ("- [A](gone%20far.md)", "gone%20far.md"),
        ("- [A](gone)", "gone"),
        ("- [A](../outside.md)", "../outside.md"),
        ("- [A](%2e%2e/outside.md)", "%2e%2e/outside.md"),
        ("- [A](/etc/outside.md)", "/etc/outside.md"),
        ("- [A](~/outside.md)", "~/outside.md"),
        ("- [A](C:\\outside.md)", "C:\\outside.md"),
        ("- [A](../../memory/b.md)", "../../memory/b.md"),
        ("- [[gone]]", "gone"),
        ("- `gone.md` — text", "gone.md"),
        ("See [A](gone.md) first.", "gone.md"),
    ],
)
def test_a_line_without_file(line: str, target: str) -> None:
    found = report(line, "a.md")
    assert lost(found) == [(1, target, None)]
    assert found.files_without_line == ("a.md",)


@pytest.mark.parametrize(
    "line",
    [
        "- [A](https://example.org/a.md)",
        "- [A](mailto:a@example.org)",
        "- [A](#part)",
        "- [A](picture.png)",
        "- `README.md` — of the project",
        "See `gone.md` and [[gone]] and [out](../out.md).",
        "```\n- [A](gone.md)\n```",
        "<!-- - [A](gone.md) -->",
    ],
)
def test_no_line_without_file(line: str) -> None:
    assert lost(report(line, "a.md")) == []


def test_a_moved_file_is_named_where_only_one_has_the_name() -> None:
    assert lost(report("- [A](old/a%20b.md)", "new/a b.md")) == [(1, "old/a%20b.md", "new/a b.md")]
    assert lost(report("- [A](../out/a.md)", "a.md")) == [(1, "../out/a.md", "a.md")]
    assert lost(report("- [A](old/a.md)", "new/a.md", "other/a.md")) == [(1, "old/a.md", None)]
    assert report("- [A](old/a.md)", "new/a.md").files_without_line == ()


def test_wiki_and_bare_entries_and_links_in_prose_list_their_files() -> None:
    index = (
        "- [[by_stem]] — x\n- [[By name]] — x\n- `bare.md` — x\n- [[dash-or-line]]\n"
        "- [A](a.md), [B](b.md)\n\nMore in [C](sub/c.md) and `sub/d.md`.\n"
    )
    documents = (
        *("by_stem.md", "bare.md", "dash_or_line.md", "a.md", "b.md", "sub/c.md", "sub/d.md"),
        topic("named.md", "By name"),
    )
    found = report_index(snapshot(*documents, index=index))
    assert found.line_of == {
        "by_stem.md": 1, "named.md": 2, "bare.md": 3, "dash_or_line.md": 4,
        "a.md": 5, "b.md": 5, "sub/c.md": 7, "sub/d.md": 7,
    }  # fmt: skip
    assert found.files_without_line == ()
    assert lost(found) == []


def test_the_line_of_its_own_comes_before_a_mention() -> None:
    found = report("- [A](a.md) — see [B](b.md)\n- [B](b.md)\n", "a.md", "b.md")
    assert found.line_of == {"a.md": 1, "b.md": 2}
    assert found.doubled == ()


def test_doubled_lines() -> None:
    index = "- [A](a.md)\n- [A](./a.md)\n- [P](a.md#one)\n- [Q](a.md#two)\n- [A](%61.md)\n- [[a]]\n"
    assert report(index, "a.md").doubled == (2, 5, 6)
    assert report("- [X](gone.md)\n- [X](gone.md)\n", "a.md").doubled == ()


def test_case_differences() -> None:
    index = "- [A](Sub/A.md)\n- [[B]]\n- [E](e\u0301.md)\n- [D](d-d.md)\n"
    found = report(index, "sub/a.md", "b.md", "É.md", "d_d.md")
    assert [tuple(item) for item in found.case_differences] == [
        (1, "Sub/A.md", "sub/a.md"),
        (2, "B", "b.md"),
        (3, "e\u0301.md", "É.md"),
    ]
    assert lost(found) == [(4, "d-d.md", None)]
    assert found.files_without_line == ("d_d.md",)


def test_the_exact_file_comes_before_one_of_another_case() -> None:
    found = report("- [A](A.md)\n", "a.md", "A.md")
    assert found.case_differences == ()
    assert found.files_without_line == ("a.md",)


def test_files_of_a_linked_index_count_as_listed() -> None:
    documents = ("sub/a.md", "sub/deep/b.md", "lone/c.md")
    nested = {
        "sub/MEMORY.md": "- [A](a.md)\n- [Deep](deep/MEMORY.md)\n- [Up](../MEMORY.md)\n",
        "sub/deep/MEMORY.md": "- [B](b.md)\n- [Round](../MEMORY.md)\n",
        "lone/MEMORY.md": "- [C](c.md)\n",
    }
    found = report_index(snapshot(*documents, index="x\n- [Sub](sub/MEMORY.md)\n", nested=nested))
    assert found.line_of == {"sub/a.md": 2, "sub/deep/b.md": 2}
    assert found.files_without_line == ("lone/c.md",)
    assert lost(found) == []


def test_an_unseen_file_needs_no_line() -> None:
    found = report_index(snapshot("a.md", "b.md", "c.md", index=LINE), unseen={"b.md"})
    assert found.files_without_line == ("c.md",)


def test_content_of_the_index_line_by_line() -> None:
    index = (
        "# Memory\n\n## Entries\n- [A](a.md)\n  more about it\n\n## Groups\n- [[b]]\n---\n"
        "| file | hook |\n|---|---|\n| [C](c.md) | x |\n\nTitle\n===\n- fact\nstays a fact\n---\n"
    )
    assert [tuple(item) for item in report(index, "a.md").inline] == [
        (3, "## Entries"),
        (5, "  more about it"),
        (14, "Title"),
        (16, "- fact"),
        (17, "stays a fact"),
    ]


def test_limits() -> None:
    index = "x" * 150 + "\n" + "x" * 151 + "\n" + "😀" * 75 + "\n" + "😀" * 76 + "\n" + "é" * 150
    found = report(index)
    assert found.long_lines == (2, 4)
    assert found.lines == 5
    assert found.bytes == len(index.encode())
    assert found.characters == len(index.encode("utf-16-le")) // 2


def test_the_agent_loads_200_lines() -> None:
    lines = [f"- [N](n{number}.md)" for number in range(1, 203)]
    paths = [f"n{number}.md" for number in range(1, 203)]
    found = report("\n".join(lines), *paths)
    assert found.cut_line == 201
    assert found.left_out == ("n201.md", "n202.md")
    assert report("\n".join(lines[:200]) + "\n", *paths).cut_line is None


def test_the_agent_loads_25000_characters() -> None:
    head = "\n".join(["😀" * 500] * 24) + "\n"
    fits = head + "x" * (25_000 - 24 * 1001)
    assert report(fits).cut_line is None
    assert report(fits + "\n").cut_line is None
    assert report(fits + "x").cut_line == 25
    found = report(fits + "\n- [A](a.md)\n", "a.md")
    assert found.cut_line == 26
    assert found.left_out == ("a.md",)


def test_a_file_that_is_linked_above_the_cut_too_is_not_left_out() -> None:
    lines = ["See [A](a.md)."] + ["x"] * 199 + ["- [A](a.md)", "- [B](b.md)"]
    found = report("\n".join(lines), "a.md", "b.md")
    assert found.left_out == ("b.md",)
    assert found.line_of == {"a.md": 201, "b.md": 202}


DERIVED = [f"- [Style](n{number}.md) — keep it short" for number in range(20)]
PATHS = [f"n{number}.md" for number in range(20)]
OWN = "- [Style](n{}.md) — own hook"


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([], "managed"),
        (["", "  "], "managed"),
        (DERIVED, "managed"),
        ([*DERIVED, "", "> WARNING: 3 more"], "managed"),
        ([*DERIVED[:18], OWN.format(18), OWN.format(19)], "managed"),
        ([*DERIVED[:17], OWN.format(17), OWN.format(18), OWN.format(19)], "hand-kept"),
        ([*DERIVED, "# Heading"], "hand-kept"),
        ([*DERIVED, "prose"], "hand-kept"),
        ([*DERIVED, "- [[n1]]"], "hand-kept"),
        ([*DERIVED, "- `n1.md` — x"], "hand-kept"),
        ([*DERIVED, "* [Style](n1.md) — keep it short"], "hand-kept"),
        ([*DERIVED, "---"], "hand-kept"),
        ([*DERIVED, "  more"], "hand-kept"),
        ([*DERIVED, "```", "```"], "hand-kept"),
        (["- [X](gone.md) — own hook"], "managed"),
        (["- [X](gone.md) — own hook", DERIVED[0]], "managed"),
        ([OWN.format(1), "- [X](gone.md) — own hook"], "hand-kept"),
        (["- [Sty…"], "managed"),
        (["- [Style](n1…", OWN.format(2)], "hand-kept"),
        (["prose only"], "hand-kept"),
    ],
)
def test_managed_or_hand_kept(lines: list[str], kind: str) -> None:
    found = report("\n".join(lines), *PATHS)
    assert found.kind == kind
    assert found.is_managed == (kind == "managed")
    claude = report_index(snapshot(*PATHS, index="\n".join(lines), agent="claude"))
    assert (claude.kind, claude.is_managed) == ("hand-kept", False)
    none = report_index(snapshot(*PATHS, index="\n".join(lines), agent="none"))
    assert none.kind == kind


@pytest.mark.parametrize(
    ("agent", "is_managed"), [("qwen", True), ("none", True), ("claude", False)]
)
def test_no_index(agent: Agent, is_managed: bool) -> None:
    found = report_index(snapshot("a.md", agent=agent))
    assert (found.kind, found.is_managed, found.index) == ("none", is_managed, None)
    assert (found.lines, found.bytes, found.characters) == (0, 0, 0)
    assert found.files_without_line == ("a.md",)


def test_an_index_that_is_not_utf8_is_never_managed() -> None:
    raw = "- [Style](é.md)".encode("latin-1")
    found = report_index(snapshot("é.md", index=raw))
    assert (found.kind, found.line_of) == ("hand-kept", {"é.md": 1})


def test_lines_that_say_something_else_than_their_file() -> None:
    index = "\n".join([*DERIVED[:3], OWN.format(3), "- [X](gone.md) — x"])
    found = report(index, *PATHS)
    assert found.has_only_index_lines
    assert found.not_derived == (4,)


def test_a_cut_line_lists_its_file() -> None:
    document = topic("feedback/" + "long" * 40 + ".md", "Name")
    whole = f"- [Name]({document.path}) — keep it short"
    found = report_index(snapshot(document, index=whole[:149] + "…"))
    assert found.kind == "managed"
    assert found.line_of == {document.path: 1}
    assert found.files_without_line == ()
