"""One session file, read on as it grows.

Invariant: `offset` is where the first byte lies that was not taken yet. A last line without a line
end is taken once it is whole, so that a line that the agent is still writing is never lost and
never counts as broken for good.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator

from memtui.engine.disk.session_index import Place, SessionIndex
from memtui.engine.errors import StoppedError
from memtui.engine.format.json_lines import Line, Record, read_line
from memtui.engine.types import Agent

Progress = Callable[[int, int], None]
"""Gets the bytes that are read and those of the whole file."""
IsCancelled = Callable[[], bool]

CHUNK_BYTES = 1 << 20
MAX_LINE_BYTES = 32 << 20
"""A longer line is passed over as a broken one, so that memory stays bounded."""
_FORMAT_BYTES = 65_536
"""Looked at to tell whose a session is."""
_SAMPLE_BYTES = 256
"""Compared at both ends of what was read, to see that the file only grew."""


def format_of(file: io.FileIO) -> Agent:
    """Whose records a session holds, by its first message; `claude` where there is none."""
    file.seek(0)
    for raw in file.read(_FORMAT_BYTES).split(b"\n"):
        for record in read_line(raw).records:
            message = record.get("message")
            if isinstance(message, dict):
                return "qwen" if "parts" in message else "claude"
    return "claude"


def stop_if(is_cancelled: IsCancelled | None) -> None:
    """Raises StoppedError where the user asked for it."""
    if is_cancelled is not None and is_cancelled():
        raise StoppedError("Reading the session was stopped.")


class SessionFile:
    """What is known of one session file."""

    def __init__(self, agent: Agent) -> None:
        self.index = SessionIndex(agent)
        self.offset = 0
        self.size_bytes = 0
        self.has_half_line = False
        self._broken = 0
        self._is_in_long_line = False
        self._identity: tuple[int, int] | None = None
        self._mtime_ns = 0
        self._samples = (b"", b"")

    @property
    def broken_lines(self) -> int:
        """Lines that hold anything that is no record and no blank."""
        return self._broken + self.has_half_line

    @property
    def problem(self) -> str:
        """One sentence on what could not be read; empty where there is nothing."""
        if self._broken:
            count = self.broken_lines
            lines = "1 line is" if count == 1 else f"{count:,} lines are"
            return f"{lines} broken and passed over."
        return "The last line is not complete." if self.has_half_line else ""

    def goes_on(self, file: io.FileIO, status: os.stat_result) -> bool:
        """Whether the file is the one that was read before, as it was or longer."""
        if self._identity != (status.st_dev, status.st_ino) or status.st_size < self.size_bytes:
            return False
        if (status.st_size, status.st_mtime_ns) == (self.size_bytes, self._mtime_ns):
            return True
        return status.st_size > self.size_bytes and self._samples_of(file) == self._samples

    def read_on(
        self,
        file: io.FileIO,
        status: os.stat_result,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> None:
        """Take what is new, up to the size that `status` tells.

        Raises StoppedError once `is_cancelled`; what was taken by then stays taken.
        """
        size = status.st_size
        if self._identity is not None and size == self.size_bytes:
            return
        self._identity = (status.st_dev, status.st_ino)
        position = self.offset
        rest = b""
        file.seek(position)
        while position < size:
            self._stop_if(file, is_cancelled)
            data = file.read(min(CHUNK_BYTES, size - position))
            if not data:
                break
            position += len(data)
            rest = self._take(rest + data if rest else data)
            if progress is not None:
                progress(position, size)
        self._take_rest(rest)
        self._mark(file, size, status.st_mtime_ns)

    def record_at(self, file: io.FileIO, place: Place) -> Record | None:
        """The record that stands there; None where the file was written over since."""
        file.seek(place.offset)
        records = read_line(file.read(place.length)).records
        return records[place.ordinal] if place.ordinal < len(records) else None

    def _stop_if(self, file: io.FileIO, is_cancelled: IsCancelled | None) -> None:
        """Leaves the file as one that was read up to `offset`, where the user asks to stop."""
        try:
            stop_if(is_cancelled)
        except StoppedError:
            self.has_half_line = False
            self._mark(file, self.offset, 0)
            raise

    def _mark(self, file: io.FileIO, size: int, mtime_ns: int) -> None:
        self.size_bytes, self._mtime_ns = size, mtime_ns
        self._samples = self._samples_of(file)

    def _samples_of(self, file: io.FileIO) -> tuple[bytes, bytes]:
        """The first and the last bytes of what was taken."""
        file.seek(0)
        first = file.read(min(_SAMPLE_BYTES, self.offset))
        file.seek(max(self.offset - _SAMPLE_BYTES, 0))
        return first, file.read(min(_SAMPLE_BYTES, self.offset))

    def _take(self, data: bytes) -> bytes:
        """Take the whole lines of `data`, which begins at `offset`; gives what is left."""
        start = 0
        if self._is_in_long_line:
            start = data.find(b"\n") + 1
            if not start:
                self.offset += len(data)
                return b""
            self._is_in_long_line = False
        for raw in _lines(data, start):
            self._add(raw, self.offset + start)
            start += len(raw) + 1
        self.offset += start
        if len(data) - start <= MAX_LINE_BYTES:
            return data[start:]
        self._broken += 1
        self._is_in_long_line = True
        self.offset += len(data) - start
        return b""

    def _add(self, raw: bytes, offset: int) -> None:
        if len(raw) > MAX_LINE_BYTES:
            self._broken += 1
            return
        line = read_line(raw)
        self._broken += line.is_damaged or line.has_rest
        self.index.add(line, offset, len(raw))

    def _take_rest(self, raw: bytes) -> None:
        """Take the whole records of a line without a line end.

        An object inside a record that is being written may look like a spliced record: behind
        damage one is taken only where the line ends with it.
        """
        line: Line = read_line(raw)
        self.has_half_line = line.has_rest
        if line.end and not (line.is_damaged and line.has_rest):
            self.index.add(line, self.offset, line.end)
            self.offset += line.end
            self._broken += line.is_damaged


def _lines(data: bytes, start: int) -> Iterator[bytes]:
    """The lines of `data` from `start` on that have an end, without it."""
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
