"""Leaving the app while something is written: that is put back before the process ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.demo import DemoHome
from memtui.engine.disk.store import StoreWriter
from memtui.tui import app as app_module
from memtui.tui.app import MemtuiApp, run_app
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import tree
from tests.tui.conftest import NOW_NS

_PATIENCE_S = 20.0
STOPPING = (
    "memtui: stopping what is being written; it is put back first. ctrl+c twice leaves that to the"
    " next start."
)
ONCE_MORE = "memtui: ctrl+c once more leaves it half done; the next start puts it back."
LEFT = "memtui: what is being written did not stop; the next start puts it back."


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_AT_ONCE_S", 0.01)


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_what_a_dream_has_written_is_put_back(
    app: MemtuiApp,
    demo: DemoHome,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    manager, begun, goes = app.manager, threading.Event(), threading.Event()
    written: list[Path] = []

    def slow(name: str, arguments: tuple[Any, ...]) -> None:
        targets = [each for each in arguments if isinstance(each, Path)]
        if name == "replace" and demo.api_memory in targets[-1].parents:
            written.append(targets[-1])
            if len(written) == 2:
                begun.set()
                assert goes.wait(_PATIENCE_S)

    manager.writer = StoreWriter(
        manager.state_dir, clock_ns=lambda: NOW_NS, calls=FaultyCalls(watch=slow)
    )

    def run(app: MemtuiApp) -> None:
        manager.schedule_dream(trigger="manual")
        assert begun.wait(_PATIENCE_S)
        assert [*demo.api_memory.rglob(".memtui-*.tmp")]
        assert manager.has_unfinished(manager.scan())

    say = app_module._say

    def goes_on(sentence: str) -> None:
        say(sentence)
        goes.set()

    monkeypatch.setattr(MemtuiApp, "run", run)
    monkeypatch.setattr(app_module, "_say", goes_on)
    before = tree(demo.api_memory.parent)
    assert run_app(manager) == 0
    assert said(capsys) == [STOPPING]
    # No temporary file, no lock, no changed file; and nothing for the next start to put back.
    assert tree(demo.api_memory.parent) == before
    assert not manager.has_unfinished(manager.scan())
    assert [(each.status, each.skipped_reason) for each in manager.tasks()] == [
        ("skipped", "stopped")
    ]


class _Stops:
    """Answers of `manager.stop`: one that is an exception is raised."""

    def __init__(self, *answers: bool | type[BaseException]) -> None:
        self._answers: Iterator[bool | type[BaseException]] = iter(answers)
        self.waited_s: list[float] = []

    def __call__(self, timeout_s: float) -> bool:
        self.waited_s.append(timeout_s)
        answer = next(self._answers)
        if isinstance(answer, bool):
            return answer
        raise answer


@pytest.mark.parametrize(
    ("answers", "told", "is_interrupted"),
    [
        ((True,), [], False),
        ((False, True), [STOPPING], False),
        ((False, False), [STOPPING, LEFT], False),
        ((False, KeyboardInterrupt, True), [STOPPING, ONCE_MORE], False),
        ((False, KeyboardInterrupt, KeyboardInterrupt), [STOPPING, ONCE_MORE], True),
    ],
)
def test_how_long_is_waited(
    app: MemtuiApp,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: tuple[bool | type[BaseException], ...],
    told: list[str],
    is_interrupted: bool,
) -> None:
    stops = _Stops(*answers)
    monkeypatch.setattr(app.manager, "stop", stops)
    monkeypatch.setattr(MemtuiApp, "run", lambda self: None)
    if is_interrupted:
        with pytest.raises(KeyboardInterrupt):
            run_app(app.manager)
    else:
        assert run_app(app.manager) == 0
    assert said(capsys) == told
    assert stops.waited_s[:2] == [0.01, 60.0][: len(answers)]
    assert all(0 < waited_s <= 60.0 for waited_s in stops.waited_s)


def test_a_kill_waits_too(app: MemtuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(self: MemtuiApp) -> None:
        raise SystemExit(143)

    stops = _Stops(False, True)
    monkeypatch.setattr(app.manager, "stop", stops)
    monkeypatch.setattr(MemtuiApp, "run", killed)
    with pytest.raises(SystemExit) as end:
        run_app(app.manager)
    assert end.value.code == 143
    assert stops.waited_s == [0.01, 60.0]
