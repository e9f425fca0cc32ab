"""The two default themes, and the style of each role on the screen.

Invariant: a widget names a role (`palette.muted`), never a colour; roles are style strings of
theme tokens, so that every theme works. Themes of the terminal's own 16 colours have no
transparency and get a palette without tints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from textual.theme import Theme

DARK = Theme(
    name="memtui-dark",
    dark=True,
    primary="#5fc4b0",
    secondary="#7ea6e8",
    accent="#c79bf0",
    success="#8fcf7f",
    warning="#e3b05f",
    error="#ef7580",
    foreground="#d9dce5",
    background="#0f1117",
    surface="#151923",
    panel="#242a38",
)
LIGHT = Theme(
    name="memtui-light",
    dark=False,
    primary="#0f7a6c",
    secondary="#2f5fb3",
    accent="#8444c0",
    success="#3c7a2a",
    warning="#95600a",
    error="#b8323f",
    foreground="#22262f",
    background="#f7f6f2",
    surface="#efede6",
    panel="#e0ddd3",
    variables={
        "text-primary": "#0b6b5f",
        "text-secondary": "#2b5bb0",
        "text-accent": "#7a33bd",
        "text-success": "#34701f",
        "text-warning": "#8a5606",
        "text-error": "#b02a38",
    },
)


@dataclass
class Palette:
    """The style of each role, as a style string.

    One object serves a whole app; `follow` changes it in place when the theme changes.
    """

    text: str = "$foreground"
    strong: str = "bold $foreground"
    muted: str = "$foreground 64%"
    faint: str = "$foreground 46%"
    rule: str = "$foreground 22%"
    primary: str = "$primary"
    key: str = "bold $primary"
    """A key to press, and the place where one is."""
    chip_title: str = "bold reverse $primary"
    """The title of the focused pane."""
    match: str = "$text-accent underline"
    good: str = "$text-success"
    attention: str = "$text-warning"
    bad: str = "$text-error"
    bad_word: str = "bold $text-error"
    word: str = "$text-secondary"
    """A quiet word in a list, such as `pin`."""
    code: str = "$text-secondary"
    score: str = "bold $text-primary"
    cursor: str = "on $primary-muted"
    cursor_blurred: str = "on $foreground 9%"
    removed: str = "bold $text-error"
    """The sign of a line that goes."""
    added: str = "bold $text-success"
    removed_tint: str = "on $error 10%"
    added_tint: str = "on $success 10%"
    removed_word: str = "bold underline on $error 30%"
    added_word: str = "bold underline on $success 30%"
    mark: str = "bold $text-accent"
    """The sign of a marked row."""
    badges: Mapping[str, str] = field(
        default_factory=lambda: {
            "feedback": "bold $text-accent",
            "project": "bold $text-primary",
            "reference": "bold $text-secondary",
            "user": "bold $foreground",
        }
    )
    chips: Mapping[str, str] = field(
        default_factory=lambda: {
            "feedback": "$text-accent on $accent-muted",
            "project": "$text-primary on $primary-muted",
            "reference": "$text-secondary on $secondary-muted",
            "user": "$foreground on $foreground 15%",
            "?": "$text-warning on $warning-muted",
        }
    )

    def follow(self, theme: Theme) -> None:
        """Take the styles that work under `theme`."""
        wanted = palette_of(theme)
        for role in fields(self):
            setattr(self, role.name, getattr(wanted, role.name))


COLOUR = Palette()
ANSI = replace(
    COLOUR,
    text="",
    strong="bold",
    muted="dim",
    faint="dim",
    rule="dim",
    chip_title="bold reverse",
    match="ansi_magenta underline",
    good="ansi_green",
    attention="ansi_yellow",
    bad="ansi_red",
    bad_word="bold ansi_red",
    word="ansi_blue",
    code="ansi_blue",
    primary="ansi_cyan",
    key="bold ansi_cyan",
    score="bold ansi_cyan",
    removed="bold ansi_red",
    added="bold ansi_green",
    removed_tint="",
    added_tint="",
    removed_word="bold underline",
    added_word="bold underline",
    mark="bold ansi_magenta",
    cursor="bold reverse",
    cursor_blurred="bold",
    badges={
        "feedback": "bold ansi_magenta",
        "project": "bold ansi_cyan",
        "reference": "bold ansi_blue",
        "user": "bold",
    },
    chips={
        "feedback": "ansi_magenta",
        "project": "ansi_cyan",
        "reference": "ansi_blue",
        "user": "bold",
        "?": "ansi_yellow",
    },
)


def palette_of(theme: Theme) -> Palette:
    """A palette that works under `theme`."""
    return replace(ANSI if theme.ansi else COLOUR)
