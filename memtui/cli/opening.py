"""From options to a manager: the user's own stores, or a demo that is gone afterwards.

Invariant: a demo lies in a temporary directory that is removed however the call ends, a polite
kill included; nothing of the user's own is looked at in it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from memtui.cli.arguments import Options
from memtui.engine.disk.paths import absolute
from memtui.engine.errors import StoreError
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target

DEMO_NOTE = "demo"
"""What the app shows beside the place, so that nobody takes the demo for their own."""


@contextmanager
def opened(options: Options) -> Iterator[MemoryManager]:
    """The manager that `options` ask for. Raises StoreError where there is no place for a demo."""
    if options.is_demo:
        with _demo(options) as manager:
            yield manager
        return
    try:
        directory = absolute(options.project or Path())
    except StoreError:
        # The current directory is gone; a call that names its place, or none, does without.
        is_named = options.memory_dir is not None and options.memory_dir.is_absolute()
        if options.project is not None or not (is_named or options.verb == "projects"):
            raise
        directory = Path(os.sep)
    target = Target(directory, options.memory_dir, options.agent)
    yield MemoryManager(target, is_readonly=options.is_readonly)


@contextmanager
def _demo(options: Options) -> Iterator[MemoryManager]:
    import tempfile
    import time

    from memtui.demo import materialize

    with ends_by_exception():
        try:
            place = tempfile.TemporaryDirectory(prefix="memtui-demo-", ignore_cleanup_errors=True)
        except OSError as error:
            raise StoreError(f"There is no place for a demo: {error.strerror}.") from error
        with place as root:
            demo = materialize(Path(root), time.time())
            directory = demo.mobile_dir if options.agent == "claude" else demo.api_dir
            target = Target(directory, agent=options.agent)
            env = demo.environment(os.environ)
            yield MemoryManager(target, env, is_readonly=options.is_readonly)


@contextmanager
def ends_by_exception() -> Iterator[None]:
    """Turn the signals that ask a process to end into SystemExit, so that it can clean up."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
