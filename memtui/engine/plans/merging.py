"""Two entries of the same summary become one (spec section 9).

Invariant: the merged entry begins with the bytes of the kept one and has all of them; what the
other says beyond it is put in at the ends of its text and its fields, with the kept one's
spelling, indent and line ends. What is said already is not said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memtui.engine.format.blocks import FieldName
from memtui.engine.format.index_edit import Splice, splice
from memtui.engine.plans.dream_parts import (
    ALSO,
    FULL_STOPS,
    Block,
    FieldPart,
    Parts,
    decode,
    holds,
    is_plain,
    says,
)
from memtui.engine.text import fold

_LABEL = re.compile(rb"(why)|(how)([ \t_]+)(to)[ \t_]+(apply)", re.IGNORECASE)
_BOLD = b"**Why:** "
_SENTENCE_ENDS = ".!?…。！？"


@dataclass(slots=True)
class Merged:
    """A merged entry and what had to be done for it."""

    content: bytes
    both: list[FieldName] = field(default_factory=list)
    """The fields that both had with other values, which are both kept."""
    added: list[FieldName] = field(default_factory=list)
    """The fields that the kept entry had not."""
    has_also: bool = False
    has_text: bool = False
    """True where other text was added."""

    @property
    def is_changed(self) -> bool:
        """True where the kept entry gets other bytes."""
        return bool(self.both or self.added) or self.has_also or self.has_text


def may_merge(kept: Parts, gone: Parts, *, is_across: bool) -> bool:
    """True where the rule allows it: across files other text must be equal or missing in one."""
    if kept.summary != gone.summary:
        return False
    keys = (kept.rest_key, gone.rest_key)
    return not is_across or "" in keys or keys[0] == keys[1]


def tears(kept: Parts, gone: Parts) -> bool:
    """True where the sentence that the other begins with would be torn apart by a merge.

    Its first line is the same, but it goes on over further lines, and those in another way.
    """
    if not gone.wrapped or gone.summary[-1:] in _SENTENCE_ENDS:
        return False
    if not kept.wrapped:
        return bool(kept.rest.lines or kept.also)
    shorter = min(len(kept.wrapped), len(gone.wrapped))
    return kept.wrapped[:shorter] != gone.wrapped[:shorter]


def merge(
    kept: Parts,
    gone: Parts,
    *,
    newline: bytes,
    also: Iterable[str] = (),
    said: Sequence[str] = (),
    style: bytes | None = None,
) -> Merged:
    """The kept entry with what `gone` says beyond it.

    `newline` ends new lines; `also` are further texts to keep in a line `Also: …`, unless they are
    part of `said`, the name and description of the kept file; `style` is a field's beginning,
    `  - **Why:** `, as other entries of the kept file spell it.
    """
    merger = _Merger(kept, newline, said)
    merger.add_text(gone, also)
    merger.add_fields(gone, style)
    merger.result.content = splice(kept.source, merger.splices)
    return merger.result


class _Merger:
    """Collects what goes where in the kept entry."""

    def __init__(self, kept: Parts, newline: bytes, said: Sequence[str]) -> None:
        self.kept = kept
        self.said = said
        self.newline = newline
        self.splices: list[Splice] = []
        self.result = Merged(kept.source)

    def add_text(self, gone: Parts, also: Iterable[str]) -> None:
        """Text above the fields: what the other has beyond it, then the `Also:` line."""
        kept = self.kept
        lines, is_tight = _beyond(kept.rest, gone.rest)
        parts: list[tuple[Sequence[bytes], bool]] = []
        if lines:
            is_tight = is_tight and kept.text_ends_in_text and is_plain(lines[0])
            parts.append(([_indented(line, kept.indent) for line in lines], is_tight))
            self.result.has_text = True
        texts = [*gone.titles, *gone.also, *also]
        wanted = self._unsaid(texts, [decode(line) for line in lines])
        if wanted:
            said = lines[-1] if lines else None
            ends_in_text = is_plain(said) if said is not None else kept.text_ends_in_text
            is_tight = ends_in_text and (kept.is_item or bool(kept.also) or self._has_tight_field())
            line = kept.indent + ALSO + b" " + " — ".join(wanted).encode()
            parts.append(([line], is_tight))
            self.result.has_also = True
        self._insert(kept.text_end, parts)

    def add_fields(self, gone: Parts, style: bytes | None) -> None:
        """The reasons and ways to apply that the kept entry has not."""
        new: dict[FieldName, list[FieldPart]] = {}
        for part in gone.fields:
            own = self.kept.field(part.name)
            values = [field.value.folded for field in self.kept.fields if field.name == part.name]
            values += [other.value.folded for other in new.get(part.name, ())]
            if any(holds(value, part.value.folded) for value in values):
                continue
            if own is None:
                new.setdefault(part.name, []).append(part)
            else:
                self._append(own, part)
                self.result.both.append(part.name)
        for name in ("why", "how_to_apply"):
            parts = new.get(name)
            if parts:
                self._add_field(name, parts, style)
                self.result.added.append(name)

    def _unsaid(self, texts: Iterable[str], more: Sequence[str]) -> list[str]:
        """Those of `texts` that the kept entry does not say yet, each once, on one line."""
        said = "\n".join(map(fold, (decode(self.kept.source), " ".join(more), *self.said)))
        wanted: dict[str, str] = {}
        for text in texts:
            line = " ".join(text.split())
            folded = fold(line).rstrip(FULL_STOPS)
            if not says(said, folded):
                wanted[folded] = line
        return [
            line
            for folded, line in wanted.items()
            if not any(other != folded and says(other, folded) for other in wanted)
        ]

    def _has_tight_field(self) -> bool:
        """True where the first field stands right below the text."""
        return bool(self.kept.fields) and not self.kept.fields[0].has_blank_before

    def _append(self, own: FieldPart, part: FieldPart) -> None:
        lines, _ = _beyond(own.value, part.value)
        indent = own.indent
        is_tight = own.ends_in_text and is_plain(lines[0])
        self._insert(own.end, [([_indented(line, indent) for line in lines], is_tight)])

    def _add_field(self, name: FieldName, parts: Sequence[FieldPart], style: bytes | None) -> None:
        kept = self.kept
        prefix = _label(self._prefix(parts[0], style), name)
        indent = FieldPart(name, prefix, 0, 0, Block(()), False, True, True).indent
        lines = list(parts[0].value.lines)
        first = prefix.rstrip() + (b" " + lines[0] if lines[0] else b"")
        if prefix.lstrip().startswith(b"#"):
            first, lines = prefix.rstrip(), [b"", b"", *filter(None, lines[:1]), *lines[1:]]
        content = [first, *(_indented(line, indent) for line in lines[1:])]
        for part in parts[1:]:
            content += [b"", *(_indented(line, indent) for line in _trimmed(part.value.lines))]
        how = kept.field("how_to_apply")
        if name == "why" and how is not None:
            ending = [b""] if how.has_blank_before and not kept.is_item else []
            self._insert(how.start, [([*content, *ending], True)])
        else:
            is_tight = kept.is_item or self._has_tight_field()
            self._insert(kept.end, [(content, is_tight)])

    def _prefix(self, part: FieldPart, style: bytes | None) -> bytes:
        """How the new field begins: as the entry, its file or else the other entry spells it."""
        kept = self.kept
        if kept.fields:
            return kept.fields[0].prefix
        if style is not None:
            return style
        bare = part.prefix.lstrip(b" \t")
        if not kept.is_item:
            return bare
        if bare.startswith(b"#"):
            return kept.indent + _BOLD
        return (
            bare
            if part.is_top_level and bare[:1] in b"-*" and bare[1:2] in b" \t"
            else (kept.indent + bare)
        )

    def _insert(self, at: int, parts: Sequence[tuple[Sequence[bytes], bool]]) -> None:
        """Put lines behind the byte `at`; with a blank line before them where not tight."""
        for lines, is_tight in parts:
            content = [*([] if is_tight else [b""]), *lines]
            if at == 0 or self.kept.source[at - 1 : at] == b"\n":
                text = b"".join(line + self.newline for line in content)
            else:
                text = b"".join(self.newline + line for line in content)
            self.splices.append(Splice(at, at, text))


def _beyond(kept: Block, gone: Block) -> tuple[tuple[bytes, ...], bool]:
    """The lines of `gone` that `kept` does not hold, and whether they follow on directly."""
    if holds(kept.folded, gone.folded):
        return (), True
    size = len(kept.folded)
    if size and gone.folded[:size] == kept.folded:
        seen = 0
        for number, line in enumerate(gone.lines):
            if seen == size:
                rest = gone.lines[number:]
                return _trimmed(rest), bool(rest[0])
            seen += bool(fold(decode(line)))
    return _trimmed(gone.lines), gone.is_tight


def _trimmed(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    """The lines without blank ones at the start."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return tuple(lines[first:])


def _indented(line: bytes, indent: bytes) -> bytes:
    return indent + line if line else line


def _label(prefix: bytes, name: FieldName) -> bytes:
    """A field's beginning with the label of `name` in the same spelling."""

    def label(match: re.Match[bytes]) -> bytes:
        found = match[0]
        joint = match[3] or b" "
        wanted = b"why" if name == "why" else joint.join((b"how", b"to", b"apply"))
        if bool(match[1]) is (name == "why"):
            return found
        if found.isupper():
            return wanted.upper()
        return wanted.capitalize() if found[:1].isupper() else wanted

    return _LABEL.sub(label, prefix, count=1)
