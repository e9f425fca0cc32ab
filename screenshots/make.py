"""Pictures of the app's screens: `python -m screenshots.make [scene …] [--out DIR]`.

Each scene starts the real app without a terminal, presses keys and draws what is on the screen.
Invariant: one scene is one file `<name>-<columns>x<rows>.png`, and nothing in it is drawn by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from textual.app import App
from textual.widgets import Input, TextArea

from memtui.demo import materialize
from memtui.engine.lifecycle.inbox import put_in
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from screenshots.history import forget_some, run_tasks, write_events
from screenshots.picture import NoBrowserError, capture, draw_png, svg_of

AppFactory = Callable[[], App[object]]

DARK, LIGHT = "memtui-dark", "memtui-light"
_SETTLE_S = 0.3


@dataclass(frozen=True)
class Scene:
    """What to start, what to press, and how large; None keeps the theme of the app."""

    name: str
    app: AppFactory
    size: tuple[int, int] = (120, 40)
    keys: tuple[str, ...] = ()
    theme: str | None = None

    @property
    def file_name(self) -> str:
        """`<name>-<columns>x<rows>.png`."""
        columns, rows = self.size
        return f"{self.name}-{columns}x{rows}.png"


def demo_app(folder: str = "api_dir") -> App[object]:
    """The app on a fresh copy of the demo; `folder` is the attribute of `DemoHome` to open."""
    target = tempfile.TemporaryDirectory(prefix="memtui-pictures-")
    atexit.register(target.cleanup)
    demo = materialize(Path(target.name), time.time())
    manager = MemoryManager(Target(getattr(demo, folder)), demo.environment(os.environ))
    return cast("App[object]", MemtuiApp(manager))


def activity_app() -> App[object]:
    """The app on a demo that was used for two weeks."""
    app = cast("MemtuiApp", demo_app())
    manager = app.manager
    workspace = manager.scan()
    write_events(manager, workspace, manager.clock_ns())
    forget_some(manager, ("reference/oncall.md", "project/merge-freeze.md"))
    run_tasks(manager, str(workspace.store("project").memory_dir))
    return cast("App[object]", app)


def extract_app() -> App[object]:
    """The app on a demo in whose inbox something waits."""
    app = cast("MemtuiApp", demo_app())
    manager = app.manager
    workspace = manager.scan()
    newest, _, older, *_ = manager.live.extracting.rows(workspace, "project")
    for row, count in ((older, 3), (newest, 2)):
        plan = manager.live.extracting.plan(workspace, row.summary.path)
        store = workspace.store("project")
        put_in(manager.state_dir, store, plan.patches[:count], plan.session, plan.length)
    return cast("App[object]", app)


def dream_app() -> App[object]:
    """The app on a demo whose store was tidied before, by hand and by itself."""
    from memtui.engine.disk.telemetry import DreamStatus, Telemetry, Trigger

    target = tempfile.TemporaryDirectory(prefix="memtui-pictures-")
    atexit.register(target.cleanup)
    now_ns = time.time_ns()
    demo = materialize(Path(target.name), now_ns / 1e9)
    past_ns, started_ns = now_ns, time.monotonic_ns()

    def clock_ns() -> int:
        return past_ns + time.monotonic_ns() - started_ns

    def manager_at() -> MemoryManager:
        target = Target(demo.api_dir)
        return MemoryManager(target, demo.environment(os.environ), clock_ns=clock_ns)

    def days_ago(days: float) -> int:
        return now_ns - round(days * 86_400) * 1_000_000_000

    manager = manager_at()
    workspace = manager.scan()
    folder = manager.telemetry(workspace).path.parent
    dreams: tuple[tuple[float, Trigger, DreamStatus, int, int], ...] = (
        (33.2, "auto", "updated", 2, 151),
        (30.6, "auto", "noop", 0, 122),
        (27.1, "auto", "noop", 0, 91),
        (24.9, "manual", "updated", 4, 260),
        (21.3, "auto", "updated", 1, 139),
        (18.4, "auto", "noop", 0, 84),
        (15.2, "auto", "failed", 0, 1204),
        (12.5, "auto", "updated", 6, 388),
        (9.3, "auto", "noop", 0, 96),
        (6.1, "auto", "updated", 1, 141),
        (3.7, "auto", "noop", 0, 88),
    )
    for days, trigger, status, merged, took_ms in dreams:
        past_ns = days_ago(days)
        log = Telemetry(folder, manager.state_dir, is_on=True, clock_ns=clock_ns)
        log.dream(trigger, status, merged, ("feedback", "project"), took_ms)
    everything = [document.path for document in workspace.snapshots[0].documents]
    for days, path, is_undone in (
        (2.4, "project/数据保留.md", True),
        (1.3, "project/postgres-16.md", False),
    ):
        past_ns = days_ago(days)
        manager = manager_at()
        kept = [each for each in everything if each != path]
        manager.live.dreaming.run("project", trigger="manual", session="51ab9c04", without=kept)
        if is_undone:
            past_ns += 600_000_000_000
            manager.undo(manager.scan())
    past_ns = now_ns
    manager = MemoryManager(Target(demo.api_dir), demo.environment(os.environ))
    manager.live.dreaming.enable(workspace.store("project"), True)
    return cast("App[object]", MemtuiApp(manager))


_ASK = ("r", *"how do we write release notes?")
_EXTRACT = ("x", "wait:600", "j", "wait:600")
_FORGET = ("F", *"freeze", "wait:400", "enter")

SCENES: tuple[Scene, ...] = (
    Scene("recall", demo_app, keys=_ASK, theme=DARK),
    Scene("recall-light", demo_app, keys=_ASK, theme=LIGHT),
    Scene("recall", demo_app, size=(80, 24), keys=_ASK, theme=DARK),
    Scene("browse", demo_app, keys=("j",), theme=DARK),
    Scene("left-out", demo_app, keys=(*_ASK, "enter", "n"), theme=DARK),
    Scene("index", lambda: demo_app("mobile_dir"), keys=("i",), theme=DARK),
    Scene("forget", demo_app, keys=(*_FORGET, "j", "space", "j", "j", "space"), theme=DARK),
    Scene(
        "review", demo_app, keys=(*_FORGET, "j", "space", "j", "j", "space", "enter"), theme=DARK
    ),
    Scene("review", demo_app, size=(80, 24), keys=(*_FORGET, "j", "space", "enter"), theme=DARK),
    Scene("activity", activity_app, keys=("a",), theme=DARK),
    Scene("activity", activity_app, size=(80, 24), keys=("a",), theme=DARK),
    Scene("extract", extract_app, keys=(*_EXTRACT, "j", "wait:600"), theme=DARK),
    Scene("extract", extract_app, size=(80, 24), keys=(*_EXTRACT, "2"), theme=DARK),
    Scene("inbox", extract_app, keys=("x", "wait:600", "enter", "j"), theme=DARK),
    Scene("dream", dream_app, keys=("d", "wait:500"), theme=DARK),
    Scene("dream", dream_app, size=(80, 24), keys=("d", "wait:500"), theme=DARK),
    Scene("dream-light", dream_app, keys=("d", "wait:500"), theme=LIGHT),
    Scene("compare", dream_app, keys=("d", "wait:500", "c"), theme=DARK),
    Scene("projects", lambda: demo_app("home"), theme=DARK),
)


async def svg_of_scene(scene: Scene) -> str:
    """Play a scene and return its last screen as SVG; raises what the app raises."""
    app = scene.app()
    app.animation_level = "none"
    async with app.run_test(size=scene.size) as pilot:
        if scene.theme is not None:
            app.theme = scene.theme
        await pilot.pause()
        for key in scene.keys:
            await pilot.press(key)
        # Scans and searches run in workers and behind short delays.
        await pilot.pause(_SETTLE_S)
        field = app.screen.focused
        if isinstance(field, (Input, TextArea)):
            field.cursor_blink = False
        await pilot.pause()
        return svg_of(capture(app))


def selected(names: Sequence[str], scenes: Sequence[Scene] = SCENES) -> list[Scene]:
    """The scenes called `names` (a name or a file name without `.png`), all without names.

    Raises ValueError for a name that no scene has.
    """
    known = {name for scene in scenes for name in (scene.name, scene.file_name[:-4])}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"No scene is called {unknown[0]!r}; there are: {', '.join(sorted(known))}."
        )
    return [
        scene
        for scene in scenes
        if not names or scene.name in names or scene.file_name[:-4] in names
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the asked-for scenes; 1 without Chromium, 2 for an unknown scene."""
    parser = argparse.ArgumentParser(
        prog="screenshots.make", description="Draw the screens of the app as PNG files."
    )
    parser.add_argument("scene", nargs="*", help="names of scenes; without: all")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder of the pictures"
    )
    options = parser.parse_args(arguments)
    os.environ.pop("NO_COLOR", None)
    try:
        chosen = selected(options.scene)
    except ValueError as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    for scene in chosen:
        path = options.out / scene.file_name
        try:
            draw_png(asyncio.run(svg_of_scene(scene)), path)
        except NoBrowserError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{path}  {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
