"""Texts where there is nothing to list: what was looked for, and what to do.

Invariant: pure; each text names the next step.
"""

from __future__ import annotations

from textual.content import Content

from memtui.engine.workspace import Workspace
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette


def no_store(workspace: Workspace, fault: str, palette: Palette) -> list[Content]:
    """No store was found: the places that were looked at.

    `fault` is what is wrong with the folder itself, empty where it is a directory.
    """
    lines = [Content.styled("No memory here", palette.strong), Content("")]
    if fault:
        lines += [Content.assemble(("✗ ", palette.bad), safe_line(fault)), Content("")]
    lines += [
        Content.styled("Looked in:", palette.muted),
    ]
    for place in workspace.looked_in:
        lines += [
            Content(""),
            Content.styled(safe_line(str(place.store.memory_dir)), palette.text),
            Content.styled(f"{place.reason}: {place.state}", palette.muted),
        ]
        if place.state not in ("ok", "missing"):
            lines.append(Content.styled(safe_line(place.message), palette.bad))
    return lines


def what_to_do(palette: Palette) -> list[Content]:
    """Next steps where no store was found."""
    steps = (
        ("p", "opens another project's memories"),
        ("memtui --project DIR", "opens those of a folder"),
        ("memtui --memory-dir DIR", "opens a directory of memory files"),
        ("memtui --demo", "shows a made-up store, free to play with"),
        ("q", "leaves"),
    )
    lines = [
        Content.styled("What to do", palette.strong),
        Content(""),
        Content.styled(
            "An agent makes a store when it first has something to remember about a project."
            " memtui never makes one.",
            palette.muted,
        ),
    ]
    for step, text in steps:
        lines += [
            Content(""),
            Content.styled(step, palette.key),
            Content.styled(text, palette.text),
        ]
    return lines


def no_memories(workspace: Workspace, palette: Palette) -> list[Content]:
    """The stores exist and hold no file."""
    lines = [
        Content.styled("An empty store", palette.strong),
        Content(""),
        Content.styled(
            "There is no memory yet: the agent writes the first after a turn in which it learns"
            " something that lasts. A new file shows here by itself.",
            palette.muted,
        ),
    ]
    for snapshot in workspace.snapshots:
        lines += [Content(""), Content.styled(safe_line(str(snapshot.store.memory_dir)))]
    lines += [
        Content(""),
        Content.assemble(("p", palette.key), (" opens another project", palette.muted)),
    ]
    return lines


def no_match(filter_text: str, palette: Palette) -> list[Content]:
    """No memory fits the filter."""
    return [
        Content.assemble("Nothing fits ", (safe_line(filter_text), palette.match), "."),
        Content(""),
        Content.styled(
            "All words have to occur in a memory's name, description, path or body; accents and"
            " case do not matter.",
            palette.muted,
        ),
        Content(""),
        Content.styled("Terms: type:feedback  scope:user  age>30  seen:no", palette.muted),
        Content(""),
        Content.assemble(("esc", palette.key), (" clears the filter", palette.muted)),
    ]


def faulty_store(message: str, palette: Palette) -> list[Content]:
    """A store that cannot be read."""
    return [
        Content.assemble(("✗ ", palette.bad), safe_line(message)),
        Content(""),
        Content.assemble(("p", palette.key), (" opens another project", palette.muted)),
    ]
