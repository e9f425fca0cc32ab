"""A process that forgets and undoes at random through the command line, beside another one.

`python -m tests.writing_process PROJECT OPERATIONS SEED` prints how often each operation ended
with each exit code, as JSON, what a refusal said, and which files undos left as they were.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
from collections import Counter
from typing import Any

from memtui.cli import main


def run(project: str, *arguments: str) -> tuple[int, Any, str]:
    """One call with `--json`: the exit code, the answer if there is one, and what was said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["--project", project, *arguments, "--json"])
    return code, json.loads(out.getvalue()) if out.getvalue() else None, err.getvalue()


def candidates_in(project: str) -> list[dict[str, Any]]:
    """What there is to forget."""
    _, answer, _ = run(project, "forget")
    found: list[dict[str, Any]] = answer["candidates"]
    return found


def forget(
    project: str, chance: random.Random, candidates: list[dict[str, Any]]
) -> tuple[int, str]:
    """Forget one to three entries, with digests, so that none can be mistaken."""
    chosen = chance.sample(candidates, min(len(candidates), chance.choice((1, 1, 2, 3))))
    ids = [f"{each['scope']}:{each['id']}@{each['digest']}" for each in chosen]
    code, _, said = run(project, "forget", "--id", *ids, "--yes")
    return code, said


def undo(project: str, chance: random.Random, left: set[str]) -> tuple[int, str]:
    """Undo the newest act, or any that is not undone, an undo among them.

    Adds to `left` what stays as it is.
    """
    code, answer, said = run(project, "log")
    if code != 0:
        return code, said
    acts = sorted({entry["id"] for entry in answer["entries"] if not entry["undone"]})
    if acts and chance.random() < 0.7:
        code, answer, said = run(project, "undo", chance.choice(acts), "--yes")
    else:
        code, answer, said = run(project, "undo", "--yes")
    if answer is not None:
        left.update(each["path"] for each in answer["left"])
    return code, said


def work(project: str, operations: int, seed: int) -> dict[str, Any]:
    """Do it; the counts by operation and exit code, the refusals by their words, what was left."""
    chance = random.Random(seed)
    codes: Counter[str] = Counter()
    said: Counter[str] = Counter()
    left: set[str] = set()
    for _ in range(operations):
        candidates = candidates_in(project) if chance.random() < 0.6 else []
        if candidates:
            name, (code, sentence) = "forget", forget(project, chance, candidates)
        else:
            name, (code, sentence) = "undo", undo(project, chance, left)
        codes[f"{name} {code}"] += 1
        if code > 1:
            said[sentence] += 1
    return {"codes": dict(codes), "said": dict(said), "left": sorted(left)}


if __name__ == "__main__":
    print(json.dumps(work(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
