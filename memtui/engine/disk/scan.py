"""From a memory directory to a `Snapshot` (spec section 4).

Owns which files are topic files and when a file must be read again. Invariant: two scans with
nothing changed between them return the same `Snapshot` object, and a document whose bytes, mtime
and link are unchanged stays the same object, so that whatever was derived from it is kept.

No file can make a scan fail or wait: only regular files are opened, and what cannot be read is a
`FileProblem` with one of these rules: `unreadable`, `too-large`, `name`, `dangling-link`,
`link-cycle`, `not-a-file`.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memtui.engine.disk.files import (
    MAX_FILE_BYTES,
    FileKey,
    file_key,
    is_denied,
    is_utf8,
    printable,
    read_file,
    reason_of,
)
from memtui.engine.format.document import parse_document
from memtui.engine.types import (
    INDEX_NAME,
    Agent,
    FileProblem,
    Snapshot,
    Store,
    StoreState,
    TopicDocument,
)

SETTLED_NS = 2_000_000_000
"""Bytes read from a file whose mtime or ctime was younger than this are not trusted at the next
scan: a second write may leave the same times and size (spec section 4)."""

_SPECIAL_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class _Kept(NamedTuple):
    """What the last scan knows of one file."""

    key: FileKey | None
    """None where the bytes were read so soon after a write that they must be read again."""
    link: str | None
    raw: bytes
    document: TopicDocument | None
    """None for an index."""


class _StoreError(Exception):
    """The memory directory itself cannot be listed."""

    def __init__(self, state: StoreState, message: str) -> None:
        super().__init__(message)
        self.state = state
        self.message = message


class Scanner:
    """Scans stores and keeps what it read, per store, until it changes on disk.

    `clock_ns` gives the time in nanoseconds since the epoch, on the clock of the file system.
    One object may be used from several threads; scans wait for each other.
    """

    def __init__(self, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._clock_ns = clock_ns
        self._lock = threading.Lock()
        self._snapshots: dict[Store, Snapshot] = {}
        self._files: dict[Store, dict[str, _Kept]] = {}

    def scan(self, store: Store) -> Snapshot:
        """What `store` holds now; the same object as before where nothing changed.

        Raises nothing for what is on disk: a directory that is missing or cannot be listed gives
        a snapshot with that state and a sentence, a bad file gives a problem.
        """
        with self._lock:
            before = self._snapshots.get(store)
            walk = _Walk(store, self._files.get(store, {}), self._clock_ns())
            try:
                walk.run()
            except _StoreError as error:
                # What was read is kept: a folder that comes back gives the same documents.
                after = _unlisted(store, error, before)
            else:
                after = walk.snapshot(before)
                self._files[store] = walk.files
            self._snapshots[store] = after
            return after


def _unlisted(store: Store, error: _StoreError, before: Snapshot | None) -> Snapshot:
    if before is not None and (before.state, before.message) == (error.state, error.message):
        return before
    return Snapshot(store=store, state=error.state, message=error.message)


class _Walk:
    """One pass over one store; `files` holds what it found."""

    def __init__(self, store: Store, known: dict[str, _Kept], now_ns: int) -> None:
        self.files: dict[str, _Kept] = {}
        self._store = store
        self._known = known
        self._now_ns = now_ns
        self._problems: list[FileProblem] = []
        self._changed = False

    def run(self) -> None:
        """Looks at every file. Raises `_StoreError` where the directory cannot be listed."""
        root = os.fspath(self._store.memory_dir)
        folders = [("", root)]
        while folders:
            prefix, folder = folders.pop()
            try:
                self._folder(prefix, folder, folders)
            except OSError as error:
                if not prefix:
                    raise _unlistable(root, error, self._store.agent) from error
                if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                    self._unreadable(prefix.rstrip("/"), error, is_folder=True)

    def snapshot(self, before: Snapshot | None) -> Snapshot:
        """The result; `before` itself where it says the same."""
        problems = tuple(sorted(self._problems, key=lambda problem: (problem.path, problem.rule)))
        if (
            before is not None
            and before.state == "ok"
            and not self._changed
            and len(self.files) == len(self._known)
            and problems == before.problems
        ):
            return before
        documents = [kept.document for kept in self.files.values() if kept.document is not None]
        documents.sort(key=lambda document: (-document.mtime_ns, document.path))
        indexes = {
            path: kept.raw for path, kept in sorted(self.files.items()) if kept.document is None
        }
        return Snapshot(
            store=self._store,
            state="ok",
            documents=tuple(documents),
            problems=problems,
            indexes=indexes,
        )

    def _folder(self, prefix: str, folder: str, folders: list[tuple[str, str]]) -> None:
        """Looks at the files of one folder and adds its folders to `folders`.

        Raises `OSError` where the folder cannot be listed or its files cannot be looked at.
        """
        # The loop that runs for each file at each poll: names that the last scan knows are topic
        # files, and one with its old key is the regular file it was.
        known_files, files = self._known, self.files
        with os.scandir(folder) as entries:
            for entry in entries:
                path = prefix + entry.name
                known = known_files.get(path)
                if known is not None and known.key is not None and known.link is None:
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError as error:
                        self._unlooked(path, error)
                        continue
                    if known.key == file_key(status):
                        files[path] = known
                        continue
                self._entry(entry, path, folders)

    def _entry(self, entry: os.DirEntry[str], path: str, folders: list[tuple[str, str]]) -> None:
        """Looks at one name of a folder that is new, may have changed, or is no plain file."""
        is_topic = entry.name[-3:].lower() == ".md"
        if entry.is_symlink():
            self._link(entry, path, is_topic=is_topic)
        elif entry.is_dir(follow_symlinks=False):
            self._enter(entry, path, folders, is_topic=is_topic)
        elif is_topic:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                self._unlooked(path, error)
                return
            if stat.S_ISREG(status.st_mode):
                self._file(entry, path, status, None)
            else:
                self._special(path, status.st_mode)

    def _enter(
        self,
        entry: os.DirEntry[str],
        path: str,
        folders: list[tuple[str, str]],
        *,
        is_topic: bool,
    ) -> None:
        if entry.name.startswith("."):
            return
        if not is_utf8(entry.name):
            self._problem(
                path,
                "name",
                "The name of this folder is not UTF-8, so its files cannot be named; rename it.",
            )
            return
        folders.append((f"{path}/", entry.path))
        if is_topic:
            self._problem(
                path,
                "not-a-file",
                "This is a folder whose name ends in .md; the files in it are read.",
            )

    def _link(self, entry: os.DirEntry[str], path: str, *, is_topic: bool) -> None:
        """A link: to a file it is read, to a folder it is not followed."""
        if entry.name.startswith(".#" if is_topic else "."):
            # Emacs marks a file that is being edited by a link `.#name` that leads nowhere.
            return
        try:
            target = printable(str(Path(entry.path).readlink()))
        except OSError as error:
            self._unlooked(path, error)
            return
        try:
            status = entry.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._problem(path, "dangling-link", f"This link leads nowhere: there is no {target}.")
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._problem(path, "link-cycle", f"This link leads back to itself: {target}.")
            elif is_topic:
                self._unreadable(path, error)
        else:
            if stat.S_ISDIR(status.st_mode):
                self._folder_link(Path(entry.path), path, target, is_topic=is_topic)
            elif not is_topic:
                return
            elif stat.S_ISREG(status.st_mode):
                known = self._known.get(path)
                if known is not None and known.key == file_key(status) and known.link == target:
                    self.files[path] = known
                else:
                    self._file(entry, path, status, target)
            else:
                self._special(path, status.st_mode)

    def _folder_link(self, link: Path, path: str, target: str, *, is_topic: bool) -> None:
        if link.parent.resolve().is_relative_to(link.resolve()):
            self._problem(
                path,
                "link-cycle",
                f"This link leads to a folder that holds it, and is not followed: {target}.",
            )
        elif is_topic:
            self._problem(
                path, "not-a-file", f"This link leads to a folder, and is not followed: {target}."
            )

    def _file(
        self, entry: os.DirEntry[str], path: str, status: os.stat_result, link: str | None
    ) -> None:
        """Reads a file that is new or may have changed."""
        if not is_utf8(entry.name):
            self._problem(
                path,
                "name",
                "The name of this file is not UTF-8, so no agent can open it; rename it.",
            )
            return
        if status.st_size > MAX_FILE_BYTES:
            self._problem(
                path,
                "too-large",
                f"This file has {status.st_size / 1e6:,.0f} MB, more than the "
                f"{MAX_FILE_BYTES // 1_000_000} MB that are read; split it or move it away.",
            )
            return
        try:
            raw = read_file(entry.path, status.st_size)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._unreadable(path, error)
            return
        known = self._known.get(path)
        mtime_ns = status.st_mtime_ns
        document: TopicDocument | None = None
        if entry.name == INDEX_NAME:
            self._changed |= known is None or known.raw != raw
        elif (
            known is not None
            and known.document is not None
            and known.document.mtime_ns == mtime_ns
            and known.raw == raw
            and known.link == link
        ):
            document = known.document
        else:
            self._changed = True
            document = parse_document(
                raw, path=path, scope=self._store.scope, mtime_ns=mtime_ns, link=link
            )
        settled = self._now_ns - max(mtime_ns, status.st_ctime_ns) >= SETTLED_NS
        self.files[path] = _Kept(file_key(status) if settled else None, link, raw, document)

    def _unlooked(self, path: str, error: OSError) -> None:
        """A name whose file could not be looked at: gone since, or a fault.

        Raises `error` where it says that the folder may not be entered.
        """
        if is_denied(error):
            raise error
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EINVAL):
            self._unreadable(path, error)

    def _special(self, path: str, mode: int) -> None:
        kind = next((kind for test, kind in _SPECIAL_KINDS if test(mode)), "something else")
        self._problem(path, "not-a-file", f"This is {kind}, not a file, and is never opened.")

    def _unreadable(self, path: str, error: OSError, *, is_folder: bool = False) -> None:
        what, right = ("folder", "list and enter") if is_folder else ("file", "read")
        advice = f"; give your user the right to {right} it" if is_denied(error) else ""
        self._problem(
            path, "unreadable", f"This {what} cannot be read ({reason_of(error)}){advice}."
        )

    def _problem(self, path: str, rule: str, message: str) -> None:
        self._problems.append(FileProblem(printable(path), self._store.scope, rule, message))


def _unlistable(root: str, error: OSError, agent: Agent) -> _StoreError:
    shown = printable(root)
    if isinstance(error, FileNotFoundError):
        if Path(root).is_symlink():
            return _StoreError(
                "missing",
                f"The memory directory {shown} is a link that leads nowhere; mend or remove it.",
            )
        if agent == "none":
            return _StoreError("missing", f"There is no directory {shown}; is it spelled so?")
        return _StoreError(
            "missing",
            f"There is no memory directory {shown} yet; "
            "the agent makes it when it first remembers something.",
        )
    if isinstance(error, NotADirectoryError):
        return _StoreError(
            "not-a-directory", f"{shown} is not a directory; move what is there or name another."
        )
    advice = (
        "; give your user the right to list and enter it"
        if is_denied(error)
        else "; look at the disk it is on, or name another"
    )
    return _StoreError(
        "unreadable", f"The memory directory {shown} cannot be read ({reason_of(error)}){advice}."
    )
