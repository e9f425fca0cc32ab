"""What holds for every file, well formed or hostile."""

from __future__ import annotations

from itertools import pairwise

import yaml
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import digest, entries_of
from memtui.engine.types import TopicDocument

PIECES = st.sampled_from(
    [
        "---", "----", "--- x", "\n", "\r\n", "\r", " ", "\t", "\ufeff", "\x00", "\x1b[31m",
        "name: ", "description: ", "type: ", "metadata:", "  type: project", "  ", "key: ", ": ",
        '"', "'", "|", ">", "&a ", "*a", "!x ", "[", "]", "{", "}", "# ", "#", "- ", "* ", "1. ",
        "**Why:** ", "**How to apply:** ", "Why: ", "## Why:", "```", "~~~", "> ", "| a |", "|--|",
        "<div>", "<!--", "-->", "===", "***", "text", "é", "中文", "😀", "\u2028", "\x85", "…",
    ]
)  # fmt: skip
HOSTILE = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=200).map(str.encode),
    st.lists(PIECES, max_size=60).map(lambda pieces: "".join(pieces).encode()),
    st.lists(PIECES, max_size=60).map(lambda pieces: ("---\n" + "\n".join(pieces)).encode()),
    st.lists(PIECES, max_size=40).map(lambda pieces: "\n".join(pieces).encode("utf-16")),
    st.tuples(st.lists(PIECES, max_size=20), st.lists(PIECES, max_size=40)).map(
        lambda parts: f"---\n{''.join(parts[0])}\n---\n{chr(10).join(parts[1])}".encode()
    ),
)
PLAIN = st.text(st.sampled_from("abc XYZ 0é中:#-'\"[]{}*&!%@`,|>?\\"), min_size=1, max_size=30)


def check_spans(document: TopicDocument) -> None:
    source = document.source
    assert document.lead.start == 0
    assert document.lead.end == document.frontmatter.start
    assert document.frontmatter.end == document.body.start
    assert document.body.end == len(source)
    if document.encoding == "utf-8":
        assert source is document.raw
    source.decode()
    position = document.frontmatter.start
    top = ""
    for field in document.fields:
        if field.key.partition(".")[0] == top and field.span.start < position:
            assert field.span.end == position
            continue
        assert position <= field.span.start < field.span.end <= document.frontmatter.end
        assert source[field.span.start - 1 : field.span.start] == b"\n"
        assert source[field.span.end - 1 : field.span.end] == b"\n"
        position, top = field.span.end, field.key.partition(".")[0]
    keys = [field.key for field in document.fields]
    assert len(keys) == len(set(keys))


def check_entries(document: TopicDocument) -> None:
    entries = entries_of(document)
    assert entries
    assert document.body.start <= entries[0].span.start
    assert entries[-1].span.end == document.body.end
    for before, after in pairwise(entries):
        assert before.span.end == after.span.start
        assert before.span.start < before.span.end
    if len(entries) == 1:
        assert entries[0].span == document.body
        assert entries[0].index is None
    else:
        assert [entry.index for entry in entries] == list(range(len(entries)))
    for entry in entries:
        assert entry.digest == digest(entry.span.of(document.source))
        assert entry.summary
        assert "\n" not in entry.summary or entry.summary == document.name


@given(HOSTILE)
def test_reading_never_raises_and_loses_nothing(raw: bytes) -> None:
    document = parse_document(raw, path="feedback/style.md")
    check_spans(document)
    check_entries(document)
    assert document.name
    assert all(problem.rule == "frontmatter" for problem in document.problems)
    assert all(problem.message.endswith(".") for problem in document.problems)


@given(HOSTILE)
def test_reading_twice_gives_the_same(raw: bytes) -> None:
    first, second = (parse_document(raw, path="a.md") for _ in range(2))
    assert (first.fields, first.name, first.problems) == (
        second.fields,
        second.name,
        second.problems,
    )
    assert entries_of(first) == entries_of(second)


@given(name=PLAIN, description=PLAIN, newline=st.sampled_from(["\n", "\r\n"]))
def test_what_a_line_says_is_read(name: str, description: str, newline: str) -> None:
    lines = ["---", f"name: {name}", f"description: {description}", "type: user", "---", "Body."]
    document = parse_document(newline.join(lines).encode(), path="a.md")
    for value, read in ((name, document.name), (description, document.description)):
        bare = value.strip()
        is_quoted = bare[:1] in ("'", '"') and bare[-1:] == bare[:1]
        if bare and bare[0] not in "|>" and not is_quoted:
            assert read == bare
    assert document.type == "user"
    assert document.body_text == "Body."


@given(
    name=st.text(
        st.characters(codec="utf-8", exclude_characters="\n\r\x85\u2028\u2029"),
        min_size=1,
        max_size=40,
    ),
    style=st.sampled_from(['"', "'"]),
)
def test_quoted_values_are_read_as_yaml_reads_them(name: str, style: str) -> None:
    dumped = yaml.dump({"name": name}, default_style=style, allow_unicode=True, width=20)
    line = dumped.replace(f"{style}name{style}: ", "name: ", 1)
    document = parse_document(f"---\n{line}type: user\n---\n".encode(), path="a.md")
    assert document.fields[0].value == name
    assert document.fields[1].value == "user"
    assert document.problems == ()


@given(mapping=st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), PLAIN, max_size=6))
def test_other_keys_are_read_as_yaml_reads_them(mapping: dict[str, str]) -> None:
    known = {"name", "description", "type"}
    mapping = {key: value for key, value in mapping.items() if key not in known}
    block = yaml.dump(mapping, allow_unicode=True) if mapping else ""
    document = parse_document(f"---\n{block}---\n".encode(), path="a.md")
    assert {field.key: field.value for field in document.fields} == mapping
    assert document.problems == ()


@given(HOSTILE)
def test_a_digest_depends_on_the_bytes_of_the_entry_alone(body: bytes) -> None:
    entries = entries_of(parse_document(b"---\ntype: user\n---\n" + body, path="a.md"))
    again = entries_of(
        parse_document(b"---\nname: x\ntype: team\n---\n" + body, path="b.md", scope="user")
    )
    assert [entry.digest for entry in entries] == [entry.digest for entry in again]
