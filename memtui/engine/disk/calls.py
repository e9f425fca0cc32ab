"""The system calls that change something on disk, in one object.

Owns the seam for injected faults: replace.py, journal.py and all above them change files through a
`Calls` alone, so that a test can let any single call fail, or end there as a crash would.
"""

from __future__ import annotations

import os
from pathlib import Path


class Calls:
    """The calls as the system has them; each raises OSError."""

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """A descriptor, to be closed by the caller."""
        return os.open(path, flags, mode)

    def write(self, descriptor: int, data: bytes) -> int:
        """The number of bytes that were written, which may be less than given."""
        return os.write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        """Bytes, or the names of a folder, on the disk."""
        os.fsync(descriptor)

    def chmod(self, path: Path, mode: int) -> None:
        """Permission bits of a file that is no link."""
        path.chmod(mode)

    def chown(self, path: Path, uid: int, gid: int) -> None:
        """Owner and group; called only where they differ."""
        os.chown(path, uid, gid)

    def utime(self, path: Path, mtime_ns: int) -> None:
        """Access and change time, of a link itself where the system can."""
        follows = os.utime not in os.supports_follow_symlinks
        os.utime(path, ns=(mtime_ns, mtime_ns), follow_symlinks=follows)

    def replace(self, source: Path, target: Path) -> None:
        """Give a file the name of another, which goes."""
        source.replace(target)

    def rename(self, source: Path, target: Path) -> None:
        """Give a file a name that is free."""
        source.rename(target)

    def link(self, source: Path, target: Path) -> None:
        """A second name for a file, or for a link itself where the system can."""
        follows = os.link not in os.supports_follow_symlinks
        os.link(source, target, follow_symlinks=follows)

    def symlink(self, link: str, path: Path) -> None:
        """A symbolic link at `path` with the text `link`."""
        path.symlink_to(link)

    def unlink(self, path: Path) -> None:
        """Remove a name."""
        path.unlink()

    def mkdir(self, path: Path, mode: int = 0o777) -> None:
        """Make one folder."""
        path.mkdir(mode)

    def rmdir(self, path: Path) -> None:
        """Remove one folder that is empty."""
        path.rmdir()


SYSTEM = Calls()
"""The calls as the system has them."""
