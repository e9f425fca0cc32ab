"""The app on a demo whose clock stands still, so that ages and pictures do not change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtui.demo import DemoHome, materialize
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp

NOW_S = 1_795_000_000
NOW_NS = NOW_S * 1_000_000_000

AppFor = Callable[[Path], MemtuiApp]


@pytest.fixture
def demo(tmp_path: Path) -> DemoHome:
    """A fresh copy of the demo, aged as of `NOW_S`."""
    return materialize(tmp_path / "demo", NOW_S)


@pytest.fixture
def app_for(demo: DemoHome) -> AppFor:
    """Makes the app on a folder, with the demo's home."""

    def make(directory: Path) -> MemtuiApp:
        env = demo.environment(os.environ)
        return MemtuiApp(MemoryManager(Target(directory), env, clock_ns=lambda: NOW_NS))

    return make


@pytest.fixture
def app(demo: DemoHome, app_for: AppFor) -> MemtuiApp:
    """The app on the demo's first project."""
    return app_for(demo.api_dir)


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is UTC, so that times of day can be told."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
