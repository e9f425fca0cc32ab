"""The only door from file text to the screen.

Invariant: what comes out holds no control character, no bidirectional control and no lone
surrogate; each is written as a visible escape. It is plain `str`, and is drawn only through
`Content` or `Text` values, never through markup.
"""

from __future__ import annotations

import re

TAB_CELLS = 4

_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\t":
        return " " * TAB_CELLS
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def safe_block(text: str) -> str:
    """`text` with every invisible or dangerous character but the line feed made visible.

    A carriage return right before a line feed goes; a tab becomes four blanks.
    """
    return _HIDDEN.sub(_escape, text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """`text` as one line: as `safe_block`, with each line end turned into a blank."""
    return safe_block(text).replace("\n", " ")


def safe_lines(text: str) -> list[str]:
    """The lines of `text`, split at line feeds only, each safe to draw."""
    return safe_block(text).split("\n")
