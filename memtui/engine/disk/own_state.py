"""memtui's own small state files of one store: the inbox, switches, what was rejected.

Invariant: a file changes under memtui's lock on the store, whole and by one rename, and lies in the
store's own folder of the state directory, for its user alone (spec section 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtui.engine.disk.calls import SYSTEM
from memtui.engine.disk.files import is_denied, reason_of
from memtui.engine.disk.locations import PRIVATE_FILE, make_private, store_dir
from memtui.engine.disk.replace import remove_if_there, sync_folder, temporary_name, write_new
from memtui.engine.disk.state import dump, read_state
from memtui.engine.disk.store_lock import hold_own
from memtui.engine.errors import ReadOnlyError, RefusedError, StoreError
from memtui.engine.types import Store

LOCK_TIMEOUT_S = 2.0

INBOX = "inbox.json"
SWITCHES = "switches.json"


def own_path(state_dir: Path, store: Store, name: str) -> Path:
    """Where memtui's own file `name` of `store` lies; it need not exist."""
    return store_dir(state_dir, store) / name


def read_own(state_dir: Path, store: Store, name: str) -> dict[str, Any]:
    """The keys of memtui's own file `name`; none where there is no file.

    Raises RefusedError where it is there and cannot be used.
    """
    found = read_state(own_path(state_dir, store, name))
    if found.problem:
        raise RefusedError(found.problem)
    return dict(found.values or {})


@contextmanager
def edit_own(state_dir: Path, store: Store, name: str) -> Iterator[dict[str, Any]]:
    """The keys of memtui's own file `name`, to be changed; written when the block ends well.

    Raises LockedError where another memtui is writing, RefusedError where the file is broken,
    ReadOnlyError and StoreError where the state directory does not serve.
    """
    with hold_own(state_dir, store, LOCK_TIMEOUT_S):
        values = read_own(state_dir, store, name)
        before = dump(values)
        yield values
        content = dump(values)
        if content != before:
            _write(state_dir, own_path(state_dir, store, name), content)


def _write(state_dir: Path, path: Path, content: bytes) -> None:
    temporary = path.with_name(temporary_name())
    try:
        make_private(path.parent, state_dir)
        try:
            write_new(SYSTEM, temporary, content, mode=PRIVATE_FILE)
            SYSTEM.replace(temporary, path)
        finally:
            remove_if_there(SYSTEM, temporary)
        sync_folder(SYSTEM, path.parent)
    except OSError as error:
        sentence = f"memtui's own file {path} cannot be written: {reason_of(error)}."
        raise (ReadOnlyError if is_denied(error) else StoreError)(sentence) from error
