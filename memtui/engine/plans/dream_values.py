"""What a plan of a dream is made of (spec section 9).

Invariant: an Entry ID in it names an entry of the snapshot that the dream was planned on, also
where an earlier merge of the same plan changes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtui.engine.plans.broken_links import BrokenLink
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.types import ChangeSet, MemoryType

MergeKind = Literal["in-file", "across"]


class UnsafeMergeError(Exception):
    """Entries that cannot become one; the text is a short phrase that says why."""


class Merge(NamedTuple):
    """One entry that goes, since another of the same summary takes what it says."""

    kind: MergeKind
    path: str
    """The file of the entry that goes."""
    kept_id: str
    gone_id: str
    into_path: str
    """The file of the entry that stays; `path` for a merge in a file."""
    reason: str
    """A short phrase for a person."""
    type: str
    """Of the kept entry's file, as it is written; in one file also one outside the four."""
    digest: str
    """See `Proposal`."""


class Sort(NamedTuple):
    """One file whose entries get into the order of their summaries."""

    path: str
    entries: int
    """How many there are, after the merges."""
    reason: str
    type: str
    digest: str


class Unmerged(NamedTuple):
    """Two entries of one summary that stay two: a suggestion of kind `same-summary`."""

    kept_id: str
    other_id: str
    reason: str
    """A short phrase: why the rule does not merge them."""


@dataclass(frozen=True, slots=True)
class DreamPlan:
    """Everything that a preview of a dream shows."""

    change_set: ChangeSet
    """Operation `dream`: topic files, then the indexes."""
    merges: tuple[Merge, ...]
    sorts: tuple[Sort, ...]
    touched_topics: tuple[MemoryType, ...]
    """The types of the files that change, in the order of `MEMORY_TYPES`."""
    pinned: int
    """How many files are left alone because they are pinned."""
    held_back: int
    """How many proposals are not made again, since they were undone or discarded."""
    unmerged: tuple[Unmerged, ...]
    refused: tuple[str, ...]
    """Sentences: files that are left alone, and why."""
    broken_links: tuple[BrokenLink, ...]
    """Links that will lead nowhere, since their file goes."""
    index_edits: tuple[IndexEdit, ...]
    notes: tuple[str, ...]
    """Sentences about what is out of the ordinary."""

    @property
    def is_empty(self) -> bool:
        """True where there is nothing to do."""
        return not self.merges and not self.sorts

    @property
    def deduped_entries(self) -> int:
        """How many entries go."""
        return len(self.merges)
