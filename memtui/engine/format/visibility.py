"""Which agents see which documents, and why not (spec section 12).

Invariant: a verdict follows from the bytes, the path and the place of a document alone, never
from what a tolerant reader makes of it: Qwen Code reads its fields line by line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from memtui.engine.format.index import parse_index
from memtui.engine.format.index_report import LOADED_CHARACTERS, LOADED_LINES, report_index
from memtui.engine.format.links import backlinks
from memtui.engine.format.resolve import Resolver
from memtui.engine.types import INDEX_NAME, MEMORY_TYPES, Skip, Snapshot, TopicDocument, Verdict

NEWEST_READ = 200
"""How many documents of a store Qwen Code up to 0.22 reads, newest first."""

BEYOND_NEWEST = f"beyond the {NEWEST_READ} newest"
BEYOND_INDEX = (
    f"index line beyond the first {LOADED_LINES} lines or {LOADED_CHARACTERS:,} characters"
)

_LAST_OLD = (0, 22)
_VERSIONS = (" (Qwen Code up to 0.22)", " (Qwen Code since 0.23)")
"""What follows a reason that only some versions have, where no version is in use."""

_VERSION = re.compile(r"\s*v?([0-9]{1,9})\.([0-9]{1,9})(?![0-9])")

_BOM = b"\xef\xbb\xbf"
_FENCE = b"---"
_TYPE_LINE = re.compile(rb"^type:(.*)$", re.MULTILINE)
_SHOWN_TYPE_CHARACTERS = 24


class _Faults(NamedTuple):
    """Why Qwen Code skips a document, by the versions that do."""

    every: tuple[str, ...]
    old: tuple[str, ...]
    """Up to 0.22."""
    new: tuple[str, ...]
    """Since 0.23."""


_FAULTLESS = _Faults((), (), ())


def verdicts(snapshot: Snapshot, qwen_version: str | None) -> Mapping[str, Verdict]:
    """Per document path, whether the store's agent sees it and why not (spec section 12).

    `qwen_version` is the Qwen Code that is in use, such as `0.22.1`; None or one that cannot be
    read counts as 0.23 or later. In a store without an agent `seen` is None, and `skipped_by`
    names each agent that would skip the document, with its versions where not all do.
    """
    agent = snapshot.store.agent
    is_old = agent == "qwen" and is_up_to_0_22(qwen_version)
    nothing: frozenset[str] = frozenset()
    beyond_newest = _beyond_newest(snapshot) if agent == "none" or is_old else nothing
    beyond_index = nothing if agent == "qwen" else _beyond_index(snapshot)
    old, new = _VERSIONS if agent == "none" else ("", None) if is_old else (None, "")
    made: dict[tuple[_Faults, bool, bool], Verdict] = {}
    result: dict[str, Verdict] = {}
    for document in snapshot.documents:
        path = document.path
        faults = _FAULTLESS if agent == "claude" else document.derive(_qwen_faults)
        case = (faults, path in beyond_newest, path in beyond_index)
        verdict = made.get(case)
        if verdict is None:
            skips = _skips(*case, old=old, new=new)
            verdict = Verdict(None if agent == "none" else not skips, skips)
            made[case] = verdict
        result[path] = verdict
    return result


def is_up_to_0_22(qwen_version: str | None) -> bool:
    """True for a version of Qwen Code up to 0.22; False where it is later or not known."""
    match = _VERSION.match(qwen_version or "")
    return match is not None and (int(match[1]), int(match[2])) <= _LAST_OLD


def _skips(
    faults: _Faults,
    is_beyond_newest: bool,
    is_beyond_index: bool,
    *,
    old: str | None,
    new: str | None,
) -> tuple[Skip, ...]:
    """The agents that skip a document.

    `old` and `new` follow the reasons of Qwen Code up to 0.22 and since 0.23; None: left away.
    """
    reasons = list(faults.every)
    if old is not None:
        reasons += [reason + old for reason in faults.old]
        if is_beyond_newest:
            reasons.append(BEYOND_NEWEST + old)
    if new is not None:
        reasons += [reason + new for reason in faults.new]
    skips = [Skip("qwen", reason) for reason in reasons]
    if is_beyond_index:
        skips.append(Skip("claude", BEYOND_INDEX))
    return tuple(skips)


def _beyond_newest(snapshot: Snapshot) -> frozenset[str]:
    """What Qwen Code up to 0.22 leaves out: it reads all, drops what it can't read, then cuts."""
    if len(snapshot.documents) <= NEWEST_READ:
        return frozenset()
    readable = [
        document.path
        for document in snapshot.documents
        if not (faults := document.derive(_qwen_faults)).every and not faults.old
    ]
    return frozenset(readable[NEWEST_READ:])


def _beyond_index(snapshot: Snapshot) -> frozenset[str]:
    """What is listed only where Claude Code no longer reads the index, and linked nowhere else."""
    raw = snapshot.index
    if raw is None or (len(raw) <= LOADED_CHARACTERS and raw.count(b"\n") < LOADED_LINES):
        return frozenset()
    left_out = set(report_index(snapshot).left_out)
    if not left_out:
        return frozenset()
    left_out.difference_update(backlinks(snapshot))
    resolver = Resolver(snapshot)
    for path, nested in snapshot.indexes.items():
        if path == INDEX_NAME:
            continue
        folder = path.rpartition("/")[0]
        for line in parse_index(nested).lines:
            for target in line.targets:
                found = resolver.resolve(target.form, target.raw, folder)
                if found.is_found and found.path is not None:
                    left_out.discard(found.path)
    return frozenset(left_out)


def _qwen_faults(document: TopicDocument) -> _Faults:
    every = _reading_faults(document)
    old = ("CRLF line ends",) if b"\r\n" in document.frontmatter.of(document.source) else ()
    new = ("symbolic link",) if document.link is not None else ()
    if not document.path.endswith(".md"):
        every = ("name does not end in .md in small letters", *every)
    if not every and not old and not new:
        return _FAULTLESS
    return _Faults(every, old, new)


def _reading_faults(document: TopicDocument) -> tuple[str, ...]:
    """What keeps every Qwen Code from reading the frontmatter and the type in it."""
    if document.encoding not in ("utf-8", "latin-1"):
        return ("UTF-16, not UTF-8",)
    faults: list[str] = []
    text = document.raw
    if not text.startswith(_FENCE):
        if text.startswith(_BOM):
            text = text[len(_BOM) :]
            faults.append("byte order mark before the first ---")
        if not text.startswith(_FENCE):
            text = text.lstrip()
            faults.append("blank line before the first ---")
    if text[: text.find(b"\n") + 1 or len(text)].rstrip() != _FENCE:
        return ("no --- in the first line",)
    if document.frontmatter.start == document.frontmatter.end:
        return (*faults, "no closing ---")
    fault = _type_fault(document)
    return (*faults, fault) if fault else tuple(faults)


def _type_fault(document: TopicDocument) -> str:
    """Why a reader of single lines finds none of the four types; empty where it finds one."""
    line = _TYPE_LINE.search(document.frontmatter.of(document.source))
    if line is None:
        if document.type_place == "metadata":
            return "type is nested under metadata:"
        return "type: does not begin its line" if document.type else "no type"
    value = line[1].decode("utf-8", "replace").strip()
    if value in MEMORY_TYPES:
        return ""
    if not value:
        return "type is not on the line of its key" if document.type else "no type"
    if value[0] in "\"'" and value[1:-1] in MEMORY_TYPES:
        return "type is in quotes"
    if len(value) > _SHOWN_TYPE_CHARACTERS:
        value = value[: _SHOWN_TYPE_CHARACTERS - 1] + "…"
    return f"type {value} is none of the four"
