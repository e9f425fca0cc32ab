"""The event log: numbers about extract, dream and recall as local JSON lines (spec section 10).

Invariant: no text of a memory, a query or a session is ever in it, nothing leaves the machine, and
it hinders nothing: no call raises, what fails is kept as one sentence. Switched off, no file comes
into being. Several processes write to one log: a line is appended by one write, and only who holds
the lock moves files.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from memtui.engine.disk.files import read_file, reason_of
from memtui.engine.disk.locations import PRIVATE_FILE, make_private
from memtui.engine.disk.settings import Settings
from memtui.engine.format.times import iso_time, parse_iso_time
from memtui.engine.types import MEMORY_TYPES

MAX_BYTES = 1_000_000
"""A file that would get longer is put aside."""
KEPT_FILES = 3
"""Files that were put aside and are still kept; `telemetry.1.jsonl` is the newest of them."""

Trigger = Literal["auto", "manual"]
ExtractStatus = Literal["completed", "failed", "skipped"]
DreamStatus = Literal["updated", "noop", "failed"]
Strategy = Literal["none", "heuristic", "model"]

_FIELDS: Mapping[str, Mapping[str, type]] = {
    "extract": {
        "trigger": str,
        "status": str,
        "skipped_reason": str,
        "patches_count": int,
        "touched_topics": list,
        "duration_ms": int,
    },
    "dream": {
        "trigger": str,
        "status": str,
        "deduped_entries": int,
        "touched_topics": list,
        "duration_ms": int,
    },
    "recall": {
        "query_length": int,
        "docs_scanned": int,
        "docs_selected": int,
        "strategy": str,
        "duration_ms": int,
    },
}
_OPTIONAL = {"skipped_reason"}

_APPEND = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


class Event(NamedTuple):
    """One line of the log."""

    event: str
    """`extract`, `dream` or `recall`."""
    time_ns: int
    """Nanoseconds since the epoch, to the millisecond."""
    fields: Mapping[str, object]
    """The fields of spec section 10, each of its type; `touched_topics` is a tuple of text."""


def telemetry_is_on(env: Mapping[str, str], settings: Settings) -> bool:
    """False where `MEMTUI_TELEMETRY` is exactly `0` or the settings switch it off."""
    return env.get("MEMTUI_TELEMETRY") != "0" and settings.telemetry


class Telemetry:
    """The log in `folder`, which is `state_dir` or lies below it; both need not exist.

    `clock_ns` gives the time in nanoseconds since the epoch. Each of the three calls gives back
    one sentence where writing fails for the first time, else nothing; `problem` keeps it until
    writing succeeds. They may be called from any thread.
    """

    def __init__(
        self,
        folder: Path,
        state_dir: Path,
        *,
        is_on: bool,
        clock_ns: Callable[[], int],
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.is_on = is_on
        self.problem = ""
        self._folder = folder
        self._state_dir = state_dir
        self._clock_ns = clock_ns
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._is_private = False

    @property
    def path(self) -> Path:
        """The file that events are added to; it need not exist."""
        return self._path(0)

    def extract(
        self,
        trigger: Trigger,
        status: ExtractStatus,
        skipped_reason: str | None,
        patches_count: int,
        touched_topics: Collection[str],
        duration_ms: float,
    ) -> str:
        """An extract ended; `skipped_reason` is one of the words of spec section 8."""
        return self._add(
            "extract",
            {
                "trigger": trigger,
                "status": status,
                **({} if skipped_reason is None else {"skipped_reason": skipped_reason}),
                "patches_count": patches_count,
                "touched_topics": _types(touched_topics),
                "duration_ms": round(duration_ms),
            },
        )

    def dream(
        self,
        trigger: Trigger,
        status: DreamStatus,
        deduped_entries: int,
        touched_topics: Collection[str],
        duration_ms: float,
    ) -> str:
        """A dream ended."""
        return self._add(
            "dream",
            {
                "trigger": trigger,
                "status": status,
                "deduped_entries": deduped_entries,
                "touched_topics": _types(touched_topics),
                "duration_ms": round(duration_ms),
            },
        )

    def recall(
        self,
        query_length: int,
        docs_scanned: int,
        docs_selected: int,
        strategy: Strategy,
        duration_ms: float,
    ) -> str:
        """A query settled; `query_length` is in UTF-16 units."""
        return self._add(
            "recall",
            {
                "query_length": query_length,
                "docs_scanned": docs_scanned,
                "docs_selected": docs_selected,
                "strategy": strategy,
                "duration_ms": round(duration_ms),
            },
        )

    def events(self, limit: int | None = None) -> tuple[Event, ...]:
        """The newest events, at most `limit`, the newest first, also where it is switched off.

        Lines that are none are passed over, and files that cannot be read; `problem` tells those.
        """
        found: list[Event] = []
        for line in self._lines_backwards():
            if limit is not None and len(found) >= limit:
                break
            event = parse_event(line)
            if event is not None:
                found.append(event)
        # Lines of several processes stand in the order of writing, which is nearly that of time.
        found.sort(key=lambda event: event.time_ns, reverse=True)
        return tuple(found)

    def _path(self, age: int) -> Path:
        return self._folder / (f"telemetry.{age}.jsonl" if age else "telemetry.jsonl")

    def _add(self, event: str, fields: Mapping[str, object]) -> str:
        if not self.is_on:
            return ""
        with self._lock:
            try:
                value = {"event": event, "time": iso_time(self._clock_ns()), **fields}
                self._append(json.dumps(value).encode("ascii") + b"\n")
            except OSError as error:
                return self._tell(f"No event is logged in {self._folder}: {reason_of(error)}.")
            except NotImplementedError:
                return self._tell(f"No event is logged in {self._folder}: it can't be locked.")
            self.problem = ""
            return ""

    def _tell(self, sentence: str) -> str:
        """`sentence` where it is news."""
        is_told = bool(self.problem)
        self.problem = sentence
        return "" if is_told else sentence

    def _append(self, line: bytes) -> None:
        if not self._is_private:
            make_private(self._folder, self._state_dir)
            self._is_private = True
        if self._written(line, self._max_bytes):
            return
        self._rotate(len(line))
        self._written(line, None)

    def _written(self, line: bytes, max_bytes: int | None) -> bool:
        """False where the file is too full for `line`; raises OSError."""
        descriptor = self._open()
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{self._path(0).name} is no regular file")
            size = status.st_size
            if max_bytes is not None and size and size + len(line) > max_bytes:
                return False
            if size and not _ends_line(descriptor, size):
                line = b"\n" + line  # a write that was cut short must not spoil this one too
            if os.write(descriptor, line) != len(line):
                raise OSError("the disk took only a part")
            return True
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        try:
            return os.open(self._path(0), _APPEND, PRIVATE_FILE)
        except FileNotFoundError:  # the folder went since the last event
            make_private(self._folder, self._state_dir)
            return os.open(self._path(0), _APPEND, PRIVATE_FILE)

    def _rotate(self, line_bytes: int) -> None:
        """Put the file aside unless another process does or did; raises OSError."""
        from filelock import FileLock, Timeout  # 50 ms to load, and needed once in a megabyte

        lock = FileLock(self._folder / "telemetry.lock", mode=PRIVATE_FILE)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return
        try:
            if self._path(0).stat().st_size + line_bytes <= self._max_bytes:
                return
            ages = range(1, KEPT_FILES + 1)
            # A rotation that was cut short left a gap: what is beyond it stays.
            free = next((age for age in ages if not self._path(age).exists()), KEPT_FILES)
            for age in range(free, 0, -1):
                self._path(age - 1).replace(self._path(age))
        except FileNotFoundError:
            return
        finally:
            lock.release()

    def _lines_backwards(self) -> Iterator[bytes]:
        """Every line, the last of the newest file first."""
        seen: set[tuple[int, int]] = set()
        for age in range(KEPT_FILES + 1):
            path = self._path(age)
            try:
                status = path.stat()
                # A file that is put aside while this runs comes by again under its next name.
                key = (status.st_dev, status.st_ino)
                if key in seen or not stat.S_ISREG(status.st_mode):
                    continue
                seen.add(key)
                raw = read_file(str(path), status.st_size)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.problem = f"{path} cannot be read: {reason_of(error)}."
                continue
            yield from reversed(raw.split(b"\n"))


def parse_event(line: bytes) -> Event | None:
    """The event that a line of the log holds; None where it holds none. Never raises."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    name = value.get("event")
    wanted = _FIELDS.get(name) if isinstance(name, str) else None
    time_ns = parse_iso_time(value.get("time"))
    if wanted is None or time_ns is None:
        return None
    fields: dict[str, object] = {}
    for field, kind in wanted.items():
        found = value.get(field)
        if found is None and field in _OPTIONAL:
            continue
        if type(found) is not kind:
            return None
        if isinstance(found, list):
            if not all(isinstance(each, str) for each in found):
                return None
            found = tuple(found)
        fields[field] = found
    return Event(str(name), time_ns, fields)


def _types(topics: Collection[str]) -> list[str]:
    """The memory types among `topics`: any other text could be somebody's own words."""
    return [each for each in MEMORY_TYPES if each in topics]


def _ends_line(descriptor: int, size: int) -> bool:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) in (b"\n", b"")
