"""Over a real pseudo terminal: no byte of a file, a name or a paste steers the terminal."""

from __future__ import annotations

import base64
import os
import re
import signal
from pathlib import Path

import pytest

from tests.tui.drawn import faults
from tests.tui.hostile import (
    BATCHES,
    BRACKETS,
    BYTES_FILE_SHOWN,
    BYTES_NAME,
    CONTROLS,
    KINDS,
    HostileHome,
    joined,
)
from tests.tui.terminal import Terminal, plain, sequences, strings

_POINTER = re.compile(rb"\x1b\]22;[a-z-]*\x07")
_OWN = frozenset(
    f"\x1b[{each}".encode()
    for each in (
        *(f"?{mode}{end}" for mode in (1000, 1003, 1004, 1006, 1015, 1049, 2004) for end in "hl"),
        *("?7h", "?7l", "?25h", "?25l"),
        *("?2026h", "?2026l", "?2026$p", "?2048$p"),
        *(">25u", "<u", ">1u", ">u"),
    )
)
"""The toolkit's own: mouse, focus, paste, screen, wrapping, cursor, batches, keys."""
_SGR = {f"\x1b[{each}m".encode() for each in (0, 1, 2, 31, 32, 33, 36)}
"""What the command line styles with."""


_STEERING = tuple(kind for kind in CONTROLS if kind.mark != "c28")
"""The toolkit takes the rest of a paste with escapes for keys, and a selector for a letter."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> HostileHome:
    home = HostileHome(tmp_path_factory.mktemp("hostile"))
    home.add_projects()
    return home


def assert_nothing_raw(sent: bytes) -> None:
    """No hostile string of a file is in `sent` as it is, and nothing hides in the text."""
    for kind in CONTROLS:
        place = sent.find(kind.raw.encode())
        assert place < 0, (kind, plain(sent[max(0, place - 400) : place + 100]))
    assert BYTES_NAME not in sent
    text = plain(sent).replace("\r\n", "").replace("\n", "")
    assert not set(faults(text))


def paste(text: str) -> bytes:
    """`text` as a terminal that checks nothing sends a paste."""
    return b"\x1b[200~" + text.encode() + b"\x1b[201~"


def test_the_app(home: HostileHome) -> None:
    with Terminal(
        "--memory-dir", home.memory, env=home.environment, cwd=home.work, columns=150, rows=64
    ) as terminal:
        terminal.until(lambda: "para [bold]m01 end" in terminal.text)
        seen = terminal.press("m", until="type: feedback")
        for number in range(1, len(BATCHES)):
            seen += terminal.press("j", until=f"batch/{number}.md")
        terminal.press("mk")
        terminal.press("i", until="characters")
        for _ in range(6):
            seen += terminal.press(" ")
        assert "label [@click=app.quit]m03[/] end" in seen
        assert r"label \x1b]0;c02\x07 end" in seen
        terminal.press("1", until="1 Index")
        for _ in range(3):
            seen += terminal.press("\x1b[6~")
        assert r"\x9b31mc08" in seen
        terminal.press("?", until="everywhere")
        terminal.press("q", until="filter")
        terminal.press("g", until=BYTES_FILE_SHOWN[:12])
        terminal.press("y", until="absolute path")
        terminal.press("p", until="copied")
        terminal.press("/", until="1 Index")
        terminal.press(paste(f"nothing{joined(CONTROLS)}"), until="Nothing fits")
        terminal.press("\x15", until="filter  type:")
        terminal.press("\t", until="2 Memory")
        terminal.press("r", until="3 Recall")
        terminal.press(paste(f"m03 c02 {joined((*BRACKETS[:3], *CONTROLS))}"), until="left out")
        terminal.press("\t", until="1 Index")
        terminal.press("3", until="3 Recall")
        terminal.press("jj")
        terminal.press("n", until="points")
        terminal.press("G")
        terminal.press("p", until="/gone/")
        for _ in range(3):
            terminal.press("\x1b[6~")
        terminal.press(paste(f"zzzz{joined(CONTROLS)}"), until="No project fits")
        terminal.escape()
        terminal.press("\x10", until="Search for commands")
        terminal.press(paste(f"zzzz{joined(_STEERING)}"))
        terminal.escape()
        terminal.press("q")
        assert terminal.end() == 0, terminal.text[-6_000:]
        assert terminal.mode == terminal.mode_before
        sent = terminal.sent
    assert_nothing_raw(sent)
    assert sequences(sent) <= _OWN
    own = [each for each in strings(sent) if not _POINTER.fullmatch(each)]
    assert own == [b"\x1b]52;c;" + base64.b64encode(b"MEMORY.md") + b"\x07"]
    assert sent.index(b"\x1b[?1049h") < sent.rindex(b"\x1b[?1049l")
    assert b"\x1b[?1049h" not in sent[sent.rindex(b"\x1b[?1049l") :]
    assert b"\x1b[?25h" in sent[sent.rindex(b"\x1b[?1049l") :]


@pytest.mark.parametrize(("end", "code"), [("ctrl+q", 0), ("kill", 128 + signal.SIGTERM)])
def test_the_terminal_is_as_before(home: HostileHome, end: str, code: int) -> None:
    with Terminal("--memory-dir", home.memory, env=home.environment, cwd=home.work) as terminal:
        terminal.until(lambda: "entry" in terminal.text)
        assert terminal.mode != terminal.mode_before
        if end == "kill":
            os.kill(terminal.process.pid, signal.SIGTERM)
        else:
            terminal.press("\x11")
        assert terminal.end() == code
        assert terminal.mode == terminal.mode_before
        assert terminal.sent.count(b"\x1b[?1049h") == terminal.sent.count(b"\x1b[?1049l") == 1
        assert_nothing_raw(terminal.sent)


@pytest.mark.parametrize("form", ["text", "--json"])
def test_the_verbs(home: HostileHome, form: str) -> None:
    option = [] if form == "text" else [form]
    calls: list[list[str | Path]] = [
        ["list"],
        ["show", "batch/0.md"],
        ["show", "batch/3.md"],
        ["show", "batch/4.md"],
        ["show", "keyed/5.md"],
        ["recall", f"m03 c02 {joined(KINDS[-3:])}".replace("\0", "")],
        ["index"],
        ["projects"],
        ["show", f"no such {joined(CONTROLS)}.md".replace("\0", "")],
    ]
    for call in calls:
        arguments = [*call, *option, "--project", home.project]
        with Terminal(*arguments, env=home.environment, cwd=home.work, columns=400) as terminal:
            code = terminal.end()
            sent, text = terminal.sent, terminal.text
        assert code in (0, 1), text
        assert_nothing_raw(sent)
        assert sequences(sent) == set()
        assert strings(sent) == []
        styles = set(re.findall(rb"\x1b\[[0-9;]*m", sent))
        assert styles <= (_SGR if form == "text" else set())
        if call == ["list"] and form == "text":
            for kind in KINDS:
                assert kind.shown in text, kind


@pytest.mark.parametrize(
    "arguments",
    [
        ("--memory-dir", f"no such {CONTROLS[1].raw}{CONTROLS[12].raw}", "list"),
        ("--no-such-option", "list", CONTROLS[1].raw),
        ("--agent", f"{CONTROLS[0].raw}{CONTROLS[7].raw}", "list"),
        (f"verb{CONTROLS[3].raw}{CONTROLS[7].raw}",),
        ("recall", "x", "--limit", CONTROLS[1].raw),
    ],
    ids=["directory", "option", "choice", "verb", "number"],
)
def test_wrong_calls(home: HostileHome, arguments: tuple[str, ...]) -> None:
    with Terminal(*arguments, env=home.environment, cwd=home.work) as terminal:
        assert terminal.end() in (2, 4)
        assert_nothing_raw(terminal.sent)
        assert strings(terminal.sent) == []
        assert len(terminal.text.strip()) > 20
