"""The Dream screen in the app: the way there, and what it shows; helpers of pilot tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

from memtui.demo import DemoHome
from memtui.engine.disk.telemetry import DreamStatus, Telemetry, Trigger
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.compare import CompareScreen
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.dream import DreamScreen
from memtui.tui.widgets.rows import RowList
from tests.tui.conftest import NOW_NS, NOW_S
from tests.tui.seen import AppPilot, filled, until

RETENTION = "project/数据保留.md"
POSTGRES = "project/postgres-16.md"
PLAN = [
    "3 merges 2 sorts 5 files +16 -20",
    "merge in a file 2",
    "F feedback/review.md :2 → :0",
    "same summary, both reasons kept, both ways to apply kept",
    "P project/数据保留.md :1 → :0",
    "same summary, both reasons kept",
    "merge across files 1",
    "F feedback/review.md :0 → pr-review.md",
    "same summary, both reasons kept, its way to apply kept",
    "sort 2",
    "F feedback/review.md 2 entries",
    "by summary, no numbered steps",
    "P project/postgres-16.md 5 entries",
    "by summary, no numbered steps",
    "left alone",
    "pinned/ 1 file",
]
DAY_NS = 86_400 * 1_000_000_000
GROUPS = {"look", "plan", "log", "run", "auto", "break", "apply", "scan"}


def dream(pilot: AppPilot) -> DreamScreen:
    """The Dream screen on top."""
    assert isinstance(pilot.app.screen, DreamScreen), pilot.app.screen
    return pilot.app.screen


def compare(pilot: AppPilot) -> CompareScreen:
    """The side-by-side view on top."""
    assert isinstance(pilot.app.screen, CompareScreen), pilot.app.screen
    return pilot.app.screen


async def open_dream(pilot: AppPilot) -> DreamScreen:
    """Go to the Dream screen, and wait until all of its panes are filled."""
    await filled(pilot)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, DreamScreen))
    return await shown(pilot)


async def shown(pilot: AppPilot) -> DreamScreen:
    """Wait until nothing is asked for any more."""
    screen = dream(pilot)
    await until(pilot, lambda: not screen.is_planning and _is_idle(pilot) and _has_looked(screen))
    return screen


def _is_idle(pilot: AppPilot) -> bool:
    return not any(
        worker.group in GROUPS and not worker.is_finished for worker in pilot.app.workers
    )


def _has_looked(screen: DreamScreen) -> bool:
    return screen.gates is not None or bool(screen.query_one("#gates-note").display)


async def looked(pilot: AppPilot) -> None:
    """Let the screen look at gates and lock now, without waiting for its next look."""
    screen = dream(pilot)
    await until(pilot, lambda: _is_idle(pilot))
    before = screen._looks
    screen.look()
    await until(pilot, lambda: screen._looks > before and _is_idle(pilot))


def drawn(rows: RowList, width: int = 62) -> list[str]:
    """All rows as text, blanks folded."""
    palette = rows.palette
    return [
        " ".join(row.draw(width, palette, has_cursor=False).plain.replace("─", " ").split())
        for row in rows._rows
    ]


def note_of(screen: DreamScreen, name: str) -> str:
    """The sentence above a list; empty where none is shown."""
    note = screen.query_one(f"#{name}-note")
    return str(note.render()) if note.display else ""


def subtitle(screen: DreamScreen, number: int) -> str:
    """What stands in the lower border of a pane."""
    return screen.panes[number - 1]._subtitle.plain


def write_events(app: MemtuiApp, *events: tuple[float, Trigger, DreamStatus, int, int]) -> None:
    """Log dreams: days ago, trigger, status, merged, milliseconds."""
    manager = app.manager
    folder = manager.telemetry(manager.scan()).path.parent
    for days, trigger, status, merged, took_ms in events:
        time_ns = NOW_NS - round(days * DAY_NS)
        clock_ns = iter([time_ns]).__next__
        log = Telemetry(folder, manager.state_dir, is_on=True, clock_ns=clock_ns)
        log.dream(trigger, status, merged, ("feedback",), took_ms)


def manager_at(demo: DemoHome, days_ago: float, directory: Path | None = None) -> MemoryManager:
    """A manager of the demo's first project whose clock stands some days ago."""
    time_ns = NOW_NS - round(days_ago * DAY_NS)
    env = demo.environment(os.environ)
    return MemoryManager(Target(directory or demo.api_dir), env, clock_ns=lambda: time_ns)


def dream_of(manager: MemoryManager, *paths: str) -> None:
    """Dream in the project's store, by hand, on these files alone."""
    everything = [document.path for document in manager.scan().snapshots[0].documents]
    kept = [path for path in everything if path not in paths]
    manager.live.dreaming.run("project", trigger="manual", without=kept)


def lock_at(demo: DemoHome, content: str) -> Path:
    path = demo.api_memory.parent / "consolidation.lock"
    path.write_text(content)
    os.utime(path, (NOW_S, NOW_S))
    return path


def meta(demo: DemoHome) -> dict[str, object]:
    found: dict[str, object] = json.loads((demo.api_memory.parent / "meta.json").read_bytes())
    return found


async def confirm(pilot: AppPilot, key: str = "enter") -> str:
    """Answer the question on top; gives it."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    await pilot.press(key)
    await until(pilot, lambda: pilot.app.screen is not dialog)
    return dialog.question
