"""Reading sessions behind a screen: the list of them, and what one of them says.

Invariant: one session is read at a time, that under the cursor before the list of all; what was
overtaken is never shown, and its worker ends at the next block that it reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from textual import on
from textual.message import Message
from textual.worker import Worker, WorkerState

from memtui.engine.disk.store import Applied
from memtui.engine.errors import MemtuiError, StoppedError
from memtui.engine.manager import MemoryManager
from memtui.tui.extract_found import (
    INBOX,
    Found,
    Listing,
    SourceKey,
    find_in_inbox,
    find_in_session,
    list_sessions,
)
from memtui.tui.lookup import Lookup
from memtui.tui.screens.dialogs import ConfirmDialog
from memtui.tui.screens.paned import PanedScreen
from memtui.tui.themes import Palette

POLL_S = 2.0
"""Sessions grow while no store changes, so they are looked at by themselves."""
_TELL_EVERY_S = 0.1


class SessionsScreen(PanedScreen[Applied | None]):
    """Shows a listing of sessions, and what was found in one, whenever a worker brings another."""

    @dataclass
    class Listed(Message):
        """The sessions were listed, as far as they were read; None: that was stopped."""

        listing: Listing | None
        generation: int

    @dataclass
    class Progressed(Message):
        """So many bytes of the session under the cursor were read."""

        done: int
        total: int
        generation: int

    @dataclass
    class FoundOut(Message):
        """A session, or the inbox, was read."""

        found: Found
        generation: int

    @dataclass
    class Kept(Message):
        """Something was written beside the store's files, or the sentence that says why not."""

        said: str
        error: str

    def __init__(self, manager: MemoryManager, palette: Palette, lookup: Lookup) -> None:
        super().__init__()
        self.manager = manager
        self.palette = palette
        self.lookup = lookup
        self.listing = Listing()
        self.source: SourceKey | None = None
        """What is under the cursor of the sessions."""
        self.found: Found | None = None
        """None while it is read."""
        self.meant: set[SourceKey] = set()
        """Sessions that a person chose although there is a reason to skip them."""
        self._seen_mtime_ns: int | None = None
        self._listings = 0
        self._finds = 0
        self._is_listing = False
        self._is_behind = False
        """True where the stores changed since `found`."""

    def on_mount(self) -> None:
        """List the sessions, and look at them every other second."""
        super().on_mount()
        self.list_again()
        self.set_interval(POLL_S, self._poll)

    def follow(self, lookup: Lookup) -> None:
        """Read again what depends on the stores, once this screen is on top."""
        self.lookup = lookup
        self._is_behind = True
        self._poll()

    def on_unmount(self) -> None:
        """Let the workers end."""
        self._listings += 1
        self._finds += 1

    def show_listing(self) -> None:
        """Show `listing`."""
        raise NotImplementedError

    def show_found(self) -> None:
        """Show `found`, or that it is being read."""
        raise NotImplementedError

    def show_progress(self, done: int, total: int) -> None:
        """Show how many bytes of the session were read."""
        raise NotImplementedError

    # Listing the sessions.

    def _poll(self) -> None:
        is_finding = self.source is not None and self.found is None
        if not self.is_current or is_finding or self._is_listing:
            return
        if self._is_behind and self.source is not None:
            self.find(self.source)
        else:
            self.list_again()

    def list_again(self) -> None:
        """List the sessions in the background."""
        self._listings += 1
        generation, workspace = self._listings, self.lookup.workspace
        self._is_listing = True

        def tell(listing: Listing) -> None:
            self.post_message(self.Listed(listing, generation))

        def look() -> None:
            try:
                list_sessions(self.manager, workspace, lambda: generation != self._listings, tell)
            except StoppedError:
                self.post_message(self.Listed(None, generation))
            except (MemtuiError, OSError) as error:
                tell(Listing(fault=str(error), is_done=True))

        self.run_worker(
            look, thread=True, group="sessions", name=f"list {generation}", exit_on_error=False
        )

    @on(Listed)
    def _listed(self, event: Listed) -> None:
        event.stop()
        if event.generation != self._listings or event.listing is None:
            return
        listing = event.listing
        if not listing.is_done:
            # What is known of a session from before stays in view until it is read again.
            listing = replace(listing, read={**self.listing.read, **listing.read})
        self._is_listing = not listing.is_done
        self.listing = listing
        self.show_listing()
        if listing.is_done and self.found is not None and self._has_changed(self.found):
            self.find(self.found.source)

    def _mtime_ns(self, source: SourceKey) -> int | None:
        sessions = self.listing.sessions
        return next((each.mtime_ns for each in sessions if each.path == source), None)

    def _has_changed(self, found: Found) -> bool:
        """Whether what was found is no longer what there is."""
        if found.source == INBOX:
            return {item.key for item in found.items} != set(self.listing.waiting)
        return self._mtime_ns(found.source) != self._seen_mtime_ns

    # Finding what a session says.

    def forget_source(self) -> None:
        """There is nothing under the cursor any more."""
        self._finds += 1
        self.source, self.found = None, None
        self.show_found()

    def find(self, source: SourceKey) -> None:
        """Read `source`; the list of sessions waits, so that what is looked at comes first."""
        is_same = source == self.source
        self._finds += 1
        self._listings += 1
        self._is_listing = False
        generation, workspace = self._finds, self.lookup.workspace
        skips = source not in self.meant
        self.source = source
        self._is_behind = False
        self._seen_mtime_ns = self._mtime_ns(source)
        if not (is_same and self.found is not None and self.found.items):
            self.found = None
            self.show_found()
        told_s = time.monotonic()

        def is_cancelled() -> bool:
            return generation != self._finds

        def progress(done: int, total: int) -> None:
            nonlocal told_s
            if time.monotonic() - told_s > _TELL_EVERY_S:
                told_s = time.monotonic()
                self.post_message(self.Progressed(done, total, generation))

        def find() -> None:
            try:
                if isinstance(source, Path):
                    found = find_in_session(
                        self.manager,
                        workspace,
                        source,
                        skips=skips,
                        progress=progress,
                        is_cancelled=is_cancelled,
                    )
                else:
                    found = find_in_inbox(self.manager, workspace, is_cancelled=is_cancelled)
            except StoppedError:
                return
            self.post_message(self.FoundOut(found, generation))

        self.run_worker(
            find, thread=True, group="find", name=f"find {generation}", exit_on_error=False
        )

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        event.stop()
        if event.generation == self._finds and self.found is None:
            self.show_progress(event.done, event.total)

    @on(FoundOut)
    def _found_out(self, event: FoundOut) -> None:
        event.stop()
        if event.generation != self._finds:
            return
        self.found = event.found
        self.show_found()
        self.list_again()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Show an error that no reading should have; what is chosen next is read anew."""
        worker = event.worker
        if event.state is not WorkerState.ERROR:
            return
        if worker.name == f"find {self._finds}" and self.source is not None:
            self.found = Found(self.source, error=f"The reading failed: {worker.error!r}")
            self.show_found()
        elif worker.name == f"list {self._listings}":
            self._is_listing = False
            fault = f"The listing failed: {worker.error!r}"
            self.listing = replace(self.listing, fault=fault, is_done=True)
            self.show_listing()

    # Writing.

    def ask(self, question: str, yes: str, then: Callable[[], object]) -> None:
        """Do `then` once the person said `yes` to the question."""

        def answered(wanted: bool | None) -> None:
            if wanted:
                then()

        self.app.push_screen(ConfirmDialog(self.palette, question, yes), answered)

    def keep(self, said: str, write: Callable[[], None]) -> None:
        """Write in the background, and say how that went."""

        def keep() -> None:
            try:
                write()
            except (MemtuiError, OSError) as error:
                self.post_message(self.Kept(said, str(error)))
            else:
                self.post_message(self.Kept(said, ""))

        self.run_worker(keep, thread=True, group="apply", name="keep", exit_on_error=False)

    @on(Kept)
    def _was_kept(self, event: Kept) -> None:
        event.stop()
        if event.error:
            self.notify(event.error, title="Nothing was written", severity="error", timeout=12)
            return
        if event.said:
            self.notify(event.said)
        if self.source is not None:
            self.find(self.source)
