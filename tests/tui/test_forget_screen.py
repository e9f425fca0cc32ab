"""Finding and marking what is to be forgotten; nothing is written here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.actions import of as actions_of
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.dialogs import HelpDialog
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.widgets.lines import LineView
from tests.engine.written_store import tree
from tests.tui.acting import (
    FREEZE,
    REVIEW,
    WIDE,
    find,
    forget,
    mark,
    press,
    review,
    settled,
    text_of,
)
from tests.tui.conftest import NOW_NS, NOW_S, AppFor
from tests.tui.drawn import squash
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
    toasts,
    until,
)

NARROW = [(80, 24), (60, 20), (40, 12)]


def rows_of(pilot: AppPilot) -> list[str]:
    """The rows of the candidates of a wide terminal, blanks folded."""
    drawn = lines(pilot)[3 : forget(pilot).panes[0].region.bottom - 1]
    return [row for line in drawn if (row := " ".join(line.strip("│ ").split()))]


def subtitle(pilot: AppPilot) -> str:
    """What the lower border of the candidates says."""
    return lines(pilot)[forget(pilot).panes[0].region.bottom - 1].strip("╰╯─ ")


def marked(pilot: AppPilot) -> set[str]:
    return {key[1] for key in forget(pilot).marked}


def styled(pilot: AppPilot, text: str) -> list[Style]:
    """The styles in which exactly `text` is drawn."""
    found = []
    for strip in pilot.app.screen._compositor.render_strips():
        for part in strip:
            if isinstance(part, Segment) and part.text == text and part.style:
                found.append(part.style)
    return found


async def test_f_on_a_memory_of_one_entry_goes_to_its_review(
    app: MemtuiApp, demo: DemoHome
) -> None:
    before = tree(demo.root)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")
        await press(pilot, "f")
        assert [file.key for file in review(pilot).shown_files] == [cursor(pilot)]
        assert lines(pilot)[0].startswith(" memtui  acme-api ▾  ›  forget  ›  review")
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)
        assert tree(demo.root) == before


async def test_f_on_a_file_of_several_entries_lists_them(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "j", "f")
        assert [one.entry.id for one in forget(pilot).candidates] == [
            f"feedback/release-notes.md:{index}" for index in range(3)
        ]
        assert focus_id(pilot) == "candidates"
        assert subtitle(pilot) == "3 of 52 entries · 3 marked"
        assert rows_of(pilot)[1].startswith("▌■ F feedback/release-notes.md:0@1b50 Write release")
        await press(pilot, "enter")
        assert [file.reason for file in review(pilot).shown_files][:1] == ["all 3 entries go"]
        await press(pilot, "escape", "A", "j", "enter")
        assert [file.reason for file in review(pilot).shown_files] == ["1 of 3 entries goes"]
        assert "entry :1 ─" in text_of(pilot, "#diff")
        await press(pilot, "escape", "a")
        assert subtitle(pilot) == "3 of 52 entries · 3 marked"
        await press(pilot, "slash")
        await paste(pilot, "fish")
        await settled(pilot)
        assert [one.entry.id for one in forget(pilot).candidates] == ["feedback/fish.md"]


async def test_f_on_the_index_says_what_to_do(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "g", "f")
        assert toasts(pilot) == ["No memory is under the cursor: F searches for what to forget."]
        assert pilot.app.screen is browse(pilot)


async def test_candidates_are_found_while_typing(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "F")
        assert (focus_id(pilot), subtitle(pilot)) == ("forget-query", "52 of 52 entries")
        assert rows_of(pilot)[0].startswith("all entries ─")
        await press(pilot, *"freeze")
        rows = rows_of(pilot)
        assert re.fullmatch("contains “freeze” ─+ 5", rows[0])
        assert [row.split()[:3] for row in rows[1:]] == [
            ["▌□", "P", "project/release-2-4.md"],
            ["□", "P", "project/merge-freeze.md"],
            ["□", "R", "reference/release-board.md"],
            ["□", "P", "project/リリース手順.md:2@c131"],
            ["□", "F", "feedback/review.md:3@73ba"],
        ]
        assert [row.split()[-2:] for row in rows[1:]] == [
            ["apply", "exact"],
            ["summary", "exact"],
            ["body", "exact"],
            ["apply", "exact"],
            ["summary", "exact"],
        ]
        assert subtitle(pilot) == "5 of 52 entries"
        hits = styled(pilot, "freeze")
        assert len([style for style in hits if style.bold and style.underline]) == 3
        # The cursor moves while typing; the rest of the screen follows it.
        await press(pilot, "down")
        assert forget(pilot).rows.cursor_key == FREEZE
        assert text_of(pilot, "#removed").startswith("project/merge-freeze.md  whole file")


async def test_what_is_similar_stands_apart_with_its_score(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "freze")
        rows = rows_of(pilot)
        assert re.fullmatch("similar ─+ 7", rows[0])
        assert rows[1].split()[-2:] == ["━━━━━━╸─", "83"]
        await press(pilot, "slash", *["backspace"] * 5)
        await paste(pilot, "merge main")
        await settled(pilot)
        rows = rows_of(pilot)
        assert [row.split(" ")[0] for row in rows if "─" * 9 in row] == ["contains", "similar"]
        assert [row.split()[-1] for row in rows if "□" in row][:3] == ["exact", "words", "words"]
        await press(pilot, "slash", *["backspace"] * 10)
        await paste(pilot, "fish")
        await settled(pilot)
        assert "user:feedback/fish.md" in rows_of(pilot)[1]
        await paste(pilot, " qqqq zzzz")
        await settled(pilot)
        assert rows_of(pilot) == []
        assert text_of(pilot, "#removed") == "No entry fits."
        await press(pilot, "enter", "space", "v", "a", "enter")
        assert toasts(pilot) == [
            "Type a query first: what contains it is marked.",
            "Nothing is chosen: space marks an entry.",
        ]
        assert marked(pilot) == set()


async def test_marks(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "freeze")
        await press(pilot, "space", "space")
        assert marked(pilot) == {"project/release-2-4.md", "project/merge-freeze.md"}
        assert forget(pilot).rows.position == 3
        await press(pilot, "k", "space")
        assert marked(pilot) == {"project/release-2-4.md"}
        await press(pilot, "j", "v")
        assert len(marked(pilot)) == 4
        assert "project/リリース手順.md:2" in marked(pilot)
        assert subtitle(pilot) == "5 of 52 entries · 4 marked"
        assert [row[:2].strip("▌ ") for row in rows_of(pilot)[1:]] == ["■", "■", "■", "■", "□"]
        # They stay while something else is asked for, also in one scope only.
        await press(pilot, "slash", *["backspace"] * 6)
        await paste(pilot, "squash")
        await press(pilot, "enter", "a")
        assert len(marked(pilot)) == 8
        shown = []
        for _ in range(4):
            await press(pilot, "s")
            shown.append(subtitle(pilot))
        assert shown == [
            "project · 4 of 43 entries · 8 marked",
            "user · 0 of 6 entries · 8 marked",
            "team · 0 of 3 entries · 8 marked",
            "4 of 52 entries · 8 marked",
        ]
        assert text_of(pilot, "#follows").split()[:3] == ["8", "entries", "chosen"]
        await press(pilot, "enter")
        assert len(review(pilot).shown_files) == 8
        await press(pilot, "escape", "A")
        assert (marked(pilot), subtitle(pilot)) == (set(), "4 of 52 entries")
        assert text_of(pilot, "#follows").split()[:3] == ["1", "entry", "chosen"]


async def test_what_goes_and_what_follows(app: MemtuiApp, demo: DemoHome) -> None:
    before = tree(demo.root)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "freeze")
        await mark(pilot, "project/merge-freeze.md", "feedback/review.md:3")
        removed = [" ".join(line.split()) for line in text_of(pilot, "#removed").splitlines()]
        assert removed[0] == "project/merge-freeze.md whole file 10 lines · 512 B"
        assert removed[1:3] == ["1 - ---", "2 - name: Merge freeze before 2.4"]
        head = next(line for line in removed if line.startswith("feedback/review.md"))
        assert head == "feedback/review.md one of 4 entries 3 lines · 200 B"
        start = removed.index(head)
        assert removed[start + 1].startswith("14 14 - **How to apply:** Read a test file")
        assert "15 - - Don't ask for a rebase during a merge freeze." in removed
        follows = [" ".join(line.split()) for line in text_of(pilot, "#follows").splitlines()]
        assert follows[:5] == [
            "2 entries chosen",
            "1 file goes, it holds nothing else",
            "1 file edited",
            "1 index line goes",
            "2 links break",
        ]
        assert "3 - - [Merge freeze before 2.4](project/me…" in follows
        first = follows.index("! project/release-2-4.md:11")
        assert follows[first + 1 : first + 4] == [
            "[[merge-freeze]]",
            "! project/リリース手順.md:14",
            "[[merge-freeze]]",
        ]
        assert follows[-1] == "Everything comes back with u, also next week."
        await press(pilot, "enter")
        assert [file.key for file in review(pilot).shown_files] == [
            FREEZE,
            REVIEW,
            ("project", "MEMORY.md"),
        ]
        effects = " ".join(text_of(pilot, "#effects").split())
        assert "! project/release-2-4.md:11 [[merge-freeze]]" in effects
        assert "37 → 36" in effects
    assert tree(demo.root) == before


async def test_leaving_and_copying(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "F")
        await paste(pilot, "fish")
        await press(pilot, "escape")
        assert focus_id(pilot) == "candidates"
        await press(pilot, "y")
        assert app.clipboard == "user:feedback/fish.md@b79c"
        assert toasts(pilot) == ["copied: Entry ID"]
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)
        await press(pilot, "F", "escape")
        assert pilot.app.screen is browse(pilot)


async def test_the_screen_follows_what_changes_on_disk(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "freeze")
        await mark(pilot, "project/merge-freeze.md", "feedback/review.md:3")
        for name, old, new in (
            ("feedback/review.md", b"Don't ask", b"Never ask"),
            ("project/release-2-4.md", b"Mina tags", b"Freeze: Mina tags"),
        ):
            path = demo.api_memory / name
            path.write_bytes(path.read_bytes().replace(old, new))
        await rescan(pilot)
        await settled(pilot)
        assert marked(pilot) == {"project/merge-freeze.md"}
        assert toasts(pilot) == ["1 marked entry was changed meanwhile: no longer marked."]
        assert "Never ask" in seen(pilot)
        assert "Freeze: Mina" in seen(pilot)
        assert forget(pilot).rows.cursor_key == ("project", "feedback/review.md:3")
        await press(pilot, "space", "enter")
        assert [file.key for file in review(pilot).shown_files][:2] == [REVIEW, FREEZE]


async def test_a_store_without_memories(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "home" / "plain"
    folder.mkdir(parents=True)
    key = str(folder).replace("/", "-").replace("_", "-").replace(".", "-")
    (home / ".qwen" / "projects" / key / "memory").mkdir(parents=True)
    manager = MemoryManager(Target(folder), {"HOME": str(home)}, clock_ns=lambda: NOW_NS)
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen))
        await press(pilot, "f")
        await press(pilot, "F")
        assert subtitle(pilot) == "0 of 0 entries"
        assert text_of(pilot, "#removed") == "There is no memory to forget."
        await press(pilot, "enter", "space", "v", "A", "s", "y", "enter", "tab", "tab")
        assert toasts(pilot)[-1] == "Nothing is chosen: space marks an entry."
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_pinned_foreign_and_faulty_files(app_for: AppFor, demo: DemoHome) -> None:
    bullets = "---\nname: Bullets\ntype: feedback\n---\n\n- Größe\n- Maße\n".encode("latin-1")
    (demo.api_memory / "feedback/bullets.md").write_bytes(bullets)
    (demo.api_memory / "feedback/nowhere.md").symlink_to("gone.md")
    async with app_for(demo.api_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert "✗ 1 faulty" in lines(pilot)[0]
        await press(pilot, "slash")
        await paste(pilot, "pinned:yes")
        await press(pilot, "enter", "f")
        effects = " ".join(text_of(pilot, "#effects").split())
        assert "! pinned/architecture.md is pinned; it goes because you chose it." in effects
        await press(pilot, "escape")
        await find(pilot)
        await mark(pilot, "feedback/bullets.md:0")
        follows = " ".join(text_of(pilot, "#follows").split())
        sentence = (
            "feedback/bullets.md is not UTF-8, so single entries of it cannot go: "
            "choose all 2, or convert it first."
        )
        assert follows == f"✗ {sentence}"
        await press(pilot, "enter")
        assert toasts(pilot) == [sentence]
        await mark(pilot, "feedback/bullets.md:1", "reference/vpn-profile.md")
        await press(pilot, "enter")
        assert [file.sign for file in review(pilot).shown_files] == ["D", "D", "M"]
        assert "Größe" in text_of(pilot, "#diff")
        assert "! not UTF-8, shown as Latin-1" in text_of(pilot, "#diff")


async def test_read_only(demo: DemoHome) -> None:
    manager = MemoryManager(
        Target(demo.api_dir),
        demo.environment(os.environ),
        is_readonly=True,
        clock_ns=lambda: NOW_NS,
    )
    before = tree(demo.root)
    sentence = "memtui was started with --readonly, so nothing is written."
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "fish")
        assert f"✗ {sentence}" in " ".join(text_of(pilot, "#follows").split())
        await press(pilot, "enter", "enter")
        review(pilot)
        (toast,) = pilot.app._notifications
        assert (toast.title, toast.message) == ("Nothing was written", sentence)
        await press(pilot, "escape", "escape")
        assert pilot.app.screen is browse(pilot)
    assert tree(demo.root) == before


@pytest.fixture
def other_process() -> Iterator[int]:
    """The PID of a process that lives until the test ends."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child.pid
    child.communicate(b"\n")


async def test_a_held_lock_refuses_and_is_named(
    app: MemtuiApp, demo: DemoHome, other_process: int
) -> None:
    app.manager.writer._timeout_s = 0.05
    lock = demo.api_memory.parent / "consolidation.lock"
    lock.write_text(str(other_process))
    made_s = max(time.time(), NOW_S)
    os.utime(lock, (made_s, made_s))
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "freeze")
        held = f"held by PID {other_process} (python"
        follows = " ".join(text_of(pilot, "#follows").split())
        assert squash(held) in squash(follows)
        assert re.search(r"since[0-9]+s\.Wait", squash(follows))
        await press(pilot, "enter", "enter")
        review(pilot)
        (toast,) = pilot.app._notifications
        assert toast.title == "Nothing was written"
        assert held in toast.message
        assert re.search(r"since [0-9]+ s\. Wait until that is done", toast.message)
    assert tree(demo.home) == before


def assert_focus_is_seen(pilot: AppPilot) -> int:
    """The pane with the focus is drawn with some of its content; gives its number."""
    screen = pilot.app.screen
    assert isinstance(screen, PanedScreen)
    pane, focused = screen.focused_pane, pilot.app.focused
    assert focused is not None
    assert pane in focused.ancestors
    assert focused.region.height >= 1
    assert focused.region.width >= 10
    assert screen.region.contains_region(pane.region)
    assert screen.find_widget(pane).visible_region == pane.region
    assert f"{pane.number} {pane.title}" in lines(pilot)[pane.region.y]
    return pane.number


@pytest.mark.parametrize("size", NARROW, ids=lambda size: "x".join(map(str, size)))
async def test_each_pane_can_be_seen_in_a_narrow_terminal(
    app: MemtuiApp, size: tuple[int, int]
) -> None:
    async with app.run_test(size=size) as pilot:
        await filled(pilot)
        await find(pilot, "freeze")
        await mark(pilot, "project/merge-freeze.md", "feedback/review.md:3")
        wanted = {1: "■ P", 2: "name: Merge", 3: "entries chosen"}
        for key in ("1", "tab", "tab", "tab", "shift+tab", "2", "3", "slash"):
            await press(pilot, key)
            assert wanted[assert_focus_is_seen(pilot)] in seen(pilot)
        assert focus_id(pilot) == "forget-query"
        await press(pilot, "enter", "enter")
        wanted = {1: "✓ D", 2: "name: Merge", 3: "index lines that go"}
        for key in ("1", "tab", "tab", "tab", "2", "3"):
            await press(pilot, key)
            assert wanted[assert_focus_is_seen(pilot)] in seen(pilot)
        await press(pilot, "1", "G", "2")
        assert assert_focus_is_seen(pilot) == 2
        if size[0] < 80:
            assert lines(pilot)[2].split()[1] == "MEMORY.md"
        # From here everything fits again.
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        shown = [pane.number for pane in review(pilot).panes if not pane.has_class("-hidden")]
        assert shown == [1, 2, 3]
        assert all(pane.region.area for pane in review(pilot).panes)


async def test_a_wide_and_low_terminal_shows_all_panes(app: MemtuiApp) -> None:
    async with app.run_test(size=(140, 24)) as pilot:
        await filled(pilot)
        await find(pilot)
        assert [pane.region.height for pane in forget(pilot).panes] == [11, 11, 11]


async def test_help_and_palette_tell_the_actions_of_the_screen(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 60)) as pilot:
        await filled(pilot)
        await find(pilot, "fish")
        for place in ("forget", "review"):
            actions = actions_of(("app", place))
            titles = [each.title for each in app.get_system_commands(app.screen)]
            assert titles == [each.label for each in actions if each.in_palette]
            assert not {"apply", "review"} & set(titles)
            await press(pilot, "question_mark")
            assert isinstance(pilot.app.screen, HelpDialog)
            told = pilot.app.screen.query_one("#help-lines", LineView).text.splitlines()
            for action in actions:
                assert f"{action.shown:14}{action.help}" in told
            await press(pilot, "escape", "enter")
