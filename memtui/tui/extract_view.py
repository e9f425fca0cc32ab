"""The lists of the Extract screen as rows, and what stands in their place.

Invariant: pure; every text of a file passes `safe_text` here; a mark is a sign and a colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content

from memtui.engine.lifecycle.extracting import ExtractPlan, SessionRow
from memtui.engine.plans.extraction.patches import Dropped
from memtui.tui.extract_found import INBOX, Found, Listing, Proposed, SourceKey
from memtui.tui.format import age, badge, bar, fit, fit_end, hang, pad, plural, right, spread
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import Row, SecondLine

WORD_CHARACTERS = 300
"""More of a text is drawn in no row."""

_AGE_CELLS, _COUNT_CELLS = 4, 6
_COUNTS_FROM_CELLS = 34
"""Below this width the number of all messages goes; that of the new ones never does."""
_PATH_FROM_CELLS = 56
_INDENT = 5

SKIPPED = {
    "memory_tool": (
        "The agent wrote a memory itself in its last turn, so this session is left alone: what was"
        " said is probably kept already."
    ),
    "memory_pressure": (
        "memtui uses most of the memory that it may have, so nothing is read now. Close what you do"
        " not need, or raise the limit."
    ),
}
"""What a reason to skip means, for a person."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """What waits, in one row."""

    waiting: int
    key: SourceKey = INBOX

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`inbox ... 3 waiting`."""
        left = Content.styled("   inbox", palette.strong if has_cursor else palette.text)
        return spread(left, Content.styled(f"{self.waiting:,} waiting ", palette.mark), width)


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session: whose cursor, age, first words, messages, how many are new."""

    key: Path
    age: str
    row: SessionRow | None
    """None while it is not read."""
    cells: int = _COUNT_CELLS
    """The width of a count."""

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line."""
        row, cells = self.row, self.cells
        style = palette.strong if has_cursor else palette.text
        sign, counts = Content(" "), Content.styled(right("…", cells), palette.faint)
        broken = ""
        words = safe_line(self.key.stem)
        if row is None:
            style = palette.muted
        elif not row.summary.is_readable:
            sign = Content.styled("✗", palette.bad_word)
            words, counts = "not read", Content(" " * cells)
            style = palette.bad
        else:
            words = safe_line(row.summary.first_words[:WORD_CHARACTERS])
            if not words:
                words, style = "nothing was typed", palette.muted
            new = (f"{row.unread:,}", palette.key) if row.unread else ("·", palette.faint)
            counts = Content.styled(right(new[0], cells), new[1])
            if width >= _COUNTS_FROM_CELLS:
                total = right(f"{row.summary.messages:,}", cells)
                counts = Content.styled(total, palette.muted) + counts
            if row.is_agents:
                sign = Content.styled("→", palette.key)
            # A line that is being written at this moment is no fault.
            if row.summary.broken_lines > row.summary.has_half_line:
                broken = " !"
        room = width - 1 - 1 - _AGE_CELLS - 2 - len(broken) - counts.cell_length - 1
        return Content.assemble(
            " ",
            sign,
            (right(self.age, _AGE_CELLS), palette.muted),
            "  ",
            (pad(words, room), style),
            (broken, palette.attention),
            counts,
            " ",
        )


@dataclass(frozen=True, slots=True)
class SessionsHead:
    """The names of the columns over the sessions."""

    count: int
    key: None = None
    cells: int = _COUNT_CELLS

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`sessions 7 ──── all new`."""
        end = right("new", self.cells)
        if width >= _COUNTS_FROM_CELLS:
            end = right("all", self.cells) + end
        title = f"sessions {self.count:,}"
        line = "─" * max(0, width - len(title) - len(end) - 2)
        return Content.assemble(
            (title, palette.muted), " ", (line, palette.rule), (end, palette.muted), " "
        ).truncate(width, ellipsis=True)


@dataclass(frozen=True, slots=True)
class PatchRow:
    """One proposal: mark, badge, summary, path."""

    item: Proposed

    @property
    def key(self) -> str:
        """The digest under which it was found."""
        return self.item.key

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line; the quote stands below."""
        item = self.item
        mark = ("■", palette.mark) if item.is_selected else ("□", palette.faint)
        style = palette.text if item.is_selected else palette.muted
        word = "edited " if item.is_edited else ""
        path = ""
        if width >= _PATH_FROM_CELLS:
            path = fit(safe_line(item.patch.path), width // 3)
        end = Content.assemble((word, palette.word), (path, palette.faint))
        left = Content.assemble(
            " ",
            mark,
            " ",
            badge(item.patch.type, palette),
            " ",
            (
                safe_line(item.patch.summary[:WORD_CHARACTERS]),
                palette.strong if has_cursor else style,
            ),
        )
        return spread(left, end, width)


@dataclass(frozen=True, slots=True)
class QuoteLine(SecondLine):
    """The quoted sentence below its proposal, and what it is like."""

    note: str = ""

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """The quote, and at the edge `! like feedback/x.md`."""
        if not self.note:
            # A frozen class with slots has no `super()` without names.
            return SecondLine.draw(self, width, palette, has_cursor=has_cursor)
        word, _, rest = self.note.partition(" ")
        note = f"{word} {fit_end(rest, width // 2 - len(word))}"
        end = Content.styled(f"! {note}", palette.attention)
        shown = fit(self.text, width - self.indent - end.cell_length - 2)
        return spread(Content(" " * self.indent) + Content.styled(shown, palette.muted), end, width)


@dataclass(frozen=True, slots=True)
class DroppedRow:
    """One statement that becomes nothing."""

    number: int
    dropped: Dropped

    @property
    def key(self) -> int:
        """Its place in the list."""
        return self.number

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """The summary; the rule stands below."""
        summary = fit(safe_line(self.dropped.summary[:WORD_CHARACTERS]), width - 3)
        return Content.assemble(
            " ",
            ("✗", palette.faint),
            " ",
            (summary, palette.strong if has_cursor else palette.muted),
        )


def session_rows(listing: Listing, now_ns: int) -> list[Row]:
    """The inbox where something waits, then the sessions under their head."""
    rows: list[Row] = []
    if listing.waiting:
        rows.append(InboxRow(len(listing.waiting)))
    most = max((row.summary.messages for row in listing.read.values()), default=0)
    cells = max(_COUNT_CELLS, len(f" {most:,}"))
    if listing.sessions:
        rows.append(SessionsHead(len(listing.sessions), cells=cells))
    rows += [
        SessionLine(each.path, age(each.mtime_ns, now_ns), listing.read.get(each.path), cells)
        for each in listing.sessions
    ]
    return rows


def patch_rows(items: Sequence[Proposed]) -> list[Row]:
    """Two lines a proposal."""
    rows: list[Row] = []
    for item in items:
        quote = " ".join(safe_line(item.patch.source.quote[:WORD_CHARACTERS]).split())
        rows.append(PatchRow(item))
        rows.append(QuoteLine(item.key, f"“{quote}”", _INDENT, note=safe_line(item.note)))
    return rows


def dropped_rows(dropped: Sequence[Dropped]) -> list[Row]:
    """Two lines a statement."""
    rows: list[Row] = []
    for number, each in enumerate(dropped):
        rows.append(DroppedRow(number, each))
        rows.append(SecondLine(number, safe_line(each.rule), 3))
    return rows


def lay_out_no_sessions(listing: Listing, width: int, palette: Palette) -> list[Content]:
    """No session to extract from: where they are looked for, and what to do."""
    if listing.fault:
        return hang("✗ ", safe_line(listing.fault), palette.bad, width)
    if not listing.is_done:
        return [Content.styled("looking for sessions …", palette.muted)]
    said = (
        "A session is kept by the agent for each talk with it in this folder, and shows here by"
        " itself. What you say there becomes a memory only when you accept it."
    )
    lines = [Content.styled("No sessions here", palette.strong), Content("")]
    lines += Content.styled(said, palette.muted).wrap(width)
    if listing.looked_in:
        lines += [Content(""), Content.styled("Looked in:", palette.muted)]
    for folder in listing.looked_in:
        lines += Content.styled(safe_line(str(folder)), palette.text).wrap(width)
    lines.append(Content(""))
    lines += Content.assemble(("esc", palette.key), (" goes back", palette.muted)).wrap(width)
    return lines


def lay_out_reading(done: int, total: int, width: int, palette: Palette) -> list[Content]:
    """A session is being read: how far."""
    if not total:
        return [Content.styled("reading …", palette.muted)]
    said = f"reading {done * 100 // total} % of {total / 1e6:,.0f} MB"
    return [
        Content.styled(said, palette.text),
        bar(done, total, min(width, 40), palette),
        Content(""),
        *Content.assemble(
            ("esc", palette.key), (" leaves; nothing is lost by that", palette.muted)
        ).wrap(width),
    ]


def lay_out_no_dropped(found: Found | None, width: int, palette: Palette) -> list[Content]:
    """No statement was dropped, or none is known yet."""
    if found is None or found.plan is None or found.is_skipped:
        return []
    said = "No statement was dropped." if found.unread else ""
    return Content.styled(said, palette.muted).wrap(width)


def lay_out_nothing(found: Found, width: int, palette: Palette) -> list[Content]:
    """Why there is no proposal, and what enter does."""
    plan = found.plan
    if found.error:
        return hang("✗ ", safe_line(found.error), palette.bad, width)
    if plan is None:
        return [Content.styled("The inbox is empty.", palette.muted)]
    head, said, does = _nothing(found, plan)
    lines = [*Content.styled(head, palette.strong).wrap(width), Content("")]
    lines += Content.styled(said, palette.muted).wrap(width)
    if does:
        lines.append(Content(""))
        lines += Content.assemble(("enter", palette.key), (f" {does}", palette.text)).wrap(width)
    if plan.problem:
        lines += [Content(""), *hang("! ", safe_line(plan.problem), palette.attention, width)]
    return lines


def _nothing(found: Found, plan: ExtractPlan) -> tuple[str, str, str]:
    """A headline, a sentence, and what enter does."""
    if plan.skipped_reason is not None:
        reason = SKIPPED.get(plan.skipped_reason, safe_line(plan.skipped_reason))
        return f"Skipped: {safe_line(plan.skipped_reason)}", reason, "extracts from it anyway"
    new = plural(found.unread, "new message")
    if not found.unread:
        said = f"All {plural(plan.length, 'message')} of this session were read."
        if not plan.length:
            said = "This session holds no message."
        return "Nothing new", said, ""
    does = f"marks {new} as read: only the cursor moves"
    if not plan.has_news:
        return "Nothing was typed", f"No person wrote anything in the {new}.", does
    if found.dropped:
        dropped = plural(len(found.dropped), "statement was", "statements were")
        said = f"In {new} {dropped} found, and dropped: pane 4 tells why."
    else:
        said = f"In {new} there is no statement of yours that lasts beyond its task."
    return "Nothing to remember", said, does


def legend(listing: Listing, position: int, palette: Palette) -> Content:
    """Below the sessions: the position, how far the list is read, and what the arrow is."""
    rows = len(listing.sessions) + bool(listing.waiting)
    parts = []
    if any(row.is_agents for row in listing.read.values()):
        parts.append(Content.assemble(("→", palette.key), (" the agent's cursor", palette.muted)))
    if not listing.is_done and listing.sessions:
        share = "" if listing.share is None else f", {listing.share} %"
        said = f"reading {len(listing.read) + 1:,}{share}"
        parts = [Content.styled(said, palette.muted)]
    if rows:
        parts.append(Content.styled(f"{position:,}/{rows:,}", palette.muted))
    return Content.styled(" · ", palette.faint).join(parts)


def chosen_words(
    found: Found, items: Sequence[Proposed], position: int, palette: Palette
) -> Content:
    """Below the proposals: position, how many are selected, and what could not be read."""
    parts = []
    if found.broken_lines:
        said = f"! {plural(found.broken_lines, 'broken line')} skipped"
        parts.append(Content.styled(said, palette.attention))
    if found.plan is not None and found.plan.problem:
        parts.append(Content.styled("! cannot be applied", palette.attention))
    if items:
        selected = sum(item.is_selected for item in items)
        parts.append(Content.styled(f"{position}/{len(items)}", palette.muted))
        style = palette.mark if selected else palette.muted
        parts.append(Content.styled(f"{selected} selected", style))
    return Content.styled(" · ", palette.faint).join(parts)
