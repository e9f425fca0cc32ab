"""Text of files is shown as it stands or as visible escapes, in every widget and state."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input
from textual.widgets._toast import Toast, ToastRack

from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import PlaceHighlighted
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.dialogs import CopyDialog
from memtui.tui.screens.forget import ForgetScreen
from memtui.tui.screens.journal import JournalScreen
from memtui.tui.screens.projects import ProjectsDialog
from memtui.tui.screens.review import ReviewScreen
from memtui.tui.widgets.bars import Header
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.rows import RowList
from tests.tui.conftest import NOW_NS
from tests.tui.drawn import assert_harmless, faults, row_texts, squash, strips, text_in
from tests.tui.hostile import (
    BATCHES,
    BRACKETS,
    BYTES_FILE_SHOWN,
    BYTES_NAME,
    BYTES_SHOWN,
    CONTROLS,
    KINDS,
    LONE,
    NEAR,
    PLACES,
    VERSION_SHOWN,
    HostileHome,
    joined,
    put,
)
from tests.tui.seen import browse, filled, paste, until

SOME = KINDS[::10]
"""Where the app needs several frames for each."""
KNOWN = {kind.mark: kind for kind in KINDS}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> HostileHome:
    return HostileHome(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def app(home: HostileHome) -> MemtuiApp:
    manager = MemoryManager(Target(home.project), home.environment, clock_ns=lambda: NOW_NS)
    return MemtuiApp(manager)


async def settled(pilot: Pilot[int]) -> None:
    """Let everything be drawn, and look at it."""
    await pilot.pause()
    await pilot.pause()
    assert_harmless(pilot.app)


async def show(pilot: Pilot[int], path: str) -> str:
    """Put the file at `path` into the memory pane; gives what is drawn there."""
    screen = browse(pilot)
    screen.post_message(PlaceHighlighted(("project", path), "index"))
    await settled(pilot)
    assert screen.place == ("project", path)
    return text_in(screen.memory.lines)


async def ask(pilot: Pilot[int], query: str) -> str:
    """Type a prompt; gives what is drawn below it."""
    screen = browse(pilot)
    screen.recall.prompt.value = query
    await settled(pilot)
    assert screen.query_text == screen.recall.prompt.value
    return text_in(screen.recall)


def missing(drawn: str, *texts: str) -> list[str]:
    """Those of `texts` that are not drawn."""
    return [text for text in texts if squash(text) not in drawn]


def test_the_kinds_are_many_and_hostile() -> None:
    assert len(BRACKETS) >= 15
    assert len(CONTROLS) >= 15
    for kind in KINDS:
        assert [mark for mark in KNOWN if mark in kind.raw] == [kind.mark]
        assert kind.shown.isascii()
        assert kind.shown.isprintable()
        assert bool(faults(kind.raw)) == (kind in CONTROLS)


async def test_the_list(app: MemtuiApp) -> None:
    async with app.run_test(size=(79, 290)) as pilot:
        screen = await filled(pilot)
        await settled(pilot)
        rows = row_texts(screen.index.files)
        assert len(rows) > screen.index.files.count
        for kind in KINDS:
            assert any(f"U {kind.shown} " in row for row in rows), kind
            assert any(f"✗ {kind.shown_stem}.md " in row for row in rows), kind
            assert any(f"· {kind.shown_stem} " in row for row in rows), kind
        assert any(f"✗ {BYTES_FILE_SHOWN} " in row for row in rows)


async def test_all_panes_at_common_sizes(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        await ask(pilot, "m03 m08 c02 c08")
        for size in ((120, 40), (80, 24), (44, 20)):
            await pilot.resize_terminal(*size)
            screen.index.files.action_edge(0)
            for _ in range(3):
                screen.index.files.action_move(60)
                await settled(pilot)


async def test_the_memory_pane(app: MemtuiApp) -> None:
    async with app.run_test(size=(160, 330)) as pilot:
        await filled(pilot)
        for number, batch in enumerate(BATCHES):
            drawn = await show(pilot, f"batch/{number}.md")
            shown = joined(batch, is_shown=True)
            assert not missing(drawn, f"desc {shown} end", f"seen by {VERSION_SHOWN}")
            for kind in batch:
                said = [f"{word} {kind.shown} end" for word in PLACES]
                said += [f"why why {kind.shown} end", f"apply apply {kind.shown} end"]
                # The paragraph that is nothing but the string, before the heading.
                said += [f"para {kind.shown} end {kind.shown} head {kind.shown} end"]
                if kind.nests:
                    said += [f"link {kind.shown} end ({kind.shown} target.md)"]
                    said += [f"! {kind.shown} target.md leads nowhere"]
                assert not missing(drawn, *said), kind


async def test_the_memory_pane_as_it_stands(app: MemtuiApp) -> None:
    async with app.run_test(size=(180, 330)) as pilot:
        screen = await filled(pilot)
        screen.action_raw()
        for number, batch in list(enumerate(BATCHES))[::2]:
            drawn = await show(pilot, f"batch/{number}.md")
            for kind in batch:
                said = [f"{word} {kind.shown} end" for word in (*PLACES, "why", "apply")]
                said += [f"[link {kind.shown} end](<{kind.shown} target.md>)"]
                assert not missing(drawn, *said), kind


async def test_frontmatter_and_file_names(app: MemtuiApp) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await filled(pilot)
        for number, batch in enumerate(BATCHES):
            shown = joined(batch, is_shown=True)
            drawn = await show(pilot, f"quoted/{number}.md")
            assert drawn.startswith(squash(f"name {shown}")[:60])
            assert not missing(
                drawn, *(f"{word} {shown} end" for word in ("desc", "type", "note", "deep"))
            )
            drawn = await show(pilot, f"keyed/{number}.md")
            assert not missing(drawn, *(kind.shown for kind in batch))
        for kind in SOME:
            drawn = await show(pilot, f"typed/{kind.mark}.md")
            assert not missing(drawn, f"Typed {kind.mark} {kind.shown}"), kind
            drawn = await show(pilot, f"named/{kind.file_stem}.md")
            assert drawn.startswith(squash(kind.shown_stem)), kind
            assert not missing(drawn, f"named/{kind.shown_stem}.md"), kind
            drawn = await show(pilot, f"gone/{kind.file_stem}.md")
            assert drawn.startswith(squash(f"gone/{kind.shown_stem}.md ✗")), kind


async def test_links_from_files_with_hostile_names(app: MemtuiApp) -> None:
    async with app.run_test(size=(200, 90)) as pilot:
        await filled(pilot)
        drawn = await show(pilot, "linked.md")
        assert not missing(drawn, *(f"← named/{kind.shown_stem}.md line 1" for kind in KINDS))
        said = [f"did you mean named/{kind.shown_stem}.md?" for kind in NEAR]
        assert not missing(drawn, *said)


async def test_a_long_type_is_shown_whole(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        drawn = await show(pilot, "typed/c03.md")
        assert not missing(drawn, f"type {KNOWN['c03'].shown}")


async def test_the_index(app: MemtuiApp) -> None:
    async with app.run_test(size=(160, 500)) as pilot:
        await filled(pilot)
        drawn = await show(pilot, "MEMORY.md")
        for kind in KINDS:
            said = [
                f"- [label {kind.shown} end]({kind.mark}.md) — hook {kind.shown} end",
                f"inline {kind.shown} end",
                f"- [lost](<{kind.shown} lost.md>) — nowhere",
            ]
            if kind in KINDS[:4]:
                said += [f"{kind.shown} lost.md is no file here"]
            assert not missing(drawn, *said), kind


async def test_recall(app: MemtuiApp) -> None:
    async with app.run_test(size=(79, 200)) as pilot:
        screen = await filled(pilot)
        screen.action_recall()
        for kind in (*SOME, KNOWN["m03"], KNOWN["c02"]):
            drawn = await ask(pilot, kind.mark)
            rows = row_texts(screen.recall.hits)
            assert any(row.endswith(f" U {kind.shown}") for row in rows), kind
            # In the block: a heading with name and path, the description, the body.
            head = f"### {kind.shown} ({kind.mark}.md) Saved 10 days ago."
            assert not missing(drawn, f"{head} {kind.shown} {kind.shown}"), kind
        for query in ("\u202e[/]\x1b]0;\x07", "[qqq]\x1b[99zzz", "[@qqq=zzz]"):
            assert not missing(await ask(pilot, query), "The agent would be given no memory.")
        await ask(pilot, "m01")
        screen.action_losers()
        await settled(pilot)
        drawn = text_in(screen.recall.losers)
        for kind in KINDS[1:]:
            assert not missing(drawn, f"· {kind.shown}"[:30], kind.shown_stem[:30]), kind


async def test_a_prompt_and_its_tokens(app: MemtuiApp) -> None:
    async with app.run_test(size=(79, 60)) as pilot:
        screen = await filled(pilot)
        screen.action_recall()
        for kind in SOME:
            screen.recall.prompt.value = ""
            await paste(pilot, f"{kind.raw} zzz")
            await settled(pilot)
            (typed,) = row_texts(screen.recall.prompt)
            assert kind.mark in typed
            assert kind not in BRACKETS or typed == f"{kind.raw} zzz"
            assert screen.recall.hits.count
            assert kind.mark in text_in(screen.recall.reading)
            if len(kind.raw.splitlines()) == 1:
                assert not missing(text_in(screen.recall.reading), "1 token without a hit: zzz")


async def test_the_filter(app: MemtuiApp) -> None:
    async with app.run_test(size=(79, 40)) as pilot:
        screen = await filled(pilot)
        screen.action_filter()
        for kind in (*SOME, LONE):
            screen.index.prompt.value = f"{kind.raw} no such words"
            await settled(pilot)
            drawn = text_in(screen.index)
            assert not missing(drawn, "Nothing fits")
            assert drawn.count(kind.mark) == 2 * kind.raw.count(kind.mark)
            assert kind not in BRACKETS or drawn.count(squash(kind.raw)) == 2, kind
        screen.index.prompt.value = "@click=app.quit"
        await settled(pilot)
        assert screen.index.files.count >= 3


async def test_a_paste_is_drawn_sign_by_sign(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        screen.action_filter()
        await paste(pilot, "a\x1b]0;b\x07c\x9bd\u202ee\ud83df\x7fg\nsecond line")
        await settled(pilot)
        assert screen.index.prompt.value == "a␛]0;b␇c\ufffdd\ufffde\ufffdf␡g"
        assert screen.index.prompt.cursor_position == len(screen.index.prompt.value)


def toasts(app: MemtuiApp) -> list[Toast]:
    """The toasts that are drawn."""
    return list(app.screen.query_one(ToastRack).query(Toast))


async def test_copying_and_toasts(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 90), notifications=True) as pilot:
        screen = await filled(pilot)
        for kind in (KNOWN["m03"], KNOWN["c02"]):
            path = f"named/{kind.file_stem}.md"
            await show(pilot, path)
            screen.action_copy()
            await until(pilot, lambda: isinstance(app.screen, CopyDialog))
            await settled(pilot)
            rows = row_texts(app.screen.query_one(RowList))
            assert any(row.endswith(f"named/{kind.shown_stem}.md") for row in rows)
            await pilot.press("p")
            await until(pilot, lambda: app.screen is screen)
            assert app.clipboard == path
        for kind in SOME:
            for notify in (app.notify, screen.notify):
                notify(f"toast {kind.raw} end", title=f"title {kind.raw} end")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: len(toasts(app)) == 2 * len(SOME) + 3)
        await settled(pilot)
        told = squash("".join("".join(row_texts(toast)) for toast in toasts(app)))
        for kind in SOME:
            said = squash(f"title {kind.shown} end toast {kind.shown} end")
            assert told.count(said) == 2, kind
        assert not missing(told, "Press ctrl+q to leave memtui.")


async def test_a_click_on_text_of_a_file_does_nothing(app: MemtuiApp) -> None:
    async with app.run_test(size=(160, 40)) as pilot:
        screen = await filled(pilot)
        for mark in ("m03", "m08"):
            await show(pilot, f"{mark}.md")
            left = screen.memory.lines.content_region.x
            places = [
                (strip.text.index(KNOWN[mark].shown, left) + 2, y)
                for y, strip in enumerate(strips(app))
                if KNOWN[mark].shown in strip.text[left:]
            ]
            assert len(places) == 3
            for place in places:
                await pilot.click(offset=place)
            await settled(pilot)
            assert app.screen is screen


async def test_the_projects(tmp_path: Path) -> None:
    crowded = HostileHome(tmp_path)
    crowded.add_projects()
    app = MemtuiApp(MemoryManager(Target(crowded.project), crowded.environment))
    async with app.run_test(size=(120, 60)) as pilot:
        await filled(pilot)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, ProjectsDialog))
        listed = app.screen.query_one(RowList)
        await until(pilot, lambda: "/gone/" in text_in(listed))
        await settled(pilot)
        rows = row_texts(listed)
        while listed.position < listed.count:
            listed.action_page(1)
            await settled(pilot)
            rows += row_texts(listed)
        for kind in (*KINDS, LONE):
            said = f"/gone/{kind.shown_stem}"
            assert any(said in row and " gone " in row for row in rows), kind
        for kind in KINDS:
            assert any(f"key {kind.shown_stem}" in row for row in rows), kind
        for kind in (KNOWN["m03"], KNOWN["c02"], KNOWN["c13"]):
            app.screen.query_one(Input).value = kind.mark
            await settled(pilot)
            assert any(kind.mark in row for row in row_texts(listed))
            app.screen.query_one(Input).value = f"{kind.raw} and nothing like it 98765"
            await settled(pilot)
            told = text_in(app.screen.query_one(LineView))
            assert not missing(told, "No project fits", kind.mark, "and nothing like it")
            assert kind not in BRACKETS or not missing(told, f"No project fits “{kind.raw} and")


async def test_a_failed_look_for_projects(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("; ".join(kind.raw for kind in KINDS))

    monkeypatch.setattr(app.manager, "projects", fail)
    async with app.run_test(size=(120, 80)) as pilot:
        await filled(pilot)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, ProjectsDialog))
        note = app.screen.query_one(LineView)
        await until(pilot, lambda: KINDS[-1].mark in text_in(note))
        await settled(pilot)
        assert not missing(text_in(note), "; ".join(kind.shown for kind in KINDS))


async def open_in(pilot: Pilot[int], screen: BrowseScreen, target: Target) -> None:
    screen.open(target)
    await until(pilot, lambda: screen.lookup is not None)
    await settled(pilot)


async def test_places_with_hostile_names(app: MemtuiApp, home: HostileHome, tmp_path: Path) -> None:
    names = [
        ("~".join(kind.file_stem for kind in batch), "~".join(kind.shown_stem for kind in batch))
        for batch in BATCHES[1::4]
    ]
    async with app.run_test(size=(300, 50)) as pilot:
        screen = await filled(pilot)
        for name, shown in (*names, (os.fsdecode(BYTES_NAME), BYTES_SHOWN)):
            folder = tmp_path / name
            (folder / ".git").mkdir(parents=True)
            await open_in(pilot, screen, Target(folder))
            said = f"{shown}/.qwen/team-memory"
            assert not missing(text_in(screen.index), "No memory here", said)
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
            home.memory_of(folder)
            await open_in(pilot, screen, Target(folder))
            (head,) = row_texts(screen.query_one(Header))
            assert head.startswith(f"memtui  {shown} ▾"), head
            assert not missing(text_in(screen.index), "An empty store")
        for kind in SOME[1::2]:
            (tmp_path / f"empty {kind.file_stem}").mkdir()
            await open_in(pilot, screen, Target(tmp_path, tmp_path / f"empty {kind.file_stem}"))
            assert not missing(text_in(screen.index), f"empty {kind.shown_stem}")
            put(tmp_path / f"file {kind.file_stem}", "no directory\n")
            await open_in(pilot, screen, Target(tmp_path, tmp_path / f"file {kind.file_stem}"))
            assert not missing(text_in(screen.index), f"file {kind.shown_stem}")
            await open_in(pilot, screen, Target(tmp_path / f"none {kind.file_stem}"))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
            assert not missing(text_in(screen.index), f"✗ {tmp_path}/none {kind.shown_stem}")


async def test_a_scan_that_fails(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("; ".join(kind.raw for kind in KINDS))

    async with app.run_test(size=(120, 80)) as pilot:
        screen = await filled(pilot)
        monkeypatch.setattr(app.manager, "scan", fail)
        screen.scan()
        await until(pilot, lambda: screen.lookup is None)
        await settled(pilot)
        shown = "; ".join(kind.shown for kind in KINDS)
        assert not missing(text_in(screen.index), f"✗ {shown}")


async def test_help_themes_and_palette(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await filled(pilot)
        await show(pilot, "m03.md")
        for key in ("question_mark", "t", "ctrl+p"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen)
            await settled(pilot)
            if key != "question_mark":
                typed = app.screen.query_one(Input)
                await paste(pilot, joined(BATCHES[0]) + joined(BATCHES[-1]))
                await settled(pilot)
                assert KNOWN["m03"].raw in typed.value
                assert KNOWN["c29"].mark in typed.value
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)


async def test_without_colour(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with app.run_test(size=(160, 60)) as pilot:
        await filled(pilot)
        for mark in ("m03", "c02"):
            drawn = await show(pilot, f"{mark}.md")
            assert drawn.count(squash(KNOWN[mark].shown)) == 3


async def test_forget_review_and_log(tmp_path: Path) -> None:
    home = HostileHome(tmp_path)
    app = MemtuiApp(MemoryManager(Target(home.project), home.environment, clock_ns=lambda: NOW_NS))
    async with app.run_test(size=(160, 120), notifications=True) as pilot:
        screen = await filled(pilot)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
        forget = app.screen
        assert isinstance(forget, ForgetScreen)
        await until(pilot, lambda: len(forget.candidates) > len(KINDS))
        await settled(pilot)
        for kind in (KNOWN["m03"], KNOWN["c02"], KNOWN["c13"]):
            forget.prompt.value = kind.mark
            await until(pilot, lambda: f"“{forget.prompt.value}”" in text_in(forget.rows))
            await settled(pilot)
            drawn = text_in(forget.rows)
            assert not missing(drawn, kind.shown, f"named/{kind.shown_stem}"[:24]), kind
            for path in (f"{kind.mark}.md", f"named/{kind.file_stem}.md"):
                assert forget.rows.move_to(("project", path))
                forget.action_mark()
        await until(pilot, lambda: forget.plan is not None and forget.plan.entries == 6)
        await settled(pilot)
        marks = ("m03", "c02", "c13")
        removed = text_in(forget.query_one("#removed"))
        follows = text_in(forget.query_one("#follows"))
        for kind in (KNOWN[mark] for mark in marks):
            assert not missing(removed, f"- name: {kind.shown}", f"named/{kind.shown_stem}.md"), (
                kind
            )
            assert not missing(follows, f"- [label {kind.shown} end]"), kind
        forget.action_review()
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await settled(pilot)
        files = text_in(app.screen.query_one("#review-files"))
        diff = text_in(app.screen.query_one("#diff"))
        for kind in (KNOWN[mark] for mark in marks):
            assert not missing(files, f"{kind.shown_stem}.md"[-20:]), kind
            assert not missing(diff, f"- name: {kind.shown}"), kind
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        await settled(pilot)
        assert not (home.memory / "m03.md").exists()
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        act = app.screen.query_one("#act")
        await until(pilot, lambda: "MEMORY.md" in text_in(act))
        await settled(pilot)
        for kind in (KNOWN[mark] for mark in marks):
            assert not missing(text_in(act), f"D named/{kind.shown_stem}.md"), kind
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        assert (home.memory / "m03.md").exists()


async def test_a_plan_or_a_log_that_fails(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("; ".join(kind.raw for kind in KINDS))

    monkeypatch.setattr(app.manager, "plan_forget", fail)
    monkeypatch.setattr(app.manager, "log", fail)
    shown = "; ".join(kind.shown for kind in KINDS)
    async with app.run_test(size=(120, 120)) as pilot:
        screen = await filled(pilot)
        for key, pane in (("F", "#removed"), ("l", "#act")):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen)
            said = partial(text_in, app.screen.query_one(pane))
            await until(pilot, partial(lambda told: KINDS[-1].mark in told(), said))
            await settled(pilot)
            assert not missing(said(), shown)
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
