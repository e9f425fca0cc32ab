from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.index import IndexLine, parse_index

_PIECES = (
    b"- [Style](style.md) \xe2\x80\x94 keep it short", b"- [[WIP] x](a%20b.md)", b"- [[wiki]]",
    b"* `bare.md` - text", b"```", b"~~~", b"    indented", b"\t- [x](y.md)", b"# Heading", b"---",
    b"> WARNING: 3 more", b"- [cut off\xe2\x80\xa6", b"- [a](b\xe2\x80\xa6", b"<!--", b"-->", b"[",
    b"]", b"](", b")", b"(", b"<", b">", b"\\", b"`", b"|", b"|---|---|", b"\n", b"\r\n", b"\r",
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b" ", b"\xf0\x9f\x98\x80", b"#part", b"%",
    b"%zz", b"../", b"https://a.b/c.md",
)  # fmt: skip

index_like = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(_PIECES), max_size=40).map(b"".join),
    st.lists(st.sampled_from(_PIECES), max_size=20).map(b"\n".join),
    st.text(max_size=80).map(lambda text: b"\xff\xfe" + text.encode("utf-16-le")),
)


def only(text: str) -> IndexLine:
    (line,) = parse_index(text.encode()).lines
    return line


def target(text: str) -> str | None:
    found = only(text).target
    return None if found is None else found.raw


def kinds(text: str) -> list[str]:
    return [line.kind for line in parse_index(text.encode()).lines]


@given(index_like)
def test_reading_never_raises_and_the_lines_cover_the_source(raw: bytes) -> None:
    index = parse_index(raw)
    assert b"".join(line.span.of(index.source) for line in index.lines) == index.source
    assert [line.number for line in index.lines] == list(range(1, len(index.lines) + 1))
    if index.is_utf8:
        assert index.source == raw


@given(index_like)
def test_a_target_is_the_bytes_at_its_place(raw: bytes) -> None:
    index = parse_index(raw)
    for line in index.lines:
        for found in line.targets:
            assert line.start <= found.start <= found.end <= line.end
            assert index.source[found.start : found.end].decode("utf-8", "replace") == found.raw
        assert (line.kind == "entry") == (line.target is not None)


@given(
    st.sampled_from(["- ", "* ", "- **", "+ "]),
    st.text("[]`\\\\ab*<!-é", max_size=8),
    st.text("/.:#ab %()", max_size=8),
    st.text("[]`()—… .md*<!->", max_size=12),
)
def test_the_quick_way_reads_what_the_slow_way_reads(
    marker: str, name: str, stem: str, tail: str
) -> None:
    raw = f"{marker}[{name}]({stem}.md){tail}".encode()
    with pytest.MonkeyPatch.context() as patch:
        quick = parse_index(raw).lines
        patch.setattr("memtui.engine.format.index._USUAL", re.compile(rb"(?!)"))
        assert parse_index(raw).lines == quick


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [A](a.md) — text", "a.md"),
        ("- [A](./a.md)", "./a.md"),
        ("- [A](sub/a%20b.md) — text", "sub/a%20b.md"),
        ("- [A](with space.md) — text", "with space.md"),
        ("- [A](paren(1).md) — text", "paren(1).md"),
        ("- [A](paren (1).md) — text", "paren (1).md"),
        ("- [A](paren(1.md) — text", "paren(1.md"),
        ("- [A](<a (b).md>) — text", "a (b).md"),
        ('- [A](<a b.md> "title") — text', "a b.md"),
        ('- [A](a.md "the title") — text', "a.md"),
        ('- [A](a.md "a) title") — text', "a.md"),
        ("- [A](a.md 'the title')", "a.md"),
        ("- [A](a.md (the title))", "a.md"),
        ("- [A]( a.md )", "a.md"),
        ("- [A](a.md#part) — text", "a.md#part"),
        (r"- [A](paren\(1.md)", r"paren\(1.md"),
        ("- [[WIP] search](a.md) — text", "a.md"),
        ("- [[a]](a.md) — text", "a.md"),
        (r"- [a \[ b](a.md)", "a.md"),
        ("- [open [ bracket](a.md) — text", "a.md"),
        ("- [close ] bracket](a.md) — text", "a.md"),
        ("- [it`s](a.md) — use `b`", "a.md"),
        ("- [`code`](a.md) — text", "a.md"),
        ("- [A](a.md) — see also [B](b.md)", "a.md"),
        ("- [draft] see [x](a.md)", "a.md"),
        ("- Deploy: [x](a.md), [y](b.md)", "a.md"),
        ("* [A](a.md)", "a.md"),
        ("+ [A](a.md)", "a.md"),
        ("1. [A](a.md)", "a.md"),
        ("2) [A](a.md)", "a.md"),
        ("  - [A](a.md)", "a.md"),
        ("- **[A](a.md)** — text", "a.md"),
        ("- [x] [A](a.md)", "a.md"),
        ("- [ ] [A](a.md)", "a.md"),
        ("| [A](a.md) | text |", "a.md"),
        ("## [A](a.md)", "a.md"),
        ("[A](a.md) — text", "a.md"),
        ("> - [A](a.md)", "a.md"),
        ("- [A](a) — no extension", "a"),
        ("- [A](A.MD) — capitals", "A.MD"),
        ("- [A](../out.md)", "../out.md"),
        ("- [A](/abs/out.md)", "/abs/out.md"),
        ("- [A](note: a.md)", "note: a.md"),
        ("- [[name]] — text", "name"),
        ("- [[name|label]]", "name"),
        ("- [[name#part]] text", "name"),
        ("- `a.md` — text", "a.md"),
        ("- `a.md`", "a.md"),
        ("- **`a.md`**: text", "a.md"),
        ("| `a.md` | text |", "a.md"),
    ],
)
def test_the_target_of_an_entry(text: str, expected: str) -> None:
    assert target(text) == expected
    assert target(f"{text}\r\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "- never run as root",
        "Use `make all`. The cache lives in `.cache/`.",
        "- [Docs](https://example.org/a.md) — outside",
        "- [Docs](https://example.org) — see also [B](b.md)",
        "- [Mail](mailto:a@example.org)",
        "- [Up](#part)",
        "- [Picture](a.png)",
        "- [Script](tools/run.sh)",
        "- [Folder](sub/)",
        "- [[:space:]] is a class",
        "- [[ -f x ]] && echo",
        "- [[1, 2]]",
        "- `README.md` — of the project",
        "- `a.md` holds what it holds",
        "- call `a.md` first",
        "- [ ] a task…",
        "- [A] (a.md)",
        "| env | port |",
        "See [A](a.md) for more.",
        "<!-- - [A](a.md) -->",
        r"- \[A](a.md)",
        "- `[A](a.md)`",
    ],
)
def test_no_entry(text: str) -> None:
    assert only(text).kind == "text"
    assert target(text) is None


def test_links_in_prose_are_kept_as_targets() -> None:
    line = only("See [A](a.md) and [[b]], not `[c](c.md)`, but `d.md`; [E](https://e.org).")
    assert [(found.form, found.raw) for found in line.targets] == [
        ("link", "a.md"),
        ("wiki", "b"),
        ("bare", "d.md"),
    ]


@pytest.mark.parametrize(
    ("text", "name", "tail", "is_index_line"),
    [
        ("- [A](a.md) — text", "A", " — text", True),
        ("- [A](a.md)", "A", "", True),
        ("- [A](a.md): own hook", "A", ": own hook", True),
        ("- [[WIP] search](a.md) — [WIP] text", "[WIP] search", " — [WIP] text", True),
        ("- [open [ bracket](a.md) — text", "open [ bracket", " — text", True),
        ("- [close ] bracket](a.md) — text", "close ] bracket", " — text", True),
        (r"- [a \[ b](a.md) — text", r"a \[ b", " — text", True),
        ("* [A](a.md) — text", "A", " — text", False),
        ("- [A](a.md) — `text`", "A", " — `text`", True),
        ("- **[A](a.md)** — `text`", "A", "** — `text`", False),
        ("  - [A](a.md) — text", "A", " — text", False),
        ("- **[A](a.md)** — text", "A", "** — text", False),
        ("- [x] [A](a.md)", "A", "", False),
        ("- [[a]] — text", "a", " — text", False),
        ("- Text [A](a.md)", "", "", False),
        ("- `a.md` — text", "", " — text", False),
    ],
)
def test_name_and_tail(text: str, name: str, tail: str, is_index_line: bool) -> None:
    line = only(text)
    assert (line.name, line.tail, line.is_index_line) == (name, tail, is_index_line)


@pytest.mark.parametrize(
    "text",
    ["- [a very long na…", "- [A](feedback/a-very-lo…", "- [A](paren(1)-and-mo…", "- [A [b] c…"],
)
def test_a_line_that_the_agent_cut(text: str) -> None:
    assert only(text).kind == "cut"


@pytest.mark.parametrize("text", ["- [A](a.md) — te…", "- [A…](a.md) — te…", "- [A…](a.md)"])
def test_a_cut_text_leaves_an_entry(text: str) -> None:
    assert target(text) == "a.md"


def test_kinds_of_lines() -> None:
    text = (
        "# Index\n\n- [A](a.md)\n  more of it\n---\nTitle\n===\n"
        "```\n- [B](b.md)\n\n```\n> WARNING: 2 more\n"
    )
    assert kinds(text) == [
        "heading", "blank", "entry", "text", "rule", "heading", "rule",
        "code", "code", "code", "code", "warning",
    ]  # fmt: skip


def test_a_code_block_and_a_comment_hold_no_links() -> None:
    text = (
        "~~~\n- [A](a.md)\n~~~\n\n    - [B](b.md)\n\n"
        "<!-- how it looks:\n- [C](c.md)\n-->\n- [D](d.md)"
    )
    listed = [each.raw for line in parse_index(text.encode()).lines for each in line.targets]
    assert listed == ["d.md"]


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert kinds("- [A](a.md)\n```\n- [B](b.md)\n") == ["entry", "code", "code"]


def test_a_comment_that_is_never_closed_is_text() -> None:
    assert kinds("<!-- note\n- [A](a.md)\n") == ["text", "entry"]


def test_byte_order_mark_and_crlf() -> None:
    index = parse_index(b"\xef\xbb\xbf- [A](a.md) \xe2\x80\x94 text\r\n- [B](b.md)\r\n")
    assert [(line.text, line.is_index_line) for line in index.lines] == [
        ("- [A](a.md) — text", True),
        ("- [B](b.md)", True),
    ]
    first = index.lines[0].targets[0]
    assert index.source[first.start : first.end] == b"a.md"
    assert index.lines[0].start == 0


def test_no_final_newline_and_no_bytes() -> None:
    assert len(parse_index(b"- [A](a.md)\n- [B](b.md)").lines) == 2
    assert len(parse_index(b"- [A](a.md)\n- [B](b.md)\n").lines) == 2
    assert parse_index(b"").lines == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xfe" + "- [É](é.md)".encode("utf-16-le"),
        b"\xfe\xff" + "- [É](é.md)".encode("utf-16-be"),
        "- [É](é.md)".encode("latin-1"),
    ],
)
def test_a_file_that_is_not_utf8_is_decoded_for_display(raw: bytes) -> None:
    index = parse_index(raw)
    assert not index.is_utf8
    assert index.raw == raw
    assert [line.text for line in index.lines] == ["- [É](é.md)"]
    assert index.lines[0].targets[0].raw == "é.md"
