"""The agent's `meta.json` and `extract-cursor.json`: reading, and changing single keys.

Invariant: a key that is not named stays with its value, its place and the digits of its numbers;
what cannot be understood is reported and never written over (spec section 11).
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.files import MAX_FILE_BYTES, read_file, reason_of
from memtui.engine.errors import RefusedError
from memtui.engine.format.times import iso_time
from memtui.engine.types import StateChange

META_VERSION = 1

REPAIR = "Correct the file, or set it aside by another name: the next change makes a new one."
"""What helps with a broken state file."""

_SAFE_DIGITS = 4000
_LONE_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class StateFile:
    """One state file, read."""

    values: dict[str, object] | None
    """Its keys in file order, the last of repeated ones; None where it is missing or broken."""
    problem: str = ""
    """One sentence where it is there and cannot be used."""
    raw: bytes | None = None
    """Its bytes; None where it is missing or cannot be read."""


class Number(float):
    """A number that Python would spell in another way, with its spelling in the file."""

    text: str

    def __new__(cls, text: str) -> Number:
        """The number of the JSON token `text`."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_state(path: Path) -> StateFile:
    """The state file at `path`; never raises."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return StateFile(None, f"{path} is no regular file. {REPAIR}")
        if status.st_size > MAX_FILE_BYTES:
            return StateFile(None, f"{path} is too large to be a state file. {REPAIR}")
        raw = read_file(str(path), status.st_size)
    except FileNotFoundError:
        if path.is_symlink():
            return StateFile(None, f"{path} is a link that leads nowhere. {REPAIR}")
        return StateFile(None)
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        return StateFile(None, f"{path} cannot be read: {reason}.")
    return parse_state(raw, str(path))


def parse_state(raw: bytes, name: str) -> StateFile:
    """The state file with the bytes `raw`; `name` stands in the problem's sentence."""
    try:
        values = json.loads(
            raw.decode("utf-8"), parse_float=_float, parse_int=_int, parse_constant=_constant
        )
    except (ValueError, RecursionError) as error:
        return StateFile(None, f"{name} {_fault(raw, error)}. {REPAIR}", raw)
    if not isinstance(values, dict):
        return StateFile(None, f"{name} holds no JSON object. {REPAIR}", raw)
    return StateFile(values, "", raw)


def patch(raw: bytes | None, change: StateChange, *, now_ns: int) -> bytes:
    """The bytes of the state file once the keys of `change` are as its `after` says.

    `raw` None makes the file; a `meta.json` then gets `version` and `createdAt` too. What the
    keys held before is not looked at: see `differing_keys`. The format is that of spec section 11.

    Raises RefusedError where `raw` is broken, and ValueError where a value is no JSON.
    """
    values: dict[str, object] = {}
    if raw is not None:
        found = parse_state(raw, change.name)
        if found.values is None:
            raise RefusedError(found.problem)
        values = dict(found.values)
    elif change.name == "meta.json":
        values = {"version": META_VERSION, "createdAt": iso_time(now_ns)}
    for key in change.before:
        if key not in change.after:
            values.pop(key, None)
    values.update(change.after)
    try:
        return dump(values)
    except RecursionError:
        raise RefusedError(f"{change.name} is nested too deeply. {REPAIR}") from None


def differing_keys(
    values: Mapping[str, object] | None, change: StateChange, *, undone: bool = False
) -> tuple[str, ...]:
    """The keys of `change` that do not hold what its `before` says; with `undone` its `after`.

    `values` None stands for a file that is missing: it has no key.
    """
    expected = change.after if undone else change.before
    values = values or {}
    keys = dict.fromkeys((*change.before, *change.after))
    return tuple(
        key
        for key in keys
        if (key in expected) != (key in values)
        or (key in expected and not same_value(expected[key], values[key]))
    )


def same_value(one: object, other: object) -> bool:
    """True where two JSON values are equal: numbers by size, `true` never 1, keys in any order."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, Number) and isinstance(other, Number) and not math.isfinite(one):
        return one.text == other.text
    return one == other


def dump(values: Mapping[str, object]) -> bytes:
    """`values` as a state file: 2-space indent, final newline, non-ASCII as is."""
    return (_text(values, "\n") + "\n").encode("utf-8")


def _text(value: object, line: str) -> str:
    """JSON as `json.dumps` and `JSON.stringify` indent it, numbers as they were spelled."""
    inner = line + "  "
    if isinstance(value, Mapping) and value:
        items = (f"{_string(key)}: {_text(each, inner)}" for key, each in value.items())
        return "{" + inner + f",{inner}".join(items) + line + "}"
    if isinstance(value, list | tuple) and value:
        return "[" + inner + f",{inner}".join(_text(each, inner) for each in value) + line + "]"
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping | list | tuple):
        return "{}" if isinstance(value, Mapping) else "[]"
    return json.dumps(value, allow_nan=False)


def _string(text: str) -> str:
    """`text` in quotes; half of a surrogate pair has no bytes of its own and is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _LONE_HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def _float(text: str) -> float:
    number = float(text)
    return number if repr(number) == text else Number(text)


def _int(text: str) -> int | float:
    if len(text) > _SAFE_DIGITS:
        return Number(text)
    number = int(text)
    return number if str(number) == text else Number(text)


def _constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _fault(raw: bytes, error: Exception) -> str:
    if not raw.strip():
        return "is empty"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        if raw.startswith(b"\xef\xbb\xbf"):
            return "starts with a byte order mark, which no agent reads"
        return f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg})"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return f"is not valid JSON ({error})"
