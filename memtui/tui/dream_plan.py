"""The plan of a dream and the suggestions beside it, as rows.

Invariant: pure; every text of a file passes `safe_text` when its row is made or drawn. Each row
that tells something has a key, so that a list of any length can be walked to its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from memtui.engine.plans.dream_values import DreamPlan, Merge, Sort
from memtui.engine.plans.suggestions import Suggestion
from memtui.tui.format import age, badge, fit, fit_end, pad, plural, right, spread
from memtui.tui.review import ReviewFile, files_of
from memtui.tui.safe_text import safe_line
from memtui.tui.state import HeadRow
from memtui.tui.themes import Palette
from memtui.tui.widgets.rows import Row, SecondLine

NOTHING = "There is nothing to tidy."
_AGE_CELLS = 5
_INDENT = 3
_NAME_CHARACTERS = 500
KINDS = {
    "near-duplicate": "near-duplicate",
    "conflict": "contradiction",
    "same-summary": "same summary",
    "outdated": "outdated",
}


@dataclass(frozen=True)
class PlanView:
    """A plan made ready for the screen; made in a worker, since diffs take long."""

    plan: DreamPlan
    files: tuple[ReviewFile, ...]
    rows: tuple[Row, ...]
    took_ms: int

    @property
    def added(self) -> int:
        """Lines that come."""
        return sum(file.diff.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines that go."""
        return sum(file.diff.removed for file in self.files)


def plan_view(plan: DreamPlan, took_ms: int) -> PlanView:
    """Everything that the screen shows of `plan`."""
    return PlanView(plan, tuple(files_of((plan.change_set,))), tuple(plan_rows(plan)), took_ms)


def plan_rows(plan: DreamPlan) -> Iterator[Row]:
    """The rows of a plan, under the head of their group."""
    groups = (
        ("merge in a file", [merge for merge in plan.merges if merge.kind == "in-file"]),
        ("merge across files", [merge for merge in plan.merges if merge.kind == "across"]),
    )
    for title, merges in groups:
        if merges:
            yield HeadRow(title, f"{len(merges):,}")
        for merge in merges:
            yield MergeRow(merge)
            yield SecondLine(("merge", merge.gone_id), safe_line(merge.reason), 3)
    if plan.sorts:
        yield HeadRow("sort", f"{len(plan.sorts):,}")
    for sort in plan.sorts:
        yield SortRow(sort)
        yield SecondLine(("sort", sort.path), safe_line(sort.reason), 3)
    yield from _left_alone(plan)


def _left_alone(plan: DreamPlan) -> Iterator[Row]:
    count = bool(plan.pinned) + bool(plan.held_back) + len(plan.refused)
    if count or plan.unmerged:
        yield HeadRow("left alone", "")
    if plan.pinned:
        yield LeftRow("pinned", "pinned/", plural(plan.pinned, "file"))
    if plan.held_back:
        yield LeftRow("undone", "undone before", f"{plan.held_back:,}, not proposed again")
    for each in plan.unmerged:
        ids = f"{each.kept_id}  {each.other_id}"
        yield LeftRow(("unmerged", each.kept_id, each.other_id), safe_line(ids), "")
        yield SecondLine(
            ("unmerged", each.kept_id, each.other_id),
            f"same summary, but {safe_line(each.reason)}",
            3,
        )
    for number, sentence in enumerate((*plan.refused, *plan.notes)):
        yield LeftRow(("refused", number), safe_line(sentence), "", "!")
        yield RestLine(("refused", number), safe_line(sentence), _INDENT)


@dataclass(frozen=True, slots=True)
class CountsRow:
    """How much a dream would do: merges, sorts, files, lines."""

    view: PlanView
    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line above the plan."""
        view, plan = self.view, self.view.plan
        if not view.files:
            return Content.assemble(("✓ ", palette.good), (NOTHING, palette.text))
        counts = ((len(plan.merges), "merge"), (len(plan.sorts), "sort"), (len(view.files), "file"))
        parts = []
        for count, noun in counts:
            if count:
                number, word = plural(count, noun).split(" ")
                parts.append(Content.assemble((number, palette.strong), (f" {word}", palette.text)))
        end = Content.assemble(
            (f"+{view.added:,}", palette.good), " ", (f"-{view.removed:,}", palette.bad)
        )
        gap = Content("   " if width >= 44 else "  ")
        while len(parts) > 1 and gap.join(parts).cell_length >= width - end.cell_length:
            parts.pop()
        return spread(gap.join(parts), end, width)


@dataclass(frozen=True, slots=True)
class MergeRow:
    """One entry that goes, and where what it says goes."""

    merge: Merge

    @property
    def key(self) -> tuple[str, str]:
        """The entry that goes."""
        return ("merge", self.merge.gone_id)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`F feedback/review.md       :2 → :0`; across files the name of the other file."""
        merge = self.merge
        gone, kept = _number(merge.gone_id, merge.path), _number(merge.kept_id, merge.into_path)
        if merge.kind == "in-file":
            end = f"{gone} → {kept}"
        else:
            name = merge.into_path.rpartition("/")[2]
            end = f"{gone} → ".lstrip() + safe_line(name) + kept
        return _row(merge.type, merge.path, end, width, palette, has_cursor=has_cursor)


@dataclass(frozen=True, slots=True)
class SortRow:
    """One file whose entries get an order."""

    sort: Sort

    @property
    def key(self) -> tuple[str, str]:
        """The file."""
        return ("sort", self.sort.path)

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`P project/postgres-16.md      5 entries`."""
        sort = self.sort
        end = plural(sort.entries, "entry", "entries")
        return _row(sort.type, sort.path, end, width, palette, has_cursor=has_cursor)


@dataclass(frozen=True, slots=True)
class LeftRow:
    """Something that a dream leaves alone; a sign `!` asks for attention."""

    key: str | tuple[str | int, ...]
    text: str
    """Safe to draw."""
    end: str
    sign: str = " "

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line, cut where it is too long."""
        end = Content.styled(self.end, palette.muted)
        room = width - 3 - (end.cell_length + 1 if end else 0)
        style = palette.strong if has_cursor else palette.text
        text = fit(self.text, room) if self.sign == " " else _parts(self.text, width)[0]
        left = Content.assemble(" ", (self.sign, palette.attention), " ", (text, style))
        return spread(left, end, width)


@dataclass(frozen=True, slots=True)
class RestLine(SecondLine):
    """What of a sentence does not fit the row above."""

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """The rest, indented and cut."""
        rest = fit(_parts(self.text, width)[1], width - self.indent)
        return Content.assemble(" " * self.indent, (rest, palette.muted))


def _parts(text: str, width: int) -> tuple[str, str]:
    """A sentence as what fits one indented line, and the rest."""
    first, *rest = Content(text).wrap(max(8, width - _INDENT)) or [Content("")]
    return first.plain, " ".join(part.plain for part in rest)


def _row(
    kind: str, path: str, end: str, width: int, palette: Palette, *, has_cursor: bool
) -> Content:
    tail = Content.styled(fit_end(end, max(8, width // 2)), palette.text)
    room = width - 3 - tail.cell_length - 1
    left = Content.assemble(
        " ",
        badge(safe_line(kind), palette),
        " ",
        (fit_end(safe_line(path), room), palette.strong if has_cursor else palette.text),
    )
    return spread(left, tail, width)


def _number(entry_id: str, path: str) -> str:
    """What an Entry ID says beyond its path: `:2`, or nothing."""
    return safe_line(entry_id.removeprefix(path))


# Suggestions.


@dataclass(frozen=True, slots=True)
class SuggestedRow:
    """The first entry of a suggestion, or its only one."""

    number: int
    kind: str
    name: str
    age: str

    @property
    def key(self) -> int:
        """The place of the suggestion among all."""
        return self.number

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """`F Terse answers, code first      20d`."""
        return _entry(self.kind, self.name, self.age, width, palette, has_cursor=has_cursor)


@dataclass(frozen=True, slots=True)
class SuggestedWith(SecondLine):
    """The second entry of a suggestion: the cursor covers both."""

    kind: str = ""
    age: str = ""

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """As the first."""
        return _entry(self.kind, self.text, self.age, width, palette, has_cursor=has_cursor)


def _entry(
    kind: str, name: str, said: str, width: int, palette: Palette, *, has_cursor: bool
) -> Content:
    room = width - 3 - _AGE_CELLS
    return Content.assemble(
        " ",
        badge(kind, palette),
        " ",
        (pad(name, room), palette.strong if has_cursor else palette.text),
        (right(said, _AGE_CELLS), palette.muted),
    )


@dataclass(frozen=True, slots=True)
class SuggestionsHead:
    """What suggestions are, and the key that shows one."""

    key: None = None

    def draw(self, width: int, palette: Palette, *, has_cursor: bool) -> Content:
        """One line above the suggestions."""
        said = "never applied by rule" if width >= 40 else "never by rule"
        left = Content.styled(said, palette.muted)
        end = Content.assemble(("c", palette.key), (" side by side", palette.muted))
        return spread(left, end, width)


def suggestion_rows(suggestions: Sequence[Suggestion], now_ns: int) -> list[Row]:
    """Each suggestion under a head that says what it is, and how sure or in which words."""
    rows: list[Row] = []
    for number, each in enumerate(suggestions):
        rows.append(HeadRow(KINDS[each.kind], measure_of(each)))
        for place, (document, entry) in enumerate(each.entries[:2]):
            kind = safe_line(document.type)
            name = safe_line((entry.summary or document.name)[:_NAME_CHARACTERS])
            said = age(document.mtime_ns, now_ns)
            if place:
                rows.append(SuggestedWith(number, name, 3, kind=kind, age=said))
            else:
                rows.append(SuggestedRow(number, kind, name, said))
    return rows


def measure_of(suggestion: Suggestion) -> str:
    """The score of a near duplicate, with the numbers it differs in; else the words."""
    words = safe_line(suggestion.words)
    if suggestion.score is None:
        return words
    return f"{words} · {suggestion.score}" if words else f"{suggestion.score}"
