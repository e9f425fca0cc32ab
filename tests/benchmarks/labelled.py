"""The labelled sentences for extract: messages of developers, each with what is to be found in it.

A third is held out: the hash of a message draws it, so that nobody chooses. The rules are written
without a look at that third; the benchmark prints its figures apart. `<lang>-more.jsonl` holds
further messages by other writers, none of them held out.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, NamedTuple, get_args

FOLDER = Path(__file__).parent.parent / "documents" / "labelled"
HELD_OUT_ONE_IN = 3

Language = Literal["en", "zh", "ja", "ru"]
Part = Literal["open", "held-out", "more"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class Labelled(NamedTuple):
    """One message and its label."""

    id: str
    text: str
    durable: bool
    type: str | None
    """One of the four types where it is durable."""
    trap: str | None
    """What makes it look durable where it is not."""
    role: str
    """`user`, or `tool` for what a tool printed."""


def is_held_out(text: str) -> bool:
    """Whether the hash of a message draws it into the third that is not looked at."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest, "big") % HELD_OUT_ONE_IN == 0


def labelled(language: Language, part: Part) -> tuple[Labelled, ...]:
    """The messages of one language in one part."""
    lines = (FOLDER / f"{language}-{part}.jsonl").read_text("utf-8").split("\n")
    return tuple(_labelled(json.loads(line)) for line in lines if line)


def _labelled(value: dict[str, object]) -> Labelled:
    kind, trap = value["type"], value["trap"]
    return Labelled(
        id=str(value["id"]),
        text=str(value["text"]),
        durable=value["durable"] is True,
        type=None if kind is None else str(kind),
        trap=None if trap is None else str(trap),
        role=str(value.get("role", "user")),
    )
