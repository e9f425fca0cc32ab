"""The story of a day: a followed session fills the inbox, a dream runs by itself and is undone."""

from __future__ import annotations

import os

import pytest

from memtui.demo import DemoHome
from memtui.engine.disk.sessions import session_dirs
from memtui.engine.format.times import iso_time
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.extract_found import INBOX
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.dream import DreamScreen
from tests.engine.session_files import append_turn, write_session
from tests.engine.written_store import tree
from tests.tui.acting import WIDE, planned
from tests.tui.conftest import NOW_NS
from tests.tui.dreaming import confirm
from tests.tui.extracting import open_extract, press, state
from tests.tui.seen import AppPilot, filled, lines, seen, toasts, until

SECOND_NS = 1_000_000_000
DAY_NS = 86_400 * SECOND_NS
SAID = [
    ("user", "Never log a card number, not even the last four digits: the auditors read our logs."),
    ("assistant", "Understood."),
]
TALK = [("user", "What time is it in Tokyo?"), ("assistant", "Nine in the evening.")]


class Clock:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now_ns = NOW_NS

    def __call__(self) -> int:
        return self.now_ns

    def pass_s(self, seconds: int) -> None:
        self.now_ns += seconds * SECOND_NS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def followed(demo: DemoHome, clock: Clock) -> MemtuiApp:
    """The app on the demo's first project, its clock in the test's hands."""
    manager = MemoryManager(Target(demo.api_dir), demo.environment(os.environ), clock_ns=clock)
    return MemtuiApp(manager)


async def ended(pilot: AppPilot, manager: MemoryManager, kind: str, count: int) -> None:
    """Wait until `count` tasks of that kind are over."""

    def are_over() -> bool:
        return sum(record.is_over for record in manager.tasks() if record.kind == kind) >= count

    await until(pilot, are_over)


async def test_a_turn_an_inbox_a_day_and_a_dream(
    demo: DemoHome, followed: MemtuiApp, clock: Clock
) -> None:
    app, manager = followed, followed.manager
    folder = session_dirs(manager.scan().store("project"))[0]
    session = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    count = 18
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        before = tree(demo.api_memory)
        await pilot.press("w")
        await until(pilot, lambda: "following be9d" in lines(pilot)[0])

        # The agent goes on; five quiet seconds later the turn is over.
        clock.pass_s(60)
        append_turn(session, SAID, clock.now_ns)
        clock.pass_s(6)
        await ended(pilot, manager, "dream", 1)
        await until(pilot, lambda: "inbox 5" in lines(pilot)[0])
        assert tree(demo.api_memory) == before
        assert state(demo, "extract-cursor.json")["processedOffset"] == 6

        # What was found is reviewed and accepted.
        screen = await open_extract(pilot)
        assert screen.sessions.cursor_key == INBOX
        assert "Never log a card number" in seen(pilot)
        await press(pilot, "a", "2", "enter")
        await planned(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        await until(pilot, lambda: "inbox" not in lines(pilot)[0])
        now = iso_time(clock.now_ns)
        assert state(demo, "extract-cursor.json") == {
            "sessionId": session.stem,
            "processedOffset": count + len(SAID) + 2,
            "updatedAt": now,
        }
        meta = state(demo, "meta.json")
        assert {key: meta[key] for key in meta if key.startswith("lastExtraction")} == {
            "lastExtractionAt": now,
            "lastExtractionSessionId": session.stem,
            "lastExtractionTouchedTopics": ["user", "feedback", "reference"],
            "lastExtractionStatus": "updated",
        }
        assert meta["updatedAt"] == now
        index = (demo.api_memory / "MEMORY.md").read_text("utf-8")
        added = sorted(tree(demo.api_memory).keys() - before.keys())
        assert len(added) == 5
        assert [path for path in added if path.isascii() and f"]({path})" not in index] == []
        assert any("never-log-a-card-number" in path for path in added)

        # Five sessions and a day later the dream runs by itself.
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DreamScreen))
        dreams = app.screen
        assert isinstance(dreams, DreamScreen)
        await until(pilot, lambda: dreams.gates is not None)
        await pilot.press("a")
        await confirm(pilot)
        store = manager.scan().store("project")
        await until(pilot, lambda: manager.live.dreaming.is_enabled(store))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        tidy = tree(demo.api_memory)
        clock.now_ns += DAY_NS
        for number in range(5):
            write_session(folder, f"later-{number}", TALK, clock.now_ns - 3600 * SECOND_NS + number)
        append_turn(session, TALK, clock.now_ns)
        clock.pass_s(6)
        await until(pilot, lambda: any("merged" in each for each in toasts(pilot)))
        assert state(demo, "meta.json")["lastDreamStatus"] == "updated"
        assert state(demo, "meta.json")["lastDreamSessionId"] == session.stem
        dreamt = tree(demo.api_memory)
        assert dreamt != tidy

        # It is shown, and undone.
        await pilot.press("w")
        await until(pilot, lambda: "following" not in lines(pilot)[0])
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DreamScreen))
        await until(pilot, lambda: "auto" in seen(pilot) and "updated" in seen(pilot))
        await pilot.press("u")
        await planned(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        assert tree(demo.api_memory) == tidy
        assert state(demo, "meta.json")["lastDreamStatus"] == "updated"
