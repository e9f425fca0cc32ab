"""Standard output and standard error: data on the one, talk on the other.

Invariant: nothing that is written can steer a terminal or break a reader. Text passes `safe_text`
before it gets here; JSON has every control, bidirectional and format character and every lone
surrogate as a `\\u` escape, which is the same value. A stream that is closed or cannot hold a
character never ends in a traceback.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterable

from memtui.tui.safe_text import HIDDEN, safe_line

DONE, NOTHING = 0, 1
"""Exit codes of a call that went well."""


def prepare_streams() -> None:
    """Let no character that the locale lacks stop an answer."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def to_json(value: object, *, ascii_only: bool = False) -> str:
    """`value` as one line of JSON that is safe to show in a terminal."""
    import json  # the app and most answers do without

    text = json.dumps(value, ensure_ascii=ascii_only)
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def write_json(value: object) -> None:
    """One line of JSON on standard output; ASCII only where its encoding is not UTF-8."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("_", "-")
    _write(to_json(value, ascii_only=encoding not in ("utf-8", "utf8")))


def write_lines(lines: Iterable[str]) -> None:
    """Lines on standard output; each has passed `safe_text`."""
    _write("\n".join(lines))


def _write(text: str) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.write(text + "\n")


def say(sentence: str) -> None:
    """One sentence on standard error; where that is closed nobody is left to be told."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"memtui: {safe_line(sentence)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def flush() -> None:
    """Write out what is buffered. Raises OSError where standard output fails."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon() -> None:
    """Send what is still buffered nowhere, so that the interpreter can end in silence."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def is_interactive() -> bool:
    """Whether a person sits at both ends."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def has_colour() -> bool:
    """Whether standard output is a terminal that shows colour, and nobody asked for none."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and "NO_COLOR" not in os.environ
        and os.environ.get("TERM") != "dumb"
    )


def columns() -> int | None:
    """The width of the terminal in cells; None where standard output is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
