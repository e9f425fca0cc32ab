"""Help, palette, footer and keys come from one registry."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.widgets import Input

import memtui.tui
from memtui.tui.actions import ACTIONS, MOVING, Action, Context, bindings
from memtui.tui.actions import of as actions_of
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.activity import ActivityScreen
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.compare import CompareScreen
from memtui.tui.screens.dialogs import ConfirmDialog, CopyDialog, HelpDialog
from memtui.tui.screens.dream import DreamScreen
from memtui.tui.screens.extract import ExtractScreen
from memtui.tui.screens.forget import ForgetScreen
from memtui.tui.screens.journal import JournalScreen
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.screens.patch_dialog import PatchDialog
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.screens.review import ReviewScreen
from memtui.tui.widgets.bars import Footer
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.prompt import Prompt
from memtui.tui.widgets.rows import RowList
from tests.tui.seen import (
    AppPilot,
    browse,
    filled,
    focus_id,
    lines,
    paste,
    seen,
    toasts,
    until,
)

WIDE = (120, 60)
SCREENS: dict[Context, type[PanedScreen[Any]]] = {
    "browse": BrowseScreen,
    "forget": ForgetScreen,
    "review": ReviewScreen,
    "journal": JournalScreen,
    "activity": ActivityScreen,
    "dream": DreamScreen,
    "compare": CompareScreen,
    "extract": ExtractScreen,
}


def nodes_of_the_app() -> Iterator[type[DOMNode]]:
    for module in pkgutil.walk_packages(memtui.tui.__path__, "memtui.tui."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, DOMNode) and value.__module__ == module.name:
                yield value


def test_only_the_registry_lists_and_dialogs_bind_keys() -> None:
    binding = {node for node in nodes_of_the_app() if node.__dict__.get("BINDINGS")}
    dialogs = {HelpDialog, CopyDialog, ConfirmDialog, PatchDialog, ProjectsDialog}
    moving = {RowList, LineView, Prompt}
    assert binding == {MemtuiApp, *SCREENS.values()} | dialogs | moving
    assert bindings("app") == MemtuiApp.BINDINGS
    for place, screen in SCREENS.items():
        assert bindings(place) == screen.BINDINGS
        assert screen.places == ("app", place)
    assert {action.place for action in ACTIONS} == {"app", *SCREENS}


def keys_of(*nodes: type[DOMNode]) -> set[str]:
    bound = (
        each for node in nodes for each in node.__dict__["BINDINGS"] if isinstance(each, Binding)
    )
    return {key for each in bound for key in each.key.split(",")}


@pytest.mark.parametrize("place", SCREENS)
def test_no_moving_key_hides_an_action(place: Context) -> None:
    of_actions = [key for action in actions_of(("app", place)) for key in action.keys.split(",")]
    assert len(of_actions) == len(set(of_actions))
    # A chosen row does what enter does; space marks in a list and pages in a text.
    meant = set() if place == "browse" else {"enter", "space"}
    assert not keys_of(RowList, LineView, Prompt) & (set(of_actions) - meant)


def test_the_moving_keys_are_in_the_help() -> None:
    spelled = {
        "up": "↑", "down": "↓", "pageup": "pgup", "pagedown": "pgdn", "ctrl+d": "^d",
        "ctrl+u": "^u",
    }  # fmt: skip
    told = {pane: " ".join(keys for keys, _ in MOVING[pane]).split() for pane in MOVING}
    same = {"home": "g", "end": "G"}
    for key in keys_of(RowList):
        assert same.get(key) or spelled.get(key, key) in told["index"], key
    for key in keys_of(LineView):
        assert spelled.get(key, key) in told["memory"], key
    for key in keys_of(Prompt):
        assert spelled[key] in told["recall"], key


@pytest.mark.parametrize(
    ("keys", "pane"), [((), "index"), (("2",), "memory"), (("3", "escape", "3"), "recall")]
)
async def test_help_lists_the_moving_keys_of_the_pane_and_all_actions(
    app: MemtuiApp, keys: tuple[str, ...], pane: str
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press(*keys)
        if pane == "recall":
            assert focus_id(pilot) == "query"
            await pilot.press("f1")
        else:
            await pilot.press("question_mark")
        help_lines = app.screen.query_one("#help-lines", LineView).text.splitlines()
        assert help_lines[0] == f"in {pane}"
        told = [line.split("  ")[-1].strip() for line in help_lines]
        for _, text in MOVING[pane]:  # type: ignore[index]  # one of its keys
            assert any(text.startswith(line) for line in told if line), text
        for action in actions_of(("app", "browse")):
            assert f"{action.shown:14}{action.help}" in help_lines
        assert focus_id(pilot) == "help-lines"
        await pilot.press("escape")
        assert app.screen is browse(pilot)
        assert browse(pilot).pane_context == pane


async def test_help_scrolls_in_a_small_terminal(app: MemtuiApp) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        await filled(pilot)
        await pilot.press("question_mark", "G")
        assert "leave memtui" in seen(pilot)
        await pilot.press("q")
        assert app.screen is browse(pilot)
        assert app.is_running


async def test_the_footer_shows_actions_of_the_registry_in_their_order(app: MemtuiApp) -> None:
    wanted = sorted(
        (action for action in actions_of(("app", "browse")) if action.footer is not None),
        key=lambda action: ((action.footer or 0) < 0, action.footer),
    )
    async with app.run_test(size=(240, 30)) as pilot:
        await filled(pilot)
        assert browse(pilot).query_one(Footer).places == ("app", "browse")
        shown = [part.strip() for part in lines(pilot)[-1].split("  ") if part.strip()]
        assert shown == [f"{action.shown} {action.label}" for action in wanted]


def palette_titles(app: MemtuiApp) -> list[str]:
    return [command.title for command in app.get_system_commands(app.screen)]


async def test_the_palette_offers_each_action_that_the_registry_gives_it(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        offered = [action for action in actions_of(("app", "browse")) if action.in_palette]
        assert palette_titles(app) == [action.label for action in offered]
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "leave memtui  (q)" in seen(pilot))
        for action in offered:
            assert f"{action.help}  ({action.shown})" in seen(pilot)


def done(pilot: AppPilot, action: Action) -> bool:
    """Whether the app shows that `action` was done."""
    screen, top = browse(pilot), pilot.app.screen
    match action.id:
        case "filter":
            return focus_id(pilot) == "filter"
        case "recall":
            return focus_id(pilot) == "query"
        case "copy":
            return isinstance(top, CopyDialog)
        case "raw":
            return screen.is_raw
        case "show_index":
            return screen.place == ("project", "MEMORY.md")
        case "projects":
            return isinstance(top, ProjectsDialog)
        case "scorer":
            return screen.scorer == "weighted"
        case "losers":
            return toasts(pilot) == ["Type a prompt first: r."]
        case "forget":
            return isinstance(top, ReviewScreen)
        case "find_forget":
            return isinstance(top, ForgetScreen)
        case "undo":
            return toasts(pilot) == ["There is nothing to undo in these stores."]
        case "dream":
            return isinstance(top, DreamScreen)
        case "journal":
            return isinstance(top, JournalScreen)
        case "extract":
            return isinstance(top, ExtractScreen)
        case "activity":
            return isinstance(top, ActivityScreen)
        case "follow":
            return toasts(pilot) == [
                "Following the newest session. What is found waits in the inbox: x reviews it."
            ]
        case "follow_to":
            return isinstance(top, ConfirmDialog)
        case "change_theme":
            return "memtui-light" in seen(pilot)
        case "help":
            return isinstance(top, HelpDialog)
        case "quit":
            return pilot.app._exit
        case _:
            return False


@pytest.mark.parametrize(
    "action",
    [each for each in actions_of(("app", "browse")) if each.in_palette],
    ids=lambda action: action.id,
)
async def test_an_action_does_the_same_from_the_palette_and_by_its_key(
    app: MemtuiApp, action: Action
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        (command,) = (
            each for each in app.get_system_commands(app.screen) if each.title == action.label
        )
        assert not done(pilot, action)
        await command.callback()
        await until(pilot, lambda: done(pilot, action))


async def test_a_command_chosen_in_the_palette_runs(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("ctrl+p")
        await paste(pilot, "hel")
        await until(pilot, lambda: "(y)" not in seen(pilot))
        assert "the keys of this pane  (?)" in seen(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, HelpDialog))


async def test_keys_in_inputs_are_text(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        for opening, field in (("slash", "filter"), ("r", "query")):
            await pilot.press(opening)
            assert focus_id(pilot) == field
            await pilot.press(*"q1jG/?:")
            prompt = screen.query_one(f"#{field}", Input)
            assert prompt.value == "q1jG/?:"
            assert isinstance(app.screen, BrowseScreen)
            prompt.value = ""
            await pilot.press("escape")
