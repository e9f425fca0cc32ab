"""What the browse screen shows, as values: the rows of the list.

Invariant: pure. Every text of a file passes `safe_text` when its row is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from textual.content import Content

from memtui.engine.types import FileProblem, Scope, TopicDocument, Verdict
from memtui.tui.format import (
    NAME_CHARACTERS,
    OLD_AFTER_DAYS,
    age,
    age_days,
    badge,
    pad,
    right,
    rule,
)
from memtui.tui.messages import Place
from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_AGE_CELLS = 4
_WORD_FROM_CELLS = 28
"""Below this width the quiet words go; `unseen` never does."""


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A rule line over the rows of one scope."""

    title: str
    count: str
    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`title ───── count`."""
        return rule(self.title, self.count, width, palette)


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of a store: a memory, an index, or a file that could not be read."""

    key: Place
    name: str
    kind: str
    """The type; empty for an index and for a file that could not be read."""
    sign: str
    """Drawn instead of the badge where it is not empty."""
    word: str
    is_bad: bool
    age: str
    is_old: bool

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """Cursor bar, badge, name, a word, the age and its flag."""
        word = self.word
        if word and not self.is_bad and width < _WORD_FROM_CELLS:
            word = ""
        word_cells = len(word) + 1 if word else 0
        name_cells = width - 3 - word_cells - 1 - _AGE_CELLS - 1
        name_style = palette.muted if self.is_bad or self.sign else palette.text
        if has_cursor:
            name_style = palette.strong
        sign_style = palette.bad_word if self.is_bad else palette.faint
        old = palette.attention if self.is_old else palette.muted
        return Content.assemble(
            " ",
            (self.sign, sign_style) if self.sign else badge(self.kind, palette),
            " ",
            (pad(self.name, name_cells), name_style),
            (f" {word}" if word else "", _word_style(self, palette)),
            " ",
            (right(self.age, _AGE_CELLS), old),
            ("!" if self.is_old else " ", palette.attention),
        )


def _word_style(row: FileRow, palette: Palette) -> str:
    if row.is_bad:
        return palette.bad_word
    return palette.attention if row.word == "faulty" else palette.word


def document_row(document: TopicDocument, verdict: Verdict, now_ns: int) -> FileRow:
    """The row of a memory."""
    word, is_unseen = "", verdict.seen is False
    if is_unseen:
        word = "unseen"
    elif document.is_pinned:
        word = "pin"
    elif document.link is not None:
        word = "link"
    elif document.problems:
        word = "faulty"
    return FileRow(
        key=(document.scope, document.path),
        name=safe_line(document.name[:NAME_CHARACTERS]),
        kind=document.type,
        sign="",
        word=word,
        is_bad=is_unseen,
        age=age(document.mtime_ns, now_ns),
        is_old=age_days(document.mtime_ns, now_ns) > OLD_AFTER_DAYS,
    )


def problem_row(problem: FileProblem) -> FileRow:
    """The row of a file that yields no document."""
    name = safe_line(PurePosixPath(problem.path).name)
    return FileRow((problem.scope, problem.path), name, "", "✗", "unread", True, "", False)


def index_row(scope: Scope, path: str, line_count: int) -> FileRow:
    """The row of an index file."""
    return FileRow((scope, path), safe_line(path), "", "·", f"{line_count} lines", False, "", False)


def scope_rows(
    scope: Scope, files: Sequence[FileRow], count: int, total: int
) -> list[HeadRow | FileRow]:
    """The rows of one scope under its head; the head says how many memories fit the filter."""
    said = f"{count:,}" if count == total else f"{count:,} of {total:,}"
    return [HeadRow(scope, said), *files]
