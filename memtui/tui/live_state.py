"""What runs beside the screens, as one value of the app: the followed session and the inbox.

Invariant: the main screen alone sets it; every header shows it without being told.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.app import App
from textual.reactive import reactive

from memtui.engine.disk.settings import FollowTo
from memtui.tui.safe_text import safe_line

_ID_CHARACTERS = 4


class LiveState(NamedTuple):
    """Whether a session is followed, and how much waits for a decision."""

    is_following: bool = False
    session: str = ""
    """The start of the ID of the followed session, safe to draw; empty where none is known."""
    to: FollowTo = "inbox"
    """Where what is found goes."""
    problem: str = ""
    """One sentence where the sessions cannot be watched, or the inbox cannot be read."""
    inbox: int = 0
    """How many patches wait."""


class LiveApp(App[int]):
    """An app with a live state."""

    live_state: reactive[LiveState] = reactive(LiveState())


def place_words(place: FollowTo) -> str:
    """What becomes of what is found, and the key that goes with it."""
    if place == "store":
        return (
            "What is found goes straight to the store, without a review. W sends it to the inbox"
            " again."
        )
    return "What is found waits in the inbox: x reviews it."


def short_id(session_id: str) -> str:
    """The first characters of a session's ID, by which a person tells it from others."""
    return safe_line(session_id[:_ID_CHARACTERS])
