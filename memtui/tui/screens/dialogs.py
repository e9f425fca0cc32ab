"""Small dialogs: the help of a pane, and the menu of what can be copied.

Invariant: each returns one value, or None where it was left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui import actions
from memtui.tui.actions import Context
from memtui.tui.format import fit, pad
from memtui.tui.themes import Palette
from memtui.tui.widgets.lines import LineView
from memtui.tui.widgets.rows import RowList

_KEY_CELLS = 14


class HelpDialog(ModalScreen[None]):
    """The keys at hand: those of the focused pane first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss", show=False),
    ]

    def __init__(self, palette: Palette, places: Sequence[Context], pane: Context | None) -> None:
        super().__init__()
        self.palette = palette
        self.places = places
        self.pane = pane

    def compose(self) -> ComposeResult:
        """A frame with lines."""
        with Vertical(classes="dialog pane", id="help-dialog"):
            yield LineView(id="help-lines")

    def on_mount(self) -> None:
        """Fill the lines."""
        frame = self.query_one("#help-dialog")
        frame.border_title = "keys"
        frame.border_subtitle = Content.styled("esc closes", self.palette.muted)
        self.query_one(LineView).show_lines(self._lay_out)
        self.query_one(LineView).focus()

    def _lay_out(self, width: int) -> list[Content]:
        lines: list[Content] = []
        if self.pane is not None:
            lines.append(Content.styled(f"in {self.pane}", self.palette.muted))
            for keys, text in actions.MOVING.get(self.pane, ()):
                lines += self._line(keys, text, width)
            lines.append(Content(""))
        lines.append(Content.styled("everywhere here", self.palette.muted))
        for action in actions.of(self.places):
            lines += self._line(action.shown, action.help, width)
        return lines

    def _line(self, keys: str, text: str, width: int) -> list[Content]:
        if len(keys) >= _KEY_CELLS - 1:
            return [
                Content.styled(fit(keys, width), self.palette.key),
                *self._line("", text, width),
            ]
        parts = Content.styled(text, self.palette.text).wrap(max(8, width - _KEY_CELLS))
        return [
            Content.styled(pad(keys if place == 0 else "", _KEY_CELLS), self.palette.key) + part
            for place, part in enumerate(parts)
        ]


@dataclass(frozen=True)
class CopyChoice:
    """Something to copy: `text` goes to the clipboard, `shown` is safe to draw."""

    letter: str
    label: str
    shown: str
    text: str

    @property
    def key(self) -> str:
        """The letter."""
        return self.letter

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """Letter, label, and the start of the text."""
        return Content.assemble(
            " ",
            (self.letter, palette.key),
            "  ",
            (pad(self.label, 16), palette.strong if has_cursor else palette.text),
            (fit(self.shown, width - 20), palette.muted),
        )


class CopyDialog(ModalScreen[CopyChoice | None]):
    """What to copy: by its letter, or enter for the row under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", show=False),
        *(Binding(letter, f"choose_letter('{letter}')", show=False) for letter in "paibr"),
    ]

    def __init__(self, palette: Palette, choices: Sequence[CopyChoice]) -> None:
        super().__init__()
        self.palette = palette
        self.choices = {choice.letter: choice for choice in choices}

    def compose(self) -> ComposeResult:
        """A frame with rows."""
        with Vertical(classes="dialog pane", id="copy-dialog"):
            yield RowList(self.palette, id="copy-rows")

    def on_mount(self) -> None:
        """Fill the rows."""
        frame = self.query_one("#copy-dialog")
        frame.border_title = "copy"
        frame.border_subtitle = Content.styled("a letter, or enter", self.palette.muted)
        rows = self.query_one(RowList)
        rows.light(True)
        rows.show_rows(list(self.choices.values()))
        rows.styles.height = len(self.choices)
        rows.focus()

    def action_choose_letter(self, letter: str) -> None:
        """Choose by letter; one that names nothing does nothing."""
        self._choose(letter)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        self._choose(str(event.key))

    def _choose(self, letter: str) -> None:
        if letter in self.choices:
            self.dismiss(self.choices[letter])


class ConfirmDialog(ModalScreen[bool | None]):
    """A question with one yes: enter says it, esc does not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "dismiss(True)", show=False),
        Binding("escape,n,q", "dismiss(False)", show=False),
    ]

    def __init__(self, palette: Palette, question: str, yes: str) -> None:
        super().__init__()
        self.palette = palette
        self.question = question
        self.yes = yes

    def compose(self) -> ComposeResult:
        """A frame with the question; the answer stands in its lower border."""
        with Vertical(classes="dialog pane", id="confirm-dialog"):
            yield Static(Content(self.question))

    def on_mount(self) -> None:
        """Write the title into the border."""
        self.query_one("#confirm-dialog").border_title = "sure?"

    def on_resize(self) -> None:
        """Write the answers into the border, in fewer words where it is short."""
        frame, key = self.query_one("#confirm-dialog"), self.palette.key
        for yes, no, gap in ((self.yes, "leave it", "   "), ("yes", "no", "  ")):
            answers = Content.assemble(("enter", key), f" {yes}{gap}", ("esc", key), f" {no}")
            if answers.cell_length <= min(self.size.width * 94 // 100, 64) - 6:
                break
        frame.border_subtitle = answers
