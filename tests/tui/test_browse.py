"""The list of all memories and the one under the cursor."""

from __future__ import annotations

import os
import re

import pytest

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from tests.tui.conftest import NOW_S, AppFor
from tests.tui.seen import AppPilot, browse, cursor, filled, focus_id, lines, rescan, seen

WIDE = (120, 40)
HEAD = re.compile(r"(project|user|team) ─+ ([0-9,]+)")


def index_lines(pilot: AppPilot) -> list[str]:
    """The rows of the index pane of a wide terminal, without its frame and filter."""
    return [line.split("│")[1].strip() for line in lines(pilot)[3:-2]]


def heads_of(rows: list[str]) -> list[tuple[str, ...]]:
    """Scope and count of the rule lines among `rows`."""
    return [match.groups() for row in rows if (match := HEAD.fullmatch(row))]


def memory_text(pilot: AppPilot) -> str:
    """All lines of the memory pane, also those out of view."""
    return browse(pilot).memory.lines.text


async def test_all_scopes_are_listed_side_by_side_newest_first(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 60)) as pilot:
        await filled(pilot)
        assert " ".join(lines(pilot)[0].split()) == (
            "memtui acme-api ▾ project 28 user 6 team 3 ! 3 unseen"
            " index ━╸──────── 26/200 lines 3.1/25.0 kB"
        )
        rows = index_lines(pilot)
        assert heads_of(rows) == [("project", "28"), ("user", "6"), ("team", "3")]
        assert rows[1].split() == ["·", "MEMORY.md", "26", "lines"]
        assert any("F Use uv, never ba… faulty   5d" in row for row in rows)
        assert rows[2].split() == ["▌R", "deploy-checklist", "unseen", "now"]
        assert rows[3].split() == ["F", "Release", "notes", "style", "1d"]
        start = rows.index(next(row for row in rows if row.startswith("user ")))
        assert rows[start + 2].split() == ["U", "Backend", "lead,", "Go", "and", "SQL", "12d"]
        assert "P Legacy auth is read-onl…  96d!" in rows
        assert "· runbooks          unseen  40d" in rows
        assert sum(" unseen " in row for row in rows) == 3
        assert "2/40" in lines(pilot)[-2]
        assert cursor(pilot) == ("project", "reference/deploy-checklist.md")
        assert focus_id(pilot) == "files"


async def test_moving_by_keys(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await filled(pilot)
        files = screen.index.files
        await pilot.press("j", "down", "k")
        assert (cursor(pilot), files.position) == (("project", "feedback/release-notes.md"), 3)
        await pilot.press("G")
        assert (cursor(pilot), files.position) == (("team", "reference/runbooks.md"), 40)
        assert "▌· runbooks" in seen(pilot)
        await pilot.press("down")
        assert files.position == 40
        await pilot.press("pageup")
        assert files.position == 40 - (files.size.height - 2)
        await pilot.press("g")
        assert (cursor(pilot), files.position) == (("project", "MEMORY.md"), 1)
        assert index_lines(pilot)[0].startswith("project ─")
        await pilot.press("up", "ctrl+d", "end", "home", "pagedown")
        assert files.position == 1 + files.size.height - 2
        assert screen.place == cursor(pilot)


async def test_each_row_says_its_scope_also_while_scrolled(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 14)) as pilot:
        screen = await filled(pilot)
        files = screen.index.files
        for _ in range(files.count - 2):
            files.action_move(1)
            place = cursor(pilot)
            assert place is not None
            shown = [files.render_line(y).text.strip() for y in range(files.size.height)]
            at = next(number for number, row in enumerate(shown) if row.startswith("▌"))
            assert heads_of(shown[:at])[-1][0] == place[0]
        files.action_move(-10)
        await pilot.pause()
        assert index_lines(pilot)[0].startswith("user ─")


async def test_the_memory_shows_frontmatter_verdict_and_entries_with_ids(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("j")
        text = memory_text(pilot)
        top = text.splitlines()
        assert top[0].split() == ["Release", "notes", "style", "feedback"]
        assert top[1].split() == ["feedback/release-notes.md", "939", "B", "·", "1d"]
        assert "How to write release notes that" in text
        assert [" ".join(line.split()) for line in top if "seen by" in line] == [
            "✓ seen by Qwen 0.24 index line 1"
        ]
        entries = [line.split() for line in top if line.startswith(":")]
        assert [(line[0], line[-1]) for line in entries] == [
            (":0", "@1b50"),
            (":1", "@b911"),
            (":2", "@ffaa"),
        ]
        assert "why    Support opens them on a phone" in text
        assert "apply  Start from the titles of the" in text
        assert "用户看得见的改动" in text
        await pilot.press("k")
        text = memory_text(pilot)
        assert "✗ unseen by Qwen 0.24" in text
        assert "! not in the index" in text
        assert "type is nested under metadata:" in text
        assert "metadata.type     reference" in text
        assert "links ────────────────── 1 out · 0 in" in text
        assert "→ reference/grafana-latency" in text


async def test_raw_shows_the_file_as_it_stands_and_keeps_the_place(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=(200, 60)) as pilot:
        screen = await filled(pilot)
        await pilot.press("j", "m")
        file_lines = (demo.api_memory / "feedback/release-notes.md").read_text("utf-8").split("\n")
        shown = memory_text(pilot).splitlines()
        start = next(number for number, line in enumerate(shown) if line.startswith("file ─"))
        numbered = re.split(r"(?m)^ *[0-9]+ ", "\n".join(shown[start + 1 :]))
        assert [part.split() for part in numbered[1:]] == [line.split() for line in file_lines[:-1]]
        assert "raw" in lines(pilot)[-2]
        assert cursor(pilot) == screen.place == ("project", "feedback/release-notes.md")
        await pilot.press("j")
        assert "file ─" in memory_text(pilot)
        await pilot.press("m", "k")
        assert ":0 ─" in memory_text(pilot)


async def test_the_index_is_shown_with_its_limits_and_faults(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 60)) as pilot:
        screen = await filled(pilot)
        await pilot.press("i")
        text = memory_text(pilot)
        assert screen.place == cursor(pilot) == ("project", "MEMORY.md")
        assert focus_id(pilot) == "document"
        assert "26 of 200 lines" in text
        assert "of 25,000 bytes" in text
        assert "of 25,000 characters" in text
        assert "findings ─" in text
        assert "\n 1  - [Release notes" in text
        await pilot.press("m")
        assert "raw" not in lines(pilot)[-2]
        await pilot.press("1", "G", "i")
        assert screen.place == ("team", "MEMORY.md")
        assert memory_text(pilot).startswith("team:MEMORY.md")


async def test_the_index_cut_is_drawn_in_place(app: MemtuiApp, demo: DemoHome) -> None:
    index = demo.api_memory / "MEMORY.md"
    index.write_text("".join(f"- [n{n}](gone{n}.md) — x\n" for n in range(1, 231)), "utf-8")
    async with app.run_test(size=(120, 60)) as pilot:
        await filled(pilot)
        assert "! index ━━━━━━━━━━ 230/200 lines" in lines(pilot)[0]
        await pilot.press("i")
        shown = memory_text(pilot).splitlines()
        cut = next(
            number for number, line in enumerate(shown) if "! the agent loads no more" in line
        )
        assert shown[cut - 1].split()[0] == "200"
        assert shown[cut + 1].split()[0] == "201"
        assert "! the agent loads nothing from line" in memory_text(pilot)


async def test_panes_are_reached_by_numbers_tab_and_enter(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        reached = []
        for key in ("2", "1", "3", "tab", "tab", "tab", "tab", "shift+tab", "escape", "enter"):
            await pilot.press(key)
            reached.append(screen.focused_pane.number)
            assert [pane.is_lit for pane in screen.panes] == [
                pane.number == reached[-1] for pane in screen.panes
            ]
        assert reached == [2, 1, 3, 1, 2, 3, 1, 3, 1, 2]


async def test_a_long_memory_scrolls_by_keys_and_says_where(
    app_for: AppFor, demo: DemoHome
) -> None:
    path = demo.api_memory / "project" / "long.md"
    body = "\n\n".join(f"Paragraph {number} of many." for number in range(120))
    path.write_text(f"---\nname: Long\ndescription: d\ntype: project\n---\n{body}\n", "utf-8")
    os.utime(path, (NOW_S, NOW_S))
    app = app_for(demo.api_dir)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert cursor(pilot) == ("project", "project/long.md")
        view = screen.memory.lines
        total = len(view.text.splitlines())
        height = view.size.height
        await pilot.press("2", "j", "j", "k")
        assert view.scroll_offset.y == 1
        assert f"{height + 1}/{total}" in lines(pilot)[-2]
        await pilot.press("space")
        await pilot.wait_for_animation()
        assert view.scroll_offset.y == 1 + height
        await pilot.press("G")
        await pilot.wait_for_animation()
        assert f"{total}/{total}" in lines(pilot)[-2]
        assert "Paragraph 119 of many." in seen(pilot)
        offset = view.scroll_offset.y
        (demo.api_memory / "user" / "other.md").write_text("---\nname: O\n---\nx\n", "utf-8")
        await rescan(pilot)
        assert view.scroll_offset.y == offset
        await pilot.press("1", "j", "k")
        assert view.scroll_offset.y == 0


@pytest.mark.parametrize("count", [1, 3])
async def test_a_very_long_memory_is_shown_raw_and_says_so(
    app_for: AppFor, demo: DemoHome, count: int
) -> None:
    path = demo.api_memory / "project" / "long.md"
    text = "---\nname: Long\ntype: project\n---\n" + "a line of text\n" * (count * 2_000)
    path.write_text(text, "utf-8")
    os.utime(path, (NOW_S, NOW_S))
    async with app_for(demo.api_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        shown = memory_text(pilot)
        assert "too long to lay out" in shown
        assert ("! the file goes on" in " ".join(shown.split())) is (count == 3)


async def test_a_claude_store_has_one_scope_and_says_that_recall_is_simulated(
    app_for: AppFor, demo: DemoHome
) -> None:
    async with app_for(demo.mobile_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert lines(pilot)[0].split()[1:5] == ["acme-mobile", "▾", "project", "8"]
        assert heads_of(index_lines(pilot)) == [("project", "8")]
        assert "simulated: Claude uses its index" in lines(pilot)[-2]
        assert "Claude Code" in memory_text(pilot)


async def test_a_note_stands_beside_the_project(demo: DemoHome) -> None:
    manager = MemoryManager(Target(demo.api_dir), demo.environment(os.environ))
    async with MemtuiApp(manager, note="demo").run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert lines(pilot)[0].split()[1:4] == ["acme-api", "▾", "demo"]
