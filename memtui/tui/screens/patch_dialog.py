"""The dialog that edits one proposed memory.

Invariant: it gives back a whole patch, or None where it was left; what was not touched stays as it
was, also where the input shows signs in the place of hidden characters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.engine.plans.extraction.patches import Patch
from memtui.engine.plans.extraction.topic_file import one_line
from memtui.engine.types import MEMORY_TYPES, MemoryType
from memtui.tui.format import chip
from memtui.tui.safe_text import safe_characters
from memtui.tui.themes import Palette
from memtui.tui.widgets.prompt import Prompt

_FIELDS = (("summary", "what is to be remembered"), ("why", "the reason, if there is one"),
           ("apply", "when and how to apply it"))  # fmt: skip


def next_type(kind: MemoryType) -> MemoryType:
    """The type after `kind`, round and round."""
    return MEMORY_TYPES[(MEMORY_TYPES.index(kind) + 1) % len(MEMORY_TYPES)]


class PatchDialog(ModalScreen[Patch | None]):
    """Summary, why, how to apply and type of `patch`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("ctrl+t", "next_type", show=False),
    ]

    def __init__(self, palette: Palette, patch: Patch) -> None:
        super().__init__()
        self.palette = palette
        self.patch = patch
        self.kind = patch.type

    def compose(self) -> ComposeResult:
        """A frame with a line for each field."""
        with Vertical(classes="dialog pane", id="patch-dialog"):
            for name, placeholder in _FIELDS:
                with Horizontal(classes="prompt-line"):
                    yield Static(Content.styled(name, self.palette.muted), classes="field-label")
                    yield Prompt(placeholder=placeholder, id=f"patch-{name}")
            with Horizontal(classes="prompt-line"):
                yield Static(Content.styled("type", self.palette.muted), classes="field-label")
                yield Static("", id="patch-type")
            yield Static("", id="patch-fault")

    def on_mount(self) -> None:
        """Fill the fields."""
        frame, key = self.query_one("#patch-dialog"), self.palette.key
        frame.border_title = "edit"
        frame.border_subtitle = Content.assemble(
            ("enter", key), " save   ", ("^t", key), " type   ", ("esc", key), " leave it"
        )
        for prompt, text in zip(self.prompts, self._texts(), strict=True):
            prompt.value = text
        self.prompts[0].focus()
        self._show_type()

    @property
    def prompts(self) -> list[Prompt]:
        """The fields, in their order."""
        return [self.query_one(f"#patch-{name}", Prompt) for name, _ in _FIELDS]

    def _texts(self) -> list[str]:
        patch = self.patch
        return [patch.summary, patch.why or "", patch.how_to_apply or ""]

    def _show_type(self) -> None:
        self.query_one("#patch-type", Static).update(chip(self.kind, self.palette))

    def action_next_type(self) -> None:
        """The next type."""
        self.kind = next_type(self.kind)
        self._show_type()

    @on(Prompt.Moved)
    def _moved(self, event: Prompt.Moved) -> None:
        event.stop()
        prompts = self.prompts
        prompts[(prompts.index(event.prompt) + event.step) % len(prompts)].focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        summary, why, how = (
            before if prompt.value == safe_characters(before) else one_line(prompt.value)
            for prompt, before in zip(self.prompts, self._texts(), strict=True)
        )
        if not one_line(summary):
            said = Content.styled("! A memory needs a summary.", self.palette.attention)
            self.query_one("#patch-fault", Static).update(said)
            self.prompts[0].focus()
            return
        self.dismiss(
            replace(
                self.patch,
                type=self.kind,
                summary=summary,
                why=why or None,
                how_to_apply=how or None,
            )
        )
