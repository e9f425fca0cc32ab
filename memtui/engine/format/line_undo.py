"""Reversing what one change did to an index that has been rewritten since.

Invariant: only lines of the change itself come or go; all other bytes of the current file stay. A
line that went comes back beside the neighbours it had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from urllib.parse import unquote

from memtui.engine.format.index import parse_index
from memtui.engine.format.lines import lines_with_spans

_WARNING = "\n"
"""The key of the line that tells what did not fit; no target has a line end."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: bytes
    end: bytes
    """The line end; empty only in the last line."""


def reverse_lines(
    before: bytes, after: bytes, current: bytes, *, staying: Collection[str] = ()
) -> bytes:
    """`current` without the lines that `before` to `after` added, with those that it removed.

    `staying` are paths whose lines stay as they are: neither go nor come back.
    A removed entry stays away where the file has got another line for its target since, and one
    that was only moved or reworded stays away where others have removed it since. Gives `current`
    itself where there is nothing to reverse, `before` where nothing else happened.
    """
    if current == after and not staying:
        return before
    if current == before or before == after:
        return current
    return _Reversal(before, after, current, frozenset(staying)).result()


class _Reversal:
    def __init__(
        self, before: bytes, after: bytes, current: bytes, staying: frozenset[str]
    ) -> None:
        self._before, self._after, self._current = map(_split, (before, after, current))
        self._keys = _keys(before, len(self._before))
        self._end = _usual_end((*self._current, *self._before))
        self._place: dict[int, int] = {}
        """From the lines of `after` to where they are now."""
        for first, at, length in _matcher(self._after, self._current).get_matching_blocks():
            self._place.update((first + each, at + each) for each in range(length))
        self._find_moved()
        kept = set(self._place.values())
        current_keys = _keys(current, len(self._current))
        after_keys = _keys(after, len(self._after))
        came = {current_keys[at] for at in range(len(self._current)) if at not in kept}
        self._staying = staying
        self._stays = {at for at, key in enumerate(after_keys) if _path(key) in staying}
        """Lines of `after` that do not go."""
        dropped = set(after_keys) - {after_keys[at] for at in self._place}
        self._stays_away = came | dropped
        """What lines of others stand for that came since, or that went though the change had
        left them there."""
        new_texts = (line.text for at, line in enumerate(self._current) if at not in kept)
        self._new_texts = Counter(new_texts)

    def result(self) -> bytes:
        gone: set[int] = set()
        inserted: dict[int, list[_Line]] = {}
        matcher = _matcher(self._after, self._before)
        for tag, start, end, from_, to in matcher.get_opcodes():
            if tag == "equal":
                continue
            going = (at for at in range(start, end) if at not in self._stays)
            gone.update(self._place[at] for at in going if at in self._place)
            lines = self._wanted(from_, to)
            if lines:
                inserted.setdefault(self._gap(start, end), []).extend(lines)
        if not gone and not inserted:
            return b"".join(line.text + line.end for line in self._current)
        result: list[_Line] = []
        for at in range(len(self._current) + 1):
            result.extend(inserted.get(at, ()))
            if at < len(self._current) and at not in gone:
                result.append(self._current[at])
        return self._joined(result)

    def _find_moved(self) -> None:
        """Lines that somebody moved: the same text, elsewhere, and not taken yet."""
        taken = set(self._place.values())
        free: dict[bytes, list[int]] = {}
        for at, line in enumerate(self._current):
            if at not in taken and line.text.strip():
                free.setdefault(line.text, []).append(at)
        for at, line in enumerate(self._after):
            if at not in self._place and free.get(line.text):
                self._place[at] = free[line.text].pop(0)

    def _wanted(self, start: int, end: int) -> list[_Line]:
        """Those of the removed lines that are to come back."""
        lines = []
        for at in range(start, end):
            line, key = self._before[at], self._keys[at]
            if line.text.strip() and self._new_texts[line.text]:
                self._new_texts[line.text] -= 1
            elif not key or (key not in self._stays_away and _path(key) not in self._staying):
                is_usual = line.end in (b"", _usual_end(self._before))
                lines.append(_Line(line.text, self._end) if is_usual else line)
        was_text = any(self._before[at].text.strip() for at in range(start, end))
        is_text = any(line.text.strip() for line in lines)
        return lines if is_text or not was_text else []

    def _gap(self, start: int, end: int) -> int:
        """Before which current line the removed lines belong that stood at `start` in `after`."""
        for at in range(start, end):
            if at in self._place:
                return self._place[at]
        for distance in range(1, len(self._after) + 1):
            if start - distance in self._place:
                return self._place[start - distance] + 1
            if end + distance - 1 in self._place:
                return self._place[end + distance - 1]
        return len(self._current)

    def _joined(self, lines: list[_Line]) -> bytes:
        """The bytes of `lines`; the file ends as it ended, unless that was the change itself."""
        last = self._current or self._after
        ends_open = bool(last) and not last[-1].end
        if self._after and self._before and ends_open == (not self._after[-1].end):
            ends_open = not self._before[-1].end
        parts = [line.text + (line.end or self._end) for line in lines[:-1]]
        if lines:
            parts.append(lines[-1].text + (b"" if ends_open else lines[-1].end or self._end))
        return b"".join(parts)


def _path(key: str) -> str:
    """The path that a target spells, without what encodes it."""
    return unquote(key).removeprefix("./")


def _usual_end(lines: Iterable[_Line]) -> bytes:
    return next((line.end for line in lines if line.end), b"\n")


def _split(raw: bytes) -> list[_Line]:
    return [
        _Line(line.text, raw[line.start + len(line.text) : line.end])
        for line in lines_with_spans(raw)
    ]


def _keys(raw: bytes, count: int) -> list[str]:
    """What each of the `count` lines stands for: the file of an entry, the warning, nothing."""
    keys = [""] * count
    index = parse_index(raw)
    if index.is_utf8:
        for at, line in enumerate(index.lines):
            if line.kind == "warning":
                keys[at] = _WARNING
            elif line.target is not None:
                keys[at] = line.target.raw
    return keys


def _matcher(one: list[_Line], other: list[_Line]) -> SequenceMatcher[bytes]:
    return SequenceMatcher(
        None, [line.text for line in one], [line.text for line in other], autojunk=False
    )
