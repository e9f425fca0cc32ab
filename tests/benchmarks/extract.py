"""How well extract finds the durable statements among the labelled messages (spec section 8).

`python -m tests.benchmarks.extract open more` prints those parts alone; the held-out third is
told as totals only and takes no part in the work on the rules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from memtui.engine.plans.extraction.filters import passes
from memtui.engine.plans.extraction.rules import classify
from memtui.engine.plans.extraction.statement import Statement
from memtui.engine.plans.extraction.statements import sentences
from tests.benchmarks.labelled import LANGUAGES, Labelled, Part, labelled

LEAST_PRECISION = 0.95
LEAST_RECALL = 0.75
_HEADS = ("extract", "messages", "durable", "found", "right", "precision", "recall", "type")


class Score(NamedTuple):
    """Counts of messages; a message counts as found when one statement of it survives."""

    messages: int
    durable: int
    found: int
    right: int
    """Found and durable."""
    typed: int
    """Right, and the first statement has the labelled type."""

    @property
    def precision(self) -> float:
        """The durable among the found; 1 where nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The found among the durable; 1 where there is none."""
        return self.right / self.durable if self.durable else 1.0

    @property
    def type_accuracy(self) -> float:
        """The share of the right ones whose type is the labelled one; 1 where there is none."""
        return self.typed / self.right if self.right else 1.0

    def plus(self, other: Score) -> Score:
        """Both counts together."""
        return Score(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NOTHING = Score(0, 0, 0, 0, 0)


def surviving(message: Labelled) -> tuple[Statement, ...]:
    """The statements of one message that the filters leave; a tool says none."""
    if message.role != "user":
        return ()
    found = (classify(sentence) for sentence in sentences(message.text))
    return tuple(each for each in found if each is not None and passes(each.summary))


def score(messages: Iterable[Labelled]) -> Score:
    """How the rules do on those messages."""
    total = NOTHING
    for message in messages:
        found = surviving(message)
        right = bool(found) and message.durable
        typed = right and found[0].type == message.type
        total = total.plus(Score(1, message.durable, bool(found), right, typed))
    return total


def report(parts: Sequence[Part] = get_args(Part)) -> str:
    """The table of figures, for each part each language and all together."""
    rows: list[tuple[str, ...]] = [_HEADS]
    for part in parts:
        whole = NOTHING
        for language in LANGUAGES:
            figures = score(labelled(language, part))
            whole = whole.plus(figures)
            if figures.messages:
                rows.append(_row(f"{part}, {language}", figures))
        rows.append(_row(f"{part}, all", whole))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    lines = [
        " | ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _row(name: str, figures: Score) -> tuple[str, ...]:
    counts = (figures.messages, figures.durable, figures.found, figures.right)
    shares = (figures.precision, figures.recall, figures.type_accuracy)
    return (name, *(str(count) for count in counts), *(f"{share:.3f}" for share in shares))


if __name__ == "__main__":
    print(report([part for part in get_args(Part) if part in sys.argv[1:]]))
