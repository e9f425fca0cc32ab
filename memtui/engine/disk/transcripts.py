"""Sessions read from disk: streamed, and read on from where they were when they grow.

Invariant: a session is only read, in chunks; of a file only its index is held between calls, and
texts are read anew for the messages that are asked for (design section 5). A file that shrank, was
replaced or was written over is read from its start. Lines end at `\\n` alone.
"""

from __future__ import annotations

import io
import os
import stat
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memtui.engine.disk.session_file import (
    CHUNK_BYTES,
    IsCancelled,
    Progress,
    SessionFile,
    format_of,
    stop_if,
)
from memtui.engine.disk.session_index import CALLS, TEXT, TYPED, History
from memtui.engine.errors import StoreError
from memtui.engine.format.transcript import (
    Message,
    MessageBuilder,
    Piece,
    SessionSummary,
    Transcript,
    Turn,
    compressed_history,
    compressed_piece,
    piece_of,
)
from memtui.engine.types import Agent

KEPT_RECORDS = 300_000
"""So many records may the indexes hold together; of one file always all are held."""

_Signature = tuple[int, int, int, int]


class TranscriptReader:
    """Reads sessions, one at a time; may be shared by threads.

    `progress` and `is_cancelled` are asked once per chunk and must not call the reader.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[tuple[Path, Agent], SessionFile] = OrderedDict()
        self._summaries: dict[tuple[Path, Agent], tuple[_Signature, SessionSummary]] = {}
        self._turns: dict[tuple[Path, Agent], tuple[_Signature, Turn]] = {}

    def read(
        self,
        path: Path,
        agent: Agent,
        *,
        start: int = 0,
        only_typed: bool = False,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> Transcript:
        """The session with its messages from number `start` on, of these only the typed on demand.

        An agent `none` stands for the one whose records the file holds. No content raises.
        Raises StoreError for a file that cannot be read, StoppedError once `is_cancelled`.
        """
        with self._lock, _opened(path) as opened:
            seen = None if only_typed else _Seen(start)
            known = self._read_on(path, agent, opened, progress, is_cancelled, seen)
            index, history = known.index, known.index.history()
            if seen is not None and seen.is_all(history):
                messages = seen.builder.build()
            else:
                seen = None
                numbers = _numbers(known, history, start, only_typed)
                messages = _messages(known, opened.file, history, numbers, is_cancelled)
            broken_lines, problem = known.broken_lines, known.problem
            has_half_line = known.has_half_line
        return Transcript(
            session_id=path.stem,
            path=path,
            length=history.length,
            messages=messages,
            broken_lines=broken_lines,
            has_half_line=has_half_line,
            cwd=index.cwd,
            version=index.version,
            first_words=index.first_words,
            mtime_ns=opened.status.st_mtime_ns,
            size_bytes=opened.status.st_size,
            problem=problem,
        )

    def summary(
        self,
        path: Path,
        agent: Agent,
        *,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> SessionSummary:
        """What a list tells of the session; quick for a file that is as it was.

        A file that cannot be read has a `problem`. Raises StoppedError once `is_cancelled`.
        """
        key = (path, agent)
        try:
            with self._lock, _opened(path) as opened:
                seen = self._summaries.get(key)
                if seen is not None and seen[0] == opened.signature:
                    return seen[1]
                known = self._read_on(path, agent, opened, progress, is_cancelled)
                summary = _summary(path, known, opened.status)
                self._summaries[key] = (opened.signature, summary)
                return summary
        except StoreError as error:
            return SessionSummary(
                path.stem, path, 0, 0, 0, 0, "", None, None, 0, str(error), is_readable=False
            )

    def turn(
        self,
        path: Path,
        agent: Agent,
        *,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> Turn:
        """Where the session stands; quick for a file that grew, or is as it was.

        Raises StoreError for a file that cannot be read, StoppedError once `is_cancelled`.
        """
        key = (path, agent)
        with self._lock, _opened(path) as opened:
            seen = self._turns.get(key)
            if seen is not None and seen[0] == opened.signature:
                return seen[1]
            known = self._read_on(path, agent, opened, progress, is_cancelled)
            turn = _turn(known, opened, is_cancelled)
            self._turns[key] = (opened.signature, turn)
            return turn

    def _read_on(
        self,
        path: Path,
        agent: Agent,
        opened: _Opened,
        progress: Progress | None,
        is_cancelled: IsCancelled | None,
        seen: _Seen | None = None,
    ) -> SessionFile:
        """The file, read up to its end."""
        key = (path, agent)
        known = self._files.get(key)
        if known is None or not known.goes_on(opened.file, opened.status):
            known = SessionFile(format_of(opened.file) if agent == "none" else agent)
            self._files[key] = known
        self._files.move_to_end(key)
        if seen is not None and not len(known.index):
            known.index.on_piece = seen.take
        try:
            known.read_on(opened.file, opened.status, progress, is_cancelled)
        finally:
            known.index.on_piece = None
        held = sum(len(each.index) for each in self._files.values())
        while held > KEPT_RECORDS and len(self._files) > 1:
            _key, dropped = self._files.popitem(last=False)
            held -= len(dropped.index)
        return known


class _Opened(NamedTuple):
    file: io.FileIO
    status: os.stat_result

    @property
    def signature(self) -> _Signature:
        """Equal as long as nothing was written."""
        status = self.status
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _opened(path: Path) -> Iterator[_Opened]:
    """The file, open for reading. Raises StoreError where that, or the reading, fails."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StoreError(f"{path} is no file, so no session is read.")
        with io.FileIO(path) as file:
            yield _Opened(file, os.fstat(file.fileno()))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error


class _Seen:
    """Messages built while a file is read for the first time, so that it is read once.

    They are the history where no record was left out of it and none was merged from afar.
    """

    def __init__(self, start: int) -> None:
        self.builder = MessageBuilder()
        self._start = start
        self._rows = array("i")
        self._is_plain = True

    def take(self, row: int, head: int, piece: Piece) -> None:
        """The next piece of the file."""
        if head == row:
            self._rows.append(row)
            if len(self._rows) > self._start:
                self.builder.add(len(self._rows) - 1, piece)
        elif not self._rows or self._rows[-1] != head:
            self._is_plain = False
        elif len(self._rows) > self._start:
            self.builder.join(piece)

    def is_all(self, history: History) -> bool:
        """Whether the messages are those of the history."""
        return self._is_plain and not history.compressed and self._rows == history.rows


def _numbers(known: SessionFile, history: History, start: int, only_typed: bool) -> Iterable[int]:
    """The messages that are asked for."""
    if not only_typed:
        return range(max(start, 0), history.length)
    first = history.compressed
    return (
        number
        for number in range(max(start, first), history.length)
        if known.index.has(history.rows[number - first], TYPED)
    )


def _messages(
    known: SessionFile,
    file: io.FileIO,
    history: History,
    numbers: Iterable[int],
    is_cancelled: IsCancelled | None,
) -> tuple[Message, ...]:
    """The messages of those numbers, which rise."""
    builder = MessageBuilder()
    unasked_bytes = 0
    entries: list[Mapping[str, object]] | None = None
    for number in numbers:
        if number < history.compressed:
            if entries is None:
                entries = _compressed(known, file, history)
            builder.add(number, compressed_piece(entries[number]) if entries else None)
            continue
        pieces = []
        for place in known.index.places(history.rows[number - history.compressed]):
            record = known.record_at(file, place)
            piece = None if record is None else piece_of(record)
            if piece is not None:
                pieces.append(piece)
            unasked_bytes += place.length
        builder.add(number, pieces[0] if pieces else None)
        for piece in pieces[1:]:
            builder.join(piece)
        if unasked_bytes > CHUNK_BYTES:
            stop_if(is_cancelled)
            unasked_bytes = 0
    return builder.build()


def _compressed(
    known: SessionFile, file: io.FileIO, history: History
) -> list[Mapping[str, object]]:
    """The messages that stand in a record; none where it was written over since."""
    for place in known.index.places(history.compression):
        record = known.record_at(file, place)
        entries = None if record is None else compressed_history(record)
        if entries is not None and len(entries) == history.compressed:
            return entries
    return []


def _summary(path: Path, known: SessionFile, status: os.stat_result) -> SessionSummary:
    index, history = known.index, known.index.history()
    return SessionSummary(
        session_id=path.stem,
        path=path,
        mtime_ns=status.st_mtime_ns,
        size_bytes=status.st_size,
        messages=history.length,
        typed=sum(1 for row in history.rows if index.has(row, TYPED)),
        first_words=index.first_words,
        cwd=index.cwd,
        version=index.version,
        broken_lines=known.broken_lines,
        problem=known.problem,
        has_half_line=known.has_half_line,
    )


def _turn(known: SessionFile, opened: _Opened, is_cancelled: IsCancelled | None) -> Turn:
    index, history = known.index, known.index.history()
    rows = history.rows
    is_complete = bool(
        rows
        and index.is_role(rows[-1], "assistant")
        and index.has(rows[-1], TEXT)
        and not index.has(rows[-1], CALLS)
    )
    at = len(rows) - 1
    while at >= 0 and not index.has(rows[at], TYPED):
        at -= 1
    numbers = [
        history.compressed + place
        for place in range(max(at, 0), len(rows))
        if place == at or index.has(rows[place], CALLS) or index.is_role(rows[place], "tool")
    ]
    messages = _messages(known, opened.file, history, numbers, is_cancelled)
    return Turn(
        is_complete=is_complete,
        message_count=history.length,
        last_user=messages[0] if at >= 0 else None,
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
        ended_ns=opened.status.st_mtime_ns,
    )
