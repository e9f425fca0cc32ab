"""The injected block, to the byte (spec section 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.recall.explain import BLANKS
from memtui.engine.recall.prompt import (
    ADVICE,
    TRUNCATED,
    age_days,
    age_text,
    injected_body,
    render_prompt,
)
from memtui.engine.recall.scoring import Ranker
from memtui.engine.text import utf16_length
from tests.engine.recall_building import DAY_NS, document, snapshot

HOUR_NS = 3_600 * 10**9
NOW_NS = 1_780_000_000 * 10**9


def test_the_whole_block() -> None:
    made = [
        document(
            "feedback/notes.md",
            name="Release notes",
            description="one line per change",
            body="\n\nShort and factual.\n\n**Why:** support.\n",
            mtime_ns=NOW_NS - DAY_NS,
        ),
        document("user/empty.md", name="Empty", body="_No entries yet._\n", mtime_ns=NOW_NS),
        document("a.md", name="A", description="d", body="b", mtime_ns=NOW_NS - 40 * DAY_NS),
    ]
    assert render_prompt(made, NOW_NS) == (
        "## Relevant memory\n"
        "Use a memory only where it bears on the request, "
        "and check what it claims about the code against the code first.\n"
        "\n"
        "### Release notes (feedback/notes.md)\n"
        "Saved yesterday.\n"
        "one line per change\n"
        "\n"
        "Short and factual.\n\n**Why:** support.\n"
        "\n"
        "### Empty (user/empty.md)\n"
        "Saved today.\n"
        "\n"
        "\n"
        "_No detailed entries yet._\n"
        "\n"
        "### A (a.md)\n"
        "Saved 40 days ago.\n"
        "d\n"
        "\n"
        "b\n"
        "\n"
        "> NOTE: This memory is 40 days old and may be outdated; check it before you rely on it.\n"
    )


def test_no_documents_no_block() -> None:
    assert render_prompt([], NOW_NS) == ""


@pytest.mark.parametrize(
    ("age_ns", "text", "is_stale"),
    [
        (-5 * DAY_NS, "today", False),
        (-1, "today", False),
        (0, "today", False),
        (DAY_NS - 1, "today", False),
        (DAY_NS, "yesterday", False),
        (2 * DAY_NS - 1, "yesterday", False),
        (2 * DAY_NS, "2 days ago", True),
        (2 * DAY_NS + 23 * HOUR_NS, "2 days ago", True),
        (3 * DAY_NS, "3 days ago", True),
        (400 * DAY_NS, "400 days ago", True),
    ],
)
def test_age_is_whole_days(age_ns: int, text: str, is_stale: bool) -> None:
    mtime_ns = NOW_NS - age_ns
    assert age_text(age_days(mtime_ns, NOW_NS)) == text
    block = render_prompt([document(body="b", mtime_ns=mtime_ns)], NOW_NS)
    assert f"Saved {text}." in block
    assert ("\n\nb\n\n> NOTE: This memory is " in block) is is_stale
    assert ("> NOTE:" in block) is is_stale


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", "_No detailed entries yet._"),
        (" \t\r\n\u3000\ufeff", "_No detailed entries yet._"),
        (" _No entries yet._ ", "_No detailed entries yet._"),
        ("_No entries yet._\n- but one", "_No entries yet._\n- but one"),
        ("x" * 1200, "x" * 1200),
        ("\n" + "x" * 1200 + "\n\n", "x" * 1200),
        ("x" * 1201, "x" * 1200 + "\n\n" + TRUNCATED),
        ("x" * 1190 + " " * 20 + "y", "x" * 1190 + "\n\n" + TRUNCATED),
        ("😀" * 600, "😀" * 600),
        ("😀" * 601, "😀" * 600 + "\n\n" + TRUNCATED),
        ("x" + "😀" * 600, "x" + "😀" * 599 + "\n\n" + TRUNCATED),
        # What ECMAScript does not trim stays: U+0085 and the separators of ASCII.
        ("\x85b\x1c", "\x85b\x1c"),
    ],
)
def test_the_body_is_trimmed_and_cut(body: str, expected: str) -> None:
    assert injected_body(document(body=body)) == expected


def test_the_note_of_the_cut_comes_before_that_of_age() -> None:
    block = render_prompt([document(body="x" * 1300, mtime_ns=NOW_NS - 2 * DAY_NS)], NOW_NS)
    assert block.endswith(
        "x\n\n> NOTE: Relevant memory truncated for prompt budget.\n\n"
        "> NOTE: This memory is 2 days old and may be outdated; check it before you rely on it.\n"
    )


def test_the_block_holds_the_hits_in_their_order() -> None:
    documents = [
        document("one.md", name="cache", mtime_ns=NOW_NS),
        document("two.md", name="cache", description="cache", mtime_ns=NOW_NS),
        document("three.md", name="queue", mtime_ns=NOW_NS),
    ]
    ranked = Ranker([snapshot(documents)], {}, NOW_NS)
    recall = ranked.rank("cache", "weighted")
    assert recall.prompt == render_prompt([documents[1], documents[0]], NOW_NS)
    assert recall.prompt.count("Saved today.") == 2
    later = ranked.rank("cache", "weighted", now_ns=NOW_NS + DAY_NS)
    assert later.prompt.count("Saved yesterday.") == 2


@given(st.text() | st.text("x 😀\n").map(lambda text: text * 200))
def test_a_body_is_never_longer_than_its_budget(body: str) -> None:
    body = body.encode("utf-8", "replace").decode()
    injected = injected_body(document(body=body))
    assert injected
    start, note, _ = injected.partition("\n\n" + TRUNCATED)
    assert utf16_length(start) <= 1200
    assert injected.encode("utf-16-le").decode("utf-16-le") == injected
    if note:
        trimmed = body.strip(BLANKS)
        assert utf16_length(trimmed) > 1200
        assert trimmed.startswith(start)
        assert start == start.rstrip(BLANKS)


def test_the_advice_is_one_line() -> None:
    assert "\n" not in ADVICE
