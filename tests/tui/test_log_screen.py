"""The log: what was changed, each act with its undo, and taking one out for good."""

from __future__ import annotations

import pytest

from memtui.demo import DemoHome
from memtui.tui.actions import of as actions_of
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.dialogs import ConfirmDialog, HelpDialog
from memtui.tui.widgets.lines import LineView
from tests.engine.written_store import tree
from tests.tui.acting import WIDE, applied, journal, press, review, settled, signs, text_of
from tests.tui.conftest import AppFor
from tests.tui.seen import AppPilot, browse, filled, lines, seen, toasts, until

FIRST, SECOND = "project/release-2-4.md", "reference/oncall.md"


def forget_in(app: MemtuiApp, *paths: str) -> list[str]:
    """Forget files one after the other, without the screen; gives the IDs of the acts."""
    manager, acts = app.manager, []
    for path in paths:
        workspace = manager.scan()
        (entry,) = (
            one.entry for one in manager.matcher(workspace).candidates("") if one.entry.id == path
        )
        planned = manager.plan_forget(workspace, [entry])
        acts.append(manager.forget([entry], planned.change_sets).group)
    return acts


def rows_of(pilot: AppPilot) -> list[tuple[str, ...]]:
    """Sign, operation and the rest of each row, without the time."""
    screen = journal(pilot)
    drawn = [
        row.draw(60, screen.palette, has_cursor=False).plain.split() for row in screen.rows._rows
    ]
    return [(row[0], *row[4:]) for row in drawn]


async def open_log(pilot: AppPilot) -> None:
    await press(pilot, "l")
    journal(pilot)


async def test_an_empty_log_says_what_it_is_for(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await open_log(pilot)
        assert " ".join(text_of(pilot, "#act").split()) == (
            "Nothing was changed yet. What memtui changes stands here, with its undo."
        )
        await press(pilot, "enter", "u", "x", "j", "tab", "tab")
        assert journal(pilot).acts == ()
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_an_older_act_is_undone_and_redone(app: MemtuiApp, demo: DemoHome) -> None:
    before = tree(demo.home)
    first, second = forget_in(app, FIRST, SECOND)
    forgotten = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await open_log(pilot)
        assert rows_of(pilot) == [("✓", "forget", "2", "files"), ("✓", "forget", "2", "files")]
        assert "─ 1/2 ─" in lines(pilot)[-2]
        about = [" ".join(line.split()) for line in text_of(pilot, "#act").splitlines()]
        assert about[1] == second
        assert about[-2:] == [f"D {SECOND}", "M MEMORY.md"]
        await press(pilot, "j", "enter")
        assert set(signs(review(pilot)).values()) == {"✓A", "✓M"}
        await applied(pilot)
        assert toasts(pilot) == ["undo, 2 files: 1 added, 1 changed · the log has it"]
        assert (demo.api_memory / FIRST).exists()
        assert not (demo.api_memory / SECOND).exists()
        await open_log(pilot)
        assert rows_of(pilot) == [
            ("✓", "undo", "2", "files"),
            ("✓", "forget", "2", "files"),
            ("←", "forget", "undone", "2", "files"),
        ]
        assert f"undoes {first}" in text_of(pilot, "#act")
        await press(pilot, "G")
        assert "← undone later" in text_of(pilot, "#act")
        # The undo of the undo does it again.
        await press(pilot, "g", "u")
        await applied(pilot)
        assert tree(demo.home) == forgotten
        await open_log(pilot)
        assert [row[:3] for row in rows_of(pilot)] == [
            ("✓", "undo", "2"),
            ("←", "undo", "undone"),
            ("✓", "forget", "2"),
            ("✓", "forget", "2"),
        ]
        # Everything can be undone from there, the newest first.
        await press(pilot, "escape", "u")
        await applied(pilot)
        await press(pilot, "u")
        await applied(pilot)
        assert tree(demo.home) == before


async def test_what_can_no_longer_be_undone_says_why(app: MemtuiApp, demo: DemoHome) -> None:
    forget_in(app, FIRST)
    (demo.api_memory / FIRST).write_text("---\nname: Another\n---\n\nBody.\n", encoding="utf-8")
    index = demo.api_memory / "MEMORY.md"
    index.unlink()
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "u")
        assert toasts(pilot) == [
            "Nothing of this change is left to undo."
            f" {FIRST}: Another file has taken its name. MEMORY.md: It is gone."
        ]
        assert pilot.app.screen is browse(pilot)


async def test_purge_asks_first(app: MemtuiApp, demo: DemoHome) -> None:
    _, second = forget_in(app, FIRST, SECOND)
    forgotten = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await open_log(pilot)
        await press(pilot, "x")
        assert isinstance(pilot.app.screen, ConfirmDialog)
        shown = " ".join(seen(pilot).replace("│", " ").split())
        assert "It can't be undone afterwards; the memories stay as they are." in shown
        await press(pilot, "escape")
        assert len(journal(pilot).acts) == 2
        await press(pilot, "x", "enter")
        await until(pilot, lambda: len(journal(pilot).acts) == 1)
        assert second not in text_of(pilot, "#act")
        await press(pilot, "x", "y")
        await until(pilot, lambda: journal(pilot).acts == ())
        assert "Nothing was changed yet." in text_of(pilot, "#act")
        await press(pilot, "escape", "u")
        assert toasts(pilot) == ["There is nothing to undo in these stores."]
    assert tree(demo.home) == forgotten
    journals = [path for path in demo.state_dir.rglob("*") if path.suffix in (".json", ".before")]
    assert journals == []


async def test_a_journal_that_cannot_be_read_is_a_sentence(
    app: MemtuiApp, app_for: AppFor, demo: DemoHome
) -> None:
    forget_in(app, FIRST)
    (folder,) = (path for path in demo.state_dir.rglob("journal") if any(path.iterdir()))
    folder.rename(folder.with_name("aside"))
    folder.symlink_to(folder.name)
    async with app_for(demo.api_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await open_log(pilot)
        sentence = "The journal cannot be read: "
        assert text_of(pilot, "#act").startswith(sentence)
        await press(pilot, "j", "u", "x", "escape", "u")
        assert toasts(pilot)[-1].startswith(sentence)
        assert pilot.app.screen is browse(pilot)


async def test_an_act_of_another_memtui_shows_by_itself(
    app: MemtuiApp, app_for: AppFor, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await open_log(pilot)
        forget_in(app_for(demo.api_dir), FIRST)
        await until(pilot, lambda: len(journal(pilot).acts) == 1)
        assert FIRST in seen(pilot)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12)])
async def test_both_panes_in_a_narrow_terminal(app: MemtuiApp, size: tuple[int, int]) -> None:
    forget_in(app, FIRST)
    async with app.run_test(size=size) as pilot:
        await filled(pilot)
        await open_log(pilot)
        for key, wanted in (("1", "✓"), ("tab", f"D {FIRST}"), ("tab", "✓"), ("2", "MEMORY.md")):
            await press(pilot, key)
            pane = journal(pilot).focused_pane
            assert wanted in seen(pilot)
            assert f"{pane.number} {pane.title}" in lines(pilot)[1]
            assert pane.region.area > 0
        await press(pilot, "x")
        assert "enter remove it" in seen(pilot)
        await press(pilot, "escape")
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert all(pane.region.area for pane in journal(pilot).panes)


async def test_help_and_palette_tell_the_actions_of_the_log(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 50)) as pilot:
        await filled(pilot)
        await open_log(pilot)
        actions = actions_of(("app", "journal"))
        titles = [each.title for each in app.get_system_commands(app.screen)]
        assert titles == [each.label for each in actions if each.in_palette]
        assert not {"undo", "purge"} & set(titles)
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpDialog)
        told = pilot.app.screen.query_one("#help-lines", LineView).text.splitlines()
        for action in actions:
            assert f"{action.shown:14}{action.help}" in told
