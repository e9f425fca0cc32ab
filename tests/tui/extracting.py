"""The Extract screen in the app: ways there, and what it shows; helpers of pilot tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui.demo import DemoHome
from memtui.engine.disk.sessions import session_dirs
from memtui.engine.lifecycle.inbox import put_in
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.extract import ExtractScreen
from memtui.tui.widgets.rows import RowList
from tests.engine.session_files import Said, write_session
from tests.tui.conftest import NOW_NS
from tests.tui.seen import AppPilot, filled, until

RULE = "Never squash commits on main, because bisect needs them."
DECISION = "We decided to keep Redis 7 until the next audit."
HOUR_NS = 3_600 * 1_000_000_000


def sessions_of(app: MemtuiApp) -> Path:
    """The folder of the project's sessions."""
    return session_dirs(app.manager.scan().store("project"))[0]


def only_sessions(app: MemtuiApp, sessions: Mapping[str, Sequence[Said]]) -> dict[str, Path]:
    """Put these sessions in the place of the demo's, the first as the newest; gives their files."""
    folder = sessions_of(app)
    for file in folder.iterdir():
        file.unlink()
    return {
        name: write_session(folder, name, said, NOW_NS - (place + 1) * HOUR_NS)
        for place, (name, said) in enumerate(sessions.items())
    }


def fill_inbox(app: MemtuiApp, *sessions: Path) -> list[str]:
    """Put what `sessions` say into the inbox; gives the digests."""
    manager = app.manager
    workspace = manager.scan()
    found = []
    for path in sessions:
        plan = manager.live.extracting.plan(workspace, path, skips=False)
        store = workspace.store("project")
        put_in(manager.state_dir, store, plan.patches, plan.session, plan.length)
        found += [patch.digest for patch in plan.patches]
    return found


def extract(pilot: AppPilot) -> ExtractScreen:
    """The Extract screen on top."""
    assert isinstance(pilot.app.screen, ExtractScreen), pilot.app.screen
    return pilot.app.screen


async def read(pilot: AppPilot) -> ExtractScreen:
    """Wait until the sessions are listed, and the one under the cursor is read."""
    screen = extract(pilot)
    await until(
        pilot,
        lambda: (
            screen.listing.is_done
            and not screen._is_listing
            and (screen.found is not None) == (screen.sessions.count > 0)
        ),
    )
    return screen


async def open_extract(pilot: AppPilot) -> ExtractScreen:
    """Open the Extract screen from the memories, and wait until all is read."""
    await filled(pilot)
    await pilot.press("x")
    await until(pilot, lambda: isinstance(pilot.app.screen, ExtractScreen))
    return await read(pilot)


async def press(pilot: AppPilot, *keys: str) -> None:
    """Press keys, and wait after each until what it began has ended."""
    for key in keys:
        await pilot.press(key)
        await until(pilot, lambda: _is_idle(pilot))
        if isinstance(pilot.app.screen, ExtractScreen):
            await read(pilot)


def _is_idle(pilot: AppPilot) -> bool:
    groups = ("find", "sessions", "apply", "scan")
    return all(worker.is_finished for worker in pilot.app.workers if worker.group in groups)


def drawn(screen: ExtractScreen, selector: str, width: int = 80) -> list[str]:
    """The rows of a list, blanks folded."""
    rows = screen.query_one(selector, RowList)
    return [
        " ".join(row.draw(width, screen.palette, has_cursor=False).plain.split())
        for row in rows._rows
    ]


def state(demo: DemoHome, name: str) -> dict[str, object]:
    """A state file of the agent beside the demo's first store."""
    found: dict[str, object] = json.loads((demo.api_memory.parent / name).read_text("utf-8"))
    return found
