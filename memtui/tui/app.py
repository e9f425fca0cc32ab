"""The app: themes, the main screen, help and palette.

Invariant: it holds the manager and nothing of a store; every key it binds is in `actions`. What
is pasted and what a toast says pass `safe_text`, and no toast is read as markup.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen

from memtui.engine.manager import MemoryManager
from memtui.tui import actions
from memtui.tui.live_state import LiveApp
from memtui.tui.safe_text import safe_block, safe_characters, safe_line
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import DARK, LIGHT, palette_of

_STOP_S = 1.0
"""So long what runs beside the screens may take to end; a write is whole or put back later."""
_AT_ONCE_S = 0.2
"""What takes longer to end after the app has is worth a word."""
_PUT_BACK_S = 60.0
"""So long what is being written may take to be put back, once the terminal is given back."""
_STOPPING = (
    "stopping what is being written; it is put back first. ctrl+c twice leaves that to the next"
    " start."
)
_ONCE_MORE = "ctrl+c once more leaves it half done; the next start puts it back."
_LEFT = "what is being written did not stop; the next start puts it back."
_COLLECT_AFTER_S = 2.0
"""By then the app has started: what there is stays, what comes is worth a look for garbage."""


class MemtuiApp(LiveApp):
    """memtui on one manager; `note` stands in the header."""

    TITLE = "memtui"
    CSS_PATH = "memtui.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("app")]
    COMMAND_PALETTE_BINDING = "ctrl+p"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, manager: MemoryManager, *, note: str = "", theme: str = "") -> None:
        super().__init__()
        self.manager = manager
        self.note = " · ".join(filter(None, (note, "read-only" if manager.is_readonly else "")))
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.palette = palette_of(DARK)
        theme = {"": DARK.name, "dark": DARK.name, "light": LIGHT.name}.get(theme, theme)
        self.theme = theme if theme in self.available_themes else DARK.name
        self._faults = [*manager.settings.problems]
        if self.theme != theme:
            self._faults.append(f"There is no theme `{theme}`; {self.theme} is used.")

    def on_mount(self) -> None:
        """Tell what of the settings could not be used; end the start of the process."""
        if not gc.isenabled():
            self.set_timer(_COLLECT_AFTER_S, _collect_again)
        for fault in self._faults:
            self.notify(fault, severity="warning", timeout=10)
        for hint in self.manager.settings.hints:
            self.notify(hint, timeout=10)

    async def on_unmount(self) -> None:
        """End what runs beside the screens."""
        await asyncio.to_thread(self.manager.stop, _STOP_S)

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return BrowseScreen(self.manager, self.palette, note=self.note)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The actions of the registry, for the palette."""
        places = screen.places if isinstance(screen, PanedScreen) else ("app",)
        for action in actions.of(places):
            if action.in_palette:
                yield SystemCommand(
                    action.label,
                    f"{action.help}  ({action.shown})",
                    self._runner(action.from_screen),
                )

    def _runner(self, action: str) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            await self.screen.run_action(action)

        return run

    def watch_theme(self, theme: str) -> None:
        """Give the roles the styles of the new theme."""
        self.palette.follow(self.current_theme)

    async def on_event(self, event: events.Event) -> None:
        """Let no hidden character of a paste into an input, the palette's own included."""
        if isinstance(event, events.Paste):
            event.text = "\n".join(map(safe_characters, event.text.splitlines()))
        await super().on_event(event)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a toast; `markup` has no effect, since a message can hold text of a file."""
        super().notify(
            safe_block(message),
            title=safe_line(title),
            severity=severity,
            timeout=timeout,
            markup=False,
        )

    def action_help_quit(self) -> None:
        """Say how to leave, to one who presses ctrl+c."""
        self.notify("Press ctrl+q to leave memtui.")

    async def action_quit(self) -> None:
        """Leave memtui; where that loses what a person typed, ask first."""
        from memtui.tui.screens.dialogs import ConfirmDialog

        questions = [each.unsaved for each in self.screen_stack if isinstance(each, PanedScreen)]
        question = " ".join(filter(None, questions))
        if not question or isinstance(self.screen, ConfirmDialog):
            self.exit()
            return

        def leave(wanted: bool | None) -> None:
            if wanted:
                self.exit()

        self.push_screen(ConfirmDialog(self.palette, question, "quit"), leave)

    async def action_help(self) -> None:
        """The keys of the focused pane."""
        from memtui.tui.screens.dialogs import HelpDialog

        screen = self.screen
        if isinstance(screen, PanedScreen):
            dialog = HelpDialog(self.palette, screen.places, screen.pane_context)
            await self.push_screen(dialog)


def _collect_again() -> None:
    gc.freeze()
    gc.enable()


def run_app(manager: MemoryManager, *, note: str = "") -> int:
    """Open the app in this terminal; returns the exit code."""
    app = MemtuiApp(manager, note=note, theme=manager.settings.theme)
    try:
        app.run()
    finally:
        _end_tasks(manager)
    return app.return_code or 0


def _end_tasks(manager: MemoryManager) -> None:
    """Wait until nothing is written any more, for `_PUT_BACK_S` or until a second ctrl+c."""
    if manager.stop(_AT_ONCE_S):
        return
    _say(_STOPPING)
    until_s = time.monotonic() + _PUT_BACK_S
    try:
        has_ended = manager.stop(_PUT_BACK_S)
    except KeyboardInterrupt:
        _say(_ONCE_MORE)
        has_ended = manager.stop(max(0.0, until_s - time.monotonic()))
    if not has_ended:
        _say(_LEFT)


def _say(sentence: str) -> None:
    """One sentence on standard error; where that is closed nobody is left to be told."""
    with suppress(OSError, ValueError):
        print(f"memtui: {sentence}", file=sys.stderr, flush=True)
