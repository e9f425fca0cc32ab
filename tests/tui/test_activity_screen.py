"""Activity: the event log in numbers, tasks as they run, the journal with its undo."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.disk.locations import store_dir
from memtui.engine.lifecycle.tasks import Outcome, Progress
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.actions import of as actions_of
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.activity import ActivityScreen
from memtui.tui.screens.dialogs import HelpDialog
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.rows import RowList
from screenshots.history import forget_some, run_tasks, write_events
from tests.engine.written_store import tree
from tests.tui.acting import WIDE, applied, press, review, signs, text_of
from tests.tui.conftest import NOW_NS
from tests.tui.seen import AppPilot, browse, filled, focus_id, lines, seen, toasts, until

SnapCompare = Callable[..., bool]

SESSION = "8f2c71d0-5b1e"
FIRST, SECOND = "project/release-2-4.md", "reference/oncall.md"


def activity(pilot: AppPilot) -> ActivityScreen:
    """The screen on top."""
    assert isinstance(pilot.app.screen, ActivityScreen), pilot.app.screen
    return pilot.app.screen


async def open_activity(pilot: AppPilot) -> ActivityScreen:
    await filled(pilot)
    await pilot.press("a")
    screen = activity(pilot)
    await until(pilot, lambda: screen.activity.numbers)
    return screen


def drawn(rows: RowList, width: int = 60) -> list[str]:
    """The rows as text, blanks folded."""
    palette = rows.palette
    return [
        " ".join(row.draw(width, palette, has_cursor=False).plain.split()) for row in rows._rows
    ]


def log_path(app: MemtuiApp) -> Path:
    manager = app.manager
    store = manager.scan().store("project")
    return store_dir(manager.state_dir, store) / "telemetry.jsonl"


def logged(app: MemtuiApp) -> None:
    """Two weeks of events."""
    write_events(app.manager, app.manager.scan(), NOW_NS)


def submit(app: MemtuiApp, work: Callable[[Progress], Outcome]) -> int:
    return app.manager.live.tasks.submit("extract", "auto", "/p", SESSION, work).id


class Held:
    """Work that tells how far it is, and goes on until it is let go or stopped."""

    def __init__(self) -> None:
        self.goes = threading.Event()
        self.progress: Progress | None = None
        self.has_begun = threading.Event()

    def __call__(self, progress: Progress) -> Outcome:
        self.progress = progress
        progress.tell("read 42 %")
        self.has_begun.set()
        while not self.goes.wait(0.005):
            progress.check()
        return Outcome("completed", result="2 to the inbox")


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hours and days are those of the machine: here those of UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def held() -> Iterator[Held]:
    work = Held()
    yield work
    work.goes.set()


async def test_an_empty_screen_says_what_will_stand_there(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        assert "None yet: r, among the memories, asks what the agent" in seen(pilot)
        assert drawn(screen.tasks_list) == ["nothing ran since memtui was started"]
        assert drawn(screen.journal_list) == ["nothing was changed yet"]
        about = " ".join(text_of(pilot, "#detail").split())
        assert about.startswith("event log ")
        assert "Numbers alone: no text of a memory, a query or a session." in about
        assert "The log stays on this machine; nothing is ever sent." in about
        assert "`MEMTUI_TELEMETRY=0` or `telemetry = false` in " in about
        assert "".join(str(log_path(app)).split()) in "".join(text_of(pilot, "#detail").split())
        await press(pilot, "2")
        about = " ".join(text_of(pilot, "#detail").split())
        assert about.startswith("Nothing ran in the background since memtui was started.")
        assert "No session is followed: w, among the memories, watches the newest one." in about
        await press(pilot, "3")
        assert text_of(pilot, "#detail").startswith("Nothing was changed yet.")
        await press(pilot, "u", "x", "enter")
        assert toasts(pilot)[-1] == "No task is running."
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_events_with_their_numbers_and_what_is_under_the_cursor(app: MemtuiApp) -> None:
    logged(app)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        assert [(each.kind, each.count) for each in screen.activity.numbers] == [
            ("extract", 65),
            ("dream", 9),
            ("recall", 58),
        ]
        shown = lines(pilot)
        assert shown[2][2:62].rstrip() == f"extract {'─' * 42} 65 events"
        assert "✗ 4 failed  ✓ 53 completed  · 8 skipped     14 days to today" in shown[5]
        assert screen.events_list.count == 132
        assert "─ 1/132 ─" in shown[-2]
        assert text_of(pilot, "#detail").splitlines()[0].startswith("recall")
        await press(pilot, "j", "j")
        assert "─ 3/132 ─" in lines(pilot)[-2]
        event = screen.activity.events[2]
        told = [line.split() for line in text_of(pilot, "#detail").splitlines()[1:]]
        assert [line[0] for line in told[: len(event.fields)]] == list(event.fields)
        assert ["trigger", "auto"] in told
        assert ["duration_ms", str(event.fields["duration_ms"])] in told
        # Enter goes to the details, and another list brings its own.
        await press(pilot, "enter")
        assert focus_id(pilot) == "detail"
        assert text_of(pilot, "#detail").splitlines()[0].startswith("extract")


async def test_what_another_process_logs_shows_by_itself(app: MemtuiApp) -> None:
    logged(app)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        await press(pilot, "j", "j")
        before = screen.events_list.cursor_key
        line = {
            "event": "recall", "time": "2026-11-18T17:46:40.000Z", "query_length": 5,
            "docs_scanned": 1, "docs_selected": 1, "strategy": "heuristic", "duration_ms": 1,
        }  # fmt: skip
        with log_path(app).open("ab") as log:
            log.write(json.dumps(line).encode() + b"\n")
        await until(pilot, lambda: screen.events_list.count == 133)
        assert screen.events_list.cursor_key == before
        assert screen.events_list.position == 4


async def test_equal_skipped_tasks_are_one_row(app: MemtuiApp) -> None:
    def skip() -> None:
        submit(app, lambda progress: Outcome("skipped", "memory_tool"))
        assert app.manager.drain(10)

    said = "· extract auto 8f2c skipped memory_tool"
    submit(app, lambda progress: Outcome("failed", result="It cannot be read."))
    assert app.manager.drain(10)
    skip()
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        await press(pilot, "2")
        assert drawn(screen.tasks_list)[0].startswith(f"{said} ")
        key = screen.tasks_list.cursor_key
        skip()
        skip()
        await until(pilot, lambda: drawn(screen.tasks_list)[0].startswith(f"{said} ×3 "))
        assert len(drawn(screen.tasks_list)) == 2
        assert screen.tasks_list.cursor_key == key
        assert "3 in a row; this is the last" in " ".join(text_of(pilot, "#detail").split())


async def test_tasks_are_followed_while_they_run_and_can_be_stopped(
    app: MemtuiApp, held: Held
) -> None:
    submit(app, lambda progress: Outcome("failed", result="The session cannot be read."))
    assert app.manager.drain(10)
    submit(app, held)
    assert held.has_begun.wait(10)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        assert drawn(screen.tasks_list)[0] == "› extract auto 8f2c running, read 42 % 0 ms"
        assert drawn(screen.tasks_list)[1].startswith(
            "✗ extract auto 8f2c failed: The session cannot be…"
        )
        await press(pilot, "2")
        assert "x asks it to stop." in text_of(pilot, "#detail")
        assert held.progress is not None
        held.progress.tell("read 87 %")
        await until(pilot, lambda: "running, read 87 %" in drawn(screen.tasks_list)[0])
        await press(pilot, "x")
        assert "The extract was asked to stop." in toasts(pilot)
        await until(pilot, lambda: "skipped stopped" in drawn(screen.tasks_list)[0])
        assert "It was stopped on request; nothing was written." in " ".join(
            text_of(pilot, "#detail").split()
        )
        await press(pilot, "j")
        assert "✗ The session cannot be read." in text_of(pilot, "#detail")
        await press(pilot, "x")
        await until(pilot, lambda: "No task is running." in toasts(pilot))


async def test_an_act_is_undone_and_done_again_from_here(app: MemtuiApp, demo: DemoHome) -> None:
    before = tree(demo.api_memory)
    forget_some(app.manager, (FIRST,))
    undone = tree(demo.api_memory)
    assert undone == before
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_activity(pilot)
        assert [" ".join(row.split()[4:]) for row in drawn(screen.journal_list)] == [
            "undo 2 files",
            "forget undone 2 files",
        ]
        await press(pilot, "3")
        assert text_of(pilot, "#detail").startswith("undo")
        # Undoing the undo does it again; enter does what u does.
        await press(pilot, "enter")
        assert set(signs(review(pilot)).values()) == {"✓D", "✓M"}
        await applied(pilot)
        assert not (demo.api_memory / FIRST).exists()
        screen = await open_activity(pilot)
        await press(pilot, "3", "u")
        await applied(pilot)
        assert tree(demo.api_memory) == before


@pytest.mark.parametrize(
    ("env", "is_readonly", "settings", "said"),
    [
        ({"MEMTUI_TELEMETRY": "0"}, False, "", "MEMTUI_TELEMETRY=0 is set."),
        ({}, True, "", "memtui was started with --readonly."),
        ({}, False, "telemetry = false\n", "`telemetry = false` stands in"),
    ],
)
async def test_a_log_that_is_off_says_why(
    demo: DemoHome, env: dict[str, str], is_readonly: bool, settings: str, said: str
) -> None:
    environment = {**demo.environment(os.environ), **env}
    if settings:
        path = Path(environment["XDG_CONFIG_HOME"]) / "memtui/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(settings, encoding="utf-8")
    manager = MemoryManager(
        Target(demo.api_dir), environment, is_readonly=is_readonly, clock_ns=lambda: NOW_NS
    )
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await open_activity(pilot)
        assert f"! No event is logged: {said}" in seen(pilot)
        assert " off" in text_of(pilot, "#detail").splitlines()[0]


async def test_a_log_that_cannot_be_read_says_so(app: MemtuiApp) -> None:
    path = log_path(app)
    path.parent.mkdir(parents=True)
    path.symlink_to(path.name)
    async with app.run_test(size=WIDE) as pilot:
        await open_activity(pilot)
        told = "".join("".join(line[2:62].split()) for line in lines(pilot)[2:8])
        assert told.startswith(f"!{path}cannotberead:")
        assert text_of(pilot, "#detail").splitlines()[0].endswith("faulty")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12)])
async def test_all_panes_in_a_narrow_terminal(
    app: MemtuiApp, held: Held, size: tuple[int, int]
) -> None:
    logged(app)
    forget_some(app.manager, (FIRST,))
    submit(app, held)
    async with app.run_test(size=size) as pilot:
        screen = await open_activity(pilot)
        for key, wanted in (("1", "recall"), ("2", "running"), ("3", "undo"), ("4", "undo")):
            await press(pilot, key)
            pane = screen.focused_pane
            assert pane.number == int(key)
            assert pane.region.area > 0
            assert wanted in seen(pilot)
            assert f"{pane.number} {pane.title}" in seen(pilot)
        await press(pilot, "tab")
        assert screen.focused_pane.number == 1
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: all(pane.region.area for pane in screen.panes))
        assert "14 days to today" in seen(pilot)


async def test_help_and_palette_tell_the_actions(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 50)) as pilot:
        await open_activity(pilot)
        actions = actions_of(("app", "activity"))
        titles = [each.title for each in app.get_system_commands(app.screen)]
        assert titles == [each.label for each in actions if each.in_palette]
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpDialog)
        told = pilot.app.screen.query_one("#help-lines", LineView).text.splitlines()
        for action in actions:
            assert f"{action.shown:14}{action.help}" in told


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_picture(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    logged(app)
    run_tasks(app.manager, "/p")

    async def play(pilot: AppPilot) -> None:
        await open_activity(pilot)
        # The main screen tells what ended, which would hide the rows.
        await until(pilot, lambda: len(toasts(pilot)) == 4)
        app.clear_notifications()
        # The details of an event tell a path of the temporary directory.
        await press(pilot, "2", "j", "j", "j", "j")

    assert snap_compare(app, terminal_size=size, run_before=play)


def test_picture_of_events(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    logged(app)

    async def play(pilot: AppPilot) -> None:
        await open_activity(pilot)

    assert snap_compare(app, terminal_size=(60, 20), run_before=play)
