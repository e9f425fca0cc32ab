"""The block that is put before the model (spec section 5, The injected block).

Invariant: documents, order, cuts and notes are those of the agent; the sentence under the heading
and the one about age are memtui's own.
"""

from __future__ import annotations

from collections.abc import Iterable

from memtui.engine.recall.explain import BLANKS, BODY_LIMIT, trimmed_body
from memtui.engine.text import utf16_cut
from memtui.engine.types import TopicDocument

HEADING = "## Relevant memory"
ADVICE = (
    "Use a memory only where it bears on the request, "
    "and check what it claims about the code against the code first."
)
EMPTY_BODY = "_No detailed entries yet._"
TRUNCATED = "> NOTE: Relevant memory truncated for prompt budget."
STALE_DAYS = 2
"""From this age on a memory carries a note about its age."""

DAY_NS = 24 * 60 * 60 * 1_000_000_000


def age_days(mtime_ns: int, now_ns: int) -> int:
    """Whole periods of 24 hours since `mtime_ns`; a future mtime is 0."""
    return max(0, (now_ns - mtime_ns) // DAY_NS)


def age_text(days: int) -> str:
    """`today`, `yesterday`, or `N days ago`."""
    if days <= 0:
        return "today"
    return "yesterday" if days == 1 else f"{days} days ago"


def stale_note(days: int) -> str:
    """The note under a memory that is two days old or older."""
    return (
        f"> NOTE: This memory is {days} days old and may be outdated; "
        "check it before you rely on it."
    )


def render_prompt(documents: Iterable[TopicDocument], now_ns: int) -> str:
    """The injected block for `documents` in their order; empty where there are none."""
    lines = [line for document in documents for line in _document_lines(document, now_ns)]
    if not lines:
        return ""
    return "\n".join([HEADING, ADVICE, "", *lines])


def injected_body(document: TopicDocument) -> str:
    """The body as it is injected: trimmed, cut to 1,200 UTF-16 code units with a note."""
    body = trimmed_body(document)
    if not body:
        return EMPTY_BODY
    start = utf16_cut(body, BODY_LIMIT)
    if len(start) == len(body):
        return body
    return f"{start.rstrip(BLANKS)}\n\n{TRUNCATED}"


def _document_lines(document: TopicDocument, now_ns: int) -> list[str]:
    days = age_days(document.mtime_ns, now_ns)
    lines = [
        f"### {document.name} ({document.path})",
        f"Saved {age_text(days)}.",
        document.description,
        "",
        injected_body(document),
    ]
    if days >= STALE_DAYS:
        lines += ["", stale_note(days)]
    lines.append("")
    return lines
