"""Forget, review and log in the app: ways there, and what they show; helpers of pilot tests."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.pilot import Pilot

from memtui.engine.types import ChangeSet
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.forget import ForgetScreen
from memtui.tui.screens.journal import JournalScreen
from memtui.tui.screens.review import ReviewScreen
from memtui.tui.widgets.lines import LineView
from tests.tui.seen import AppPilot, browse, paste, until

WIDE = (120, 40)
FREEZE = ("project", "project/merge-freeze.md")
REVIEW = ("project", "feedback/review.md")
INDEX = ("project", "MEMORY.md")
_ACTING = {"F", "f", "u", "l", "x", "enter", "escape", "question_mark", "space", "s", "a", "n"}
_BACKGROUND = ("search", "plan", "measure", "copy", "log", "apply", "scan")


def forget(pilot: AppPilot) -> ForgetScreen:
    """The forget screen on top."""
    assert isinstance(pilot.app.screen, ForgetScreen), pilot.app.screen
    return pilot.app.screen


def review(pilot: AppPilot) -> ReviewScreen:
    """The review on top."""
    assert isinstance(pilot.app.screen, ReviewScreen), pilot.app.screen
    return pilot.app.screen


def journal(pilot: AppPilot) -> JournalScreen:
    """The log on top."""
    assert isinstance(pilot.app.screen, JournalScreen), pilot.app.screen
    return pilot.app.screen


async def planned(pilot: AppPilot) -> ReviewScreen:
    """Wait for a review, and for what it plans and lays out; gives it."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
    await settled(pilot)
    return review(pilot)


def _is_idle(pilot: AppPilot) -> bool:
    top = pilot.app.screen
    if isinstance(top, ReviewScreen) and top.is_planning:
        return False
    return not any(
        worker.group in _BACKGROUND and not worker.is_finished for worker in pilot.app.workers
    )


async def settled(pilot: AppPilot) -> None:
    """Let what runs in the background end, and what follows from it."""
    for _ in range(2):  # what was found is planned next
        await until(pilot, lambda: _is_idle(pilot))


async def press(pilot: AppPilot, *keys: str) -> None:
    """Press keys, and wait until the screen stands still: also in between where a key acts."""
    for key in keys[:-1]:
        await pilot.press(key)
        if key in _ACTING:
            await settled(pilot)
    await pilot.press(*keys[-1:])
    await settled(pilot)


async def find(pilot: AppPilot, query: str = "") -> ForgetScreen:
    """Open the forget screen, type `query`, and go to the rows."""
    await press(pilot, "F")
    screen = forget(pilot)
    await paste(pilot, query)
    await press(pilot, "enter")
    return screen


async def mark(pilot: AppPilot, *ids: str) -> ForgetScreen:
    """Mark entries of the forget screen, `user:feedback/fish.md` or `feedback/review.md:3`."""
    screen = forget(pilot)
    for wanted in ids:
        found = next(
            (one.entry.scope, one.entry.id)
            for one in screen.candidates
            if wanted in (one.entry.id, f"{one.entry.scope}:{one.entry.id}")
        )
        screen.rows.move_to(found)
        await press(pilot, "space")
    return screen


async def reviewed(pilot: AppPilot, *ids: str) -> ReviewScreen:
    """Open the forget screen, mark `ids`, go to their review."""
    await find(pilot)
    await mark(pilot, *ids)
    await press(pilot, "enter")
    return review(pilot)


async def applied(pilot: AppPilot) -> BrowseScreen:
    """Apply what is reviewed, and wait until the main screen shows the result."""
    await press(pilot, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen))
    await settled(pilot)
    return browse(pilot)


def text_of(pilot: Pilot[int], selector: str) -> str:
    """All lines of a reading pane, also those out of view."""
    return pilot.app.screen.query_one(selector, LineView).text


def line_of(pilot: Pilot[int], selector: str) -> str:
    """A text of one line, blanks folded."""
    shown = pilot.app.screen.query_one(selector).render()
    assert isinstance(shown, Content)
    return " ".join(shown.plain.split())


def signs(screen: ReviewScreen) -> dict[tuple[str, str], str]:
    """Per file of a review the signs of its row: `✓D`, `✗M`."""
    drawn = {
        row.key: row.draw(60, screen.palette, has_cursor=False).plain
        for row in screen.files._rows
        if row.key is not None
    }
    return {key: "".join(text.split()[:2]) for key, text in drawn.items()}  # type: ignore[misc]


def changes(change_sets: Sequence[ChangeSet]) -> dict[tuple[str, str], bytes | None]:
    """What change sets leave, by scope and path."""
    return {
        (each.store.scope, change.path): change.after
        for each in change_sets
        for change in each.changes
    }
