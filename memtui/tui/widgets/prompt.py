"""One line to type in, without a frame.

Invariant: up, down and the page keys are told to the pane, so that a list can be walked while
typing; the value holds no hidden character, so that what is asked is what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from memtui.tui.safe_text import safe_characters


class Prompt(Input):
    """An input of one row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "tell_move(-1)", show=False),
        Binding("down", "tell_move(1)", show=False),
        Binding("pageup", "tell_page(-1)", show=False),
        Binding("pagedown", "tell_page(1)", show=False),
    ]

    @dataclass
    class Moved(Message):
        """Up or down was pressed."""

        prompt: Prompt
        step: int

        @property
        def control(self) -> Prompt:
            """The input."""
            return self.prompt

    @dataclass
    class Paged(Message):
        """A page key was pressed."""

        prompt: Prompt
        direction: int

        @property
        def control(self) -> Prompt:
            """The input."""
            return self.prompt

    def __init__(self, *, placeholder: str, id: str) -> None:
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False)

    def validate_value(self, value: str) -> str:
        """`value` with each hidden character as a visible sign, which no scorer takes for a word.

        The toolkit would send a pasted escape sequence to the terminal as it is.
        """
        return safe_characters(value)

    def action_tell_move(self, step: int) -> None:
        """Tell the pane to move its cursor."""
        self.post_message(self.Moved(self, step))

    def action_tell_page(self, direction: int) -> None:
        """Tell the pane to scroll a page."""
        self.post_message(self.Paged(self, direction))
