"""One proposal, or one statement that was dropped, laid out for reading.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import zip_longest

from textual.content import Content

from memtui.engine.format.transcript import Message
from memtui.engine.plans.diff import diff_of
from memtui.engine.plans.extraction.patches import Dropped, topic_bytes
from memtui.engine.types import Entry, FileChange
from memtui.tui.diff_view import lay_out_line
from memtui.tui.extract_found import Found, Proposed
from memtui.tui.format import chip, fit_end, hang, plural, rule, size, spread
from memtui.tui.safe_text import safe_block, safe_line
from memtui.tui.themes import Palette

AROUND_CHARACTERS = 400
"""So much of a message is shown before a quote, and after it."""
_LABEL_CELLS = 7
_GAP_CELLS = 3
_BESIDE_FROM_CELLS = 60
_DRAWN_LINES = 200


def lay_out_patch(
    item: Proposed, found: Found, width: int, palette: Palette, *, has_air: bool
) -> list[Content]:
    """What it becomes, where it was said, what says nearly the same, and the file."""
    patch = item.patch
    kind = chip(patch.type, palette)
    path = fit_end(safe_line(patch.path), width - kind.cell_length - 1)
    lines = [spread(Content.styled(path, palette.strong), kind, width)]
    lines += Content.styled(safe_line(patch.summary), palette.text).wrap(width)
    lines += _label("found by", safe_line(patch.rule), width, palette)
    source = patch.source
    lines += _said(source.session, source.message, source.quote, found, width, palette, has_air)
    name = patch.near_duplicate_of
    if name:
        near = found.near.get(name)
        _air(lines, has_air)
        lines.append(rule("says nearly the same", fit_end(safe_line(name), width // 2), width,
                          palette))  # fmt: skip
        lines += _beside(item, near, width, palette)
    elif item.note:
        lines += hang("! ", safe_line(item.note), palette.attention, width)
    _air(lines, has_air)
    lines += _file(item, width, palette)
    return lines


def lay_out_dropped(
    dropped: Dropped, found: Found, width: int, palette: Palette, *, has_air: bool
) -> list[Content]:
    """Why it was dropped, and where it was said."""
    session = found.plan.session if found.plan is not None else ""
    lines = [*Content.styled(safe_line(dropped.summary), palette.strong).wrap(width)]
    lines += hang("dropped: ", safe_line(dropped.rule), palette.attention, width)
    lines += _said(session, dropped.message, dropped.quote, found, width, palette, has_air)
    return lines


def lay_out_session(found: Found, width: int, palette: Palette) -> list[Content]:
    """What is known of a session that proposes nothing."""
    plan = found.plan
    if plan is None or plan.path is None:
        return []
    lines = _label("session", safe_line(plan.session), width, palette)
    lines += _label("file", safe_line(str(plan.path)), width, palette)
    if plan.length:
        read = f"{plan.start:,} of {plural(plan.length, 'message')} read before"
        lines += _label("read", read, width, palette)
    if found.broken_lines:
        said = f"{plural(found.broken_lines, 'broken line')} skipped"
        lines += hang("! ", said, palette.attention, width)
    return lines


def _air(lines: list[Content], has_air: bool) -> None:
    if has_air:
        lines.append(Content(""))


def _label(label: str, text: str, width: int, palette: Palette) -> list[Content]:
    if not text:
        return []
    cells = max(_LABEL_CELLS, len(label) + 2)
    parts = Content.styled(text, palette.muted).wrap(max(8, width - cells))
    return [
        Content.styled((label if place == 0 else "").ljust(cells), palette.faint) + part
        for place, part in enumerate(parts)
    ]


def _said(
    session: str,
    number: int,
    quote: str,
    found: Found,
    width: int,
    palette: Palette,
    has_air: bool,
) -> list[Content]:
    """The quote where it stands in its message."""
    message = _message(found.messages, session, number)
    where = f"message {number}"
    if message is not None and message.time_ns is not None:
        when = datetime.fromtimestamp(message.time_ns / 1e9)
        where = f"{where} · {when:%d %b %H:%M}"
    lines: list[Content] = []
    _air(lines, has_air)
    lines.append(rule("said", where, width, palette))
    before, after = "", ""
    text = message.text if message is not None else ""
    place = text.find(quote)
    if place >= 0 and quote:
        before, after = text[:place], text[place + len(quote) :]
    quoted = Content.assemble(
        (_start(before), palette.muted),
        (safe_block(quote), palette.match),
        (_end(after), palette.muted),
    )
    lines += quoted.wrap(width)
    if message is None:
        lines += Content.styled("The session is not there any more.", palette.muted).wrap(width)
    return lines


def _start(text: str) -> str:
    if len(text) <= AROUND_CHARACTERS:
        return safe_block(text.lstrip())
    return "… " + safe_block(text[-AROUND_CHARACTERS:].lstrip())


def _end(text: str) -> str:
    if len(text) <= AROUND_CHARACTERS:
        return safe_block(text.rstrip())
    return safe_block(text[:AROUND_CHARACTERS].rstrip()) + " …"


def _message(
    messages: Mapping[tuple[str, int], Message], session: str, number: int
) -> Message | None:
    return messages.get((session, number))


def _beside(item: Proposed, near: Entry | None, width: int, palette: Palette) -> list[Content]:
    """The proposal and the entry that it is like: side by side, or below each other."""
    if near is None:
        return Content.styled("It is not there any more.", palette.muted).wrap(width)
    patch = item.patch
    is_wide = width >= _BESIDE_FROM_CELLS
    cells = (width - _GAP_CELLS) // 2 if is_wide else width
    new = _entry("new", patch.summary, patch.why, patch.how_to_apply, cells, palette)
    old = _entry("there", near.summary, near.why, near.how_to_apply, cells, palette)
    if not is_wide:
        return [*old, *new]
    gap, blank = Content(" " * _GAP_CELLS), Content("")
    return [
        (left + " " * max(0, cells - left.cell_length)) + gap + right
        for left, right in zip_longest(old, new, fillvalue=blank)
    ]


def _entry(
    label: str, summary: str, why: str | None, how: str | None, width: int, palette: Palette
) -> list[Content]:
    lines = [Content.styled(label, palette.faint)]
    lines += Content.styled(safe_line(summary), palette.text).wrap(width)
    lines += _label("why", safe_line(why or ""), width, palette)
    lines += _label("apply", safe_line(how or ""), width, palette)
    return lines


def _file(item: Proposed, width: int, palette: Palette) -> list[Content]:
    """The new file as a diff."""
    patch = item.patch
    try:
        content = topic_bytes(patch)
    except ValueError as error:
        return hang("✗ ", f"No file can be made of it: {safe_line(str(error))}.", palette.bad,
                    width)  # fmt: skip
    title = "the new file" if item.is_selected else "the file, if it is selected"
    lines = [rule(title, size(len(content)), width, palette)]
    for hunk in diff_of(FileChange(patch.path, None, content, "")).hunks:
        for line in hunk.lines[:_DRAWN_LINES]:
            lines += lay_out_line(line, width, palette)
    return lines
