"""`memtui recall` logs that it was asked, in numbers, and never fails because of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_home import Answer, CliHome, call, topic


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliHome:
    home = CliHome(tmp_path)
    home.write("feedback/style.md", topic("Style", "how code looks"))
    home.write("user/role.md", topic("Go engineer", "ten years", "user"), "user")
    monkeypatch.setenv("HOME", str(home.home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(home.project)
    return home


def events(home: CliHome) -> list[dict[str, object]]:
    found = sorted((home.home.parent / "state").rglob("telemetry*.jsonl"))
    return [json.loads(line) for path in found for line in path.read_text("utf-8").splitlines()]


def ask(capsys: pytest.CaptureFixture[str], *options: str, query: str = "style") -> Answer:
    return call(capsys, *options, "recall", query)


def test_a_recall_is_one_event_without_any_words(
    home: CliHome, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(capsys).code == 0
    assert ask(capsys, query="zebra 𝒳").code == 1
    first, second = events(home)
    took_ms, when = first.pop("duration_ms"), first.pop("time")
    assert isinstance(took_ms, int)
    assert 0 <= took_ms < 10_000
    assert isinstance(when, str)
    assert first == {
        "event": "recall",
        "query_length": 5,
        "docs_scanned": 2,
        "docs_selected": 1,
        "strategy": "heuristic",
    }
    assert (second["query_length"], second["docs_selected"], second["strategy"]) == (8, 0, "none")
    assert "zebra" not in json.dumps(second)


@pytest.mark.parametrize(
    ("options", "variable"), [(("--readonly",), ""), ((), "0"), (("--readonly",), "0")]
)
def test_switched_off_nothing_comes_into_being(
    home: CliHome,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    variable: str,
) -> None:
    if variable:
        monkeypatch.setenv("MEMTUI_TELEMETRY", variable)
    assert ask(capsys, *options).code == 0
    assert not (home.home.parent / "state").exists()


def test_a_log_that_cannot_be_written_changes_nothing_of_the_answer(
    home: CliHome, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ask(capsys, "--readonly")
    (home.home.parent / "state").write_text("no directory", "utf-8")
    assert ask(capsys) == wanted
