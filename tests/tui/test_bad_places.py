"""Bad places in the app, as a person without rights meets them: told, and got over."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.widgets.lines import LineView
from tests.cli_home import put, topic
from tests.engine.unprivileged import run_without_privileges
from tests.tui.seen import AppPilot, browse, filled, toasts, until

APP = """
import asyncio, os, sys
from pathlib import Path
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from tests.tui.seen import browse, cursor, filled, rescan, until

memory = Path(sys.argv[1])
env = {"HOME": str(memory.parent / "home")}

def texts(pilot):
    screen = browse(pilot)
    told = screen.index.query_one("#no-files").text
    return " ".join(f"{told} {screen.memory.lines.text}".split())

def names(pilot):
    return sorted(key[1] for key in browse(pilot).index.files._place)

async def read(pilot, path):
    browse(pilot).index.files.move_to(("project", path))
    await until(pilot, lambda: browse(pilot).place == ("project", path))
    return texts(pilot)

async def main():
    app = MemtuiApp(MemoryManager(Target(memory.parent, memory), env))
    async with app.run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        await check(pilot)

"""

CLOSED_FILES = """
async def check(pilot):
    print(*names(pilot))
    for path in ("closed.md", "closed", "MEMORY.md"):
        print(await read(pilot, path))
    print(await read(pilot, "good.md"))

asyncio.run(main())
"""

NOTHING_WRITTEN = """
async def check(pilot):
    await pilot.press("j", "k", "slash", "g", "escape", "escape", "m", "m", "i", "1")
    print(await read(pilot, "good.md"))

asyncio.run(main())
"""

RIGHTS_LOST = """
async def check(pilot):
    print(await read(pilot, "good.md"))
    memory.chmod(0)
    await rescan(pilot)
    print(texts(pilot))
    await pilot.press("j", "slash", "x", "escape", "escape", "y", "m", "2", "1")
    memory.chmod(0o755)
    await rescan(pilot)
    print(*names(pilot))
    (memory / "good.md").chmod(0)
    await rescan(pilot)
    print(await read(pilot, "good.md"))
    (memory / "good.md").chmod(0o644)
    await rescan(pilot)
    print(await read(pilot, "good.md"))

asyncio.run(main())
"""

CLOSED_STORE = """
async def check(pilot):
    print(texts(pilot))
    memory.chmod(0o755)
    await rescan(pilot)
    print(*names(pilot))

asyncio.run(main())
"""

NO_RIGHT = "(permission denied); give your user the right to"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A store with two good memories and an index."""
    put(tmp_path / "memory/good.md", topic("Good", body="The words of good.md.\n"))
    put(tmp_path / "memory/other.md", topic("Other"))
    put(tmp_path / "memory/MEMORY.md", "- [Good](good.md) — feedback\n")
    return tmp_path / "memory"


def run(code: str, memory: Path) -> list[str]:
    """What the app prints in a process that file modes hold for."""
    return run_without_privileges(APP + code, str(memory)).splitlines()


def test_files_and_folders_without_rights(memory: Path) -> None:
    put(memory / "closed.md", topic("Closed")).chmod(0)
    put(memory / "closed/inside.md", topic("Inside"))
    (memory / "closed").chmod(0)
    (memory / "MEMORY.md").chmod(0)
    listed, file, folder, index, good = run(CLOSED_FILES, memory)
    assert listed == "MEMORY.md closed closed.md good.md other.md"
    assert f"This file cannot be read {NO_RIGHT} read it." in file
    assert f"This folder cannot be read {NO_RIGHT} list and enter it." in folder
    assert f"This file cannot be read {NO_RIGHT} read it." in index
    assert "The words of good.md." in good


def test_rights_that_are_lost_and_given_back(memory: Path) -> None:
    before, lost, back, closed, again = run(RIGHTS_LOST, memory)
    assert "The words of good.md." in before
    assert f"cannot be read {NO_RIGHT} list and enter it." in lost
    assert str(memory) in lost.replace(" ", "")
    assert "The words of good.md." not in lost
    assert back == "MEMORY.md good.md other.md"
    assert f"This file cannot be read {NO_RIGHT} read it." in closed
    assert "The words of good.md." in again


def test_a_store_without_rights_that_gets_them(memory: Path) -> None:
    memory.chmod(0)
    told, listed = run(CLOSED_STORE, memory)
    assert f"cannot be read {NO_RIGHT} list and enter it." in told
    assert listed == "MEMORY.md good.md other.md"


def test_a_store_that_may_not_be_written_is_not(memory: Path) -> None:
    everything = [memory.parent, memory, *memory.iterdir()]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = [path.stat().st_ctime_ns for path in everything]
    assert "The words of good.md." in run(NOTHING_WRITTEN, memory)[0]
    assert [path.stat().st_ctime_ns for path in everything] == before
    assert list(memory.parent.iterdir()) == [memory]
    for path in everything:
        path.chmod(0o755 if path.is_dir() else 0o644)


# Without loss of rights.


def app_on(home: Path | str, directory: Path, memory_dir: Path | None = None) -> MemtuiApp:
    return MemtuiApp(MemoryManager(Target(directory, memory_dir), {"HOME": str(home)}))


def said(pilot: AppPilot) -> str:
    """What stands in the place of the list and in the memory pane, without blanks."""
    screen = browse(pilot)
    told = screen.index.query_one("#no-files", LineView)
    return "".join(f"{told.text if told.display else ''}{screen.memory.lines.text}".split())


async def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    put(tmp_path / "file", "no home")
    put(tmp_path / "work/readme", "")
    async with app_on(tmp_path / "file", tmp_path / "work").run_test(size=(120, 50)) as pilot:
        await filled(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, ProjectsDialog))
        note = pilot.app.screen.query_one("#projects-note", LineView)
        await until(pilot, lambda: "cannotberead:Notadirectory." in "".join(note.text.split()))
        await pilot.press("escape")
        assert f"{tmp_path}/file/.qwen/memoriesliesbelowafile." in said(pilot)


async def test_a_folder_that_is_missing_or_a_file(tmp_path: Path) -> None:
    put(tmp_path / "file", "no folder")
    for name, fault in (("none", "does not exist."), ("file", "is not a directory.")):
        async with app_on(tmp_path / "home", tmp_path / name).run_test(size=(120, 50)) as pilot:
            await filled(pilot)
            await pilot.press("escape")
            assert f"✗{tmp_path / name}{fault}".replace(" ", "") in said(pilot)
            assert toasts(pilot) == [f"{tmp_path / name} {fault}"]


@pytest.mark.parametrize("kind", ["folder", "dangling", "utf-16", "empty"])
async def test_an_index_that_is_bad(memory: Path, kind: str) -> None:
    index = memory / "MEMORY.md"
    index.unlink()
    if kind == "folder":
        index.mkdir()
    elif kind == "dangling":
        index.symlink_to("nowhere")
    else:
        text = "- [Good](good.md) — feedback\n" if kind == "utf-16" else ""
        index.write_bytes(b"\xff\xfe" + text.encode("utf-16-le") if text else b"")
    expected = {
        "folder": "Thisisafolder",
        "dangling": "Thislinkleadsnowhere:thereisnonowhere.",
        "utf-16": "[Good](good.md)—feedback",
        "empty": "good.mdhasnoline",
    }[kind]
    async with app_on(memory.parent / "home", memory.parent, memory).run_test() as pilot:
        screen = await filled(pilot)
        screen.index.files.move_to(("project", "MEMORY.md"))
        await until(pilot, lambda: expected in said(pilot))
        screen.index.files.move_to(("project", "good.md"))
        await until(pilot, lambda: "Thewordsofgood.md." in said(pilot))
