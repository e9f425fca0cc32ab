"""Tidies a store by rules: equal entries become one, lists get an order (spec section 9).

Invariant: a plan loses nothing (`dream_check`), touches neither what is pinned nor a symbolic link,
and is the whole of what there is to do: planned again after it was applied, there is nothing.

Rules chosen here:

- An earlier file is one whose path sorts before; the first entry of a summary stays. But what an
  agent sees is not merged into a file that it skips.
- A list is sorted as it is after the merges.
- Links to a file that goes are told, not changed, as in a forget.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from memtui.engine.format.entries import entries_of
from memtui.engine.plans.broken_links import broken_links
from memtui.engine.plans.dream_files import Files, Pair, WorkFile
from memtui.engine.plans.dream_pairs import Pairing, connected
from memtui.engine.plans.dream_parts import decode
from memtui.engine.plans.dream_values import DreamPlan, Merge, Sort, Unmerged, UnsafeMergeError
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.plans.merging import Merged
from memtui.engine.plans.reindex import edit_index, edit_nested
from memtui.engine.plans.sorting import may_sort, order_of
from memtui.engine.text import fold, proposal_digest
from memtui.engine.types import (
    MEMORY_TYPES,
    ChangeSet,
    Entry,
    FileChange,
    Proposal,
    Snapshot,
    Span,
    TopicDocument,
)

OPERATION = "dream"
SORT_REASON = "by summary, no numbered steps"
_BOTH = {"why": "both reasons kept", "how_to_apply": "both ways to apply kept"}
_ADDED = {"why": "its reason kept", "how_to_apply": "its way to apply kept"}
_MAX_ROUNDS = 8
"""A file whose form changes may be merged further; two rounds nearly always do."""


def plan_dream(
    snapshot: Snapshot,
    *,
    unseen: Collection[str] = (),
    now_ns: int,
    rejected: Collection[str] = (),
    without: Collection[str] = (),
    check: Callable[[], None] | None = None,
) -> DreamPlan:
    """What a dream makes of a store.

    `unseen` are paths that the store's agent skips, `now_ns` is the time that changed files get,
    in nanoseconds since the epoch. A proposal whose digest is in `rejected` is not made; none
    touches a path of `without`. `check` is called between files; what it raises ends the planning.
    """
    planner = _Planner(snapshot, frozenset(unseen), now_ns, frozenset(rejected), without)
    planner.run(check or _nothing)
    return planner.result()


def _nothing() -> None:
    return None


def untouchable(document: TopicDocument) -> str:
    """One sentence where no dream may write a file; empty where it may."""
    if document.link is not None:
        return f"{document.path} is a symbolic link and stays as it is."
    if document.encoding != "utf-8":
        return f"{document.path} is not UTF-8 and stays as it is; convert it first."
    return ""


@dataclass(slots=True)
class _Planner:
    """Goes over the files of one store, in the order of their paths."""

    snapshot: Snapshot
    unseen: frozenset[str]
    now_ns: int
    rejected: frozenset[str]
    without: Collection[str]
    merges: list[Merge] = field(default_factory=list)
    sorts: list[Sort] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    held_back: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    files: Files = field(init=False)
    pairing: Pairing = field(init=False)
    origins: dict[str, tuple[TopicDocument, Entry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = Files(self.snapshot, self.now_ns)
        self.pairing = Pairing(self.files, self.unseen, self._is_held_back)

    def run(self, check: Callable[[], None]) -> None:
        """Merge until there is nothing more to merge, then sort."""
        if self.snapshot.state != "ok":
            return
        for document in sorted(self.snapshot.documents, key=lambda each: each.path):
            if document.is_pinned or document.path in self.without:
                continue
            why_not = untouchable(document)
            if why_not:
                self.refused.append(why_not)
                continue
            self.files.add(document)
        for _ in range(_MAX_ROUNDS):
            before = len(self.merges)
            self._merge_all(check)
            if len(self.merges) == before or not self.pairing.failed:
                break
        for file in self.files.by_path.values():
            check()
            if len(file.ids) > 1:
                self._sort(file)

    def result(self) -> DreamPlan:
        """The plan, index edits and all."""
        changed = self.files.changed()
        gone = frozenset(file.origin.path for file in changed if not file.ids)
        written = [file.document for file in changed if file.ids]
        edits: tuple[IndexEdit, ...] = ()
        if changed:
            own = edit_index(self.snapshot, removed=gone, written=written, unseen=self.unseen)
            edits = (*edit_nested(self.snapshot, removed=gone), own)
        changes = [_change(file) for file in changed if file.ids]
        changes += [_change(file) for file in changed if not file.ids]
        changes += [edit.change for edit in edits if edit.change is not None]
        types = {file.origin.type for file in changed}
        change_set = ChangeSet(
            self.snapshot.store,
            OPERATION,
            tuple(changes),
            proposals=tuple(self.proposals),
            details={"deduped_entries": len(self.merges)},
            together=tuple(each.paths for each in self.proposals if len(each.paths) > 1),
        )
        return DreamPlan(
            change_set,
            tuple(self.merges),
            tuple(self.sorts),
            tuple(each for each in MEMORY_TYPES if each in types),
            sum(document.is_pinned for document in self.snapshot.documents),
            len(self.held_back),
            self._unmerged(),
            tuple(self.refused),
            broken_links(self.snapshot, gone, self._cut(), edits),
            edits,
            tuple(dict.fromkeys(note for edit in edits for note in edit.notes)),
        )

    def _unmerged(self) -> tuple[Unmerged, ...]:
        """The entries of one summary that stay apart, each once."""
        told: dict[str, Unmerged] = {}
        for pair, reason in self.pairing.failed.items():
            told.setdefault(pair.gone_id, Unmerged(pair.kept_id, pair.gone_id, reason))
        for (kept_id, other_id), reason in self.pairing.differing.items():
            told.setdefault(other_id, Unmerged(kept_id, other_id, reason))
        return tuple(told.values())

    def _cut(self) -> dict[str, list[Span]]:
        """By path, where the entries lie that go."""
        cut: dict[str, list[Span]] = {}
        for merge in self.merges:
            _, entry = self._origin(merge.path, merge.gone_id)
            cut.setdefault(merge.path, []).append(entry.span)
        return cut

    def _merge_all(self, check: Callable[[], None]) -> None:
        """Merge until all that is left was tried and refused."""
        self.pairing.forget()
        progress = -1
        while progress != (progress := len(self.merges) + len(self.pairing.failed)):
            for file in self.files.by_path.values():
                check()
                if len(file.ids) > 1:
                    self._apply(self.pairing.in_file(file), check)
            for pairs in connected(self.pairing.across()):
                self._apply(pairs, check)

    def _apply(self, pairs: Sequence[Pair], check: Callable[[], None]) -> None:
        """Merge as many of the pairs as can be, all at once where possible."""
        if not pairs:
            return
        check()
        try:
            results = self.files.merge(pairs)
        except UnsafeMergeError as refusal:
            unsafe = self.files.unsafe(pairs) if len(pairs) > 1 else {pairs[0]: str(refusal)}
            self.pairing.failed.update(unsafe)
            safe = [pair for pair in pairs if pair not in unsafe]
            middle = 0 if unsafe else len(safe) // 2
            self._apply(safe[:middle], check)
            self._apply(safe[middle:], check)
            return
        for pair, merged in zip(pairs, results, strict=True):
            self._record(pair, merged)

    def _record(self, pair: Pair, merged: Merged) -> None:
        kept, gone = self.files.by_path[pair.kept_path], self.files.by_path[pair.gone_path]
        reason = _reason(merged, is_emptied=not gone.ids)
        digest = self._digest(pair)
        self.merges.append(
            Merge(
                "across" if pair.is_across else "in-file",
                pair.gone_path,
                pair.kept_id,
                pair.gone_id,
                pair.kept_path,
                reason,
                kept.origin.type,
                digest,
            )
        )
        paths = [pair.gone_path]
        if merged.is_changed:
            paths = list(dict.fromkeys((pair.kept_path, pair.gone_path)))
            kept.reasons[_reason(merged, is_emptied=False)] = None
        self.proposals.append(Proposal(digest, tuple(paths)))
        gone.reasons[reason] = None

    def _sort(self, file: WorkFile) -> None:
        entries = entries_of(file.document)
        order = order_of(entries)
        if order == list(range(len(order))) or not may_sort(file.document):
            return
        path = file.origin.path
        summaries = dict.fromkeys(fold(entry.summary) for entry in entries_of(file.origin))
        digest = proposal_digest("sort", path, *summaries)
        if digest in self.rejected:
            self.held_back.add(digest)
            return
        if self.files.reorder(file, [file.ids[place] for place in order]):
            self.sorts.append(Sort(path, len(order), SORT_REASON, file.origin.type, digest))
            self.proposals.append(Proposal(digest, (path,)))
            file.reasons[SORT_REASON] = None

    def _origin(self, path: str, entry_id: str) -> tuple[TopicDocument, Entry]:
        """An entry as it is in the snapshot."""
        if entry_id not in self.origins:
            document = self.files.by_path[path].origin
            for entry in entries_of(document):
                self.origins[entry.id] = (document, entry)
        return self.origins[entry_id]

    def _digest(self, pair: Pair) -> str:
        texts = []
        for path, entry_id in ((pair.kept_path, pair.kept_id), (pair.gone_path, pair.gone_id)):
            document, entry = self._origin(path, entry_id)
            texts.append(decode(entry.span.of(document.source)))
        return proposal_digest(self.files.by_path[pair.kept_path].origin.type, *texts)

    def _is_held_back(self, pair: Pair) -> bool:
        if not self.rejected:
            return False
        digest = self._digest(pair)
        if digest in self.rejected:
            self.held_back.add(digest)
            return True
        return False


def _reason(merged: Merged, *, is_emptied: bool) -> str:
    """Why an entry goes, as one short phrase."""
    said = [_BOTH[name] for name in dict.fromkeys(merged.both)]
    said += [_ADDED[name] for name in merged.added]
    if merged.has_text:
        said.append("its text kept")
    if is_emptied:
        if merged.has_also:
            said.append("its name stays as “Also: …”")
        return "; ".join(("left empty, goes", *said))
    if merged.has_also:
        said.append("its name kept as “Also: …”")
    return ", ".join(("same summary", *(said or ["written twice"])))


def _change(file: WorkFile) -> FileChange:
    after = file.document.raw if file.ids else None
    return FileChange(file.origin.path, file.origin.raw, after, "; ".join(file.reasons))
