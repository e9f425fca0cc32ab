"""Two processes that forget and undo in the same stores at the same time: nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.demo import materialize
from tests.cli_home import call
from tests.engine.written_store import temporaries, tree

OPERATIONS = int(os.environ.get("MEMTUI_TEST_OPERATIONS", "40"))
"""Of each process; 200 for the long run."""
TREE = Path(__file__).parents[1]


def test_every_byte_is_there_or_comes_back(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    demo = materialize(tmp_path / "demo", time.time())
    for name, value in demo.env.items():
        monkeypatch.setenv(name, value)
    project = ("--project", str(demo.api_dir))
    original = tree(demo.home)

    command = (sys.executable, "-W", "error", "-m", "tests.writing_process", str(demo.api_dir))
    processes = [
        subprocess.Popen([*command, str(OPERATIONS), str(seed)], cwd=TREE, stdout=subprocess.PIPE)
        for seed in (1, 2)
    ]
    codes: Counter[str] = Counter()
    said: Counter[str] = Counter()
    left: set[str] = set()
    for process in processes:
        output, _ = process.communicate(timeout=1_800)
        assert process.returncode == 0
        answer = json.loads(output)
        codes.update(answer["codes"])
        said.update(answer["said"])
        left.update(answer["left"])

    record_property("codes", dict(codes))
    record_property("said", dict(said))
    assert sum(codes.values()) == 2 * OPERATIONS
    assert {code.partition(" ")[2] for code in codes} <= {"0", "1", "3"}, said
    assert codes["forget 0"] > OPERATIONS // 4
    assert codes["undo 0"] > OPERATIONS // 8
    assert temporaries(demo.root) == []
    assert not (demo.api_memory.parent / "consolidation.lock").exists()

    # No line leads nowhere, and each file has one but those that an undo left behind: an index
    # that nobody rewrote since goes back whole.
    for scope in ("project", "user", "team"):
        report = call(capsys, *project, "index", "--scope", scope, "--json").json
        assert (report["kind"], report["lines_without_file"]) == ("managed", [])
        documents = call(capsys, *project, "list", "--scope", scope, "--json").json["documents"]
        unseen = {document["path"] for document in documents if not document["seen"]}
        assert set(report["files_without_line"]) <= unseen | left

    # Backwards through the log, act by act, everything is as it was.
    entries = call(capsys, *project, "log", "--json").json["entries"]
    acts = sorted({entry["id"] for entry in entries}, reverse=True)
    assert len(acts) == codes["forget 0"] + codes["undo 0"]
    for act in acts:
        answer = call(capsys, *project, "undo", act, "--yes", "--json")
        assert answer.code == 0, answer.err
        assert answer.json["left"] == []
    assert tree(demo.home) == original
