"""The only door from file text to the screen.

Invariant: what comes out holds no control character, no bidirectional control, no character
that is drawn as nothing, and no lone surrogate; each is written as a visible escape. A joiner or a
variation selector stays only where it shapes the visible character before it, as in an emoji or a
word of Persian. It is plain `str`, and is drawn only through `Content` or `Text` values, never
through markup.
"""

from __future__ import annotations

import re

TAB_CELLS = 4

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINING = f"\u200c\u200d{_SELECTORS}"
# Controls, surrogates, line and paragraph separators, and what Unicode calls default ignorable.
_NEVER_DRAWN = (
    "\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
HIDDEN = re.compile(f"[{_NEVER_DRAWN}{_JOINING}]")
"""A character that is not drawn by itself."""
_SELECTOR = re.compile(f"[{_SELECTORS}]")
_KEYCAP = re.compile("(?<=[0-9#*])\ufe0f(?=\u20e3)")
_DELETE = 0x7F


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\t":
        return " " * TAB_CELLS
    if _shapes(match.string, match.start()):
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _picture(match: re.Match[str]) -> str:
    if _shapes(match.string, match.start()):
        return match.group()
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == _DELETE else "\ufffd"


def _shapes(text: str, place: int) -> bool:
    """True where the hidden character at `place` shapes a visible one before it."""
    character, before = text[place], text[place - 1 : place]
    if character in "\u200c\u200d":
        if _SELECTOR.match(before):
            return _shapes(text, place - 1)
    elif not _SELECTOR.match(character):
        return False
    is_visible = before > "\x7f" and not HIDDEN.match(before)
    return is_visible or _KEYCAP.match(text, place) is not None


def safe_block(text: str) -> str:
    """`text` with every invisible or dangerous character but the line feed made visible.

    A carriage return right before a line feed goes; a tab becomes four blanks.
    """
    return HIDDEN.sub(_escape, text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """`text` as one line: as `safe_block`, with each line end turned into a blank."""
    return safe_block(text).replace("\n", " ")


def safe_lines(text: str) -> list[str]:
    """The lines of `text`, split at line feeds only, each safe to draw."""
    return safe_block(text).split("\n")


def safe_characters(text: str) -> str:
    """`text` with one visible character for each hidden one, so that positions stay the same."""
    return HIDDEN.sub(_picture, text).replace("\n", "\u240a")


def scoped(scope: str, path: str) -> str:
    """`path` with its scope before it, unless it is the project's; one safe line."""
    return safe_line(path if scope == "project" else f"{scope}:{path}")
