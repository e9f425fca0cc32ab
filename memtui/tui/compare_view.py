"""Two entries side by side: whole texts, with the words marked in which they differ.

Invariant: pure; every text of a file passes `safe_text` before anything else looks at it, so that
marks stand where they are drawn. A word counts as said in both wherever it stands; of scripts
without blanks a character does with the one beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.content import Content

from memtui.engine.text import fold
from memtui.engine.types import Entry, TopicDocument
from memtui.tui.format import age, chip, fit_end, hang, plural, rule, size, spread, stack
from memtui.tui.safe_text import safe_block, safe_line, scoped
from memtui.tui.themes import Palette

MOST_CHARACTERS = 20_000
"""More of an entry is not drawn; the last line says so."""
_LABEL_CELLS = 12
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTERS = f"[^\\W{_UNSPACED}]+"
_RUN = re.compile(f"[{_UNSPACED}]+|{_LETTERS}(?:['’./:-]{_LETTERS})*")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


class Word(NamedTuple):
    """A word of a text, or one character of a script without blanks."""

    start: int
    end: int
    keys: tuple[str, ...]
    """Folded; one of them in the other text makes it said in both."""


@dataclass(frozen=True)
class Side:
    """One entry and the file it stands in."""

    document: TopicDocument
    entry: Entry

    @property
    def name(self) -> str:
        """The name of the file; none beside others in it, where it says nothing of the entry."""
        return safe_line(self.document.name) if self.entry.index is None else ""

    @property
    def description(self) -> str:
        """The description of the file, as `name`."""
        return safe_line(self.document.description) if self.entry.index is None else ""

    @property
    def text(self) -> str:
        """The entry as it stands in the file, safe to draw."""
        raw = self.entry.span.of(self.document.source)
        return safe_block(raw[: 4 * MOST_CHARACTERS].decode("utf-8", "replace")).strip("\n")

    @property
    def whole(self) -> str:
        """All that is compared."""
        return "\n".join((self.name, self.description, self.text))


def words_of(text: str) -> Iterator[Word]:
    """The words of a text, in their order."""
    for run in _RUN.finditer(text):
        if not _IS_UNSPACED.match(run[0]):
            yield Word(run.start(), run.end(), (fold(run[0]),))
            continue
        characters = f"^{run[0]}$"
        for place in range(1, len(characters) - 1):
            keys = (characters[place - 1 : place + 1], characters[place : place + 2])
            start = run.start() + place - 1
            yield Word(start, start + 1, keys if len(run[0]) > 1 else (*keys, run[0]))


def keys_of(text: str) -> frozenset[str]:
    """Everything that counts as said in a text."""
    keys = {key for word in words_of(text) for key in word.keys}
    return frozenset(keys | {character for character in text if _IS_UNSPACED.match(character)})


def own_words(text: str, other: frozenset[str]) -> list[Word]:
    """The words of `text` that are not among the keys of the other."""
    return [word for word in words_of(text) if not other.intersection(word.keys)]


def lay_out_side(
    side: Side, other: Side | None, now_ns: int, width: int, palette: Palette
) -> list[Content]:
    """The whole pane of one entry; without another to compare with, nothing is marked."""
    document, entry = side.document, side.entry
    digest = f"@{entry.digest}"
    kind = chip(safe_line(document.type), palette)
    room = max(8, width - len(digest) - kind.cell_length - 2)
    head = Content.assemble(
        (fit_end(scoped(entry.scope, entry.id), room), palette.strong), (digest, palette.faint)
    )
    facts = f"{_age(document, now_ns)} · {size(entry.span.end - entry.span.start)}"
    if document.is_pinned:
        facts += " · pinned"
    lines = [*stack(head, kind, width), Content.styled(facts, palette.muted)]
    known = None if other is None else keys_of(other.whole)
    for label, value in (("name", side.name), ("description", side.description)):
        if value:
            shown = _marked(value, known, palette).wrap(max(8, width - _LABEL_CELLS))
            for place, part in enumerate(shown):
                lead = label if place == 0 else ""
                lines.append(Content.styled(lead.ljust(_LABEL_CELLS), palette.faint) + part)
    text = side.text
    total = len(list(words_of(side.whole)))
    own = 0 if known is None else len(own_words(side.whole, known))
    said = "" if known is None else _share(total, own)
    lines += [Content(""), rule("entry", said, width, palette)]
    goes_on = len(text) > MOST_CHARACTERS or side.entry.span.end - side.entry.span.start > (
        4 * MOST_CHARACTERS
    )
    for line in text[:MOST_CHARACTERS].split("\n"):
        lines += _marked(line, known, palette).wrap(width) or [Content("")]
    if goes_on:
        more = "the entry goes on; read the rest in an editor"
        lines += hang("! ", more, palette.attention, width)
    return lines


def lay_out_about(words: str, width: int, palette: Palette) -> list[Content]:
    """What stands beside an entry that is alone in its suggestion."""
    return [
        *Content.assemble(
            ("It says ", palette.text),
            (f"“{safe_line(words)}”", f"bold {palette.match}"),
            (", so it may no longer hold.", palette.text),
        ).wrap(width),
        Content(""),
        *Content.assemble(
            ("f", palette.key),
            (" forgets it, after a review; nothing goes by itself.", palette.muted),
        ).wrap(width),
    ]


def legend(palette: Palette) -> Content:
    """What the marks mean."""
    return Content.assemble(
        ("said in both", palette.muted),
        ("   ", palette.text),
        ("only here", f"bold {palette.match}"),
    )


def lay_out_gone(width: int, palette: Palette) -> Sequence[Content]:
    """An entry that is not there any more."""
    return hang("! ", "This entry was changed or went meanwhile.", palette.attention, width)


def _marked(text: str, known: frozenset[str] | None, palette: Palette) -> Content:
    """`text` with the words marked that are not among `known`."""
    if known is None:
        return Content.styled(text, palette.text)
    shown = Content.styled(text, palette.muted)
    for start, end in _joined(own_words(text, known), text):
        shown = shown.stylize(f"bold {palette.match}", start, end)
    return shown


def _joined(words: Sequence[Word], text: str) -> list[tuple[int, int]]:
    """The places of words; those with only a blank between them, or none, are one."""
    spans: list[tuple[int, int]] = []
    for word in words:
        if spans and not text[spans[-1][1] : word.start].strip(" "):
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    return spans


def _share(total: int, own: int) -> str:
    return f"{plural(own, 'word')} of {total:,} only here" if own else "all words in both"


def _age(document: TopicDocument, now_ns: int) -> str:
    said = age(document.mtime_ns, now_ns)
    return "changed just now" if said == "now" else f"{said} old"


def title_of(side: Side, other: Side | None) -> str:
    """`Older` or `Newer`, where the files tell; else nothing."""
    if other is None or side.document.mtime_ns == other.document.mtime_ns:
        return ""
    return "older" if side.document.mtime_ns < other.document.mtime_ns else "newer"


def header_line(kind: str, measure: str, width: int, palette: Palette) -> Content:
    """What the suggestion is, and what the marks mean."""
    left = Content.assemble((kind, palette.strong), ("  " + measure, palette.muted))
    return spread(left, legend(palette), width)
