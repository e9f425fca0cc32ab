"""A copy of the input of one case, and the command line run on it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.cli_home import Answer, call

INPUT = Path(__file__).parent / "input"


class Case:
    """The input of one case in a folder of its own; `HOME` is its home."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.memory = root / "memory"
        self.home = root / "home"
        self._capsys = capsys

    def run(self, *arguments: str, code: int = 0) -> Answer:
        """One call, which must end with `code`. A case of one memory directory is about that."""
        where = ("--memory-dir", str(self.memory)) if self.memory.exists() else ()
        answer = call(self._capsys, *where, *arguments)
        assert answer.code == code, answer.err
        return answer

    def text(self, *arguments: str) -> str:
        """What a person reads."""
        return self.run(*arguments).out

    def json(self, *arguments: str) -> Any:
        """What a script reads."""
        return self.run(*arguments, "--json").json

    def documents(self, *arguments: str) -> dict[str, Any]:
        """The documents of `list` by path."""
        return {each["path"]: each for each in self.json("list", *arguments)["documents"]}


@pytest.fixture
def case(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Case:
    """The case whose number the name of the test module ends in."""
    module = request.module
    assert isinstance(module, ModuleType)
    (source,) = INPUT.glob(f"{module.__name__.rpartition('_')[2]}-*")
    readme = (source / "README.txt").read_text(encoding="utf-8")
    for line in getattr(module, "LATER", ()):
        assert line in readme
    root = tmp_path / source.name
    shutil.copytree(source, root, symlinks=True)
    home = root / "home"
    monkeypatch.setenv("HOME", str(home if home.exists() else tmp_path))
    monkeypatch.chdir(root)
    return Case(root, capsys)
