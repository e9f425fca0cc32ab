"""Everything can be done with the mouse, and what is copied is the file's own text."""

from __future__ import annotations

import base64
import os

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from memtui.demo import DemoHome
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.activity import ActivityScreen
from memtui.tui.screens.dialogs import CopyDialog, HelpDialog
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.widgets.rows import RowList
from tests.tui.conftest import NOW_S, AppFor
from tests.tui.seen import (
    AppPilot,
    browse,
    cursor,
    filled,
    focus_id,
    lines,
    paste,
    seen,
    toasts,
    until,
)

WIDE = (120, 40)
DEPLOY = ("project", "reference/deploy-checklist.md")
NOTES = ("project", "feedback/release-notes.md")


async def click_on(pilot: AppPilot, text: str, *, times: int = 1, row: int | None = None) -> None:
    """Click on the first place where `text` is drawn; `row` looks in that row only."""
    drawn = lines(pilot)
    y = next(number for number, line in enumerate(drawn) if text in line and row in (None, number))
    await pilot.click(offset=(drawn[y].index(text), y), times=times)
    await pilot.pause()


async def test_a_click_moves_the_cursor_and_a_double_click_opens(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await click_on(pilot, "Merge freeze before")
        assert cursor(pilot) == screen.place == ("project", "project/merge-freeze.md")
        assert focus_id(pilot) == "files"
        await click_on(pilot, "project ──")
        assert cursor(pilot) == ("project", "project/merge-freeze.md")
        await click_on(pilot, "Use uv, never", times=2)
        assert cursor(pilot) == screen.place == ("project", "feedback/uv.md")
        assert focus_id(pilot) == "document"
        await click_on(pilot, "filter  type:")
        assert focus_id(pilot) == "filter"
        await click_on(pilot, "what would you ask")
        assert focus_id(pilot) == "query"


async def test_a_click_on_the_head_that_stays_chooses_nothing(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 14)) as pilot:
        await filled(pilot)
        await pilot.press(*["j"] * 12)
        place = cursor(pilot)
        assert lines(pilot)[3].split("│")[1].strip().startswith("project ─")
        await pilot.click(offset=(10, 3))
        assert cursor(pilot) == place


async def test_the_wheel_scrolls_and_moves_no_cursor(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 20)) as pilot:
        screen = await filled(pilot)
        await pilot.press("j")
        for view in (screen.index.files, screen.memory.lines):
            await pilot._post_mouse_events([MouseScrollDown], view, offset=(3, 3))
            await pilot.pause()
            assert view.scroll_offset.y > 0
            await pilot._post_mouse_events([MouseScrollUp], view, offset=(3, 3))
            await pilot.pause()
            assert view.scroll_offset.y == 0
        assert cursor(pilot) == NOTES
        for _ in range(8):
            await pilot._post_mouse_events([MouseScrollDown], screen.index.files, offset=(3, 3))
        assert "▌" not in "".join(line.split("│")[1] for line in lines(pilot)[2:-2])
        await pilot.press("j")
        assert "▌P Release 2.4" in seen(pilot)


async def test_clicks_on_recall_rows(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, "release notes")
        await click_on(pilot, "3   8 ━━━")
        assert focus_id(pilot) == "hits"
        assert screen.place == cursor(pilot) == ("project", "reference/release-board.md")
        assert "why 3 ─" in seen(pilot)
        await click_on(pilot, "2  10 ━━━", times=2)
        assert focus_id(pilot) == "document"
        assert screen.place == ("project", "project/release-2-4.md")


@pytest.mark.parametrize("width", [120, 60, 20])
async def test_a_click_on_a_key_of_the_footer_does_what_the_key_does(
    app: MemtuiApp, width: int
) -> None:
    async with app.run_test(size=(width, 30)) as pilot:
        screen = await filled(pilot)
        last = len(lines(pilot)) - 1
        await click_on(pilot, "filter", row=last)
        assert focus_id(pilot) == "filter"
        if width >= 60:
            await click_on(pilot, "r recall", row=last)
            assert focus_id(pilot) == "query"
            await click_on(pilot, "? help", row=last)
            assert isinstance(app.screen, HelpDialog)
            await pilot.press("escape")
            if width >= 120:
                await click_on(pilot, "a activity", row=last)
                assert isinstance(app.screen, ActivityScreen)
                await pilot.press("escape")
            await click_on(pilot, "   ", row=last)
            assert app.screen_stack == [screen]
        await click_on(pilot, "quit", row=last)
        assert app._exit


async def test_a_click_on_the_project_opens_the_picker_and_one_on_a_row_opens_it(
    app: MemtuiApp,
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await click_on(pilot, "26/200", row=0)
        assert app.screen is screen
        await click_on(pilot, "acme-api ▾", row=0)
        assert isinstance(app.screen, ProjectsDialog)
        await until(pilot, lambda: app.screen.query_one(RowList).count == 2)
        await click_on(pilot, "acme-mobile", times=2)
        await until(pilot, lambda: cursor(pilot) == ("project", "feedback_snapshot_tests.md"))
        assert app.screen is screen


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (60, 20)])
async def test_clicks_on_titles(app: MemtuiApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        screen = await filled(pilot)
        for title, number in (("3 Recall", 3), ("2 Memory", 2), ("1 Index", 1), ("3 Recall", 3)):
            await click_on(pilot, title, row=1)
            assert screen.focused_pane.number == number
            assert screen.focused_pane.display
        await click_on(pilot, "l", row=1)
        assert screen.focused_pane.number == 3


async def copied(pilot: AppPilot, *keys: str) -> str:
    await pilot.press("y", *keys)
    return pilot.app.clipboard


async def test_each_choice_copies_the_exact_text(
    app: MemtuiApp, demo: DemoHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        written: list[str] = []
        driver = app._driver
        assert driver is not None
        monkeypatch.setattr(driver, "write", written.append)
        await pilot.press("j")
        path = demo.api_memory / "feedback/release-notes.md"
        body = path.read_bytes().decode("utf-8").split("\n---\n", 1)[1]
        assert await copied(pilot, "p") == "feedback/release-notes.md"
        assert await copied(pilot, "a") == str(path)
        assert await copied(pilot, "i") == (
            "project:feedback/release-notes.md:0@1b50\n"
            "project:feedback/release-notes.md:1@b911\n"
            "project:feedback/release-notes.md:2@ffaa"
        )
        assert await copied(pilot, "b") == body
        encoded = base64.b64encode(body.encode("utf-8")).decode("ascii")
        assert f"\x1b]52;c;{encoded}\a" in "".join(written)
        assert toasts(pilot)[-1] == f"copied: body, {len(body):,} characters"
        assert await copied(pilot, "down", "enter") == str(path)
        assert focus_id(pilot) == "files"
        assert await copied(pilot, "r", "escape") == str(path)
        await pilot.press("r")
        await paste(pilot, "release notes")
        await pilot.press("escape")
        recall = screen.recall.view.recall
        assert recall is not None
        assert await copied(pilot, "enter") == recall.prompt
        assert focus_id(pilot) == "hits"
        assert await copied(pilot, "r") == recall.prompt


async def test_hostile_and_foreign_text_is_copied_as_it_stands(
    app_for: AppFor, demo: DemoHome
) -> None:
    body = "[bold]x[/] \x1b[31m\u202e\r\n\t- ёлка 数据\r\nno end"
    path = demo.api_memory / "feedback/hostile.md"
    path.write_bytes(b"---\nname: H\ntype: feedback\n---\n" + body.encode("utf-8"))
    os.utime(path, (NOW_S, NOW_S))
    app = app_for(demo.api_dir)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert screen.place == ("project", "feedback/hostile.md")
        await pilot.press("y")
        drawn = seen(pilot)
        assert "\\x1b[31m" in drawn
        assert "\x1b" not in drawn
        await pilot.press("b")
        assert app.clipboard == body


async def test_what_there_is_to_copy_depends_on_the_file(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("g", "y")
        dialog = app.screen
        assert isinstance(dialog, CopyDialog)
        assert list(dialog.choices) == ["p", "a"]
        await pilot.press("b")
        assert app.screen is dialog
        await pilot.press("a")
        assert app.clipboard == str(demo.api_memory / "MEMORY.md")
        await pilot.press("j", "y", "i")
        assert app.clipboard == "project:reference/deploy-checklist.md@ecf3"
        assert browse(pilot).place == DEPLOY
