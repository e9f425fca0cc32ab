"""The Dream screen: gates, lock, plan, suggestions, former dreams, and what their keys do."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.lifecycle.tasks import Outcome, Progress
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.suggestions import Suggestion
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.journal import JournalScreen
from memtui.tui.screens.review import ReviewScreen
from tests.engine.written_store import dead_pid, tree
from tests.tui.acting import REVIEW, WIDE, review, signs, text_of
from tests.tui.conftest import NOW_NS, NOW_S, AppFor
from tests.tui.dreaming import (
    drawn,
    dream,
    dream_of,
    looked,
    manager_at,
    note_of,
    open_dream,
    shown,
    subtitle,
    write_events,
)
from tests.tui.seen import AppPilot, browse, filled, focus_id, lines, rescan, seen, toasts, until

SnapCompare = Callable[..., bool]

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


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


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


# What is shown.


async def test_the_five_panes(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert drawn(screen.rows("gates")) == [
            "Off: dreams run by hand only disabled",
            "gate state value limit",
            "✗ dream enabled closed off on",
            "✓ another session open be9d ≠ 23f9",
            "✓ hours since last open 31 h ≥ 24 h ━━━━━━━━",
            "✓ last session scan open never ≥ 10 min ━━━━━━━━",
            "✗ new sessions closed 3 ≥ 5 ━━━━━",
            "✓ consolidation lock open free free",
            "✓ dream running open none none",
        ]
        assert screen.rows("gates").cursor_key == "enabled"
        assert drawn(screen.rows("plan")) == PLAN
        assert drawn(screen.rows("suggestions"), 50) == [
            "never applied by rule c side by side",
            "contradiction always / never",
            "F Never squash a branch before merging when… 26d",
            "F Always squash a branch before merging. 44d",
            "near-duplicate 87",
            "F 给上海的工单写中文，报错信息不翻译。 31d",
            "F 上海团队提的工单用中文回复，接口名、字段… 6d",
            "near-duplicate 86",
            "R Staging is reachable over the VPN profile… 17d",
            "R The profile “acme-eu-1” reaches staging t… 120d",
            "outdated legacy",
            "P The legacy auth service is read-only now:… 96d",
            "outdated deprecated",
            "R The profile “acme-eu-1” reaches staging t… 120d",
        ]
        assert note_of(screen, "dreams") == (
            "No dream yet. R runs one, and it stands here with its undo."
        )
        assert [subtitle(screen, number) for number in range(1, 6)] == [
            "runs only while following is on · 5 open · 2 closed", "", "", "planned in 0 ms", "1/5",
        ]  # fmt: skip
        assert " ".join(text_of(pilot, "#lock").split()) == (
            "✓ free no consolidation.lock looked at every second"
            " a manual run skips the gates, not the lock"
        )
        assert "›  dream" in lines(pilot)[0]


async def test_panes_by_number_and_round(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        order = ["gates", "lock", "dreams", "plan", "suggestions"]
        for number, name in enumerate(order, 1):
            await pilot.press(str(number))
            assert focus_id(pilot) == name
        await pilot.press("tab")
        assert focus_id(pilot) == "gates"
        await pilot.press("shift+tab")
        assert focus_id(pilot) == "suggestions"
        await pilot.press("escape")
        assert pilot.app.screen is browse(pilot)


async def test_the_last_row_of_a_long_plan_is_reached(app: MemtuiApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("4", "G")
        assert screen.rows("plan").cursor_key == "pinned"
        assert any("pinned/" in line for line in lines(pilot))


@pytest.mark.parametrize("size", [(60, 20), (100, 15)], ids=["narrow", "low"])
async def test_one_pane_at_a_time_where_there_is_no_room(
    app: MemtuiApp, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        screen = await open_dream(pilot)
        for number, text in enumerate(
            (
                "dream enabled",
                "looked at every second",
                "No dream yet",
                "merge in",
                "contradiction",
            ),
            1,
        ):
            await pilot.press(str(number))
            await pilot.pause()
            assert [pane.number for pane in screen.panes if pane.display] == [number]
            assert text in seen(pilot)


async def test_a_store_that_is_tidy_says_so(app_for: AppFor, demo: DemoHome) -> None:
    app = app_for(demo.mobile_dir)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert drawn(screen.rows("plan")) == [
            "✓ There is nothing to tidy.",
            "left alone",
            "! project_offline_maps.md is not UTF-8 and stays as it is;",
            "convert it first.",
        ]
        await pilot.press("enter")
        assert toasts(pilot) == ["There is nothing to tidy."]
        assert drawn(screen.rows("gates"))[3] == "✓ another session open 1ae1 any"
        assert drawn(screen.rows("gates"))[4] == "✓ hours since last open never ≥ 24 h ━━━━━━━━"


async def test_no_sessions_are_no_obstacle(app: MemtuiApp, demo: DemoHome) -> None:
    for path in (demo.api_memory.parent / "chats").iterdir():
        path.unlink()
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        gates = drawn(screen.rows("gates"))
        assert gates[3] == "✓ another session open none ≠ 23f9"
        assert gates[6] == "✗ new sessions closed 0 ≥ 5"


async def test_a_store_that_cannot_be_read_is_told(
    app: MemtuiApp, demo: DemoHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)

        def refuse(*_: object, **__: object) -> object:
            raise OSError("the disk\x1b[2J is gone")

        dreaming = app.manager.live.dreaming
        monkeypatch.setattr(dreaming, "plan", refuse)
        monkeypatch.setattr(dreaming, "gates", refuse)
        await pilot.press("d")
        screen = await shown(pilot)
        assert note_of(screen, "plan") == note_of(screen, "gates") == "the disk\\x1b[2J is gone"
        assert screen.rows("plan").count == screen.rows("suggestions").count == 0
        screen.follow(screen.lookup)
        assert note_of(screen, "plan") == "the disk\\x1b[2J is gone"
        await pilot.press("enter", "R", "c")
        assert toasts(pilot)[0] == "There is no plan to review."
        assert pilot.app.screen is screen


async def test_a_plan_stays_where_nothing_can_be_suggested(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)

        def refuse(*_: object, **__: object) -> object:
            raise OSError("out of files")

        monkeypatch.setattr(app.manager.live.dreaming, "suggestions", refuse)
        await pilot.press("d")
        screen = await shown(pilot)
        assert drawn(screen.rows("plan")) == PLAN
        assert note_of(screen, "suggestions") == "out of files"
        assert subtitle(screen, 5) == ""


async def test_an_error_that_no_plan_should_have_is_told(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)

        def fail(*_: object, **__: object) -> object:
            raise ZeroDivisionError("by zero")

        monkeypatch.setattr(app.manager.live.dreaming, "plan", fail)
        await pilot.press("d")
        screen = await shown(pilot)
        assert note_of(screen, "plan") == "The planning failed: ZeroDivisionError('by zero')"


async def test_scopes_take_turns(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("s")
        await until(pilot, lambda: screen.scope == "user")
        await looked(pilot)
        assert screen.rows("gates").count == 0
        assert note_of(screen, "gates").startswith("Only the project's store dreams by itself")
        assert text_of(pilot, "#lock").strip().startswith("No agent locks this store")
        assert drawn(screen.rows("plan")) == ["✓ There is nothing to tidy."]
        assert note_of(screen, "suggestions") == (
            "Nothing looks alike, contradicts another, or reads as outdated."
        )
        assert "›  dream  ›  user" in lines(pilot)[0]
        await pilot.press("R", "a")
        assert toasts(pilot) == [
            "In the background only the project's store is tidied: enter reviews this.",
            "Only the project's store can dream by itself.",
        ]
        await pilot.press("s", "s")
        await until(pilot, lambda: screen.scope == "project" and not screen.is_planning)
        await looked(pilot)
        assert screen.rows("gates").count == 7
        assert drawn(screen.rows("plan")) == PLAN


# The plan, as it is made.


async def test_suggestions_come_later_and_leaving_ends_the_plan(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    dreaming = app.manager.live.dreaming
    begun, ended = threading.Event(), threading.Event()

    def suggestions(
        workspace: object, scope: object, check: Callable[[], None], **_: object
    ) -> tuple[Suggestion, ...]:
        begun.set()
        try:
            while True:
                check()
                time.sleep(0.005)
        finally:
            ended.set()

    monkeypatch.setattr(dreaming, "suggestions", suggestions)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("d")
        await until(pilot, begun.is_set)
        screen = dream(pilot)
        await until(pilot, lambda: screen.view is not None)
        assert subtitle(screen, 5) == "looking…"
        assert subtitle(screen, 4) == "planned in 0 ms"
        assert drawn(screen.rows("plan")) == PLAN
        await pilot.press("c")
        assert toasts(pilot) == ["There is no suggestion to look at."]
        assert not ended.is_set()
        await pilot.press("escape")
        await until(pilot, ended.is_set)


async def test_what_changes_on_disk_is_planned_anew_with_the_cursor_kept(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        await pilot.press("4", "j", "j", "j")
        assert screen.rows("plan").cursor_key == ("sort", "feedback/review.md")
        (demo.api_memory / RETENTION).unlink()
        await rescan(pilot)
        await until(pilot, lambda: not screen.is_planning)
        assert drawn(screen.rows("plan"))[:3] == [
            "2 merges 2 sorts 4 files +14 -18",
            "merge in a file 1",
            "F feedback/review.md :2 → :0",
        ]
        assert screen.rows("plan").cursor_key == ("sort", "feedback/review.md")


# Review and run.


async def test_enter_reviews_the_plan_and_applies_it(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await open_dream(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        screen = review(pilot)
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
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        path = demo.api_memory / RETENTION
        path.write_bytes(path.read_bytes() + b"- One more.\n")
        before = tree(demo.api_memory)
        await pilot.press("enter")
        await until(pilot, lambda: not review(pilot).is_applying)
        assert any("changed since this was planned" in said for said in toasts(pilot))
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
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
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
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
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
        assert toasts(pilot) == ["There is nothing to undo in these stores."]
        dream_of(manager_at(demo, 2), RETENTION)
        await pilot.press("1", "u")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
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


async def test_hostile_text_is_drawn_harmless(app: MemtuiApp, demo: DemoHome) -> None:
    body = "- Use \x1b[31mred\x1b[0m \u202eink.\n- use \x1b[31mred\x1b[0m \u202eink.\n"
    text = f"---\nname: x\ndescription: y\ntype: feed\x07back\n---\n\n{body}"
    (demo.api_memory / "feedback" / "bad\x1b[2J.md").write_text(text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_dream(pilot)
        assert any("bad\\x1b[2J.md" in row for row in drawn(screen.rows("plan"), 80))
        for number in range(1, 6):
            await pilot.press(str(number))
            await pilot.pause()
            assert not any(character in seen(pilot) for character in "\x1b\u202e\x07")


# Pictures.


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_dream(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    write_events(
        app,
        (9, "auto", "noop", 0, 96),
        (7, "auto", "failed", 0, 1204),
        (5, "auto", "updated", 6, 388),
        (2, "manual", "updated", 3, 212),
    )
    app.manager.live.dreaming.enable(app.manager.scan().store("project"), True)

    async def play(pilot: AppPilot) -> None:
        await open_dream(pilot)

    assert snap_compare(app, terminal_size=size, run_before=play)
