"""One line of a session file to the JSON objects that stand on it (spec section 8, Sessions).

Invariant: no bytes raise. What cannot be read is passed over, and the record behind it is looked
for: sessions hold records glued together, records spliced into the middle of others, and blocks
of NUL left by a crash. The caller splits at `\\n` alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

Record = dict[str, Any]
"""One JSON object, unchecked."""

_JSON = json.JSONDecoder(strict=False)
_BLANKS = re.compile("[ \t\r\n\ufeff]*")
_OPENING = re.compile(r'\{[ \t\r]*"')
_SLACK = 100_000
"""Characters that a search for lost records may decode in vain, beside eight times its line."""
_DEEP = 10_000
"""Characters that an object counts for which is nested too deep, or holds too long a number."""


class Line(NamedTuple):
    """What one line holds."""

    records: tuple[Record, ...]
    """In their order; most lines hold one."""
    is_damaged: bool
    """Something before the end of the last record could not be read."""
    end: int
    """Bytes up to the end of the last record, or of blanks behind it; 0 where there is none."""
    has_rest: bool
    """Something behind the last record could not be read: on a last line that has no line end, a
    record that is not complete yet."""


BLANK = Line((), False, 0, False)


def read_line(raw: bytes) -> Line:
    """The records of one line, which may end in `\\r`; a blank line has none and no damage.

    An array or a scalar is no record. Bytes that are no UTF-8 stay as lone surrogates, as do the
    escapes of halves of a pair: `mended` takes both out.
    """
    text = raw.decode("utf-8", "surrogateescape")
    start = 0 if text.startswith("{") else _past_blanks(text, 0)
    if start == len(text):
        return BLANK
    found, end, _failed = _object_at(text, start)
    if found is not None and (end == len(text) or _past_blanks(text, end) == len(text)):
        return Line((found,), False, len(raw), False)
    return _search(text, start)


def _search(text: str, position: int) -> Line:
    """The records of a line that is not one object."""
    records: list[Record] = []
    is_damaged = has_rest = False
    end_of_last = 0
    budget = 8 * len(text) + _SLACK
    while position < len(text) and budget > 0:
        found, end, failed = _object_at(text, position)
        if found is None:
            has_rest = True
            budget -= _cost(position, failed)
            found, position, end, budget = _next_record(text, position, failed, budget)
            if found is None:
                break
        records.append(found)
        is_damaged, has_rest = is_damaged or has_rest, False
        end_of_last = end
        position = _past_blanks(text, end)
    has_rest = has_rest or position < len(text)
    return Line(tuple(records), is_damaged, _byte_length(text, end_of_last), has_rest)


def _next_record(
    text: str, start: int, failed: int, budget: int
) -> tuple[Record | None, int, int, int]:
    """The first record that opens behind `start`: itself, its start, its end, the budget left.

    The brace before the place where reading failed is tried first: a spliced record opens there.
    """
    near = text.rfind("{", start + 1, failed + 1)
    if near >= 0:
        found, end, stop = _object_at(text, near)
        budget -= _cost(near, stop)
        if found is not None and _is_record(found):
            return found, near, end, budget
    position = start + 1
    while budget > 0:
        opening = _OPENING.search(text, position)
        if opening is None:
            break
        position = opening.start()
        found, end, stop = _object_at(text, position)
        budget -= _cost(position, stop)
        if found is not None and _is_record(found):
            return found, position, end, budget
        position = position + 1 if found is None else end
    return None, len(text), len(text), budget


def _is_record(found: Record) -> bool:
    """True where an object found inside a damaged line is a record and not a part of one."""
    return isinstance(found.get("type"), str) and ("parentUuid" in found or "sessionId" in found)


def _object_at(text: str, position: int) -> tuple[Record | None, int, int]:
    """The object that opens at `position`, its end, and where reading failed."""
    if not text.startswith("{", position):
        return None, position, position
    try:
        found, end = _JSON.raw_decode(text, position)
    except json.JSONDecodeError as error:
        return None, position, error.pos
    except (ValueError, RecursionError):
        return None, position, min(position + _DEEP, len(text))
    return found, end, end


def _cost(start: int, stop: int) -> int:
    """Characters read in vain; the error counts the lines before its place, much faster."""
    return max(stop - start, 1) + stop // 64


def _past_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return position if match is None else match.end()


def _byte_length(text: str, end: int) -> int:
    return end if text.isascii() else len(text[:end].encode("utf-8", "surrogateescape"))
