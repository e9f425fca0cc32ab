"""What a file change looks like, line by line (design section 1, review).

Invariant: a diff is plain values made of one change; put together, its lines give both sides
again. The cost is bounded: what is too long or too repetitive is shown as a block that goes and
one that comes. Text is decoded for display and may hold anything a terminal obeys: callers make it
safe.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.format.envelope import decode
from memtui.engine.types import INDEX_NAME, ChangeKind, ChangeSet, FileChange, Problem

Sign = Literal[" ", "-", "+"]

CONTEXT_LINES = 3
COARSE_LINES = 5_000
"""Of both sides together, what is equal at both ends left away."""
_COARSE_PAIRS = 400_000
"""Pairs of equal lines that the search would look at."""
_PAIRED_LINES = 60
"""A longer block of replaced lines is not searched for lines that are alike."""
_MIN_LIKENESS = 0.4
_MAX_WORDS = 400
"""Of a line with more, only the beginning and the end are compared."""

_NEWLINE_NOTE = "\\ No newline at end of file"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s]")


class DiffLine(NamedTuple):
    """One line of a diff."""

    sign: Sign
    text: str
    """Without the line end."""
    ending: str
    """`\\n`, `\\r\\n`, or empty for a last line without one."""
    old: int | None
    """Its number in the old file, 1-based; None where it is new."""
    new: int | None
    """Its number in the new file; None where it goes."""
    words: tuple[tuple[int, int], ...] = ()
    """The changed ranges of `text` where a line of the other side is like it; else empty."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together: changed ones and what is around them."""

    old_start: int
    """1-based; the number of the line before where the hunk has no old line."""
    old_count: int
    new_start: int
    new_count: int
    heading: str
    """Where the first change of an edited topic file lies: `entry :2`, `frontmatter`, or empty."""
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A change of one file, for reading."""

    path: str
    kind: ChangeKind
    hunks: tuple[Hunk, ...]
    added: int
    """Lines that come."""
    removed: int
    """Lines that go."""
    note: str = ""
    """`not UTF-8, shown as Latin-1`, `symbolic link`, `too long to compare line by line` …"""


def diff_of(change: FileChange, *, context: int = CONTEXT_LINES) -> FileDiff:
    """The lines that a change takes, brings and leaves around them.

    `context` counts the unchanged lines shown on each side. A symlink that comes or goes is one
    line, its target.
    """
    if change.link is not None and change.kind != "changed":
        return _link_diff(change)
    notes: list[str] = []
    old = _lines(change.before, notes)
    new = _lines(change.after, notes)
    blocks, is_coarse = _blocks(old, new)
    if is_coarse:
        notes.append("too long to compare line by line")
    lines = list(_diff_lines(old, new, blocks))
    hunks = tuple(_hunks(lines, context, change))
    added = sum(line.sign == "+" for line in lines)
    removed = sum(line.sign == "-" for line in lines)
    note = ", ".join(dict.fromkeys(notes))
    return FileDiff(change.path, change.kind, hunks, added, removed, note)


def unified(change_set: ChangeSet) -> str:
    """All changes of a set as one text in the unified format; with a final newline unless empty.

    For files that are UTF-8 it is a patch that standard tools take.
    """
    return "".join(unified_file(change) for change in change_set.changes)


def unified_file(change: FileChange) -> str:
    """One change in the unified format."""
    diff = diff_of(change)
    old = "/dev/null" if diff.kind == "added" else f"a/{diff.path}"
    new = "/dev/null" if diff.kind == "removed" else f"b/{diff.path}"
    parts = [f"--- {old}\n+++ {new}\n"]
    if diff.note:
        parts.insert(0, f"# {diff.path}: {diff.note}\n")
    for hunk in diff.hunks:
        old_range = _range(hunk.old_start, hunk.old_count)
        new_range = _range(hunk.new_start, hunk.new_count)
        parts.append(
            f"@@ -{old_range} +{new_range} @@{' ' + hunk.heading if hunk.heading else ''}\n"
        )
        for line in hunk.lines:
            parts.append(f"{line.sign}{line.text}{line.ending or chr(10)}")
            if not line.ending:
                parts.append(f"{_NEWLINE_NOTE}\n")
    return "".join(parts)


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def _link_diff(change: FileChange) -> FileDiff:
    target = change.link or ""
    is_new = change.kind == "added"
    line = DiffLine(
        "+" if is_new else "-", target, "\n", None if is_new else 1, 1 if is_new else None
    )
    hunk = Hunk(int(not is_new), int(not is_new), int(is_new), int(is_new), "", (line,))
    return FileDiff(
        change.path, change.kind, (hunk,), int(is_new), int(not is_new), "symbolic link"
    )


def _lines(content: bytes | None, notes: list[str]) -> list[str]:
    """The lines of a file, each with its line end."""
    if not content:
        return []
    problems: list[Problem] = []
    source, encoding = decode(content, problems)
    if encoding != "utf-8":
        shown = "Latin-1" if encoding == "latin-1" else "UTF-16"
        notes.append(f"not UTF-8, shown as {shown}")
    text = source.decode("utf-8", "replace")
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


class _Block(NamedTuple):
    """A range of old lines and of new ones that are equal, or take each other's place."""

    is_equal: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def _blocks(old: Sequence[str], new: Sequence[str]) -> tuple[list[_Block], bool]:
    """Both sides as blocks in order; True where they were too long to compare."""
    head, tail = _common_ends(old, new)
    old_middle = old[head : len(old) - tail]
    new_middle = new[head : len(new) - tail]
    blocks = [_Block(True, 0, head, 0, head)]
    is_coarse = bool(old_middle and new_middle) and _is_too_much(old_middle, new_middle)
    if is_coarse or not (old_middle and new_middle):
        blocks.append(_Block(False, head, len(old) - tail, head, len(new) - tail))
    else:
        matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
            blocks.append(
                _Block(
                    tag == "equal",
                    old_start + head,
                    old_end + head,
                    new_start + head,
                    new_end + head,
                )
            )
    blocks.append(_Block(True, len(old) - tail, len(old), len(new) - tail, len(new)))
    return blocks, is_coarse


def _is_too_much(old: Sequence[str], new: Sequence[str]) -> bool:
    if len(old) + len(new) > COARSE_LINES:
        return True
    counts = Counter(new)
    return sum(counts[line] for line in old) > _COARSE_PAIRS


def _diff_lines(
    old: Sequence[str], new: Sequence[str], blocks: Sequence[_Block]
) -> Iterator[DiffLine]:
    for block in blocks:
        if block.is_equal:
            for offset in range(block.old_end - block.old_start):
                at = block.old_start + offset
                text, ending = _split(old[at])
                yield DiffLine(" ", text, ending, at + 1, block.new_start + offset + 1)
            continue
        old_at, new_at = block.old_start, block.new_start
        for old_match, new_match in [*_alike(old, new, block), (block.old_end, block.new_end)]:
            for at in range(old_at, old_match):
                text, ending = _split(old[at])
                yield DiffLine("-", text, ending, at + 1, None)
            for at in range(new_at, new_match):
                text, ending = _split(new[at])
                yield DiffLine("+", text, ending, None, at + 1)
            if old_match < block.old_end:
                before, before_end = _split(old[old_match])
                after, after_end = _split(new[new_match])
                gone, come = _changed_words(before, after)
                yield DiffLine("-", before, before_end, old_match + 1, None, gone)
                yield DiffLine("+", after, after_end, None, new_match + 1, come)
            old_at, new_at = old_match + 1, new_match + 1


def _split(line: str) -> tuple[str, str]:
    if line.endswith("\r\n"):
        return line[:-2], "\r\n"
    return (line[:-1], "\n") if line.endswith("\n") else (line, "")


def _alike(old: Sequence[str], new: Sequence[str], block: _Block) -> list[tuple[int, int]]:
    """Pairs of a line that goes and the one that takes its place, in the order of both."""
    old_lines = range(block.old_start, block.old_end)
    new_lines = range(block.new_start, block.new_end)
    if not old_lines or not new_lines or max(len(old_lines), len(new_lines)) > _PAIRED_LINES:
        return []
    pairs: list[tuple[int, int]] = []
    new_words = {at: Counter(_WORD.findall(new[at])) for at in new_lines}
    first = block.new_start
    for old_at in old_lines:
        words = Counter(_WORD.findall(old[old_at]))
        best, place = _MIN_LIKENESS, -1
        for new_at in range(first, block.new_end):
            likeness = _likeness(words, new_words[new_at])
            if likeness > best:
                best, place = likeness, new_at
        if place >= 0:
            pairs.append((old_at, place))
            first = place + 1
    return pairs


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of characters in words that both lines have; blanks do not count."""
    size = _weight(one) + _weight(other)
    return 2 * _weight(one & other) / size if size else 0.0


def _weight(words: Counter[str]) -> int:
    return sum(len(word) * count for word, count in words.items() if not word.isspace())


_Ranges = tuple[tuple[int, int], ...]


def _changed_words(before: str, after: str) -> tuple[_Ranges, _Ranges]:
    """The ranges of characters that differ, by whole words."""
    old = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(before)]
    new = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(after)]
    old_words = [word for _, _, word in old]
    new_words = [word for _, _, word in new]
    if max(len(old), len(new)) > _MAX_WORDS:
        head, tail = _common_ends(old_words, new_words)
        blocks = [_Block(False, head, len(old) - tail, head, len(new) - tail)]
    else:
        blocks, _ = _blocks(old_words, new_words)
    gone: list[tuple[int, int]] = []
    come: list[tuple[int, int]] = []
    for block in blocks:
        if not block.is_equal:
            if block.old_start < block.old_end:
                gone.append((old[block.old_start][0], old[block.old_end - 1][1]))
            if block.new_start < block.new_end:
                come.append((new[block.new_start][0], new[block.new_end - 1][1]))
    return _joined(gone, before), _joined(come, after)


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many items both sides have in common at the beginning and, behind that, at the end."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def _joined(ranges: Sequence[tuple[int, int]], text: str) -> _Ranges:
    """The ranges, those with nothing but blanks between them as one."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def _hunks(lines: Sequence[DiffLine], context: int, change: FileChange) -> Iterator[Hunk]:
    """Runs of changed lines with `context` lines around them; near ones are one hunk."""
    changed = [at for at, line in enumerate(lines) if line.sign != " "]
    places = _Places(change)
    start = position = old_lines = new_lines = 0
    while start < len(changed):
        end = start
        while end + 1 < len(changed) and changed[end + 1] - changed[end] <= 2 * context + 1:
            end += 1
        first = max(changed[start] - context, 0)
        last = min(changed[end] + context + 1, len(lines))
        old_lines += sum(line.old is not None for line in lines[position:first])
        new_lines += sum(line.new is not None for line in lines[position:first])
        shown = tuple(lines[first:last])
        telling = [lines[at] for at in changed[start : end + 1] if lines[at].text.strip()]
        old_count = sum(line.old is not None for line in shown)
        new_count = sum(line.new is not None for line in shown)
        yield Hunk(
            old_lines + (old_count > 0),
            old_count,
            new_lines + (new_count > 0),
            new_count,
            places.heading(telling[0] if telling else lines[changed[start]]),
            shown,
        )
        position = last
        old_lines += old_count
        new_lines += new_count
        start = end + 1


class _Places:
    """Names the part of a topic file that a line lies in."""

    def __init__(self, change: FileChange) -> None:
        is_index = change.path.rpartition("/")[2] == INDEX_NAME
        has_sections = change.kind == "changed" and not is_index
        self._old = _sections(change.before) if has_sections else []
        self._new = _sections(change.after) if has_sections else []

    def heading(self, line: DiffLine) -> str:
        """The section of `line`, in the file that it belongs to."""
        number = line.old if line.old is not None else line.new
        sections = self._old if line.old is not None else self._new
        name = ""
        for first, heading in sections:
            if number is None or first > number:
                break
            name = heading
        return name


def _sections(content: bytes | None) -> list[tuple[int, str]]:
    """The first line and the name of each part of a topic file."""
    if not content:
        return []
    document = parse_document(content, path="")
    sections = []
    if document.frontmatter.end > document.frontmatter.start:
        sections.append((1, "frontmatter"))
    at = document.source.count(b"\n", 0, document.body.start) + 1
    sections.append((at, ""))
    for entry in entries_of(document):
        if entry.index is not None:
            line = document.source.count(b"\n", 0, entry.span.start) + 1
            sections.append((line, f"entry :{entry.index}"))
    return sections
