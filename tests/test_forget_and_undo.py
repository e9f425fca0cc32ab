"""A copy of the demo: what is forgotten comes back whole, in this run or a later one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.demo import DemoHome, materialize
from tests.cli_home import Answer, call
from tests.engine.written_store import temporaries, tree

FIVE = (
    "project/postgres-16.md:3",
    "project/postgres-16.md:1",
    "reference/staging.md",
    "project/リリース手順.md:0",
    "user:feedback/fish.md",
)
"""Five entries of four files in two stores; one file has a byte order mark and CRLF."""
FILES = {id_.removeprefix("user:").partition(".md")[0] + ".md" for id_ in FIVE}

AGENT = """
import json, pathlib, sys
state = pathlib.Path(sys.argv[1])
memory = state / "memory"
text = "---\\nname: Meanwhile\\ndescription: by the agent\\ntype: project\\n---\\n\\nNew.\\n"
(memory / "project/meanwhile.md").write_text(text, encoding="utf-8")
index = memory / "MEMORY.md"
lines = index.read_text(encoding="utf-8").split("\\n")
assert lines[1].startswith("- [") and "legacy-auth" in lines[-2]
lines[-2] = lines[-2].replace(" — ", " — (agent) ")
index.write_text("- [Meanwhile](project/meanwhile.md) — by the agent\\n" + "\\n".join(lines),
                 encoding="utf-8")
meta = json.loads((state / "meta.json").read_text(encoding="utf-8"))
meta["updatedAt"] = "2026-12-01T08:00:00.000Z"
(state / "meta.json").write_text(json.dumps(meta, indent=2) + "\\n", encoding="utf-8")
"""


class Demo:
    """A demo home of one's own, and the command line in it."""

    def __init__(self, demo: DemoHome, capsys: pytest.CaptureFixture[str]) -> None:
        self.demo = demo
        self._capsys = capsys
        self.original = tree(demo.home)

    def __call__(self, *arguments: str, code: int = 0) -> Answer:
        answer = call(self._capsys, "--project", str(self.demo.api_dir), *arguments)
        assert answer.code == code, answer.err
        return answer

    def json(self, *arguments: str, code: int = 0) -> Any:
        return self(*arguments, "--json", code=code).json

    def undo_everything(self) -> int:
        """Undo until there is nothing to undo; gives how often that was."""
        for count in range(100):
            answer = call(self._capsys, "--project", str(self.demo.api_dir), "undo", "--yes")
            if answer.code == 1:
                assert answer.err == "memtui: There is nothing to undo in these stores.\n"
                return count
            assert answer.code == 0, answer.err
        raise AssertionError("it never ends")

    def agent_writes(self) -> None:
        """What an agent does meanwhile: a new memory, its index anew, its state file anew."""
        state = self.demo.api_memory.parent
        subprocess.run([sys.executable, "-c", AGENT, str(state)], check=True)


@pytest.fixture
def demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Demo:
    made = materialize(tmp_path / "demo", time.time())
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    return Demo(made, capsys)


def forget(demo: Demo, ids: tuple[str, ...]) -> None:
    """All in one act."""
    answer = demo("forget", *(word for id_ in ids for word in ("--id", id_)), "--yes")
    assert answer.out.startswith("Forgot 5 entries in 4 files. Undo: memtui undo 20")


def forget_one_by_one(demo: Demo, ids: tuple[str, ...]) -> None:
    """Each in an act of its own."""
    for id_ in ids:
        answer = demo("forget", "--id", id_, "--yes")
        assert answer.out.startswith("Forgot 1 entry in 1 file. Undo: memtui undo 20")


@pytest.mark.parametrize(("way", "acts"), [(forget, 1), (forget_one_by_one, 5)])
def test_five_entries_of_four_files_come_back_with_their_times(
    demo: Demo, way: Any, acts: int
) -> None:
    documents = len(demo.json("list")["documents"])
    entries = len(demo.json("forget")["candidates"])
    way(demo, FIVE)
    assert len(demo.json("list")["documents"]) == documents - 2
    assert len(demo.json("forget")["candidates"]) == entries - 5
    assert tree(demo.demo.home) != demo.original
    assert demo.undo_everything() == acts
    assert tree(demo.demo.home) == demo.original
    log = demo.json("log")["entries"]
    assert len({entry["group"] for entry in log}) == 2 * acts
    assert all(entry["undone"] is (entry["operation"] == "forget") for entry in log)


def test_a_store_that_is_kept_by_hand_too(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--project", str(demo.demo.mobile_dir))
    ids = ("feedback_force_unwrap.md", "project_offline_maps.md", "user_kotlin_learner.md")
    answer = call(capsys, *where, "forget", "--id", *ids, "--yes")
    assert answer.code == 0
    index = (demo.demo.mobile_memory / "MEMORY.md").read_text(encoding="utf-8")
    assert "## About Dana\n- Standup is at 09:45" in index
    assert "feedback_force_unwrap" not in index
    assert call(capsys, *where, "undo", "--yes").code == 0
    assert tree(demo.demo.home) == demo.original


def test_the_files_that_an_undo_names_are_those_that_come_back(demo: Demo) -> None:
    forget(demo, FIVE)
    planned = demo.json("undo")
    assert (planned["applied"], planned["journal_id"], planned["left"]) == (False, None, [])
    assert set(planned["restored"]) == {*FILES, "MEMORY.md"}
    assert tree(demo.demo.home) != demo.original
    done = demo.json("undo", "--yes")
    assert done["restored"] == planned["restored"]
    assert done["changes"] == planned["changes"]
    assert done["applied"] is True
    redone = demo.json("undo", done["journal_id"], "--yes")
    assert sorted(redone["restored"]) == sorted(done["restored"])
    assert demo.undo_everything() == 1
    assert tree(demo.demo.home) == demo.original


@pytest.mark.parametrize(("way", "acts"), [(forget, 1), (forget_one_by_one, 5)])
def test_what_an_agent_wrote_in_between_stays_and_ours_is_reversed(
    demo: Demo, way: Any, acts: int
) -> None:
    state = demo.demo.api_memory.parent
    way(demo, FIVE)
    demo.agent_writes()
    written = (state / "meta.json").read_bytes()
    before = (state / "memory/MEMORY.md").read_text(encoding="utf-8").split("\n")
    assert demo.undo_everything() == acts
    found = tree(demo.demo.home)
    prefix = state.relative_to(demo.demo.home).as_posix()
    meta, index, new = (
        f"{prefix}/{name}"
        for name in ("meta.json", "memory/MEMORY.md", "memory/project/meanwhile.md")
    )
    assert found[meta].content == written
    assert json.loads(written)["updatedAt"] == "2026-12-01T08:00:00.000Z"
    original_lines = demo.original[index].content.decode().split("\n")
    lines = found[index].content.decode().split("\n")
    assert lines[0] == before[0] == "- [Meanwhile](project/meanwhile.md) — by the agent"
    assert lines[1:] == [
        line.replace(" — ", " — (agent) ") if "legacy-auth" in line else line
        for line in original_lines
    ]
    assert found.pop(new).content.endswith(b"\n\nNew.\n")
    for name in (meta, index):
        del found[name], demo.original[name]
    assert found == demo.original


def test_a_file_that_an_agent_edited_in_between_is_left_and_told(demo: Demo) -> None:
    forget(demo, FIVE)
    edited = demo.demo.api_memory / "project/postgres-16.md"
    with edited.open("a", encoding="utf-8") as stream:
        stream.write("- And one more.\n")
    content = edited.read_bytes()
    left = [{"path": "project/postgres-16.md", "reason": "It was changed since."}]
    assert demo.json("undo")["left"] == left
    answer = demo("undo", "--yes")
    assert answer.out.endswith("\n! project/postgres-16.md stays: It was changed since.\n")
    assert edited.read_bytes() == content
    found = tree(demo.demo.home)
    name = edited.relative_to(demo.demo.home).as_posix()
    del found[name], demo.original[name]
    assert found == demo.original


def test_an_old_act_is_undone_without_what_later_ones_took(demo: Demo) -> None:
    old = demo.json("forget", "--id", "project/postgres-16.md:1", "--yes")["journal_id"]
    rest = [f"project/postgres-16.md:{index}" for index in range(4)]
    demo("forget", "--id", *rest, "--yes")
    before = (demo.demo.api_memory / "MEMORY.md").read_bytes()
    assert b"postgres-16.md" not in before
    value = demo.json("undo", old, "--yes", code=1)
    assert value["left"] == [{"path": "project/postgres-16.md", "reason": "It is gone."}]
    assert value["changes"] == []
    assert (demo.demo.api_memory / "MEMORY.md").read_bytes() == before
    assert demo.undo_everything() == 2
    assert tree(demo.demo.home) == demo.original


def test_nothing_temporary_is_left(demo: Demo) -> None:
    forget_one_by_one(demo, FIVE)
    demo.undo_everything()
    assert temporaries(demo.demo.root) == []
    assert not (demo.demo.api_memory.parent / "consolidation.lock").exists()
