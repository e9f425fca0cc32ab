"""The review of 2,000 files: it plans beside the screen, and applies the newest plan only."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import memtui.tui.diff_view as diff_view
from memtui.engine.errors import RefusedError
from memtui.engine.plans.diff import diff_of
from memtui.engine.types import ChangeSet, FileChange
from memtui.tui.app import MemtuiApp
from memtui.tui.review import Diffs
from memtui.tui.screens.dialogs import HelpDialog
from tests.tui.acting import WIDE, line_of, planned, settled, signs, text_of
from tests.tui.reviewing import (
    APPLIED,
    FILES,
    FIRST,
    LINES,
    PATIENCE_S,
    PLACES,
    SECOND,
    STORE,
    THIRD,
    Ground,
    Planner,
    change,
    review_of,
    shown,
)
from tests.tui.seen import browse, filled, lines, seen, toasts, until


@pytest.fixture
def planner() -> Iterator[Planner]:
    made = Planner()
    yield made
    made.go(1_000)


async def test_the_first_rows_are_there_and_answer_while_it_is_planned(
    app: MemtuiApp, planner: Planner
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        ground = Ground(pilot, planner)
        await ground.open()
        screen = ground.screen
        assert screen.is_planning
        assert "feedback/f0000.md" in seen(pilot)
        assert text_of(pilot, "#effects") == "planning …"
        assert ground.summary == "2,000 of 2,000 files planning …"
        await pilot.press("j", "j")
        assert screen.files.cursor_key == THIRD
        await pilot.press("G")
        assert screen.files.cursor_key == PLACES[-1]
        await until(pilot, lambda: "feedback/f1999.md line 3" in seen(pilot))
        await pilot.press("2")
        assert screen.focused is screen.diff
        # What was not seen yet is not applied.
        await pilot.press("1", "enter", "y")
        assert toasts(pilot) == ["The plan is being made: a moment."] * 2
        assert ground.writer.asked == []
        planner.go()
        await planned(pilot)
        assert planner.threads.isdisjoint({threading.get_ident()})
        assert ground.summary == "2,000 of 2,000 files +8000 · enter apply 2,000 files"
        assert text_of(pilot, "#effects").splitlines()[-1] == "feedback/f1999.md"
        assert screen.files.cursor_key == PLACES[-1]


async def test_without_any_rows_it_can_be_left(app: MemtuiApp, planner: Planner) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        ground = Ground(pilot, planner, has_first_files=False)
        await ground.open()
        assert ground.summary == "planning …"
        await pilot.press("space", "n", "a", "tab", "right_square_bracket")
        assert ground.screen.generation == 0
        await pilot.press("escape")
        assert pilot.app.screen is screen
        planner.go()
        await until(pilot, lambda: not any(each.group == "plan" for each in app.workers))
        assert (ground.results, ground.told, ground.writer.asked) == ([None], [], [])


async def test_only_what_is_in_view_is_laid_out(
    app: MemtuiApp, planner: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    lay_out_line = diff_view.lay_out_line

    def counted(*values: object) -> object:
        drawn.append(values)
        return lay_out_line(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(diff_view, "lay_out_line", counted)
    async with shown(app, planner) as ground:
        page = ground.screen.page
        assert (len(page.file_starts), len(page.lines)) == (FILES, FILES * (LINES + 2) - 1)
        assert 0 < len(drawn) < 200
        await ground.pilot.press("G")
        await settled(ground.pilot)
        assert 0 < len(drawn) < 400
        await ground.pilot.press("space", "n")
        await ground.pilot.resize_terminal(100, 40)
        await settled_but_planning(ground)
        assert len(drawn) < 1_000


async def settled_but_planning(ground: Ground) -> None:
    """Wait for what is laid out; the planner is kept waiting."""
    await until(
        ground.pilot,
        lambda: not any(each.group == "measure" for each in ground.pilot.app.workers),
    )


async def test_a_mark_changes_at_once_and_enter_waits_for_its_plan(
    app: MemtuiApp, planner: Planner
) -> None:
    async with shown(app, planner) as ground:
        pilot, screen = ground.pilot, ground.screen
        await pilot.press("space")
        await ground.asked(2)
        assert signs(screen)[FIRST] == "✗A"
        assert ground.summary == "1,999 of 2,000 files replanning …"
        # More keys are answered meanwhile: the plan that is being made is late by now.
        await pilot.press("j", "space", "enter")
        assert signs(screen)[SECOND] == "✗A"
        assert ground.summary == "1,998 of 2,000 files replanning … then apply"
        assert "1,998 accepted · 2 rejected" in seen(pilot)
        assert ground.writer.asked == []
        assert planner.asked == [frozenset(), frozenset({FIRST})]
        planner.go()
        await ground.asked(3)
        assert planner.late == [frozenset({FIRST})]
        assert screen.is_planning
        assert ground.writer.asked == []
        planner.go()
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        both = frozenset({FIRST, SECOND})
        assert planner.asked[2:] == [both]
        assert ground.writer.asked == [(FILES - 2, both)]
        assert ground.results == [APPLIED]


async def test_a_plan_that_comes_late_is_dropped(app: MemtuiApp, planner: Planner) -> None:
    async with shown(app, planner) as ground:
        pilot, screen = ground.pilot, ground.screen
        planner.heeds = False
        await pilot.press("space")
        await ground.asked(2)
        await pilot.press("n", "a", "enter")
        planner.go()
        await ground.asked(3)
        # It came, for marks that are no more; enter still waits.
        assert screen.planned_rejected == frozenset()
        assert len(screen.review.files) == FILES
        assert (screen.planned_generation, screen.generation) == (0, 3)
        assert signs(screen)[FIRST] == "✓A"
        assert ground.writer.asked == []
        planner.go()
        await until(pilot, lambda: ground.results)
        assert planner.asked == [frozenset(), frozenset({FIRST}), frozenset()]
        assert ground.writer.asked == [(FILES, frozenset())]


@pytest.mark.parametrize("key", ["j", "space", "a", "escape"])
async def test_what_is_marked_after_enter_is_not_applied(
    app: MemtuiApp, planner: Planner, key: str
) -> None:
    async with shown(app, planner) as ground:
        pilot, screen = ground.pilot, ground.screen
        await pilot.press("space", "enter")
        assert screen.is_waiting
        await pilot.press(key)
        assert screen.is_waiting is (key in ("j", "escape"))
        planner.go(2)
        if key == "j":
            await until(pilot, lambda: ground.results == [APPLIED])
            assert ground.writer.asked == [(FILES - 1, frozenset({FIRST}))]
        elif key == "escape":
            await until(pilot, lambda: ground.results == [None])
            await until(pilot, lambda: not any(each.group == "plan" for each in app.workers))
            assert ground.writer.asked == []
        else:
            await planned(pilot)
            assert ground.summary.endswith("enter apply 2,000 files")
            assert ground.writer.asked == []


async def test_marks_from_before_the_first_plan_count(app: MemtuiApp, planner: Planner) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        ground = Ground(pilot, planner)
        await ground.open()
        await pilot.press("space")
        assert signs(ground.screen)[FIRST] == "✗A"
        planner.go()
        await ground.asked(2)
        assert ground.screen.shown_files == review_of(frozenset()).files
        await pilot.press("enter")
        assert ground.writer.asked == []
        planner.go()
        await until(pilot, lambda: ground.results == [APPLIED])
        assert planner.asked == [frozenset(), frozenset({FIRST})]
        assert ground.writer.asked == [(FILES - 1, frozenset({FIRST}))]


async def test_while_it_is_applied_no_mark_changes(app: MemtuiApp, planner: Planner) -> None:
    async with shown(app, planner) as ground:
        pilot = ground.pilot
        ground.writer.gate.clear()
        await pilot.press("enter")
        await until(pilot, lambda: ground.writer.asked)
        await pilot.press("space", "n", "escape", "enter")
        assert signs(ground.screen)[FIRST] == "✓A"
        assert ground.summary.endswith("applying …")
        # It leaves when it is on top again, and what lies above stays.
        await pilot.press("question_mark")
        ground.writer.gate.set()
        await until(pilot, lambda: ground.screen._result is not None)
        assert isinstance(pilot.app.screen, HelpDialog)
        assert ground.results == []
        await pilot.press("escape")
        await until(pilot, lambda: ground.results == [APPLIED])
        assert ground.writer.asked == [(FILES, frozenset())]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RefusedError("No\x1b plan."), "No\\x1b plan."),
        (OSError("no disk"), "no disk"),
        (ValueError("odd"), "This failed: ValueError('odd')"),
    ],
)
async def test_marks_that_cannot_be_planned_are_not_applied(
    app: MemtuiApp, planner: Planner, error: Exception, said: str
) -> None:
    async with shown(app, planner) as ground:
        pilot, screen = ground.pilot, ground.screen
        planner.errors.append(error)
        await pilot.press("space", "enter")
        planner.go()
        await until(pilot, lambda: not screen.is_planning)
        assert toasts(pilot) == [said]
        assert ground.summary.endswith("! no plan")
        await pilot.press("enter", "y")
        assert toasts(pilot) == [said] * 3
        assert ground.writer.asked == []
        await pilot.press("j", "space")
        planner.go()
        await planned(pilot)
        assert ground.summary.endswith("enter apply 1,998 files")


@pytest.mark.parametrize(
    "error", [RefusedError("No plan."), ValueError("odd")], ids=["expected", "not expected"]
)
async def test_without_a_first_plan_it_leaves_and_tells(
    app: MemtuiApp, planner: Planner, error: Exception
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        ground = Ground(pilot, planner)
        planner.errors.append(error)
        await ground.open()
        planner.go()
        await until(pilot, lambda: pilot.app.screen is screen)
        (told,) = ground.told
        assert str(told) == (
            "No plan." if isinstance(error, RefusedError) else "This failed: ValueError('odd')"
        )
        assert ground.results == [None]


async def test_an_error_of_the_writer_that_nobody_expected_is_told(
    app: MemtuiApp, planner: Planner
) -> None:
    async with shown(app, planner) as ground:
        pilot = ground.pilot
        ground.writer.error = ValueError("odd")
        await pilot.press("enter")
        await until(pilot, lambda: toasts(pilot))
        assert toasts(pilot) == ["This failed: ValueError('odd')"]
        assert not ground.screen.is_applying
        assert ground.summary.endswith("enter apply 2,000 files")


async def test_a_forget_is_planned_in_a_worker(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, gate, threads = app.manager.plan_forget, threading.Event(), []

    def blocked(*values: object) -> object:
        threads.append(threading.get_ident())
        assert gate.wait(PATIENCE_S)
        return plan(*values)  # type: ignore[arg-type]

    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        monkeypatch.setattr(app.manager, "plan_forget", blocked)
        await pilot.press(*"jjj", "f")
        await until(pilot, lambda: threads)
        assert "forget  ›  review" in lines(pilot)[0]
        assert line_of(pilot, "#summary") == "planning …"
        await pilot.press("2")
        gate.set()
        screen = await planned(pilot)
        assert screen.focused is screen.diff
        assert threading.get_ident() not in threads
        assert signs(screen)[("project", "project/merge-freeze.md")] == "✓D"


async def test_an_undo_is_planned_in_a_worker(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, threads = app.manager.plan_undo, []

    def noted(*values: object) -> object:
        threads.append(threading.get_ident())
        return plan(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(app.manager, "plan_undo", noted)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("u")
        await until(pilot, lambda: toasts(pilot) and pilot.app.screen is screen)
        assert toasts(pilot) == ["There is nothing to undo in these stores."]
        assert len(threads) == 1
        assert threading.get_ident() not in threads


def test_a_kept_diff_is_that_of_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noted(each: FileChange) -> object:
        made.append(each.path)
        return diff_of(each)

    monkeypatch.setattr("memtui.tui.review.diff_of", noted)
    diffs = Diffs()
    two = ChangeSet(STORE, "dream", (change("a.md"), change("b.md")))
    first = diffs.files_of((two,))
    other = FileChange("b.md", None, b"other\n", "changed reason")
    second = diffs.files_of((ChangeSet(STORE, "dream", (change("a.md"), other)),))
    assert made == ["a.md", "b.md", "b.md"]
    assert second[0].diff is first[0].diff
    assert (second[1].diff.added, second[1].reason) == (1, "changed reason")
    assert Diffs().files_of((two,)) == first
