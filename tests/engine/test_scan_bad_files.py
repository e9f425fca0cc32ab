"""Files that cannot be read are problems of their own and stop nothing."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.engine.disk.files import read_file
from memtui.engine.disk.scan import Scanner
from memtui.engine.types import Snapshot, Store

TOPIC = b"---\nname: One\ndescription: first\ntype: user\n---\n\nBody.\n"


def scan(memory_dir: Path) -> Snapshot:
    return Scanner().scan(Store(scope="project", agent="none", memory_dir=memory_dir))


def found(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    return [(problem.path, problem.rule, problem.message) for problem in snapshot.problems]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A store with one good file; every test must still find it."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "good.md").write_bytes(TOPIC)
    return folder


def check(memory: Path, *problems: tuple[str, str, str]) -> Snapshot:
    snapshot = scan(memory)
    assert "good.md" in [document.path for document in snapshot.documents]
    assert found(snapshot) == list(problems)
    return snapshot


def test_a_named_pipe_is_never_opened(memory: Path) -> None:
    os.mkfifo(memory / "x.md")
    os.mkfifo(memory / "MEMORY.md")
    os.mkfifo(memory / "other")
    message = "This is a named pipe, not a file, and is never opened."
    check(memory, ("MEMORY.md", "not-a-file", message), ("x.md", "not-a-file", message))


def test_a_link_to_a_device_or_pipe_is_never_opened(memory: Path) -> None:
    os.mkfifo(memory.parent / "pipe")
    (memory / "pipe.md").symlink_to("../pipe")
    (memory / "zero.md").symlink_to("/dev/zero")
    check(
        memory,
        ("pipe.md", "not-a-file", "This is a named pipe, not a file, and is never opened."),
        ("zero.md", "not-a-file", "This is a device, not a file, and is never opened."),
    )


def test_a_socket_is_never_opened(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("x.md")
        check(memory, ("x.md", "not-a-file", "This is a socket, not a file, and is never opened."))


def test_a_pipe_that_takes_the_place_of_a_file_does_not_block(memory: Path) -> None:
    os.mkfifo(memory.parent / "pipe")
    assert read_file(str(memory.parent / "pipe"), 10) == b""


def test_a_folder_with_a_topic_files_name_is_entered(memory: Path) -> None:
    (memory / "x.md").mkdir()
    (memory / "x.md" / "in.md").write_bytes(TOPIC)
    (memory / ".o.md").mkdir()
    (memory / ".o.md" / "in.md").write_bytes(TOPIC)
    message = "This is a folder whose name ends in .md; the files in it are read."
    snapshot = check(memory, ("x.md", "not-a-file", message))
    assert sorted(document.path for document in snapshot.documents) == ["good.md", "x.md/in.md"]


def test_dangling_links(memory: Path) -> None:
    (memory / "file").write_bytes(b"")
    (memory / "a.md").symlink_to("gone.md")
    (memory / "b.md").symlink_to("file/below.md")
    (memory / "folder").symlink_to("gone")
    (memory / ".lock").symlink_to("user@host.1234")
    (memory / ".#good.md").symlink_to("user@host.1234")
    check(
        memory,
        ("a.md", "dangling-link", "This link leads nowhere: there is no gone.md."),
        ("b.md", "dangling-link", "This link leads nowhere: there is no file/below.md."),
        ("folder", "dangling-link", "This link leads nowhere: there is no gone."),
    )


def test_link_cycles(memory: Path) -> None:
    (memory / "self.md").symlink_to("self.md")
    (memory / "one.md").symlink_to("two.md")
    (memory / "two.md").symlink_to("one.md")
    (memory / "here").symlink_to(".")
    (memory / "sub").mkdir()
    (memory / "sub" / "up").symlink_to(memory.parent)
    holds = "This link leads to a folder that holds it, and is not followed"
    check(
        memory,
        ("here", "link-cycle", f"{holds}: .."),
        ("one.md", "link-cycle", "This link leads back to itself: two.md."),
        ("self.md", "link-cycle", "This link leads back to itself: self.md."),
        ("sub/up", "link-cycle", f"{holds}: {memory.parent}."),
        ("two.md", "link-cycle", "This link leads back to itself: one.md."),
    )


def test_a_link_to_a_folder_with_a_topic_files_name(memory: Path) -> None:
    (memory / "sub").mkdir()
    (memory / "x.md").symlink_to("sub")
    message = "This link leads to a folder, and is not followed: sub."
    check(memory, ("x.md", "not-a-file", message))


def test_names_that_are_not_utf8(memory: Path) -> None:
    (memory / os.fsdecode(b"d\xff")).mkdir()
    for name in (b"caf\xe9.md", b"d\xff/in.md", b"\xff.txt"):
        (memory / os.fsdecode(name)).write_bytes(TOPIC)
    (memory / "link.md").symlink_to(os.fsdecode(b"caf\xe9.md"))
    snapshot = check(
        memory,
        (
            "caf\\xe9.md",
            "name",
            "The name of this file is not UTF-8, so no agent can open it; rename it.",
        ),
        (
            "d\\xff",
            "name",
            "The name of this folder is not UTF-8, so its files cannot be named; rename it.",
        ),
    )
    assert {document.path: document.link for document in snapshot.documents} == {
        "good.md": None,
        "link.md": "caf\\xe9.md",
    }


def test_a_file_that_is_too_large_is_not_opened(memory: Path) -> None:
    with (memory / "huge.md").open("wb") as huge:
        huge.truncate(3_000_000_000)
    message = "This file has 3,000 MB, more than the 32 MB that are read; split it or move it away."
    check(memory, ("huge.md", "too-large", message))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOENT, []),
        (errno.EIO, [("bad.md", "unreadable", "This file cannot be read (input/output error).")]),
    ],
)
def test_an_error_while_reading_is_a_problem_of_that_file(
    memory: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    expected: list[tuple[str, str, str]],
) -> None:
    (memory / "bad.md").write_bytes(TOPIC)

    def fail_for_bad(path: str, size_bytes: int) -> bytes:
        if path.endswith("bad.md"):
            raise OSError(number, os.strerror(number))
        return read_file(path, size_bytes)

    monkeypatch.setattr("memtui.engine.disk.scan.read_file", fail_for_bad)
    snapshot = check(memory, *expected)
    assert len(snapshot.documents) == 1


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOENT, []),
        (errno.ENOTDIR, []),
        (errno.EIO, [("sub", "unreadable", "This folder cannot be read (input/output error).")]),
    ],
)
def test_an_error_while_listing_is_a_problem_of_that_folder(
    memory: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    expected: list[tuple[str, str, str]],
) -> None:
    (memory / "sub").mkdir()
    scandir = os.scandir

    def fail_for_sub(folder: str) -> object:
        if folder.endswith("sub"):
            raise OSError(number, os.strerror(number))
        return scandir(folder)

    monkeypatch.setattr("memtui.engine.disk.scan.os.scandir", fail_for_sub)
    check(memory, *expected)


def test_an_error_while_listing_the_store_is_its_state(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: str) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("memtui.engine.disk.scan.os.scandir", fail)
    snapshot = scan(memory)
    assert (snapshot.state, snapshot.documents) == ("unreadable", ())
    assert snapshot.message == (
        f"The memory directory {memory} cannot be read (input/output error); "
        "look at the disk it is on, or name another."
    )


def test_a_file_that_grew_after_it_was_listed_is_read_whole(memory: Path) -> None:
    raw = b"x" * 3_000_000
    (memory / "grown.md").write_bytes(raw)
    assert read_file(str(memory / "grown.md"), 10) == raw
    assert read_file(str(memory / "grown.md"), 5_000_000) == raw


def scan_without_rights(memory: Path) -> dict[str, object]:
    """A scan by a process that may not pass over file rights, as root may."""
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from memtui.engine.disk.scan import Scanner\n"
        "from memtui.engine.types import Store\n"
        "store = Store(scope='project', agent='none', memory_dir=Path(sys.argv[1]))\n"
        "s = Scanner().scan(store)\n"
        "print(json.dumps({'state': s.state, 'message': s.message,\n"
        " 'documents': sorted(d.path for d in s.documents),\n"
        " 'problems': [[p.path, p.rule, p.message] for p in s.problems]}))\n"
    )
    command = [sys.executable, "-c", program, str(memory)]
    if os.geteuid() == 0:
        rights = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def test_a_file_without_the_right_to_read(memory: Path) -> None:
    (memory / "secret.md").write_bytes(TOPIC)
    (memory / "secret.md").chmod(0)
    message = "This file cannot be read (permission denied); give your user the right to read it."
    assert scan_without_rights(memory) == {
        "state": "ok",
        "message": "",
        "documents": ["good.md"],
        "problems": [["secret.md", "unreadable", message]],
    }


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_a_folder_without_the_right_to_list_or_enter(memory: Path, mode: int) -> None:
    (memory / "sub").mkdir()
    (memory / "sub" / "a.md").write_bytes(TOPIC)
    (memory / "sub" / "b.md").write_bytes(TOPIC)
    (memory / "sub").chmod(mode)
    result = scan_without_rights(memory)
    (memory / "sub").chmod(0o700)
    message = (
        "This folder cannot be read (permission denied); "
        "give your user the right to list and enter it."
    )
    assert result == {
        "state": "ok",
        "message": "",
        "documents": ["good.md"],
        "problems": [["sub", "unreadable", message]],
    }


@pytest.mark.parametrize("mode", [0o000, 0o400])
def test_a_store_without_the_right_to_list_or_enter(memory: Path, mode: int) -> None:
    memory.chmod(mode)
    result = scan_without_rights(memory)
    memory.chmod(0o700)
    assert result == {
        "state": "unreadable",
        "message": (
            f"The memory directory {memory} cannot be read (permission denied); "
            "give your user the right to list and enter it."
        ),
        "documents": [],
        "problems": [],
    }
