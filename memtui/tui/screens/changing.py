"""What a screen of memories lets one change: forget, undo, the log.

Invariant: each act goes through a plan and its review; here only ways lead there, and what was
done is told. What they need is imported where it is used: the first frame does not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.engine.manager import MemoryManager
from memtui.tui.format import plural
from memtui.tui.messages import Place
from memtui.tui.screens.scanning import ScanningScreen
from memtui.tui.themes import Palette

if TYPE_CHECKING:
    from memtui.engine.disk.recovery import Recovered
    from memtui.engine.disk.store import Applied


class ChangingScreen(ScanningScreen):
    """A scanning screen with a file under the cursor, from which changes start."""

    def __init__(self, manager: MemoryManager, palette: Palette, *, note: str = "") -> None:
        super().__init__(manager)
        self.palette = palette
        self.note = note
        self.place: Place | None = None
        """The file under the cursor."""
        self._new_places: frozenset[Place] = frozenset()
        """What an extract wrote, until it is seen."""

    def tell_recovered(self, recovered: tuple[Recovered, ...]) -> None:
        """Tell what was put back of acts that a memtui left unfinished."""
        for each in recovered:
            if each.restored:
                said = f"{plural(len(each.restored), 'file')} of an act that was cut short"
                self.notify(f"{said}: as before it.", title="Put back", timeout=12)
            for left in each.left:
                self.notify(f"{left.path}: {left.reason}", title="Left alone", timeout=12)
            if each.problem:
                self.notify(each.problem, severity="warning", timeout=12)

    def action_forget(self) -> None:
        """Go to the review of forgetting this memory; of several entries, choose first."""
        lookup, place = self.lookup, self.place
        document = lookup.documents.get(place) if lookup and place else None
        if lookup is None or place is None or document is None:
            self.notify("No memory is under the cursor: F searches for what to forget.")
            return
        from memtui.engine.format.entries import entries_of
        from memtui.tui.screens.acting import review_forget

        entries = entries_of(document)
        if len(entries) > 1:
            self._find_forget(place)
            return
        review_forget(self, self.manager, lookup, entries, self._acted)

    def action_find_forget(self) -> None:
        """Search the entries to forget."""
        self._find_forget(None)

    def _find_forget(self, only: Place | None) -> None:
        from memtui.tui.screens.forget import ForgetScreen

        if self.lookup is not None and self.lookup.workspace.snapshots:
            screen = ForgetScreen(
                self.manager, self.palette, self.lookup, note=self.note, only=only
            )
            self.app.push_screen(screen, self._acted)

    def action_undo(self) -> None:
        """Go to the review of undoing the newest change."""
        from memtui.tui.screens.acting import review_undo

        if self.lookup is not None:
            review_undo(self, self.manager, self.lookup, None, self._acted)

    def action_journal(self) -> None:
        """Show what was changed."""
        from memtui.tui.screens.journal import JournalScreen

        if self.lookup is not None and self.lookup.workspace.snapshots:
            screen = JournalScreen(self.manager, self.palette, self.lookup, note=self.note)
            self.app.push_screen(screen, self._acted)

    def action_activity(self) -> None:
        """Show the events, the tasks and the journal."""
        from memtui.tui.screens.activity import ActivityScreen

        if self.lookup is not None and self.lookup.workspace.snapshots:
            screen = ActivityScreen(self.manager, self.palette, self.lookup, note=self.note)
            self.app.push_screen(screen, self._acted)

    def action_extract(self) -> None:
        """Find new memories in the sessions, and in the inbox."""
        from memtui.tui.screens.extract import ExtractScreen

        if self.lookup is not None:
            screen = ExtractScreen(self.manager, self.palette, self.lookup, note=self.note)
            self.app.push_screen(screen, self._acted)

    def action_dream(self) -> None:
        """Show the gates of a dream, what one would do now, and the former ones."""
        from memtui.tui.screens.dream import DreamScreen

        if self.lookup is not None and self.lookup.workspace.snapshots:
            screen = DreamScreen(self.manager, self.palette, self.lookup, note=self.note)
            self.app.push_screen(screen, self._acted)

    def _acted(self, applied: Applied | None) -> None:
        """Tell what was done, and show the stores as they are now."""
        from memtui.tui.screens.acting import acted_sentence

        if applied is None or not applied.entries:
            return
        self.notify(acted_sentence(applied), title="Done", timeout=10)
        if applied.entries[0].operation == "extract":
            self._new_places = frozenset(
                (each.store.scope, change.path)
                for each in applied.change_sets
                for change in each.changes
                if change.before is None
            )
            self.go_to_new()
        self.scan()

    def go_to_new(self) -> None:
        """Go once to the first memory of the list that an extract just wrote, when it is there."""
        places = self.lookup.documents if self.lookup is not None else ()
        found = next((place for place in places if place in self._new_places), None)
        if found is not None:
            self._new_places = frozenset()
            self.go_to(found)

    def go_to(self, place: Place) -> None:
        """Put the cursor on a memory, where the list shows it."""
        raise NotImplementedError
