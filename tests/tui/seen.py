"""What a person sees of the app, and waiting for it: helpers of the pilot tests."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.events import Paste
from textual.pilot import Pilot

from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from memtui.tui.screens.browse import BrowseScreen

AppPilot = Pilot[int]

_PATIENCE_S = 20.0


def app_of(pilot: AppPilot) -> MemtuiApp:
    """The app that `pilot` drives."""
    assert isinstance(pilot.app, MemtuiApp)
    return pilot.app


def browse(pilot: AppPilot) -> BrowseScreen:
    """The main screen, also while a dialog lies over it."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BrowseScreen)
    return screen


def lines(pilot: AppPilot) -> list[str]:
    """The rows of the terminal as they are drawn now, dialogs included."""
    return [
        "".join(segment.text for segment in strip)
        for strip in pilot.app.screen._compositor.render_strips()
    ]


def seen(pilot: AppPilot) -> str:
    """The whole terminal as text."""
    return "\n".join(lines(pilot))


def focus_id(pilot: AppPilot) -> str | None:
    """The id of the widget that has the focus."""
    return pilot.app.focused.id if pilot.app.focused is not None else None


def cursor(pilot: AppPilot) -> Place | None:
    """The file under the cursor of the list."""
    return browse(pilot).index.place


def toasts(pilot: AppPilot) -> list[str]:
    """What the app told in passing."""
    return [each.message for each in pilot.app._notifications]


async def until(pilot: AppPilot, condition: Callable[[], object]) -> None:
    """Let the app run until `condition` holds; a failure shows the screen."""
    end = time.monotonic() + _PATIENCE_S
    await pilot.pause()
    while not condition():
        assert time.monotonic() < end, seen(pilot)
        await pilot.pause(0.01)
    await pilot.pause()


async def filled(pilot: AppPilot) -> BrowseScreen:
    """Wait for the first scan; gives the main screen."""
    screen = browse(pilot)
    await until(pilot, lambda: screen.lookup is not None)
    return screen


async def rescan(pilot: AppPilot) -> None:
    """Let the app look at the disk now, without waiting for its next poll."""
    screen = browse(pilot)
    await until(pilot, lambda: not screen._is_scanning)
    screen.scan()
    await until(pilot, lambda: not screen._is_scanning)


async def paste(pilot: AppPilot, text: str) -> None:
    """Give `text` to the input that has the focus, all at once."""
    pilot.app.post_message(Paste(text))
    await pilot.pause()
    await pilot.pause()
