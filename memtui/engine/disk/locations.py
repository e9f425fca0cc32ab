"""Where memtui keeps its own files: never inside a store (spec section 11).

Invariant: the given environment and home decide alone, so that a demo keeps everything in its
temporary directory; nothing is made before something is to be written.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from memtui.engine.errors import NoHomeError
from memtui.engine.types import Store

APP = "memtui"
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600

_DIGEST_LENGTH = 16


def state_dir(env: Mapping[str, str], home: Path | None) -> Path:
    """The directory of the journal and all else that memtui keeps; it need not exist.

    `XDG_STATE_HOME` where it names an absolute path, else the platform's place below `home`.
    Raises NoHomeError where neither is known.
    """
    found = _place(env, home, "XDG_STATE_HOME", ".local/state")
    if found is None:
        raise NoHomeError(
            "There is no place for memtui's journal: no home directory is known. Set HOME, "
            "or XDG_STATE_HOME to an absolute path."
        )
    return found


def config_file(env: Mapping[str, str], home: Path | None) -> Path | None:
    """Where the settings are; the file need not exist. None where no home is known.

    `XDG_CONFIG_HOME` where it names an absolute path, else the platform's place below `home`.
    """
    found = _place(env, home, "XDG_CONFIG_HOME", ".config")
    return None if found is None else found / "config.toml"


def store_dir(state_dir: Path, store: Store) -> Path:
    """The folder below `state_dir` for what belongs to one store, by the store's real path."""
    real = os.path.realpath(store.memory_dir)
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()
    return state_dir / "stores" / digest[:_DIGEST_LENGTH]


def make_private(folder: Path, state_dir: Path) -> None:
    """Make `folder` and what is missing above it; `state_dir` and below are for the user alone.

    `folder` is `state_dir` or lies below it. A wider `state_dir` is narrowed. Raises OSError.
    """
    state_dir.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    if os.name != "nt" and stat.S_IMODE(state_dir.stat().st_mode) != PRIVATE_FOLDER:
        state_dir.chmod(PRIVATE_FOLDER)
    path = state_dir
    for name in folder.relative_to(state_dir).parts:
        path = path / name
        path.mkdir(PRIVATE_FOLDER, exist_ok=True)


def _place(env: Mapping[str, str], home: Path | None, variable: str, unix: str) -> Path | None:
    named = env.get(variable, "")
    if named and Path(named).is_absolute():
        return Path(named) / APP
    if sys.platform == "win32":
        local = env.get("LOCALAPPDATA", "")
        return Path(local) / APP if local else home and home / "AppData" / "Local" / APP
    if home is None:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / APP
    return home / unix / APP
