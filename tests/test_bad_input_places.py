"""The command line where the places themselves are bad: directories, homes, sessions, arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bad_store import NAME_10K
from tests.cli_home import CliHome, call, call_process, put, topic
from tests.engine.unprivileged import run_without_privileges
from tests.test_bad_input import READS_ALL, STORE_VERBS, Capture, check_talk, every_verb

CALLS = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from memtui.cli import main
for words in json.loads(sys.argv[1]):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliHome:
    """A project of Qwen Code with one good memory, as the home of this process."""
    home = CliHome(tmp_path)
    home.write("good.md", topic("Good", body="The words of good.md.\n"))
    monkeypatch.setenv("HOME", str(home.home))
    monkeypatch.chdir(home.project)
    return home


def unprivileged(*calls: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """What each call gives in a process that file modes hold for."""
    lines = run_without_privileges(CALLS, json.dumps(calls)).splitlines()
    answers = [json.loads(line) for line in lines]
    for _, _, err in answers:
        check_talk(err)
    return [(code, out, err) for code, out, err in answers]


# Directories.


def test_a_missing_directory(home: CliHome, tmp_path: Path, capsys: Capture) -> None:
    said = f"memtui: There is no directory {tmp_path}/none; is it spelled so?\n"
    for answer in every_verb(capsys, "--memory-dir", f"{tmp_path}/none"):
        assert (answer.code, answer.out, answer.err) == (4, "", said)
    for answer in every_verb(capsys, "--project", f"{tmp_path}/none"):
        assert (answer.code, answer.out) == (4, "")
        assert answer.err.startswith(f"memtui: {tmp_path}/none does not exist. No ")
    assert call_process("list", "--memory-dir", tmp_path / "none").stderr == said.encode()


def test_a_file_instead_of_a_directory(home: CliHome, tmp_path: Path, capsys: Capture) -> None:
    file = put(tmp_path / "file.md", topic("File"))
    for place in (file, file / "below", Path("/dev/null")):
        said = f"memtui: {place} is not a directory; move what is there or name another.\n"
        for answer in every_verb(capsys, "--memory-dir", str(place)):
            assert (answer.code, answer.out, answer.err) == (4, "", said)
    for answer in every_verb(capsys, "--project", str(file)):
        assert (answer.code, answer.out) == (4, "")
        assert answer.err.startswith(f"memtui: {file} is not a directory. No ")


def test_a_file_where_the_memory_directory_should_be(home: CliHome, capsys: Capture) -> None:
    """The user's own memories are shown all the same; the code says that something is amiss."""
    (home.memory["project"] / "good.md").unlink()
    home.memory["project"].rmdir()
    put(home.memory["project"], "a file")
    home.write("own.md", topic("Own", kind="user"), "user")
    answer = call(capsys, "list", "--json")
    assert answer.code == 4
    assert answer.err == f"memtui: {home.memory['project']} is not a directory.\n"
    assert [document["path"] for document in answer.json["documents"]] == ["own.md"]


def test_directories_that_cannot_be_read(home: CliHome, tmp_path: Path) -> None:
    memory = home.memory["project"]
    home.write("closed/inside.md", topic("Inside"))
    home.write("listed/inside.md", topic("Inside"))
    home.write("closed.md", topic("Closed"))
    home.write("MEMORY.md", "- [Good](good.md) — feedback\n")
    (memory / "closed").chmod(0)
    (memory / "listed").chmod(0o444)
    (memory / "closed.md").chmod(0)
    (memory / "MEMORY.md").chmod(0)
    verbs = [(*verb, *json) for verb in READS_ALL for json in ((), ("--json",))]
    for code, out, err in unprivileged(*verbs):
        assert (code, err) == (0, "")
        assert out
    ((_, out, _), (code, _, err)) = unprivileged(("list", "--json"), ("show", "closed.md"))
    value = json.loads(out)
    assert [document["path"] for document in value["documents"]] == ["good.md"]
    faults = {
        problem["path"]: (problem["rule"], problem["message"]) for problem in value["problems"]
    }
    assert faults == {
        "MEMORY.md": ("unreadable", faults["closed.md"][1]),
        "closed": ("unreadable", faults["listed"][1]),
        "closed.md": (
            "unreadable",
            "This file cannot be read (permission denied); give your user the right to read it.",
        ),
        "listed": (
            "unreadable",
            "This folder cannot be read (permission denied); "
            "give your user the right to list and enter it.",
        ),
    }
    assert (code, err) == (4, f"memtui: `closed.md`: {faults['closed.md'][1]}\n")
    memory.chmod(0)
    for code, out, err in unprivileged(*STORE_VERBS):
        assert (code, out) == (4, "")
        assert err == (
            f"memtui: The memory directory {memory} cannot be read (permission denied); "
            "give your user the right to list and enter it.\n"
        )
    memory.chmod(0o755)


def test_nothing_is_written_where_nothing_may_be_written(home: CliHome, tmp_path: Path) -> None:
    """As on a file system that is read-only: all verbs answer, and no byte and no time changes."""
    home.write("MEMORY.md", "- [Good](good.md) — feedback\n")
    everything = [home.home, *home.home.rglob("*"), home.project, *home.project.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = [path.stat() for path in everything]
    verbs = [(*verb, *json) for verb in READS_ALL for json in ((), ("--json",))]
    for code, out, err in unprivileged(*verbs):
        assert (code, err) == (0, "")
        assert out
    for path, status in zip(everything, before, strict=True):
        now = path.stat()
        assert (now.st_mtime_ns, now.st_ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)
    for path in everything:
        path.chmod(0o755 if path.is_dir() else 0o644)


# Homes.


def test_a_home_that_is_a_file(
    home: CliHome, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    file = put(home.home / "file", "no home")
    monkeypatch.setenv("HOME", str(file))
    for answer in every_verb(capsys):
        assert (answer.code, answer.out) == (4, "")
        assert f"{file}/.qwen/projects/{home.key}/memory lies below a file." in answer.err or (
            "user" in answer.err
        )
    projects = call(capsys, "projects")
    assert (projects.code, projects.out) == (4, "")
    assert f"memtui: {file}/.qwen/projects cannot be read: Not a directory." in projects.err
    for answer in every_verb(capsys, "--memory-dir", str(home.memory["project"])):
        assert (answer.code, answer.err) == (0, "")


def test_a_home_that_is_relative_is_taken_from_the_current_folder(
    home: CliHome, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("HOME", os.path.relpath(home.home))
    for answer in every_verb(capsys, verbs=READS_ALL):
        assert (answer.code, answer.err) == (0, "")
    monkeypatch.setenv("HOME", "none/at/all")
    assert call(capsys, "list").code == 4


def test_no_home_at_all(home: CliHome, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("memtui.engine.open_stores.home_of", lambda env: None)
    said = "memtui: No home directory is known: set HOME, or name the agent's directory with"
    for answer in every_verb(capsys, verbs=READS_ALL):
        assert (answer.code, answer.out) == (4, "")
        assert answer.err.startswith(said)
    for answer in every_verb(capsys, "--memory-dir", str(home.memory["project"])):
        assert (answer.code, answer.err) == (0, "")


def test_a_current_folder_that_is_gone_matters_only_where_it_is_needed(home: CliHome) -> None:
    script = (
        "import os, sys\n"
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        "from memtui.cli import main\n"
        "sys.exit(main())\n"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    for verb in (("list",), ("list", "--memory-dir", "m"), ("list", "--project", "p")):
        done = run(*verb)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr == "memtui: The current directory no longer exists.\n"
    for verb in (
        ("list", "--memory-dir", str(home.memory["project"])),
        ("list", "--project", str(home.project)),
        ("projects",),
    ):
        done = run(*verb)
        assert (done.returncode, done.stderr) == (0, "")


# Sessions.


def test_bad_sessions_only_cost_the_version(home: CliHome, capsys: Capture) -> None:
    chats = home.qwen / "chats"
    old = '{"version": "0.20.1", "cwd": "/x"}\n'
    put(chats / "old.jsonl", old, mtime_s=1_000)
    (chats / "folder.jsonl").mkdir()
    (chats / "dangling.jsonl").symlink_to("nowhere")
    os.mkfifo(chats / "pipe.jsonl")
    put(chats / "sparse.jsonl", b"")
    os.truncate(chats / "sparse.jsonl", 300_000_000)
    put(chats / "deep.jsonl", "[" * 60_000)
    put(chats / "binary.jsonl", bytes(range(256)) * 300)
    for answer in every_verb(capsys, verbs=READS_ALL):
        assert (answer.code, answer.err) == (0, "")
    assert call(capsys, "recall", "words", "--json").json["scorer"] == "classic"
    put(chats / "new.jsonl", '{"version": "0.24.0"}\n').chmod(0)
    ((code, out, err),) = unprivileged(("recall", "words", "--json"))
    assert (code, json.loads(out)["scorer"], err) == (0, "classic", "")
    chats.chmod(0)
    ((code, out, err),) = unprivileged(("recall", "words", "--json"))
    assert (code, json.loads(out)["scorer"], err) == (0, "weighted", "")
    chats.chmod(0o755)


def test_sessions_that_are_a_file(home: CliHome, capsys: Capture) -> None:
    put(home.qwen / "chats", "a file")
    for answer in every_verb(capsys):
        assert (answer.code, answer.err) == (0, "")
    projects = call(capsys, "projects", "--json")
    assert (projects.code, [each["key"] for each in projects.json["projects"]]) == (0, [home.key])


# Arguments.


def test_empty_arguments(home: CliHome, capsys: Capture) -> None:
    for words, code in (
        (("list", "--memory-dir", ""), 2),
        (("list", "--project", ""), 2),
        (("list", "--agent", ""), 2),
        (("list", "--scope", ""), 2),
        (("",), 2),
        (("show", ""), 1),
        (("recall", ""), 1),
        (("recall", " ", "\t"), 1),
        (("recall", "words", "--limit", ""), 2),
    ):
        answer = call(capsys, *words)
        assert answer.code == code
        assert answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "word", ["\udcff\udcfe", "数\U0001f642", "\u202e\u2066", "\x1b[31m", "%s{}"]
)
def test_arguments_of_any_characters(home: CliHome, capsys: Capture, word: str) -> None:
    for words in (
        ("show", word),
        ("show", f"{word}.md"),
        ("recall", word),
        ("list", "--project", word),
        ("list", "--memory-dir", word),
        ("list", "--agent", word),
        (word,),
    ):
        answer = call(capsys, *words)
        assert answer.code in (0, 1, 2, 4)
        assert answer.err
        assert all(line.isprintable() for line in answer.err.splitlines())


def test_a_query_of_100_kb(home: CliHome, capsys: Capture) -> None:
    query = "".join(f"w{number:x} " for number in range(18_000)) + "words"
    assert len(query) > 100_000
    for scorer in ("weighted", "classic"):
        answer = call(capsys, "recall", query, "--json", "--scorer", scorer)
        assert answer.code == 0
        assert [hit["path"] for hit in answer.json["documents"]] == ["good.md"]


def test_names_of_10_000_characters(home: CliHome, capsys: Capture) -> None:
    for words, code in (
        (("show", NAME_10K), 1),
        (("show", f"{NAME_10K}.md"), 1),
        (("recall", NAME_10K), 1),
        (("list", "--project", NAME_10K), 0),
        (("list", "--memory-dir", NAME_10K), 4),
        (("list", "--memory-dir", "n/" * 5_000), 4),
    ):
        answer = call(capsys, *words)
        assert (answer.code, answer.err != "") == (code, True)
        check_talk(answer.err)
    assert len(call(capsys, "show", NAME_10K).err) < 1_000
