"""The two entries of a suggestion side by side, their marks, and forgetting one of them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.demo import DemoHome
from memtui.tui.app import MemtuiApp
from memtui.tui.compare_view import MOST_CHARACTERS, keys_of, own_words, words_of
from memtui.tui.screens.compare import CompareScreen
from tests.engine.written_store import tree
from tests.tui.acting import WIDE, line_of, planned, review, signs, text_of
from tests.tui.conftest import NOW_S
from tests.tui.drawn import assert_harmless
from tests.tui.dreaming import compare, dream, open_dream, shown
from tests.tui.seen import AppPilot, browse, focus_id, lines, rescan, seen, toasts, until

SnapCompare = Callable[..., bool]

ALWAYS, NEVER = "feedback/squash.md", "feedback/migrations.md"


def own(text: str, other: str) -> list[str]:
    return [text[word.start : word.end] for word in own_words(text, keys_of(other))]


@pytest.mark.parametrize(
    ("text", "other", "words"),
    [
        ("Always squash.", "never SQUASH!", ["Always"]),
        ("port 5432, not 5433", "port 5433", ["5432", "not"]),
        ("v2.3 of work-in-progress", "v2.4 of work", ["v2.3", "work-in-progress"]),
        ("никогда не делать squash", "всегда делать squash", ["никогда", "не"]),
        ("用中文回复", "用英文回复", ["中"]),
        ("用中文", "用中文写", []),
        ("中", "中文", []),
        ("リリース手順", "リリース作業", ["手", "順"]),
        ("ship it", "", ["ship", "it"]),
        ("", "ship it", []),
    ],
)
def test_words_that_only_one_of_two_says(text: str, other: str, words: list[str]) -> None:
    assert own(text, other) == words


@given(st.text(max_size=80), st.text(max_size=80))
def test_words_lie_in_order_and_nothing_is_news_to_itself(text: str, other: str) -> None:
    places = [(word.start, word.end) for word in words_of(text)]
    assert places == sorted(places)
    assert all(start < end for start, end in places)
    assert own_words(text, keys_of(text)) == []
    assert own_words(text, keys_of(f"{text}\n{other}")) == []


async def open_compare(pilot: AppPilot, *keys: str) -> CompareScreen:
    await open_dream(pilot)
    await pilot.press(*keys, "c")
    await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
    return compare(pilot)


def folded(pilot: AppPilot, selector: str) -> str:
    return " ".join(text_of(pilot, selector).replace("─", " ").split())


async def test_both_entries_stand_side_by_side_whole(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_compare(pilot)
        assert line_of(pilot, "#compare-head") == (
            "contradiction always / never said in both only here"
        )
        assert folded(pilot, "#left") == (
            "feedback/migrations.md@3df2 feedback 26d old · 268 B"
            " name Migrations keep their commits"
            " description A branch with a migration is merged as it is"
            " entry 27 words of 59 only here"
            " Never squash a branch before merging when it contains a migration."
            " **Why:** The rollback script walks the history and needs one commit for each"
            " migration step."
            " **How to apply:** Use a merge commit. Before that, tidy the branch with fixups so"
            " that each step builds."
        )
        assert folded(pilot, "#right").startswith(
            "feedback/squash.md@7e63 feedback 44d old · 227 B name Always squash before merging"
        )
        assert [pane._subtitle.plain for pane in screen.panes] == ["newer", "older"]
        marked = marks(screen, "#left")
        assert "Never" in marked
        assert "squash" not in " ".join(marked)
        assert "›  dream  ›  compare" in lines(pilot)[0]


def marks(screen: CompareScreen, selector: str) -> list[str]:
    """The texts that are marked as only here."""
    wanted = f"bold {screen.palette.match}"
    return [
        line.plain[span.start : span.end]
        for line in screen.query_one(selector)._lines  # type: ignore[attr-defined]
        for span in line.spans
        if span.style == wanted
    ]


async def test_panes_and_the_way_back(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_compare(pilot)
        assert focus_id(pilot) == "left"
        for key, wanted in (("2", "right"), ("1", "left"), ("tab", "right"), ("tab", "left")):
            await pilot.press(key)
            assert focus_id(pilot) == wanted
        await pilot.press("y")
        assert app.clipboard == NEVER
        await pilot.press("escape")
        assert pilot.app.screen is dream(pilot)


async def test_enter_on_a_suggestion_shows_it(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        await pilot.press("5", "j", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        assert line_of(pilot, "#compare-head").startswith("near-duplicate 87")


async def test_one_at_a_time_in_a_narrow_terminal(app: MemtuiApp) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await open_compare(pilot)
        assert [pane.display for pane in screen.panes] == [True, False]
        assert "Never squash a branch" in seen(pilot)
        await pilot.press("2")
        await pilot.pause()
        assert [pane.display for pane in screen.panes] == [False, True]
        assert "Always squash a branch" in seen(pilot)


async def test_the_entry_of_the_focused_pane_is_forgotten_after_a_review(
    app: MemtuiApp, demo: DemoHome
) -> None:
    before = tree(demo.api_memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_compare(pilot)
        await pilot.press("f")
        await planned(pilot)
        assert signs(review(pilot))["project", NEVER] == "✓D"
        await pilot.press("escape")
        assert pilot.app.screen is screen
        assert tree(demo.api_memory) == before
        await pilot.press("2", "f")
        await planned(pilot)
        assert signs(review(pilot)) == {("project", ALWAYS): "✓D", ("project", "MEMORY.md"): "✓M"}
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert not (demo.api_memory / ALWAYS).exists()
        assert toasts(pilot) == ["forget, 2 files: 1 changed, 1 removed · u undoes it"]


async def test_an_entry_that_is_alone_says_why_it_is_here(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_compare(pilot, "5", "G", "k")
        assert folded(pilot, "#left").startswith("project/legacy-auth.md")
        assert folded(pilot, "#right") == (
            "It says “legacy”, so it may no longer hold."
            " f forgets it, after a review; nothing goes by itself."
        )
        assert marks(compare(pilot), "#left") == []
        await pilot.press("2", "f")
        await planned(pilot)
        assert signs(review(pilot))["project", "project/legacy-auth.md"] == "✓D"


async def test_an_entry_that_changes_meanwhile_is_told(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_compare(pilot)
        (demo.api_memory / NEVER).unlink()
        await rescan(pilot)
        await until(pilot, lambda: "went meanwhile" in text_of(pilot, "#left"))
        assert folded(pilot, "#left") == "! This entry was changed or went meanwhile."
        await pilot.press("f", "y")
        assert toasts(pilot) == [
            "This entry was changed or went meanwhile: there is nothing to forget."
        ]
        assert folded(pilot, "#right").startswith("feedback/squash.md")
        await pilot.press("escape")
        await shown(pilot)


def write(demo: DemoHome, name: str, body: str) -> None:
    path = demo.api_memory / "feedback" / name
    text = f"---\nname: Long\ndescription: about \x1b[2J length\ntype: feedback\n---\n\n{body}\n"
    path.write_text(text, encoding="utf-8")
    os.utime(path, (NOW_S, NOW_S))


async def test_long_and_hostile_entries_are_drawn_harmless_and_cut(
    app: MemtuiApp, demo: DemoHome
) -> None:
    tail = "word " * MOST_CHARACTERS
    write(demo, "a.md", f"Say \x1b[31mred \u202e in every reply of the zebra.\n\n{tail}")
    write(demo, "b.md", f"Say \x1b[31mred \u202e in each reply of the zebra.\n\n{tail}x")
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        number = next(
            place
            for place, each in enumerate(screen.suggestions)
            if {entry.path for _, entry in each.entries} == {"feedback/a.md", "feedback/b.md"}
        )
        screen.rows("suggestions").move_to(number)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        assert_harmless(app)
        assert "Say \\x1b[31mred \\u202e in every reply" in text_of(pilot, "#left")
        await pilot.press("G")
        assert "! the entry goes on; read the rest in an editor" in text_of(pilot, "#left")
        assert_harmless(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_compare(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    async def play(pilot: AppPilot) -> None:
        await open_compare(pilot, "5", "j")

    assert snap_compare(app, terminal_size=size, run_before=play)
