"""What can be copied of a memory.

Invariant: the text that goes to the clipboard is the file's own; only what is drawn is made safe.
"""

from __future__ import annotations

from memtui.engine.format.entries import entries_of
from memtui.tui.lookup import Lookup
from memtui.tui.messages import Place
from memtui.tui.safe_text import safe_line
from memtui.tui.screens.dialogs import CopyChoice

_ENTRIES_BYTES = 1_000_000
"""Of a longer file only the path is copied as its ID: to find its entries takes seconds."""


def copy_choices(lookup: Lookup, place: Place | None, prompt: str) -> list[CopyChoice]:
    """The choices for the file at `place` and for the injected block `prompt`."""
    choices: list[CopyChoice] = []
    if place is not None:
        scope, path = place
        snapshot = lookup.workspace.of(scope)
        choices.append(_choice("p", "path", path))
        if snapshot is not None:
            choices.append(_choice("a", "absolute path", str(snapshot.store.memory_dir / path)))
        document = lookup.documents.get(place)
        if document is not None:
            entries = entries_of(document) if len(document.source) <= _ENTRIES_BYTES else ()
            ids = "\n".join(f"{scope}:{entry.id}@{entry.digest}" for entry in entries)
            choices.append(_choice("i", "Entry ID", ids or f"{scope}:{path}"))
            choices.append(_choice("b", "body", document.body_text))
    if prompt:
        choices.append(_choice("r", "injected block", prompt))
    return choices


def _choice(letter: str, label: str, text: str) -> CopyChoice:
    return CopyChoice(letter, label, safe_line(text[:200]), text)
