"""The picker: every project of both agents, found as one types."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.disk.paths import project_key
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.rows import RowList
from tests.tui.conftest import NOW_S, AppFor
from tests.tui.seen import AppPilot, cursor, filled, focus_id, lines, paste, seen, until

WIDE = (120, 40)


def dialog(pilot: AppPilot) -> ProjectsDialog:
    screen = pilot.app.screen
    assert isinstance(screen, ProjectsDialog)
    return screen


async def opened(pilot: AppPilot) -> ProjectsDialog:
    """Press the key of the picker and wait until it knows the projects."""
    await pilot.press("p")
    await until(pilot, lambda: dialog(pilot).discovery is not None)
    return dialog(pilot)


def rows(pilot: AppPilot) -> list[str]:
    """The rows of the picker."""
    view = dialog(pilot).query_one("#projects", RowList)
    if not view.display:
        return []
    texts = [view.render_line(y).text.strip() for y in range(view.size.height)]
    return [text for text in texts if text]


def note(pilot: AppPilot) -> str:
    view = dialog(pilot).query_one("#projects-note", LineView)
    return " ".join(view.text.split()) if view.display else ""


def make_project(demo: DemoHome, name: str, agent: str = "qwen", age_s: int = 90_000) -> Path:
    """A folder with one memory and one session that names it."""
    folder = demo.home / "code" / name
    folder.mkdir(parents=True)
    base = demo.home / f".{agent}" / "projects" / project_key(str(folder))
    memory = base / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text(f"---\nname: Of {name}\ntype: project\n---\nx\n", "utf-8")
    session = base / "chats" / "s.jsonl" if agent == "qwen" else base / "s.jsonl"
    session.parent.mkdir(exist_ok=True)
    record = {
        "uuid": "1",
        "sessionId": "s",
        "type": "user",
        "cwd": str(folder),
        "version": "0.24.1",
        "message": {"role": "user", "parts": [{"text": "hi"}]},
    }
    session.write_text(json.dumps(record) + "\n", "utf-8")
    for path in (memory / "a.md", session):
        os.utime(path, (NOW_S - age_s, NOW_S - age_s))
    return folder


async def test_all_projects_of_both_agents_are_listed(app: MemtuiApp, demo: DemoHome) -> None:
    make_project(demo, "stats-service")
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await opened(pilot)
        assert focus_id(pilot) == "project-query"
        assert [row.split() for row in rows(pilot)] == [
            ["▌~/work/acme-api", "qwen", "28", "now"],
            ["~/work/acme-mobile", "claude", "8", "2h"],
            ["~/code/stats-service", "qwen", "1", "1d"],
        ]
        assert "3 of 3 projects" in seen(pilot)
        await pilot.press("escape")
        assert app.screen is screen
        assert focus_id(pilot) == "files"
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")


@pytest.mark.parametrize("query", ["mob", "MOBILE", "acme mob", "moblie"])
async def test_typing_finds_and_enter_opens(app: MemtuiApp, demo: DemoHome, query: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("slash", "u", "enter")
        before = screen.lookup
        await opened(pilot)
        await paste(pilot, query)
        assert [row.split()[0] for row in rows(pilot)] == ["▌~/work/acme-mobile"]
        await pilot.press("enter")
        await until(pilot, lambda: screen.lookup is not None and screen.lookup is not before)
        assert app.screen is screen
        assert "acme-mobile" in lines(pilot)[0]
        assert screen.manager.target.directory == demo.mobile_dir
        assert (focus_id(pilot), cursor(pilot)) == (
            "files",
            ("project", "feedback_snapshot_tests.md"),
        )


async def test_the_best_stays_under_the_cursor_and_keys_walk_the_list(
    app: MemtuiApp, demo: DemoHome
) -> None:
    for number in range(40):
        make_project(demo, f"proj-{number:02}", age_s=90_000 + number)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await opened(pilot)
        await pilot.press("down", "down", "pagedown")
        listed = dialog(pilot).query_one("#projects", RowList)
        assert listed.position > 3
        await pilot.press("p", "r", "o", "j", " ", "3")
        assert listed.position == 1
        assert len(rows(pilot)) >= 10
        assert all("3" in row.split()[0] for row in rows(pilot))
        await pilot.press("up", "down", "down", "up", "enter")
        await until(pilot, lambda: screen.place == ("project", "a.md"))
        assert "proj-31" in lines(pilot)[0]


async def test_no_project_fits(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await opened(pilot)
        await paste(pilot, "zz[b]")
        assert rows(pilot) == []
        assert note(pilot) == "No project fits “zz[b]”."
        await pilot.press("enter", "down", "q")
        assert dialog(pilot).query_one("#project-query").has_focus
        await pilot.press(*["backspace"] * 6)
        assert len(rows(pilot)) == 2
        assert note(pilot) == ""


async def test_a_project_whose_folder_is_gone_opens_all_the_same(
    app: MemtuiApp, demo: DemoHome
) -> None:
    shutil.rmtree(demo.mobile_dir)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await opened(pilot)
        assert rows(pilot)[1].split() == ["~/work/acme-mobile", "gone", "claude", "8", "2h"]
        await pilot.press("down", "enter")
        await until(pilot, lambda: cursor(pilot) == ("project", "feedback_snapshot_tests.md"))
        assert "simulated: Claude uses its index" in lines(pilot)[-2]
        assert screen.manager.target.memory_dir == demo.mobile_memory


async def test_the_chosen_project_opens_whatever_its_folder_belongs_to_now(
    app: MemtuiApp, demo: DemoHome
) -> None:
    make_project(demo, "mono/part")
    (demo.home / "code/mono/.git").mkdir()
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await opened(pilot)
        await paste(pilot, "part")
        await pilot.press("enter")
        await until(pilot, lambda: cursor(pilot) == ("project", "a.md"))
        assert "Of mono/part" in screen.memory.lines.text
        assert app.screen is screen


async def test_the_picker_switches_between_the_agents_of_one_folder(
    app: MemtuiApp, demo: DemoHome
) -> None:
    theirs = demo.home / ".claude" / "projects" / project_key(str(demo.api_dir))
    shutil.copytree(demo.mobile_memory.parent, theirs)
    for session in theirs.glob("*.jsonl"):
        text = session.read_text("utf-8")
        session.write_text(text.replace("/acme-mobile", "/acme-api"), "utf-8")
        os.utime(session, (NOW_S - 300_000, NOW_S - 300_000))
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        for agent, place in (
            ("claude", ("project", "feedback_snapshot_tests.md")),
            ("qwen", ("project", "reference/deploy-checklist.md")),
        ):
            await opened(pilot)
            await paste(pilot, "acme-api")
            at = next(n for n, row in enumerate(rows(pilot)) if row.split()[1] == agent)
            await pilot.press(*["down"] * at, "enter")
            await until(pilot, lambda place=place: cursor(pilot) == place)  # type: ignore[misc]
            assert screen.manager.target.agent == agent
            assert "acme-api" in lines(pilot)[0]


async def test_it_opens_by_itself_where_the_folder_has_no_project_store(
    app_for: AppFor, demo: DemoHome
) -> None:
    fresh = demo.root / "fresh"
    fresh.mkdir()
    app = app_for(fresh)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await until(pilot, lambda: isinstance(app.screen, ProjectsDialog) and rows(pilot))
        assert "This folder has no project memory. Open another:" in seen(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "acme-api" in lines(pilot)[0])
        assert app.screen is screen
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")
        await pilot.pause(1.2)
        assert app.screen is screen


async def test_what_could_not_be_looked_at_is_told(app: MemtuiApp, demo: DemoHome) -> None:
    shutil.rmtree(demo.home / ".claude" / "projects")
    (demo.home / ".claude" / "projects").write_text("x", "utf-8")
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await opened(pilot)
        assert len(rows(pilot)) == 1
        told = note(pilot).replace(" ", "")  # a long path is wrapped anywhere
        assert "projectscannotberead:Notadirectory." in told


async def test_it_fits_a_small_terminal(app: MemtuiApp) -> None:
    async with app.run_test(size=(40, 10)) as pilot:
        screen = await filled(pilot)
        await opened(pilot)
        assert "acme-api" in seen(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: cursor(pilot) == ("project", "feedback_snapshot_tests.md"))
        assert app.screen is screen
