"""Which files a dream sorts, and into which order (spec section 9).

Invariant: what may be a sequence of steps is never sorted. In doubt it is one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from memtui.engine.format.blocks import Kind, body_lines, item_text
from memtui.engine.format.entries import entries_of
from memtui.engine.plans.dream_parts import decode
from memtui.engine.text import fold
from memtui.engine.types import MEMORY_TYPES, Entry, TopicDocument

_NUMBERED = re.compile(
    r"[*_`~(\[{#\"'«“„]*(?:№\s*)?(?:\d|[①-⓿]|[ivx]{1,4}[.)]|[a-z][.)]\s|"
    r"第?[一二三四五六七八九十]+[、.)步])"
)
_ORDER = re.compile(
    r"\b(?:first|firstly|second|secondly|third|thirdly|then|next|after that|afterwards?|finally"
    r"|lastly|last of all|step|steps|stage|phase|before that|above|below|previous|preceding"
    r"|following|former|latter|ditto|same as|in order|earlier|later|the order|procedure|sequence"
    r"|to begin with|once done)\b"
    r"|\b(?:сначала|сперва|во-первых|во-вторых|в-третьих|затем|потом|далее|после этого"
    r"|наконец|в конце|шаг\w*|этап\w*|выше|ниже|предыдущ\w*|следующ\w*|порядок|порядке|первым делом"
    r"|последовательн\w*|процедур\w*|тогда)\b"
    r"|首先|其次|再次|然后|接着|随后|之后|最后|最终|第[一二三四五六七八九十]|步骤|上述|以上|以下|如上|如下"
    r"|上一|下一|前者|后者|顺序|流程|同上"
    r"|最初に|まず|次に|次の|続いて|その後|それから|最後に|手順|ステップ|上記|下記|以下|前述|上の|下の"
    r"|前の|同上|順番|順序|第一|第二|第三"
)


def may_sort(document: TopicDocument) -> bool:
    """True where the entries of a file have no order of their own.

    The file must be named as a type, or have a bullet with a field of its own; its name,
    description, headings and entries must not speak of an order or begin with numbers.
    """
    entries = entries_of(document)
    if len(entries) < 2:
        return False
    stem = posixpath.basename(document.path)[: -len(".md")].lower()
    if stem not in MEMORY_TYPES and not _has_bullet_with_field(document, entries):
        return False
    above = document.source[document.body.start : entries[0].span.start]
    texts = [document.name, document.description, decode(above)]
    if any(_ORDER.search(fold(text)) for text in texts):
        return False
    return not any(_is_step(document, entry) for entry in entries)


def order_of(entries: Sequence[Entry]) -> list[int]:
    """The places of the entries by their folded summaries; equal ones stay in order."""
    summaries = [fold(entry.summary) for entry in entries]
    return sorted(range(len(entries)), key=summaries.__getitem__)


def _has_bullet_with_field(document: TopicDocument, entries: Sequence[Entry]) -> bool:
    return any(
        (entry.why or entry.how_to_apply) and document.source[entry.span.start] in b"-*"
        for entry in entries
    )


def _is_step(document: TopicDocument, entry: Entry) -> bool:
    """True for an entry that begins with a number, has numbered lines, or speaks of an order."""
    summary = fold(entry.summary)
    if _NUMBERED.match(summary) or _ORDER.search(summary):
        return True
    lines = body_lines(document.source, entry.span.start, entry.span.end)
    for line in lines:
        if line.kind is Kind.LIST_ITEM and line.text.lstrip(b" \t")[:1].isdigit():
            return True
        if line.kind is Kind.HEADING and _NUMBERED.match(fold(decode(item_text(line.text)))):
            return True
    return False
