"""Which lines of an index are about which files, and what becomes of an index.

Invariant: a file that could not be read counts neither as there nor as gone.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from dataclasses import dataclass

from memtui.engine.format.index import Index, IndexTarget
from memtui.engine.format.index_line import CutLines
from memtui.engine.format.index_report import is_case_only
from memtui.engine.format.resolve import Resolver, spellings
from memtui.engine.types import FileChange, IndexKind, Snapshot

_UNREADABLE = ("unreadable", "too-large")
"""Problems of files that are there, though nothing is known of them."""


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of an index, and the file that it lists."""

    number: int
    """1-based, in the index as it is."""
    text: str
    path: str
    """Of the topic file."""


@dataclass(frozen=True, slots=True)
class IndexEdit:
    """What becomes of one index; `change` None where its bytes stay."""

    path: str
    kind: IndexKind
    """Of the index as it is."""
    change: FileChange | None = None
    removed: tuple[ListedLine, ...] = ()
    """The lines of files that go."""
    left_out: tuple[str, ...] = ()
    """Files that the new index cannot hold; of a hand-kept one what the agent won't load of it."""
    notes: tuple[str, ...] = ()
    """Sentences: why the index is left as it is, and what could not be done."""


def listed_lines(snapshot: Snapshot, index: Index, base: str = "") -> dict[int, str]:
    """By line number: the topic file that an entry is about, by its first link.

    A target of another case counts, and a line that the agent cut. `base` is the index's folder.
    """
    resolver = Resolver(snapshot)
    documents = {document.path for document in snapshot.documents}
    cut: CutLines | None = None
    listed: dict[int, str] = {}
    for line in index.lines:
        path: str | None = None
        target = line.target
        if target is not None:
            found = resolver.resolve(target.form, target.raw, base)
            if found.is_found or is_case_only(resolver, target, found):
                path = found.path
        elif line.kind == "cut":
            cut = cut or CutLines(snapshot.documents)
            path = cut.path_of(line)
        if path is not None and path in documents:
            listed[line.number] = path
    return listed


def lines_about(
    snapshot: Snapshot, index: Index, paths: Collection[str], base: str = ""
) -> tuple[ListedLine, ...]:
    """The lines of `index`, in the folder `base`, that list one of `paths`."""
    if not paths:
        return ()
    listed = listed_lines(snapshot, index, base)
    return tuple(
        ListedLine(number, index.lines[number - 1].text, path)
        for number, path in listed.items()
        if path in paths
    )


class Hidden:
    """Knows which targets may be files that are there but could not be read."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._paths = tuple(
            problem.path for problem in snapshot.problems if problem.rule in _UNREADABLE
        )
        self._has_folder = any(path[-3:].lower() != ".md" for path in self._paths)

    def may_hold(self, target: IndexTarget, base: str = "") -> bool:
        """True where the file of `target` may be one of those, or in such a folder."""
        if not self._paths:
            return False
        if target.form == "wiki":
            stem = target.raw.removesuffix(".md")
            names = (posixpath.basename(path).removesuffix(".md") for path in self._paths)
            return self._has_folder or stem in names
        for spelling in spellings(target.raw):
            place = posixpath.normpath(posixpath.join(base, spelling))
            for path in self._paths:
                if place in (path, path.removesuffix(".md")) or place.startswith(path + "/"):
                    return True
        return False
