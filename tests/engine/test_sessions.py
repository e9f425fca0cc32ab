"""Heads of session files: what their first records tell, however broken (spec section 8)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk import sessions
from memtui.engine.disk.paths import bases, project_key, stores_for
from memtui.engine.disk.sessions import (
    HEAD_BYTES,
    HEAD_LINES,
    SessionHead,
    head_values,
    newest_version,
    session_dirs,
    session_heads,
)
from memtui.engine.errors import StoreError
from memtui.engine.types import Store
from tests.engine.machine import Machine, mkdir
from tests.engine.unprivileged import run_without_privileges

SECOND_NS = 1_000_000_000


def record(**members: object) -> bytes:
    return json.dumps({"type": "user", "uuid": "u1", **members}).encode()


def write(path: Path, data: bytes, mtime_s: int = 1_000) -> Path:
    mkdir(path.parent)
    path.write_bytes(data)
    os.utime(path, ns=(mtime_s * SECOND_NS, mtime_s * SECOND_NS))
    return path


GOOD = record(cwd="/w", version="2.1.200", message={"role": "user", "content": "hi"})


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# What the first records tell


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (None, None)),
        (GOOD, ("/w", "2.1.200")),
        (GOOD + b"\n", ("/w", "2.1.200")),
        (b"\xef\xbb\xbf" + GOOD + b"\r\n" + GOOD + b"\r\n", ("/w", "2.1.200")),
        (b"\n\r\n  \n" + GOOD, ("/w", "2.1.200")),
        (b"\0" * 500 + b"\n" + GOOD, ("/w", "2.1.200")),
        (b"\0" * 500 + GOOD + b"\0" * 9, ("/w", "2.1.200")),
        (b'[1,2]\n"text"\nnull\n42\n' + GOOD, ("/w", "2.1.200")),
        (b'[{"cwd":"/array"}]\n' + record(cwd="/w"), ("/w", None)),
        (b'{"type":"user","cw\n' + GOOD, ("/w", "2.1.200")),
        (b"not json at all\n" + GOOD, ("/w", "2.1.200")),
        (b"\xff\xfe\n" + GOOD, ("/w", "2.1.200")),
        (record(type="summary") + GOOD, ("/w", "2.1.200")),
        (record(type="summary") + b" \0" + GOOD, ("/w", "2.1.200")),
        (record(cwd="/first") + b"\n" + record(cwd="/second", version="1"), ("/first", "1")),
        (record(message={"cwd": "/nested", "version": "9"}) + b"\n" + GOOD, ("/w", "2.1.200")),
        (record(cwd=None, version=3) + b"\n" + record(cwd=""), (None, None)),
        (record(cwd=["/w"], version={}) + b"\n" + GOOD, ("/w", "2.1.200")),
        (b"{}\n{ }\n{,}\n" + GOOD, ("/w", "2.1.200")),
        (b'{ "cwd" : "/w" , "version" : "1" }', ("/w", "1")),
        (b'{"cwd":"/w\tx","version":"1"}', ("/w\tx", "1")),
        (b'{"cwd":"/a\\u0000b"}\n' + record(cwd="/w"), ("/w", None)),
    ],
)
def test_values_of_a_head(data: bytes, expected: tuple[str | None, str | None]) -> None:
    assert head_values(data) == expected


def test_lines_end_at_newline_only() -> None:
    for separator in ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"):
        line = json.dumps({"name": f"a{separator}b", "cwd": "/w"}, ensure_ascii=False).encode()
        assert head_values(line) == ("/w", None)


def test_a_cut_record_tells_what_stands_before_the_cut() -> None:
    assert head_values(b'{"cwd":"/w","version":"1","message":{"text":"lo') == ("/w", "1")
    assert head_values(b'{"cwd":"/w","version":"0.2') == ("/w", None)
    assert head_values(b'{"cwd":"/w') == (None, None)
    assert head_values(b'{"cwd":"/w"') == (None, None)


def test_a_string_with_another_record_spliced_in_does_not_count() -> None:
    spliced = b'{"type":"user","cwd":"/half' + GOOD + b"\n"
    assert head_values(spliced) == (None, None)
    assert head_values(spliced + GOOD) == ("/w", "2.1.200")


def test_a_lone_surrogate_becomes_a_replacement_of_equal_length() -> None:
    cwd, version = head_values(b'{"cwd":"/w/\\ud800x","version":"\\udfff"}')
    assert (cwd, version) == ("/w/\ufffdx", "\ufffd")
    assert cwd is not None
    assert cwd.encode("utf-8") == b"/w/\xef\xbf\xbdx"
    assert project_key(cwd) == project_key("/w/\ud800x") == "-w--x"
    assert head_values('{"cwd":"/w/😀"}'.encode()) == ("/w/😀", None)
    assert head_values(b'{"cwd":"/w/\\ud83d\\ude00"}') == ("/w/😀", None)


def test_deep_nesting_and_long_numbers_are_broken_lines() -> None:
    assert head_values(b'{"a":' + b"[" * 60_000 + b"\n" + GOOD) == ("/w", "2.1.200")
    assert head_values(b'{"a":' + b"9" * 20_000 + b"}\n" + GOOD) == ("/w", "2.1.200")


def test_only_the_first_lines_count() -> None:
    assert head_values(b"{}\n" * (HEAD_LINES - 1) + GOOD) == ("/w", "2.1.200")
    assert head_values(b"{}\n" * HEAD_LINES + GOOD) == (None, None)


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_no_bytes_raise_and_a_whole_line_is_always_read(before: bytes, after: bytes) -> None:
    head_values(before + b'{"cwd":"' + after)
    lines = before.count(b"\n") + 1
    if lines < HEAD_LINES and not any(key in before for key in (b"cwd", b"version")):
        assert head_values(before + b"\n" + GOOD + b"\n" + after) == ("/w", "2.1.200")


@given(st.integers(0, len(GOOD)))
def test_a_record_cut_anywhere_never_tells_something_else(length: int) -> None:
    cwd, version = head_values(GOOD[:length])
    assert cwd in (None, "/w")
    assert version in (None, "2.1.200")


# The files of a directory


def test_heads_are_newest_first_then_by_path(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", GOOD, 2_000)
    write(tmp_path / "a.jsonl", b"", 2_000)
    write(tmp_path / "c.jsonl", record(cwd="/x"), 3_000)
    write(tmp_path / "notes.txt", GOOD, 4_000)
    write(tmp_path / "d.jsonl.bak", GOOD, 4_000)
    mkdir(tmp_path / "folder.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "absent")
    (tmp_path / "cycle.jsonl").symlink_to(tmp_path / "cycle.jsonl")
    expected = (
        SessionHead(tmp_path / "c.jsonl", "c", "/x", None, 3_000 * SECOND_NS),
        SessionHead(tmp_path / "a.jsonl", "a", None, None, 2_000 * SECOND_NS),
        SessionHead(tmp_path / "b.jsonl", "b", "/w", "2.1.200", 2_000 * SECOND_NS),
    )
    assert session_heads(tmp_path) == expected
    assert session_heads(tmp_path, 2) == expected[:2]
    assert session_heads(tmp_path, 0) == ()


def test_a_linked_session_is_read(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere/real.jsonl", GOOD)
    chats = mkdir(tmp_path / "chats")
    (chats / "s.jsonl").symlink_to(target)
    assert [head.session_id for head in session_heads(chats)] == ["s"]


def test_no_directory_no_sessions_and_a_file_is_an_error(tmp_path: Path) -> None:
    assert session_heads(tmp_path / "absent") == ()
    file = write(tmp_path / "file", b"")
    message = f"^{file} is not a directory, so no session is read.$"
    with pytest.raises(StoreError, match=message) as caught:
        session_heads(file)
    assert caught.value.exit_code == 4


def test_of_a_long_file_only_the_head_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_record = record(message="x" * 5_000) + b"\n"
    assert 12 * len(long_record) + len(GOOD) < HEAD_BYTES == 65_536 < 13 * len(long_record)
    write(tmp_path / "a.jsonl", long_record * 12 + GOOD)
    write(tmp_path / "b.jsonl", long_record * 13 + GOOD)
    assert [head.cwd for head in session_heads(tmp_path)] == ["/w", None]
    seen: list[int] = []

    def recorded(data: bytes) -> tuple[str | None, str | None]:
        seen.append(len(data))
        return head_values(data)

    monkeypatch.setattr(sessions, "head_values", recorded)
    write(tmp_path / "a.jsonl", GOOD + b"\n" + long_record * 100)
    session_heads(tmp_path)
    assert seen == [4_096, 4_096, HEAD_BYTES]


def test_unreadable_sessions_are_messages(tmp_path: Path) -> None:
    file = write(tmp_path / "open/s.jsonl", GOOD)
    file.chmod(0)
    closed = mkdir(tmp_path / "closed")
    blind = write(tmp_path / "blind/s.jsonl", GOOD).parent
    closed.chmod(0)
    blind.chmod(0o600)
    code = """
import sys
from pathlib import Path
from memtui.engine.disk.sessions import session_heads
from memtui.engine.errors import StoreError
for name in sys.argv[1:]:
    try:
        print([head.problem for head in session_heads(Path(name))])
    except StoreError as error:
        print(error)
"""
    try:
        output = run_without_privileges(code, str(file.parent), str(closed), str(blind))
    finally:
        closed.chmod(0o700)
        blind.chmod(0o700)
    assert output.splitlines() == [
        f"['{file} cannot be read: Permission denied.']",
        f"{closed} cannot be read: Permission denied.",
        f"{blind} cannot be read: Permission denied.",
    ]


# The sessions of a store


def project(machine: Machine, agent: str) -> Store:
    places = stores_for(machine.sub, machine.bases).looked_in
    return next(
        place.store
        for place in places
        if place.store.agent == agent and place.store.scope == "project"
    )


def test_session_dirs_of_a_subfolder_and_of_its_root(machine: Machine) -> None:
    assert session_dirs(project(machine, "qwen")) == (
        machine.home / ".qwen/projects" / machine.sub_key / "chats",
        machine.home / ".qwen/projects" / machine.key / "chats",
    )
    assert session_dirs(project(machine, "claude")) == (
        machine.home / ".claude/projects" / machine.sub_key,
        machine.home / ".claude/projects" / machine.key,
    )
    mkdir(machine.qwen)
    (at_root,) = stores_for(machine.repo, machine.bases).stores
    assert session_dirs(at_root) == (machine.home / ".qwen/projects" / machine.key / "chats",)


def test_other_stores_have_no_sessions(machine: Machine) -> None:
    named = Store("project", "none", machine.repo)
    user = Store("user", "qwen", machine.user)
    assert session_dirs(named) == session_dirs(user) == ()
    assert newest_version(named) is newest_version(user) is None


def test_newest_version_is_of_the_newest_session_that_has_one(machine: Machine) -> None:
    store = project(machine, "qwen")
    below, root = session_dirs(store)
    assert newest_version(store) is None
    write(root / "a.jsonl", record(version="0.21.0"), 1_000)
    assert newest_version(store) == "0.21.0"
    write(root / "b.jsonl", record(version="0.22.0"), 3_000)
    write(below / "c.jsonl", record(version="0.20.0"), 2_000)
    assert newest_version(store) == "0.22.0"
    write(below / "d.jsonl", record(version="0.23.1"), 4_000)
    assert newest_version(store) == "0.23.1"
    write(root / "e.jsonl", b"{broken\n" + record(cwd="/w"), 5_000)
    assert newest_version(store) == "0.23.1"


def test_newest_version_is_of_qwen_only_and_survives_bad_places(machine: Machine) -> None:
    claude = project(machine, "claude")
    write(session_dirs(claude)[0] / "a.jsonl", GOOD)
    assert newest_version(claude) is None
    store = project(machine, "qwen")
    below, root = session_dirs(store)
    write(below, b"a file")
    write(root / "a.jsonl", record(version="0.21.0"))
    assert newest_version(store) == "0.21.0"


def test_newest_version_of_a_local_store(machine: Machine) -> None:
    found = bases({"QWEN_CODE_MEMORY_LOCAL": "1"}, machine.home)
    mkdir(machine.sub / ".qwen/memory")
    (store,) = stores_for(machine.sub, found).stores
    chats = machine.home / ".qwen/projects" / machine.sub_key / "chats"
    assert session_dirs(store) == (chats,)
    write(chats / "a.jsonl", record(version="0.24.0"))
    assert newest_version(store) == "0.24.0"
