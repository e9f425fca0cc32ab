"""What the Dream screen shows: gates, lock, plan, suggestions; also what is amiss."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from memtui.demo import DemoHome
from memtui.engine.near import Work
from memtui.engine.plans.suggestions import Suggestion
from memtui.tui.app import MemtuiApp
from tests.tui.acting import WIDE, text_of
from tests.tui.conftest import AppFor
from tests.tui.dreaming import (
    PLAN,
    RETENTION,
    drawn,
    dream,
    looked,
    note_of,
    open_dream,
    shown,
    subtitle,
    write_events,
)
from tests.tui.seen import AppPilot, browse, filled, focus_id, lines, rescan, seen, toasts, until

SnapCompare = Callable[..., bool]

pytestmark = pytest.mark.usefixtures("utc")


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
            "✓ free no consolidation.lock checked 1 s ago"
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
                "checked 1 s ago",
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


async def test_what_the_suggestions_leave_out_is_told(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def suggestions(*_: object, work: Work, **__: object) -> tuple[Suggestion, ...]:
        work.left_out = 1
        return ()

    monkeypatch.setattr(app.manager.live.dreaming, "suggestions", suggestions)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("d")
        screen = await shown(pilot)
        assert note_of(screen, "suggestions") == (
            "Suggestions stop early: 1 entry was compared with the likeliest others at most."
        )


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
