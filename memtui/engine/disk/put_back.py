"""Putting one file of an act back, from what the journal says alone.

Invariant: a file changes only where its bytes are the act's own; everything else is left and told.
Doing it twice does no harm, so it serves a call that failed as well as the start after a crash.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtui.engine.disk.calls import Calls
from memtui.engine.disk.files import printable, read_file
from memtui.engine.disk.journal_entry import Image, JournalFile, Left, digest_of
from memtui.engine.disk.replace import (
    make_folders,
    put_new,
    remove_if_there,
    write_new,
)

Images = Callable[[str], bytes]
"""From `Image.stored` to the bytes."""


@dataclass(frozen=True, slots=True)
class _Now:
    """What lies at a name."""

    kind: Literal["none", "file", "link", "other"]
    text: str = ""
    """The digest of a file, the text of a link."""
    inode: tuple[int, int] | None = None

    def matches(self, image: Image) -> bool:
        if image.link is not None and self.kind == "link":
            return self.text == image.link
        return self.kind == "file" and self.text == image.digest


_NOTHING = _Now("none")


def put_back(
    calls: Calls, root: Path, file: JournalFile, images: Images, *, was_done: bool = True
) -> tuple[bool, Left | None]:
    """Undo `file` of an act in `root`; gives whether anything was put back, and what was left.

    `was_done` False: this process knows that it had not come to the file, so that a file which
    is missing or foreign there is nobody's concern. Raises OSError; then it can be done again.
    """
    target = root / file.target
    parent = Path(os.path.realpath(target.parent))
    if parent != target.parent or not parent.is_relative_to(root):
        return False, Left(file.path, "Its folder has become a link.") if was_done else None
    aside, temporary = target.with_name(file.aside), target.with_name(file.temporary)
    act = _Reversal(calls, file, images, target, aside, temporary, was_done)
    has_changed, left = {
        "added": act.added,
        "changed": act.changed,
        "removed": act.removed,
    }[file.kind]()
    remove_if_there(calls, temporary)
    return has_changed, left


def remove_traces(calls: Calls, root: Path, file: JournalFile) -> None:
    """Remove the temporary files of an act that is closed. Raises OSError."""
    for name in (file.temporary, file.aside):
        with suppress(NotADirectoryError):
            remove_if_there(calls, (root / file.target).with_name(name))


def remove_folders(calls: Calls, root: Path, folders: Iterable[str]) -> None:
    """Remove those of `folders`, given the upper first, that are empty now."""
    for folder in reversed(tuple(folders)):
        # A folder that is not empty, or cannot go, is not in the way.
        with suppress(OSError):
            calls.rmdir(root / folder)


@dataclass(frozen=True, slots=True)
class _Reversal:
    calls: Calls
    file: JournalFile
    images: Images
    target: Path
    aside: Path
    temporary: Path
    was_done: bool

    def added(self) -> tuple[bool, Left | None]:
        after = self.file.after
        assert after is not None
        now, kept = _now(self.target), _now(self.aside)
        if now.kind == "none":
            if kept.matches(after):
                self.calls.unlink(self.aside)  # an earlier attempt ended between its two steps
                return True, None
            if kept.kind != "none":
                put_new(self.calls, self.aside, self.target, is_return=True)
            return False, None
        if not (self.was_done or _now(self.temporary).inode == now.inode):
            return False, None
        if now.matches(after):
            self.calls.rename(self.target, self.aside)
            if _now(self.aside).matches(after):
                self.calls.unlink(self.aside)
                return True, None
            put_new(self.calls, self.aside, self.target, is_return=True)
        return False, self._left("It was changed after memtui had made it.")

    def changed(self) -> tuple[bool, Left | None]:
        before, after = self.file.before, self.file.after
        assert before is not None
        assert after is not None
        now, kept = _now(self.target), _now(self.aside)
        is_kept = kept.kind != "none"
        is_original = is_kept and kept.inode == now.inode
        if now.matches(after) and not is_original and (is_kept or self.was_done):
            if is_kept:
                self.calls.replace(self.aside, self.target)
            else:
                self._rewrite(before)
                self.calls.replace(self.temporary, self.target)
            return True, None
        left = None
        is_before = is_original or (now.kind == "file" and now.text == before.digest)
        if self.was_done and not is_before:
            is_gone = now.kind == "none"
            left = self._left("It is gone." if is_gone else "It was changed after memtui had.")
        if is_original or kept.text == before.digest:
            remove_if_there(self.calls, self.aside)
        return False, left

    def removed(self) -> tuple[bool, Left | None]:
        before = self.file.before
        assert before is not None
        now, kept = _now(self.target), _now(self.aside)
        if now.kind == "none":
            if kept.kind != "none":
                put_new(self.calls, self.aside, self.target, is_return=True)
            elif self.was_done:
                make_folders(self.calls, self.target.parent, [])
                self._rewrite(before)
                put_new(self.calls, self.temporary, self.target)
            else:
                return False, None
            return True, None
        left = None
        is_original = kept.inode == now.inode
        if not (is_original or now.matches(before)) and (self.was_done or kept.kind != "none"):
            left = self._left("Another file has taken its name.")
        if is_original or kept.matches(before):
            remove_if_there(self.calls, self.aside)
        return False, left

    def _rewrite(self, before: Image) -> None:
        """The old file under the temporary name."""
        remove_if_there(self.calls, self.temporary)
        if before.link is not None and self.file.kind == "removed":
            self.calls.symlink(before.link, self.temporary)
            if before.link_mtime_ns is not None:
                self.calls.utime(self.temporary, before.link_mtime_ns)
            return
        write_new(
            self.calls,
            self.temporary,
            self.images(before.stored),
            mode=before.mode,
            owner=before.owner if may_give_away() else None,
            mtime_ns=before.mtime_ns,
        )

    def _left(self, reason: str) -> Left:
        return Left(printable(self.file.path), reason)


def may_give_away() -> bool:
    """Whether this process may give a file to another user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _now(path: Path) -> _Now:
    try:
        status = path.lstat()
        inode = (status.st_dev, status.st_ino)
        if stat.S_ISLNK(status.st_mode):
            return _Now("link", os.fspath(path.readlink()), inode)
        if not stat.S_ISREG(status.st_mode):
            return _Now("other", "", inode)
        return _Now("file", digest_of(read_file(os.fspath(path), status.st_size)), inode)
    except (FileNotFoundError, NotADirectoryError):
        return _NOTHING
