"""From a plan to its review and on to the writer: what several screens do alike.

Invariant: every act goes through the review screen; a stale lock is asked about, never assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from textual.app import App
from textual.notifications import SeverityLevel

from memtui.engine.disk.store import Applied
from memtui.engine.errors import MemtuiError
from memtui.engine.manager import MemoryManager
from memtui.engine.types import ChangeSet, Entry
from memtui.tui.format import plural
from memtui.tui.lookup import Lookup
from memtui.tui.messages import Place
from memtui.tui.review import Review, forget_review, undo_review
from memtui.tui.screens.review import ReviewScreen
from memtui.tui.themes import Palette

if TYPE_CHECKING:
    from memtui.tui.dream_plan import PlanView
    from memtui.tui.extract_found import Found, Proposed

Done = Callable[[Applied | None], None]

_TOLD_REASONS = 3


class Opener(Protocol):
    """The screen that an act starts from."""

    palette: Palette
    note: str

    @property
    def app(self) -> App[object]:
        """The app."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a toast."""


def review_forget(
    screen: Opener,
    manager: MemoryManager,
    lookup: Lookup,
    entries: Sequence[Entry],
    done: Done,
) -> None:
    """Open the review of forgetting `entries`; `done` is told what was applied."""
    workspace = lookup.workspace

    def kept(rejected: frozenset[Place]) -> list[Entry]:
        return [entry for entry in entries if (entry.scope, entry.path) not in rejected]

    def plan(rejected: frozenset[Place]) -> Review:
        planned = manager.plan_forget(workspace, kept(rejected))
        return forget_review(planned, workspace, rejected)

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        return manager.forget(kept(rejected), change_sets, break_stale=break_stale)

    _open(screen, manager, lookup, plan, apply, done)


def review_undo(
    screen: Opener, manager: MemoryManager, lookup: Lookup, act_id: str | None, done: Done
) -> None:
    """Open the review of undoing an act, None: the newest; `done` is told what was applied."""
    try:
        undo = manager.plan_undo(lookup.workspace, act_id)
    except MemtuiError as error:
        screen.notify(str(error), timeout=8)
        return

    def plan(rejected: frozenset[Place]) -> Review:
        return undo_review(undo, rejected)

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        return manager.apply_undo(lookup.workspace, undo.id, change_sets, break_stale=break_stale)

    if undo.change_sets:
        _open(screen, manager, lookup, plan, apply, done)
    else:
        said = [f"{left.path}: {left.reason}" for left in undo.left[:_TOLD_REASONS]]
        if more := len(undo.left) - len(said):
            said.append(f"And {more:,} more.")
        sentence = " ".join(["Nothing of this change is left to undo.", *said])
        screen.notify(sentence, severity="warning", timeout=10)


def review_extract(
    screen: Opener,
    manager: MemoryManager,
    lookup: Lookup,
    found: Found,
    chosen: Sequence[Proposed],
    done: Done,
) -> None:
    """Open the review of writing the `chosen` of what was `found`; `done` is told as elsewhere."""
    from memtui.engine.lifecycle.sessions import with_missing
    from memtui.tui.extract_found import SCOPE
    from memtui.tui.extract_review import extract_review, read_of

    extracting = manager.live.extracting
    store = found.store.store if found.store is not None else None
    paths = {item.patch.path: item for item in chosen}

    def kept(rejected: frozenset[Place]) -> list[Proposed]:
        return [item for item in chosen if (SCOPE, item.patch.path) not in rejected]

    def plan(rejected: frozenset[Place]) -> Review:
        items = kept(rejected)
        change_set = None
        if items:
            change_set = extracting.change_set(
                lookup.workspace,
                SCOPE,
                [item.patch for item in items],
                read_of(found, items),
            )
        return extract_review(
            change_set, found, lookup.workspace, taken=len(items), rejected=rejected
        )

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        items = kept(rejected)
        stays = [path for _, path in rejected if path not in paths]
        keys = [item.key for item in items]
        if found.plan is None:
            return manager.live.accept(
                with_missing(lookup.workspace, SCOPE),
                keys,
                paths={item.key: item.patch.path for item in items},
                without=stays,
                break_stale=break_stale,
            )
        return extracting.apply(
            [item.patch for item in items],
            read_of(found, items),
            scope=SCOPE,
            proposed=keys,
            without=stays,
            store=store,
            break_stale=break_stale,
        )

    _open(screen, manager, lookup, plan, apply, done)


def review_dream(
    screen: Opener, manager: MemoryManager, lookup: Lookup, planned: PlanView, done: Done
) -> None:
    """Open the review of a `planned` dream; `done` is told what was applied."""
    from memtui.tui.dream_review import dream_review

    live, workspace = manager.live, lookup.workspace
    scope = planned.plan.change_set.store.scope
    documents = 0 if (snapshot := workspace.of(scope)) is None else len(snapshot.documents)

    def paths(rejected: frozenset[Place]) -> list[str]:
        return [path for _, path in rejected]

    def plan(rejected: frozenset[Place]) -> Review:
        if not rejected:
            return dream_review(planned.plan, documents, files=planned.files)
        found = live.dreaming.plan(workspace, scope, without=paths(rejected))
        return dream_review(found, documents, rejected)

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        dreamed = live.dreaming.run(
            scope,
            trigger="manual",
            session=live.followed,
            without=paths(rejected),
            reviewed=change_sets,
            break_stale=break_stale,
        )
        return dreamed.applied

    _open(screen, manager, lookup, plan, apply, done)


def acted_sentence(applied: Applied) -> str:
    """What was done, for a toast: `forget: 3 files changed, 1 removed. u undoes it.`"""
    files = [file for entry in applied.entries for file in entry.files]
    counts = Counter(file.kind for file in files)
    parts = [f"{count} {kind}" for kind, count in sorted(counts.items())]
    what = f"{plural(len(files), 'file')}: {', '.join(parts)}"
    entry = applied.entries[0]
    again = "u undoes it" if entry.undoes is None else "the log has it"
    return f"{entry.operation}, {what} · {again}"


def _open(
    screen: Opener,
    manager: MemoryManager,
    lookup: Lookup,
    plan: Callable[[frozenset[Place]], Review],
    apply: Callable[[Sequence[ChangeSet], frozenset[Place], bool], Applied],
    done: Done,
) -> None:
    try:
        review = plan(frozenset())
    except MemtuiError as error:
        screen.notify(str(error), severity="error", timeout=10)
        return
    if not review.change_sets:
        reasons = [line.text for section in review.effects for line in section.lines if line.sign]
        screen.notify(" ".join(reasons) or "Nothing would change.", severity="warning", timeout=10)
        return

    def stale_lock() -> str:
        states = manager.lock_states(lookup.workspace).values()
        return next((state.sentence for state in states if state.state == "stale"), "")

    screen.app.clear_notifications()
    header = replace(lookup.header(screen.note), crumbs=(review.operation, "review"))
    screen.app.push_screen(
        ReviewScreen(
            screen.palette, header, review, replan=plan, apply=apply, stale_lock=stale_lock
        ),
        done,
    )
