"""What the keys of the Dream screen do: review, run, switch, lock, undo."""

from __future__ import annotations

import os
import threading
import time

import pytest

from memtui.demo import DemoHome
from memtui.engine.lifecycle.tasks import Outcome, Progress
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.journal import JournalScreen
from tests.engine.written_store import dead_pid, tree
from tests.tui.acting import REVIEW, WIDE, planned, review, signs, text_of
from tests.tui.conftest import NOW_NS, NOW_S, AppFor
from tests.tui.dreaming import (
    PLAN,
    POSTGRES,
    RETENTION,
    confirm,
    drawn,
    dream_of,
    lock_at,
    looked,
    manager_at,
    meta,
    note_of,
    open_dream,
    shown,
    subtitle,
    write_events,
)
from tests.tui.seen import browse, filled, rescan, seen, toasts, until

pytestmark = pytest.mark.usefixtures("utc")


# Review and run.


async def test_enter_reviews_the_plan_and_applies_it(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        await pilot.press("enter")
        screen = await planned(pilot)
        assert signs(screen) == {
            ("project", "feedback/pr-review.md"): "✓M",
            REVIEW: "✓M",
            ("project", POSTGRES): "✓M",
            ("project", RETENTION): "✓M",
            ("project", "MEMORY.md"): "✓M",
        }
        effects = " ".join(text_of(pilot, "#effects").replace("─", " ").split())
        assert effects == (
            "entries that become one 3 feedback/review.md:2 → :0 project/数据保留.md:1 → :0"
            " feedback/review.md:0 → feedback/pr-review.md store before → after files 28 → 28"
        )
        assert "3 entries merged" in seen(pilot)
        # A rejected file is planned away: what would go into it stays where it is.
        await pilot.press("space")
        await until(pilot, lambda: len(screen.review.files) == 4)
        kept = signs(screen)
        assert kept["project", "feedback/pr-review.md"] == "✗M"
        assert "feedback/pr-review.md" not in text_of(pilot, "#effects")
        before = (demo.api_memory / "feedback/pr-review.md").read_bytes()
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert toasts(pilot) == ["dream, 4 files: 4 changed · u undoes it"]
        assert (demo.api_memory / "feedback/pr-review.md").read_bytes() == before
        assert meta(demo)["lastDreamStatus"] == "updated"
        (act,) = app.manager.log(app.manager.scan())
        assert act.entries[0].details["trigger"] == "manual"


async def test_what_changed_under_a_review_is_refused(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        await pilot.press("enter")
        await planned(pilot)
        path = demo.api_memory / RETENTION
        path.write_bytes(path.read_bytes() + b"- One more.\n")
        before = tree(demo.api_memory)
        await pilot.press("enter")
        await until(pilot, lambda: not review(pilot).is_applying)
        (said,) = toasts(pilot)
        assert said.startswith(f"{RETENTION} changed since this was planned")
        assert tree(demo.api_memory) == before
        # The review is outdated, as one of a forget is.
        assert review(pilot).is_outdated
        await pilot.press("enter")
        assert toasts(pilot)[-1].startswith("Files changed since this plan")
        assert tree(demo.api_memory) == before


async def test_a_run_in_the_background_is_asked_for_and_told(
    app: MemtuiApp, demo: DemoHome
) -> None:
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("R")
        assert await confirm(pilot, "escape") == (
            "Run this dream now? 5 files change, by 3 merges and 2 sorts. It skips the gates and"
            " the review, and plans once more on what is there by then; the log has it, with its"
            " undo."
        )
        assert tree(demo.home) == before
        await pilot.press("R")
        await confirm(pilot)
        await until(pilot, lambda: screen.dreams)
        await rescan(pilot)
        await until(pilot, lambda: not screen.is_planning and drawn(screen.rows("plan")) != PLAN)
        assert drawn(screen.rows("plan"))[0] == "✓ There is nothing to tidy."
        assert drawn(screen.rows("dreams")) == [
            "when trigger status merged files ms",
            "✓ 18 Nov 11:06 manual updated 3 5 0 ━━━━━━",
        ]
        await until(
            pilot, lambda: any(said.startswith("dream: 3 merged") for said in toasts(pilot))
        )
        assert pilot.app.screen is screen
        assert "last held by memtui dream, PID " in text_of(pilot, "#lock")
        await pilot.press("R")
        assert await confirm(pilot, "escape") == (
            "There is nothing to tidy. Run a dream all the same? Only its time is noted."
        )


class Held:
    """A dream that runs until it is stopped."""

    def __init__(self, manager: MemoryManager) -> None:
        self.manager = manager
        self.ended = threading.Event()

    def submit(self, trigger: str = "auto", **_: object) -> object:
        def work(progress: Progress) -> Outcome:
            progress.tell("planning")
            try:
                while True:
                    progress.check()
                    time.sleep(0.005)
            finally:
                self.ended.set()

        return self.manager.live.tasks.submit("dream", trigger, "p", "", work)  # type: ignore[arg-type]


async def test_a_running_dream_is_shown_and_esc_stops_what_was_started_here(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(app.manager)
    monkeypatch.setattr(app.manager, "schedule_dream", held.submit)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("x")
        assert toasts(pilot) == ["No dream is running."]
        await pilot.press("R")
        await confirm(pilot)
        await until(pilot, lambda: note_of(screen, "plan"))
        await until(pilot, lambda: "planning" in note_of(screen, "plan"))
        assert note_of(screen, "plan") == "A dream runs: planning. x stops it."
        await pilot.press("R")
        assert toasts(pilot)[-1] == "A dream of this store is running: x stops it."
        await pilot.press("escape")
        assert pilot.app.screen is screen
        await until(pilot, held.ended.is_set)
        await until(pilot, lambda: not note_of(screen, "plan"))
        await pilot.press("escape")
        assert pilot.app.screen_stack == [browse(pilot)]


async def test_a_dream_that_ran_before_is_shown_and_esc_leaves_it_alone(app: MemtuiApp) -> None:
    held = Held(app.manager)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        held.submit()
        await pilot.press("d")
        screen = await shown(pilot)
        await until(pilot, lambda: note_of(screen, "plan").startswith("A dream runs"))
        await pilot.press("escape")
        assert pilot.app.screen is browse(pilot)
        assert not held.ended.is_set()
        await pilot.press("d")
        screen = await shown(pilot)
        await pilot.press("x")
        await until(pilot, held.ended.is_set)
        await until(pilot, lambda: not note_of(screen, "plan"))


# Switch and lock.


async def test_dreams_by_themselves_are_switched_on_and_off(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("a")
        assert await confirm(pilot, "escape") == (
            "Let dreams of this store run by themselves? One runs after a turn of a followed"
            " session, once all gates are open, and writes without a review. Each stands in the"
            " log, with its undo."
        )
        assert not app.manager.live.dreaming.is_enabled(screen.store)
        await pilot.press("a")
        await confirm(pilot)
        await until(pilot, lambda: drawn(screen.rows("gates"))[2].startswith("✓"))
        assert drawn(screen.rows("gates"))[:3] == [
            "Waiting for 2 more sessions min_sessions",
            "gate state value limit",
            "✓ dream enabled open on on",
        ]
        assert subtitle(screen, 1) == "runs only while following is on · 6 open · 1 closed"
        assert "only while following is on" in toasts(pilot)[-1]
        await pilot.press("a")
        await until(pilot, lambda: drawn(screen.rows("gates"))[2].startswith("✗"))
        assert toasts(pilot)[-1] == "No dream of this store runs by itself any more."


async def test_a_stale_lock_is_broken_after_a_question(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("L")
        assert toasts(pilot) == ["No lock is in the way."]
        path = lock_at(demo, str(dead_pid()))
        await looked(pilot)
        assert text_of(pilot, "#lock").strip().startswith("! stale PID ")
        assert drawn(screen.rows("gates"))[7] == "✓ consolidation lock open stale free"
        await pilot.press("L")
        assert (await confirm(pilot, "escape")).startswith("Break the stale lock? PID ")
        assert path.exists()
        await pilot.press("L")
        await confirm(pilot)
        await until(pilot, lambda: text_of(pilot, "#lock").strip().startswith("✓ free"))
        assert not path.exists()
        assert toasts(pilot)[-1] == "The stale lock is gone."


async def test_a_held_lock_stays(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        path = lock_at(demo, "1")
        await looked(pilot)
        assert text_of(pilot, "#lock").strip().startswith("✗ held by PID 1")
        assert drawn(screen.rows("gates"))[7] == "✗ consolidation lock closed held free"
        await pilot.press("L")
        assert toasts(pilot) == [
            "The lock is held by somebody at work: only a stale one can be broken."
        ]
        assert path.exists()


async def test_a_stale_lock_of_claude_is_told_before_a_run(app_for: AppFor, demo: DemoHome) -> None:
    path = demo.mobile_memory / ".consolidate-lock"
    path.write_text(str(dead_pid()))
    os.utime(path, (NOW_S, NOW_S))
    app = app_for(demo.mobile_dir)
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        await pilot.press("R")
        assert toasts(pilot) == ["A stale lock is in the way: L breaks it."]
        await pilot.press("L")
        assert "that time is lost" in await confirm(pilot, "escape")
        assert path.exists()


async def test_readonly_shows_all_and_changes_nothing(demo: DemoHome) -> None:
    lock_at(demo, str(dead_pid()))
    before = tree(demo.root)
    manager = MemoryManager(
        Target(demo.api_dir),
        demo.environment(os.environ),
        clock_ns=lambda: NOW_NS,
        is_readonly=True,
    )
    app = MemtuiApp(manager)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert drawn(screen.rows("plan")) == PLAN
        await pilot.press("R", "a", "L")
        assert toasts(pilot) == ["memtui was started with --readonly, so nothing is written."] * 3
        await pilot.press("enter")
        await planned(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: not review(pilot).is_applying)
        assert "--readonly" in toasts(pilot)[-1]
    assert tree(demo.root) == before


# Former dreams.


async def test_former_dreams_of_log_and_journal_and_their_undo(
    app: MemtuiApp, demo: DemoHome
) -> None:
    write_events(app, (9, "auto", "noop", 0, 96), (7, "auto", "failed", 0, 1204))
    dream_of(manager_at(demo, 3), POSTGRES)
    dream_of(manager_at(demo, 2), RETENTION)
    before = (demo.api_memory / POSTGRES).read_bytes()
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert drawn(screen.rows("dreams")) == [
            "when trigger status merged files ms",
            "✓ 16 Nov 11:06 manual updated 1 2 0 ━━━━━━",
            "✓ 15 Nov 11:06 manual updated 0 2 0",
            "✗ 11 Nov 11:06 auto failed · · 1,204",
            "· 9 Nov 11:06 auto noop · · 96",
        ]
        assert subtitle(screen, 3) == "1/4"
        await pilot.press("3", "G", "u")
        assert toasts(pilot) == ["This dream changed nothing, so there is nothing to undo."]
        await pilot.press("k", "enter")
        assert toasts(pilot)[-1].startswith("This dream failed and wrote nothing")
        assert subtitle(screen, 3) == "3/4"
        await pilot.press("k", "enter")
        await planned(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert (demo.api_memory / POSTGRES).read_bytes() != before
        await pilot.press("d")
        screen = await shown(pilot)
        await until(pilot, lambda: len(screen.dreams) == 4)
        assert drawn(screen.rows("dreams"))[2] == "← 15 Nov 11:06 manual undone 0 2 0"
        assert "undone before 1, not proposed again" in drawn(screen.rows("plan"))
        await pilot.press("3", "j", "u")
        assert toasts(pilot)[-1] == ("This dream is undone already; l, the log, can undo its undo.")


async def test_u_elsewhere_undoes_the_newest_change_and_l_shows_the_log(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("u")
        await until(pilot, lambda: toasts(pilot) and pilot.app.screen is screen)
        assert toasts(pilot) == ["There is nothing to undo in these stores."]
        dream_of(manager_at(demo, 2), RETENTION)
        await pilot.press("1", "u")
        await planned(pilot)
        await pilot.press("escape")
        assert pilot.app.screen is screen
        await pilot.press("l")
        assert isinstance(pilot.app.screen, JournalScreen)
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_a_journal_that_cannot_be_read_is_told(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> object:
        raise OSError("no journal")

    monkeypatch.setattr(app.manager, "log", refuse)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert note_of(screen, "dreams") == "no journal"
