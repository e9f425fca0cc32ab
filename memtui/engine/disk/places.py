"""Where the file of a change really lies, and what is there.

Invariant: a `Place` never leads out of its root: each folder of a path is resolved, and a link is
followed to a file inside alone. Nothing here writes.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.files import MAX_FILE_BYTES, printable, read_file
from memtui.engine.disk.locations import store_dir
from memtui.engine.errors import ReadOnlyError
from memtui.engine.types import INDEX_NAME, OWN_STATES, Store

_MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Place:
    """A path of a store, resolved."""

    path: str
    """As the change names it."""
    entry: Path
    """Where the name lies: its folder resolved, itself not."""
    target: Path
    """The file behind it: `entry` itself, or where the link leads, inside or out."""
    link: str | None
    """What the link says, where `entry` is one."""
    is_inside: bool
    """False for a link that leads out of the root."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What lay at a place at one moment."""

    content: bytes
    """Of a link: the bytes of its file; empty where it leads nowhere."""
    mtime_ns: int
    mode: int
    uid: int
    gid: int
    inode: tuple[int, int]
    """Device and number, of the file and not of a link to it."""
    link: str | None = None
    link_mtime_ns: int | None = None
    """Of the link itself."""


def real_root(folder: Path) -> Path:
    """`folder` with its links resolved; it need not exist."""
    return Path(os.path.realpath(folder))


def is_index(path: str) -> bool:
    """Whether `path` is an index, of the store or of one of its folders."""
    return path.rpartition("/")[2] == INDEX_NAME


def state_root(state_dir: Path, store: Store, name: str) -> Path:
    """The folder of the store's state file `name` (spec section 1), resolved."""
    is_agents = store.agent == "qwen" and store.scope == "project" and name not in OWN_STATES
    if is_agents and store.state_dir is not None:
        return real_root(store.state_dir)
    return real_root(store_dir(state_dir, store))


def locate(root: Path, path: str) -> Place:
    """The place of `path`, relative and with `/`, in `root`, a resolved folder.

    Raises ReadOnlyError where it is no path of a file inside `root`, or a link among its folders
    leads out.
    """
    shown = printable(path)
    parts = path.split("/")
    if "\0" in path or not all(parts) or {".", ".."} & set(parts) or len(parts) > _MAX_DEPTH:
        raise ReadOnlyError(f"“{shown!r}” is no path of a file in a store; nothing was written.")
    if os.name == "nt" and ("\\" in path or ":" in path):
        raise ReadOnlyError(f"“{shown}” is no path of a file in a store; nothing was written.")
    folder = Path(os.path.realpath(root.joinpath(*parts[:-1])))
    if not folder.is_relative_to(root):
        raise ReadOnlyError(
            f"{shown} lies behind a link that leads out of the store, to {folder}; "
            "memtui writes inside a store only."
        )
    entry = folder / parts[-1]
    try:
        link = os.fspath(entry.readlink())
    except OSError:
        return Place(path, entry, entry, None, is_inside=True)
    target = Path(os.path.realpath(entry))
    return Place(path, entry, target, link, target.is_relative_to(root) and target != root)


def look(place: Place) -> Seen | None:
    """What is there now; None where there is nothing.

    Raises ReadOnlyError where it is something else than a file or a link, or larger than any file
    that is read; OSError where it cannot be read.
    """
    link, link_mtime_ns = place.link, None
    try:
        own = place.entry.lstat()
        if stat.S_ISLNK(own.st_mode) != (link is not None):
            raise ReadOnlyError(f"{printable(place.path)} was just replaced; try again.")
        status = own
        if link is not None:
            link_mtime_ns = own.st_mtime_ns
            status = place.entry.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ReadOnlyError(f"{printable(place.path)} is no regular file; it is left alone.")
        if status.st_size > MAX_FILE_BYTES:
            raise ReadOnlyError(
                f"{printable(place.path)} has more than {MAX_FILE_BYTES // 1_000_000} MB; "
                "no memory is that large, so it is left alone."
            )
        content = read_file(os.fspath(place.target), status.st_size)
    except (FileNotFoundError, NotADirectoryError):
        if link is None or link_mtime_ns is None:
            return None
        return _seen(own, b"", link, link_mtime_ns)
    except OSError as error:
        if link is None or link_mtime_ns is None or error.errno != errno.ELOOP:
            raise
        return _seen(own, b"", link, link_mtime_ns)
    return _seen(status, content, link, link_mtime_ns)


def _seen(
    status: os.stat_result, content: bytes, link: str | None, link_mtime_ns: int | None
) -> Seen:
    return Seen(
        content=content,
        mtime_ns=status.st_mtime_ns,
        mode=stat.S_IMODE(status.st_mode),
        uid=status.st_uid,
        gid=status.st_gid,
        inode=(status.st_dev, status.st_ino),
        link=link,
        link_mtime_ns=link_mtime_ns,
    )


def same_link(one: str | None, other: str | None) -> bool:
    """Whether two texts of a link are the same, one of them perhaps made fit to print."""
    if one is None or other is None:
        return one is other
    return one == other or printable(one) == printable(other)
