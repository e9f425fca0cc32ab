"""Where there is nothing to show, the app says why, and what to do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.dialogs import HelpDialog
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.widgets.lines import LineView
from tests.tui.conftest import NOW_NS, AppFor
from tests.tui.seen import (
    AppPilot,
    browse,
    cursor,
    filled,
    focus_id,
    lines,
    paste,
    rescan,
    seen,
    until,
)

WIDE = (120, 50)


def said(pilot: AppPilot) -> str:
    """The text in the place of the list, as one line."""
    view = browse(pilot).index.query_one("#no-files", LineView)
    return " ".join(view.text.split()) if view.display else ""


def listed(pilot: AppPilot) -> list[str]:
    """The rows of the list."""
    return [line.split("│")[1] for line in lines(pilot)[2:-2]]


def squeezed(text: str) -> str:
    """`text` without blanks, to find paths that were wrapped."""
    return "".join(text.split())


def app_on(env: dict[str, str], directory: Path, memory_dir: Path | None = None) -> MemtuiApp:
    return MemtuiApp(MemoryManager(Target(directory, memory_dir), env, clock_ns=lambda: NOW_NS))


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home without any agent."""
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home")}


async def test_no_store_here_says_where_it_looked_and_what_to_do(
    env: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    app = app_on(env, folder)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await until(pilot, lambda: isinstance(app.screen, ProjectsDialog))
        await until(pilot, lambda: "No project with a memory was found." in seen(pilot))
        await pilot.press("enter", "escape")
        assert app.screen is screen
        assert said(pilot).startswith("No memory here Looked in:")
        lookup = screen.lookup
        assert lookup is not None
        assert len(lookup.workspace.looked_in) >= 2
        for place in lookup.workspace.looked_in:
            assert squeezed(str(place.store.memory_dir)) in squeezed(said(pilot))
        todo = " ".join(screen.memory.lines.text.split())
        for step in ("p opens another", "memtui --project DIR", "--memory-dir DIR", "--demo"):
            assert step in todo
        assert lines(pilot)[0].split() == ["memtui", "no", "project", "▾"]
        assert focus_id(pilot) == "no-files"


async def test_every_key_is_harmless_where_there_is_nothing(
    env: dict[str, str], tmp_path: Path
) -> None:
    app = app_on(env, tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await filled(pilot)
        await pilot.press("escape")
        await pilot.press("j", "G", "enter", "y", "m", "i", "s", "n", "2", "3", "escape", "tab")
        await pilot.press("slash", "x", "escape", "escape", "question_mark")
        assert isinstance(app.screen, HelpDialog)
        await pilot.press("escape", "r")
        await paste(pilot, "anything at all")
        assert "There is no memory here to recall." in " ".join(screen.recall.reading.text.split())
        await pilot.press("escape", "escape", "p")
        assert isinstance(app.screen, ProjectsDialog)


async def test_an_empty_store(env: dict[str, str], tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    app = app_on(env, tmp_path, memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert app.screen is screen
        assert said(pilot).startswith("An empty store There is no memory yet")
        assert squeezed(str(memory)) in squeezed(said(pilot))
        assert said(pilot).endswith("p opens another project")
        assert "What to do" in screen.memory.lines.text
        await pilot.press("slash", "x")
        assert said(pilot).startswith("An empty store")


async def test_a_store_with_an_index_alone_lists_it(env: dict[str, str], tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Notes\n\nall in here\n", "utf-8")
    async with app_on(env, tmp_path, memory).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert cursor(pilot) == screen.place == ("project", "MEMORY.md")
        assert "all in here" in screen.memory.lines.text


async def test_a_store_with_problems_only(env: dict[str, str], tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "lost.md").symlink_to(memory / "nowhere.md")
    async with app_on(env, tmp_path, memory).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert cursor(pilot) == screen.place == ("project", "lost.md")
        assert "✗ 1 faulty" in lines(pilot)[0]
        assert ["▌✗", "lost.md", "unread"] in [row.split() for row in listed(pilot)]
        text = " ".join(screen.memory.lines.text.split())
        assert text.startswith("lost.md ✗ ")
        assert "nowhere.md" in squeezed(text)
        await pilot.press("slash")
        await paste(pilot, "lost")
        assert cursor(pilot) == ("project", "lost.md")
        await pilot.press("x")
        assert said(pilot).startswith("Nothing fits lostx.")


@pytest.mark.parametrize("kind", ["missing", "a file"])
async def test_a_named_directory_that_is_none(
    env: dict[str, str], tmp_path: Path, kind: str
) -> None:
    memory = tmp_path / "memory"
    if kind == "a file":
        memory.write_text("x", "utf-8")
    async with app_on(env, tmp_path, memory).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("escape")
        assert said(pilot).startswith("✗ ")
        assert squeezed(str(memory)) in squeezed(said(pilot))
        assert "What to do" in screen.memory.lines.text
        assert cursor(pilot) is None


async def test_one_store_that_cannot_be_read_is_told_beside_the_others(
    app: MemtuiApp, demo: DemoHome
) -> None:
    shutil.rmtree(demo.user_memory)
    demo.user_memory.write_text("no directory", "utf-8")
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        rows = [row.split() for row in listed(pilot)]
        heads = [row[0] for row in rows if row[1:2] and row[1].startswith("───")]
        assert heads == ["project", "user", "team"]
        place = ["✗", "memories", "unread"]
        at = rows.index(place)
        assert rows[at - 1][0] == "user"
        assert "✗ 1 faulty" in lines(pilot)[0]
        screen.index.files.move_to(("user", str(demo.user_memory)))
        await pilot.pause()
        text = " ".join(screen.memory.lines.text.split())
        assert "✗ " in text
        assert squeezed(str(demo.user_memory)) in squeezed(text)
        assert "directory" in text.replace(str(demo.user_memory), "")
        await pilot.press("y")
        assert "absolute path" not in seen(pilot)
        await pilot.press("p")
        assert app.clipboard == str(demo.user_memory)
        demo.user_memory.unlink()
        await rescan(pilot)
        assert "faulty" not in lines(pilot)[0]


async def test_a_folder_without_a_project_still_lists_the_users_own(
    app_for: AppFor, demo: DemoHome
) -> None:
    folder = demo.root / "fresh"
    folder.mkdir()
    app = app_for(folder)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert isinstance(app.screen_stack[-1], ProjectsDialog)
        await pilot.press("escape")
        assert app.screen is screen
        place = cursor(pilot)
        assert place is not None
        assert place[0] == "user"
        assert "no project" in lines(pilot)[0]
        assert focus_id(pilot) == "files"


async def test_no_home_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    async with app_on({}, tmp_path).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: said(pilot))
        assert os.environ.get("HOME") is None
        assert said(pilot)
