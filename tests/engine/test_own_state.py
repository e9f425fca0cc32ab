"""memtui's own small state files: private, whole, under the lock, never written over broken."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from memtui.engine.disk.own_state import SWITCHES, edit_own, own_path, read_own
from memtui.engine.disk.store_lock import hold_own
from memtui.engine.errors import LockedError, RefusedError, StoreError
from memtui.engine.types import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store("project", "qwen", tmp_path / "memory", state_dir=tmp_path)


def test_what_is_edited_is_read_again_and_is_private(tmp_path: Path, store: Store) -> None:
    state = tmp_path / "state"
    assert read_own(state, store, SWITCHES) == {}
    with edit_own(state, store, SWITCHES) as values:
        values["auto_dream"] = True
    assert read_own(state, store, SWITCHES) == {"auto_dream": True}
    path = own_path(state, store, SWITCHES)
    assert path.read_bytes() == b'{\n  "auto_dream": true\n}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == [SWITCHES]


def test_a_block_that_fails_or_changes_nothing_writes_nothing(tmp_path: Path, store: Store) -> None:
    with edit_own(tmp_path, store, SWITCHES):
        pass
    assert not own_path(tmp_path, store, SWITCHES).exists()

    def fail() -> None:
        with edit_own(tmp_path, store, SWITCHES) as values:
            values["a"] = 1
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert not own_path(tmp_path, store, SWITCHES).exists()


def test_a_broken_file_is_told_and_stays(tmp_path: Path, store: Store) -> None:
    path = own_path(tmp_path, store, SWITCHES)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")
    with pytest.raises(RefusedError, match=r"switches\.json is not valid JSON"):
        read_own(tmp_path, store, SWITCHES)
    with (
        pytest.raises(RefusedError, match=r"switches\.json is not valid JSON"),
        edit_own(tmp_path, store, SWITCHES) as values,
    ):
        values["a"] = 1
    assert path.read_bytes() == b"{"


def test_keys_of_a_newer_memtui_stay(tmp_path: Path, store: Store) -> None:
    path = own_path(tmp_path, store, SWITCHES)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"new": [1.50, "é"], "auto_dream": False}))
    with edit_own(tmp_path, store, SWITCHES) as values:
        values["auto_dream"] = True
    assert json.loads(path.read_text()) == {"new": [1.5, "é"], "auto_dream": True}


def test_another_memtui_that_writes_is_waited_for(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.engine.disk.own_state.LOCK_TIMEOUT_S", 0.02)
    with (
        hold_own(tmp_path, store, 0.0),
        pytest.raises(LockedError, match="Another memtui"),
        edit_own(tmp_path, store, SWITCHES) as values,
    ):
        values["a"] = 1


def test_a_state_directory_that_is_no_directory_is_told(tmp_path: Path, store: Store) -> None:
    (tmp_path / "state").write_bytes(b"")
    with (
        pytest.raises(StoreError, match="cannot be written to"),
        edit_own(tmp_path / "state", store, SWITCHES) as values,
    ):
        values["a"] = 1
