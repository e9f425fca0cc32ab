"""The frontmatter of a file that goes: its own keys move to the file that takes its entries.

Invariant: no value of the kept file changes, and none of the other is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable

from memtui.engine.plans.dream_values import UnsafeMergeError
from memtui.engine.text import fold
from memtui.engine.types import Span, TopicDocument


def missing_keys(kept: TopicDocument, gone: TopicDocument) -> Iterable[bytes]:
    """The frontmatter lines of keys that only the file that goes has.

    Raises `UnsafeMergeError` where both have a key with different values.
    """
    known = {field.key: fold(field.value) for field in kept.fields}
    top_keys = {key.partition(".")[0] for key in known}
    lines: dict[Span, bytes] = {}
    for each in gone.fields:
        if each.key in ("name", "description", "type", "metadata.type"):
            continue
        if known.get(each.key) == fold(each.value):
            continue
        top = each.key.partition(".")[0]
        if top in top_keys:
            raise UnsafeMergeError(f"their `{each.key}` differs")
        lines[each.span] = each.span.of(gone.source)
    return lines.values()


def closing_fence(document: TopicDocument) -> int:
    """Where the line that closes the frontmatter begins."""
    block = document.frontmatter.of(document.source)
    return document.frontmatter.start + block.rstrip(b"\r\n").rfind(b"\n") + 1
