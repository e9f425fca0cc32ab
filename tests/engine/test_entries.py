"""Bodies and the entries in them (spec section 3, Entries and Entry IDs)."""

from __future__ import annotations

from textwrap import dedent

import pytest

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import digest, entries_of
from memtui.engine.types import TopicDocument

HEADER = b"---\nname: Style\ntype: feedback\n---\n"

Said = tuple[str, str | None, str | None]


def parse(body: str) -> TopicDocument:
    return parse_document(HEADER + body.encode(), path="feedback/style.md")


def said(document: TopicDocument) -> list[Said]:
    return [(entry.summary, entry.why, entry.how_to_apply) for entry in entries_of(document)]


SINGLE: list[tuple[str, str, Said]] = [
    ("empty", "", ("Style", None, None)),
    ("blank", "\n \n", ("Style", None, None)),
    ("paragraph", "\nBe short.\n", ("Be short.", None, None)),
    ("first line only", "Be short\nand kind.\n\nMore.", ("Be short", None, None)),
    ("no final newline", "Be short.", ("Be short.", None, None)),
    ("crlf", "Be short.\r\n\r\n**Why:** a\r\nb\r\n", ("Be short.", "a\nb", None)),
    ("cjk", "保持简短。\n\n**Why:** 省时间\n", ("保持简短。", "省时间", None)),
    ("empty marker", "_No entries yet._\n", ("_No entries yet._", None, None)),
    ("one bullet", "- Be short.\n", ("Be short.", None, None)),
    ("one bullet, own field", "- Be short.\n- **Why:** time\n", ("Be short.", "time", None)),
    ("prose then bullets", "Rules:\n\n- one\n- two\n", ("Rules:", None, None)),
    ("bullets then prose", "- one\n- two\n\nThat is all.\n", ("one", None, None)),
    ("heading between bullets", "- one\n\n## B\n\n- two\n", ("one", None, None)),
    ("rule between bullets", "- one\n\n---\n\n- two\n", ("one", None, None)),
    ("lazy line", "- one\ngoes on\n- two\n", ("one", None, None)),
    ("ordered list", "1. one\n2. two\n", ("one", None, None)),
    ("ordered after bullet", "- one\n1. two\n- three\n", ("one", None, None)),
    ("plus bullets", "+ one\n+ two\n", ("one", None, None)),
    ("indented bullets", " - one\n - two\n", ("one", None, None)),
    ("top-level why", "- one\n- two\n\nWhy: both\n", ("one", "both", None)),
    (
        "field bullet first",
        "- Why: x\n- one\n- two\n",
        ("Style", "x\n- one\n- two", None),
    ),
    ("code only", "```\ntext\n```\n", ("Style", None, None)),
    ("indented code", "    code\n\ntext\n", ("text", None, None)),
    ("bullets in code", "```\n- one\n- two\n```\n", ("Style", None, None)),
    ("why in code", "A\n```\n**Why:** x\n```\n", ("A", None, None)),
    ("unindented code in bullet", "- one\n  ```\ncode\n  ```\n- two\n", ("one", None, None)),
    ("open fence in bullet", "- one\n  ```\n  code\n- two\n", ("one", None, None)),
    ("fence as bullet", "- ```\n  code\n  ```\n- two\n", ("two", None, None)),
    ("tilde fence", "~~~\n```\n- a\n- b\n~~~\n\nreal\n", ("real", None, None)),
    ("table", "| a | b |\n|---|---|\n| 1 | 2 |\n\ntext\n", ("text", None, None)),
    ("bare table", "a | b\n--|--\n1 | 2\n\ntext\n", ("text", None, None)),
    ("table with piped delimiter", "a | b\n|--|--|\n| 1 | 2 |\n\ntext\n", ("text", None, None)),
    ("quote", "> said\nlazily\n\ntext\n", ("text", None, None)),
    ("html", "<div>\nhidden\n</div>\n\ntext\n", ("text", None, None)),
    ("html comment", "<!-- a\n\n- b\n- c\n-->\ntext\n", ("text", None, None)),
    ("script", "<script>\n\nx\n</script>\ntext\n", ("text", None, None)),
    ("autolink is text", "<https://x.y> is it\n", ("<https://x.y> is it", None, None)),
    ("rule first", "---\n\ntext\n", ("text", None, None)),
    ("stars rule", "* * *\n\n***\ntext\n", ("text", None, None)),
    ("heading and text", "# T\n\ntext\n", ("text", None, None)),
    ("underlined heading", "T\n===\n\ntext\n", ("text", None, None)),
    ("heading only", "# T\n", ("Style", None, None)),
    ("bold text", "**Be short.** Always.\n", ("**Be short.** Always.", None, None)),
    ("year is no list", "in\n2024. Yes\n", ("in", None, None)),
    ("number is a list", "2024. Yes\n", ("Yes", None, None)),
    ("empty item", "-\n  text\n", ("text", None, None)),
    ("hash without blank", "#tag here\n", ("#tag here", None, None)),
    ("two whys of one paragraph", "A\n\nWhy: x\n\nWhy: y\n", ("A", "x", None)),
    ("whys under a list", "- a\n\nWhy: x\n\n1. b\n\nWhy: y\n", ("a", "x\n\n1. b", None)),
    (
        "other heading after the first field",
        "A\n\nWhy: x\n\n## Notes\n\nB\n\nC\n\nWhy: y\n",
        ("A", "x\n\n## Notes\n\nB\n\nC", None),
    ),
    (
        "trailing heading",
        "A\n\nWhy: x\n\nB\n\nWhy: y\n\n## Notes\n",
        ("A", "x\n\nB", None),
    ),
    (
        "value below its field",
        "A\n\n**Why:**\n\nreason\n\n**Why:** y\n",
        ("A", "reason", None),
    ),
    ("only fields", "**Why:** x\n**How to apply:** y\n", ("Style", "x", "y")),
    ("how before why", "A\n\nHow to apply: y\n\nWhy: x\n", ("A", "x", "y")),
    ("empty field", "A\n\n**Why:**\n", ("A", None, None)),
    ("list in a field", "A\n\nWhy:\n- x\n- y\n\nHow to apply: z\n", ("A", "- x\n- y", "z")),
    ("whys in bullets after prose", "P\n\n- a\n  Why: x\n- b\n  Why: y\n", ("P", "x\n- b", None)),
]


@pytest.mark.parametrize(
    ("body", "expected"), [case[1:] for case in SINGLE], ids=[case[0] for case in SINGLE]
)
def test_bodies_of_one_entry(body: str, expected: Said) -> None:
    document = parse(body)
    assert said(document) == [expected]
    (entry,) = entries_of(document)
    assert entry.index is None
    assert entry.id == "feedback/style.md"
    assert entry.span == document.body


SEVERAL: list[tuple[str, str, str, list[str], list[Said]]] = [
    (
        "bullets",
        "",
        "- one\n* two\n- three",
        ["- one\n", "* two\n", "- three"],
        [("one", None, None), ("two", None, None), ("three", None, None)],
    ),
    (
        "headings and blank lines at the top, blank lines between",
        "\n# Style\n\n## All\n\n",
        "- one\n\n- two\n\n\n- three\n\n",
        ["- one\n\n", "- two\n\n\n", "- three\n\n"],
        [("one", None, None), ("two", None, None), ("three", None, None)],
    ),
    (
        "underlined heading at the top",
        "Style\n=====\n",
        "- one\n- two\n",
        ["- one\n", "- two\n"],
        [("one", None, None), ("two", None, None)],
    ),
    (
        "nested lists and fields, in every place",
        "",
        "- one\n  - **Why:** a\n  - **How to apply:** b\n    - c\n- two\n- **Why:** d\n\n  e\n"
        "- three\n  **Why**: f\n  How_to_apply: g\n",
        [
            "- one\n  - **Why:** a\n  - **How to apply:** b\n    - c\n",
            "- two\n- **Why:** d\n\n  e\n",
            "- three\n  **Why**: f\n  How_to_apply: g\n",
        ],
        [("one", "a", "b\n- c"), ("two", "d\n\ne", None), ("three", "f", "g")],
    ),
    (
        "code, tables, quotes and html below bullets",
        "",
        "- one\n  ```\n  - no\n\n  ```\n- two\n  > - no\n\n  | a |\n  |---|\n\n  <b>\n- three\n",
        [
            "- one\n  ```\n  - no\n\n  ```\n",
            "- two\n  > - no\n\n  | a |\n  |---|\n\n  <b>\n",
            "- three\n",
        ],
        [("one", None, None), ("two", None, None), ("three", None, None)],
    ),
    (
        "crlf",
        "\r\n",
        "- one\r\n  - **Why:** a\r\n- 二\r\n",
        ["- one\r\n  - **Why:** a\r\n", "- 二\r\n"],
        [("one", "a", None), ("二", None, None)],
    ),
    (
        "an empty bullet",
        "",
        "- one\n-\n- three\n",
        ["- one\n", "-\n", "- three\n"],
        [("one", None, None), ("Style", None, None), ("three", None, None)],
    ),
    (
        "blocks, close",
        "",
        "A\n**Why:** a\n**How to apply:** b\n\nB\nmore\n**Why:** c\n",
        ["A\n**Why:** a\n**How to apply:** b\n\n", "B\nmore\n**Why:** c\n"],
        [("A", "a", "b"), ("B", "c", None)],
    ),
    (
        "blocks with blank lines, a rule and lists in fields",
        "\n",
        "A\n\n**Why:** a\n\n- x\n- y\n\n---\n\nB\n\n**Why:** b\n\n**How to apply:**\n1. p\n2. q\n",
        [
            "A\n\n**Why:** a\n\n- x\n- y\n\n---\n\n",
            "B\n\n**Why:** b\n\n**How to apply:**\n1. p\n2. q\n",
        ],
        [("A", "a\n\n- x\n- y\n\n---", None), ("B", "b", "1. p\n2. q")],
    ),
    (
        "blocks with headings, after a title and an introduction",
        "# Rules\n\nRead them.\n\n",
        "## A\n\na1\n\nWhy: a\n\n## B\nb1\nb2\n\nWhy: b\n",
        ["## A\n\na1\n\nWhy: a\n\n", "## B\nb1\nb2\n\nWhy: b\n"],
        [("a1", "a", None), ("b1", "b", None)],
    ),
    (
        "blocks with field headings",
        "",
        "A\n\n## Why:\nbecause\n\n## How to apply:\n\nso\n\nB\n\n## Why:\n\nfor\n",
        ["A\n\n## Why:\nbecause\n\n## How to apply:\n\nso\n\n", "B\n\n## Why:\n\nfor\n"],
        [("A", "because", "so"), ("B", "for", None)],
    ),
    (
        "blocks with field bullets and an underlined heading",
        "",
        "A\n- **Why:** a\n- **How to apply:** b\n\nHead\n====\n\nB\n- **Why:** c\n",
        ["A\n- **Why:** a\n- **How to apply:** b\n\n", "Head\n====\n\nB\n- **Why:** c\n"],
        [("A", "a", "b"), ("B", "c", None)],
    ),
    (
        "blocks after which text goes on",
        "Intro\n\n",
        "A\n\nWhy: a\n\nmore of a\n\nB\n\nWhy: b\n\nmore of b\n",
        ["A\n\nWhy: a\n\nmore of a\n\n", "B\n\nWhy: b\n\nmore of b\n"],
        [("A", "a\n\nmore of a", None), ("B", "b\n\nmore of b", None)],
    ),
]


@pytest.mark.parametrize(
    ("gap", "body", "spans", "expected"),
    [case[1:] for case in SEVERAL],
    ids=[case[0] for case in SEVERAL],
)
def test_bodies_of_several_entries(
    gap: str, body: str, spans: list[str], expected: list[Said]
) -> None:
    document = parse(gap + body)
    entries = entries_of(document)
    assert [entry.span.of(document.source).decode() for entry in entries] == spans
    assert entries[0].span.start == document.body.start + len(gap.encode())
    assert said(document) == expected
    assert [entry.index for entry in entries] == list(range(len(spans)))
    assert [entry.id for entry in entries][-1] == f"feedback/style.md:{len(spans) - 1}"
    assert [entry.digest for entry in entries] == [digest(span.encode()) for span in spans]


@pytest.mark.parametrize(
    "spelling",
    [
        "**Why:** x",
        "**Why**: x",
        "**Why :** x",
        "**Why: ** x",
        "- **Why:** x",
        "* **Why**: x",
        "- Why: x",
        "## Why: x",
        "### **Why:** x",
        "Why: x",
        "Why:x",
        "WHY: x",
        "why : x",
        "__Why:__ x",
        "*Why:* x",
        "  **Why:** x",
        "**Why：** x",
        "Why：x",
    ],
)
def test_spellings_of_a_field(spelling: str) -> None:
    (entry,) = entries_of(parse(f"Be short.\n\n{spelling}\n"))
    assert (entry.summary, entry.why, entry.how_to_apply) == ("Be short.", "x", None)
    for name in ("How to apply", "How_to_apply", "how To Apply"):
        other = spelling.replace("Why", name).replace("WHY", name).replace("why", name)
        (entry,) = entries_of(parse(f"Be short.\n\n{other}\n"))
        assert (entry.why, entry.how_to_apply) == (None, "x")


@pytest.mark.parametrize(
    "line",
    [
        "Why we do so: x",
        "That is Why: x",
        "**Why** x",
        "Why? x",
        "Whyever: x",
        "> **Why:** x",
        "## Why",
        "| Why: | x |",
        "How applied: x",
        "    **Why:** x",
    ],
)
def test_what_is_no_field(line: str) -> None:
    (entry,) = entries_of(parse(f"Be short.\n\n{line}\n"))
    assert (entry.summary, entry.why, entry.how_to_apply) == ("Be short.", None, None)


def test_values_keep_their_marks_and_lose_their_indent() -> None:
    body = dedent(
        """\
        - Deploy with care.
          **Why:** *Friday* broke **twice**:
          - once
            - at night
          - again
          **How to apply:** ask
        - Next.
        """
    )
    assert said(parse(body)) == [
        (
            "Deploy with care.",
            "*Friday* broke **twice**:\n- once\n  - at night\n- again",
            "ask",
        ),
        ("Next.", None, None),
    ]


def test_entries_are_made_once_and_carry_path_and_scope() -> None:
    document = parse_document(b"- a\n- b\n", path="user/x.md", scope="user")
    entries = entries_of(document)
    assert entries is entries_of(document)
    assert {(entry.path, entry.scope) for entry in entries} == {("user/x.md", "user")}


def test_entries_of_a_file_in_another_encoding_lie_in_its_source() -> None:
    document = parse_document("\ufeff- é\n- 二\n".encode("utf-16-le"), path="x.md")
    assert [entry.span.of(document.source) for entry in entries_of(document)] == [
        "- é\n".encode(),
        "- 二\n".encode(),
    ]


def test_the_digest_is_four_digits_of_the_bytes() -> None:
    assert digest(b"") == digest(b"")
    assert digest(b"- one\n") != digest(b"- two\n")
    assert len(digest(b"x")) == 4
    assert set(digest(b"x")) <= set("0123456789abcdef")
