"""The list follows the filter with each key."""

from __future__ import annotations

import pytest

from memtui.demo import DemoHome
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from memtui.tui.widgets.lines import LineView
from tests.tui.seen import AppPilot, browse, cursor, filled, focus_id, lines, paste, rescan, seen

WIDE = (120, 50)
DEPLOY = ("project", "reference/deploy-checklist.md")
UV = ("project", "feedback/uv.md")


def listed(pilot: AppPilot) -> list[Place]:
    """The files in the list, from top to bottom."""
    files = browse(pilot).index.files
    return [row.key for row in files._rows if row.key is not None]  # type: ignore[misc]


def count_said(pilot: AppPilot) -> str:
    """What stands right of the filter."""
    return lines(pilot)[2].split("│")[1].split()[-1]


async def test_each_key_narrows_the_list_and_keeps_the_memory_in_step(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert (len(listed(pilot)), count_said(pilot)) == (40, "37")
        await pilot.press("slash", "u")
        first = listed(pilot)
        await pilot.press("v")
        assert set(listed(pilot)) < set(first)
        assert UV in listed(pilot)
        await pilot.press(" ", "n", "e", "v", "e", "r")
        assert listed(pilot) == [UV]
        assert cursor(pilot) == screen.place == UV
        assert "Use uv, never bare pip" in screen.memory.lines.text
        assert count_said(pilot) == "1/37"
        assert heads(pilot) == ["project ───────────────── 1 of 28"]
        await pilot.press(*["backspace"] * 6, "backspace", "backspace")
        assert len(listed(pilot)) == 40
        assert cursor(pilot) == UV


def heads(pilot: AppPilot) -> list[str]:
    rows = [line.split("│")[1].strip() for line in lines(pilot)[3:-2]]
    return [row for row in rows if "───" in row]


@pytest.mark.parametrize("by", ["enter", "escape", "down"])
async def test_walking_and_leaving_the_filter(app: MemtuiApp, by: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("slash")
        await paste(pilot, "type:project")
        places = listed(pilot)
        assert len(places) == 10
        await pilot.press("down", "down", "up")
        assert cursor(pilot) == places[1]
        assert focus_id(pilot) == "filter"
        await pilot.press("pagedown")
        assert cursor(pilot) == places[-1]
        if by == "down":
            return
        await pilot.press(by)
        assert focus_id(pilot) == "files"
        assert listed(pilot) == places
        await pilot.press("k")
        assert cursor(pilot) == places[-2]
        await pilot.press("enter")
        assert focus_id(pilot) == "document"
        await pilot.press("escape")
        assert (focus_id(pilot), listed(pilot)) == ("files", places)
        await pilot.press("escape")
        assert (len(listed(pilot)), cursor(pilot)) == (40, places[-2])
        assert browse(pilot).index.prompt.value == ""
        assert "▌" in "".join(line.split("│")[1] for line in lines(pilot)[2:-2])


async def test_structured_terms(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        lookup = screen.lookup
        assert lookup is not None
        documents = lookup.documents
        await pilot.press("slash")
        for text, wanted in (
            ("type:feedback", {p for p, d in documents.items() if d.type == "feedback"}),
            ("type:ref scope:u", set()),
            ("type:ref -scope:project", set()),
            ("type:FEED scope:team", {("team", "feedback/error-bodies.md")}),
            ("scope:user", {p for p in documents if p[0] == "user"}),
            ("age>90", {("project", "project/legacy-auth.md"),
                        ("project", "reference/vpn-profile.md")}),
            ("seen:no", {p for p in documents if lookup.rows[p].word == "unseen"}),
            ("pinned:yes", {("project", "pinned/architecture.md")}),
            ("path:release", {p for p in documents if "release" in p[1]}),
            ("uv -pip", set()),
            ("type:", set(documents)),
            ("age>", set(documents)),
        ):  # fmt: skip
            screen.index.prompt.value = text
            await pilot.pause()
            assert {place for place in listed(pilot) if place in documents} == wanted, text
            assert text.endswith((":", ">")) or listed(pilot) == [
                place for place in documents if place in wanted
            ]


async def test_only_what_the_index_holds_itself_finds_the_index(
    app: MemtuiApp, demo: DemoHome
) -> None:
    index = demo.api_memory / "MEMORY.md"
    with index.open("a", encoding="utf-8") as file:
        file.write("\n\n## Ports\n\nStaging listens on 8080.\n")
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("slash")
        for text, is_found in (("8080", True), ("ports", True), ("memory.md", True), ("uv", False)):
            screen.index.prompt.value = text
            await pilot.pause()
            assert (("project", "MEMORY.md") in listed(pilot)) is is_found, text
        screen.index.prompt.value = "8080"
        await pilot.pause()
        assert listed(pilot) == [("project", "MEMORY.md")]
        assert "Staging listens on 8080." in " ".join(screen.memory.lines.text.split())


async def test_a_filter_without_a_match_says_so_and_esc_brings_all_back(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("slash")
        await paste(pilot, "zzzz [bold]")
        assert "Nothing fits zzzz [bold]." in " ".join(
            screen.index.query_one("#no-files", LineView).text.split()
        )
        assert listed(pilot) == []
        assert focus_id(pilot) == "filter"
        assert "deploy-checklist" in screen.memory.lines.text
        await pilot.press("escape")
        assert focus_id(pilot) == "files"
        assert cursor(pilot) == DEPLOY
        await pilot.press("j")
        assert cursor(pilot) == ("project", "feedback/release-notes.md")


async def test_without_a_match_enter_and_tab_lose_no_focus(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("slash")
        await paste(pilot, "zzzz")
        await pilot.press("enter")
        assert focus_id(pilot) == "no-files"
        await pilot.press("tab", "1")
        assert focus_id(pilot) == "no-files"
        await pilot.press("escape")
        assert focus_id(pilot) == "files"
        await pilot.press("slash", "tab")
        assert focus_id(pilot) == "document"


async def test_the_filter_holds_while_the_store_changes(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await pilot.press("slash")
        await paste(pilot, "never")
        before = listed(pilot)
        await pilot.press("down")
        place = cursor(pilot)
        for name, word in (("a", "never"), ("b", "always")):
            text = f"---\nname: {name}\ntype: feedback\n---\n{word}\n"
            (demo.api_memory / "feedback" / f"{name}.md").write_text(text, "utf-8")
        await rescan(pilot)
        assert set(listed(pilot)) == {*before, ("project", "feedback/a.md")}
        assert (cursor(pilot), focus_id(pilot)) == (place, "filter")
        await pilot.press("x", "x")
        assert "Nothing fits" in seen(pilot)
