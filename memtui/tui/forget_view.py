"""What a forget takes and what follows, laid out beside the candidates.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from memtui.engine.plans.diff import diff_of
from memtui.engine.plans.forget import ForgetPlan, Removal
from memtui.engine.types import Scope
from memtui.tui.diff_view import lay_out_line
from memtui.tui.format import hang, plural, right, rule, size, spread
from memtui.tui.safe_text import safe_line, scoped
from memtui.tui.themes import Palette

_COUNT_CELLS = 4
_DRAWN_LINES = 400


def lay_out_removed(plan: ForgetPlan, width: int, palette: Palette) -> list[Content]:
    """The lines that go, file by file."""
    lines: list[Content] = []
    for number, removal in enumerate(plan.removals):
        if number:
            lines.append(Content(""))
        lines.append(_head(removal, width, palette))
        drawn = 0
        for hunk in diff_of(removal.change, context=1).hunks:
            for line in hunk.lines:
                drawn += 1
                if drawn <= _DRAWN_LINES:
                    lines += lay_out_line(line, width, palette)
        if drawn > _DRAWN_LINES:
            more = f"! {drawn - _DRAWN_LINES:,} more lines"
            lines.append(Content.styled(more, palette.attention))
    return lines


def lay_out_follows(
    plan: ForgetPlan, refusals: Mapping[Scope, str], width: int, palette: Palette
) -> list[Content]:
    """Counts, index lines, links that break, what is refused, and that it can be undone."""
    counts = [
        (plan.entries, "entry chosen" if plan.entries == 1 else "entries chosen", ""),
        (
            plan.files_removed,
            "file goes, it holds nothing else"
            if plan.files_removed == 1
            else "files go, they hold nothing else",
            "",
        ),
        (plan.files_edited, "file edited" if plan.files_edited == 1 else "files edited", ""),
        (
            plan.index_lines,
            "index line goes" if plan.index_lines == 1 else "index lines go",
            "",
        ),
        (
            len(plan.broken_links),
            "link breaks" if len(plan.broken_links) == 1 else "links break",
            palette.attention,
        ),
    ]
    lines: list[Content] = []
    for count, words, style in counts:
        if count:
            number = Content.styled(
                right(f"{count:,}", _COUNT_CELLS) + "  ", f"bold {style or palette.text}"
            )
            parts = Content.styled(words, palette.text).wrap(max(8, width - _COUNT_CELLS - 2))
            lines.append(number + parts[0])
            lines += [Content(" " * (_COUNT_CELLS + 2)) + part for part in parts[1:]]
    touched = {removal.document.scope for removal in plan.removals}
    for scope, reason in refusals.items():
        if scope in touched:
            lines += [Content(""), *hang("✗ ", safe_line(reason), palette.bad, width)]
    for refusal in plan.refusals:
        lines += [Content(""), *hang("✗ ", safe_line(refusal.reason), palette.bad, width)]
    lines += _index_lines(plan, width, palette)
    if plan.broken_links:
        lines += [
            Content(""),
            rule("links that will lead nowhere", f"{len(plan.broken_links)}", width, palette),
        ]
        for link in plan.broken_links[:50]:
            place = f"{scoped(link.scope, link.path)}:{link.line}"
            lines += hang("! ", place, palette.attention, width)
            lines += hang("  ", safe_line(link.text), palette.muted, width)
    for note in plan.notes:
        lines += [Content(""), *hang("! ", safe_line(note), palette.attention, width)]
    if plan.removals:
        promise = Content.assemble(
            ("Everything comes back with ", palette.muted),
            ("u", palette.key),
            (", also next week.", palette.muted),
        )
        lines += [Content(""), *promise.wrap(width)]
    return lines


def _head(removal: Removal, width: int, palette: Palette) -> Content:
    document = removal.document
    scope = "" if document.scope == "project" else f"{document.scope}:"
    gone, before = len(removal.entries), removal.entries_before
    if removal.is_whole_file:
        what = "whole file"
    else:
        what = f"{'one' if gone == 1 else gone} of {plural(before, 'entry', 'entries')}"
    left = Content.assemble(
        (scope, palette.faint),
        (safe_line(document.path), palette.strong),
        (f"  {what}", palette.muted),
    )
    end = f"{plural(removal.lines, 'line')} · {size(removal.bytes)}"
    return spread(left, Content.styled(end, palette.muted), width)


def _index_lines(plan: ForgetPlan, width: int, palette: Palette) -> list[Content]:
    lines: list[Content] = []
    for scope, edits in plan.index_edits.items():
        for edit in edits:
            if not edit.removed:
                continue
            lines += [Content(""), rule("index", scoped(scope, edit.path), width, palette)]
            for line in edit.removed[:50]:
                text = f"{line.number:>4} - {safe_line(line.text.strip())}"
                shown = Content.styled(text, palette.text).truncate(width, ellipsis=True)
                lines.append(shown.stylize_before(palette.removed_tint or palette.text))
    return lines
