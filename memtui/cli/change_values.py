"""Changes, candidates and the journal → JSON (design section 6).

Invariant: pure; keys and their order are fixed, since scripts read them. Diffs are raw text in the
unified format; `output.to_json` makes them safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtui.cli.json_values import Value, iso_time
from memtui.engine.disk.journal_entry import JournalEntry, Left
from memtui.engine.disk.log import Logged
from memtui.engine.disk.store import Applied
from memtui.engine.plans.broken_links import BrokenLink
from memtui.engine.plans.diff import unified_file
from memtui.engine.types import ChangeSet, Entry

LogEntry = tuple[Logged, JournalEntry]
"""An act, and what it did to one store."""


def candidate_value(entry: Entry, score: int, match: str) -> Value:
    """One candidate of `forget`; `match` is `contains`, `similar` or, without a query, `listed`."""
    return {
        "id": entry.id,
        "digest": entry.digest,
        "scope": entry.scope,
        "summary": entry.summary,
        "score": score,
        "match": match,
    }


def applied_value(change_sets: Iterable[ChangeSet], applied: Applied | None) -> Value:
    """The keys of an act: what was written or, with `applied` None, what would be."""
    return {
        "changes": [
            {
                "path": change.path,
                "scope": change_set.store.scope,
                "kind": change.kind,
                "reason": change.reason,
                "diff": unified_file(change),
            }
            for change_set in change_sets
            for change in change_set.changes
        ],
        "applied": applied is not None,
        "journal_id": (applied.group or None) if applied is not None else None,
    }


def broken_links_value(links: Iterable[BrokenLink]) -> list[Value]:
    """Links that lead nowhere once the entries are gone."""
    return [
        {
            "path": link.path,
            "scope": link.scope,
            "line": link.line,
            "text": link.text,
            "leads_to": link.leads_to,
        }
        for link in links
    ]


def undo_value(restored: Sequence[str], left: Iterable[Left]) -> Value:
    """`undo`: what goes back, and what others have changed since."""
    return {
        "restored": list(restored),
        "left": [{"path": each.path, "reason": each.reason} for each in left],
    }


def log_value(entries: Iterable[LogEntry]) -> Value:
    """`log`: one entry for each act and store, the newest act first."""
    return {
        "entries": [
            {
                "id": entry.id,
                "group": entry.group,
                "scope": entry.store.scope,
                "time": iso_time(entry.time_ns),
                "operation": entry.operation,
                "paths": paths_of(entry),
                "undone": act.is_undone,
            }
            for act, entry in entries
        ]
    }


def paths_of(entry: JournalEntry) -> list[str]:
    """The files of one store that an act changed, its state files last."""
    return [*entry.paths, *(file.path for file in entry.state_files)]
