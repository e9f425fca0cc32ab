"""What changes on disk shows by itself, and the cursor stays on its file."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.errors import StoreError
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target, Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from tests.tui.conftest import NOW_NS, NOW_S, AppFor
from tests.tui.seen import (
    AppPilot,
    app_of,
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


def write(path: Path, name: str, age_s: int = 0, body: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name}\ndescription: d\ntype: project\n---\n{body}\n"
    path.write_text(text, "utf-8")
    os.utime(path, (NOW_S - age_s, NOW_S - age_s))


def under_the_bar(pilot: AppPilot) -> str:
    """The row of the list that the cursor bar stands in."""
    cells = (line.split("│")[1] for line in lines(pilot)[2:-2])
    return next(cell for cell in cells if cell.startswith(" ▌")).strip()


async def go_to(pilot: AppPilot, place: Place) -> None:
    browse(pilot).index.files.move_to(place)
    await pilot.pause()
    assert browse(pilot).place == place


async def test_the_cursor_stays_on_its_file_whatever_happens_around_it(
    app: MemtuiApp, demo: DemoHome
) -> None:
    memory = demo.api_memory
    freeze: Place = ("project", "project/merge-freeze.md")
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await go_to(pilot, freeze)
        assert screen.index.files.position == 5

        write(memory / "project/above.md", "Above all")
        await rescan(pilot)
        assert (cursor(pilot), screen.index.files.position) == (freeze, 6)
        assert "Above all" in seen(pilot)
        assert "project 29" in lines(pilot)[0]
        assert "Merge freeze" in under_the_bar(pilot)

        (memory / "feedback/release-notes.md").unlink()
        await rescan(pilot)
        assert (cursor(pilot), screen.index.files.position) == (freeze, 5)
        assert "Release notes style" not in seen(pilot)

        write(memory / "project/merge-freeze.md", "Freeze is over", body="Merge what you like.")
        await rescan(pilot)
        assert (cursor(pilot), screen.index.files.position) == (freeze, 3)
        assert "Freeze is over" in under_the_bar(pilot)
        assert "Merge what you like." in screen.memory.lines.text

        (memory / "MEMORY.md").write_text("- [a](project/above.md) — d\n", "utf-8")
        await rescan(pilot)
        assert (cursor(pilot), screen.index.files.position) == (freeze, 3)
        assert "1/200" in lines(pilot)[0]
        assert "! not in the index" in screen.memory.lines.text

        (memory / "MEMORY.md").unlink()
        await rescan(pilot)
        assert (cursor(pilot), screen.index.files.position) == (freeze, 2)
        assert "no index" in screen.memory.lines.text


async def test_a_file_that_goes_hands_the_cursor_to_its_neighbour(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await go_to(pilot, ("project", "project/merge-freeze.md"))
        (demo.api_memory / "project/merge-freeze.md").unlink()
        await rescan(pilot)
        following = ("project", "feedback/no-closing-summary.md")
        assert cursor(pilot) == screen.place == following
        assert "No summaries at the end" in screen.memory.lines.text

        (demo.api_memory / following[1]).rename(demo.api_memory / "feedback/renamed.md")
        await rescan(pilot)
        assert cursor(pilot) == screen.place == ("project", "feedback/renamed.md")

        await pilot.press("G")
        (demo.team_memory / "reference/runbooks.md").unlink()
        await rescan(pilot)
        assert cursor(pilot) == screen.place == ("team", "project/api-v1-sunset.md")
        assert "API v1 ends" in under_the_bar(pilot)


async def test_the_reader_keeps_focus_and_scroll_while_the_file_grows(
    app: MemtuiApp, demo: DemoHome
) -> None:
    path = demo.api_memory / "project/merge-freeze.md"
    write(path, "Long", body="\n\n".join(f"line {number}" for number in range(90)))
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("2", "j", "j", "j")
        with path.open("a", encoding="utf-8") as file:
            file.write("\n\nthe end\n")
        await rescan(pilot)
        assert screen.memory.lines.scroll_offset.y == 3
        assert focus_id(pilot) == "document"
        assert "the end" in screen.memory.lines.text


async def test_a_list_scrolled_by_the_wheel_stays_where_it_is(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=(120, 16)) as pilot:
        screen = await filled(pilot)
        files = screen.index.files
        files.scroll_to(y=12, animate=False)
        await pilot.pause()
        write(demo.api_memory / "project/new.md", "New one")
        await rescan(pilot)
        assert files.scroll_offset.y == 12
        await pilot.press("j")
        assert "Release notes" in under_the_bar(pilot)
        assert cursor(pilot) == ("project", "feedback/release-notes.md")


async def test_a_poll_notices_without_being_asked(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        write(demo.user_memory / "user/new.md", "Likes short answers")
        await until(pilot, lambda: "Likes short answers" in seen(pilot))


async def test_a_store_is_removed_and_made_again(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        aside = demo.root / "aside"
        demo.api_memory.rename(aside)
        await rescan(pilot)
        place = cursor(pilot)
        assert place is not None
        assert place[0] == "user"
        assert "project 28" not in lines(pilot)[0]
        assert app.screen is screen
        aside.rename(demo.api_memory)
        await rescan(pilot)
        assert "project 28" in lines(pilot)[0]
        assert cursor(pilot) == screen.place == place
        for directory in (demo.api_memory, demo.user_memory, demo.team_memory):
            shutil.rmtree(directory)
        await rescan(pilot)
        assert "No memory here" in seen(pilot)
        assert focus_id(pilot) == "no-files"
        write(demo.api_memory / "project/again.md", "Here again")
        await rescan(pilot)
        assert cursor(pilot) == screen.place == ("project", "project/again.md")
        assert "Here again" in under_the_bar(pilot)
        assert focus_id(pilot) == "files"
        assert "Here again" in screen.memory.lines.text


async def test_a_store_appears_where_there_was_none(app_for: AppFor, demo: DemoHome) -> None:
    fresh = demo.root / "fresh"
    (fresh / ".git").mkdir(parents=True)
    shutil.rmtree(demo.user_memory)
    app = app_for(fresh)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("escape")
        assert "No memory here" in seen(pilot)
        assert focus_id(pilot) == "no-files"
        write(fresh / ".qwen/team-memory/project/a.md", "The first one")
        await rescan(pilot)
        assert cursor(pilot) == screen.place == ("team", "project/a.md")
        assert "The first one" in under_the_bar(pilot)
        assert app.screen is screen
        await pilot.press("enter")
        assert focus_id(pilot) == "document"


async def test_a_thousand_files(app_for: AppFor, demo: DemoHome) -> None:
    for number in range(1_000):
        write(demo.api_memory / f"project/n{number:04}.md", f"Note {number}", 3_600 + number)
    app = app_for(demo.api_dir)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert "project 1,028" in lines(pilot)[0]
        await go_to(pilot, ("project", "project/n0500.md"))
        assert "503/1,040" in lines(pilot)[-2]
        assert "Note 500" in under_the_bar(pilot)
        write(demo.api_memory / "project/top.md", "Top")
        (demo.api_memory / "project/n0400.md").unlink()
        (demo.api_memory / "project/n0600.md").unlink()
        await rescan(pilot)
        assert cursor(pilot) == screen.place == ("project", "project/n0500.md")
        assert "503/1,039" in lines(pilot)[-2]
        await pilot.press("slash", "7", "7", "7")
        assert cursor(pilot) == ("project", "project/n0777.md")
        for number in range(1_000):
            (demo.api_memory / f"project/n{number:04}.md").unlink(missing_ok=True)
        await rescan(pilot)
        assert "Nothing fits 777" in seen(pilot)
        await pilot.press("escape")
        assert "project 29" in lines(pilot)[0]
        assert focus_id(pilot) == "files"


class Moody(MemoryManager):
    """A manager whose scans can fail, or wait to be let go."""

    error: BaseException | None = None
    holding: threading.Event | None = None

    def scan(self) -> Workspace:
        if self.error is not None:
            raise self.error
        workspace = super().scan()
        holding, self.holding = self.holding, None
        if holding is not None:
            assert holding.wait(20)
        return workspace


@pytest.fixture
def manager(demo: DemoHome) -> Moody:
    env = demo.environment(os.environ)
    return Moody(Target(demo.api_dir), env, clock_ns=lambda: NOW_NS)


@pytest.mark.parametrize(
    "error",
    [
        StoreError("The disk [is] gone."),
        PermissionError(13, "The disk [is] gone."),
        ZeroDivisionError("The disk [is] gone."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_of_a_scan_is_shown_and_recovered_from(
    manager: Moody, error: Exception
) -> None:
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("j", "j")
        place = screen.place
        manager.error = error
        await rescan(pilot)
        await until(pilot, lambda: screen.lookup is None)
        said = " ".join(" ".join(line.split("│")[1] for line in lines(pilot)[2:-2]).split())
        assert "✗" in said
        assert "The disk [is] gone." in said
        await pilot.press("s", "n", "m", "i", "y", "r", "escape")
        manager.error = None
        await rescan(pilot)
        await until(pilot, lambda: screen.lookup is not None)
        assert cursor(pilot) == screen.place == place
        assert focus_id(pilot) == "files"


async def test_an_error_of_the_first_scan(manager: Moody) -> None:
    manager.error = StoreError("There is no home.")
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "✗ There is no home." in seen(pilot))
        assert focus_id(pilot) == "no-files"
        manager.error = None
        await until(pilot, lambda: "Release notes style" in seen(pilot))
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")


async def test_ages_are_told_anew_in_an_app_that_stays_open(demo: DemoHome) -> None:
    times = [NOW_NS]
    env = demo.environment(os.environ)
    manager = MemoryManager(Target(demo.api_dir), env, clock_ns=lambda: times[-1])
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("j", "r")
        await paste(pilot, "release notes")
        assert under_the_bar(pilot).split()[-1] == "1d"
        assert "Saved yesterday." in seen(pilot)
        times.append(NOW_NS + 3 * 86_400 * 1_000_000_000)
        await rescan(pilot)
        assert under_the_bar(pilot).split()[-1] == "4d"
        assert "939 B · 4d" in screen.memory.lines.text
        assert "Saved 4 days ago." in seen(pilot)


async def test_another_project_and_back(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("slash", "u", "v", "enter")
        for directory, title, first in (
            (demo.mobile_dir, "acme-mobile", None),
            (demo.api_dir, "acme-api", ("project", "reference/deploy-checklist.md")),
        ):
            screen.open(Target(directory))
            await until(pilot, lambda: screen.lookup is not None)
            assert title in lines(pilot)[0]
            lookup = screen.lookup
            assert lookup is not None
            newest = next(iter(lookup.documents))
            assert cursor(pilot) == screen.place == newest
            assert first in (None, newest)
            assert lookup.documents[newest].description in " ".join(
                screen.memory.lines.text.split()
            )
            assert screen.index.prompt.value == screen.filter_text == ""
            assert focus_id(pilot) == "files"
        assert "Release notes style" in seen(pilot)


async def test_a_late_scan_of_the_former_project_is_never_shown(
    manager: Moody, demo: DemoHome
) -> None:
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await until(pilot, lambda: not screen._is_scanning)
        write(demo.api_memory / "project/late.md", "Late news")
        manager.holding = held = threading.Event()
        screen.scan()
        await until(pilot, lambda: manager.holding is None)
        screen.open(Target(demo.mobile_dir))
        await until(pilot, lambda: screen.lookup is not None)
        shown = screen.lookup
        held.set()
        await app_of(pilot).workers.wait_for_complete()
        await pilot.pause()
        assert screen.lookup is shown
        assert "Late news" not in seen(pilot)
        assert "acme-mobile" in lines(pilot)[0]
        write(demo.mobile_memory / "project_new.md", "Fresh news")
        await rescan(pilot)
        assert "Fresh news" in seen(pilot)
