"""Following a session from the main screen, what tasks came to, and recalls that are logged."""

from __future__ import annotations

import json
import os
import threading

import pytest

from memtui.demo import DemoHome
from memtui.engine.disk.locations import store_dir
from memtui.engine.lifecycle.inbox import put_in
from memtui.engine.lifecycle.tasks import Outcome, Progress
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.extraction.patches import Patch, Source
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.live_state import LiveState
from memtui.tui.screens import following
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.widgets.bars import Header, HeaderValues
from tests.tui.acting import press
from tests.tui.conftest import NOW_NS, AppFor
from tests.tui.seen import AppPilot, browse, filled, lines, paste, seen, toasts, until

WIDE = (120, 40)
_NEVER = threading.Event()
TO_STORE = (
    "What is found goes straight to the store, without a review. W sends it to the inbox again."
)
TO_INBOX = "What is found waits in the inbox: x reviews it."


def follow_threads() -> list[threading.Thread]:
    return [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith(("memtui-follow", "memtui-extract", "memtui-dream"))
    ]


def patch(summary: str) -> Patch:
    return Patch("feedback", summary, None, None, Source("s1", 3, summary), "always / never")


def fill_inbox(manager: MemoryManager, *summaries: str) -> None:
    store = manager.scan().store("project")
    put_in(manager.state_dir, store, [patch(each) for each in summaries], "s1", 4)


async def followed(pilot: AppPilot) -> None:
    """Follow, and wait until the header says whom."""
    await filled(pilot)
    await pilot.press("w")
    await until(pilot, lambda: "following " in lines(pilot)[0])


def end_with(app: MemtuiApp, kind: str, outcome: Outcome, trigger: str = "auto") -> None:
    app.manager.live.tasks.submit(kind, trigger, "/p", "s1", lambda progress: outcome)  # type: ignore[arg-type]  # words of the scheduler


async def test_w_follows_the_newest_session_and_stops(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert not app.manager.is_live
        assert "following" not in seen(pilot)
        await followed(pilot)
        live = app.manager.live
        await until(pilot, lambda: live.followed and live.followed[:4] in lines(pilot)[0])
        assert toasts(pilot) == [
            "Following the newest session. What is found waits in the inbox: x reviews it."
        ]
        # Each screen with a header says so.
        await press(pilot, "l")
        assert f"following {(live.followed or '')[:4]}" in lines(pilot)[0]
        await press(pilot, "escape", "w")
        await until(pilot, lambda: "following" not in lines(pilot)[0])
        assert toasts(pilot)[-1] == "No session is followed any more."
        assert not live.is_following


async def test_leaving_the_app_ends_all_threads(app: MemtuiApp) -> None:
    begun, released = threading.Event(), []

    def work(progress: Progress) -> Outcome:
        begun.set()
        while not progress.is_stopping():
            _NEVER.wait(0.005)
        released.append(True)
        return Outcome("completed")

    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        app.manager.live.tasks.submit("extract", "auto", "/p", "s1", work)
        assert begun.wait(10)
        assert follow_threads()
        await pilot.press("q")
    assert released == [True]
    assert not follow_threads()
    assert not app.manager.live.is_following


async def test_readonly_refuses_to_follow(demo: DemoHome) -> None:
    manager = MemoryManager(
        Target(demo.api_dir),
        demo.environment(os.environ),
        is_readonly=True,
        clock_ns=lambda: NOW_NS,
    )
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("w")
        said = "memtui was started with --readonly, so it cannot follow."
        await until(pilot, lambda: toasts(pilot) == [said])
        await pilot.press("W")
        assert toasts(pilot)[-1] == "memtui was started with --readonly, so nothing is written."
        assert "following" not in lines(pilot)[0]


async def test_without_a_project_there_is_nothing_to_follow(
    app_for: AppFor, demo: DemoHome
) -> None:
    async with app_for(demo.home).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, ProjectsDialog))
        await pilot.press("escape")
        for key in ("w", "W"):
            await pilot.press(key)
            assert toasts(pilot)[-1] == (
                "There is no project memory here to follow a session for: p opens another."
            )


async def test_straight_to_the_store_is_asked_about_first(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        live, store = app.manager.live, app.manager.scan().store("project")
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        dialog = app.screen
        assert isinstance(dialog, ConfirmDialog)
        assert dialog.question == (
            "Send what is found straight to the store? After each turn of the followed session,"
            " what you said that lasts is then written without a review; near-duplicates still wait"
            " in the inbox. Each time stands in the log, with its undo."
        )
        assert "enter to the store   esc leave it" in seen(pilot)
        await pilot.press("escape")
        assert live.follow_to(store) == "inbox"
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("enter")
        await until(pilot, lambda: live.follow_to(store) == "store")
        await until(pilot, lambda: "→ store" in lines(pilot)[0])
        # The way back needs no question.
        await pilot.press("W")
        await until(pilot, lambda: live.follow_to(store) == "inbox")
        await until(pilot, lambda: "→ store" not in lines(pilot)[0])
        assert toasts(pilot)[-2:] == [TO_STORE, TO_INBOX]


async def test_a_switch_of_another_memtui_is_told(app: MemtuiApp, demo: DemoHome) -> None:
    other = MemoryManager(Target(demo.api_dir), demo.environment(os.environ))
    store = other.scan().store("project")
    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        screen = browse(pilot)
        await press(pilot, "l")
        other.live.send_to(store, "store")
        await until(pilot, lambda: len(toasts(pilot)) == 2)
        assert toasts(pilot)[-1] == f"Another memtui switched it. {TO_STORE}"
        assert "→ store" in lines(pilot)[0]
        other.live.send_to(store, "inbox")
        await until(pilot, lambda: len(toasts(pilot)) == 3)
        assert toasts(pilot)[-1] == f"Another memtui switched it. {TO_INBOX}"
        # What is switched here is told once, and in other words.
        await press(pilot, "escape", "W")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("enter")
        await until(pilot, lambda: len(toasts(pilot)) == 4)
        for _ in range(3):
            screen._look()
            await until(pilot, lambda: not screen._is_busy("look"))
        assert toasts(pilot)[3:] == [TO_STORE]
        # While nothing is followed nothing goes anywhere; the next time the place is told anew.
        await pilot.press("w")
        await until(pilot, lambda: "following" not in lines(pilot)[0])
        await pilot.press("w")
        await until(pilot, lambda: "following" in lines(pilot)[0])
        assert toasts(pilot)[4:] == [
            "No session is followed any more.",
            f"Following the newest session. {TO_STORE}",
        ]


async def test_the_project_that_is_open_stays_open_and_followed(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        screen = browse(pilot)
        await pilot.press("j", "j")
        lookup, place = screen.lookup, screen.place
        await pilot.press("p")
        dialog = pilot.app.screen
        assert isinstance(dialog, ProjectsDialog)
        await until(pilot, lambda: dialog.discovery is not None)
        await paste(pilot, demo.api_dir.name)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is screen)
        screen._look()
        await until(pilot, lambda: not screen._is_busy("look") and not screen._is_busy("follow"))
        assert app.manager.live.is_following
        assert len(toasts(pilot)) == 1
        assert screen.lookup is lookup
        assert screen.place == place


async def test_the_folder_of_an_open_memory_directory_is_opened(
    demo: DemoHome,
) -> None:
    manager = MemoryManager(Target(demo.api_dir, demo.api_memory), demo.environment(os.environ))
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("p")
        dialog = pilot.app.screen
        assert isinstance(dialog, ProjectsDialog)
        await until(pilot, lambda: dialog.discovery is not None)
        await paste(pilot, demo.api_dir.name)
        await pilot.press("enter")
        await until(pilot, lambda: manager.target == Target(demo.api_dir, None, "qwen"))


async def test_what_waits_in_the_inbox_is_counted_also_without_following(app: MemtuiApp) -> None:
    fill_inbox(app.manager, "Always use tabs here", "Never push to main")
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await until(pilot, lambda: "inbox 2" in lines(pilot)[0])
        fill_inbox(app.manager, "Prefer short names")
        await until(pilot, lambda: "inbox 3" in lines(pilot)[0])
        manager = app.manager
        manager.live.discard(manager.scan(), list(manager.live.inbox(manager.scan()).items))
        await until(pilot, lambda: "inbox" not in lines(pilot)[0])


async def test_an_inbox_that_cannot_be_read_is_told_once(app: MemtuiApp) -> None:
    manager = app.manager
    path = store_dir(manager.state_dir, manager.scan().store("project")) / "inbox.json"
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await until(pilot, lambda: "! inbox" in lines(pilot)[0])
        screen = browse(pilot)
        for _ in range(3):
            screen._look()
            await until(pilot, lambda: not screen._is_busy("look"))
        assert len(toasts(pilot)) == 1
        assert "inbox.json" in toasts(pilot)[0]


async def test_what_tasks_come_to_is_told_and_shown(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        total = browse(pilot).lookup.total  # type: ignore[union-attr]  # it is filled
        (demo.api_memory / "user/new.md").write_text(
            "---\nname: Brand new\ntype: user\n---\n\nText.\n", encoding="utf-8"
        )
        end_with(app, "extract", Outcome("completed", result="2 to the inbox"))
        end_with(app, "extract", Outcome("skipped", "memory_tool"))
        end_with(app, "dream", Outcome("completed", result="2 merged, 3 files"))
        end_with(app, "dream", Outcome("failed", result="The store is locked."))
        assert app.manager.drain(10)
        await until(pilot, lambda: len(toasts(pilot)) >= 3)
        told = toasts(pilot)[1:]
        assert told[0] == "2 to the inbox · x reviews them"
        assert told[-1] in (
            "dream: 2 merged, 3 files · u undoes it",
            "dream failed: The store is locked.",
        )
        await until(pilot, lambda: browse(pilot).lookup.total == total + 1)  # type: ignore[union-attr]  # as above


async def test_tasks_that_another_screen_began_are_told_too(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        end_with(app, "dream", Outcome("completed", result="nothing to tidy"), "manual")
        assert app.manager.drain(10)
        await until(pilot, lambda: toasts(pilot) == ["dream: nothing to tidy"])
        screen = browse(pilot)
        screen._look()
        await until(pilot, lambda: not screen._is_busy("look"))
        assert toasts(pilot) == ["dream: nothing to tidy"]


async def test_a_fault_of_following_is_told_and_marked(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        said = "The sessions cannot be listed."
        monkeypatch.setattr(type(app.manager.live), "follow_problem", said)
        await until(pilot, lambda: "! following" in lines(pilot)[0])
        assert toasts(pilot)[-1] == said


async def test_another_project_ends_following_and_tasks(app: MemtuiApp, demo: DemoHome) -> None:
    stopped = []

    def work(progress: Progress) -> Outcome:
        while not progress.is_stopping():
            _NEVER.wait(0.005)
        stopped.append(True)
        return Outcome("skipped", "stopped")

    async with app.run_test(size=WIDE) as pilot:
        await followed(pilot)
        app.manager.live.tasks.submit("extract", "auto", "/p", "s1", work)
        await pilot.press("p")
        dialog = pilot.app.screen
        assert isinstance(dialog, ProjectsDialog)
        await until(pilot, lambda: dialog.discovery is not None)
        await paste(pilot, demo.mobile_dir.name)
        await pilot.press("enter")
        await until(pilot, lambda: app.manager.target.directory == demo.mobile_dir)
        await until(pilot, lambda: "following" not in lines(pilot)[0])
        assert stopped == [True]
        assert not app.manager.live.is_following
        assert "The session of the other project is not followed any more." in toasts(pilot)


async def test_a_task_that_does_not_stop_keeps_the_project_open(
    app: MemtuiApp, demo: DemoHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LEAVE_S", 0.05)
    goes = threading.Event()

    def work(progress: Progress) -> Outcome:
        goes.wait(20)
        return Outcome("completed")

    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        app.manager.live.tasks.submit("extract", "auto", "/p", "s1", work)
        opened: list[bool] = []
        browse(pilot).leave_project(lambda: opened.append(True))
        said = "A task of this project is still running: open the other one later."
        await until(pilot, lambda: said in toasts(pilot))
        assert opened == []
        goes.set()
        assert app.manager.drain(10)
        browse(pilot).leave_project(lambda: opened.append(True))
        assert opened == [True]


# The header.


def header(pilot: AppPilot, live: LiveState, **values: object) -> str:
    shown = browse(pilot).query_one(Header)
    shown.live = live
    shown.values = HeaderValues(
        "acme-api", "qwen", (("project", 27), ("user", 6)), index_lines=26, index_bytes=3100,
        **values,  # type: ignore[arg-type]  # fields of the header
    )  # fmt: skip
    return str(shown.render())


FOLLOWING = LiveState(True, "8f2c", "inbox", "", 3)


@pytest.mark.parametrize(
    ("width", "live", "values", "left"),
    [
        (120, FOLLOWING, {}, "memtui  acme-api ▾  project 27  user 6  following 8f2c  inbox 3"),
        (
            120,
            FOLLOWING._replace(to="store", problem="x"),
            {},
            "memtui  acme-api ▾  project 27  user 6  ! following 8f2c → store  inbox 3",
        ),
        (120, LiveState(inbox=1_204), {}, "memtui  acme-api ▾  project 27  user 6  inbox 1,204"),
        (120, LiveState(problem="x"), {}, "memtui  acme-api ▾  project 27  user 6  ! inbox"),
        (80, FOLLOWING, {}, "memtui  acme-api ▾  33 memories  following 8f2c  inbox 3"),
        (79, FOLLOWING, {}, "memtui  acme-api ▾  33 memories  following 8f2c  inbox 3"),
        (
            72,
            FOLLOWING._replace(to="store"),
            {"unseen": 1},
            "memtui  acme-api ▾  ! 1 unseen  → store  inbox 3",
        ),
        (
            80,
            FOLLOWING._replace(to="store"),
            {"unseen": 6, "problems": 1},
            "memtui  acme-api ▾  ! 6 unseen  ✗ 1 faulty  → store",
        ),
        (
            60,
            FOLLOWING._replace(to="store", problem="x"),
            {"unseen": 6, "problems": 1},
            "memtui  acme-api ▾  ! → store  inbox 3",
        ),
        (
            50,
            FOLLOWING._replace(to="store"),
            {"unseen": 6, "problems": 1},
            "memtui  acme-api ▾  → store",
        ),
        (
            40,
            FOLLOWING._replace(to="store"),
            {"note": "demo", "unseen": 6},
            "memtui  acme-ap…  → store",
        ),
        (74, FOLLOWING, {}, "memtui  acme-api ▾  33 memories  following  inbox 3"),
        (
            80,
            FOLLOWING._replace(to="store"),
            {},
            "memtui  acme-api ▾  following 8f2c → store  inbox 3",
        ),
        (80, FOLLOWING, {"unseen": 1}, "memtui  acme-api ▾  ! 1 unseen  following 8f2c  inbox 3"),
        (
            80,
            FOLLOWING,
            {"crumbs": ("activity",)},
            "memtui  acme-api ▾  ›  activity  following 8f2c  inbox 3",
        ),
    ],
)
async def test_the_header_keeps_its_meter(
    app: MemtuiApp, width: int, live: LiveState, values: dict[str, object], left: str
) -> None:
    async with app.run_test(size=(width, 24)) as pilot:
        await filled(pilot)
        line = header(pilot, live, **values)
        meter = "26/200 lines  3.1/25.0 kB" if width == 120 else "26/200"
        assert (live.is_following and live.to == "store") == ("→ store" in line)
        assert line.startswith(left + " ")
        assert line.endswith(meter)
        assert len(line) == width - 2


# Recalls that are logged.


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SETTLED_S", 0.05)


def recalls(app: MemtuiApp) -> list[dict[str, object]]:
    manager = app.manager
    path = store_dir(manager.state_dir, manager.scan().store("project")) / "telemetry.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.usefixtures("settled")
async def test_a_query_is_logged_when_it_settles_and_once(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("r")
        await paste(pilot, "release notes")
        await until(pilot, lambda: len(recalls(app)) == 1)
        event = recalls(app)[0]
        assert sorted(event) == [
            "docs_scanned", "docs_selected", "duration_ms", "event", "query_length", "strategy",
            "time",
        ]  # fmt: skip
        assert (event["query_length"], event["docs_selected"]) == (13, 5)
        assert "release" not in json.dumps(event)
        screen = browse(pilot)
        screen._show_recall()
        await pilot.press("escape", "s")
        await until(pilot, lambda: screen.scorer == "weighted")
        # The scorer in use is the same: nothing new was asked.
        await pilot.press("s")
        await until(pilot, lambda: len(recalls(app)) == 2)
        # What an agent writes meanwhile is no new question.
        (demo.api_memory / "user/new.md").write_text(
            "---\nname: Release notes\ntype: user\n---\n\nText.\n", encoding="utf-8"
        )
        place = ("project", "user/new.md")
        await until(pilot, lambda: screen.lookup and place in screen.lookup.documents)
        assert screen._settling is None
        assert len(recalls(app)) == 2


async def test_nothing_is_logged_while_keys_come(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SETTLED_S", 600.0)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("r", *"release")
        screen = browse(pilot)
        timer = screen._settling
        assert timer is not None
        await pilot.press("s")
        assert screen._settling not in (None, timer)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: screen.query_text == "")
        assert screen._settling is None
    assert recalls(app) == []
