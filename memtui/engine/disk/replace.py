"""Putting bytes on disk so that no reader and no crash ever meets half a file.

Invariant: a file comes into being whole, under a temporary name in its own folder, and takes its
place by one rename or link. Nothing here decides what is written or whether it may be.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from memtui.engine.disk.calls import Calls

TEMPORARY = re.compile(r"\.memtui-([0-9]+)-[0-9a-f]+\.tmp\Z")
"""The names that `temporary_name` gives; the group is the PID of who made the file."""

WITHOUT_LINKS = (
    errno.EPERM,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EMLINK,
)
"""What a file system that has no hard links, or no more of them, answers."""

_WITHOUT_ROOM = (errno.ENOSPC, errno.EDQUOT)
_WITHOUT_FOLDER_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


def temporary_name() -> str:
    """A new name for a file of this process that is on its way in or out."""
    return f".memtui-{os.getpid()}-{secrets.token_hex(4)}.tmp"


def write_new(
    calls: Calls,
    path: Path,
    content: bytes,
    *,
    mode: int | None = None,
    owner: tuple[int, int] | None = None,
    mtime_ns: int | None = None,
) -> None:
    """Make the file `path`, which must not exist, with all that belongs to it, and fsync it.

    `mode` None gives what any new file gets; `owner` is a user and a group number. After an error
    there is no file. Raises OSError that names `path`.
    """
    descriptor = calls.open(path, _NEW, 0o666 if mode is None else 0o600)
    try:
        try:
            view = content
            while view:
                view = view[calls.write(descriptor, view) :]
            status = os.fstat(descriptor)
            if owner is not None and owner != (status.st_uid, status.st_gid):
                calls.chown(path, *owner)
            if mode is not None:
                calls.chmod(path, mode)
            if mtime_ns is not None:
                calls.utime(path, mtime_ns)
            calls.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException as error:
        with suppress(OSError):
            calls.unlink(path)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = os.fspath(path)  # a call on a descriptor does not know it
        raise


def put_new(calls: Calls, source: Path, target: Path, *, is_return: bool = False) -> None:
    """Move `source` to the name `target` without ever taking a file away that has it.

    `is_return` says that the file has to get its name back: also where there is no room for a
    second name. Raises FileExistsError where the name is taken; OSError else. After an error
    `source` is still there; the target may be there too.
    """
    try:
        calls.link(source, target)
    except OSError as error:
        if error.errno not in WITHOUT_LINKS and not (is_return and error.errno in _WITHOUT_ROOM):
            raise
    else:
        calls.unlink(source)
        return
    # Without links the look and the rename are two steps.
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    calls.rename(source, target)


def keep_aside(calls: Calls, path: Path, aside: Path) -> bool:
    """Give the file at `path` the second name `aside`; False where the file system cannot.

    Raises OSError.
    """
    try:
        calls.link(path, aside)
    except OSError as error:
        if error.errno not in WITHOUT_LINKS:
            raise
        return False
    return True


def sync_folder(calls: Calls, folder: Path) -> None:
    """Bring the names of `folder` on the disk. Raises OSError; where that is unknown, nothing."""
    if os.name == "nt":
        return
    descriptor = calls.open(folder, _FOLDER)
    try:
        calls.fsync(descriptor)
    except OSError as error:
        if error.errno not in _WITHOUT_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def make_folders(calls: Calls, folder: Path, made: list[Path]) -> None:
    """Make `folder` and what is missing above it; adds each to `made`, the upper first."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            calls.mkdir(each)
        except FileExistsError:
            if not each.is_dir():
                raise
        else:
            made.append(each)


def remove_if_there(calls: Calls, path: Path) -> None:
    """Remove a name that may be gone already. Raises OSError."""
    with suppress(FileNotFoundError):
        calls.unlink(path)
