"""Which module may load which, seen in a fresh process (design section 2, directions)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_home import CliHome, topic

_LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
_ENGINE = (
    "import importlib, pkgutil, memtui.engine as e\n"
    "for found in pkgutil.walk_packages(e.__path__, 'memtui.engine.'):\n"
    "    importlib.import_module(found.name)\n"
)


def loaded(code: str, *arguments: str, home: Path | None = None) -> set[str]:
    """The names of all modules that a fresh interpreter holds after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_LOADED}", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=None if home is None else {"HOME": str(home)},
        timeout=60,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def call(*arguments: str, home: Path) -> set[str]:
    """The modules behind one call of the command line."""
    return loaded(
        "import sys\nfrom memtui.cli import main\nmain(sys.argv[1:])", *arguments, home=home
    )


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_the_engine_is_headless() -> None:
    modules = loaded(_ENGINE)
    assert "memtui.engine.manager" in modules
    assert "memtui.engine.recall.scoring" in modules
    assert not tops(modules) & {"textual", "rich"}
    assert not [name for name in modules if name.startswith(("memtui.tui", "memtui.cli"))]


def test_the_one_door_for_file_text_needs_nothing() -> None:
    before = loaded("import re, __future__")
    assert loaded("import re, memtui.tui.safe_text") - before == {
        "memtui",
        "memtui.tui",
        "memtui.tui.safe_text",
    }


VERBS = [
    ("list",),
    ("show", "a.md"),
    ("show", "nothing.md"),
    ("recall", "style"),
    ("index",),
    ("projects",),
    ("--version",),
    ("--help",),
    ("list", "--demo"),
    (),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("option", ["", "--json"])
def test_no_verb_loads_the_toolkit(tmp_path: Path, verb: tuple[str, ...], option: str) -> None:
    home = CliHome(tmp_path)
    home.write("a.md", topic("Style"))
    arguments = ["--project", str(home.project)] if "--demo" not in verb else []
    modules = call(*arguments, *([option] if option else []), *verb, home=home.home)
    assert "memtui.cli" in modules
    assert "textual" not in modules
    tui = {name for name in modules if name.startswith("memtui.tui.")}
    assert tui == {"memtui.tui.safe_text"}
    rich = {name for name in modules if name.partition(".")[0] == "rich"}
    if option or not verb or verb[0].startswith("--") or "nothing.md" in verb:
        assert rich == set()
    else:
        assert not rich & {"rich.console", "rich.table", "rich.markup"}


@pytest.mark.parametrize("module", ["rapidfuzz", "filelock", "platformdirs", "difflib", "asyncio"])
def test_recall_loads_only_what_it_needs(tmp_path: Path, module: str) -> None:
    home = CliHome(tmp_path)
    home.write("a.md", topic("Style"))
    modules = call("recall", "style", "--json", "--project", str(home.project), home=home.home)
    assert module not in tops(modules)
