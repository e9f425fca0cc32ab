"""What looks durable and isn't, beside what looks like it and is, in every language.

`documents/look-alikes/<lang>.jsonl` holds messages written for the kinds of mistakes that the rules
made: a decision told as a step of the work, hearsay, an either-or question without a mark, a
feeling with "always", what the code shows, an order for one piece of work. Each message has the
type to be found, or null.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.engine.plans.extraction.rules import classify
from memtui.engine.plans.extraction.statements import sentences
from tests.benchmarks.extract import surviving
from tests.benchmarks.labelled import LANGUAGES, Labelled, Language

FOLDER = Path(__file__).parent.parent / "documents" / "look-alikes"


def messages(language: Language) -> list[tuple[str, str | None]]:
    """Each message of a language with the type to be found in it."""
    lines = (FOLDER / f"{language}.jsonl").read_text("utf-8").split("\n")
    return [(value["text"], value["type"]) for value in map(json.loads, filter(None, lines))]


def types_in(text: str) -> list[str]:
    """The types of what extract keeps of a message."""
    return [each.type for each in surviving(Labelled("x", text, False, None, None, "user"))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_only_looks_durable_is_refused(language: Language) -> None:
    traps = [text for text, kind in messages(language) if kind is None]
    assert len(traps) >= 80
    assert [text for text in traps if types_in(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_looks_like_a_trap_and_lasts_is_found(language: Language) -> None:
    durable = [(text, kind) for text, kind in messages(language) if kind is not None]
    assert len(durable) >= 50
    assert [(text, kind) for text, kind in durable if types_in(text)[:1] != [kind]] == []


@pytest.mark.parametrize(
    "log",
    [
        "[UnityPlayer] Avoid calling GetPixels in Update.\n[UnityPlayer] Prefer static batching",
        "апр 02 11:20:45 web-1 nginx[33]: никогда не перезапускайте вручную",
        "ОШИБКА: столбец не найден\nПОДСКАЗКА: всегда указывайте схему явно",
        "警告: 必须先初始化\n警告: 不要在主线程调用",
        "エラー: 必ずトークンを指定してください",
        "Error: you must always provide a token",
    ],
)
def test_a_log_in_any_language_is_pasted(log: str) -> None:
    assert sentences(log) == ()


def test_one_bracketed_word_is_no_log() -> None:
    assert types_in("[style] Always use tabs in the Makefiles.") == ["feedback"]


@pytest.mark.parametrize(
    "message",
    [
        "> Always use the staging key for demos.\nthat's what their manager wrote to us",
        "> Никогда не передавайте пароль\nэто подпись из письма, не вчитывайся",
        "> 永远不要开启 debug\n这是扫描器报告里的一条",
    ],
)
def test_words_right_below_a_quote_remark_on_it(message: str) -> None:
    assert sentences(message) == ()


def test_words_on_a_quote_that_go_on_are_own_words() -> None:
    message = "> Squash every branch.\n\nWe do the opposite: never squash shared branches."
    assert types_in(message) == ["feedback"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Never enable debug in production.", "Thoughts?"),
        ("永远不要在生产环境开 debug。", "你怎么看？"),
        ("Никогда не включай debug на проде.", "Что думаешь?"),
        ("本番では絶対にdebugを有効にしないこと。", "どう思う？"),
    ],
)
def test_what_is_put_up_for_an_opinion_is_cited(said: str, asked: str) -> None:
    assert types_in(said) == ["feedback"]
    cited, _ = sentences(f"{said} {asked}")
    assert cited.following == asked
    assert classify(cited) is None
