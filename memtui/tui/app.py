"""The app: themes, the main screen, help and palette.

Invariant: it holds the manager and nothing of a store; every key it binds is in `actions`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from memtui.engine.manager import MemoryManager
from memtui.tui import actions
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.dialogs import HelpDialog
from memtui.tui.themes import DARK, LIGHT, palette_of


class MemtuiApp(App[int]):
    """memtui on one manager; `note` stands in the header."""

    TITLE = "memtui"
    CSS_PATH = "memtui.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("app")]
    COMMAND_PALETTE_BINDING = "ctrl+p"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, manager: MemoryManager, *, note: str = "", theme: str = "") -> None:
        super().__init__()
        self.manager = manager
        self.note = note
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.palette = palette_of(DARK)
        self.theme = theme if theme in self.available_themes else DARK.name

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return BrowseScreen(self.manager, self.palette, note=self.note)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The actions of the registry, for the palette."""
        for action in actions.of(("browse", "app")):
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

    async def action_help(self) -> None:
        """The keys of the focused pane."""
        screen = self.screen
        pane = screen.pane_context if isinstance(screen, BrowseScreen) else None
        await self.push_screen(HelpDialog(self.palette, pane))


def run_app(manager: MemoryManager, *, note: str = "") -> int:
    """Open the app in this terminal; returns the exit code."""
    app = MemtuiApp(manager, note=note)
    app.run()
    return app.return_code or 0
