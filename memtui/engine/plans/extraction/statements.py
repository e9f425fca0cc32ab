"""What of a typed message can be the user's own statement, sentence by sentence.

Invariant: the quote of every sentence stands in the message as it is.
"""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """One sentence of a message."""

    text: str
    """Tidied: one line, single blanks, no bullet."""
    quote: str
    """As it stands in the message."""
    following: str = ""
    """The next sentence of the same paragraph, tidied; empty where there is none."""
