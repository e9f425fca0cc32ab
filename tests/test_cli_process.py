"""The command line as a process: streams that close or can't hold a character, signals, a home
that is missing.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_home import CliHome, call_process, put, topic
from tests.engine.unprivileged import run_without_privileges

NAME = "ёлка 数据库 🙂 é"
MEMTUI = [sys.executable, "-W", "error", "-m", "memtui"]


@pytest.fixture
def home(tmp_path: Path) -> CliHome:
    home = CliHome(tmp_path)
    for number in range(300):
        home.write(
            f"feedback/{number:03}.md", topic(f"{NAME} {number}", "d" * 200, body="x\n" * 90)
        )
    return home


def environment(home: CliHome, **more: str) -> dict[str, str]:
    return {"HOME": str(home.home), "PATH": os.environ["PATH"], **more}


def shell(script: str, home: CliHome, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `memtui` is a function."""
    line = f'memtui() {{ "{sys.executable}" -W error -m memtui "$@"; }}; {script}'
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        errors="replace",
        env=environment(home, **more),
        cwd=home.project,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "verb", ["list", "list --json", "recall ёлка --json", "show feedback/000.md"]
)
def test_a_reader_that_goes_away(home: CliHome, verb: str) -> None:
    done = shell(f"memtui {verb} | true; echo ${{PIPESTATUS[0]}}", home)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


def test_a_reader_that_takes_one_line(home: CliHome) -> None:
    done = shell("memtui list | head -1; echo ${PIPESTATUS[0]}", home)
    assert done.stderr == ""
    first, code = done.stdout.splitlines()
    assert first.startswith("project · Qwen Code · 300 memories")
    assert code in ("0", "141")


def test_a_pipe_that_is_broken_for_certain(home: CliHome) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*MEMTUI, "show", "feedback/000.md"],
            stdout=write,
            stderr=subprocess.PIPE,
            env=environment(home),
            cwd=home.project,
            check=False,
            timeout=60,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("verb", ["list", "list --json", "projects"])
def test_standard_output_that_is_closed(home: CliHome, verb: str) -> None:
    done = shell(f"memtui {verb} >&-", home)
    assert done.returncode == 4
    assert done.stderr == "memtui: standard output is closed.\n"


def test_every_stream_closed(home: CliHome) -> None:
    assert shell("memtui list <&- >&- 2>&-", home).returncode == 4
    done = shell("memtui show nothing.md 2>&-", home)
    assert (done.returncode, done.stdout) == (1, "")
    assert shell("memtui <&- >&- 2>&-", home).returncode == 2


def test_a_full_disk(home: CliHome) -> None:
    done = shell("memtui list --json > /dev/full", home)
    assert done.returncode == 4
    assert done.stderr == "memtui: No space left on device.\n"


@pytest.mark.parametrize(
    "more",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_a_locale_that_lacks_characters(home: CliHome, more: dict[str, str]) -> None:
    text = shell("memtui list", home, **more)
    assert (text.returncode, text.stderr) == (0, "")
    assert "300 memories" in text.stdout
    value = shell("memtui list --json", home, **more)
    assert (value.returncode, value.stderr) == (0, "")
    names = {document["name"] for document in json.loads(value.stdout)["documents"]}
    assert f"{NAME} 7" in names


def test_no_home(tmp_path: Path) -> None:
    """Nobody's home: no variable, and an account that the system does not know."""
    put(tmp_path / "m/a.md", topic("A"))
    tmp_path.chmod(0o755)
    strip = (
        "import os, sys\n"
        "sys.argv = ['memtui', *sys.argv[1:]]\n"
        "os.environ.pop('HOME', None)\n"
        "import pwd\n"
        "def unknown(uid):\n"
        "    raise KeyError(uid)\n"
        "pwd.getpwuid = unknown\n"
        "from memtui.__main__ import main\n"
        "sys.exit(main())\n"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", strip, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            timeout=60,
        )

    for verb in ("list", "projects"):
        done = run(verb)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.startswith("memtui: No home directory is known: set HOME")
    assert run("list", "--memory-dir", "m").returncode == 0
    assert run("list", "--demo").returncode == 0


def test_a_folder_that_is_gone_under_the_process(home: CliHome) -> None:
    done = shell("mkdir ../gone && cd ../gone && rmdir ../gone && memtui list", home)
    assert done.returncode == 4
    assert done.stderr == "memtui: The current directory no longer exists.\n"


def test_a_memory_directory_that_may_not_be_read(tmp_path: Path) -> None:
    put(tmp_path / "m/a.md", topic("A"))
    (tmp_path / "m").chmod(0)
    code = (
        "import sys\n"
        "from memtui.cli import main\n"
        "sys.stderr = sys.stdout\n"
        "print(main(['list', '--json', '--memory-dir', sys.argv[1]]))\n"
    )
    said, code_line = run_without_privileges(code, str(tmp_path / "m")).splitlines()
    assert said.startswith(f"memtui: The memory directory {tmp_path / 'm'} cannot be read")
    assert code_line == "4"


def test_a_file_that_may_not_be_read_is_a_problem_of_that_file(tmp_path: Path) -> None:
    put(tmp_path / "m/a.md", topic("A"))
    put(tmp_path / "m/b.md", topic("B")).chmod(0)
    code = (
        "import sys\n"
        "from memtui.cli import main\n"
        "print(main(['list', '--json', '--memory-dir', sys.argv[1]]))\n"
    )
    value, code_line = run_without_privileges(code, str(tmp_path / "m")).splitlines()
    (problem,) = json.loads(value)["problems"]
    assert (problem["path"], problem["rule"]) == ("b.md", "unreadable")
    assert code_line == "0"


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    directory = os.fsencode(tmp_path) + b"/caf\xe9"
    Path(os.fsdecode(directory)).mkdir()
    put(Path(os.fsdecode(directory)) / "a.md", topic("A"))
    put(Path(os.fsdecode(directory + b"/b\xe9.md")), topic("B"))
    done = call_process("list", "--json", "--memory-dir", os.fsdecode(directory))
    assert (done.returncode, done.stderr) == (0, b"")
    value = json.loads(done.stdout.decode())
    assert value["stores"][0]["memory_dir"] == os.fsdecode(directory)
    assert b"caf\\udce9" in done.stdout
    assert [problem["rule"] for problem in value["problems"]] == ["name"]
    text = call_process("list", "--memory-dir", os.fsdecode(directory))
    assert (text.returncode, text.stderr) == (0, b"")
    assert b"caf\\udce9" in text.stdout
    odd = call_process("recall", os.fsdecode(b"q\xe9"), "--json", "--memory-dir", tmp_path)
    assert odd.returncode == 1
    assert json.loads(odd.stdout)["query"] == os.fsdecode(b"q\xe9")


def in_terminal(home: CliHome, *arguments: str, **more: str) -> str:
    """What a terminal of 60 columns shows."""
    outer, inner = pty.openpty()
    env = environment(home, COLUMNS="60", TERM="xterm-256color", **more)
    with subprocess.Popen(
        [*MEMTUI, *arguments], stdin=inner, stdout=inner, stderr=inner, env=env, cwd=home.project
    ) as process:
        os.close(inner)
        chunks = []
        while select.select([outer], [], [], 60)[0]:
            try:
                chunk = os.read(outer, 65_536)
            except OSError:
                break
            if not chunk:
                break
            chunks.append(chunk)
    os.close(outer)
    assert process.returncode == 0
    return b"".join(chunks).decode()


def test_colour_and_width_of_a_terminal(tmp_path: Path) -> None:
    home = CliHome(tmp_path)
    home.write("a.md", topic("A very long name of a memory that does not fit into the line"))
    shown = in_terminal(home, "list")
    assert "\x1b[32m✓ seen\x1b[0m" in shown
    row = next(line for line in shown.splitlines() if "a.md" in line)
    assert "…" in row
    assert "does not fit" not in row
    plain = in_terminal(home, "list", NO_COLOR="1")
    assert "\x1b" not in plain
    assert len(next(line for line in plain.splitlines() if "a.md" in line)) <= 60
    assert "\x1b" not in in_terminal(home, "list", "--json")
    piped = call_process("list", env=environment(home), cwd=home.project).stdout.decode()
    assert "\x1b" not in piped
    assert "does not fit into the line" in piped


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_demo_that_is_killed_leaves_nothing(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    wait = (
        "import sys, time, memtui.cli.verbs as verbs\n"
        "def wait(options, manager):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "verbs._VERBS['list'] = wait\n"
        "from memtui.__main__ import main\n"
        "sys.argv = ['memtui', '--demo', 'list']\n"
        "sys.exit(main())\n"
    )
    env = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    with subprocess.Popen(
        [sys.executable, "-c", wait], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert [path.name for path in tmp_path.iterdir()] != []
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (code, b"")
    assert list(tmp_path.iterdir()) == []


def test_the_script_answers_as_the_module_does() -> None:
    script = Path(sys.executable).with_name("memtui")
    done = subprocess.run([script, "--version"], capture_output=True, check=True, timeout=60)
    assert done.stdout == call_process("--version").stdout
