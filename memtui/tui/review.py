"""A change set made ready for its review: files, what follows, counts.

Invariant: pure values; the planner decides what changes, this module only tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from memtui.engine.disk.undo import UndoPlan
from memtui.engine.plans.diff import FileDiff, diff_of
from memtui.engine.plans.forget import ForgetPlan
from memtui.engine.types import ChangeKind, ChangeSet, FileChange
from memtui.engine.workspace import Workspace
from memtui.tui.format import plural
from memtui.tui.messages import Place
from memtui.tui.safe_text import safe_line, scoped

_SIGNS: dict[ChangeKind, str] = {"added": "A", "changed": "M", "removed": "D"}


@dataclass(frozen=True)
class ReviewFile:
    """One file of the review."""

    key: Place
    diff: FileDiff
    reason: str
    note: str = ""
    """What becomes of it in a few words: `4 entries → 3`."""

    @property
    def sign(self) -> str:
        """`A`, `M` or `D`."""
        return _SIGNS[self.diff.kind]

    def without_change(self) -> ReviewFile:
        """The same file where nothing that is accepted changes it."""
        diff = replace(self.diff, hunks=(), added=0, removed=0, note="")
        return ReviewFile(self.key, diff, "stays as it is", "stays as it is")

    @property
    def label(self) -> str:
        """The path, with the scope before it unless it is the project's; safe to draw."""
        return scoped(*self.key)


@dataclass(frozen=True)
class EffectLine:
    """One line of what follows; a sign `!` asks for attention."""

    text: str
    end: str = ""
    sign: str = ""


@dataclass(frozen=True)
class EffectSection:
    """What follows in one respect."""

    title: str
    end: str
    lines: tuple[EffectLine, ...]


@dataclass(frozen=True)
class Review:
    """Everything that the review screen shows of a plan."""

    operation: str
    change_sets: tuple[ChangeSet, ...]
    files: tuple[ReviewFile, ...]
    effects: tuple[EffectSection, ...]
    counts: tuple[tuple[int, str], ...] = ()
    """For the summary row: `(1, "file goes")`."""
    warnings: tuple[tuple[int, str], ...] = ()

    @property
    def added(self) -> int:
        """Lines that come in all files."""
        return sum(file.diff.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines that go in all files."""
        return sum(file.diff.removed for file in self.files)


Check = Callable[[], None]
"""Called between files by what takes long; raises StoppedError where nobody waits any more."""

Replan = Callable[[frozenset[Place], Check], Review]
"""The plan without the files that were rejected; runs in a worker, one at a time."""


def go_on() -> None:
    """Never stops."""


class Diffs:
    """Makes diffs, and keeps them: most of a plan is as it was before one file was rejected."""

    def __init__(self) -> None:
        self._known: dict[Place, tuple[FileChange, FileDiff]] = {}

    def keep(self, change_sets: Iterable[ChangeSet], files: Iterable[ReviewFile]) -> None:
        """Take over the `files` of some change sets, that `files_of` made."""
        for (key, change), file in zip(_changes(change_sets), files, strict=True):
            self._known[key] = (change, file.diff)

    def files_of(self, change_sets: Iterable[ChangeSet], check: Check = go_on) -> list[ReviewFile]:
        """The files of some change sets, in the order of applying."""
        files = []
        for key, change in _changes(change_sets):
            check()
            known = self._known.get(key)
            if known is None or known[0] != change:
                known = self._known[key] = (change, diff_of(change))
            files.append(ReviewFile(key, known[1], safe_line(change.reason)))
        return files


def files_of(change_sets: Iterable[ChangeSet]) -> list[ReviewFile]:
    """The files of some change sets, in the order of applying."""
    return Diffs().files_of(change_sets)


def _changes(change_sets: Iterable[ChangeSet]) -> Iterator[tuple[Place, FileChange]]:
    for change_set in change_sets:
        for change in change_set.changes:
            yield (change_set.store.scope, change.path), change


def without(change_sets: Iterable[ChangeSet], rejected: frozenset[Place]) -> tuple[ChangeSet, ...]:
    """The change sets less the rejected files; empty ones go."""
    kept = (each.keeping(lambda *place: place not in rejected) for each in change_sets)
    return tuple(each for each in kept if not each.is_empty)


def forget_review(
    plan: ForgetPlan,
    workspace: Workspace,
    rejected: frozenset[Place] = frozenset(),
    diffs: Diffs | None = None,
    check: Check = go_on,
) -> Review:
    """The review of a forget; `rejected` indexes are left as they are."""
    change_sets = without(plan.change_sets, rejected)
    notes = {
        (removal.document.scope, removal.document.path): _becomes(
            removal.entries_before, len(removal.entries), is_whole=removal.is_whole_file
        )
        for removal in plan.removals
    }
    shown = (diffs or Diffs()).files_of(change_sets, check)
    files = [replace(file, note=notes.get(file.key, "")) for file in shown]
    return Review(
        "forget",
        change_sets,
        tuple(files),
        forget_effects(plan, workspace),
        counts=tuple(
            (count, words)
            for count, words in (
                (plan.entries, "entry goes" if plan.entries == 1 else "entries go"),
                (plan.files_removed, "file goes" if plan.files_removed == 1 else "files go"),
            )
            if count
        ),
        warnings=(
            (
                (
                    len(plan.broken_links),
                    "link breaks" if len(plan.broken_links) == 1 else "links break",
                ),
            )
            if plan.broken_links
            else ()
        ),
    )


def undo_review(
    plan: UndoPlan,
    rejected: frozenset[Place] = frozenset(),
    diffs: Diffs | None = None,
    check: Check = go_on,
) -> Review:
    """The review of an undo; `rejected` files stay as they are."""
    change_sets = without(plan.change_sets, rejected)
    left = tuple(
        EffectLine(f"{safe_line(each.path)}: {safe_line(each.reason)}", "", "!")
        for each in plan.left
    )
    effects = [
        EffectSection(
            f"undo of {safe_line(plan.operation)}",
            plan.id,
            (EffectLine("Files go back to what they were, with their times."),),
        )
    ]
    if left:
        effects.append(EffectSection("stays, changed since by others", f"{len(left)}", left))
    count = len(left)
    return Review(
        "undo",
        change_sets,
        tuple((diffs or Diffs()).files_of(change_sets, check)),
        tuple(effects),
        warnings=((count, "stays" if count == 1 else "stay"),) if count else (),
    )


def forget_effects(plan: ForgetPlan, workspace: Workspace) -> tuple[EffectSection, ...]:
    """What follows from a forget: index lines, links, what is refused, the store in numbers."""
    sections = []
    lines = [
        EffectLine(safe_line(line.text.strip()), f"line {line.number}")
        for edits in plan.index_edits.values()
        for edit in edits
        for line in edit.removed
    ]
    if lines:
        sections.append(EffectSection("index lines that go", f"{len(lines)}", tuple(lines)))
    links = tuple(
        EffectLine(f"{scoped(link.scope, link.path)}:{link.line} {safe_line(link.text)}", "", "!")
        for link in plan.broken_links
    )
    if links:
        sections.append(EffectSection("links that will lead nowhere", f"{len(links)}", links))
    refused = tuple(EffectLine(safe_line(refusal.reason), "", "!") for refusal in plan.refusals)
    if refused:
        sections.append(EffectSection("refused", f"{len(refused)}", refused))
    notes = tuple(EffectLine(safe_line(note), "", "!") for note in plan.notes)
    if notes:
        sections.append(EffectSection("notes", f"{len(notes)}", notes))
    before = workspace.documents
    sections.append(
        EffectSection(
            "store",
            "before → after",
            (EffectLine("files", f"{before:,} → {before - plan.files_removed:,}"),),
        )
    )
    return tuple(sections)


def _becomes(before: int, gone: int, *, is_whole: bool) -> str:
    if is_whole:
        return "whole file"
    return f"{plural(before, 'entry', 'entries')} → {before - gone}"
