"""Changes to the bytes of an index: lines that go, come or name another file (spec section 7).

Invariant: only what an edit names is written; every other byte of the index stays as it is. A new
line lies where it is read as an entry and changes the meaning of no other line, or it is not made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memtui.engine.format.index import Index, IndexLine, IndexTarget, parse_index
from memtui.engine.format.index_line import encode_path
from memtui.engine.format.index_report import BUDGET_BYTES, BUDGET_LINES

_LEAD = re.compile(r"(?:[ \t]*>)*[ \t]*[-*+][ \t]+")
_ITEM = re.compile(r"(?:[ \t]*>)*[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_BOM = b"\xef\xbb\xbf"

Kinship = tuple[int, ...]
"""How near a listed file is to a new one, most telling number first; all 0: not at all."""


class Splice(NamedTuple):
    """A range of bytes and what takes its place."""

    start: int
    end: int
    content: bytes


class Addition(NamedTuple):
    """A line to add, and how near the files of the entries are that it could join."""

    text: str
    """`- [name](path) …`, without a line end."""
    kinship: Mapping[int, Kinship]
    """By line number; a line that is missing is not near at all."""


class Fitted(NamedTuple):
    """As many lines as an index may have."""

    content: bytes
    taken: int
    """How many of the lines are in it, from the first one on."""


def splice(source: bytes, splices: Iterable[Splice]) -> bytes:
    """`source` with each range replaced; ranges may touch, but not overlap.

    Of splices at the same place the earlier one comes first.
    """
    parts: list[bytes] = []
    position = 0
    for start, end, content in sorted(splices, key=lambda one: (one.start, one.end)):
        parts += [source[position:start], content]
        position = end
    return b"".join([*parts, source[position:]])


def newline_of(source: bytes) -> bytes:
    """The line end that most lines of `source` have; without lines `\\n`."""
    windows = source.count(b"\r\n")
    return b"\r\n" if windows * 2 > source.count(b"\n") else b"\n"


def removal(line: IndexLine) -> Splice:
    """The whole line goes, its line end included."""
    return Splice(line.start, line.end, b"")


def replacement(index: Index, line: IndexLine, text: str) -> Splice:
    """Another text in the place of a line; byte order mark and line end stay."""
    whole = index.source[line.start : line.end]
    old = whole[:-1].removesuffix(b"\r") if whole.endswith(b"\n") else whole
    start = line.start + (len(_BOM) if old.startswith(_BOM) else 0)
    end = line.start + len(old)
    return Splice(start, end, text.encode())


def retargeted(target: IndexTarget, place: str) -> Splice | None:
    """The splice that makes `target` name `place`, a path relative to the index's folder.

    A `#part` stays. None where the form of the link cannot hold the path.
    """
    if target.form == "link":
        text = encode_path(place)
        bare, hash_sign, part = target.raw.partition("#")
        if hash_sign and bare[-3:].lower() == ".md":
            text += hash_sign + part
    elif target.form == "wiki":
        text = place[:-3] if place[-3:].lower() == ".md" else place
        if re.search(r"[\[\]|#\n]", text):
            return None
    else:
        text = place
        if "`" in text or any(character.isspace() for character in text):
            return None
    return Splice(target.start, target.end, text.encode())


def fit(lines: Iterable[str], total: int) -> Fitted:
    """A managed index of `lines`, `total` in number, within its limits (spec section 7).

    Whole lines only, at most 200 and 25,000 bytes; what does not fit is said in a last line, which
    counts. No final newline.
    """
    taken: list[bytes] = []
    size_bytes = -1
    for line in lines:
        encoded = line.encode()
        if len(taken) == BUDGET_LINES or size_bytes + 1 + len(encoded) > BUDGET_BYTES:
            break
        taken.append(encoded)
        size_bytes += 1 + len(encoded)
    if len(taken) == total:
        return Fitted(b"\n".join(taken), total)
    while True:
        warning = warning_line(total - len(taken)).encode()
        if len(taken) < BUDGET_LINES and size_bytes + 1 + len(warning) <= BUDGET_BYTES:
            return Fitted(b"\n".join([*taken, warning]), len(taken))
        size_bytes -= 1 + len(taken.pop())


def warning_line(left_out: int) -> str:
    """The last line of an index that does not list `left_out` memories."""
    what = "1 memory is" if left_out == 1 else f"{left_out:,} memories are"
    return (
        f"> WARNING: {what} not listed here; an index holds at most {BUDGET_LINES} lines "
        f"and {BUDGET_BYTES:,} bytes."
    )


def with_additions(source: bytes, additions: Sequence[Addition]) -> bytes | None:
    """`source` with a line for each addition; None where there is no place for one.

    A line goes to the end of the list that holds its nearest kin, with that list's bullet; without
    kin to the end of the file. A file without a final newline stays so.
    """
    if not additions:
        return source
    index = parse_index(source)
    lists = _lists(index.lines)
    nearest: dict[int, _Nearest] = {}
    for addition in additions:
        key = id(addition.kinship)
        if key not in nearest:
            nearest[key] = _nearest(lists, addition)
    for choose in (_list_end, _last_entry, _file_end, _file_start):
        places = [choose(index, lists, nearest[id(one.kinship)]) for one in additions]
        after = _insert(index, additions, places)
        if _is_sound(index, after, additions):
            return after
    return None


@dataclass(slots=True)
class _List:
    """Entries that stand together, with no heading, rule or paragraph between them."""

    entries: list[IndexLine] = field(default_factory=list)
    end: int = 0
    """Behind its last line, further lines of the last entry included."""

    def kinship(self, addition: Addition) -> Kinship:
        """The sums over its entries."""
        found = [
            addition.kinship[line.number]
            for line in self.entries
            if line.number in addition.kinship
        ]
        return tuple(map(sum, zip(*found, strict=True)))


def _lists(lines: Sequence[IndexLine]) -> list[_List]:
    lists: list[_List] = []
    current: _List | None = None
    previous = ""
    for line in lines:
        kind = line.kind
        is_item = _ITEM.match(line.text) is not None
        if kind in ("entry", "cut") and is_item:
            if current is None:
                current = _List()
                lists.append(current)
            current.entries.append(line)
            current.end = line.end
        elif kind in ("text", "code") and current is not None:
            goes_on = line.text[:1] in (" ", "\t") or (kind == "text" and previous != "blank")
            if (kind == "text" and is_item) or (goes_on and not line.text.startswith("|")):
                current.end = line.end
            else:
                current = None
        elif kind != "blank":
            current = None
        previous = kind
    return lists


class _Place(NamedTuple):
    """Where a line goes: behind the bytes up to `at`, with `lead` as its bullet."""

    at: int
    lead: str = "- "


_Nearest = tuple[_List, str] | None
"""The list with the nearest kin, the first of equals, and the bullet of its last kin."""


def _nearest(lists: Sequence[_List], addition: Addition) -> _Nearest:
    best: _List | None = None
    most: Kinship = ()
    for one in lists:
        kinship = one.kinship(addition)
        if any(kinship) and kinship > most:
            best, most = one, kinship
    if best is None:
        return None
    kin = [line for line in best.entries if any(addition.kinship.get(line.number, ()))]
    lead = _LEAD.match(kin[-1].text)
    return best, lead[0] if lead else "- "


def _list_end(index: Index, lists: Sequence[_List], nearest: _Nearest) -> _Place:
    return _Place(nearest[0].end, nearest[1]) if nearest else _file_end(index, lists, nearest)


def _last_entry(index: Index, lists: Sequence[_List], nearest: _Nearest) -> _Place:
    """Behind the last entry itself, where the end of its list is inside of something else."""
    if nearest:
        return _Place(nearest[0].entries[-1].end, nearest[1])
    return _Place(lists[-1].entries[-1].end) if lists else _file_end(index, lists, nearest)


def _file_end(index: Index, _lists: Sequence[_List], _nearest: _Nearest) -> _Place:
    return _Place(len(index.source))


def _file_start(index: Index, _lists: Sequence[_List], _nearest: _Nearest) -> _Place:
    return _Place(len(_BOM) if index.source.startswith(_BOM) else 0)


def _insert(index: Index, additions: Sequence[Addition], places: Sequence[_Place]) -> bytes:
    source = index.source
    newline = newline_of(source)
    splices: list[Splice] = []
    for addition, place in zip(additions, places, strict=True):
        text = (place.lead + addition.text.removeprefix("- ")).encode()
        above = source[: place.at]
        if above.endswith(b"\n"):
            ending = b"\r\n" if above.endswith(b"\r\n") else b"\n"
            splices.append(Splice(place.at, place.at, text + ending))
        elif above in (b"", _BOM):
            splices.append(Splice(place.at, place.at, text + newline))
        else:
            splices.append(Splice(place.at, place.at, newline + text))
    return splice(source, splices)


def _is_sound(index: Index, after: bytes, additions: Sequence[Addition]) -> bool:
    """True where the new lines are read as entries and every other line as before."""
    added = {addition.text.removeprefix("- ") for addition in additions}
    rest: list[tuple[str, str]] = []
    count = 0
    old = [(line.kind, line.text) for line in index.lines if index.source != _BOM]
    for line in parse_index(after).lines:
        if len(rest) < len(old) and (line.kind, line.text) == old[len(rest)]:
            rest.append((line.kind, line.text))
        elif line.kind == "entry" and _LEAD.sub("", line.text, count=1) in added:
            count += 1
        else:
            return False
    return count == len(additions) and len(rest) == len(old)
