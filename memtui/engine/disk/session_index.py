"""Where the messages of one session file stand: a few numbers per record, and no text.

Invariant: memory grows with the number of records, not with their length (design section 5), and
a record once taken keeps its row. Rows are numbered in file order; a message is the row of its
first record, the others hang behind it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memtui.engine.format.json_lines import Line, Record
from memtui.engine.format.transcript import (
    Piece,
    compressed_history,
    is_left_out,
    name_of,
    piece_of,
)
from memtui.engine.types import Agent

FIRST_WORDS_CHARACTERS = 200

_OTHER, _USER, _ASSISTANT, _TOOL, _ROLE = 0, 1, 2, 3, 3
_ROLE_BITS = {"user": _USER, "assistant": _ASSISTANT, "tool": _TOOL}
TYPED, CALLS, TEXT = 4, 8, 16
_BEHIND = 32
_NONE, _UNKNOWN = -1, -2
_NO_HASH = -1
"""No text has this hash."""
_PASSED = bytes(1 if kind & _BEHIND else 0 for kind in range(256))
"""Maps the kind of a row to whether a chain never comes to it."""


class Place(NamedTuple):
    """Where a record stands."""

    offset: int
    length: int
    """Of its line, in bytes."""
    ordinal: int
    """0-based, among the records of the line."""


class History(NamedTuple):
    """The messages of a session, in their order."""

    compression: int
    """The row of the record whose messages come first; -1 where there is none."""
    compressed: int
    """How many these are."""
    rows: array[int]
    """The rows of the messages behind them; not to be changed."""

    @property
    def length(self) -> int:
        """How many messages there are."""
        return self.compressed + len(self.rows)


class SessionIndex:
    """The records of one file that is read from its start on, line by line."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._offsets = array("q")
        self._lengths = array("i")
        self._ordinals: dict[int, int] = {}
        self._kinds = bytearray()
        self._next = array("i")
        """The row of the next record of the same message."""
        self._tails: dict[int, int] = {}
        """The last row of a message, where that is not its first."""
        self._chain: _ParentChain | _FileOrder = _ParentChain() if agent == "qwen" else _FileOrder()
        self._history: History | None = None
        self.cwd: str | None = None
        self.version: str | None = None
        self.first_words = ""
        self.on_piece: Callable[[int, int, Piece], None] | None = None
        """Told of each piece that is taken: its row, the row of its message, itself."""

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self, line: Line, offset: int, length: int) -> None:
        """Take the records of the line of `length` bytes at `offset`."""
        for ordinal, record in enumerate(line.records):
            self.cwd = self.cwd or name_of(record.get("cwd"))
            self.version = self.version or name_of(record.get("version"))
            if not is_left_out(record, self._agent):
                self._add(record, Place(offset, length, ordinal))

    def history(self) -> History:
        """The messages as they stand now."""
        if self._history is None:
            self._history = self._history_now()
        return self._history

    def _history_now(self) -> History:
        rows = self._chain.rows(self._kinds)
        counts = self._chain.compressed
        last = len(rows) - 1 if counts else -1
        while last >= 0 and rows[last] not in counts:
            last -= 1
        if last < 0:
            return History(_NONE, 0, rows)
        return History(rows[last], counts[rows[last]], rows[last + 1 :])

    def has(self, row: int, kinds: int) -> bool:
        """Whether a message has one of `TYPED`, `CALLS`, `TEXT`."""
        return bool(self._kinds[row] & kinds)

    def is_role(self, row: int, role: str) -> bool:
        """Whether a message is of that role."""
        return self._kinds[row] & _ROLE == _ROLE_BITS[role]

    def places(self, row: int) -> Iterator[Place]:
        """Where the records of a message stand."""
        while row >= 0:
            yield Place(self._offsets[row], self._lengths[row], self._ordinals.get(row, 0))
            row = self._next[row]

    def _add(self, record: Record, place: Place) -> None:
        piece = piece_of(record)
        if piece is None and self._agent != "qwen":
            self._chain.interrupt(record)
            return
        self._history = None
        row = len(self._kinds)
        kind = _kind_of(piece)
        head = self._chain.add(row, record, piece)
        if head == row and piece is None:
            entries = compressed_history(record)
            if entries is not None:
                self._chain.compressed[row] = len(entries)
        self._offsets.append(place.offset)
        self._lengths.append(place.length)
        if place.ordinal:
            self._ordinals[row] = place.ordinal
        self._next.append(_NONE)
        self._kinds.append(kind if head == row else _BEHIND)
        if head != row:
            self._next[self._tails.get(head, head)] = row
            self._tails[head] = row
            role = self._kinds[head] & _ROLE or kind & _ROLE
            self._kinds[head] = (self._kinds[head] | kind) & ~_ROLE | role
        if piece is None:
            return
        if self.on_piece is not None:
            self.on_piece(row, head, piece)
        if piece.is_typed and not self.first_words:
            words = " ".join(piece.text[: 4 * FIRST_WORDS_CHARACTERS].split())
            self.first_words = words[:FIRST_WORDS_CHARACTERS]


def _kind_of(piece: Piece | None) -> int:
    if piece is None:
        return _OTHER
    return (
        _ROLE_BITS[piece.role]
        | (TYPED if piece.is_typed else 0)
        | (CALLS if piece.calls else 0)
        | (TEXT if piece.text.strip() else 0)
    )


class _FileOrder:
    """Claude: the history is the file's order.

    Assistant records next to each other with one `message.id` are one message.
    """

    def __init__(self) -> None:
        self.compressed: dict[int, int] = {}
        self._rows = array("i")
        self._answer: str | None = None
        """The id of the answer that the last message is."""

    def interrupt(self, record: Record) -> None:
        """A record that is no message does not part the records of an answer."""

    def add(self, row: int, record: Record, piece: Piece | None) -> int:
        """Take a row; gives the first row of its message."""
        answer = None
        message = record.get("message")
        if piece is not None and piece.role == "assistant" and isinstance(message, dict):
            answer = name_of(message.get("id"))
        if answer is not None and answer == self._answer:
            return self._rows[-1]
        self._answer = answer
        self._rows.append(row)
        return row

    def rows(self, kinds: bytearray) -> array[int]:
        """The rows of the history."""
        return self._rows


class _ParentChain:
    """Qwen: the history is the chain of parents from the last line; one uuid is one message.

    A record without a uuid is one of its own. Where a parent was never written, is not told, or
    was passed already, the chain goes on with what stands before in the file.
    """

    def __init__(self) -> None:
        self.compressed: dict[int, int] = {}
        self._parents = array("i")
        self._unknown: dict[int, int] = {}
        """The parents that were not seen when their child was, by its row."""
        self._row_of: dict[int, int] = {}
        """By the hash of a uuid, which is smaller than the uuid."""
        self._leaf = _NONE

    def interrupt(self, record: Record) -> None:
        """Every record is a link of the chain."""

    def add(self, row: int, record: Record, piece: Piece | None) -> int:
        """Take a row; gives the first row of its message."""
        uuid = record.get("uuid")
        if isinstance(uuid, str) and uuid:
            head = self._row_of.setdefault(hash(uuid), row)
            if head != row:
                self._parents.append(head)
                self._leaf = head
                return head
        parent = record.get("parentUuid", self)
        if parent is None:
            self._parents.append(_NONE)
        elif isinstance(parent, str) and (known := self._row_of.get(hash(parent))) is not None:
            self._parents.append(known)
        else:
            self._parents.append(_UNKNOWN)
            if isinstance(parent, str):
                self._unknown[row] = hash(parent)
        self._leaf = row
        return row

    def rows(self, kinds: bytearray) -> array[int]:
        """The rows of the history: its messages, and the compressions between them."""
        chain = array("i")
        passed = bytearray(kinds.translate(_PASSED))
        row = self._leaf
        while row != _NONE:
            passed[row] = 1
            if kinds[row] & _ROLE or row in self.compressed:
                chain.append(row)
            parent = self._parents[row]
            if parent == _UNKNOWN:
                parent = self._row_of.get(self._unknown.get(row, _NO_HASH), _UNKNOWN)
            if parent != _NONE and (parent == _UNKNOWN or passed[parent]):
                parent = passed.rfind(0, 0, row)
            row = parent
        chain.reverse()
        return chain


def counted(index: SessionIndex, history: History) -> int:
    """How many messages of a history a person typed."""
    return sum(1 for row in history.rows if index.has(row, TYPED))
