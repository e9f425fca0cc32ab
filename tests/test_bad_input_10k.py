"""A memory directory of 10,000 files: every verb answers, and no key of the app waits.

Costs are counted by the processor, and the bounds are wide: they fail where work begins to grow
with the square of the files, not on a busy machine. `tests/benchmarks/` measures.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from tests.benchmarks.generate import NEWEST_MTIME_NS, write_store
from tests.cli_home import call, call_process
from tests.tui.seen import AppPilot, filled, rescan, until

COUNT = 10_000
KEY_CPU_S = 0.5

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    memory = tmp_path_factory.mktemp("many") / "memory"
    write_store(memory, COUNT, size_bytes=512)
    return memory


def test_every_verb_answers(memory: Path, capsys: Capture) -> None:
    where = ("--memory-dir", str(memory))
    listed = call(capsys, "list", "--json", *where)
    assert (listed.code, len(listed.json["documents"]), listed.json["problems"]) == (0, COUNT, [])
    text = call(capsys, "list", *where)
    assert (text.code, text.err) == (0, "")
    assert text.out.count("note-") == COUNT
    recall = call(capsys, "recall", "deploy release", "--json", *where).json
    assert (len(recall["documents"]), len(recall["left_out"])) == (5, COUNT - 5)
    index = call(capsys, "index", "--json", *where).json
    assert (index["lines"], len(index["files_without_line"])) == (200, COUNT - 200)
    assert call(capsys, "show", "feedback/note-09999.md", *where).code == 1
    done = call_process("show", "user/note-09999.md", "--json", *where)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["path"] == "user/note-09999.md"


async def costs(pilot: AppPilot, *keys: str) -> float:
    """The most that one of `keys` costs the thread of the screen, in seconds of the processor."""
    most = 0.0
    for key in keys:
        start = time.thread_time()
        await pilot.press(key)
        most = max(most, time.thread_time() - start)
    return most


async def test_no_key_waits(memory: Path) -> None:
    env = {"HOME": str(memory.parent / "home")}
    manager = MemoryManager(
        Target(memory.parent, memory), env, clock_ns=lambda: NEWEST_MTIME_NS + 10**15
    )
    app = MemtuiApp(manager)
    async with app.run_test(size=(120, 40)) as pilot:
        start = time.thread_time()
        screen = await filled(pilot)
        await until(pilot, lambda: not screen.unprepared)
        assert time.thread_time() - start < 2.0
        assert screen.index.files.count == COUNT + 1
        assert await costs(pilot, "j", "k", "pagedown", "G", "g", "2", "1") < KEY_CPU_S
        assert (
            await costs(pilot, "slash", *"note 09", "backspace", *" age>30 type:user") < KEY_CPU_S
        )
        assert 0 < screen.index.files.count < COUNT
        assert await costs(pilot, "escape", "escape", "r", *"deploy release") < KEY_CPU_S
        recall = screen.recall.view.recall
        assert recall is not None
        assert (recall.scanned, len(recall.hits)) == (COUNT, 5)
        assert await costs(pilot, "enter", "n", "j", "G", "n", "s", "s", "s") < KEY_CPU_S
        (memory / "user/note-00003.md").unlink()
        await rescan(pilot)
        assert screen.index.files.count == COUNT
