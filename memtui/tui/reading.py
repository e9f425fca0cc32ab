"""A memory, an index or a faulty file laid out as lines.

Invariant: pure; every text of a file passes `safe_text` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.types import Entry, TopicDocument, Verdict
from memtui.tui.format import (
    NAME_CHARACTERS,
    age,
    chip,
    fit,
    hang,
    plural,
    rule,
    size,
    spread,
    stack,
    wrap,
)
from memtui.tui.index_view import IndexView, lay_out_index
from memtui.tui.markdown import mark_tokens, render_markdown
from memtui.tui.safe_text import safe_line, safe_lines
from memtui.tui.themes import Palette

LAID_OUT_LINES = 400
"""A longer body is shown raw: laying out Markdown costs time by the line."""
LAID_OUT_CHARACTERS = 40_000
RAW_LINES = 4_000
RAW_ROWS = 4_000
RAW_CHARACTERS = 250_000
"""More of a file is not drawn; the last line says so. A row is what a line wraps into."""

_NAME_ROWS = 4
_NAME_CELLS = 8
"""A name with less room than this has its lines to itself, above the type."""
_VALUE_ROWS = 100
_FACTS = 100
"""No more rows are drawn of one value, and no more keys, faults and links of one file."""


@dataclass(frozen=True)
class LinkView:
    """One link from or to a memory, safe to draw."""

    target: str
    place: str
    """`:2`, or `line 9`."""
    is_broken: bool = False
    hint: str = ""
    """What a broken link may have meant."""


@dataclass(frozen=True)
class DocumentView:
    """What the memory pane shows of a topic file."""

    document: TopicDocument
    verdict: Verdict
    agent_name: str
    """Whose eyes the verdict speaks of, such as `Qwen 0.24`."""
    entries: tuple[Entry, ...]
    index_line: int | None
    """The line of the index that lists it; None where there is none."""
    has_index: bool
    links_out: tuple[LinkView, ...]
    links_in: tuple[LinkView, ...]
    tokens: tuple[str, ...]
    """Recall tokens to mark."""
    is_raw: bool
    now_ns: int


@dataclass(frozen=True)
class ProblemView:
    """What the memory pane shows of a file that yields no document."""

    scope: str
    path: str
    message: str


def lay_out(
    view: DocumentView | IndexView | ProblemView, width: int, palette: Palette, has_air: bool
) -> list[Content]:
    """The memory pane for whatever is under the cursor."""
    match view:
        case DocumentView():
            return lay_out_document(view, width, palette, has_air)
        case IndexView():
            return lay_out_index(view, width, palette, has_air)
        case ProblemView():
            return lay_out_problem(view, width, palette)


def is_long(document: TopicDocument) -> bool:
    """True where a body is shown raw, so that nobody waits; its entries are not marked then."""
    body = document.body_text
    return len(body) > LAID_OUT_CHARACTERS or body.count("\n") > LAID_OUT_LINES


def lay_out_document(
    view: DocumentView, width: int, palette: Palette, has_air: bool
) -> list[Content]:
    """The whole pane for one topic file; `has_air` puts blank lines before the rules."""
    document = view.document
    air = [Content("")] if has_air else []
    lines = [*_head(view, width, palette), *air]
    if document.description:
        style = palette.text
        lines += _value(document.description, width, style, palette, tokens=view.tokens)
    lines += _facts(view, width, palette)
    if view.is_raw or is_long(document):
        why = "as it stands" if view.is_raw else "too long to lay out"
        text = document.source.decode("utf-8", "replace")
        lines += [*air, rule("file", why, width, palette)]
        return lines + lay_out_raw(text, width, palette, view.tokens)
    lines += _body(view, width, palette, air)
    return lines + _links(view, width, palette, air)


def lay_out_problem(view: ProblemView, width: int, palette: Palette) -> list[Content]:
    """The whole pane for a file that could not be read."""
    return [
        *Content.styled(safe_line(view.path), palette.strong).wrap(width),
        Content(""),
        *Content.assemble(("✗ ", palette.bad), safe_line(view.message)).wrap(width),
        Content(""),
        *Content.styled(
            "The other memories are not affected; no agent can read this one either.",
            palette.muted,
        ).wrap(width),
    ]


def lay_out_raw(
    text: str, width: int, palette: Palette, tokens: Sequence[str] = ()
) -> list[Content]:
    """`text` as it stands, each line numbered, long lines wrapped below an empty gutter."""
    drawn = text[: min(RAW_CHARACTERS, RAW_ROWS * max(4, width))]
    source = safe_lines(drawn)
    if source and not source[-1]:
        source.pop()
    goes_on = len(source) > RAW_LINES or len(text) > len(drawn)
    lines: list[Content] = []
    gutter = len(str(min(len(source), RAW_LINES))) + 1
    for number, line in enumerate(source[:RAW_LINES], 1):
        rows = RAW_ROWS - len(lines)
        if rows <= 0:
            goes_on = True
            break
        cells = max(4, width - gutter)
        shown = Content.styled(line[: rows * cells], palette.text)
        goes_on = goes_on or len(shown) < len(line)
        parts = wrap(mark_tokens(shown, tokens, palette), cells, rows)
        for place, part in enumerate(parts or [Content("")]):
            lead = f"{number:>{gutter - 1}} " if place == 0 else " " * gutter
            lines.append(Content.styled(lead, palette.faint) + part)
    if goes_on:
        more = f"! the file goes on: {len(text):,} characters in all; read the rest in an editor"
        lines += Content.styled(more, palette.attention).wrap(width)
    return lines


def _head(view: DocumentView, width: int, palette: Palette) -> list[Content]:
    document = view.document
    kind = chip(_short_type(document, width), palette)
    beside = width - kind.cell_length - 1
    room = beside if beside >= _NAME_CELLS else max(_NAME_CELLS, width)
    title = Content.styled(safe_line(document.name[: _NAME_ROWS * room]), palette.strong)
    title = mark_tokens(title, view.tokens, palette)
    rows = wrap(title, room, _NAME_ROWS) or [Content("")]
    if room == beside:
        rows[0] = spread(rows[0], kind, width)
    else:
        rows.append(spread(Content(""), kind, width))
    path = document.path if document.scope == "project" else f"{document.scope}:{document.path}"
    return [
        *rows,
        *stack(
            Content.styled(safe_line(path), palette.muted),
            Content.styled(
                f"{size(len(document.raw))} · {age(document.mtime_ns, view.now_ns)}", palette.muted
            ),
            width,
        ),
    ]


def _short_type(document: TopicDocument, width: int) -> str:
    """The type beside the name; one that is cut here is shown whole below."""
    return fit(safe_line(document.type[:NAME_CHARACTERS]), max(9, width // 3))


def _facts(view: DocumentView, width: int, palette: Palette) -> list[Content]:
    """The verdict, what is wrong, and the other keys of the frontmatter."""
    document, verdict = view.document, view.verdict
    lines: list[Content] = []
    if view.index_line is not None:
        place = Content.styled(f"index line {view.index_line}", palette.muted)
    elif view.has_index:
        place = Content.styled("! not in the index", palette.attention)
    else:
        place = Content.styled("no index", palette.muted)
    if verdict.seen is None:
        lines += stack(Content.styled("· no agent here", palette.muted), place, width)
    elif verdict.seen:
        seen = Content.assemble(
            ("✓", palette.good), " seen", (f" by {view.agent_name}", palette.muted)
        )
        lines += stack(seen, place, width)
    else:
        unseen = Content.assemble(
            ("✗ unseen", palette.bad_word), (f" by {view.agent_name}", palette.muted)
        )
        lines += stack(unseen, place, width)
    for skip in verdict.skipped_by:
        who = "" if verdict.seen is not None else f"{skip.agent} skips it: "
        style = palette.bad if verdict.seen is False else palette.muted
        lines += hang("  ", f"{who}{safe_line(skip.reason)}", style, width)
    for problem in document.problems[:_FACTS]:
        lines += hang("! ", safe_line(problem.message), palette.attention, width)
    lines += _more(len(document.problems) - _FACTS, "fault", width, palette)
    told = {"name", "description"}
    if document.type_place == "top" and _short_type(document, width) == safe_line(document.type):
        told.add("type")
    others = [(field.key, field.value) for field in document.fields if field.key not in told]
    if document.link is not None:
        others.insert(0, ("link to", document.link))
    shown = [(safe_line(key[:NAME_CHARACTERS]), value) for key, value in others[:_FACTS]]
    cells = min(max((len(key) for key, _ in shown), default=0) + 2, max(8, width // 2))
    for key, value in shown:
        lines += _label(key, value, cells, width, palette)
    return lines + _more(len(others) - _FACTS, "key", width, palette)


def _body(view: DocumentView, width: int, palette: Palette, air: list[Content]) -> list[Content]:
    document, lines = view.document, list[Content]()

    def text_of(start: int, end: int) -> list[Content]:
        text = document.source[start:end].decode("utf-8", "replace")
        return render_markdown("\n".join(safe_lines(text)), width, palette, view.tokens)

    entries = view.entries
    if not document.body_text.strip():
        return [*air, rule("body", "empty", width, palette)]
    before = text_of(document.body.start, entries[0].span.start if entries else document.body.end)
    if before:
        lines += [*air, *before]
    for entry in entries:
        name = "entry" if entry.index is None else f":{entry.index}"
        lines += [*air, rule(name, f"@{entry.digest}", width, palette)]
        lines += text_of(entry.span.start, entry.span.end)
    return lines


def _links(view: DocumentView, width: int, palette: Palette, air: list[Content]) -> list[Content]:
    if not view.links_out and not view.links_in:
        return []
    count = f"{len(view.links_out)} out · {len(view.links_in)} in"
    lines = [*air, rule("links", count, width, palette)]
    for sign, links in (("→", view.links_out), ("←", view.links_in)):
        for link in links[:_FACTS]:
            mark = ("!", palette.attention) if link.is_broken else (sign, palette.primary)
            style = palette.attention if link.is_broken else palette.text
            said = f"{link.target} leads nowhere" if link.is_broken else link.target
            left = Content.assemble(mark, " ", (said, style))
            lines.append(spread(left, Content.styled(link.place, palette.muted), width))
            if link.hint:
                lines += hang("  ", link.hint, palette.muted, width)
        lines += _more(len(links) - _FACTS, "link", width, palette)
    return lines


def _label(label: str, value: str, cells: int, width: int, palette: Palette) -> list[Content]:
    head = fit(label, cells - 1).ljust(cells)
    parts = _value(value, max(8, width - cells), palette.muted, palette)
    lines = [Content.styled(head, palette.faint) + (parts[0] if parts else Content(""))]
    return lines + [Content(" " * cells) + part for part in parts[1:]]


def _value(
    text: str, width: int, style: str, palette: Palette, *, tokens: Sequence[str] = ()
) -> list[Content]:
    """A value of the frontmatter as rows, only its start where it is very long."""
    start = text[: _VALUE_ROWS * width]
    shown = mark_tokens(Content.styled(safe_line(start), style), tokens, palette)
    rows = shown.wrap(width)
    if len(start) == len(text) and len(rows) <= _VALUE_ROWS:
        return rows
    more = f"! it goes on: {len(text):,} characters in all"
    return [*rows[:_VALUE_ROWS], *Content.styled(more, palette.attention).wrap(width)]


def _more(count: int, noun: str, width: int, palette: Palette) -> list[Content]:
    """A line that says how many things are not drawn; none where all are."""
    if count <= 0:
        return []
    return hang("! ", f"{plural(count, f'more {noun}')} not shown here", palette.attention, width)
