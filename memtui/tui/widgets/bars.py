"""The first row and the last row of a screen.

Invariant: both are one line, drawn from values; where a line is too narrow, the least needed
part goes first.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui import actions
from memtui.tui.actions import Action, Context
from memtui.tui.format import bar, spread
from memtui.tui.live_state import LiveApp, LiveState
from memtui.tui.themes import Palette


@dataclass(frozen=True)
class HeaderValues:
    """What the header says."""

    place: str = ""
    """The project's name, safe to draw."""
    agent: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    """Scope and number of memories."""
    unseen: int = 0
    problems: int = 0
    index_lines: int | None = None
    """None where there is no index."""
    index_bytes: int = 0
    line_limit: int = 200
    byte_limit: int = 25_000
    is_over: bool = False
    """True where part of the index is not loaded."""
    note: str = ""
    """`demo`, `read-only`: a word right of the name."""
    lock: str = ""
    """The agent's lock in a word or two: `locked`, `stale lock`."""
    crumbs: tuple[str, ...] = ()
    """The screens on the way to this one; they stand in the place of the counts."""


class Header(Widget):
    """Name, project, counts, what is wrong, what runs, and how full the index is."""

    values: reactive[HeaderValues] = reactive(HeaderValues())
    live: reactive[LiveState] = reactive(LiveState())
    """The state of the app, which the header follows by itself."""

    class ProjectPressed(Message):
        """The project's name was clicked."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="header")
        self.palette = palette
        self._place_cells = (0, 0)

    def on_mount(self) -> None:
        """Follow the live state of the app."""
        app = self.app
        if isinstance(app, LiveApp):
            self.watch(app, "live_state", self._live_changed)

    def _live_changed(self, state: LiveState) -> None:
        self.live = state

    def render(self) -> RenderResult:
        """The line for the width at hand."""
        values, palette, width = self.values, self.palette, self.content_size.width
        is_wide = width >= 110
        meter = self._meter(is_wide, width)
        head = Content.assemble(("memtui", palette.key), "  ")
        place = Content.assemble(
            (values.place or "no project", palette.strong), (" ▾", palette.faint)
        )
        self._place_cells = (head.cell_length, head.cell_length + place.cell_length)
        left = head + place
        if values.note:
            left += Content.assemble("  ", (values.note, palette.word))
        for crumb in values.crumbs:
            left += Content.assemble(("  ›  ", palette.faint), (crumb, palette.strong))
        counts = Content("") if values.crumbs else self._counts(is_wide)
        wrong = Content("") if values.crumbs else self._wrong()
        if values.lock:
            wrong += Content.assemble("  ", (f"! {values.lock}", palette.attention))
        ways = (
            left + counts + wrong + self._beside(has_session=True),
            left + counts + wrong + self._beside(),
            left + wrong + self._beside(has_session=True),
            left + wrong + self._beside(),
        )
        room = width - meter.cell_length - 1
        fitting = next((way for way in ways if way.cell_length <= room), None)
        if fitting is None and self._writes_unasked:
            fitting = self._squeezed(left, wrong, room)
        return spread(ways[-1] if fitting is None else fitting, meter, width)

    @property
    def _writes_unasked(self) -> bool:
        """Whether what is found goes straight to the store: what a person must not overlook."""
        return self.live.is_following and self.live.to == "store"

    def _squeezed(self, left: Content, wrong: Content, room: int) -> Content:
        """As much as fits beside `→ store`."""
        brief = self._beside(has_word=False)
        briefest = self._beside(has_word=False, has_inbox=False)
        ways = (
            left + wrong + brief,
            left + wrong + briefest,
            left + self._beside(),
            left + brief,
        )
        fitting = next((way for way in ways if way.cell_length <= room), None)
        if fitting is not None:
            return fitting
        return left.truncate(max(0, room - briefest.cell_length), ellipsis=True) + briefest

    def _beside(
        self, *, has_session: bool = False, has_word: bool = True, has_inbox: bool = True
    ) -> Content:
        """The followed session, where what is found goes, and how much waits in the inbox."""
        live, palette = self.live, self.palette
        shown = Content("")
        if live.is_following:
            words = ["following"] if has_word else []
            words += [live.session] if live.session and has_session else []
            words += ["→ store"] if live.to == "store" else []
            sign, style = ("! ", palette.attention) if live.problem else ("", palette.primary)
            shown += Content.assemble("  ", (sign + " ".join(words), style))
        elif live.problem:
            shown += Content.assemble("  ", ("! inbox", palette.attention))
        if live.inbox and has_inbox:
            shown += Content.assemble("  ", ("inbox", palette.muted), " ", f"{live.inbox:,}")
        return shown

    def _counts(self, is_wide: bool) -> Content:
        values, palette = self.values, self.palette
        counts = Content("")
        if is_wide:
            for scope, count in values.counts:
                counts += Content.assemble("  ", (scope, palette.muted), " ", f"{count:,}")
        elif values.counts:
            total = sum(count for _, count in values.counts)
            counts += Content.assemble("  ", f"{total:,}", (" memories", palette.muted))
        return counts

    def _wrong(self) -> Content:
        values, palette = self.values, self.palette
        wrong = Content("")
        if values.unseen:
            wrong += Content.assemble("  ", (f"! {values.unseen} unseen", palette.bad))
        if values.problems:
            wrong += Content.assemble("  ", (f"✗ {values.problems} faulty", palette.bad))
        return wrong

    def _meter(self, is_wide: bool, width: int) -> Content:
        values, palette = self.values, self.palette
        if values.index_lines is None:
            return Content.styled("no index", palette.muted) if values.counts else Content("")
        share = max(values.index_lines / values.line_limit, values.index_bytes / values.byte_limit)
        style = palette.attention if values.is_over else ""
        cells = 10 if is_wide else 6
        lines = Content.assemble(
            (f"{values.index_lines:,}", style or palette.text),
            (f"/{values.line_limit}", palette.muted),
        )
        if width < 60:
            return Content.assemble(("index ", palette.muted), lines)
        meter = Content.assemble(
            ("! index " if values.is_over else "index ", style or palette.muted),
            bar(share, 1.0, cells, palette, style),
            " ",
            lines,
        )
        if is_wide:
            meter += Content.assemble(
                (" lines  ", palette.muted),
                (f"{values.index_bytes / 1000:.1f}", style or palette.text),
                (f"/{values.byte_limit / 1000:.1f} kB", palette.muted),
            )
        return meter

    def on_click(self, event: events.Click) -> None:
        """A click on the project's name asks for the picker."""
        start, end = self._place_cells
        if start <= event.x - self.styles.padding.left < end:
            self.post_message(self.ProjectPressed())


class Footer(Widget):
    """The keys at hand, from the registry."""

    places: reactive[tuple[Context, ...]] = reactive(("app", "browse"))

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="footer")
        self.palette = palette
        self._cells: list[tuple[int, int, Action]] = []

    def render(self) -> RenderResult:
        """The line for the width at hand; what does not fit falls off from the right."""
        shown = [action for action in actions.of(self.places) if action.footer is not None]
        shown.sort(key=lambda action: action.footer or 0)
        ends = [action for action in shown if (action.footer or 0) < 0]
        starts = [action for action in shown if (action.footer or 0) >= 0]
        width = self.content_size.width
        tail = Content("  ").join(self._key(action) for action in ends)
        if tail.cell_length > width:
            ends = ends[-1:]
            tail = self._key(ends[0])
        line, self._cells = Content(""), []
        for action in starts:
            part = self._key(action)
            start = line.cell_length + (3 if line else 0)
            if start + part.cell_length + 3 > width - tail.cell_length:
                break
            line = line + ("   " if line else "") + part
            self._cells.append((start, start + part.cell_length, action))
        start = width - tail.cell_length
        for action in ends:
            cells = self._key(action).cell_length
            self._cells.append((start, start + cells, action))
            start += cells + 2
        return spread(line, tail, width)

    def _key(self, action: Action) -> Content:
        return Content.assemble(
            (action.shown, self.palette.key), " ", (action.label, self.palette.muted)
        )

    async def on_click(self, event: events.Click) -> None:
        """A click on a key does what the key does."""
        position = event.x - self.styles.padding.left
        for start, end, action in self._cells:
            if start <= position < end:
                await self.screen.run_action(action.from_screen)
                return
