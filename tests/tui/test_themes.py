"""Every theme draws the screen, and a change of theme keeps the place."""

from __future__ import annotations

import os

import pytest
from rich.color import ColorType
from textual.theme import BUILTIN_THEMES

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.themes import ANSI, COLOUR, DARK, LIGHT
from tests.tui.conftest import NOW_NS
from tests.tui.seen import AppPilot, browse, cursor, filled, focus_id, lines, paste, seen, until

WIDE = (120, 40)


def colours(pilot: AppPilot) -> set[ColorType]:
    """The kinds of colour on the screen."""
    found = set()
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            if segment.style is not None:
                found |= {
                    colour.type
                    for colour in (segment.style.color, segment.style.bgcolor)
                    if colour is not None
                }
    return found


async def test_every_theme_draws_the_same_text_and_keeps_the_place(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert app.theme == DARK.name
        await pilot.press("j", "j", "r")
        await paste(pilot, "release notes")
        await pilot.press("down", "pagedown")
        text, place = seen(pilot), screen.place
        offset = screen.recall.reading.scroll_offset
        assert offset.y > 0
        for name in sorted({*BUILTIN_THEMES, LIGHT.name, DARK.name}):
            app.theme = name
            await pilot.pause()
            await pilot.pause()
            assert seen(pilot) == text, name
            assert screen.place == cursor(pilot) == place
            assert focus_id(pilot) == "query"
            assert screen.recall.reading.scroll_offset == offset
            is_ansi = BUILTIN_THEMES[name].ansi if name in BUILTIN_THEMES else False
            assert app.palette == (ANSI if is_ansi else COLOUR), name
            assert (ColorType.TRUECOLOR in colours(pilot)) is not is_ansi, name


async def test_the_theme_menu_switches_and_keeps_the_place(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("G", "2", "t")
        await until(pilot, lambda: "memtui-light" in seen(pilot))
        await paste(pilot, "memtui-li")
        await until(pilot, lambda: "memtui-dark" not in seen(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == LIGHT.name)
        assert app.screen is screen
        assert (cursor(pilot), focus_id(pilot)) == (("team", "reference/runbooks.md"), "document")


async def test_the_screen_of_an_ansi_theme_is_redrawn_by_its_palette(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        app.theme = "ansi-dark"
        await until(pilot, lambda: app.palette == ANSI)
        await pilot.pause()
        row = browse(pilot).index.files
        strip = row.render_line(row._cursor or 0)
        assert any(segment.style and segment.style.reverse for segment in strip)
        app.theme = LIGHT.name
        await until(pilot, lambda: app.palette == COLOUR)
        strip = row.render_line(row._cursor or 0)
        assert not any(segment.style and segment.style.reverse for segment in strip)


async def test_without_colour_signs_and_words_say_it_all(
    demo: DemoHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    env = demo.environment(os.environ)
    app = MemtuiApp(MemoryManager(Target(demo.api_dir), env, clock_ns=lambda: NOW_NS))
    assert app.no_color
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        shown = [
            segment.style.color.get_truecolor()
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.color is not None
        ]
        assert len(shown) > 40
        assert all(colour.red == colour.green == colour.blue for colour in shown)
        assert "▌R deploy-checklist  unseen" in seen(pilot)
        assert "! 3 unseen" in lines(pilot)[0]
        assert "✗ unseen by Qwen 0.24" in browse(pilot).memory.lines.text
        assert "  96d!" in seen(pilot)
        title = next(
            segment
            for segment in app.screen._compositor.render_strips()[1]
            if "1 Index" in segment.text
        )
        assert title.style is not None
        assert title.style.reverse


async def test_a_theme_can_be_asked_for_and_an_unknown_one_does_no_harm(demo: DemoHome) -> None:
    env = demo.environment(os.environ)
    manager = MemoryManager(Target(demo.api_dir), env, clock_ns=lambda: NOW_NS)
    assert MemtuiApp(manager, theme="nord").theme == "nord"
    assert MemtuiApp(manager, theme="no such theme").theme == DARK.name
    app = MemtuiApp(manager, theme="ansi-light")
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert app.palette == ANSI
        assert ColorType.TRUECOLOR not in colours(pilot)
