from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.index import IndexLine, parse_index
from memtui.engine.format.index_line import CutLines, encode_path, index_line, is_derived
from memtui.engine.format.index_report import report_index
from memtui.engine.text import utf16_length
from memtui.engine.types import TopicDocument
from tests.engine.index_building import snapshot, topic

_texts = st.one_of(
    st.text(min_size=1, max_size=60),
    st.text("[]()\\`a …-—<>\"'!", min_size=1, max_size=30),
    st.text("界😀é ", min_size=1, max_size=200),
)


def line_of(text: str) -> IndexLine:
    (line,) = parse_index(text.encode()).lines
    return line


@pytest.mark.parametrize(
    ("path", "encoded"),
    [
        ("feedback/style.md", "feedback/style.md"),
        ("project/with space.md", "project/with%20space.md"),
        ("project/paren(1).md", "project/paren%281%29.md"),
        ("project/br[0]#%&.md", "project/br%5B0%5D%23%25%26.md"),
        ("user/中文回答.md", "user/中文回答.md"),
        ("reference/cafe\u0301.md", "reference/cafe\u0301.md"),
        ("a\u00a0b\u202ec\nd.md", "a%C2%A0b%E2%80%AEc%0Ad.md"),
        ("a:b`c\"d'e?f<g>h\\i.md", "a%3Ab%60c%22d%27e%3Ff%3Cg%3Eh%5Ci.md"),
        ("bad\udcff.md", "bad%FF.md"),
    ],
)
def test_the_path_in_a_link(path: str, encoded: str) -> None:
    assert encode_path(path) == encoded


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("Style", "keep it short", "- [Style](a.md) — keep it short"),
        ("Style", "", "- [Style](a.md) — feedback"),
        ("[WIP] search", "[WIP] no", "- [[WIP] search](a.md) — [WIP] no"),
        ("open [ one", "x", r"- [open \[ one](a.md) — x"),
        ("close ] one", "x", r"- [close \] one](a.md) — x"),
        ("a](b", "see [x](y.md)", r"- [a\](b](a.md) — see \[x\](y.md)"),
        ("ends in \\", "x", "- [ends in \\\\](a.md) — x"),
        ("C:\\dir", "x", "- [C:\\dir](a.md) — x"),
        ("a\\[b", "x", "- [a\\\\\\[b](a.md) — x"),
    ],
)
def test_the_line_of_a_document(name: str, description: str, expected: str) -> None:
    assert index_line(topic("a.md", name, description)) == expected


def test_line_ends_and_controls_become_a_blank() -> None:
    raw = b'---\nname: "two\\nlines"\ndescription: |-\n  one\n  two\ntype: user\n---\n'
    assert index_line(parse_document(raw, path="a.md")) == "- [two lines](a.md) — one two"


def test_without_type_and_description_the_line_ends_after_the_link() -> None:
    assert index_line(parse_document(b"# Title\n", path="a.md")) == "- [Title](a.md)"


def test_the_description_is_cut_to_150_characters() -> None:
    line = index_line(topic("a.md", "Style", "x" * 200))
    assert line == "- [Style](a.md) — " + "x" * 131 + "…"
    assert utf16_length(line) == 150
    exact = index_line(topic("a.md", "Style", "x" * 132))
    assert exact == "- [Style](a.md) — " + "x" * 132


def test_a_cut_counts_utf16_and_splits_no_character() -> None:
    line = index_line(topic("a.md", "Style", "😀" * 100))
    assert line == "- [Style](a.md) — " + "😀" * 65 + "…"
    assert utf16_length(line) == 149


def test_a_very_long_name_is_cut_inside_its_brackets() -> None:
    line = index_line(topic("a.md", "n" * 300, "text"))
    assert line == "- [" + "n" * 139 + "…](a.md)"
    assert utf16_length(line) == 150


def test_a_path_is_never_cut() -> None:
    path = "p" * 200 + ".md"
    assert index_line(topic(path, "Some name", "text")) == f"- [So…]({path})"


@given(_texts, _texts, st.sampled_from(["a.md", "sub/with (1) 50%.md", "é[]#?.md"]))
def test_a_line_names_its_document_again(name: str, description: str, path: str) -> None:
    document = _document(name, description, path)
    text = index_line(document)
    line = line_of(text)
    assert line.is_index_line
    assert utf16_length(text) <= 150
    assert is_derived(line, document)
    report = report_index(snapshot(document, index=text))
    assert report.line_of == {path: 1}
    assert report.kind == "managed"
    assert report.lines_without_file == ()


def _document(name: str, description: str, path: str) -> TopicDocument:
    usual = topic(path)
    return TopicDocument(
        path=path, scope="project", mtime_ns=0, raw=usual.raw, source=usual.source,
        encoding="utf-8", lead=usual.lead, frontmatter=usual.frontmatter, body=usual.body,
        fields=(), name=name, description=description, type="user", type_place="top", problems=(),
    )  # fmt: skip


@given(st.text(min_size=1, max_size=40))
def test_any_path_can_be_linked(stem: str) -> None:
    path = f"dir/{stem}.md"
    assume("\x00" not in stem and str(PurePosixPath(path)) == path and ".." not in stem.split("/"))
    document = topic(path)
    assert report_index(snapshot(document, index=index_line(document))).line_of == {path: 1}


@pytest.mark.parametrize(
    "line",
    [
        "- [Use `ruff`, it's fast](a.md) — never flake8",
        "- [Use 'ruff', it`s fast](a.md) — never  flake8",
        "- [Use `ruff`, it's fast](a.md)",
        "- [Use `ruff`, it's fast](a.md) — feedback",
        "- [Use `ru…](a.md) — never fl…",
        "- [Use `ruff`, it's fast](a.md) — never …",
        "- [Use `ruff`, it's fast](%61.md) — never flake8",
        "- [Use `ruff`, it's fast](./a.md)  —  never flake8",
    ],
)
def test_derived(line: str) -> None:
    assert is_derived(line_of(line), topic("a.md", "Use `ruff`, it's fast", "never flake8"))


@pytest.mark.parametrize(
    "line",
    [
        "- [Ruff](a.md) — never flake8",
        "- [Use ruff](a.md) — own words",
        "- [Use ruff](a.md) — never flake8, really",
        "- [Use ruff](a.md): never flake8",
        "- [Use ruff](a.md) - never flake8",
        "- [Use ru](a.md) — never flake8",
        "- [use ruff](a.md) — never flake8",
    ],
)
def test_not_derived(line: str) -> None:
    assert not is_derived(line_of(line), topic("a.md", "Use ruff", "never flake8"))


@pytest.mark.parametrize(
    "line",
    [
        "- [\"Quoted: name\"](a.md) — 'single'",
        "- [Quoted: name](a.md) — single",
        "- [\"Quoted: na…](a.md) — 'sin…",
    ],
)
def test_values_count_with_and_without_their_quotes(line: str) -> None:
    raw = b"---\nname: \"Quoted: name\"\ndescription: 'single'\ntype: user\n---\n"
    assert is_derived(line_of(line), parse_document(raw, path="a.md"))


def test_a_cut_line_finds_its_document() -> None:
    cut = CutLines(
        [topic("feedback/with space.md", "A rather long name"), topic("user/ü.md", "Other [name")]
    )
    found = {
        text: cut.path_of(line_of(text))
        for text in (
            "- [A rather lo…",
            "- [A rather long name](feedback/wi…",
            "- [A rather long name](feedback/with%20sp…",
            "- [A rather long name](feedback/with%2…",
            "- [Other \\[name](user/%C3…",
            "- [A rather long name](project/wi…",
            "- [Zzz…",
        )
    }
    assert list(found.values()) == [
        "feedback/with space.md",
        "feedback/with space.md",
        "feedback/with space.md",
        "feedback/with space.md",
        "user/ü.md",
        None,
        None,
    ]
