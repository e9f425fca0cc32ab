"""Which sentences of a message are the user's own, and which language they are in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.extraction.filters import (
    is_question,
    is_too_short,
    passes,
    temporary_word,
)
from memtui.engine.plans.extraction.rules import Language, classify, language_of
from memtui.engine.plans.extraction.statements import LONGEST_SENTENCE, sentences

SECONDS_FOR_A_MEGABYTE = 20.0
"""Linear work takes a tenth of it; quadratic work takes minutes."""

PIECES = (
    "Always use tabs. ",
    "никогда не пушь в main! ",
    "提交信息用英文。",
    "コメントは英語で。",
    "```\n",
    "~~~\n",
    "> quoted\n",
    "\n",
    "\r\n",
    "- ",
    '"',
    "“",
    "”",
    "'",
    "«",
    "»",
    "「",
    "$ ls\n",
    "| a | b |\n",
    "2025-01-02 03:04:05 ERROR x\n",
    "e.g. v2.3 in foo.py ",
    "https://a.b/c.d?e=f. ",
    "Anna wrote:\n",
    "\t",
    "    ",
    "…",
)
MESSAGES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30).map(
    "".join
)


def texts(message: str) -> list[str]:
    return [sentence.text for sentence in sentences(message)]


@given(MESSAGES)
def test_every_quote_stands_in_the_message(message: str) -> None:
    for sentence in sentences(message):
        assert sentence.quote in message
        assert sentence.text == " ".join(sentence.quote.split())
        assert sentence.text
        assert len(sentence.quote) <= LONGEST_SENTENCE


@given(MESSAGES)
def test_a_fence_yields_nothing(message: str) -> None:
    fenced = "```\n" + message.replace("`", "").replace("~", "") + "\n```"
    assert sentences(fenced) == ()


@given(st.text())
def test_any_text_is_read(message: str) -> None:
    for sentence in sentences(message):
        found = classify(sentence)
        assert found is None or found.summary


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Use v2.3 of it, e.g. for foo.py. Then stop.",
            ["Use v2.3 of it, e.g. for foo.py.", "Then stop."],
        ),
        ("See https://a.test/b.c?d=e. It is slow!", ["See https://a.test/b.c?d=e.", "It is slow!"]),
        ("提交信息用英文。别写拼音！", ["提交信息用英文。", "别写拼音！"]),
        ("Рефакторинг и т. д. не трогай. Спасибо.", ["Рефакторинг и т. д. не трогай.", "Спасибо."]),
        ("- first rule\n- second rule\n1. third", ["first rule", "second rule", "third"]),
        ("one line\nanother line", ["one line", "another line"]),
        (
            "a line that is long enough to have been wrapped by an editor, and goes\non here",
            ["a line that is long enough to have been wrapped by an editor, and goes on here"],
        ),
        ("  spaced   out\ttext  ", ["spaced out text"]),
        ("", []),
        ("\n\n", []),
        ("Please keep to these:", []),
        ("x" * (LONGEST_SENTENCE + 1), []),
        ("from 20 December the shop is frozen", ["from 20 December the shop is frozen"]),
        ('Write "not measured" there.', ['Write "not measured" there.']),
    ],
)
def test_a_message_falls_into_sentences(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("look:\n```py\n# never do this\n```\nok", ["ok"]),
        ("look\n```\nnever closed", ["look"]),
        ("intro\n\n    never_indented(1)\n\noutro", ["intro", "outro"]),
        ("> We must never do it.\nI disagree", ["I disagree"]),
        ("Sarah's mail says:\nNever ship on Fridays.\n\nI disagree", ["I disagree"]),
        ('He said "never ship on a Friday again." Fine.', ["Fine."]),
        ("Anna wrote: “Always use the other door.” Why?", ["Why?"]),
        ("The docs say: always call close() first.", []),
        ("2025-01-02 03:04:05 ERROR always retry", []),
        ("Jan 12 03:11:07 edge-4 kubelet[9]: restartPolicy=Always", []),
        ("$ make\nmake: *** [x] Error 1\nalways failing", []),
        ('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: never', []),
        ("| never | always |\n|---|---|\n| a | b |", []),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-never\n+always\n\nbad", ["bad"]),
        ("# Always a heading\ntext below", ["text below"]),
        ("// never call this\nconst a = 1;\nwhat is it", ["what is it"]),
        ("src/a.py:12: Always pass strict", []),
    ],
)
def test_what_is_pasted_is_left_out(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


def test_the_neighbours_are_told_within_a_paragraph() -> None:
    first, second, third = sentences("One rule. Two rules.\n\nThree rules.")
    assert (first.following, second.following, third.following) == ("Two rules.", "", "")
    assert (first.preceding, second.preceding, third.preceding) == ("", "One rule.", "")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Деплой делаем через Argo CD", "ru"),
        ("Use the 微信 login for the kiosk", "en"),
        ("用 TypeScript 写 frontend", "zh"),
        ("部署用 Argo CD", "zh"),
        ("リリースは5月9日", "ja"),
        ("PR は小さく", "ja"),
        ("Müller owns the deploy", "en"),
        ("", "en"),
        ("12345", "en"),
        ("Rename `配置` to the other name", "en"),
    ],
)
def test_the_script_tells_the_language(text: str, language: Language) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("summary", "word"),
    [
        ("Use staging today", "today"),
        ("Right Now the build is down", "Now"),
        ("For this task skip lint", "For this task"),
        ("今天先别动", "今天"),
        ("Сегодня не пушь", "Сегодня"),
        ("временно отключи", "временно"),
        ("今は触らないで", "今は"),
        ("From now on use tabs", None),
        ("С этого момента пиши тесты", None),
        ("今后都用英文", None),
        ("今後は英語で", None),
        ("Todays is another word, nowhere too, knowledge", None),
    ],
)
def test_temporary_words_are_whole_words(summary: str, word: str | None) -> None:
    assert temporary_word(summary) == word


def test_the_other_filters() -> None:
    assert is_too_short("eleven char")
    assert not is_too_short("twelve chars")
    assert not is_too_short("🦀🦀🦀🦀🦀🦀")
    assert is_question("Always this? ")
    assert is_question("いつも？")
    assert not is_question("Always? Never.")
    assert passes("Use tabs in Makefiles")
    assert not passes("Use tabs today")


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ".",
        '"',
        "'x ",
        "“",
        "a b. ",
        "a b\n",
        "> a\n",
        "a:1\n",
        "```\n",
        " ",
        "\n",
        "| ",
        "a(",
        "x= ",
        "- ",
        "部署。",
        "at a(",
        "a" * 70 + "\n",
        'a "b c d e',
        "https://a.b/",
        "Anna wrote:\n",
        "\\",
    ],
)
def test_a_megabyte_takes_linear_time(piece: str) -> None:
    message = piece * (1_000_000 // len(piece))
    start = time.perf_counter()
    found = sentences(message)
    for sentence in found[:200]:
        classify(sentence)
    assert time.perf_counter() - start < SECONDS_FOR_A_MEGABYTE
    assert all(sentence.quote in message for sentence in found[:5])
