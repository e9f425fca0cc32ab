"""The verbs of what runs over time: extract and dream (design section 6)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.engine.disk.paths import project_key
from memtui.engine.near import Work
from memtui.engine.plans.suggestions import Suggestion
from tests.cli_home import CliHome, HomeCli, topic
from tests.engine.session_files import START_NS, write_session
from tests.engine.test_extracting import ANSWER, DECISION, RULE, TALK
from tests.engine.unprivileged import run_without_privileges
from tests.engine.written_store import tree

TWICE = "- Use uv.\n  - **Why:** the lock file\n- Keep lines short.\n- use UV.\n"
UNWRITTEN = "memtui: Nothing is written yet; add --yes to do it.\n"


class Cli(HomeCli):
    """The command line in the folder of a project with sessions."""

    def __init__(
        self, home: CliHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        super().__init__(home, capsys, monkeypatch)
        home.write("feedback/style.md", topic("Style", "how code looks", body=TWICE), mtime_s=9)
        self.chats = home.qwen / "chats"

    def files(self) -> object:
        return tree(self.home.home / ".qwen")


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(CliHome(tmp_path), capsys, monkeypatch)


# extract


def test_extract_shows_patches_with_their_quote_and_writes_nothing(cli: Cli) -> None:
    write_session(cli.chats, "s1", [RULE, ANSWER, DECISION, ANSWER])
    before = cli.files()
    answer = cli("extract")
    assert answer.out.startswith("session s1  4 messages, 4 not read before\n\n■ feedback ")
    assert f"“{RULE[1]}”" in answer.out
    assert answer.err == UNWRITTEN
    assert cli.files() == before
    assert not cli.state.exists()


def test_extract_as_json_has_all_that_scripts_need(cli: Cli) -> None:
    write_session(
        cli.chats, "s1", [RULE, ANSWER, ("user", "Always use uv instead of pip today."), ANSWER]
    )
    found = cli.json("extract")
    (patch,) = found["patches"]
    assert patch["type"] == "feedback"
    assert patch["source"] == {"session": "s1", "message": 0, "quote": RULE[1]}
    assert (patch["selected"], patch["near_duplicate_of"]) == (True, None)
    assert found["skipped_reason"] is None
    assert found["cursor"]["sessionId"] == "s1"
    assert found["cursor"]["processedOffset"] == 6
    assert found["cursor"]["file"] == "extract-cursor.json"
    assert (found["applied"], found["journal_id"]) == (False, None)
    assert [change["path"] for change in found["changes"]] == [patch["path"], "MEMORY.md"]
    assert found["changes"][0]["diff"].startswith("--- /dev/null\n+++ b/")
    assert [each["rule"] for each in found["dropped"]] == ["a temporary word: today"]


def test_extract_writes_what_is_selected_and_undo_takes_it_back(cli: Cli) -> None:
    write_session(cli.chats, "s1", [RULE, ANSWER])
    before = cli.files()
    written = cli.json("extract", "--yes")
    assert written["applied"] is True
    path = written["patches"][0]["path"]
    assert (cli.home.memory["project"] / path).is_file()
    assert cli.json("extract")["patches"] == []
    cli("undo", written["journal_id"], "--yes")
    assert cli.files() == before
    assert cli.json("extract")["dropped"][0]["rule"] == "rejected before"


def test_a_near_duplicate_is_told_and_not_written(cli: Cli) -> None:
    cli.home.write(
        "feedback/uv.md",
        topic("Use uv", RULE[1][:-1], body="Always use uv instead of pip in this repository\n"),
    )
    write_session(cli.chats, "s1", [RULE, ANSWER])
    found = cli.json("extract", "--yes")
    (patch,) = found["patches"]
    assert (patch["selected"], patch["near_duplicate_of"]) == (False, "feedback/uv.md")
    assert [change["path"] for change in found["changes"]] == []


def test_a_session_is_named_by_id_start_or_file(cli: Cli, tmp_path: Path) -> None:
    write_session(cli.chats, "abc-1", [RULE], START_NS - 9)
    write_session(cli.chats, "xyz-2", [TALK])
    outside = write_session(tmp_path / "elsewhere", "other", [DECISION])
    assert cli.json("extract")["session"] == "xyz-2"
    assert cli.json("extract", "abc")["session"] == "abc-1"
    found = cli.json("extract", str(outside))
    assert (found["session"], len(found["patches"])) == ("other", 1)
    assert found["cursor"]["file"] == "cursors.json"
    assert found["cursor"]["processedOffset"] == 1
    answer = cli("extract", "nope", code=1)
    assert answer.err.startswith("memtui: There is no session “nope”")


def test_the_agents_own_memory_skips_unless_the_session_is_named(cli: Cli) -> None:
    written = str(cli.home.memory["project"] / "feedback/uv.md")
    write_session(cli.chats, "s1", [RULE, ("write", written), ANSWER])
    before = cli.files()
    found = cli.json("extract", "--yes")
    assert (found["skipped_reason"], found["patches"]) == ("memory_tool", [])
    assert (found["applied"], found["cursor"]) == (False, None)
    assert cli.files() == before
    assert "the agent wrote a memory itself" in cli("extract").out
    assert len(cli.json("extract", "s1")["patches"]) == 1


def test_no_session_is_said(cli: Cli) -> None:
    answer = cli("extract")
    assert (answer.out, answer.err) == ("", "memtui: There is no session here to extract from.\n")


def test_the_first_memory_of_a_project_makes_its_store(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = tmp_path / "fresh"
    (fresh / ".git").mkdir(parents=True)
    monkeypatch.chdir(fresh)
    state = cli.home.home / ".qwen/projects" / project_key(str(fresh))
    write_session(state / "chats", "s1", [RULE, ANSWER])
    found = cli.json("extract", "--yes")
    assert (state / "memory" / found["patches"][0]["path"]).is_file()
    assert sorted(path.name for path in state.iterdir()) == [
        "chats",
        "extract-cursor.json",
        "memory",
        "meta.json",
    ]


def test_readonly_refuses(cli: Cli) -> None:
    write_session(cli.chats, "s1", [RULE, ANSWER])
    before = cli.files()
    assert cli.json("extract", "--readonly")["patches"] != []
    answer = cli("extract", "--yes", "--readonly", code=3)
    assert answer.err == "memtui: memtui was started with --readonly, so nothing is written.\n"
    assert cli("dream", "--yes", "--readonly", code=3).err == answer.err
    assert cli.files() == before
    assert not cli.state.exists()


def test_a_session_that_cannot_be_read_is_said(cli: Cli) -> None:
    path = write_session(cli.chats, "s1", [RULE, ANSWER])
    path.chmod(0)
    said = run_without_privileges(
        "import sys\n"
        "from memtui.cli import main\n"
        "sys.stderr = sys.stdout\n"
        "print('exit', main(['extract']))"
    )
    assert "s1.jsonl cannot be read: Permission denied" in said
    assert "exit 4" in said


# dream


def test_dream_shows_gates_plan_and_suggestions_and_writes_nothing(cli: Cli) -> None:
    before = cli.files()
    answer = cli("dream")
    assert answer.out.startswith("gates of the automatic run\n  ✗  dream enabled")
    assert "1 merge, 1 sort, 2 files." in answer.out
    assert "changed feedback/style.md: " in answer.out
    assert answer.err == UNWRITTEN
    assert cli.files() == before


def test_dream_tells_where_the_suggestions_stop(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def suggestions(*_: object, work: Work, **__: object) -> tuple[Suggestion, ...]:
        work.left_out = 1_234
        return ()

    monkeypatch.setattr("memtui.engine.lifecycle.dreaming.Dreaming.suggestions", suggestions)
    assert cli("dream").err == (
        "memtui: Suggestions stop early: 1,234 entries were compared with the likeliest others "
        f"at most.\n{UNWRITTEN}"
    )


def test_dream_as_json(cli: Cli) -> None:
    found = cli.json("dream")
    assert (found["status"], found["skipped_reason"]) == ("updated", None)
    assert [gate["gate"] for gate in found["gates"]] == [
        "enabled",
        "session",
        "hours",
        "scan",
        "sessions",
        "lock",
        "running",
    ]
    assert found["gates"][0] == {
        "gate": "enabled",
        "open": False,
        "value": False,
        "limit": True,
        "reason": "disabled",
    }
    assert found["lock"] == {"state": "free", "pid": None, "age_s": None}
    assert (found["deduped_entries"], found["touched_topics"]) == (1, ["feedback"])
    assert [change["path"] for change in found["changes"]] == ["feedback/style.md", "MEMORY.md"]
    assert found["applied"] is False


def test_dream_tidies_and_undo_takes_it_back(cli: Cli) -> None:
    before = tree(cli.home.memory["project"])
    done = cli.json("dream", "--yes")
    assert (done["applied"], done["deduped_entries"]) == (True, 1)
    again = cli.json("dream", "--yes")
    assert (again["status"], again["changes"], again["applied"]) == ("noop", [], True)
    cli("undo", done["journal_id"], "--yes")
    assert tree(cli.home.memory["project"]) == before
    assert cli.json("dream")["changes"] == []
    assert "undone before and left out" in cli("dream").out


def test_an_automatic_dream_asks_the_gates(cli: Cli) -> None:
    before = cli.files()
    answer = cli("dream", "--auto", "--yes")
    assert answer.err == ("memtui: No dream (disabled): dreams that run by themselves are off.\n")
    found = cli.json("dream", "--auto", "--yes")
    assert (found["status"], found["skipped_reason"]) == ("skipped", "disabled")
    assert (found["changes"], found["applied"]) == ([], False)
    assert cli.files() == before
    config = cli.home.home / ".config/memtui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[dream]\nauto = true\n")
    assert cli.json("dream", "--auto", "--yes")["skipped_reason"] == "min_sessions"
    for number in range(6):
        write_session(cli.chats, f"s{number}", [TALK], START_NS + number)
    done = cli.json("dream", "--auto", "--yes")
    assert (done["status"], done["skipped_reason"], done["applied"]) == ("updated", None, True)
    assert cli.json("dream", "--auto", "--yes")["skipped_reason"] == "same_session"


def test_a_held_lock_refuses_a_dream_by_hand_too(cli: Cli) -> None:
    (cli.home.qwen / "consolidation.lock").write_text(str(os.getppid()))
    before = cli.files()
    found = cli.json("dream")
    assert (found["lock"]["state"], found["lock"]["pid"]) == ("held", os.getppid())
    answer = cli("dream", "--yes", code=3)
    assert str(os.getppid()) in answer.err
    assert cli.files() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("dream --scope user --scope team", "one scope at a time"),
        ("extract --scope user --scope team", "one scope at a time"),
        ("dream now", "unrecognized arguments"),
        ("extract a b", "unrecognized arguments"),
    ],
)
def test_wrong_calls(cli: Cli, words: str, said: str) -> None:
    assert said in cli(*words.split(), code=2).err
