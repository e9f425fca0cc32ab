"""The event log: exactly the fields of the specification, never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.settings import Settings
from memtui.engine.disk.telemetry import (
    KEPT_FILES,
    MAX_BYTES,
    Event,
    Telemetry,
    parse_event,
    telemetry_is_on,
)
from tests.engine.unprivileged import run_without_privileges

START_NS = 1_790_000_000_123_456_789
TIME = "2026-09-21T14:13:20.123Z"
LINE_BYTES = 158
"""Of the line that `add` appends for a length of one digit."""


class Clock:
    """A clock that a test sets; each look at it is a second later."""

    def __init__(self) -> None:
        self.now_ns = START_NS - 10**9

    def __call__(self) -> int:
        self.now_ns += 10**9
        return self.now_ns


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state/stores/0123456789abcdef"


def log_in(folder: Path, *, is_on: bool = True, max_bytes: int = MAX_BYTES) -> Telemetry:
    state_dir = folder.parent.parent
    return Telemetry(folder, state_dir, is_on=is_on, clock_ns=Clock(), max_bytes=max_bytes)


def add(log: Telemetry, length: int = 7) -> str:
    return log.recall(length, 51, 4, "heuristic", 2.0)


def lengths(log: Telemetry, limit: int | None = None) -> list[object]:
    return [event.fields["query_length"] for event in log.events(limit)]


def test_the_three_events_have_exactly_their_fields(folder: Path) -> None:
    log = log_in(folder)
    assert log.extract("auto", "completed", None, 3, ("project", "user"), 41.6) == ""
    assert log.extract("manual", "skipped", "memory_tool", 0, (), 0) == ""
    assert log.dream("manual", "updated", 2, {"feedback"}, 120) == ""
    assert log.recall(12, 51, 5, "heuristic", 1.4) == ""
    lines = [json.loads(line) for line in (folder / "telemetry.jsonl").read_text().splitlines()]
    assert [list(line.items()) for line in lines] == [
        [
            ("event", "extract"),
            ("time", TIME),
            ("trigger", "auto"),
            ("status", "completed"),
            ("patches_count", 3),
            ("touched_topics", ["user", "project"]),
            ("duration_ms", 42),
        ],
        [
            ("event", "extract"),
            ("time", "2026-09-21T14:13:21.123Z"),
            ("trigger", "manual"),
            ("status", "skipped"),
            ("skipped_reason", "memory_tool"),
            ("patches_count", 0),
            ("touched_topics", []),
            ("duration_ms", 0),
        ],
        [
            ("event", "dream"),
            ("time", "2026-09-21T14:13:22.123Z"),
            ("trigger", "manual"),
            ("status", "updated"),
            ("deduped_entries", 2),
            ("touched_topics", ["feedback"]),
            ("duration_ms", 120),
        ],
        [
            ("event", "recall"),
            ("time", "2026-09-21T14:13:23.123Z"),
            ("query_length", 12),
            ("docs_scanned", 51),
            ("docs_selected", 5),
            ("strategy", "heuristic"),
            ("duration_ms", 1),
        ],
    ]
    assert log.problem == ""


def test_what_is_written_is_read_newest_first(folder: Path) -> None:
    log = log_in(folder)
    assert log.events() == ()
    log.dream("auto", "noop", 0, ("user",), 5)
    log.extract("auto", "failed", None, 0, (), 9)
    start_ns = START_NS // 10**6 * 10**6
    dream = Event(
        "dream",
        start_ns,
        {
            "trigger": "auto",
            "status": "noop",
            "deduped_entries": 0,
            "touched_topics": ("user",),
            "duration_ms": 5,
        },
    )
    extract = Event(
        "extract",
        start_ns + 10**9,
        {
            "trigger": "auto",
            "status": "failed",
            "patches_count": 0,
            "touched_topics": (),
            "duration_ms": 9,
        },
    )
    assert log.events() == (extract, dream)
    assert log.events(limit=1) == (extract,)
    assert log.events(limit=0) == ()
    assert log_in(folder, is_on=False).events() == (extract, dream)


def test_words_of_a_memory_never_get_in(folder: Path) -> None:
    log = log_in(folder)
    log.extract("auto", "completed", None, 1, ("Anna's salary", "reference", "user/a.md"), 1)
    assert log.events()[0].fields["touched_topics"] == ("reference",)
    assert b"Anna" not in (folder / "telemetry.jsonl").read_bytes()


def test_switched_off_there_is_no_file(folder: Path) -> None:
    log = log_in(folder, is_on=False)
    assert add(log) == ""
    assert log.dream("auto", "noop", 0, (), 1) == ""
    assert log.extract("auto", "completed", None, 0, (), 1) == ""
    assert log.path == folder / "telemetry.jsonl"
    assert not folder.parent.parent.exists()


@pytest.mark.parametrize(
    ("env", "is_set", "is_on"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"MEMTUI_TELEMETRY": "0"}, True, False),
        ({"MEMTUI_TELEMETRY": "1"}, True, True),
        ({"MEMTUI_TELEMETRY": "1"}, False, False),
        ({"MEMTUI_TELEMETRY": "00"}, True, True),
        ({"MEMTUI_TELEMETRY": "false"}, True, True),
        ({"MEMTUI_TELEMETRY": ""}, True, True),
    ],
)
def test_the_switches(env: dict[str, str], is_set: bool, is_on: bool) -> None:
    assert telemetry_is_on(env, Settings(telemetry=is_set)) is is_on


def test_all_of_it_is_private(folder: Path) -> None:
    old = os.umask(0)
    try:
        log = log_in(folder, max_bytes=LINE_BYTES)
        add(log)
        add(log)
    finally:
        os.umask(old)
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes.pop("telemetry.lock", 0o600) == 0o600
    assert modes == {"telemetry.jsonl": 0o600, "telemetry.1.jsonl": 0o600}
    for above in (folder, folder.parent, folder.parent.parent):
        assert above.stat().st_mode & 0o777 == 0o700


def test_a_full_file_is_put_aside_and_three_are_kept(folder: Path) -> None:
    log = log_in(folder, max_bytes=2 * LINE_BYTES)
    for number in range(9):
        assert add(log, number) == ""
    sizes = {path.name: path.stat().st_size for path in folder.glob("*.jsonl")}
    assert sizes == {
        "telemetry.jsonl": LINE_BYTES,
        "telemetry.1.jsonl": 2 * LINE_BYTES,
        "telemetry.2.jsonl": 2 * LINE_BYTES,
        "telemetry.3.jsonl": 2 * LINE_BYTES,
    }
    assert lengths(log) == [8, 7, 6, 5, 4, 3, 2]
    assert lengths(log, 3) == [8, 7, 6]
    assert (MAX_BYTES, KEPT_FILES) == (1_000_000, 3)


def test_a_line_longer_than_a_file_may_be_is_written_all_the_same(folder: Path) -> None:
    log = log_in(folder, max_bytes=1)
    for number in range(3):
        assert add(log, number) == ""
    assert lengths(log) == [2, 1, 0]


def test_a_rotation_that_was_cut_short_is_made_good(folder: Path) -> None:
    log = log_in(folder, max_bytes=LINE_BYTES)
    for number in range(3):
        add(log, number)
    for age in (2, 1):
        (folder / f"telemetry.{age}.jsonl").rename(folder / f"telemetry.{age + 1}.jsonl")
    add(log, 3)
    assert lengths(log) == [3, 2, 1, 0]


def test_while_another_rotates_lines_go_to_the_full_file(folder: Path) -> None:
    from filelock import FileLock

    log = log_in(folder, max_bytes=LINE_BYTES)
    add(log, 0)
    with FileLock(folder / "telemetry.lock"):
        assert add(log, 1) == ""
        assert add(log, 2) == ""
        assert (folder / "telemetry.jsonl").read_bytes().count(b"\n") == 3
    add(log, 3)
    assert (folder / "telemetry.jsonl").read_bytes().count(b"\n") == 1
    assert lengths(log) == [3, 2, 1, 0]


def test_broken_lines_are_passed_over(folder: Path) -> None:
    log = log_in(folder)
    add(log, 1)
    path = folder / "telemetry.jsonl"
    good = path.read_bytes()
    with path.open("ab") as file:
        file.write(b"\n\xff\xfe\n[1]\n{}\n" + b"[" * 100_000 + b"\n" + good[:60])
    assert add(log, 2) == ""  # the cut line has no end of its own
    assert lengths(log) == [2, 1]
    assert path.read_bytes().split(b"\n")[-3] == good[:60]


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"recall","time":"2026-01-01"}',
        '{"event":"sleep","time":"2026-01-01","duration_ms":1}',
        '{"event":["recall"],"time":"2026-01-01"}',
        '{"event":"extract","trigger":"auto","status":"failed","patches_count":0,'
        '"touched_topics":[],"duration_ms":1}',
        '{"event":"extract","time":"2026-01-01","trigger":"auto","status":"failed",'
        '"patches_count":true,"touched_topics":[],"duration_ms":1}',
        '{"event":"extract","time":"2026-01-01","trigger":"auto","status":"failed",'
        '"patches_count":0,"touched_topics":[1],"duration_ms":1}',
        '{"event":"extract","time":"2026-01-01","trigger":"auto","status":"failed",'
        '"skipped_reason":7,"patches_count":0,"touched_topics":[],"duration_ms":1}',
    ],
)
def test_a_line_without_its_fields_is_no_event(line: str) -> None:
    assert parse_event(line.encode()) is None


def test_keys_of_a_later_version_are_passed_over() -> None:
    line = (
        b'{"event":"dream","time":"2026-01-01T00:00:01Z","trigger":"auto","status":"noop","new":1,'
        b'"deduped_entries":0,"touched_topics":[],"duration_ms":1}'
    )
    event = parse_event(line)
    assert event is not None
    assert event.time_ns == 1_767_225_601 * 10**9
    assert "new" not in event.fields


@given(st.binary(max_size=80))
def test_no_line_raises(line: bytes) -> None:
    assert parse_event(line) is None


def test_what_fails_is_told_once_until_it_works_again(folder: Path) -> None:
    log = log_in(folder)
    folder.parent.parent.mkdir()
    folder.parent.touch()
    told = f"No event is logged in {folder}: file exists."
    for expected in (told, "", ""):
        assert add(log) == expected
        assert log.problem == told
    folder.parent.unlink()
    assert add(log, 5) == ""
    assert log.problem == ""
    (folder / "telemetry.jsonl").unlink()
    (folder / "telemetry.jsonl").mkdir()
    assert add(log) == f"No event is logged in {folder}: is a directory."
    assert add(log) == ""


def test_what_is_no_regular_file_is_neither_written_nor_read(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(parents=True)
    path = folder / "telemetry.jsonl"
    os.mkfifo(path)
    log = log_in(folder)
    assert add(log) == f"No event is logged in {folder}: telemetry.jsonl is no regular file."
    assert log.events() == ()
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    add(log)
    assert log.problem == f"No event is logged in {folder}: too many levels of symbolic links."
    assert not (tmp_path / "elsewhere").exists()


def test_a_write_that_was_cut_short_is_told_and_spoils_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_in(folder)
    add(log, 1)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: real(fd, data[:30]))
        assert add(log, 2) == f"No event is logged in {folder}: the disk took only a part."
    assert add(log, 3) == ""
    assert lengths(log) == [3, 1]


def test_a_folder_that_went_is_made_anew(folder: Path) -> None:
    log = log_in(folder)
    add(log, 1)
    (folder / "telemetry.jsonl").unlink()
    folder.rmdir()
    assert add(log, 2) == ""
    assert lengths(log) == [2]


def test_files_without_rights_are_told(folder: Path) -> None:
    log = log_in(folder)
    add(log)
    (folder / "telemetry.jsonl").chmod(0)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from memtui.engine.disk.telemetry import Telemetry\n"
        "folder = Path(sys.argv[1])\n"
        "log = Telemetry(folder, folder.parent.parent, is_on=True, clock_ns=lambda: 0)\n"
        "print(log.recall(1, 1, 1, 'none', 1))\nprint(log.events(), log.problem)"
    )
    assert run_without_privileges(code, str(folder)) == (
        f"No event is logged in {folder}: permission denied.\n"
        f"() {folder / 'telemetry.jsonl'} cannot be read: permission denied.\n"
    )


_WRITER = (
    "import sys\nfrom pathlib import Path\n"
    "from memtui.engine.disk.telemetry import Telemetry\n"
    "folder, first, count, size = Path(sys.argv[1]), *map(int, sys.argv[2:])\n"
    "options = {'is_on': True, 'clock_ns': lambda: 0, 'max_bytes': size}\n"
    "log = Telemetry(folder, folder.parent.parent, **options)\n"
    "print(flush=True)\nsys.stdin.readline()\n"
    "told = [log.recall(first + n, 1, 1, 'none', 1) for n in range(count)]\n"
    "assert not any(told), told\n"
)


def test_two_processes_write_and_rotate_at_once(folder: Path) -> None:
    count = 600
    size = 60_000  # of some 190 kB: it is rotated while both write, and nothing is old enough to go
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(folder), *map(str, (first, count, size))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for first in (0, 1000)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=30)
    assert [writer.returncode for writer in writers] == [0, 0]
    names = {path.name for path in folder.glob("*.jsonl")}
    assert "telemetry.1.jsonl" in names
    raw = b"".join(path.read_bytes() for path in folder.glob("*.jsonl"))
    assert all(parse_event(line) for line in raw.splitlines() if line)
    written = [*range(count), *range(1000, 1000 + count)]
    found = lengths(log_in(folder))
    assert sorted(str(each) for each in found) == sorted(map(str, written))


def test_threads_of_one_process_write_at_once(folder: Path) -> None:
    log = log_in(folder, max_bytes=10_000)
    threads = [
        threading.Thread(target=lambda first=first: [add(log, first + n) for n in range(40)])
        for first in (0, 100, 200)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert log.problem == ""
    found = {event.fields["query_length"] for event in log.events()}
    assert found == {first + n for first in (0, 100, 200) for n in range(40)}
