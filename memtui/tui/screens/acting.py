"""From a plan to its review and on to the writer: what several screens do alike.

Invariant: every act goes through the review screen; a stale lock is asked about, never assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Protocol

from textual.app import App
from textual.notifications import SeverityLevel

from memtui.engine.disk.store import Applied
from memtui.engine.manager import MemoryManager
from memtui.engine.types import ChangeSet, Entry
from memtui.tui.format import plural
from memtui.tui.lookup import Lookup
from memtui.tui.messages import Place
from memtui.tui.review import Check, Diffs, Replan, Review, ReviewFile, forget_review, undo_review
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.review import Apply, ReviewScreen
from memtui.tui.screens.review_panes import Tell
from memtui.tui.themes import Palette

if TYPE_CHECKING:
    from memtui.engine.disk.undo import UndoPlan
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


@dataclass(frozen=True)
class _Act:
    """What is reviewed: its verb, how it is planned and how applied."""

    operation: str
    plan: Replan
    apply: Apply
    first_files: Sequence[ReviewFile] = ()
    """Shown until the first plan is there."""


def review_forget(
    screen: Opener,
    manager: MemoryManager,
    lookup: Lookup,
    entries: Sequence[Entry],
    done: Done,
) -> None:
    """Open the review of forgetting `entries`; `done` is told what was applied."""
    workspace, diffs = lookup.workspace, Diffs()

    def kept(rejected: frozenset[Place]) -> list[Entry]:
        return [entry for entry in entries if (entry.scope, entry.path) not in rejected]

    def plan(rejected: frozenset[Place], check: Check) -> Review:
        planned = manager.plan_forget(workspace, kept(rejected))
        check()
        return forget_review(planned, workspace, rejected, diffs, check)

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        return manager.forget(kept(rejected), change_sets, break_stale=break_stale)

    _open(screen, manager, lookup, _Act("forget", plan, apply), done)


def review_undo(
    screen: Opener, manager: MemoryManager, lookup: Lookup, act_id: str | None, done: Done
) -> None:
    """Open the review of undoing an act, None: the newest; `done` is told what was applied."""
    diffs = Diffs()

    @cache
    def undo() -> UndoPlan:
        return manager.plan_undo(lookup.workspace, act_id)

    def plan(rejected: frozenset[Place], check: Check) -> Review:
        return undo_review(undo(), rejected, diffs, check)

    def apply(
        change_sets: Sequence[ChangeSet], rejected: frozenset[Place], break_stale: bool
    ) -> Applied:
        return manager.apply_undo(lookup.workspace, undo().id, change_sets, break_stale=break_stale)

    def tell(found: Review | Exception) -> None:
        if isinstance(found, Exception):
            screen.notify(safe_line(str(found)), timeout=8, markup=False)
            return
        left = undo().left
        said = [f"{each.path}: {each.reason}" for each in left[:_TOLD_REASONS]]
        if more := len(left) - len(said):
            said.append(f"And {more:,} more.")
        sentence = " ".join(["Nothing of this change is left to undo.", *said])
        screen.notify(safe_line(sentence), severity="warning", timeout=10, markup=False)

    _open(screen, manager, lookup, _Act("undo", plan, apply), done, tell)


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

    def plan(rejected: frozenset[Place], check: Check) -> Review:
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

    _open(screen, manager, lookup, _Act("extract", plan, apply), done)


def review_dream(
    screen: Opener, manager: MemoryManager, lookup: Lookup, planned: PlanView, done: Done
) -> None:
    """Open the review of a `planned` dream; `done` is told what was applied."""
    from memtui.tui.dream_review import dream_review

    live, workspace = manager.live, lookup.workspace
    scope = planned.plan.change_set.store.scope
    diffs = Diffs()
    diffs.keep((planned.plan.change_set,), planned.files)
    documents = 0 if (snapshot := workspace.of(scope)) is None else len(snapshot.documents)

    def paths(rejected: frozenset[Place]) -> list[str]:
        return [path for _, path in rejected]

    def plan(rejected: frozenset[Place], check: Check) -> Review:
        found = planned.plan
        if rejected:
            found = live.dreaming.plan(workspace, scope, without=paths(rejected), check=check)
        return dream_review(found, documents, rejected, diffs, check)

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

    _open(screen, manager, lookup, _Act("dream", plan, apply, planned.files), done)


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
    act: _Act,
    done: Done,
    tell: Tell | None = None,
) -> None:
    """Show the review; it plans, and closes itself where there is nothing to review."""

    def tell_reasons(found: Review | Exception) -> None:
        if isinstance(found, Exception):
            screen.notify(safe_line(str(found)), severity="error", timeout=10, markup=False)
            return
        reasons = [line.text for section in found.effects for line in section.lines if line.sign]
        said = " ".join(reasons) or "Nothing would change."
        screen.notify(said, severity="warning", timeout=10, markup=False)

    def stale_lock() -> str:
        states = manager.lock_states(lookup.workspace).values()
        return next((state.sentence for state in states if state.state == "stale"), "")

    screen.app.clear_notifications()
    header = replace(lookup.header(screen.note), crumbs=(act.operation, "review"))
    screen.app.push_screen(
        ReviewScreen(
            screen.palette,
            header,
            replan=act.plan,
            apply=act.apply,
            stale_lock=stale_lock,
            tell=tell or tell_reasons,
            first_files=act.first_files,
        ),
        done,
    )
