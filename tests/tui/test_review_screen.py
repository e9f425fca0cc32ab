"""The review: what is accepted is written byte for byte, and everything comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.plans.diff import unified
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.dialogs import ConfirmDialog
from tests.engine.written_store import Found, temporaries, tree
from tests.tui.acting import (
    FREEZE,
    INDEX,
    REVIEW,
    WIDE,
    applied,
    changes,
    find,
    forget,
    line_of,
    mark,
    press,
    review,
    reviewed,
    settled,
    signs,
    text_of,
)
from tests.tui.conftest import AppFor
from tests.tui.seen import browse, cursor, filled, lines, rescan, seen, toasts

TWO = ("project/merge-freeze.md", "feedback/review.md:3")
FREEZE_LINE = b"- [Merge freeze before 2.4](project/merge-freeze.md)"


def bytes_in(demo: DemoHome, place: tuple[str, str]) -> bytes | None:
    """What a file of the demo holds; None where it is gone."""
    roots = {"project": demo.api_memory, "user": demo.user_memory, "team": demo.team_memory}
    path = roots[place[0]] / place[1]
    return path.read_bytes() if path.exists() else None


def changed(before: dict[str, Found], after: dict[str, Found]) -> set[str]:
    """The last two parts of the paths that are not the same."""
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return {"/".join(Path(name).parts[-2:]) for name in names}


def toast_of(app: MemtuiApp) -> tuple[str, str]:
    """Title and text of the only toast."""
    (toast,) = app._notifications
    return toast.title, toast.message


async def test_apply_writes_what_was_planned_and_u_brings_it_back(
    app: MemtuiApp, demo: DemoHome
) -> None:
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        await press(pilot, *"jjj")
        assert cursor(pilot) == FREEZE
        assert screen.index.files.position == 5
        shown = await reviewed(pilot, *TWO)
        planned = changes(shown.review.change_sets)
        assert planned.keys() == {FREEZE, REVIEW, INDEX}
        assert tree(demo.home) == before
        await applied(pilot)
        assert toast_of(app) == (
            "Done",
            "forget, 3 files: 2 changed, 1 removed · u undoes it",
        )
        assert {place: bytes_in(demo, place) for place in planned} == planned
        assert changed(before, tree(demo.home)) == {
            "project/merge-freeze.md",
            "feedback/review.md",
            "memory/MEMORY.md",
        }
        # The list shows it at once; the cursor stands on what took the place of the row.
        assert "Merge freeze before" not in seen(pilot)
        assert lines(pilot)[0].split()[3:5] == ["project", "27"]
        assert screen.index.files.position == 5
        assert screen.place == cursor(pilot)
        await press(pilot, "u")
        assert lines(pilot)[0].startswith(" memtui  acme-api ▾  ›  undo  ›  review")
        assert signs(review(pilot)) == {REVIEW: "✓M", FREEZE: "✓A", INDEX: "✓M"}
        assert text_of(pilot, "#effects").startswith("undo of forget ─")
        await applied(pilot)
        assert toasts(pilot)[-1] == "undo, 3 files: 1 added, 2 changed · the log has it"
        assert tree(demo.home) == before
        assert "Merge freeze before" in seen(pilot)
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "There is nothing to undo in these stores."
    assert temporaries(demo.root) == []


async def test_u_in_a_later_run_undoes_both_scopes(
    app: MemtuiApp, app_for: AppFor, demo: DemoHome
) -> None:
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await reviewed(pilot, "user:feedback/fish.md", "project/merge-freeze.md")
        labels = [file.label for file in review(pilot).shown_files]
        assert labels == [
            "project/merge-freeze.md",
            "MEMORY.md",
            "user:feedback/fish.md",
            "user:MEMORY.md",
        ]
        await applied(pilot)
        assert toasts(pilot) == ["forget, 4 files: 2 changed, 2 removed · u undoes it"]
        assert bytes_in(demo, FREEZE) is None
        assert bytes_in(demo, ("user", "feedback/fish.md")) is None
    async with app_for(demo.api_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await press(pilot, "u")
        assert len(review(pilot).shown_files) == 4
        await applied(pilot)
        assert tree(demo.home) == before


async def test_a_rejected_topic_file_keeps_its_index_line(app: MemtuiApp, demo: DemoHome) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        shown = await reviewed(pilot, *TWO)
        assert signs(shown) == {FREEZE: "✓D", REVIEW: "✓M", INDEX: "✓M"}
        assert line_of(pilot, "#summary") == (
            "3 of 3 files +1 -15 ! 2 links break 2 entries go 1 file goes enter apply 3 files"
        )
        await press(pilot, "space")
        assert signs(shown) == {FREEZE: "✗D", REVIEW: "✓M", INDEX: "✓M"}
        planned = changes(shown.review.change_sets)
        assert planned.keys() == {REVIEW, INDEX}
        assert FREEZE_LINE in (planned[INDEX] or b"")
        assert line_of(pilot, "#summary") == ("2 of 3 files +1 -4 1 entry goes enter apply 2 files")
        assert "2 accepted · 1 rejected" in seen(pilot)
        assert "links" not in text_of(pilot, "#effects")
        before = tree(demo.home)
        await applied(pilot)
        assert {place: bytes_in(demo, place) for place in planned} == planned
        assert changed(before, tree(demo.home)) == {"feedback/review.md", "memory/MEMORY.md"}


async def test_a_rejected_index_stays_and_nothing_else_does(app: MemtuiApp, demo: DemoHome) -> None:
    index = bytes_in(demo, INDEX)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        shown = await reviewed(pilot, "project/merge-freeze.md")
        await press(pilot, "j", "space")
        assert signs(shown) == {FREEZE: "✓D", INDEX: "✗M"}
        await applied(pilot)
        assert bytes_in(demo, FREEZE) is None
        assert bytes_in(demo, INDEX) == index
        assert toasts(pilot) == ["forget, 1 file: 1 removed · u undoes it"]


async def test_all_and_none(app: MemtuiApp, demo: DemoHome) -> None:
    before = tree(demo.root)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        shown = await reviewed(pilot, *TWO)
        await press(pilot, "n")
        assert signs(shown) == {FREEZE: "✗D", REVIEW: "✗M", INDEX: "✗M"}
        assert line_of(pilot, "#summary").startswith("0 of 3 files · · enter apply 0 files")
        await press(pilot, "enter")
        assert toasts(pilot) == ["Nothing is accepted: space accepts a file, esc leaves."]
        # The index alone has nothing to change, and is not told as accepted.
        await press(pilot, "G", "space")
        assert signs(shown) == {FREEZE: "✗D", REVIEW: "✗M", INDEX: "✓M"}
        assert "stays as it is" in seen(pilot)
        assert line_of(pilot, "#summary").startswith("0 of 3 files · ·")
        assert "0 accepted · 2 rejected" in seen(pilot)
        await press(pilot, "enter")
        assert review(pilot) is shown
        await press(pilot, "a")
        assert signs(shown) == {FREEZE: "✓D", REVIEW: "✓M", INDEX: "✓M"}
        assert len(shown.review.files) == 3
        await press(pilot, "escape", "escape")
        assert pilot.app.screen is browse(pilot)
    assert tree(demo.root) == before


async def test_the_diff_and_its_hunks(app: MemtuiApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await filled(pilot)
        shown = await reviewed(
            pilot, "project/merge-freeze.md", "feedback/review.md:0", "project/postgres-16.md:4"
        )
        text = [" ".join(line.split()) for line in text_of(pilot, "#diff").splitlines()]
        assert text[:3] == [
            "project/merge-freeze.md whole file · -10",
            "1 - ---",
            "2 - name: Merge freeze before 2.4",
        ]
        head = text.index("feedback/review.md 4 entries → 3 · -3")
        assert text[head + 1].startswith("entry :0 ─")
        assert "7 - - Read the tests first, then the diff, then the description." in text
        assert "10 7 - Name the risk in one sentence when you approve." in text
        assert any(line.startswith("entry :4 ─") for line in text)
        starts = shown.page.hunk_tops
        assert starts[:3] == shown.page.file_starts[:3]
        assert len(starts) >= 4
        reached = []
        for key in ("]", "]", "["):
            await press(pilot, key)
            reached.append(shown.diff.scroll_offset.y)
        assert reached == [starts[1], starts[2], starts[1]]
        assert f"hunk 2/{len(starts)}" in lines(pilot)[-3]
        # The diff goes where the cursor goes.
        await press(pilot, "j")
        assert shown.diff.scroll_offset.y == shown.page.file_starts[1]
        await press(pilot, "y")
        assert app.clipboard == unified(shown.review.change_sets[0])
        assert "-name: Merge freeze before 2.4\n" in app.clipboard
        assert toasts(pilot)[0].startswith("copied: the diff, ")


async def test_what_changed_since_refuses_and_can_be_done_again(
    app: MemtuiApp, demo: DemoHome
) -> None:
    path = demo.api_memory / "feedback/review.md"
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await reviewed(pilot, *TWO)
        path.write_bytes(path.read_bytes().replace(b"Name the risk", b"Name each risk"))
        before = tree(demo.home)
        await press(pilot, "enter")
        review(pilot)
        title, said = toast_of(app)
        assert title == "Nothing was written"
        assert said.startswith("feedback/review.md changed since this was planned")
        assert tree(demo.home) == before
        await press(pilot, "escape")
        await rescan(pilot)
        await settled(pilot)
        assert {entry.id for entry in forget(pilot).marked.values()} == set(TWO)
        await press(pilot, "enter")
        planned = changes(review(pilot).review.change_sets)
        assert b"Name each risk" in (planned[REVIEW] or b"")
        await applied(pilot)
        assert {place: bytes_in(demo, place) for place in planned} == planned


def agent_writes(demo: DemoHome) -> None:
    """What an agent does meanwhile: a new memory, and its line at the top of the index."""
    text = "---\nname: Meanwhile\ndescription: by the agent\ntype: project\n---\n\nNew.\n"
    (demo.api_memory / "project/meanwhile.md").write_text(text, encoding="utf-8")
    index = demo.api_memory / "MEMORY.md"
    line = b"- [Meanwhile](project/meanwhile.md) \xe2\x80\x94 by the agent\n"
    index.write_bytes(line + index.read_bytes())


async def test_an_index_that_an_agent_rewrote_does_not_refuse(
    app: MemtuiApp, demo: DemoHome
) -> None:
    topic = bytes_in(demo, FREEZE)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await reviewed(pilot, "project/merge-freeze.md")
        agent_writes(demo)
        await applied(pilot)
        index = bytes_in(demo, INDEX) or b""
        assert b"(project/meanwhile.md)" in index
        assert FREEZE_LINE not in index
        assert bytes_in(demo, FREEZE) is None
        assert "Meanwhile" in seen(pilot)
        # So does its undo.
        await press(pilot, "u")
        path = demo.api_memory / "MEMORY.md"
        path.write_bytes(path.read_bytes().replace(b"by the agent", b"by it"))
        await applied(pilot)
        assert toasts(pilot)[-1] == "undo, 2 files: 1 added, 1 changed · the log has it"
        assert bytes_in(demo, FREEZE) == topic
        index = bytes_in(demo, INDEX) or b""
        assert FREEZE_LINE in index
        assert b"(project/meanwhile.md) \xe2\x80\x94 by it" in index


async def test_what_others_changed_stays_in_an_undo_and_is_told(
    app: MemtuiApp, demo: DemoHome
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await reviewed(pilot, *TWO)
        await applied(pilot)
        path = demo.api_memory / "feedback/review.md"
        path.write_bytes(path.read_bytes() + b"- One more.\n")
        content = path.read_bytes()
        await press(pilot, "u")
        assert FREEZE in signs(review(pilot))
        assert REVIEW not in signs(review(pilot))
        effects = " ".join(text_of(pilot, "#effects").split())
        assert "! feedback/review.md: It was changed since." in effects
        assert "! 1 stays" in line_of(pilot, "#summary")
        await applied(pilot)
        assert bytes_in(demo, FREEZE) is not None
        assert path.read_bytes() == content


async def test_a_stale_lock_is_asked_about(app: MemtuiApp, demo: DemoHome) -> None:
    lock = demo.api_memory.parent / "consolidation.lock"
    lock.write_text("1")
    os.utime(lock, (1_600_000_000, 1_600_000_000))
    before = tree(demo.home)
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        await reviewed(pilot, "project/merge-freeze.md")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ConfirmDialog)
        assert "is a stale lock" in " ".join(seen(pilot).replace("│", " ").split())
        assert "enter remove the lock and go on   esc leave it" in seen(pilot)
        await press(pilot, "escape")
        assert not review(pilot).is_applying
        assert tree(demo.home) == before
        await press(pilot, "enter")
        await applied(pilot)
        assert toasts(pilot) == ["forget, 2 files: 1 changed, 1 removed · u undoes it"]
        assert not lock.exists()
        assert bytes_in(demo, FREEZE) is None


@pytest.mark.parametrize(("width", "answers"), [(60, "remove the lock and go on"), (40, "yes")])
async def test_the_answers_fit_into_a_narrow_terminal(
    app: MemtuiApp, demo: DemoHome, width: int, answers: str
) -> None:
    lock = demo.api_memory.parent / "consolidation.lock"
    lock.write_text("1")
    os.utime(lock, (1_600_000_000, 1_600_000_000))
    async with app.run_test(size=(width, 12)) as pilot:
        await filled(pilot)
        await press(pilot, "f", "enter")
        assert isinstance(pilot.app.screen, ConfirmDialog)
        assert any("esc" in line and f"enter {answers}" in line for line in lines(pilot))
        await press(pilot, "n")
        review(pilot)


async def test_a_hand_kept_index_loses_one_line(app_for: AppFor, demo: DemoHome) -> None:
    before = tree(demo.home)
    index = demo.mobile_memory / "MEMORY.md"
    former = index.read_bytes().split(b"\n")
    async with app_for(demo.mobile_dir).run_test(size=WIDE) as pilot:
        await filled(pilot)
        await find(pilot, "offline maps")
        await mark(pilot, "project_offline_maps.md")
        await press(pilot, "enter")
        await applied(pilot)
        assert index.read_bytes().split(b"\n") == [
            line for line in former if b"project_offline_maps.md" not in line
        ]
        assert len(former) - len(index.read_bytes().split(b"\n")) == 1
        await press(pilot, "u")
        await applied(pilot)
    assert tree(demo.home) == before
