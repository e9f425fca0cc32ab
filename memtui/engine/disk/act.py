"""The steps of an act: each file is checked, then staged, then takes its place.

Invariant: `check` and `stage` change no file of a store; `commit` changes one, by one rename or
link, right after its bytes were compared once more, and keeps the old one aside.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.calls import Calls
from memtui.engine.disk.files import printable
from memtui.engine.disk.journal_entry import Image, JournalFile, digest_of
from memtui.engine.disk.places import Place, Seen, locate, look, same_link
from memtui.engine.disk.replace import keep_aside, put_new, temporary_name, write_new
from memtui.engine.errors import ConflictError, ReadOnlyError, RefusedError
from memtui.engine.types import INDEX_NAME, FileChange

Owner = tuple[int, int]


@dataclass(slots=True)
class Step:
    """One file of an act, on its way."""

    change: FileChange
    root: Path
    place: Place
    seen: Seen | None
    """What was there when it was checked."""
    target: Path
    """The name that changes: behind a link the file itself, else the entry."""
    temporary: Path
    aside: Path
    owner: Owner | None
    """Of a file that comes back; None: as a new file gets it."""
    is_begun: bool = False
    is_done: bool = False

    @property
    def is_link(self) -> bool:
        """True where a link itself comes or goes."""
        if self.change.before is None:
            return self.change.link is not None
        return self.change.after is None and self.place.link is not None


def check(
    root: Path, changes: Iterable[FileChange], owners: Mapping[str, Owner] | None = None
) -> tuple[list[Step], list[str]]:
    """The steps for `changes` in `root`, a resolved folder, and the paths that are not as planned.

    A change that leaves the bytes as they are makes no step. `owners` gives the owner of files that
    come back.

    Raises ReadOnlyError where a path or a link leads out, RefusedError where two changes are about
    one file, OSError where a file cannot be read.
    """
    steps: list[Step] = []
    differing: list[str] = []
    named: dict[Path, str] = {}
    for change in changes:
        if change.before == change.after:
            continue
        place = locate(root, change.path)
        is_edit = change.before is not None and change.after is not None
        if is_edit and not place.is_inside:
            raise ReadOnlyError(
                f"{printable(change.path)} is a link to {place.target}, outside the store: "
                "it is read, never written. Edit that file itself."
            )
        target = place.target if is_edit else place.entry
        if target in named:
            raise RefusedError(
                f"{printable(named[target])} and {printable(change.path)} are one file; "
                "change it by one of its names."
            )
        named[target] = change.path
        seen = look(place)
        if not _is_as_planned(change, seen):
            differing.append(change.path)
        aside, temporary = (target.with_name(temporary_name()) for _ in range(2))
        owner = (owners or {}).get(change.path)
        steps.append(Step(change, root, place, seen, target, temporary, aside, owner))
    return steps, differing


def _is_as_planned(change: FileChange, seen: Seen | None) -> bool:
    if seen is None or change.before is None:
        return seen is None and change.before is None
    if change.after is None and change.link is not None and not same_link(change.link, seen.link):
        return False
    return seen.content == change.before


def record(step: Step, number: int, images: dict[str, bytes]) -> JournalFile:
    """What the journal keeps of `step`; adds the images that it names to `images`."""
    change, seen = step.change, step.seen
    before = after = None
    if seen is not None:
        name = f"{number:04}.before"
        images[name] = seen.content
        before = Image(
            digest=digest_of(seen.content),
            size=len(seen.content),
            mtime_ns=seen.mtime_ns,
            mode=seen.mode,
            owner=(seen.uid, seen.gid),
            link=seen.link,
            link_mtime_ns=seen.link_mtime_ns,
            stored=name,
        )
    if change.after is not None:
        stored = ""
        if change.path.rpartition("/")[2] == INDEX_NAME:
            # Agents rewrite an index all the time; its lines are reversed one by one then.
            stored = f"{number:04}.after"
            images[stored] = change.after
        after = Image(
            digest=digest_of(change.after),
            size=len(change.after),
            mtime_ns=change.mtime_ns,
            mode=change.mode,
            link=change.link if change.before is None else None,
            stored=stored,
        )
    return JournalFile(
        path=change.path,
        reason=change.reason,
        before=before,
        after=after,
        target=step.target.relative_to(step.root).as_posix(),
        temporary=step.temporary.name,
        aside=step.aside.name,
    )


def missing_folders(steps: Iterable[Step]) -> tuple[str, ...]:
    """The folders that `stage` will need made, relative to the root, the upper first."""
    found: dict[str, None] = {}
    for step in steps:
        folder = step.target.parent
        missing = []
        while folder.is_relative_to(step.root) and not folder.is_dir():
            missing.append(folder.relative_to(step.root).as_posix())
            folder = folder.parent
        found.update(dict.fromkeys(reversed(missing)))
    return tuple(found)


def stage(calls: Calls, step: Step) -> None:
    """Write the new bytes under the temporary name. Raises OSError; then there is no such file."""
    change, seen = step.change, step.seen
    if change.after is None:
        return
    if step.is_link and change.link is not None:
        calls.symlink(change.link, step.temporary)
        if change.mtime_ns is not None:
            calls.utime(step.temporary, change.mtime_ns)
        return
    write_new(
        calls,
        step.temporary,
        change.after,
        mode=change.mode if seen is None else seen.mode,
        owner=step.owner if seen is None else (seen.uid, seen.gid),
        mtime_ns=change.mtime_ns,
    )


def commit(calls: Calls, step: Step) -> None:
    """Let the file take its place, or go aside.

    Raises ConflictError where it is not as it was checked any more, OSError. Then `is_begun` says
    whether anything may have changed.
    """
    try:
        place = locate(step.root, step.change.path)
    except ReadOnlyError:
        raise _moved(step) from None
    if place != step.place:
        raise _moved(step)
    step.is_begun = True
    if step.change.before is None:
        try:
            put_new(calls, step.temporary, step.target)
        except FileExistsError:
            raise _moved(step) from None
    elif step.change.after is None:
        _remove(calls, step)
    else:
        _edit(calls, step, step.change.before)
    step.is_done = True


def _edit(calls: Calls, step: Step, before: bytes) -> None:
    try:
        is_kept = keep_aside(calls, step.target, step.aside)
        now = look(step.place)
    except (FileNotFoundError, ReadOnlyError):
        raise _moved(step) from None
    if now is None or now.content != before:
        raise _moved(step)
    if is_kept and not _is_same(step.aside, now):
        raise _moved(step)
    calls.replace(step.temporary, step.target)
    step.is_done = True
    if is_kept and _content(step.aside) != before:
        # Somebody wrote into the old file between the look and the rename: it goes back.
        raise _moved(step)


def _remove(calls: Calls, step: Step) -> None:
    try:
        calls.rename(step.target, step.aside)
    except (FileNotFoundError, NotADirectoryError):
        raise _moved(step) from None
    step.is_done = True
    if step.seen is not None and step.seen.link is not None:
        is_ours = step.aside.is_symlink() and os.fspath(step.aside.readlink()) == step.seen.link
    else:
        is_ours = not step.aside.is_symlink() and _content(step.aside) == step.change.before
    if not is_ours:
        raise _moved(step)


def _is_same(path: Path, seen: Seen) -> bool:
    status = path.stat()
    return (status.st_dev, status.st_ino) == seen.inode


def _content(path: Path) -> bytes | None:
    seen = look(Place(path.name, path, path, None, is_inside=True))
    return None if seen is None else seen.content


def _moved(step: Step) -> ConflictError:
    return conflict([step.change.path])


def conflict(paths: Iterable[str]) -> ConflictError:
    """The error that names the files that are not as they were planned on."""
    found = tuple(dict.fromkeys(paths))
    shown = [printable(path) for path in found[:3]]
    more = len(found) - len(shown)
    names = ", ".join(shown) + (f" and {more} more" if more else "")
    return ConflictError(
        f"{names} changed since this was planned, so nothing was written: "
        "look at what is there now, then do it again.",
        found,
    )
