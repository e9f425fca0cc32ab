"""Frontmatter, encodings and names of topic files (spec section 3)."""

from __future__ import annotations

import pytest

from memtui.engine.format.document import FRONTMATTER_LIMIT_BYTES, parse_document
from memtui.engine.types import Span, TopicDocument


def parse(raw: bytes | str, path: str = "feedback/style.md") -> TopicDocument:
    return parse_document(raw.encode() if isinstance(raw, str) else raw, path=path)


def header(*lines: str) -> TopicDocument:
    return parse("\n".join(["---", *lines, "---", "", "Body.", ""]))


def messages(document: TopicDocument) -> list[str]:
    assert all(problem.rule == "frontmatter" for problem in document.problems)
    return [problem.message for problem in document.problems]


def values(document: TopicDocument) -> dict[str, str]:
    return {field.key: field.value for field in document.fields}


def test_a_plain_file() -> None:
    raw = b"---\nname: Style\ndescription: How to write\ntype: feedback\n---\n\nBe short.\n"
    document = parse_document(
        raw, path="a/b.md", scope="user", mtime_ns=7, link="../elsewhere/b.md"
    )
    assert (document.path, document.scope, document.mtime_ns) == ("a/b.md", "user", 7)
    assert document.link == "../elsewhere/b.md"
    assert (document.name, document.description, document.type) == (
        "Style",
        "How to write",
        "feedback",
    )
    assert document.lead == Span(0, 0)
    assert document.frontmatter.of(raw) == raw[: raw.index(b"\n\nBe")] + b"\n"
    assert document.body.of(raw) == b"\nBe short.\n"
    assert [field.span.of(raw) for field in document.fields] == [
        b"name: Style\n",
        b"description: How to write\n",
        b"type: feedback\n",
    ]
    assert document.problems == ()


@pytest.mark.parametrize(
    ("line", "value", "is_flagged"),
    [
        ("description: Use ruff: not flake8", "Use ruff: not flake8", True),
        ("description: @x", "@x", True),
        ("description: !important is banned", "!important is banned", True),
        ("description: #12 # old rule", "#12 # old rule", False),
        ("description: [draft]", "[draft]", False),
        ("description: 2026-01-02", "2026-01-02", False),
        ("description: yes", "yes", False),
        ("description: null", "null", False),
        ("description: ~", "~", False),
        ("description:   padded \t ", "padded", False),
        ("description:", "", False),
        ("description:tight", "tight", True),
        ("description : spaced", "spaced", False),
        ('"description": quoted key', "quoted key", False),
        ('description: "wholly: quoted"', "wholly: quoted", False),
        ('description: "tab\\tand \\"quotes\\" \\u00e9"', 'tab\tand "quotes" é', False),
        ("description: 'it''s'", "it's", False),
        ("description: 'single'", "single", False),
        ('description: ""', "", False),
        ('description: "', '"', True),
        ('description: "a" and "b"', '"a" and "b"', True),
        ('description: "bad \\q escape"', '"bad \\q escape"', True),
        ('description: "unclosed', '"unclosed', True),
        ('description: "text" # comment', '"text" # comment', False),
        ("description: `make` is it", "`make` is it", True),
        ("description: - dash", "- dash", True),
        ("description: {a: b}", "{a: b}", False),
        ("description: *alias", "*alias", True),
        ("description: &anchor text", "&anchor text", False),
        ("description: | not a block", "| not a block", True),
        ("description: ends in colon:", "ends in colon:", True),
        ("description: a\x07bell", "a\x07bell", True),
        ("description: 中文描述：不变", "中文描述：不变", False),
        ("description: sep\u2028arated", "sep\u2028arated", True),
    ],
)
def test_values_as_they_stand(line: str, value: str, is_flagged: bool) -> None:
    document = header("name: n", line, "type: user")
    assert document.description == value
    assert values(document) == {"name": "n", "description": value, "type": "user"}
    assert bool(messages(document)) is is_flagged


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["description: one", "  two", "    three"], "one two three"),
        (["description:", "  one", "  two"], "one two"),
        (["description: one", "", "  two"], "one two"),
        (["description: one", "\ttabbed"], "one tabbed"),
        (["description: one", "  key: not a key"], "one key: not a key"),
        (['description: "one', '  two"'], "one two"),
        (['description: "one', "", '  two"'], "one two"),
        (['description: "one', 'two"'], "one two"),
        (['description: "one \\', '  two"'], "one two"),
        (["description: 'one", "  two'"], "one two"),
        (["description:", '  "quoted: below"'], "quoted: below"),
        (["description: |", "  one", "  two"], "one\ntwo"),
        (["description: >", "  one", "  two"], "one two"),
        (["description: >-", "  one", "", "  two"], "one\ntwo"),
        (["description: |2-", "    one", "  two"], "  one\ntwo"),
        (["description: |", "  name: inside"], "name: inside"),
    ],
)
def test_values_over_several_lines(lines: list[str], value: str) -> None:
    document = header("name: n", *lines, "type: user")
    assert values(document) == {"name": "n", "description": value, "type": "user"}
    span = document.fields[1].span.of(document.source).decode()
    assert span == "\n".join(lines) + "\n"


def test_a_field_owns_no_comment_and_no_blank_line_after_it() -> None:
    document = header("# first", "name: n", "# about the type", "", "type: user", "# last")
    assert [field.span.of(document.source) for field in document.fields] == [
        b"name: n\n",
        b"type: user\n",
    ]
    assert document.problems == ()


def test_other_keys_go_through_yaml_as_text() -> None:
    document = header(
        "name: n",
        "since: 2026-01-02",
        "done: yes",
        "count: 0123",
        'title: "a \\"b\\""',
        "tags: [a, 1, no]",
        "list:",
        "- x",
        "- y: 1",
        "remark: plain # comment",
        "中文: 值",
        "empty:",
        "nothing: {}",
    )
    assert values(document) == {
        "name": "n",
        "since": "2026-01-02",
        "done": "yes",
        "count": "0123",
        "title": 'a "b"',
        "tags": "a, 1, no",
        "list": "x, {y: 1}",
        "remark": "plain",
        "中文": "值",
        "empty": "",
        "nothing": "{}",
    }
    assert document.problems == ()


@pytest.mark.parametrize(
    ("lines", "expected", "is_flagged"),
    [
        (["  type: project", "  node: a"], {"type": "project", "node": "a"}, False),
        (["  type: 'project'"], {"type": "project"}, False),
        (["  # note", "  type: project"], {"type": "project"}, False),
        (["  deep:", "    er: x", "  type: project"], {"deep.er": "x", "type": "project"}, False),
        (["  note: a: b", "  type: project"], {"note": "a: b", "type": "project"}, True),
        (["    type: project"], {"type": "project"}, False),
    ],
)
def test_nested_keys(lines: list[str], expected: dict[str, str], is_flagged: bool) -> None:
    document = header("name: n", "metadata:", *lines)
    assert values(document) == {"name": "n"} | {
        f"metadata.{key}": value for key, value in expected.items()
    }
    assert (document.type, document.type_place) == ("project", "metadata")
    assert bool(messages(document)) is is_flagged


def test_flow_metadata_and_crlf() -> None:
    document = parse("---\r\nmetadata: {type: user, a: {b: c}}\r\n---\r\n")
    assert values(document) == {"metadata.type": "user", "metadata.a.b": "c"}
    assert (document.type, document.type_place) == ("user", "metadata")
    document = parse("---\r\nmetadata:\r\n  type: user\r\nname: x\r\n---\r\n")
    assert values(document) == {"metadata.type": "user", "name": "x"}
    assert document.fields[0].span.of(document.source) == b"metadata:\r\n  type: user\r\n"


def test_the_top_level_type_comes_first() -> None:
    document = header("metadata:", "  type: user", "type: feedback")
    assert (document.type, document.type_place) == ("feedback", "top")
    document = header("metadata:", "  type: user", "type:")
    assert (document.type, document.type_place) == ("user", "metadata")
    document = header("name: n", "other:", "  type: user")
    assert (document.type, document.type_place) == ("", "")


def test_of_a_repeated_key_the_first_counts() -> None:
    document = header("name: one", "type: user", "name: two", "type: project", "name: three")
    assert (document.name, document.type) == ("one", "user")
    assert [field.key for field in document.fields] == ["name", "type"]
    assert messages(document) == [
        "The key `name` is repeated in the frontmatter; the first one counts.",
        "The key `type` is repeated in the frontmatter; the first one counts.",
    ]
    document = header("metadata:", "  type: user", "  type: project")
    assert document.type == "user"
    assert messages(document) == [
        "The key `metadata.type` is repeated in the frontmatter; the first one counts."
    ]
    assert header("metadata: {type: user, type: project}").type == "user"


@pytest.mark.parametrize(
    ("raw", "lead", "body", "expected"),
    [
        ("---\nname: x\n---\nB", "", "B", []),
        ("---\nname: x\n---", "", "", []),
        ("---\n---\n", "", "", []),
        ("---\r\nname: x\r\n---\r\nB", "", "B", []),
        (
            "\ufeff\n \r\n---\nname: x\n---\nB",
            "\ufeff\n \r\n",
            "B",
            [
                "A byte order mark stands before the frontmatter.",
                "Blank lines stand before the frontmatter.",
            ],
        ),
        (
            "---\nname: x\n----\nB",
            "",
            "B",
            ["The frontmatter's last line is not exactly `---`."],
        ),
        (
            "---\nname: x\n--- \nB\n---\n",
            "",
            "B\n---\n",
            ["The frontmatter's last line is not exactly `---`."],
        ),
        (
            "---\nname: x\n---more\nB",
            "",
            "B",
            ["The frontmatter's last line is not exactly `---`."],
        ),
        (
            "--- \nname: x\n---\nB",
            "",
            "B",
            ["The frontmatter's first line is not exactly `---`."],
        ),
    ],
)
def test_fences(raw: str, lead: str, body: str, expected: list[str]) -> None:
    document = parse(raw)
    assert document.lead.of(document.source).decode() == lead
    assert document.body_text == body
    assert document.name == ("x" if "name" in raw else "style")
    assert messages(document) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "\n",
        "text",
        "# T\n\n---\nname: x\n---\n",
        "----\nname: x\n---\n",
        " ---\nname: x\n---\n",
    ],
)
def test_no_frontmatter(raw: str) -> None:
    document = parse(raw)
    assert document.fields == ()
    assert document.frontmatter.of(document.source) == b""
    assert document.body_text == raw
    assert document.problems == ()


@pytest.mark.parametrize("raw", ["---", "---\n", "---\nname: x\n", "---\nname: x\n ---\n"])
def test_unclosed_frontmatter(raw: str) -> None:
    document = parse("\ufeff" + raw)
    assert document.lead.of(document.source) == b"\xef\xbb\xbf"
    assert document.body_text == raw
    assert document.name == "style"
    assert messages(document) == ["The frontmatter is not closed by `---`; the whole file is body."]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["name: a: b"],
            "The frontmatter is not valid YAML: mapping values are not allowed in this context "
            "(line 2).",
        ),
        (["other: *x"], "The frontmatter is not read as YAML: it holds an alias."),
        (["a: &x [1]", "b: [*x, *x]"], "The frontmatter is not read as YAML: it holds an alias."),
        (
            ["other: " + "[" * 40 + "]" * 40],
            "The frontmatter is not read as YAML: it is nested too deeply.",
        ),
        (["Some thought."], "The frontmatter is not valid YAML: it is no list of keys."),
        (["- a", "- b"], "The frontmatter is not valid YAML: it is no list of keys."),
        (["  name: x"], "The frontmatter holds lines that belong to no key of it."),
        (
            ["a: 1", "...", "b: 2"],
            "The frontmatter is not valid YAML: did not find expected <document start> (line 4).",
        ),
        (["a: \x00"], "The frontmatter is not valid YAML: it holds a character that YAML forbids."),
        (["a: !t x"], "The frontmatter is not valid YAML for every reader: it holds a tag."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(lines: list[str], message: str) -> None:
    assert messages(header(*lines)) == [message]


def test_one_bad_key_hides_no_other() -> None:
    document = header('bad: "x', "name: n", "tags: [a, b]", "worse: [", "type: user")
    assert values(document) == {
        "bad": '"x',
        "name": "n",
        "tags": "a, b",
        "worse": "[",
        "type": "user",
    }
    assert len(document.problems) == 1


def test_a_frontmatter_over_the_limit_is_read_line_by_line() -> None:
    filler = "#" * FRONTMATTER_LIMIT_BYTES
    document = header("name: n", filler, 'description: "a \\" b"', "tags: [a]", "type: user")
    assert values(document) == {
        "name": "n",
        "description": '"a \\" b"',
        "tags": "[a]",
        "type": "user",
    }
    assert messages(document) == [
        "The frontmatter is over 16 kB (16,052 bytes); only plain lines are read."
    ]
    block = "name: n\n" + "#" * (FRONTMATTER_LIMIT_BYTES - 9) + "\n"
    assert parse(f"---\n{block}---\n").problems == ()


@pytest.mark.parametrize(
    ("raw", "encoding", "name"),
    [
        ("\ufeff---\nname: é😀\n---\n".encode("utf-16-le"), "utf-16-le", "é😀"),
        ("\ufeff---\nname: é😀\n---\n".encode("utf-16-be"), "utf-16-be", "é😀"),
        (b"\xff\xfe-\x00-\x00-\x00\n", "utf-16-le", "style"),
        (b"---\nname: caf\xe9\n---\n", "latin-1", "café"),
        (b"\xef\xbb\xbf---\nname: caf\xe9\n---\n", "latin-1", "café"),
        (b"---\nname: \xed\xa0\x80\n---\n", "latin-1", "í\xa0\x80"),
    ],
)
def test_encodings(raw: bytes, encoding: str, name: str) -> None:
    document = parse(raw)
    assert document.raw == raw
    assert document.encoding == encoding
    assert document.name == name
    assert messages(document)[0].startswith("The file is not UTF-8; shown as ")


@pytest.mark.parametrize(
    ("body", "path", "name"),
    [
        ("# Title\n\ntext", "a.md", "Title"),
        ("text\n\n## Later ##\n", "a.md", "Later"),
        ("#\n\n# Second\n", "a.md", "Second"),
        ("#tag\n", "a/b c.MD", "b c"),
        ("```\n# comment\n```\n# Real\n", "a.md", "Real"),
        ("<!--\n# hidden\n-->\n# Shown\r\n", "a.md", "Shown"),
        ("## Why: it is so\n", "a.md", "a"),
        ("Set in\nlines\n===\n", "a.md", "Set in"),
        ("text\n---\nmore", "a.md", "a"),
        ("# 中文 #\n", "a.md", "中文"),
        ("# C#\n", "a.md", "C#"),
        ("plain", "deep/er/name.with.dots.md", "name.with.dots"),
    ],
)
def test_a_file_without_a_name(body: str, path: str, name: str) -> None:
    assert parse(body, path).name == name
    assert parse(f"---\nname: ''\ntype: user\n---\n{body}", path).name == name
