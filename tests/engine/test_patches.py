"""What a session proposes, and what the filters leave of it (spec section 8)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.transcript import Message, Role
from memtui.engine.plans.extraction import patches as module
from memtui.engine.plans.extraction.patches import (
    Dropped,
    Patch,
    Source,
    find_patches,
    sift,
    topic_bytes,
)
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import Sentence
from memtui.engine.plans.extraction.topic_file import one_line
from memtui.engine.text import proposal_digest
from memtui.engine.types import MemoryType, Scope, Snapshot, Store, TopicDocument
from tests.engine.index_building import snapshot, topic


def patch(
    summary: str, type_: MemoryType = "feedback", message: int = 3, why: str | None = None
) -> Patch:
    source = Source("s1", message, f"{summary}.")
    return Patch(type_, summary, why, None, source, "always / never")


def message(number: int, text: str, role: Role = "user", is_typed: bool = True) -> Message:
    return Message(number, role, text, None, (), is_typed)


def scoped(scope: Scope, *documents: TopicDocument) -> Snapshot:
    store = Store(scope, "qwen", Path(f"/home/a/{scope}"))
    return Snapshot(store, "ok", tuple(replace(document, scope=scope) for document in documents))


def rules(*texts: str) -> list[str]:
    """The rules that drop patches with those summaries."""
    return [one.rule for one in sift([patch(text) for text in texts], [snapshot()], ())[1]]


def test_only_what_a_person_typed_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def split(text: str) -> tuple[Sentence, ...]:
        asked.append(text)
        return tuple(Sentence(line, f"> {line}") for line in text.split("\n"))

    def judge(sentence: Sentence) -> Statement | None:
        if not sentence.text.startswith("never"):
            return None
        return Statement(
            "feedback", sentence.text.title(), "of\u202e this\n", " ", "always / never"
        )

    monkeypatch.setattr(module, "sentences", split)
    monkeypatch.setattr(module, "classify", judge)
    found = find_patches(
        [
            message(0, "never one\nwell\nnever\ttwo"),
            message(1, "never three", role="assistant"),
            message(2, "never four", role="tool"),
            message(3, "never five", is_typed=False),
            message(7, "never six"),
        ],
        "s1",
    )
    assert asked == ["never one\nwell\nnever\ttwo", "never six"]
    assert [(one.summary, one.source) for one in found] == [
        ("Never One", Source("s1", 0, "> never one")),
        ("Never Two", Source("s1", 0, "> never\ttwo")),
        ("Never Six", Source("s1", 7, "> never six")),
    ]
    assert (found[0].type, found[0].rule) == ("feedback", "always / never")
    assert (found[0].why, found[0].how_to_apply) == ("of this", None)
    assert (found[0].path, found[0].near_duplicate_of, found[0].selected) == ("", None, True)


def test_a_summary_of_nothing_is_no_patch(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Statement("user", "\u200b", None, None, "rule")
    monkeypatch.setattr(module, "classify", lambda sentence: nothing)
    monkeypatch.setattr(module, "sentences", lambda text: (Sentence(text, text),))
    assert find_patches([message(0, "anything")], "s1") == ()


def test_the_digest_is_of_type_and_summary() -> None:
    assert patch("Use uv").digest == proposal_digest("feedback", "Use uv")
    assert patch("use  UV", why="faster", message=9).digest == patch("Use uv").digest
    assert patch("Use uv", "project").digest != patch("Use uv").digest


@pytest.mark.parametrize(
    ("summary", "rule"),
    [
        ("Use tabs ok", "shorter than 12 characters"),
        ("Use tabs 😀", "shorter than 12 characters"),
        ("Should I use tabs?", "a question"),
        ("どうして英語で書くのですか？", "a question"),
        ("Use the staging key Today", "a temporary word: today"),
        ("Do not touch it for this task", "a temporary word: for this task"),
        ("сейчас пишем только на Go", "a temporary word: сейчас"),
        ("why now?", "shorter than 12 characters"),
        ("Why do we stop now?", "a question"),
    ],
)
def test_filters_of_the_words_alone(summary: str, rule: str) -> None:
    kept, dropped = sift([patch(summary, message=5)], [snapshot()], ())
    assert kept == ()
    assert dropped == (Dropped(summary, rule, f"{summary}.", 5),)


def test_what_is_long_enough_is_kept() -> None:
    assert rules("Use tabs 😀😀", "Always use tabs", "Know the nowhere") == []


def test_said_twice_is_kept_once() -> None:
    kept, dropped = sift(
        [patch("Always use tabs"), patch("always USE  tabs"), patch("Always use tabs", "project")],
        [snapshot()],
        (),
    )
    assert [(one.summary, one.type) for one in kept] == [
        ("Always use tabs", "feedback"),
        ("Always use tabs", "project"),
    ]
    assert dropped == (Dropped("always USE  tabs", "said before", "always USE  tabs.", 3),)


def test_what_the_stores_say_is_dropped_with_the_id() -> None:
    here = topic("feedback/tabs.md", body="- Always use tabs.\n- Write in English\n")
    there = topic("feedback/spaces.md", body="Never use spaces here\n\nWhy: tabs\n")
    stores = [scoped("project", here), scoped("user", there)]
    kept, dropped = sift(
        [
            patch("Always use tabs"),
            patch("Write in English"),
            patch("never use spaces here"),
            patch("never use spaces here"),
        ],
        stores,
        (),
    )
    assert kept == ()
    assert [one.rule for one in dropped] == [
        "in the store already: feedback/tabs.md:0",
        "in the store already: feedback/tabs.md:1",
        "in the store already: user:feedback/spaces.md",
        "said before",
    ]


def test_another_type_is_another_memory_but_a_near_duplicate() -> None:
    store = snapshot(topic("feedback/tabs.md", body="Always use tabs\n"))
    ((kept,), dropped) = sift([patch("Always use tabs", "project")], [store], ())
    assert dropped == ()
    assert (kept.near_duplicate_of, kept.selected) == ("feedback/tabs.md", False)
    assert kept.path == "project/always-use-tabs.md"


def test_what_was_rejected_or_waits_is_not_proposed() -> None:
    first, second, third = patch("Always use tabs"), patch("Write in English"), patch("Use uv here")
    rejected, pending = [first.digest], [first.digest, second.digest]
    third = replace(third, summary="Use uv and ruff here")
    kept, dropped = sift([first, second, third], [snapshot()], rejected, pending)
    assert [one.summary for one in kept] == ["Use uv and ruff here"]
    assert [one.rule for one in dropped] == ["rejected before", "in the inbox already"]


def test_the_filters_come_in_their_order() -> None:
    store = snapshot(topic("feedback/tabs.md", body="Always use tabs\n"))
    tabs, short = patch("Always use tabs"), patch("Use it?")
    _, dropped = sift([short, tabs], [store], [tabs.digest, short.digest], [tabs.digest])
    assert [one.rule for one in dropped] == [
        "shorter than 12 characters",
        "in the store already: feedback/tabs.md",
    ]


def test_near_duplicates_are_not_selected() -> None:
    project = scoped(
        "project",
        topic("feedback/a.md", description="Run the tests before every push", body="Tests first\n"),
        topic(
            "feedback/b.md",
            description="提交信息一律用英文写",
            body="- 提交信息一律用英文写\n- 别\n",
        ),
    )
    user = scoped("user", topic("user/c.md", description="", body="I write Go for a living\n"))
    kept, dropped = sift(
        [
            patch("Before every push, run the tests"),
            patch("提交信息一律用英文来写，别用中文"),
            patch("I write Go for my living", "user"),
            patch("Deploy from the release branch only", "project"),
        ],
        [project, user],
        (),
    )
    assert dropped == ()
    assert [(one.near_duplicate_of, one.selected) for one in kept] == [
        ("feedback/a.md", False),
        ("feedback/b.md:0", False),
        ("user:user/c.md", False),
        (None, True),
    ]


def test_paths_do_not_collide() -> None:
    store = snapshot(topic("feedback/use-uv-always.md", body="Something else entirely\n"))
    other = scoped("user", topic("feedback/write-in-english.md", body="Nothing like it\n"))
    kept, _ = sift(
        [patch("Use uv, always"), patch("Use uv: always!"), patch("Write in English")],
        [store, other],
        (),
    )
    assert [one.path for one in kept] == [
        "feedback/use-uv-always-2.md",
        "feedback/use-uv-always-3.md",
        "feedback/write-in-english.md",
    ]


@given(st.lists(st.tuples(st.text(min_size=12, max_size=30), st.sampled_from(("user", "project")))))
def test_what_was_written_is_in_the_store_already(found: list[tuple[str, MemoryType]]) -> None:
    patches = [patch(one_line(text), type_) for text, type_ in found]
    kept, dropped = sift(patches, [snapshot()], ())
    assert len(kept) + len(dropped) == len(patches)
    assert len({one.path for one in kept}) == len(kept)
    written = snapshot(*(parse_document(topic_bytes(one), path=one.path) for one in kept))
    again, told = sift(kept, [written], ())
    assert again == ()
    assert len(told) == len(kept)
    assert {one.rule.partition(": ")[0] for one in told} <= {"in the store already"}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Always use uv instead of pip today.", "a temporary word: today"),
        ("Always use uv instead of pip?", "a question"),
        ("今天一律用中文回复上海的工单。", "a temporary word: 今天"),
        ("Сегодня всегда пиши тесты на pytest.", "a temporary word: сегодня"),
    ],
)
def test_what_would_last_but_for_a_word_is_dropped_by_that_rule(text: str, rule: str) -> None:
    found = find_patches([message(0, text)], "s")
    kept, dropped = sift(found, [snapshot()], rejected=())
    assert kept == ()
    assert [(each.rule, each.summary) for each in dropped] == [(rule, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Always use the password hunter2hunter2 for staging",
        "The staging password is s3cr3t-Pa55",
        "Пароль от стенда: Zimniy2024les",
        "测试环境的密码是 abc12345，一律用它",
        "Use the token ghp_0123456789abcdefghijklmnop for the mirror",
        "The database is at postgres://app:s3cret9@db.example.com/app",
    ],
)
def test_what_looks_like_a_secret_is_dropped(text: str) -> None:
    assert rules(text) == ["looks like a secret"]


@pytest.mark.parametrize(
    "text",
    [
        "Never log a password or a token, not even hashed",
        "Passwords are at least 12 characters long",
        "The password for staging lies in the vault under ops/staging-2",
        "API keys rotate every 90 days, the vault does it",
        "Write ${DB_PASSWORD} and never the password itself",
    ],
)
def test_what_is_said_about_secrets_is_kept(text: str) -> None:
    assert rules(text) == []
