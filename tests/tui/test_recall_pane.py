"""Recall as you type: rows, points, block, losers, scorer."""

from __future__ import annotations

import os

from memtui.demo import DemoHome
from memtui.engine.recall.scoring import Ranker
from memtui.engine.text import utf16_length
from memtui.engine.types import Recall, Scorer
from memtui.engine.workspace import Workspace
from memtui.tui.app import MemtuiApp
from tests.tui.conftest import NOW_S, AppFor
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
)

WIDE = (120, 50)
QUERY = "release notes"
NOTES = ("project", "feedback/release-notes.md")


def pane(pilot: AppPilot) -> list[str]:
    """The rows of the recall pane of a wide terminal, without its frame."""
    return [line.split("│")[-2].strip() for line in lines(pilot)[2:-2]]


def rows(pilot: AppPilot) -> list[str]:
    """The ranked rows."""
    return [row for row in pane(pilot)[2:7] if row.lstrip("▌ ")[:1].isdigit()]


def block(pilot: AppPilot) -> str:
    """The injected block as it is drawn, also what is out of view."""
    text = browse(pilot).recall.reading.text
    return text[text.index("\n", text.index("injected ─")) + 1 :]


def words(text: str) -> str:
    return "".join(text.split())


def expected(pilot: AppPilot, query: str, scorer: Scorer) -> tuple[Recall, Ranker]:
    lookup = browse(pilot).lookup
    assert lookup is not None
    workspace: Workspace = lookup.workspace
    ranker = browse(pilot).manager.ranker(workspace)
    return ranker.rank(query, scorer), ranker


async def test_each_key_ranks_anew(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        assert focus_id(pilot) == "query"
        assert "Nothing is sent anywhere; no model is asked." in words_kept(pilot)
        for typed in ("r", "re", "rel", "rele", "relea", "releas", "release"):
            await pilot.press(typed[-1])
            recall, _ = expected(pilot, typed, "weighted")
            assert len(rows(pilot)) == len(recall.hits)
            if recall.hits:
                first = recall.hits[0].document
                assert screen.place == cursor(pilot) == (first.scope, first.path)
                assert rows(pilot)[0].startswith("▌1")
        assert len(rows(pilot)) == 5
        await paste(pilot, " notes")
        recall, _ = expected(pilot, QUERY, "weighted")
        assert rows(pilot)[0].split() == ["▌1", "16", "━━━━━━", "F", "Release", "notes", "style"]
        assert [row.split()[1] for row in rows(pilot)] == [str(h.score) for h in recall.hits]
        assert "1/5" in lines(pilot)[-2]
        assert "Qwen asks a model first" in lines(pilot)[-2]


def words_kept(pilot: AppPilot) -> str:
    return " ".join(" ".join(pane(pilot)).split())


async def test_points_follow_the_row_and_add_up(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, QUERY)
        recall, _ = expected(pilot, QUERY, "weighted")
        for number, hit in enumerate(recall.hits):
            if number:
                await pilot.press("down")
            text = screen.recall.reading.text
            table = [line.split() for line in text[: text.index("injected ─")].splitlines()]
            assert table[1][:2] == ["why", str(hit.rank)]
            assert ["token", "name", "desc", "body", "type", "sum"] in table
            score = next(line for line in table if line[:1] == ["score"])
            assert int(score[-1]) == hit.score
            for token in recall.tokens:
                earned = {p.field: p.points for p in hit.points if p.token == token}
                if not earned:
                    assert ["1", "token", "without", "a", "hit:", token] in table
                    continue
                cells = [
                    f"+{earned[field]}" if field in earned else "·"
                    for field in ("name", "description", "body", "type")
                ]
                assert [token, *cells, str(sum(earned.values()))] in table
            assert cursor(pilot) == screen.place == (hit.document.scope, hit.document.path)
            assert focus_id(pilot) == "query"


async def test_the_injected_block_is_whole_and_its_size_told(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, QUERY)
        recall, _ = expected(pilot, QUERY, "weighted")
        assert f"{utf16_length(recall.prompt):,} characters" in seen(pilot)
        assert words(block(pilot)) == words(recall.prompt)
        height = screen.recall.reading.size.height
        await pilot.press("pagedown")
        assert screen.recall.reading.scroll_offset.y == height
        await pilot.press("enter")
        assert focus_id(pilot) == "hits"
        await pilot.press("pagedown", "pageup")
        assert screen.recall.reading.scroll_offset.y == height
        assert "1/5" in lines(pilot)[-2]
        await pilot.press("j")
        assert screen.recall.reading.scroll_offset.y == 0


async def test_losers_are_listed_each_with_its_reason(app: MemtuiApp) -> None:
    async with app.run_test(size=(200, 60)) as pilot:
        screen = await filled(pilot)
        await pilot.press("n")
        assert toasts(pilot) == ["Type a prompt first: r."]
        await pilot.press("r")
        await paste(pilot, QUERY)
        await pilot.press("escape", "j", "n")
        recall, ranker = expected(pilot, QUERY, "weighted")
        left_out = ranker.left_out(recall)
        assert screen.recall.losers.count == len(left_out) == 32
        assert focus_id(pilot) == "losers"
        assert "    32 left out" in seen(pilot)
        assert screen.place == (left_out[0].scope, left_out[0].path)
        shown = seen(pilot)
        assert "unseen" in shown or "not seen by this agent version" in shown
        assert "no token" in shown
        await pilot.press("j", "j")
        assert cursor(pilot) == screen.place == (left_out[2].scope, left_out[2].path)
        await pilot.press("escape")
        assert focus_id(pilot) == "hits"
        assert screen.recall.hits.position == 2
        hit = recall.hits[1].document
        assert cursor(pilot) == screen.place == (hit.scope, hit.path)
        assert "why 2 ─" in seen(pilot)
        await pilot.press("n", "enter")
        assert focus_id(pilot) == "document"


async def test_the_scorer_switch(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert pane(pilot)[1].split() == ["weighted", "·", "auto,", "Qwen", "0.24", "s", "scorer"]
        await pilot.press("r")
        await paste(pilot, QUERY)
        await pilot.press("escape")
        for scorer, said in (
            ("weighted", "weighted · Qwen 0.23+"),
            ("classic", "classic · Qwen to 0.22"),
            ("weighted", "weighted · auto, Qwen 0.24"),
        ):
            await pilot.press("s")
            assert pane(pilot)[1].startswith(said)
            recall, _ = expected(pilot, QUERY, scorer)  # type: ignore[arg-type]
            assert [row.split()[1] for row in rows(pilot)] == [str(h.score) for h in recall.hits]
            assert words(block(pilot)) == words(recall.prompt)
            head = ["token", "text", "type", "body", "sum"]
            assert (head in [row.split() for row in pane(pilot)]) is (scorer == "classic")
            if scorer == "classic":
                assert "has a body" in screen.recall.reading.text


async def test_switching_the_scorer_elsewhere_does_not_take_the_memory_away(
    app: MemtuiApp,
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, "gateway provider market")
        await pilot.press("1", "G")
        place = screen.place
        for _ in range(3):
            await pilot.press("s")
            assert screen.place == cursor(pilot) == place


async def test_a_prompt_without_a_token_or_a_match_says_so(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r", "!", "?")
        assert rows(pilot) == []
        assert "No token in this prompt: weighted looks for words" in words_kept(pilot)
        assert "The agent would be given no memory." in words_kept(pilot)
        screen.recall.prompt.value = "zzzqqq"
        await pilot.pause()
        assert "No memory holds any of these tokens: zzzqqq." in words_kept(pilot)
        assert rows(pilot) == []
        await pilot.press("enter")
        assert focus_id(pilot) == "query"
        await pilot.press("escape")
        assert screen.recall.prompt.value == ""
        assert "Type what you would ask the agent." in words_kept(pilot)
        await pilot.press("escape")
        assert focus_id(pilot) == "files"


async def test_esc_steps_back_from_recall(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, QUERY)
        steps = []
        for _ in range(3):
            await pilot.press("escape")
            steps.append((focus_id(pilot), screen.recall.prompt.value))
        assert steps == [("hits", QUERY), ("query", ""), ("files", "")]
        assert cursor(pilot) == NOTES


async def test_matched_words_are_marked_in_the_memory_too(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, "phone")
        assert screen.place == NOTES
        line = next(line for line in screen.memory.lines._lines if "phone" in line.plain)
        marked = [line.plain[span.start : span.end] for span in line.spans
                  if span.style == screen.palette.match]  # fmt: skip
        assert marked == ["phone"]


async def test_a_change_on_disk_ranks_anew_and_keeps_row_and_scroll(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, QUERY)
        await pilot.press("down", "pagedown")
        place, offset = screen.place, screen.recall.reading.scroll_offset.y
        assert offset > 0
        path = demo.api_memory / "project" / "new.md"
        text = "---\nname: Release notes release\ndescription: release notes\ntype: project\n---\n"
        path.write_text(text + "release notes\n", "utf-8")
        os.utime(path, (NOW_S, NOW_S))
        await rescan(pilot)
        assert rows(pilot)[0].split()[:4] == ["1", "17", "━━━━━━", "P"]
        assert screen.recall.hits.position == 3
        assert cursor(pilot) == screen.place == place
        assert screen.recall.reading.scroll_offset.y == offset
        path.unlink()
        await rescan(pilot)
        assert screen.recall.hits.position == 2
        assert screen.place == place


async def test_a_hit_that_goes_leaves_the_reader_elsewhere_alone(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await pilot.press("r")
        await paste(pilot, QUERY)
        await pilot.press("1", "G")
        place = screen.place
        (demo.api_memory / "feedback/release-notes.md").unlink()
        await rescan(pilot)
        assert rows(pilot)[0].split()[3] != "F"
        assert cursor(pilot) == screen.place == place


async def test_a_claude_store_says_that_recall_is_simulated(
    app_for: AppFor, demo: DemoHome
) -> None:
    async with app_for(demo.mobile_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        assert pane(pilot)[1].startswith("weighted · auto, Qwen 0.23+")
        await pilot.press("r")
        await paste(pilot, "snapshot tests")
        assert "simulated: Claude uses its index" in lines(pilot)[-2]
        assert len(rows(pilot)) > 0
