"""Extract in the app: sessions, proposals, their review, and the inbox."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
from textual.widgets import Input

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.actions import of as actions_of
from memtui.tui.app import MemtuiApp
from memtui.tui.extract_found import INBOX
from memtui.tui.screens.dialogs import ConfirmDialog, HelpDialog
from memtui.tui.screens.patch_dialog import PatchDialog
from memtui.tui.widgets.lines import LineView
from tests.engine.session_files import append_turn
from tests.engine.written_store import tree
from tests.tui.acting import WIDE, review, settled, signs, text_of
from tests.tui.conftest import NOW_NS, AppFor
from tests.tui.drawn import assert_harmless, squash
from tests.tui.extracting import (
    DECISION,
    RULE,
    drawn,
    extract,
    fill_inbox,
    only_sessions,
    open_extract,
    press,
    read,
    sessions_of,
    state,
)
from tests.tui.hostile import CONTROLS, KINDS
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

SnapCompare = Callable[..., bool]

TALK = (("user", f"Fine. {RULE} Thanks!"), ("assistant", "Understood."))
NEWS = (("user", DECISION), ("assistant", "Noted."))
SMALL_TALK = (("user", "What is the time in Belgrade?"), ("assistant", "Nine."))


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of messages are told in the person's own zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def test_sessions_and_what_the_newest_says(app: MemtuiApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#sessions") == [
            "sessions 5 " + "─" * 56 + " all new",
            "→ now The worker logs “retry 3/3” for every partner webhook sinc… 18 14",
            "5h リリースブランチの差分をざっと見て、危なそうなところを教え… 12 12",
            "11h please fix the flaky test in tests/ledger/test_rounding.py… 12 12",
            "1d What does Mina need before she tags 2.4? 6 6",
            "3d Let's go through the rehearsal of the Postgres upgrade onc… 6 6",
        ]
        assert focus_id(pilot) == "sessions"
        assert "→ the agent's cursor · 1/5" in seen(pilot)
        assert "■ F " in seen(pilot)
        assert "said ─" in text_of(pilot, "#patch")
        assert "memtui  acme-api ▾  ›  extract" in lines(pilot)[0]


async def test_a_proposal_is_shown_with_its_quote_and_its_file(app: MemtuiApp) -> None:
    only_sessions(app, {"s1": TALK})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#patches") == [
            "■ F Never squash commits on main feedback/never-squash-com…",
            f"“{RULE}”",
        ]
        shown = text_of(pilot, "#patch").splitlines()
        assert shown[0].split() == ["feedback/never-squash-commits-on-main.md", "feedback"]
        assert shown[1] == "Never squash commits on main"
        assert shown[2] == "found by  always / never"
        assert shown[4].startswith("said ─")
        assert shown[4].endswith(" message 0 · 21 Sep 14:13")
        assert " ".join(f"{shown[5]} {shown[6]}".split()) == f"Fine. {RULE} Thanks!"
        assert shown[8].startswith("the new file ─")
        written = [line.split("+ ", 1)[-1].strip() for line in shown[9:]]
        assert written == [
            "---",
            "name: Never squash commits on main",
            "description: Never squash commits on main",
            "type: feedback",
            "---",
            "",
            "Never squash commits on main",
            "",
            "Why: bisect needs them",
        ]


async def test_what_is_accepted_is_written_with_index_meta_and_cursor(
    app: MemtuiApp, demo: DemoHome
) -> None:
    only_sessions(app, {"s1": (*TALK, *NEWS)})
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await open_extract(pilot)
        # Enter goes to the proposals, and from there to the review.
        await press(pilot, "enter")
        assert focus_id(pilot) == "patches"
        await press(pilot, "j", "space", "enter")
        screen = review(pilot)
        assert signs(screen) == {
            ("project", "feedback/never-squash-commits-on-main.md"): "✓A",
            ("project", "MEMORY.md"): "✓M",
        }
        effects = text_of(pilot, "#effects").splitlines()
        folded = [" ".join(line.split()) for line in effects]
        assert "cursor → all 4 messages read" in folded
        assert "its topics feedback" in folded
        assert folded[0].replace("─", "").split() == ["passed", "over", "1"]
        assert " ".join(folded[1:3]) == "! Its message counts as read: it is not found again."
        assert " ".join(folded[3:5]) == "We decided to keep Redis 7 until the next audit"
        assert "! 1 passed over" in seen(pilot)
        assert tree(demo.home) == before
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        await settled(pilot)
        assert toasts(pilot) == ["extract, 2 files: 1 added, 1 changed · u undoes it"]
        new = ("project", "feedback/never-squash-commits-on-main.md")
        await until(pilot, lambda: cursor(pilot) == new)
        assert "Never squash commits on main" in text_of(pilot, "#document")
        # It goes there once: the next look leaves the cursor where it is.
        await press(pilot, "j")
        place = cursor(pilot)
        assert place != new
        await rescan(pilot)
        assert cursor(pilot) == place
        written = demo.api_memory / "feedback/never-squash-commits-on-main.md"
        assert "Why: bisect needs them\n" in written.read_text("utf-8")
        read_up_to = state(demo, "extract-cursor.json")
        assert (read_up_to["sessionId"], read_up_to["processedOffset"]) == ("s1", 6)
        meta = state(demo, "meta.json")
        assert meta["lastExtractionTouchedTopics"] == ["feedback"]
        # The screen that is opened again finds nothing new there.
        await open_extract(pilot)
        assert "Nothing new" in text_of(pilot, "#no-patches")
        assert "All 4 messages of this session were read." in seen(pilot)
        await press(pilot, "enter")
        assert toasts(pilot)[-1] == "Nothing is new in this session."
        await press(pilot, "escape", "u")
        await settled(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert not written.exists()


async def test_a_file_that_the_review_rejects_drops_its_proposal(
    app: MemtuiApp, demo: DemoHome
) -> None:
    only_sessions(app, {"s1": (*TALK, *NEWS)})
    async with app.run_test(size=WIDE) as pilot:
        await open_extract(pilot)
        await press(pilot, "enter", "enter")
        assert list(signs(review(pilot)).values()) == ["✓A", "✓A", "✓M"]
        assert "2 memories come" in seen(pilot)
        await press(pilot, "space")
        assert list(signs(review(pilot)).values()) == ["✗A", "✓A", "✓M"]
        assert "1 memory comes" in seen(pilot)
        effects = " ".join(text_of(pilot, "#effects").replace("─", " ").split())
        assert effects.startswith(
            "passed over 1 ! Its message counts as read: it is not found again. Never squash"
            " commits on main "
        )
        await press(pilot, "n", "enter")
        assert toasts(pilot)[-1].startswith("Nothing is accepted")
        await press(pilot, "a", "G", "space")
        assert "! The index stays as it is" in text_of(pilot, "#effects")
        index = (demo.api_memory / "MEMORY.md").read_bytes()
        await press(pilot, "g", "space", "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert (demo.api_memory / "MEMORY.md").read_bytes() == index
        assert not (demo.api_memory / "feedback/never-squash-commits-on-main.md").exists()
        (written,) = demo.api_memory.glob("project/*redis-7*.md")
        assert "type: project" in written.read_text("utf-8")


async def test_selecting_editing_and_changing_the_type(app: MemtuiApp, demo: DemoHome) -> None:
    only_sessions(app, {"s1": (*TALK, *NEWS), "s2": SMALL_TALK})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2")

        def marks() -> list[str]:
            return [line[:3] for line in drawn(screen, "#patches")[::2]]

        assert marks() == ["■ F", "■ P"]
        await press(pilot, "n")
        assert marks() == ["□ F", "□ P"]
        assert "0 selected" in seen(pilot)
        await press(pilot, "space", "space")
        assert marks() == ["■ F", "■ P"]
        await press(pilot, "g", "T")
        assert marks() == ["■ P", "■ P"]
        await press(pilot, "e")
        dialog = pilot.app.screen
        assert isinstance(dialog, PatchDialog)
        assert [prompt.value for prompt in dialog.prompts] == [
            "Never squash commits on main",
            "bisect needs them",
            "",
        ]
        assert focus_id(pilot) == "patch-summary"
        dialog.prompts[0].value = ""
        await press(pilot, "enter")
        assert "! A memory needs a summary." in seen(pilot)
        await paste(pilot, "Keep merge commits on main")
        await press(pilot, "down", "down")
        assert focus_id(pilot) == "patch-apply"
        await paste(pilot, "Merge with --no-ff")
        await press(pilot, "ctrl+t", "enter")
        assert focus_id(pilot) == "patches"
        assert drawn(screen, "#patches", 120)[0] == (
            "■ R Keep merge commits on main edited reference/keep-merge-commits-on-main.md"
        )
        # What was chosen stays while another session is looked at, and the session grows.
        await press(pilot, "1", "j")
        assert "Nothing to remember" in text_of(pilot, "#no-patches")
        append_turn(sessions_of(app) / "s1.jsonl", SMALL_TALK, NOW_NS)
        await press(pilot, "k")
        assert [line[:30] for line in drawn(screen, "#patches")[::2]] == [
            "■ R Keep merge commits on main",
            "■ P We decided to keep Redis 7",
        ]
        await press(pilot, "e", "escape", "enter", "enter", "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        text = (demo.api_memory / "reference/keep-merge-commits-on-main.md").read_text("utf-8")
        assert "Why: bisect needs them\n\nHow to apply: Merge with --no-ff\n" in text


async def test_what_the_store_nearly_says_is_not_selected(app: MemtuiApp) -> None:
    said = "Always write release notes as one line per change, newest first!"
    only_sessions(app, {"s1": (("user", said), ("assistant", "Yes."))})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert [line[:3] for line in drawn(screen, "#patches")[::2]] == ["□ F"]
        assert "! like feedback/release-notes.md:0" in drawn(screen, "#patches")[1]
        shown = text_of(pilot, "#patch")
        assert "says nearly the same ─" in shown
        (heads,) = (line for line in shown.splitlines() if line.split() == ["there", "new"])
        at = shown.splitlines().index(heads)
        (old, new) = (heads.index("there"), heads.index("new"))
        below = shown.splitlines()[at + 1]
        assert below[old:].startswith("Write release notes")
        assert below[new:].startswith("Always write release notes")
        assert "the file, if it is selected" in shown
        await press(pilot, "enter", "enter")
        dialog = pilot.app.screen
        assert isinstance(dialog, ConfirmDialog)
        assert dialog.question == (
            "Mark 2 messages as read? 1 statement is passed over, and not found again: “Always"
            " write release notes as one line per change, newest f…”. Only the cursor moves; no"
            " memory is written."
        )


async def test_what_is_dropped_tells_its_rule_and_where_it_was_said(app: MemtuiApp) -> None:
    said = "Always deploy from the staging branch today. And never push to main."
    only_sessions(app, {"s1": (("user", f"{said} Never push to main."), ("assistant", "Ok."))})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#dropped")[1] == "a temporary word: today"
        await press(pilot, "4")
        assert focus_id(pilot) == "dropped"
        shown = text_of(pilot, "#patch")
        assert "dropped: a temporary word: today" in shown
        assert "said ─" in shown
        await press(pilot, "2")
        assert "the new file ─" in text_of(pilot, "#patch")


async def test_nothing_to_remember_offers_to_move_the_cursor_only(
    app: MemtuiApp, demo: DemoHome
) -> None:
    only_sessions(app, {"s1": SMALL_TALK})
    memories = tree(demo.api_memory)
    async with app.run_test(size=WIDE) as pilot:
        await open_extract(pilot)
        shown = " ".join(text_of(pilot, "#no-patches").split())
        assert shown == (
            "Nothing to remember In 2 new messages there is no statement of yours that lasts beyond"
            " its task. enter marks 2 new messages as read: only the cursor moves"
        )
        await press(pilot, "enter", "escape")
        assert "Nothing to remember" in seen(pilot)
        await press(pilot, "enter", "enter")
        await until(pilot, lambda: "Nothing new" in seen(pilot))
        assert toasts(pilot) == ["2 messages marked as read."]
        assert state(demo, "extract-cursor.json")["processedOffset"] == 4
        assert state(demo, "meta.json")["lastExtractionStatus"] == "noop"
        assert tree(demo.api_memory) == memories


async def test_a_reason_to_skip_is_told_and_enter_extracts_anyway(
    app: MemtuiApp, demo: DemoHome
) -> None:
    path = str(demo.api_memory / "feedback/x.md")
    only_sessions(
        app, {"s1": (("user", RULE), ("write", path), ("assistant", "I have kept that."))}
    )
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        shown = " ".join(text_of(pilot, "#no-patches").split())
        assert shown == (
            "Skipped: memory_tool The agent wrote a memory itself in its last turn, so this session"
            " is left alone: what was said is probably kept already. enter extracts from it anyway"
        )
        await press(pilot, "enter")
        assert drawn(screen, "#patches")[0].startswith("■ F Never squash commits on main")
        # What was meant stays so, also when the session goes on.
        append_turn(sessions_of(app) / "s1.jsonl", [("write", path), ("assistant", "Yes.")], NOW_NS)
        await until(pilot, lambda: drawn(screen, "#sessions")[1].endswith("7 7"))
        await read(pilot)
        assert len(screen.items) == 1


async def test_memory_pressure_is_told(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.engine.lifecycle.extracting.memory_pressure", lambda: "hard")
    only_sessions(app, {"s1": TALK})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert "memtui uses most of the memory that it may have" in seen(pilot)
        await press(pilot, "enter")
        assert drawn(screen, "#patches")[0].startswith("■ F Never squash commits on main")


async def test_broken_lines_are_told(app: MemtuiApp) -> None:
    file = only_sessions(app, {"s1": TALK})["s1"]
    with file.open("a", encoding="utf-8") as session:
        session.write("{broken\n" * 3)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert "! 3 broken lines skipped · 1/1 · 1 selected" in seen(pilot)
        assert drawn(screen, "#sessions")[1] == (
            "now Fine. Never squash commits on main, because bisect needs… ! 2 2"
        )


async def test_a_line_that_is_being_written_is_no_fault(app: MemtuiApp) -> None:
    file = only_sessions(app, {"s1": TALK})["s1"]
    with file.open("a", encoding="utf-8") as session:
        session.write('{"uuid": "half')
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#sessions")[1] == (
            "now Fine. Never squash commits on main, because bisect needs t… 2 2"
        )
        assert "broken" not in seen(pilot)
        await press(pilot, "2", "n", "enter", "enter")
        await until(pilot, lambda: "Nothing new" in seen(pilot))
        assert "broken" not in seen(pilot)


async def test_large_counts_stand_apart(app: MemtuiApp) -> None:
    turn = (("user", "Hm."), ("assistant", "Ok."))
    only_sessions(app, {"s1": turn * 6_000, "s2": turn})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        for width in (80, 40):
            assert drawn(screen, "#sessions", width)[1].endswith("Hm. 12,000 12,000")
            lines = [row.draw(width, screen.palette, has_cursor=False).plain
                     for row in screen.sessions._rows]  # fmt: skip
            assert {len(line) for line in lines} == {width}
            assert [line[-2] for line in lines] == ["w", "0", "2"]
        assert drawn(screen, "#sessions", 30)[1].endswith("Hm. 12,000")


async def test_what_a_session_proposes_is_discarded_for_good(
    app: MemtuiApp, demo: DemoHome
) -> None:
    only_sessions(app, {"s1": (*TALK, *NEWS)})
    before = tree(demo.api_memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "X")
        dialog = pilot.app.screen
        assert isinstance(dialog, ConfirmDialog)
        assert dialog.question == (
            "Discard “Never squash commits on main”? That is remembered: it is not proposed again."
        )
        await press(pilot, "escape")
        assert len(screen.items) == 2
        await press(pilot, "X", "enter")
        await until(pilot, lambda: len(screen.items) == 1)
        assert toasts(pilot) == ["Discarded: it is not proposed again."]
        assert drawn(screen, "#dropped") == ["✗ Never squash commits on main", "rejected before"]
        assert focus_id(pilot) == "patches"
        assert screen.found is not None
        assert screen.found.unread == 4
    assert tree(demo.api_memory) == before


async def test_edits_are_not_lost_without_a_question(app: MemtuiApp) -> None:
    only_sessions(app, {"s1": TALK})
    question = (
        "Leave without writing? 1 proposal was edited and is not written yet: the edits are lost."
    )
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "T")
        for key in ("escape", "q", "ctrl+q"):
            await press(pilot, key)
            dialog = pilot.app.screen
            assert isinstance(dialog, ConfirmDialog)
            assert dialog.question == question
            await press(pilot, "escape")
            assert pilot.app.screen is screen
        # What was decided is not lost any more; what was only selected needs no question.
        await press(pilot, "X", "enter")
        await until(pilot, lambda: not screen.items)
        assert screen.unsaved == ""
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)
        await open_extract(pilot)
        await press(pilot, "n", "escape")
        assert pilot.app.screen is browse(pilot)
        assert not app._exit


@pytest.mark.parametrize("is_waiting", [False, True], ids=["session", "inbox"])
@pytest.mark.parametrize("pane", ["1", "2", "3"])
async def test_a_saved_edit_leads_to_the_proposals(
    app: MemtuiApp, pane: str, is_waiting: bool
) -> None:
    files = only_sessions(app, {"s1": (*TALK, *NEWS)})
    if is_waiting:
        fill_inbox(app, files["s1"])
    async with app.run_test(size=(70, 24)) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "j", pane, "e", "escape")
        assert screen.focused_pane.number == int(pane)
        await press(pilot, "e")
        await paste(pilot, " for good")
        await press(pilot, "enter")
        await until(pilot, lambda: screen.items[1].patch.summary.endswith(" for good"))
        await until(pilot, lambda: focus_id(pilot) == "patches")
        assert screen.patches.position == 2
        await press(pilot, "enter")
        assert list(signs(review(pilot)).values()) == ["✓A", "✓A", "✓M"]


async def test_edits_are_left_behind_on_purpose(app: MemtuiApp) -> None:
    only_sessions(app, {"s1": TALK})
    async with app.run_test(size=WIDE) as pilot:
        await open_extract(pilot)
        await press(pilot, "2", "T", "escape", "enter")
        assert pilot.app.screen is browse(pilot)
        await open_extract(pilot)
        await press(pilot, "2", "T", "q", "enter")
        assert app._exit


# The inbox.


async def test_what_waits_comes_first_and_is_accepted(app: MemtuiApp, demo: DemoHome) -> None:
    files = only_sessions(app, {"s1": TALK, "s2": NEWS})
    fill_inbox(app, files["s2"], files["s1"])
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#sessions")[0] == "inbox 2 waiting"
        assert screen.source == INBOX
        assert [line[:3] for line in drawn(screen, "#patches")[::2]] == ["■ P", "■ F"]
        assert DECISION in text_of(pilot, "#patch")
        assert "message 0 · 21 Sep 14:13" in text_of(pilot, "#patch")
        await press(pilot, "2", "space", "enter")
        folded = [" ".join(line.split()) for line in text_of(pilot, "#effects").splitlines()]
        assert "! 1 proposal stays in the inbox." in folded
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert (demo.api_memory / "feedback/never-squash-commits-on-main.md").exists()
        assert state(demo, "extract-cursor.json")["sessionId"] == "s1"
        screen = await open_extract(pilot)
        assert drawn(screen, "#sessions")[0] == "inbox 1 waiting"
        assert [line[:3] for line in drawn(screen, "#patches")[::2]] == ["■ P"]
        # In its session it is dropped as what waits already.
        await press(pilot, "1", "G")
        assert drawn(screen, "#dropped")[1] == "in the inbox already"


async def test_what_waits_is_edited_in_place_and_discarded_for_good(
    app: MemtuiApp, demo: DemoHome
) -> None:
    files = only_sessions(app, {"s1": TALK, "s2": NEWS})
    fill_inbox(app, files["s1"], files["s2"])
    before = tree(demo.api_memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "T")
        await until(pilot, lambda: drawn(screen, "#patches")[0].startswith("■ P Never squash"))
        waiting = app.manager.live.inbox(app.manager.scan()).items
        assert [patch.type for patch in waiting.values()] == ["project", "project"]
        await press(pilot, "X")
        dialog = pilot.app.screen
        assert isinstance(dialog, ConfirmDialog)
        assert dialog.question == (
            "Discard “Never squash commits on main”? That is remembered: it is not proposed again."
        )
        await press(pilot, "escape")
        assert len(screen.items) == 2
        await press(pilot, "delete", "enter")
        await until(pilot, lambda: len(screen.items) == 1)
        assert toasts(pilot) == ["Discarded: it is not proposed again."]
        await press(pilot, "n", "enter")
        assert toasts(pilot)[-1] == "Nothing is selected: space selects a proposal."
        await press(pilot, "X", "enter")
        await until(pilot, lambda: screen.source != INBOX)
        assert focus_id(pilot) in ("patches", "no-patches")
        await press(pilot, "1", "g")
        await until(pilot, lambda: drawn(screen, "#dropped")[1:2] == ["rejected before"])
    assert tree(demo.api_memory) == before


async def test_what_the_store_says_by_now_is_not_selected(app: MemtuiApp) -> None:
    files = only_sessions(app, {"s1": TALK})
    fill_inbox(app, files["s1"])
    memory = app.manager.scan().store("project").memory_dir / "feedback" / "squash.md"
    memory.write_text("---\nname: x\ntype: feedback\n---\n\nNever squash commits on main\n")
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert drawn(screen, "#patches")[0].startswith("□ F Never squash")
        assert "! in the store already: feedback/squash.md" in drawn(screen, "#patches", 160)[1]


async def test_a_broken_inbox_is_a_sentence_and_the_sessions_are_there(app: MemtuiApp) -> None:
    files = only_sessions(app, {"s1": TALK})
    fill_inbox(app, files["s1"])
    (inbox,) = app.manager.state_dir.rglob("inbox.json")
    inbox.write_text("{")
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert [row.key for row in screen.sessions._rows] == [None, files["s1"]]
        assert "inbox.json" in toasts(pilot)[-1]


# States and places.


async def test_without_sessions_it_says_where_they_are_looked_for(app: MemtuiApp) -> None:
    folder = sessions_of(app)
    only_sessions(app, {})
    async with app.run_test(size=WIDE) as pilot:
        await open_extract(pilot)
        shown = text_of(pilot, "#no-sessions")
        assert shown.startswith("No sessions here")
        assert str(folder) in shown.replace("\n", "")
        await press(pilot, "enter", "space", "e", "T", "X", "a", "n", "tab", "tab", "tab", "tab")
        assert focus_id(pilot) == "no-sessions"
        # One that begins meanwhile shows by itself.
        only_sessions(app, {"s1": TALK})
        await until(pilot, lambda: extract(pilot).found is not None)
        assert "Never squash commits on main" in seen(pilot)
        assert focus_id(pilot) == "sessions"
        await press(pilot, "escape")
        assert pilot.app.screen is browse(pilot)


async def test_the_first_memory_of_a_project_makes_its_store(
    app_for: AppFor, demo: DemoHome, app: MemtuiApp
) -> None:
    only_sessions(app, {"s1": TALK})
    for file in sorted(demo.api_memory.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    demo.api_memory.rmdir()
    async with app_for(demo.api_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "escape")
        await open_extract(pilot)
        await press(pilot, "enter", "enter")
        assert next(iter(signs(review(pilot)).values())) == "✓A"
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen is browse(pilot))
        assert (demo.api_memory / "feedback/never-squash-commits-on-main.md").exists()


async def test_a_turn_of_the_session_shows_by_itself(app: MemtuiApp) -> None:
    file = only_sessions(app, {"s1": TALK})["s1"]
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "space")
        append_turn(file, NEWS, NOW_NS)
        await until(pilot, lambda: len(screen.items) == 2)
        await read(pilot)
        assert [line[:3] for line in drawn(screen, "#patches")[::2]] == ["□ F", "■ P"]
        assert drawn(screen, "#sessions")[1].endswith("4 4")
        assert screen.patches.position == 1


async def test_a_store_that_changes_is_followed(app: MemtuiApp, demo: DemoHome) -> None:
    only_sessions(app, {"s1": TALK})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        path = demo.api_memory / "feedback" / "squash.md"
        path.write_text("---\nname: x\ntype: feedback\n---\n\nNever squash commits on main\n")
        await rescan(pilot)
        await until(pilot, lambda: not screen.items)
        assert drawn(screen, "#dropped") == [
            "✗ Never squash commits on main",
            "in the store already: feedback/squash.md",
        ]


async def test_a_long_session_tells_how_far_it_is_read_and_can_be_left(
    app: MemtuiApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = only_sessions(app, {"s1": TALK, "s2": NEWS})
    extracting = app.manager.live.extracting
    plan = extracting.plan
    stopped = []

    def slow(workspace: object, path: object, **options: object) -> object:
        if path != files["s1"]:
            return plan(workspace, path, **options)  # type: ignore[arg-type]  # as it is called
        done = 0
        while not options["is_cancelled"]():  # type: ignore[operator]  # a callback
            done = min(done + 1, 34)
            options["progress"](done * 1_000_000, 100_000_000)  # type: ignore[operator]
            time.sleep(0.005)
        stopped.append(path)
        return plan(workspace, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(extracting, "plan", slow)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await until(pilot, lambda: browse(pilot).lookup is not None)
        await pilot.press("x")
        await until(pilot, lambda: "reading 34 % of 100 MB" in seen(pilot))
        assert "34 %" in lines(pilot)[16]
        await pilot.press("enter")
        assert toasts(pilot)[-1] == "It is still being read: wait, or esc leaves."
        await pilot.press("j")
        await until(pilot, lambda: "We decided to keep Redis 7" in seen(pilot))
        assert stopped == [files["s1"]]
        await pilot.press("k")
        await until(pilot, lambda: "reading 34 % of 100 MB" in seen(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: len(stopped) == 2)
        assert pilot.app.screen is browse(pilot)


async def test_read_only_shows_everything_and_writes_nothing(
    app: MemtuiApp, demo: DemoHome
) -> None:
    files = only_sessions(app, {"s1": TALK, "s2": SMALL_TALK})
    fill_inbox(app, files["s1"])
    manager = MemoryManager(
        Target(demo.api_dir),
        demo.environment(os.environ),
        is_readonly=True,
        clock_ns=lambda: NOW_NS,
    )
    before = tree(demo.root)
    sentence = "memtui was started with --readonly, so nothing is written."
    async with MemtuiApp(manager).run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "2", "T", "X", "enter", "enter", "enter")
        told = [(each.title, each.message) for each in pilot.app._notifications]
        assert told[-1] == ("Nothing was written", sentence)
        assert {message for _, message in told} == {sentence}
        await press(pilot, "escape", "1", "G")
        assert "Nothing to remember" in seen(pilot)
        await press(pilot, "enter", "enter")
        assert pilot.app.screen is screen
        await press(pilot, "escape")
    assert tree(demo.root) == before


async def test_a_session_that_cannot_be_read_is_a_sentence(app: MemtuiApp) -> None:
    file = only_sessions(app, {"s1": TALK, "s2": NEWS})["s1"]
    file.unlink()
    file.symlink_to(file.name)
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        await press(pilot, "G")
        names = [row.key for row in screen.sessions._rows if row.key is not None]
        if file in names:
            screen.sessions.move_to(file)
            await read(pilot)
            assert "✗" in text_of(pilot, "#no-patches")


@pytest.mark.parametrize(
    "size", [(80, 24), (60, 20), (40, 12)], ids=lambda size: "x".join(map(str, size))
)
async def test_each_pane_can_be_seen_in_a_narrow_terminal(
    app: MemtuiApp, size: tuple[int, int]
) -> None:
    only_sessions(app, {"s1": (*TALK, ("user", "Never deploy on Fridays today."), *NEWS)})
    async with app.run_test(size=size) as pilot:
        screen = await open_extract(pilot)
        wanted = {1: "sessions 1", 2: "■ F", 3: "quash-commits", 4: "a temporary word"}
        for key in ("1", "tab", "tab", "tab", "tab", "shift+tab", "2", "3", "1"):
            await press(pilot, key)
            pane = screen.focused_pane
            assert pane.region.area > 0
            assert f"{pane.number} {pane.title}" in lines(pilot)[pane.region.y]
            if pane.number == 3:
                await press(pilot, "g")
            assert wanted[pane.number] in seen(pilot), pane.number
        await press(pilot, "2", "e")
        assert "enter save" in seen(pilot)
        await press(pilot, "escape")
        await pilot.resize_terminal(120, 40)
        await read(pilot)
        assert all(pane.region.area for pane in screen.panes)


async def test_help_and_palette_tell_the_actions_of_the_screen(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 60)) as pilot:
        await open_extract(pilot)
        actions = actions_of(("app", "extract"))
        titles = [each.title for each in app.get_system_commands(app.screen)]
        assert titles == [each.label for each in actions if each.in_palette]
        assert not {"review", "discard"} & set(titles)
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpDialog)
        told = pilot.app.screen.query_one("#help-lines", LineView).text.splitlines()
        for action in actions:
            assert f"{action.shown:14}{action.help}" in told


async def test_hostile_text_is_drawn_as_signs(app: MemtuiApp) -> None:
    said = [("user", f"Never put {kind.raw} into a note, because of {kind.raw}.") for kind in KINDS]
    name = f"s {KINDS[2].file_stem} {CONTROLS[0].file_stem}"
    only_sessions(app, {name: (*said, ("assistant", "Ok."), *SMALL_TALK), "s2": said[:1]})
    async with app.run_test(size=WIDE) as pilot:
        screen = await open_extract(pilot)
        assert_harmless(app)
        assert len(screen.items) + len(screen.found.dropped if screen.found else ()) > 40
        await press(pilot, "2")
        for _ in screen.items:
            item = screen._item()
            assert item is not None
            kind = KINDS[item.patch.source.message]
            assert squash(kind.shown) in squash(text_of(pilot, "#patch")), kind
            assert_harmless(app)
            await pilot.press("j")
            await pilot.pause()
        await press(pilot, "4")
        for _ in drawn(screen, "#dropped"):
            assert_harmless(app)
            await pilot.press("j")
            await pilot.pause()
        await press(pilot, "2", "e")
        assert_harmless(app)
        await press(pilot, "escape", "a", "enter")
        assert_harmless(app)
        await press(pilot, "escape", "n", "enter")
        assert isinstance(pilot.app.screen, ConfirmDialog)
        assert_harmless(app)


# Pictures.

SEEN = {
    "s1": (
        ("user", f"That was the cause, thanks. {RULE} The rest can wait."),
        ("assistant", "Understood, I will merge it as it is."),
        ("user", f"{DECISION} And always write release notes as one line per change!"),
        ("assistant", "Noted."),
        ("user", "Never deploy on Fridays today."),
        ("assistant", "Ok."),
    ),
    "s2": SMALL_TALK,
    "s3": (("user", "リリースの差分をざっと見てくれる？"), ("assistant", "はい。")),
}


def played(*keys: str, waiting: int = 0) -> Callable[[AppPilot], Awaitable[None]]:
    """Open the screen, press keys, let no cursor blink; `waiting` stands in the header."""

    async def play(pilot: AppPilot) -> None:
        await open_extract(pilot)
        await until(pilot, lambda: (f"inbox {waiting}" in lines(pilot)[0]) == (waiting > 0))
        await press(pilot, *keys)
        for prompt in pilot.app.screen.query(Input):
            prompt.cursor_blink = False
        await pilot.pause()

    return play


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120", "80"])
def test_picture(snap_compare: SnapCompare, app: MemtuiApp, size: tuple[int, int]) -> None:
    only_sessions(app, SEEN)
    assert snap_compare(app, terminal_size=size, run_before=played("2", "j", "j"))


def test_picture_of_the_inbox(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    files = only_sessions(app, SEEN)
    count = len(fill_inbox(app, files["s1"]))
    assert snap_compare(app, terminal_size=WIDE, run_before=played("2", waiting=count))


def test_picture_of_an_edit(snap_compare: SnapCompare, app: MemtuiApp) -> None:
    only_sessions(app, SEEN)
    assert snap_compare(app, terminal_size=(80, 24), run_before=played("2", "e"))
