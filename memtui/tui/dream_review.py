"""A planned dream, made ready for its review.

Invariant: pure values; the planner decides what changes, this module only tells it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.types import FileChange
from memtui.tui.format import plural
from memtui.tui.messages import Place
from memtui.tui.review import (
    Check,
    Diffs,
    EffectLine,
    EffectSection,
    Review,
    go_on,
    without,
)
from memtui.tui.safe_text import safe_line, scoped

_ALSO = "Also:"


def dream_review(
    plan: DreamPlan,
    documents: int,
    rejected: frozenset[Place] = frozenset(),
    diffs: Diffs | None = None,
    check: Check = go_on,
) -> Review:
    """The review of a dream on a store of `documents` files; `rejected` ones stay as they are."""
    change_sets = without((plan.change_set,), rejected)
    notes = _notes(plan)
    shown = (diffs or Diffs()).files_of(change_sets, check)
    broken = len(plan.broken_links)
    gone = sum(change.after is None for each in change_sets for change in each.changes)
    counts = (
        (plan.deduped_entries, "entry merged" if plan.deduped_entries == 1 else "entries merged"),
        (gone, "file goes" if gone == 1 else "files go"),
    )
    return Review(
        "dream",
        change_sets,
        tuple(replace(file, note=notes.get(file.key[1], "")) for file in shown),
        dream_effects(plan, documents, rejected),
        counts=tuple((count, words) for count, words in counts if count),
        warnings=((broken, "link breaks" if broken == 1 else "links break"),) if broken else (),
    )


def dream_effects(
    plan: DreamPlan, documents: int, rejected: frozenset[Place] = frozenset()
) -> tuple[EffectSection, ...]:
    """What follows: entries that become one, what is kept of names, index lines, links, notes."""
    scope = plan.change_set.store.scope
    sections = []
    if plan.merges:
        lines = tuple(
            EffectLine(
                f"{safe_line(merge.gone_id)} → "
                f"{safe_line(_short(merge.kept_id, merge.path, merge.into_path))}"
            )
            for merge in plan.merges
        )
        sections.append(EffectSection("entries that become one", f"{len(lines)}", lines))
    also = [EffectLine(line) for change in plan.change_set.changes for line in _also(change)]
    if also:
        sections.append(EffectSection("kept of names", f"{len(also)}", tuple(also)))
    index = tuple(
        EffectLine(safe_line(line.text.strip()), f"line {line.number}")
        for edit in plan.index_edits
        if edit.change is not None and (scope, edit.path) not in rejected
        for line in edit.removed
    )
    if index:
        sections.append(EffectSection("index lines that go", f"{len(index)}", index))
    links = tuple(
        EffectLine(f"{scoped(link.scope, link.path)}:{link.line} {safe_line(link.text)}", "", "!")
        for link in plan.broken_links
    )
    if links:
        sections.append(EffectSection("links that will lead nowhere", f"{len(links)}", links))
    told = tuple(EffectLine(safe_line(note), "", "!") for note in (*plan.notes, *plan.refused))
    if told:
        sections.append(EffectSection("notes", f"{len(told)}", told))
    gone = sum(change.after is None for change in plan.change_set.changes)
    sections.append(
        EffectSection(
            "store",
            "before → after",
            (EffectLine("files", f"{documents:,} → {documents - gone:,}"),),
        )
    )
    return tuple(sections)


def _short(kept_id: str, path: str, into_path: str) -> str:
    """The entry that stays: `:0` in the same file, else its whole ID."""
    rest = kept_id.removeprefix(into_path)
    return rest if path == into_path and rest else kept_id


def _notes(plan: DreamPlan) -> dict[str, str]:
    """By path, what becomes of a file in a few words."""
    gone = Counter(merge.path for merge in plan.merges)
    removed = {change.path for change in plan.change_set.changes if change.after is None}
    sorted_paths = {sort.path for sort in plan.sorts}
    notes = {}
    for path in {*gone, *sorted_paths}:
        said = []
        if path in removed:
            said.append("whole file")
        elif gone[path]:
            said.append(f"{plural(gone[path], 'entry', 'entries')} less")
        if path in sorted_paths:
            said.append("sorted")
        notes[path] = ", ".join(said)
    return notes


def _also(change: FileChange) -> list[str]:
    """The lines `Also: …` that come with a change, safe to draw."""
    if change.after is None:
        return []
    before = Counter(_also_lines(change.before or b""))
    return [safe_line(line) for line in (Counter(_also_lines(change.after)) - before).elements()]


def _also_lines(raw: bytes) -> list[str]:
    if _ALSO.encode() not in raw:
        return []
    lines = (line.strip(" \t-*+") for line in raw.decode("utf-8", "replace").splitlines())
    return [line for line in lines if line.startswith(_ALSO)]
