"""Snapshots for tests of indexes and links: from values, or from the input of a case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memtui.engine.disk.scan import Scanner
from memtui.engine.format.document import parse_document
from memtui.engine.types import Agent, Snapshot, Store, TopicDocument

CASES = Path(__file__).parents[1] / "cases" / "input"


def topic(
    path: str, name: str = "Style", description: str = "keep it short", body: str = "Body.\n"
) -> TopicDocument:
    """A topic file with plain frontmatter."""
    text = f"---\nname: {name}\ndescription: {description}\ntype: feedback\n---\n\n{body}"
    return parse_document(text.encode(), path=path)


def store(agent: Agent = "qwen", memory_dir: str = "/home/a/store/memory") -> Store:
    return Store("project", agent, Path(memory_dir))


def snapshot(
    *documents: TopicDocument | str,
    index: bytes | str | None = None,
    nested: Mapping[str, str] | None = None,
    agent: Agent = "qwen",
) -> Snapshot:
    """A snapshot of `documents`, a path standing for a usual topic file."""
    indexes = {path: text.encode() for path, text in (nested or {}).items()}
    if index is not None:
        indexes["MEMORY.md"] = index.encode() if isinstance(index, str) else index
    return Snapshot(
        store(agent),
        "ok",
        tuple(topic(each) if isinstance(each, str) else each for each in documents),
        (),
        indexes,
    )


def scanned(case: str, memory: str = "memory", agent: Agent = "none") -> Snapshot:
    """The store of a case's input, read from disk."""
    return Scanner().scan(Store("project", agent, CASES / case / memory))
