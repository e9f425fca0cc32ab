"""A review of 2,000 files whose planner and writer wait until they are let go; for pilot tests."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from memtui.engine.disk.store import Applied
from memtui.engine.errors import RefusedError
from memtui.engine.types import ChangeSet, FileChange, Store
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from memtui.tui.review import Check, EffectLine, EffectSection, Review, files_of, without
from memtui.tui.screens.review import ReviewScreen
from tests.tui.acting import WIDE, line_of, planned
from tests.tui.seen import AppPilot, browse, filled, until

FILES = 2_000
LINES = 4
PLACES: tuple[Place, ...] = tuple(
    ("project", f"feedback/f{number:04d}.md") for number in range(FILES)
)
FIRST, SECOND, THIRD = PLACES[:3]
PATIENCE_S = 20.0


def change(path: str) -> FileChange:
    after = "".join(f"{path} line {number}\n" for number in range(LINES)).encode()
    return FileChange(path, None, after, "new")


APPLIED = Applied("an act")
STORE = Store("project", "none", Path("/nowhere"))
CHANGE_SET = ChangeSet(STORE, "dream", tuple(change(path) for _, path in PLACES))


def review_of(rejected: frozenset[Place]) -> Review:
    change_sets = without((CHANGE_SET,), rejected)
    effects = EffectSection("lines", "", tuple(EffectLine(path) for _, path in PLACES))
    return Review("dream", change_sets, tuple(files_of(change_sets)), (effects,))


class Planner:
    """Plans when it is let go, and tells what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[frozenset[Place]] = []
        self.late: list[frozenset[Place]] = []
        self.threads: set[int] = set()
        self.gate = threading.Semaphore(0)
        self.errors: list[Exception] = []
        self.heeds = True
        """False: a plan goes on to its end, also where it is late."""

    def __call__(self, rejected: frozenset[Place], check: Check) -> Review:
        self.asked.append(rejected)
        self.threads.add(threading.get_ident())
        assert self.gate.acquire(timeout=PATIENCE_S)
        if self.errors:
            raise self.errors.pop()
        try:
            if self.heeds:
                check()
        except RefusedError:
            self.late.append(rejected)
            raise
        return review_of(rejected)

    def go(self, count: int = 1) -> None:
        """Let that many plans be made."""
        self.gate.release(count)


class Writer:
    """Stands in for the writer; it waits where it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, frozenset[Place]]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.error: Exception | None = None

    def __call__(
        self, change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        self.asked.append((sum(len(each.changes) for each in change_sets), rejected))
        assert self.gate.wait(PATIENCE_S)
        if self.error is not None:
            raise self.error
        return APPLIED


class Ground:
    """A review in the app, its planner and its writer."""

    def __init__(self, pilot: AppPilot, planner: Planner, *, has_first_files: bool = True) -> None:
        self.pilot, self.planner, self.writer = pilot, planner, Writer()
        self.told: list[Review | Exception] = []
        self.results: list[Applied | None] = []
        screen = browse(pilot)
        assert screen.lookup is not None
        self.screen = ReviewScreen(
            screen.palette,
            screen.lookup.header(""),
            replan=planner,
            apply=self.writer,
            stale_lock=lambda: "",
            tell=self.told.append,
            first_files=review_of(frozenset()).files if has_first_files else (),
        )

    async def open(self) -> None:
        self.pilot.app.push_screen(self.screen, self.results.append)
        await until(self.pilot, lambda: self.planner.asked)

    async def asked(self, count: int) -> None:
        await until(self.pilot, lambda: len(self.planner.asked) == count)

    @property
    def summary(self) -> str:
        return line_of(self.pilot, "#summary")


@asynccontextmanager
async def shown(app: MemtuiApp, planner: Planner) -> AsyncIterator[Ground]:
    """The review, its first plan made."""
    async with app.run_test(size=WIDE) as pilot:
        await filled(pilot)
        ground = Ground(pilot, planner)
        await ground.open()
        planner.go()
        await planned(pilot)
        yield ground
        planner.go(1_000)
        ground.writer.gate.set()
