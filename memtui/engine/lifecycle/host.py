"""What extract and dream need of the object that holds the stores.

Invariant: a structural type; the manager fits it, and so does whatever a test hands in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memtui.engine.disk.settings import Settings
    from memtui.engine.disk.store import StoreWriter
    from memtui.engine.disk.telemetry import Telemetry
    from memtui.engine.workspace import Workspace


class Host(Protocol):
    """The open stores, and how they are read and written."""

    is_readonly: bool
    settings: Settings
    clock_ns: Callable[[], int]

    @property
    def state_dir(self) -> Path:
        """memtui's own state directory; raises NoHomeError."""

    @property
    def writer(self) -> StoreWriter:
        """The only writer of stores; raises NoHomeError."""

    def scan(self) -> Workspace:
        """The stores as they are now."""

    def telemetry(self, workspace: Workspace) -> Telemetry:
        """The event log of the project; off where nothing may be written."""
