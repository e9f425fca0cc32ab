"""Pictures of the main scenes, compared with those in `__snapshots__`.

A scene shows no path of a temporary directory, and its clock stands still. After a wanted change
of the look: `pytest tests/tui/test_snapshots.py --snapshot-update`, and look at the pictures.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.types import Snapshot, Store
from memtui.engine.workspace import Target, Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.themes import LIGHT
from tests.tui.acting import find, mark, press
from tests.tui.conftest import NOW_NS, AppFor
from tests.tui.seen import AppPilot, filled, paste, until

SnapCompare = Callable[..., bool]
Before = Callable[[AppPilot], Awaitable[None]]

HOME = Path("/home/ada")
"""Nothing is there: places below it are only named."""


def scene(*keys: str, query: str = "", filter_text: str = "", leave: str = "enter") -> Before:
    """Wait for the first scan, type a filter and a prompt, `leave` each, then press keys."""

    async def play(pilot: AppPilot) -> None:
        await filled(pilot)
        for opening, text in (("slash", filter_text), ("r", query)):
            if text:
                await pilot.press(opening)
                await paste(pilot, text)
                await pilot.press(leave)
        await pilot.press(*keys)
        top = pilot.app.screen
        if isinstance(top, ProjectsDialog):
            await until(pilot, lambda: top.discovery is not None)
        for prompt in top.query(Input):
            prompt.cursor_blink = False
        await pilot.pause()

    return play


def acting_scene(*keys: str) -> Before:
    """Search for what is to be forgotten, mark three entries, then press keys."""

    async def play(pilot: AppPilot) -> None:
        await filled(pilot)
        await find(pilot, "freeze")
        await mark(
            pilot, "project/merge-freeze.md", "project/リリース手順.md:2", "feedback/review.md:3"
        )
        await press(pilot, *keys)
        for prompt in pilot.app.screen.query(Input):
            prompt.cursor_blink = False

    return play


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)], ids=["120", "80", "60"])
def test_browse(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=scene("j"))


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_recall(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    play = scene("j", query="release notes")
    assert snap_compare(app, terminal_size=size, run_before=play)


def test_left_out(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    play = scene("n", query="release notes")
    assert snap_compare(app, terminal_size=(120, 40), run_before=play)


def test_filter(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    play = scene("j", filter_text="type:feedback never")
    assert snap_compare(app, terminal_size=(120, 40), run_before=play)


def test_index(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=scene("i"))


def test_raw(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=scene("j", "m", "2"))


def test_light(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    app.theme = LIGHT.name
    play = scene("j", query="release notes")
    assert snap_compare(app, terminal_size=(120, 40), run_before=play)


def test_claude(snap_compare: SnapCompare, app_for: AppFor, demo: DemoHome) -> None:
    app = app_for(demo.mobile_dir)
    assert snap_compare(app, terminal_size=(120, 40), run_before=scene("j", "j"))


def test_help(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    assert snap_compare(app, terminal_size=(100, 40), run_before=scene("question_mark"))


def test_picker(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    assert snap_compare(app, terminal_size=(100, 30), run_before=scene("p"))


def test_no_match(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    play = scene(filter_text="zzzz")
    assert snap_compare(app, terminal_size=(120, 30), run_before=play)


def test_no_store(snap_compare: SnapCompare) -> None:
    manager = MemoryManager(Target(HOME / "plain"), {"HOME": str(HOME)}, clock_ns=lambda: NOW_NS)
    play = scene("escape")
    assert snap_compare(MemtuiApp(manager), terminal_size=(100, 30), run_before=play)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_forget(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=acting_scene())


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_review(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=acting_scene("enter", "j", "j"))


class EmptyStore(MemoryManager):
    """A manager of one store that is there and empty."""

    def scan(self) -> Workspace:
        store = Store("project", "qwen", HOME / ".qwen/projects/-home-ada-plain/memory")
        if self._workspace is None:
            snapshot = Snapshot(store, "ok")
            self._workspace = Workspace((snapshot,), {"project": {}}, (), None)
        return self._workspace


def test_empty_store(snap_compare: SnapCompare) -> None:
    manager = EmptyStore(Target(HOME / "plain"), {"HOME": str(HOME)}, clock_ns=lambda: NOW_NS)
    assert snap_compare(MemtuiApp(manager), terminal_size=(100, 30), run_before=scene())
