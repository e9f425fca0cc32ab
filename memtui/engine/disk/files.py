"""Reading one file, telling whether it changed, and saying why it could not be read.

Invariant: nothing here waits: a named pipe is never read, and no more than `MAX_FILE_BYTES` are.
"""

from __future__ import annotations

import errno
import os

MAX_FILE_BYTES = 32_000_000
"""A larger file of a store is a problem and is not opened; real memories have some kB."""

FileKey = tuple[int, int, int, int, int]
"""mtime_ns, ctime_ns, size, inode, device: what tells that a file is the same (spec section 4)."""

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    # A file that became a named pipe after it was looked at must not block.
    | getattr(os, "O_NONBLOCK", 0)
)


def file_key(status: os.stat_result) -> FileKey:
    """The key of a file under which what was read from it is kept."""
    return (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
        status.st_ino,
        status.st_dev,
    )


def read_file(path: str, size_bytes: int) -> bytes:
    """The bytes of a file that had `size_bytes` when it was looked at, at most `MAX_FILE_BYTES`.

    Raises `OSError`.
    """
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        raw = os.read(descriptor, size_bytes + 1)
        if len(raw) == size_bytes:
            return raw
        chunks = [raw]
        length = len(raw)
        while length < MAX_FILE_BYTES:
            chunk = os.read(descriptor, min(1 << 20, MAX_FILE_BYTES - length))
            if not chunk:
                break
            chunks.append(chunk)
            length += len(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def is_denied(error: OSError) -> bool:
    """True where a right is missing, not the file or the disk."""
    return error.errno in (errno.EACCES, errno.EPERM)


def reason_of(error: OSError) -> str:
    """What the system says, to stand inside a sentence: `permission denied`."""
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]


def is_utf8(name: str) -> bool:
    """False where a name came from bytes that are not UTF-8."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(path: str) -> str:
    """`path` with each byte that is not UTF-8 as a backslash escape, so that it can be printed."""
    if is_utf8(path):
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")
