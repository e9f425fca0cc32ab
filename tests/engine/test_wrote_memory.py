"""Whether the agent wrote a memory itself."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from memtui.engine.lifecycle.wrote_memory import wrote_memory
from tests.engine.machine import mkdir


class Call(NamedTuple):
    name: str
    path: str | None
    succeeded: bool | None


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return mkdir(tmp_path / "store/memory")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("write_file", True),
        ("edit", True),
        ("replace", True),
        ("create_file", True),
        ("Write", True),
        ("Edit", True),
        ("write", False),
        ("WRITE_FILE", False),
        ("MultiEdit", False),
        ("NotebookEdit", False),
        ("read_file", False),
        ("Read", False),
        ("", False),
    ],
)
def test_the_tools_that_write(memory: Path, name: str, expected: bool) -> None:
    assert wrote_memory([Call(name, str(memory / "user/a.md"), True)], [memory]) is expected


@pytest.mark.parametrize(("succeeded", "expected"), [(True, True), (False, False), (None, False)])
def test_only_what_succeeded_counts(memory: Path, succeeded: bool | None, expected: bool) -> None:
    assert wrote_memory([Call("Write", str(memory / "a.md"), succeeded)], [memory]) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("store/memory/MEMORY.md", True),
        ("store/memory/not/there/yet.md", True),
        ("store/memory/user/../a.md", True),
        ("store/./memory//a.md", True),
        ("store/memory", False),
        ("store/memory/", False),
        ("store/memory/../a.md", False),
        ("store/memory-2/a.md", False),
        ("store/meta.json", False),
        ("linked/a.md", True),
        ("store/memory/out/a.md", False),
    ],
)
def test_real_paths_are_compared(tmp_path: Path, memory: Path, path: str, expected: bool) -> None:
    (tmp_path / "linked").symlink_to(memory)
    (memory / "out").symlink_to(mkdir(tmp_path / "outside"))
    call = Call("Write", f"{tmp_path}/{path}", True)
    assert wrote_memory([call], [memory]) is expected
    assert wrote_memory([call], [str(tmp_path / "linked")]) is expected


def test_what_names_no_place_is_outside(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory)
    for path in (None, "", "a.md", "~/a.md", f"{memory}/a\0.md"):
        assert not wrote_memory([Call("Write", path, True)], [memory])


def test_one_of_several_is_enough(memory: Path, tmp_path: Path) -> None:
    other = mkdir(tmp_path / "other")
    calls = [
        Call("Write", str(tmp_path / "x.md"), True),
        Call("edit", str(other / "a.md"), True),
        Call("Read", str(memory / "a.md"), True),
    ]
    assert wrote_memory(iter(calls), iter([memory, other]))
    assert not wrote_memory(calls, [memory])
    assert not wrote_memory(calls, [])
    assert not wrote_memory([], [memory, other])
