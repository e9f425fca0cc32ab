"""An act that a memtui left unfinished is put back once the panes are filled."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from memtui.demo import DemoHome
from memtui.engine.disk.store import StoreWriter
from memtui.engine.manager import MemoryManager
from memtui.engine.types import ChangeSet, FileChange
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.scanning import WARM_UP_AFTER_S
from tests.engine.faults import Crash, FaultyCalls
from tests.tui.conftest import NOW_NS
from tests.tui.seen import browse, filled, seen, toasts, until

PATHS = ("feedback/uv.md", "feedback/squash.md")
AFTER = b"---\nname: Half an act\n---\n\nNever to be seen again.\n"


def leave_unfinished(manager: MemoryManager) -> tuple[bytes, ...]:
    """An act on two files that ends after the first; gives what they held before."""
    snapshot = manager.scan().of("project")
    assert snapshot is not None
    folder = snapshot.store.memory_dir
    before = tuple((folder / path).read_bytes() for path in PATHS)

    def die(name: str, arguments: tuple[Any, ...]) -> None:
        if (folder / PATHS[0]).read_bytes() == AFTER:
            raise Crash

    changes = tuple(
        FileChange(path, content, AFTER, "edited")
        for path, content in zip(PATHS, before, strict=True)
    )
    writer = StoreWriter(manager.state_dir, clock_ns=lambda: NOW_NS, calls=FaultyCalls(watch=die))
    with suppress(Crash):
        writer.apply([ChangeSet(snapshot.store, "forget", changes)])
    assert (folder / PATHS[0]).read_bytes() == AFTER
    return before


async def test_it_is_told_and_shown(app: MemtuiApp, demo: DemoHome) -> None:
    before = leave_unfinished(app.manager)
    async with app.run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        await until(pilot, lambda: toasts(pilot))
        assert toasts(pilot) == ["1 file of an act that was cut short: as before it."]
        assert tuple((demo.api_memory / path).read_bytes() for path in PATHS) == before
        await until(pilot, lambda: "Half an act" not in seen(pilot))
        lookup = browse(pilot).lookup
        assert lookup is not None
        assert lookup.documents[("project", PATHS[0])].raw == before[0]


async def test_nothing_is_put_back_read_only(app: MemtuiApp, demo: DemoHome) -> None:
    leave_unfinished(app.manager)
    app.manager.is_readonly = True
    async with app.run_test(size=(120, 40)) as pilot:
        await filled(pilot)
        await pilot.pause(WARM_UP_AFTER_S + 0.3)
        assert toasts(pilot) == []
        assert (demo.api_memory / PATHS[0]).read_bytes() == AFTER
