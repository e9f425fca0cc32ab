"""Session files of both agents: which there are, and what their first records tell.

Invariant: a session is only read here, and of one file at most `HEAD_BYTES` bytes and
`HEAD_LINES` lines, however long it is. No content of a file raises: what cannot be read tells
nothing. Lines end at `\\n` alone (spec section 8, Sessions).

The sessions of a store lie under the key of the directory that the agent was started in, the
memory under that of the git root. `session_dirs` names both; sessions started in other folders
below the root lie under keys of their own and are not looked for.
"""

from __future__ import annotations

import heapq
import itertools
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.errors import StoreError
from memtui.engine.types import Store

HEAD_BYTES = 65_536
HEAD_LINES = 100
_FIRST_BYTES = 4_096
"""Read first: enough for most sessions."""

_BOM = b"\xef\xbb\xbf"
_BLANK_BYTES = b" \t\r\0"
_BLANKS = " \t\r\n\0"
_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class SessionHead:
    """One session file, by its name, its age and its first records."""

    path: Path
    session_id: str
    """The stem of the file's name."""
    cwd: str | None
    """The working directory as the first record that has one spells it; None where none does."""
    version: str | None
    """Of the agent, likewise."""
    mtime_ns: int
    problem: str = ""
    """One sentence where the file cannot be read."""


def session_dirs(store: Store) -> tuple[Path, ...]:
    """The directories that hold the sessions of a project store; empty for any other.

    Under the key of the working directory first, then under that of the store (its git root).
    """
    own = store.sessions_dir
    if own is None or store.key is None:
        return ()
    key_dir = own.parent if store.agent == "qwen" else own
    shared = key_dir.parent / store.key
    if store.agent == "qwen":
        shared /= own.name
    return (own,) if shared == own else (own, shared)


@dataclass(frozen=True, slots=True)
class SessionStat:
    """One session file, by its name and its age alone."""

    path: Path
    mtime_ns: int

    @property
    def session_id(self) -> str:
        """The stem of the file's name."""
        return self.path.stem


def session_files(directory: Path) -> tuple[SessionStat, ...]:
    """The sessions `*.jsonl` of `directory`, newest first; no file is opened.

    A missing directory has none. Raises StoreError where it cannot be read or is no directory.
    """
    return tuple(SessionStat(Path(name), -negative) for negative, name in _listed(directory))


def session_heads(directory: Path, limit: int | None = None) -> tuple[SessionHead, ...]:
    """The sessions `*.jsonl` of `directory`, newest first, at most `limit`.

    A missing directory has none. Raises StoreError where it cannot be read or is no directory.
    """
    return tuple(itertools.islice(_heads(_listed(directory)), limit))


def newest_version(store: Store) -> str | None:
    """The `version` in the newest session of a Qwen project store that has one (spec section 5).

    Newest by mtime, over all `session_dirs`. None for any other store, and where no session has a
    version; a directory that cannot be read has none.
    """
    if store.agent != "qwen":
        return None
    listings = []
    for directory in session_dirs(store):
        try:
            listings.append(_listed(directory))
        except StoreError:
            continue  # the version only chooses a scorer, which has a default
    heads = _heads(heapq.merge(*listings))
    return next((head.version for head in heads if head.version is not None), None)


_Listed = tuple[int, str]
"""A session file as (-mtime_ns, path): sorted, the newest comes first."""


def _listed(directory: Path) -> Sequence[_Listed]:
    """The session files of `directory`, newest first, then by path."""
    found: list[_Listed] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if not entry.name.endswith(".jsonl"):
                    continue
                try:
                    status = entry.stat()
                except PermissionError:
                    raise
                except OSError:
                    continue  # gone since it was listed, or a link that leads nowhere
                if stat.S_ISREG(status.st_mode):
                    found.append((-status.st_mtime_ns, entry.path))
    except FileNotFoundError:
        return ()
    except NotADirectoryError:
        raise StoreError(f"{directory} is not a directory, so no session is read.") from None
    except OSError as error:
        raise StoreError(f"{directory} cannot be read: {error.strerror}.") from error
    found.sort()
    return found


def _heads(listing: Iterable[_Listed]) -> Iterator[SessionHead]:
    for negative_mtime_ns, name in listing:
        yield _read_head(Path(name), -negative_mtime_ns)


def _read_head(path: Path, mtime_ns: int) -> SessionHead:
    cwd = version = None
    problem = ""
    try:
        with open(path, "rb", buffering=0) as file:
            data = file.read(_FIRST_BYTES)
            cwd, version = head_values(data)
            if len(data) == _FIRST_BYTES and (cwd is None or version is None):
                data += file.read(HEAD_BYTES - _FIRST_BYTES)
                cwd, version = head_values(data)
    except OSError as error:
        problem = f"{path} cannot be read: {error.strerror}."
    return SessionHead(path, path.stem, cwd, version, mtime_ns, problem)


def head_values(data: bytes) -> tuple[str | None, str | None]:
    """The first `cwd` and the first `version` in the records that `data` begins with.

    Only members of a record itself count, not what is nested in it. Of a broken or cut record
    the members before the break count.
    """
    cwd: str | None = None
    version: str | None = None
    for line in _lines(data.removeprefix(_BOM)):
        for key, value in _members(line):
            if not isinstance(value, str) or not value:
                continue
            if key == "cwd" and cwd is None and "\0" not in value:
                cwd = _SURROGATE.sub("\ufffd", value)
            elif key == "version" and version is None:
                version = _SURROGATE.sub("\ufffd", value)
            if cwd is not None and version is not None:
                return cwd, version
    return cwd, version


def _lines(data: bytes) -> Iterator[str]:
    """The first lines of `data`, decoded, without blanks and NUL around them."""
    start = 0
    for _ in range(HEAD_LINES):
        if start >= len(data):
            return
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield data[start:end].strip(_BLANK_BYTES).decode("utf-8", "replace")
        start = end + 1


def _members(line: str) -> Iterator[tuple[str, object]]:
    """The members of the JSON objects that `line` consists of, up to what is no JSON.

    A member counts once the comma or brace behind it is read, so that a string into which another
    record was spliced does not.
    """
    position = 0
    while line.startswith("{", position):
        position = _past_blanks(line, position + 1)
        while not line.startswith("}", position):
            try:
                key, position = _JSON.raw_decode(line, position)
                position = _past_blanks(line, position)
                if not isinstance(key, str) or not line.startswith(":", position):
                    return
                value, position = _JSON.raw_decode(line, _past_blanks(line, position + 1))
            except (ValueError, RecursionError):
                return
            position = _past_blanks(line, position)
            if not line.startswith((",", "}"), position):
                return
            yield key, value
            if line.startswith(",", position):
                position = _past_blanks(line, position + 1)
        position = _past_blanks(line, position + 1)


def _past_blanks(line: str, position: int) -> int:
    while position < len(line) and line[position] in _BLANKS:
        position += 1
    return position
