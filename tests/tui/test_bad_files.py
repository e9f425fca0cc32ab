"""Bad files in the app: each is told, whatever is beside it lists and can be read, keys answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from memtui.tui.reading import DocumentView
from memtui.tui.screens.browse import BrowseScreen
from tests.bad_store import FAULTY, GOOD, NO_MEMORIES, ODD, make_bad_store
from tests.cli_home import put, topic
from tests.tui.conftest import NOW_NS
from tests.tui.seen import AppPilot, browse, cursor, filled, lines, paste, rescan, until

KEY_CPU_S = 1.0
"""What one key may cost; by the processor, so that a busy machine fails nothing."""
SIZES = [(80, 24), (20, 5)]


def app_on(
    memory: Path, clock_ns: Callable[[], int] = lambda: NOW_NS, agent_home: Path | None = None
) -> MemtuiApp:
    env = {"HOME": str(agent_home or memory.parent / "home")}
    return MemtuiApp(MemoryManager(Target(memory.parent, memory), env, clock_ns=clock_ns))


async def costs(pilot: AppPilot, *keys: str) -> float:
    """The most that one of `keys` costs the thread of the screen, in seconds of the processor."""
    most = 0.0
    for key in keys:
        start = time.thread_time()
        await pilot.press(key)
        most = max(most, time.thread_time() - start)
    return most


async def read(pilot: AppPilot, path: str) -> str:
    """Go to a file of the project scope; what the memory pane says of it, blanks squeezed."""
    screen = browse(pilot)
    place: Place = ("project", path)
    screen.index.files.move_to(place)
    while screen.place != place:
        await asyncio.sleep(0)
    return "".join(screen.memory.lines.text.split())


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return make_bad_store(tmp_path / "memory")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_bad_file_is_told_and_every_other_read(
    bad: Path, size: tuple[int, int]
) -> None:
    async with app_on(bad).run_test(size=size) as pilot:
        screen = await filled(pilot)
        assert screen.lookup is not None
        assert screen.index.files.count == 1 + len({*NO_MEMORIES, *GOOD, *FAULTY, *ODD})
        await pilot.press("2")
        for path, kind in NO_MEMORIES.items():
            assert "".join(kind.said.split()) in await read(pilot, path)
        for path, said in FAULTY.items():
            assert "".join(said.split()) in await read(pilot, path)
        for path in GOOD:
            assert f"Thewordsof{path}." in await read(pilot, path)
        for path in ODD:
            assert await read(pilot, path)
        await pilot.press("m", "1", "g")
        assert await costs(pilot, *["down"] * screen.index.files.count) < KEY_CPU_S
        assert screen.is_raw
        assert screen.index.files.position == screen.index.files.count


async def test_the_rows_say_what_is_wrong(bad: Path) -> None:
    async with app_on(bad).run_test(size=(120, 80)) as pilot:
        screen = await filled(pilot)
        assert screen.lookup is not None
        rows = [line.split("│")[1].split() for line in lines(pilot)[2:-2]]
        for path in ("dangling.md", "cycle-a.md", "pipe.md", "zero.md", "huge.md", "folder.md"):
            assert ["✗", path, "unread"] in [row[-3:] for row in rows]
        for path in FAULTY:
            assert screen.lookup.rows["project", path].word == "faulty"
        assert f"✗ {len(NO_MEMORIES)} faulty" in lines(pilot)[0]


async def test_what_can_be_done_with_a_bad_file(bad: Path) -> None:
    """Filter, recall, copy and losers work beside bad files, and on them."""
    async with app_on(bad).run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        await read(pilot, "dangling.md")
        await pilot.press("y", "escape", "i", "1")
        assert await costs(pilot, "slash", *"words of good.md -also") < KEY_CPU_S
        assert [key for key in screen.index.files._place if key != ("project", "MEMORY.md")] == [
            ("project", "good.md")
        ]
        await pilot.press("escape", "escape", "r")
        assert await costs(pilot, *"words") < KEY_CPU_S
        recall = screen.recall.view.recall
        assert recall is not None
        assert [hit.document.path for hit in recall.hits][:1] != []
        await pilot.press("enter", "n")
        assert screen.recall.shows_losers
        assert screen.recall.losers.count >= len(ODD)


async def test_a_file_that_goes_between_the_list_and_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.screens.scanning.POLL_S", 3_600.0)
    memory = tmp_path / "memory"
    for name in ("a.md", "b.md", "c.md"):
        put(memory / name, topic(name, body=f"Body of {name}.\n"))
    async with app_on(memory).run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        await read(pilot, "b.md")
        (memory / "b.md").unlink()
        await pilot.press("m", "m", "2", "1", "enter")
        assert "Bodyofb.md." in await read(pilot, "b.md")
        await rescan(pilot)
        assert cursor(pilot) in (("project", "a.md"), ("project", "c.md"))
        assert "Bodyofc.md." in await read(pilot, "c.md")


async def test_a_clock_that_jumps(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    put(memory / "a.md", topic("A"), mtime_s=NOW_NS // 10**9 - 86_400 * 3)
    now_ns = NOW_NS
    async with app_on(memory, lambda: now_ns).run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        assert any(line.split("│")[1].split()[-1:] == ["3d"] for line in lines(pilot)[2:-2])
        for jump_s, age in ((-86_400 * 400, "now"), (86_400 * 200, "203d!"), (-(10**10), "now")):
            now_ns = NOW_NS + jump_s * 10**9
            put(memory / "b.md", topic(f"B {jump_s}"))
            await rescan(pilot)
            rows = [line.split("│")[1].split() for line in lines(pilot)[2:-2]]
            assert [row[1:] for row in rows if row[1:2] == ["A"]] == [["A", age]]


# Large ones.


LARGE = {
    "one-line.md": topic("One line", body="word " * 1_000_000),
    "one-word.md": topic("One word", body="x" * 5_000_000),
    "many-lines.md": topic("Many lines", body="- a bullet\n" * 100_000),
    "hidden.md": topic("Hidden", body="\x1b\u202e\0" * 100_000),
    "wide.md": topic("Wide", body="数据库🙂" * 100_000),
    "links.md": topic("Links", body="[a](b.md) `c` *d* " * 2_000),
    "brackets.md": topic("Brackets", body="[" * 39_000),
    "long-name.md": topic("n" * 5_000_000),
    "long-description.md": topic("Long description", "d" * 5_000_000),
    "long-type.md": topic("Long type", kind="t" * 1_000_000),
    "keys.md": "---\nname: Keys\n"
    + "".join(f"k{n}: v\n" for n in range(10_000))
    + "---\n\nBody.\n",
    "twice.md": "---\nname: Twice\n"
    + "".join(f"k{n % 5_000}: v\n" for n in range(10_000))
    + "---\n",
    "good.md": topic("Good", body="The words of good.md.\n"),
    "MEMORY.md": "- [Good](good.md) — d\n" + "x" * 5_000_000,
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    memory = tmp_path_factory.mktemp("large") / "memory"
    for path, text in LARGE.items():
        put(memory / path, text)
    return memory


async def ready(pilot: AppPilot) -> BrowseScreen:
    """Wait for the first scan, and for filter and recall."""
    screen = await filled(pilot)
    await until(pilot, lambda: not screen.unprepared)
    return screen


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_keys_answer_on_large_files(large: Path, size: tuple[int, int]) -> None:
    async with app_on(large).run_test(size=size) as pilot:
        screen = await ready(pilot)
        await pilot.press("g")
        for _ in LARGE:
            assert await costs(pilot, "down") < KEY_CPU_S, screen.place
        await pilot.press("m", "g")
        for _ in LARGE:
            assert await costs(pilot, "down") < KEY_CPU_S, screen.place
        await pilot.press("m")
        assert await costs(pilot, "slash", *"bullet", "escape", "escape") < KEY_CPU_S
        assert await costs(pilot, "r", *"words bullet", "escape", "s", "s") < KEY_CPU_S
        await pilot.press("2")
        assert "Thewordsofgood.md." in await read(pilot, "good.md")


async def test_what_is_not_drawn_of_a_large_file_is_told(large: Path) -> None:
    async with app_on(large).run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        for path in ("one-line.md", "one-word.md", "many-lines.md", "hidden.md"):
            text = await read(pilot, path)
            assert "toolongtolayout" in text
            assert "!thefilegoeson:" in text
        assert "!itgoeson:5,000,000charactersinall" in await read(pilot, "long-description.md")
        assert "!9,900morekeysnotshownhere" in await read(pilot, "keys.md")
        assert "!4,901morefaultsnotshownhere" in await read(pilot, "twice.md")
        assert "!thelinegoeson:5,000,000charactersinall" in await read(pilot, "MEMORY.md")


async def test_a_query_and_a_filter_of_100_kb(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    for number in range(200):
        put(memory / f"{number}.md", topic(f"Name {number}", body=f"word w{number:x} " * 50))
    query = "".join(f"w{number:x} " for number in range(18_000))
    async with app_on(memory).run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("r")
        start = time.thread_time()
        await paste(pilot, query)
        assert time.thread_time() - start < 3 * KEY_CPU_S
        assert len(screen.query_text) > 100_000
        assert await costs(pilot, "s", "s", "home", "x", "end", "y") < 3 * KEY_CPU_S
        await pilot.press("escape", "1", "slash")
        await paste(pilot, query)
        assert await costs(pilot, "x") < KEY_CPU_S
        await pilot.press("escape", "escape")
        assert screen.index.files.count == 200


def test_the_view_of_a_large_file_finds_no_entries(large: Path) -> None:
    """To find the entries of 100,000 lines takes seconds, and they are not marked there."""
    from memtui.tui.lookup import build_lookup

    manager = app_on(large).manager
    lookup = build_lookup(manager.scan(), {}, NOW_NS)
    view = lookup.view(("project", "many-lines.md"), tokens=(), is_raw=False)
    assert isinstance(view, DocumentView)
    assert (view.entries, view.links_out) == ((), ())
