"""What panes tell their screen: past-tense values.

Invariant: a message carries values only, never a widget to be changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from memtui.engine.types import Scope

Place = tuple[Scope, str]
"""A file of the workspace: scope and path relative to its store."""


@dataclass
class PlaceHighlighted(Message):
    """The cursor of a list came to stand on a file; None where the list is empty."""

    place: Place | None
    source: str
    """Which pane tells it: `index` or `recall`."""


@dataclass
class PlaceChosen(Message):
    """A file was chosen, to be read."""

    place: Place


@dataclass
class FilterChanged(Message):
    """The filter reads differently now."""

    text: str


@dataclass
class QueryChanged(Message):
    """The prompt to preview reads differently now."""

    text: str
