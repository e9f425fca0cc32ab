"""The command line on bad input: a clear word and an exit code, and the rest keeps working."""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.engine.disk.files import read_file
from tests.bad_store import FAULTY, GOOD, NAME_10K, NFC, NFD, NO_MEMORIES, ODD, make_bad_store
from tests.cli_home import Answer, CliHome, call, call_process, topic

Capture = pytest.CaptureFixture[str]

LOST = f"- [Lost](lost.md): {'x' * 200}\n"
STORE_VERBS = (("list",), ("show", "good.md"), ("recall", "words"), ("index",))
READS_ALL = [*STORE_VERBS, ("recall", "words", "--scorer", "classic"), ("projects",)]


@pytest.fixture(scope="module")
def bad_home(tmp_path_factory: pytest.TempPathFactory) -> CliHome:
    """A project of Qwen Code whose store holds every kind of bad file."""
    home = CliHome(tmp_path_factory.mktemp("bad"))
    make_bad_store(home.memory["project"])
    return home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliHome:
    """A project of Qwen Code with one good memory, as the home of this process."""
    home = CliHome(tmp_path)
    home.write("good.md", topic("Good", body="The words of good.md.\n"))
    monkeypatch.setenv("HOME", str(home.home))
    monkeypatch.chdir(home.project)
    return home


def environment(home: CliHome, **more: str) -> dict[str, str]:
    return {"HOME": str(home.home), "PATH": os.environ["PATH"], **more}


def check_talk(said: str) -> None:
    """Every line that is said is a sentence of memtui, safe to show, and no traceback."""
    for line in said.splitlines():
        assert line.startswith("memtui: ")
        assert line.endswith((".", "?"))
        assert line.isprintable()
    assert "Traceback" not in said


def every_verb(capsys: Capture, *where: str, verbs: object = STORE_VERBS) -> Iterator[Answer]:
    """Each verb, as text and as JSON."""
    assert isinstance(verbs, (tuple, list))
    for verb in verbs:
        for as_json in ((), ("--json",)):
            answer = call(capsys, *verb, *as_json, *where)
            check_talk(answer.err)
            assert answer.out == "" or answer.code in (0, 1)
            yield answer


# One file is bad.


@pytest.mark.parametrize("verb", READS_ALL, ids=" ".join)
def test_bad_files_stop_no_verb(bad_home: CliHome, verb: tuple[str, ...]) -> None:
    for as_json in ((), ("--json",)):
        done = call_process(*verb, *as_json, env=environment(bad_home), cwd=bad_home.project)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout
        text = done.stdout.decode()
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_every_bad_file_is_named_with_its_reason(
    bad_home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(bad_home.home))
    answer = call(capsys, "list", "--json", "--project", str(bad_home.project))
    value = answer.json
    problems = {problem["path"]: problem for problem in value["problems"]}
    assert sorted(problems) == sorted(NO_MEMORIES)
    for path, bad in NO_MEMORIES.items():
        assert problems[path]["rule"] == bad.rule
        assert problems[path]["message"].startswith(bad.said)
    documents = {document["path"]: document for document in value["documents"]}
    assert sorted(documents) == sorted([*GOOD, *FAULTY, *ODD])
    for path, said in FAULTY.items():
        assert [each for each in documents[path]["problems"] if each["message"].startswith(said)]
    for path in GOOD:
        assert documents[path]["problems"] == []
        assert documents[path]["seen"] is True
    assert documents["name-10k.md"]["name"] == NAME_10K
    assert documents["before-1970.md"]["mtime"] == "1969-09-07T06:13:20.000Z"
    assert documents["after-2100.md"]["mtime"] == "2103-02-04T02:40:00.000Z"
    text = call(capsys, "list", "--project", str(bad_home.project)).out
    for path, bad in NO_MEMORIES.items():
        assert any(path in line and bad.said in line for line in text.splitlines())
    assert max(map(len, text.splitlines())) < len(NAME_10K) + 1_000


def test_a_bad_file_that_is_asked_for_says_why_it_cannot_be_shown(
    bad_home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(bad_home.home))
    for path, bad in NO_MEMORIES.items():
        if path.endswith(".md"):
            answer = call(capsys, "show", path, "--project", str(bad_home.project))
            assert (answer.code, answer.out) == (4, "")
            assert answer.err.startswith(f"memtui: `{path}`: {bad.said}")


def test_every_memory_can_be_shown(
    bad_home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(bad_home.home))
    for path in (*GOOD, *FAULTY, *ODD):
        answer = call(capsys, "show", path, "--project", str(bad_home.project))
        assert (answer.code, answer.err) == (0, "")
        assert answer.out
    sixteen = call(capsys, "show", "utf-16.md", "--json", "--project", str(bad_home.project)).json
    assert (sixteen["name"], sixteen["body"]) == ("Sixteen", "\nThe words are here.\n")
    nul = call(capsys, "show", "nul.md", "--json", "--project", str(bad_home.project)).json
    assert (nul["name"], nul["body"]) == ("Nul\0name", "\na\0b\0\0c\n")


def test_names_that_differ_in_case_or_form_only_stay_apart(
    bad_home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(bad_home.home))
    assert unicodedata.normalize("NFC", NFD) == NFC != NFD
    for path in ("Case.md", "case.md", NFC, NFD):
        shown = call(capsys, "show", path, "--json", "--project", str(bad_home.project)).json
        assert (shown["path"], shown["name"]) == (path, f"Odd {path}")


@pytest.mark.parametrize("verb", ["list", "show good.md", "recall words", "index", "projects"])
def test_a_reader_that_is_gone_before_the_first_byte(bad_home: CliHome, verb: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = call_process(*verb.split(), env=environment(bad_home), cwd=bad_home.project,
                            stdout=write)  # fmt: skip
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_file_that_is_gone_between_listing_and_reading(
    home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:

    def gone(path: str, size_bytes: int) -> bytes:
        if path.endswith("going.md"):
            Path(path).unlink()
        return read_file(path, size_bytes)

    monkeypatch.setattr("memtui.engine.disk.scan.read_file", gone)
    for verb in STORE_VERBS:
        going = home.write("going.md", topic("Going"))
        answer = call(capsys, *verb, "--json")
        assert (answer.code, answer.err) == (0, "")
        assert "going" not in answer.out
        assert not going.exists()


@pytest.mark.parametrize("body", ["", "more words\n" * 50_000], ids=["shrinks", "grows"])
def test_a_file_that_changes_its_length_while_it_is_read(
    home: CliHome, capsys: Capture, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    home.write("moving.md", topic("Moving", body="a few words\n"))

    def changed(path: str, size_bytes: int) -> bytes:
        if path.endswith("moving.md"):
            home.write("moving.md", topic("Moved", body=body))
        return read_file(path, size_bytes)

    monkeypatch.setattr("memtui.engine.disk.scan.read_file", changed)
    answer = call(capsys, "show", "moving.md", "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["name"] == "Moved"
    assert answer.json["body"].strip() == body.strip()


def test_a_file_that_is_written_all_the_time(home: CliHome, capsys: Capture) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            home.write("busy.md", topic("Busy", body="words\n" * 5_000))
            (home.memory["project"] / "busy.md").unlink()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for answer in every_verb(capsys):
            assert (answer.code, answer.err) == (0, "")
    finally:
        stop.set()
        writer.join()


# The index is bad.


@pytest.mark.parametrize("rule", ["not-a-file", "dangling-link", "link-cycle", "too-large"])
def test_an_index_that_is_no_file_is_named_and_stops_nothing(
    home: CliHome, capsys: Capture, rule: str
) -> None:
    index = home.memory["project"] / "MEMORY.md"
    if rule == "not-a-file":
        index.mkdir()
    elif rule == "too-large":
        index.touch()
        os.truncate(index, 300_000_000)
    else:
        index.symlink_to("nowhere" if rule == "dangling-link" else "MEMORY.md")
    for answer in every_verb(capsys):
        assert (answer.code, answer.err) == (0, "")
    problems = call(capsys, "list", "--json").json["problems"]
    assert [(each["path"], each["rule"]) for each in problems] == [("MEMORY.md", rule)]
    assert call(capsys, "index", "--json").json["kind"] == "none"


def test_an_index_that_is_not_utf8(home: CliHome, capsys: Capture) -> None:
    home.write("MEMORY.md", b"\xff\xfe" + "- [Good](good.md) — feedback\n".encode("utf-16-le"))
    for answer in every_verb(capsys):
        assert (answer.code, answer.err) == (0, "")
    report = call(capsys, "index", "--json").json
    assert (report["kind"], report["files_without_line"]) == ("hand-kept", [])


@pytest.mark.parametrize("line", ["x", LOST], ids=["one line", "lines"])
def test_an_index_of_5_mb(home: CliHome, capsys: Capture, line: str) -> None:
    home.write("MEMORY.md", (line * (5_000_000 // len(line) + 1))[:5_000_000])
    report = call(capsys, "index", "--json").json
    assert report["bytes"] == 5_000_000
    assert call(capsys, "show", "good.md").code == 0
