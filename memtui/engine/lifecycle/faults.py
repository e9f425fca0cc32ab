"""What is said of an error that came up in the background.

Invariant: always one line that is not empty.
"""

from __future__ import annotations

from memtui.engine.errors import MemtuiError


def sentence_of(error: BaseException) -> str:
    """The text of a MemtuiError as it is; of any other error also its type."""
    text = " ".join(str(error).split())
    if isinstance(error, MemtuiError) and text:
        return text
    return f"unexpected: {type(error).__name__}: {text}".removesuffix(": ")
