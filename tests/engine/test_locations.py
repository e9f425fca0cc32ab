"""Where memtui's own files lie (spec section 11)."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from pathlib import Path

import pytest

from memtui.demo import materialize
from memtui.engine.disk.locations import config_file, make_private, state_dir, store_dir
from memtui.engine.errors import NoHomeError
from memtui.engine.manager import MemoryManager
from memtui.engine.types import Store
from memtui.engine.workspace import Target
from tests.engine.machine import mkdir

HOME = Path("/home/a")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("named", ["", "relative/state", "~/state"])
def test_the_platforms_place_counts_without_an_absolute_one(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    env = {"XDG_STATE_HOME": named, "XDG_CONFIG_HOME": named}
    assert state_dir(env, HOME) == HOME / ".local/state/memtui"
    assert config_file(env, HOME) == HOME / ".config/memtui/config.toml"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert state_dir(env, HOME) == HOME / "Library/Application Support/memtui"
    assert config_file(env, HOME) == HOME / "Library/Application Support/memtui/config.toml"


def test_windows_has_its_own_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert state_dir({"LOCALAPPDATA": "/local"}, None) == Path("/local/memtui")
    assert state_dir({}, HOME) == HOME / "AppData/Local/memtui"
    with pytest.raises(NoHomeError):
        state_dir({}, None)


@pytest.mark.parametrize("home", [HOME, None])
def test_the_given_environment_decides(home: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/other/state")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/other/config")
    env = {"XDG_STATE_HOME": "/x/state", "XDG_CONFIG_HOME": "/x/config"}
    assert state_dir(env, home) == Path("/x/state/memtui")
    assert config_file(env, home) == Path("/x/config/memtui/config.toml")


def test_without_a_home_there_is_no_place() -> None:
    with pytest.raises(NoHomeError, match=r"memtui's journal.*Set HOME, or XDG_STATE_HOME"):
        state_dir({}, None)
    assert config_file({}, None) is None


def test_a_store_is_known_by_its_real_path(tmp_path: Path) -> None:
    memory = mkdir(tmp_path / "memory")
    link = tmp_path / "link"
    link.symlink_to(memory)
    root = Path("/s")
    digest = hashlib.sha256(os.fsencode(os.path.realpath(memory))).hexdigest()[:16]
    wanted = root / "stores" / digest
    assert store_dir(root, Store("project", "qwen", memory)) == wanted
    assert store_dir(root, Store("user", "none", link)) == wanted
    assert store_dir(root, Store("project", "qwen", tmp_path)) != wanted
    named = Path(os.fsdecode(b"/no/\xff"))
    assert store_dir(root, Store("project", "qwen", named)).parent == root / "stores"


def test_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    root = tmp_path / "above/memtui"
    before = os.umask(0o022)
    try:
        make_private(root / "stores/x", root)
    finally:
        os.umask(before)
    for folder in (root, root / "stores", root / "stores/x"):
        assert mode(folder) == 0o700
    make_private(root / "stores/x", root)
    root.chmod(0o755)
    make_private(root, root)
    assert mode(root) == 0o700


def test_only_what_lies_below_is_made(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="subpath"):
        make_private(tmp_path / "elsewhere", tmp_path / "memtui")
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_private(tmp_path / "file", tmp_path / "file")


def test_reading_makes_nothing(tmp_path: Path) -> None:
    home = mkdir(tmp_path / "home")
    manager = MemoryManager(Target(mkdir(tmp_path / "work")), {"HOME": str(home)})
    manager.lock_states(manager.scan())
    assert manager.state_dir == state_dir({}, home)
    assert manager.settings.path == config_file({}, home)
    assert list(home.iterdir()) == []


def test_a_demo_keeps_all_in_its_own_folder(tmp_path: Path) -> None:
    demo = materialize(tmp_path / "demo", 1_795_000_000)
    manager = MemoryManager(Target(demo.api_dir), demo.environment(os.environ))
    assert manager.state_dir == tmp_path / "demo/state/memtui"
    assert manager.settings.path == tmp_path / "demo/config/memtui/config.toml"


def test_without_a_home_the_manager_still_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.engine.open_stores.home_of", lambda env: None)
    manager = MemoryManager(Target(tmp_path, mkdir(tmp_path / "memory")), {})
    assert [snap.state for snap in manager.scan().snapshots] == ["ok"]
    assert manager.settings.path is None
    with pytest.raises(NoHomeError):
        _ = manager.state_dir
