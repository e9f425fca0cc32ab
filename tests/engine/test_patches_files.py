"""The bytes and the path of a new memory (spec sections 3, 8 and 12)."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.format.visibility import verdicts
from memtui.engine.format.yaml_values import value_of
from memtui.engine.plans.extraction.slugs import TopicPaths, file_key, slug
from memtui.engine.plans.extraction.topic_file import one_line, title, topic_file
from memtui.engine.text import utf16_length
from memtui.engine.types import MEMORY_TYPES, FileProblem, MemoryType
from tests.engine.index_building import snapshot, topic

VERSIONS = ("0.22.0", "0.23.0", None)

_MARKS = (
    "- |* |+ |# |> |1. |1) |```|~~~|`|---|***|___|·|Why: |**Why:** |How to apply: |- Why: |<div>"
    "|<!--|===|[a]: b|'|\"|@|!|&a |*a |%|{|[|? |: |type: user|\\|12|yes||"
)
_TAILS = ("", "a: b", "a #b", "c:", "a | b", "| - |", "`d`", '"', "'", "-")
MARKED = st.tuples(
    st.sampled_from([mark.replace("·", "| ") for mark in _MARKS.split("|")]),
    st.text(max_size=40) | st.sampled_from(_TAILS),
).map("".join)
SUMMARIES = MARKED.filter(lambda text: one_line(text) not in ("", "?"))


def test_a_whole_file() -> None:
    raw = topic_file("feedback", "Never push on Friday", "the on-call is away", "wait for Monday")
    assert raw.decode() == (
        "---\n"
        "name: Never push on Friday\n"
        "description: Never push on Friday\n"
        "type: feedback\n"
        "---\n"
        "\n"
        "Never push on Friday\n"
        "\n"
        "Why: the on-call is away\n"
        "\n"
        "How to apply: wait for Monday\n"
    )
    assert topic_file("user", "Я пишу на Go").decode().endswith("\n---\n\nЯ пишу на Go\n")


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        ("- not a list", "- - not a list"),
        ("# not a heading", "- # not a heading"),
        ("> not a quote", "- > not a quote"),
        ("2. not a list", "- 2. not a list"),
        ("2 spaces a tab", "2 spaces a tab"),
        ("`ruff` is the linter", "`ruff` is the linter"),
        ("Why: is not the summary", "1. Why: is not the summary"),
        ("---", "1. ---"),
        ("```sh is a fence", "-     ```sh is a fence"),
        ("- ```sh in a list", "-     - ```sh in a list"),
        ("<div> holds it", "- <div> holds it"),
        ("| no | table |", "- | no | table |"),
    ],
)
def test_a_summary_that_looks_like_markdown(summary: str, line: str) -> None:
    raw = topic_file("project", summary)
    assert raw.decode().split("---\n\n", 1)[1] == line + "\n"
    (entry,) = entries_of(parse_document(raw, path="project/a.md"))
    assert (entry.index, entry.summary) == (None, summary)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Use ruff", "Use ruff"),
        ("Use ruff: not flake8", '"Use ruff: not flake8"'),
        ("issue #12", '"issue #12"'),
        ("issue#12", "issue#12"),
        ('"quoted"', '"\\"quoted\\""'),
        ("@x", '"@x"'),
        ("> folded", '"> folded"'),
        ("|", '"|"'),
        ("2026-01-02", '"2026-01-02"'),
        ("Yes", '"Yes"'),
        ("C:\\dir", "C:\\dir"),
        ("дедлайн 1 мая", "дедлайн 1 мая"),
    ],
)
def test_quotes_only_where_yaml_needs_them(text: str, value: str) -> None:
    assert topic_file("user", text).decode().splitlines()[2] == f"description: {value}"


@given(st.sampled_from(MEMORY_TYPES), SUMMARIES, MARKED, MARKED)
@example("feedback", "```", "```", "```")
@example("feedback", "***", "- Why: a", "How to apply: b")
def test_every_text_reads_back_and_the_agent_sees_it(
    type_: MemoryType, summary: str, why: str, how: str
) -> None:
    raw = topic_file(type_, summary, why, how)
    document = parse_document(raw, path=f"{type_}/a.md")
    text = one_line(summary)
    body = raw.partition(b"\n---\n\n")[2]
    assert entries_of(parse_document(b"---\n---\n" + body, path="?.md"))[0].summary == text
    assert document.problems == ()
    assert (document.name, document.description) == (title(summary), text)
    assert (document.type, document.type_place) == (type_, "top")
    (entry,) = entries_of(document)
    assert entry.summary == text
    assert entry.why == (one_line(why) or None)
    assert entry.how_to_apply == (one_line(how) or None)
    assert raw.endswith(b"\n")
    assert b"\r" not in raw
    lines = raw.decode().split("\n")
    assert lines[3] == f"type: {type_}"
    assert value_of(lines[1] + "\n") == document.name
    assert value_of(lines[2] + "\n") == document.description
    for version in VERSIONS:
        for agent in ("qwen", "claude"):
            assert verdicts(snapshot(document, agent=agent), version)[document.path].seen is True


def test_text_is_put_on_one_line() -> None:
    assert one_line("a\r\nb\u2028c\x1b[31m\u202ed\tе\ufeff") == "a b c [31m d е"
    assert one_line("tag\U000e0041s \ud800 end") == "tag s end"
    assert one_line("❤️ 1️⃣ 👩‍💻 می‌خواهم") == "❤️ 1️⃣ 👩‍💻 می‌خواهم"
    assert (
        one_line("a\u200db \ufe0f c\U000e0101\U000e0102é\U000e0101\U000e0102") == "ab cé\U000e0101"
    )


@given(st.text())
def test_one_line_is_idempotent(text: str) -> None:
    once = one_line(text)
    assert one_line(once) == once
    assert once.encode().decode() == once


def test_a_name_is_cut_between_words() -> None:
    text = "Always run the whole test suite, on both machines, before you push a release branch"
    assert title(text) == "Always run the whole test suite, on both machines, before…"
    assert title("See https://" + "x" * 90) == "See https://" + "x" * 47 + "…"
    assert title("发" * 60) == "发" * 60
    assert title("发" * 61) == "发" * 59 + "…"
    assert title("😀" * 31) == "😀" * 29 + "…"


@given(st.text(min_size=1, max_size=200))
def test_a_name_fits(text: str) -> None:
    name = title(text)
    assert utf16_length(name) <= 60
    whole = one_line(text)
    assert name == whole or whole.startswith(name.removesuffix("…"))


def test_a_very_long_summary_stays_whole_in_the_body() -> None:
    text = "词" * 20_000
    document = parse_document(topic_file("user", text), path="user/a.md")
    assert entries_of(document)[0].summary == text
    assert document.description == "词" * 1_999 + "…"
    assert document.problems == ()


def test_nothing_to_say_is_no_memory() -> None:
    with pytest.raises(ValueError, match="a memory needs a summary"):
        topic_file("user", " \u200b\n")


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Never push on Friday!", "never-push-on-friday"),
        ("  ../../etc/passwd  ", "etc-passwd"),
        (".hidden -- and - dashed -", "hidden-and-dashed"),
        ("C:\\Users\\me", "c-users-me"),
        ("コミットは英語で書く。", "コミットは英語で書く"),
        ("提交信息用英文", "提交信息用英文"),
        ("Всегда запускай тесты", "всегда-запускай-тесты"),
        ("Über Cafe\u0301", "über-caf\u00e9"),
        ("हिन्दी में लिखो", "हिन्दी-में-लिखो"),
        ("v2.3 & ❤️", "v2-3"),
        ("a\u200db\u3164c", "a-b-c"),
        ("?!…", "memory-2"),
        ("", "memory-2"),
        ("MEMORY", "memory-2"),
        ("con", "con-2"),
        ("NUL.", "nul-2"),
        ("com1", "com1-2"),
        ("console", "console"),
        ("Claude", "claude-2"),
        ("\ud800 lone", "lone"),
    ],
)
def test_slugs(summary: str, expected: str) -> None:
    assert slug(summary) == expected


def test_a_long_slug_is_cut_between_words() -> None:
    text = "always run the whole test suite on both machines before you push"
    assert slug(text) == "always-run-the-whole-test-suite-on-both-machines-before-you"
    taken = {file_key(slug(text))}
    assert slug(text, taken) == "always-run-the-whole-test-suite-on-both-machines-before-2"
    assert slug("x" * 70) == "x" * 60
    assert slug("x" * 70, {"x" * 60}) == "x" * 58 + "-2"
    assert slug("𠀀" * 70) == "𠀀" * 49
    assert slug("x" * 59 + "e\u0323\u0301\u0302") == "x" * 59
    assert slug("x" * 60 + " y") == "x" * 60


@given(st.text(), st.integers(0, 12))
def test_a_slug_is_one_safe_file_name(summary: str, number: int) -> None:
    taken: set[str] = set()
    for _ in range(number):
        taken.add(file_key(slug(summary, taken)))
    stem = slug(summary, taken)
    assert slug(stem) == stem
    assert file_key(stem) not in taken
    assert 0 < len(stem) <= 60
    assert len(f"{stem}.md".encode()) <= 200
    assert unicodedata.normalize("NFC", stem) == stem
    assert stem[0] not in "-."
    assert stem[-1] != "-"
    assert "--" not in stem
    assert stem.casefold() not in ("memory", "con", "prn", "aux", "nul", "com1", "lpt9")
    for character in stem:
        assert character == "-" or unicodedata.category(character)[0] in "LMN"


def test_a_path_collides_with_nothing() -> None:
    store = snapshot(
        "feedback/use-uv.md",
        "Feedback/Use-Ruff.MD",
        topic("feedback/caf\u0065\u0301.md"),
        "user/odd.md/inner.md",
        nested={"project/MEMORY.md": ""},
    )
    store = replace(store, problems=(FileProblem("user/big.md", "project", "too-large", "Big."),))
    paths = TopicPaths(store)
    assert paths.give("feedback", "Use uv") == "feedback/use-uv-2.md"
    assert paths.give("feedback", "use UV!") == "feedback/use-uv-3.md"
    assert paths.give("user", "Use uv") == "user/use-uv.md"
    assert paths.give("feedback", "Use ruff") == "feedback/use-ruff-2.md"
    assert paths.give("feedback", "Café") == "feedback/caf\u00e9-2.md"
    assert paths.give("user", "Odd") == "user/odd-2.md"
    assert paths.give("user", "Big") == "user/big-2.md"
    assert paths.give("user", "Big", "user/big.md") == "user/big-3.md"
    assert paths.give("user", "Big", "user/small.md") == "user/small.md"
    assert paths.give("user", "Small", "user/small.md") == "user/small-2.md"


@pytest.mark.parametrize(
    "wanted",
    [
        "../x.md",
        "user/../x.md",
        "/x.md",
        "x.md",
        "feedback/x.md",
        "user/MEMORY.md",
        "user/.x.md",
        "user/a/x.md",
        "user/x",
        "user/x.MD",
        "user/",
        "user/con.md",
        "user/a\\b.md",
        "user/.md",
    ],
)
def test_a_path_that_no_slug_gives_is_not_kept(wanted: str) -> None:
    assert TopicPaths(snapshot()).give("user", "Small", wanted) == "user/small.md"


def test_letters_that_a_file_system_takes_for_one() -> None:
    assert file_key("Straße.md") == file_key("STRASSE.md")
    assert file_key("\u212b") == file_key("\u00e5") == file_key("a\u030a")
    assert file_key("a.md") != file_key("b.md")
