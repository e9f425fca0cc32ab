"""As many panes as fit, and nothing lost when the terminal changes its size."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Size

from memtui.demo import DemoHome
from memtui.tui.app import MemtuiApp
from memtui.tui.widgets.pane import Pane
from tests.tui.conftest import AppFor
from tests.tui.seen import (
    AppPilot,
    browse,
    cursor,
    filled,
    focus_id,
    lines,
    paste,
    rescan,
    seen,
    until,
)

NOTES = ("project", "feedback/release-notes.md")


def shown(pilot: AppPilot) -> list[int]:
    """The numbers of the panes that are drawn."""
    return [pane.number for pane in browse(pilot).panes if pane.display]


async def resize(pilot: AppPilot, width: int, height: int) -> None:
    """Resize the terminal and wait until all of it is drawn anew."""
    await pilot.resize_terminal(width, height)
    await until(
        pilot,
        lambda: len(lines(pilot)) == height and {cell_len(row) for row in lines(pilot)} == {width},
    )


def outer(pane: Pane) -> tuple[int, int]:
    return pane.outer_size.width, pane.outer_size.height


@pytest.mark.parametrize(
    ("size", "panes", "cells", "titles"),
    [
        ((120, 40), [1, 2, 3], [37, 41, 42], "─ 1 Index ─ ─ 2 Memory ─ ─ 3 Recall ─"),
        ((119, 40), [1, 2], [34, 85], "─ 1 Index ─ ─  2 Memory  3 Recall  ─"),
        ((100, 30), [1, 2], [34, 66], "─ 1 Index ─ ─  2 Memory  3 Recall  ─"),
        ((80, 24), [1, 2], [34, 46], "─ 1 Index ─ ─  2 Memory  3 Recall  ─"),
        ((79, 24), [1], [79], "─  1 Index  2 Memory  3 Recall  ─"),
        ((40, 12), [1], [40], "─  1 Index  2 Memory  3 Recall  ─"),
    ],
    ids=lambda value: "x".join(map(str, value)) if isinstance(value, tuple) else "",
)
async def test_panes_by_width(
    app: MemtuiApp, size: tuple[int, int], panes: list[int], cells: list[int], titles: str
) -> None:
    async with app.run_test(size=size) as pilot:
        await filled(pilot)
        assert shown(pilot) == panes
        assert [outer(browse(pilot).panes[number - 1]) for number in panes] == [
            (width, size[1] - 2) for width in cells
        ]
        drawn = lines(pilot)
        assert len(drawn) == size[1]
        assert {cell_len(line) for line in drawn} == {size[0]}
        for title in titles.split("─ ─"):
            assert title.strip("─ ") in drawn[1]
        assert drawn[0].startswith(" memtui  acme-api ▾")
        assert "unseen" in seen(pilot)
        assert drawn[-1].rstrip().endswith("q quit")
        assert drawn[-1].startswith(" / filter")


async def test_twenty_by_five_can_be_used(app: MemtuiApp) -> None:
    async with app.run_test(size=(20, 5)) as pilot:
        screen = await filled(pilot)
        assert "/ filter" in seen(pilot)
        await pilot.press("slash", "u", "v", "enter")
        assert "▌F Use uv…" in seen(pilot)
        await pilot.press("escape", "G", "k", "k")
        assert "▌F Error…" in seen(pilot)
        await pilot.press("slash", "u", "v", "enter", "enter")
        assert (focus_id(pilot), shown(pilot)) == ("document", [2])
        assert "Use uv" in seen(pilot)
        await pilot.press("j", "j", "r", "r", "e", "l")
        assert (focus_id(pilot), shown(pilot)) == ("query", [3])
        assert "› rel" in seen(pilot)
        await pilot.press("escape", "question_mark", "escape", "y", "escape", "1")
        assert shown(pilot) == [1]
        assert screen.index.place is not None


async def test_the_right_pane_of_two_is_the_one_last_used(app: MemtuiApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await filled(pilot)
        for keys, panes, tabs in (
            (("3",), [1, 3], " 3 Recall  2 Memory "),
            (("escape",), [1, 3], " 3 Recall  2 Memory "),
            (("2",), [1, 2], " 2 Memory  3 Recall "),
            (("1",), [1, 2], " 2 Memory  3 Recall "),
            (("r", "x", "escape"), [1, 3], " 3 Recall  2 Memory "),
            (("escape", "enter"), [1, 2], " 2 Memory  3 Recall "),
        ):
            await pilot.press(*keys)
            assert shown(pilot) == panes, keys
            assert tabs in lines(pilot)[1]


async def test_one_pane_follows_the_focus(app: MemtuiApp) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await filled(pilot)
        for key, pane, focus in (
            ("enter", 2, "document"),
            ("escape", 1, "files"),
            ("r", 3, "query"),
            ("tab", 1, "files"),
            ("tab", 2, "document"),
            ("slash", 1, "filter"),
            ("escape", 1, "files"),
            ("i", 2, "document"),
        ):
            await pilot.press(key)
            assert (shown(pilot), focus_id(pilot)) == ([pane], focus), key
        await pilot.press("r")
        await paste(pilot, "release notes")
        await pilot.press("escape", "1", "n")
        assert (shown(pilot), focus_id(pilot)) == ([3], "losers")
        await pilot.press("escape", "enter")
        assert (shown(pilot), focus_id(pilot)) == ([2], "document")
        assert screen.place == NOTES


async def test_a_hidden_pane_comes_back_with_what_came_meanwhile(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await filled(pilot)
        await pilot.press("2", "1", "j", "2")
        assert "Release notes style" in seen(pilot)
        await pilot.press("1", "j", "enter")
        assert "Release 2.4, who and when" in seen(pilot)
        assert "Release notes style" not in seen(pilot)
        await pilot.press("r")
        await paste(pilot, "release notes")
        assert "why 1 ─" in seen(pilot)
        await pilot.press("escape", "n", "r")
        browse(pilot).recall.prompt.value = "gateway"
        await pilot.press("escape")
        assert "gateway" in browse(pilot).recall.reading.text
        assert "notes" not in browse(pilot).recall.reading.text.split("injected")[0]
        text = (demo.api_memory / "project/payments-move.md").read_text("utf-8")
        await pilot.press("2")
        assert "Payments leave the old" in seen(pilot)
        await pilot.press("1")
        path = demo.api_memory / "project/payments-move.md"
        path.write_text(text.replace("name: Payments", "name: All payments"), "utf-8")
        await rescan(pilot)
        await pilot.press("2")
        assert "All payments leave the old" in seen(pilot)


@pytest.mark.parametrize(
    ("keys", "focus"),
    [
        (("j", "2"), "document"),
        (("slash", "r", "down"), "filter"),
        (("r", "r", "e", "l", "escape", "j"), "hits"),
    ],
    ids=["memory", "filter", "hits"],
)
async def test_resizing_keeps_focus_cursor_and_texts(
    app: MemtuiApp, keys: tuple[str, ...], focus: str
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        await pilot.press(*keys)
        place, at = screen.place, cursor(pilot)
        texts = (screen.index.prompt.value, screen.recall.prompt.value)
        for size in ((79, 24), (100, 30), (20, 5), (119, 10), (120, 40)):
            await resize(pilot, *size)
            assert focus_id(pilot) == focus, size
            assert screen.focused_pane.number in shown(pilot)
            assert (screen.place, cursor(pilot)) == (place, at)
            assert texts == (screen.index.prompt.value, screen.recall.prompt.value)
        assert shown(pilot) == [1, 2, 3]
        assert "▌" in "".join(line.split("│")[1] for line in lines(pilot)[2:-2])


WIDTHS = (1, 2, 4, 8, 16, 30, 47, 58, 79, 80, 119, 200)
HEIGHTS = (1, 2, 3, 4, 6, 24, 60)


async def test_no_size_is_too_small(app: MemtuiApp) -> None:
    keys = iter(
        ["2", "1", "G", "i", "1", "slash", "z", "escape", "r", "r", "e", "l", "escape", "n", "j",
         "escape", "m", "3", "s", "1"]
    )  # fmt: skip
    async with app.run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        for number, width in enumerate(WIDTHS):
            for height in HEIGHTS[number % 3 :: 3]:
                await resize(pilot, width, height)
            await pilot.press(next(keys))
        await resize(pilot, 120, 40)
        assert shown(pilot) == [1, 2, 3]


@pytest.mark.parametrize("key", ["question_mark", "y", "p", "ctrl+p"])
async def test_dialogs_stand_any_size(app: MemtuiApp, key: str) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        await pilot.press(key)
        for size in ((1, 1), (20, 5), (200, 60)):
            await resize(pilot, *size)
        await pilot.press("escape")
        assert app.screen is screen
        assert focus_id(pilot) == "files"


async def test_a_small_start_grows_into_three_panes(app_for: AppFor, demo: DemoHome) -> None:
    app = app_for(demo.api_dir)
    async with app.run_test(size=(1, 1)) as pilot:
        await filled(pilot)
        await pilot.press("j", "k", "j", "G", "g", "j")
        await resize(pilot, 120, 40)
        assert shown(pilot) == [1, 2, 3]
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")
        assert "▌R deploy-checklist" in seen(pilot)
        assert app.size == Size(120, 40)
