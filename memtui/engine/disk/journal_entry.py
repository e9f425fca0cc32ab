"""What the journal knows of one act on one store, and its JSON.

Invariant: `decode(encode(entry))` gives the entry, whatever is in its paths and values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memtui.engine.disk.state import dump, parse_state
from memtui.engine.types import ChangeKind, Proposal, StateChange, Store

VERSION = 1

EntryStatus = Literal["open", "applied", "rolled-back"]


@dataclass(frozen=True, slots=True)
class Image:
    """What a file is before or after an act."""

    digest: str
    """SHA-256 of its bytes, in hexadecimal."""
    size: int
    mtime_ns: int | None = None
    """Before: as it was. After: what the act set; None for the time of writing."""
    mode: int | None = None
    owner: tuple[int, int] | None = None
    """User and group."""
    link: str | None = None
    """What the link says, where the path is one."""
    link_mtime_ns: int | None = None
    stored: str = ""
    """The file of the entry that holds the bytes; empty where they are not kept."""


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One file of an act."""

    path: str
    """Relative to the memory directory, or to the folder of the state files."""
    reason: str
    before: Image | None
    """None: there was no file."""
    after: Image | None
    """None: there is none."""
    target: str
    """Relative path of the file that is replaced: another than `path` behind a link."""
    temporary: str
    """Name under which the new bytes wait, in the folder of the target."""
    aside: str
    """Name under which the old file is kept until the act is closed, in the same folder."""

    @property
    def kind(self) -> ChangeKind:
        """Whether the file comes, goes or is edited."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True)
class Left:
    """A file that was not put back, and why in one sentence."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One act on one store. An act over several stores has one entry in each, of the same ID."""

    id: str
    """UTC date and time and the milliseconds of the minute in hexadecimal; sorts by time."""
    operation: str
    time_ns: int
    pid: int
    store: Store
    peers: tuple[str, ...]
    """The folders of all stores of the act, in the order of their real paths; the first one's
    `closed.json` decides for all."""
    undoes: str | None = None
    """The ID of the act that this one reverses."""
    files: tuple[JournalFile, ...] = ()
    states: tuple[StateChange, ...] = ()
    """Keys of state files, as they really were before."""
    state_files: tuple[JournalFile, ...] = ()
    folders: tuple[str, ...] = ()
    """Folders that the act made, the upper first; `.` is the memory directory itself."""
    proposals: tuple[Proposal, ...] = ()
    """What a rule proposed of it."""
    details: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What the planner says of it beside its files."""
    together: tuple[tuple[str, ...], ...] = ()
    """Topic files that go back together, or not at all."""
    status: EntryStatus = "open"
    closed_ns: int | None = None
    left: tuple[Left, ...] = ()
    """What a roll-back could not put back."""
    size_bytes: int = field(default=0, compare=False)
    """What the entry takes on disk."""

    @property
    def group(self) -> str:
        """The ID that names the whole act."""
        return self.id

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the store that it is about."""
        return tuple(each.path for each in self.files)


def digest_of(content: bytes) -> str:
    """The hash by which an image is recognised."""
    return hashlib.sha256(content).hexdigest()


def encode(entry: JournalEntry) -> bytes:
    """The `intent.json` of `entry`: everything but what became of it."""
    store = entry.store
    value = {
        "version": VERSION,
        "id": entry.id,
        "operation": entry.operation,
        "undoes": entry.undoes,
        "time_ns": entry.time_ns,
        "pid": entry.pid,
        "peers": entry.peers,
        "store": {
            "scope": store.scope,
            "agent": store.agent,
            "memory_dir": str(store.memory_dir),
            "project_dir": _text(store.project_dir),
            "key": store.key,
            "state_dir": _text(store.state_dir),
            "sessions_dir": _text(store.sessions_dir),
        },
        "files": [_file_value(each) for each in entry.files],
        "states": [
            {
                "name": each.name,
                # As text: a number keeps its spelling only there.
                "before": dump(each.before).decode(),
                "after": dump(each.after).decode(),
            }
            for each in entry.states
        ],
        "state_files": [_file_value(each) for each in entry.state_files],
        "folders": entry.folders,
        "proposals": [{"digest": each.digest, "paths": each.paths} for each in entry.proposals],
        "details": dict(entry.details),
        "together": entry.together,
    }
    return _bytes(value)


def encode_closed(status: EntryStatus, closed_ns: int, left: tuple[Left, ...]) -> bytes:
    """The `closed.json`: what became of an entry."""
    found = [{"path": each.path, "reason": each.reason} for each in left]
    return _bytes({"status": status, "time_ns": closed_ns, "left": found})


def decode(intent: bytes, closed: bytes | None, size_bytes: int = 0) -> JournalEntry:
    """The entry of an `intent.json` and perhaps a `closed.json`.

    Raises ValueError, KeyError or TypeError where they are broken.
    """
    value = json.loads(intent)
    if value["version"] != VERSION:
        raise ValueError(f"made by another memtui (version {value['version']})")
    end: dict[str, Any] = {} if closed is None else json.loads(closed)
    store = value["store"]
    return JournalEntry(
        id=value["id"],
        operation=value["operation"],
        time_ns=value["time_ns"],
        pid=value["pid"],
        store=Store(
            scope=store["scope"],
            agent=store["agent"],
            memory_dir=Path(store["memory_dir"]),
            project_dir=_path(store["project_dir"]),
            key=store["key"],
            state_dir=_path(store["state_dir"]),
            sessions_dir=_path(store["sessions_dir"]),
        ),
        peers=tuple(value["peers"]),
        undoes=value["undoes"],
        files=tuple(map(_file, value["files"])),
        states=tuple(
            StateChange(each["name"], _keys(each["before"]), _keys(each["after"]))
            for each in value["states"]
        ),
        state_files=tuple(map(_file, value["state_files"])),
        folders=tuple(value["folders"]),
        proposals=tuple(
            Proposal(each["digest"], tuple(each["paths"])) for each in value.get("proposals", ())
        ),
        details=dict(value.get("details", {})),
        together=tuple(tuple(group) for group in value.get("together", ())),
        status=end.get("status", "open"),
        closed_ns=end.get("time_ns"),
        left=tuple(Left(each["path"], each["reason"]) for each in end.get("left", ())),
        size_bytes=size_bytes,
    )


def _bytes(value: Mapping[str, object]) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode("ascii")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _keys(text: str) -> dict[str, object]:
    values = parse_state(text.encode(), "intent.json").values
    if values is None:
        raise ValueError("the keys of a state file are broken")
    return values


def _file_value(each: JournalFile) -> dict[str, object]:
    return {
        "path": each.path,
        "kind": each.kind,
        "reason": each.reason,
        "before": _image_value(each.before),
        "after": _image_value(each.after),
        "target": each.target,
        "temporary": each.temporary,
        "aside": each.aside,
    }


def _image_value(image: Image | None) -> dict[str, object] | None:
    if image is None:
        return None
    return {
        "sha256": image.digest,
        "size": image.size,
        "mtime_ns": image.mtime_ns,
        "mode": image.mode,
        "owner": image.owner,
        "link": image.link,
        "link_mtime_ns": image.link_mtime_ns,
        "stored": image.stored,
    }


def _file(value: Mapping[str, Any]) -> JournalFile:
    return JournalFile(
        path=value["path"],
        reason=value["reason"],
        before=_image(value["before"]),
        after=_image(value["after"]),
        target=value["target"],
        temporary=value["temporary"],
        aside=value["aside"],
    )


def _image(value: Mapping[str, Any] | None) -> Image | None:
    if value is None:
        return None
    owner = value["owner"]
    return Image(
        digest=value["sha256"],
        size=value["size"],
        mtime_ns=value["mtime_ns"],
        mode=value["mode"],
        owner=None if owner is None else (owner[0], owner[1]),
        link=value["link"],
        link_mtime_ns=value["link_mtime_ns"],
        stored=value["stored"],
    )
