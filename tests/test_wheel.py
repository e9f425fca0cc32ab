"""The wheel: what is in it, and that it works away from the tree it was built from."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import memtui

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PARTS = ("memtui", "tests/benchmarks", "pyproject.toml", "README.md", "LICENSE")
CACHES = shutil.ignore_patterns("__pycache__", ".*_cache")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Built from a copy of the tree, with the build backend at hand: no index is asked."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tree / part, ignore=CACHES)
        else:
            shutil.copy(ROOT / part, tree / part)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
    done = subprocess.run([*command, out, tree], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.iterdir()
    with zipfile.ZipFile(built) as file:
        yield file


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    return BytesParser().parsebytes(wheel.read(f"{about(wheel)}/METADATA"))


@pytest.fixture(scope="module")
def unpacked(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("unpacked")
    wheel.extractall(place)
    return place


def about(wheel: zipfile.ZipFile) -> str:
    """The name of the folder that tells about the package."""
    return f"memtui-{memtui.__version__}.dist-info"


def test_every_file_of_the_package_is_in_it_byte_for_byte(wheel: zipfile.ZipFile) -> None:
    package = ROOT / "memtui"
    expected = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file()
        and not any(
            part == "__pycache__" or part.endswith("_cache")
            for part in path.relative_to(ROOT).parts
        )
    }
    for name in ("memtui/tui/memtui.tcss", "memtui/py.typed", "memtui/demo/ages.json"):
        assert name in expected
    assert sum(name.startswith("memtui/demo/store/") for name in expected) > 50
    found = {name for name in wheel.namelist() if name.startswith("memtui/")}
    assert found == set(expected)
    assert [name for name in sorted(found) if wheel.read(name) != expected[name]] == []


def test_nothing_else_is_in_it(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0] for name in wheel.namelist()} == {"memtui", about(wheel)}


def test_what_it_says_of_itself(wheel: zipfile.ZipFile, metadata: Message) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert metadata["Name"] == "memtui"
    assert metadata["Version"] == memtui.__version__
    assert metadata["Requires-Python"] == project["requires-python"]
    assert metadata["Summary"] == project["description"]
    required = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    assert {one for one in required if "extra" not in str(one.marker)} == {
        Requirement(line) for line in project["dependencies"]
    }
    entry_points = wheel.read(f"{about(wheel)}/entry_points.txt").decode().split("\n")
    assert "memtui = memtui.__main__:main" in entry_points


RUN = "import sys; from memtui.__main__ import main; sys.argv[0] = 'memtui'; sys.exit(main())"
START = """
import asyncio
from pathlib import Path
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp

async def start():
    app = MemtuiApp(MemoryManager(Target(Path.cwd())))
    async with app.run_test():
        print(app.css_path[0].name, app.is_running)

asyncio.run(start())
"""


def call(
    unpacked: Path, home: Path, code: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run `code` where `memtui` is what was unpacked."""
    check = f"import memtui; assert memtui.__file__.startswith({str(unpacked)!r}), memtui.__file__"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{check}\n{code}", *arguments],
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked)},
        cwd=home,
        check=False,
    )


def test_the_command_of_the_unpacked_wheel(unpacked: Path, tmp_path: Path) -> None:
    version = call(unpacked, tmp_path, RUN, "--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout == f"memtui {memtui.__version__}\n"
    listed = call(unpacked, tmp_path, RUN, "--demo", "list", "--json")
    assert (listed.returncode, listed.stderr) == (0, "")
    value = json.loads(listed.stdout)
    assert {store["scope"] for store in value["stores"]} == {"project", "user", "team"}
    assert len(value["documents"]) > 30


def test_the_app_of_the_unpacked_wheel(unpacked: Path, tmp_path: Path) -> None:
    done = call(unpacked, tmp_path, START)
    assert (done.returncode, done.stdout, done.stderr) == (0, "memtui.tcss True\n", "")
