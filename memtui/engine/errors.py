"""Every error that memtui raises on purpose.

MemtuiError                 4
├── UsageError              2   the call itself is wrong
│   └── UnknownIdError      1   an Entry ID that names nothing
├── RefusedError            3   nothing was written, and why
│   ├── AmbiguousIdError    3   an ID that fits several things
│   ├── LockedError         3   another process is writing
│   ├── ConflictError       3   files changed since the plan was made
│   ├── ReadOnlyError       3   the store may not be written
│   └── StoppedError        3   stopped on request
└── StoreError              4   a store that cannot be read
    └── NoHomeError         4   no home directory to look in

The number is the exit code of the command line (design section 6).
"""

from __future__ import annotations

from typing import ClassVar


class MemtuiError(Exception):
    """The root. Its text is one sentence that a person can act on."""

    exit_code: ClassVar[int] = 4


class UsageError(MemtuiError):
    """The call is wrong: an unknown option value, two options that exclude each other."""

    exit_code = 2


class UnknownIdError(UsageError):
    """An Entry ID that names no entry and no file."""

    exit_code = 1


class RefusedError(MemtuiError):
    """An act that is refused; nothing was written."""

    exit_code = 3


class AmbiguousIdError(RefusedError):
    """An ID that fits several entries or scopes; the text lists them."""


class LockedError(RefusedError):
    """Another process holds a lock; the text names it and tells what to do."""


class ConflictError(RefusedError):
    """Files are not as they were planned on; `paths` names them."""

    def __init__(self, message: str, paths: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.paths = paths


class ReadOnlyError(RefusedError):
    """The store may not be written: `--readonly`, permissions, or a path that leads out."""


class StoppedError(RefusedError):
    """Work that was stopped on request."""


class StoreError(MemtuiError):
    """A memory directory that is missing, unreadable or no directory."""


class NoHomeError(StoreError):
    """No home directory is known and no variable names a base."""
