"""The verbs that change stores, run in this process (design section 6)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memtui.cli.change_pages import diff_lines
from memtui.cli.tables import Page
from memtui.engine.disk.store import StoreWriter
from memtui.engine.manager import MemoryManager
from memtui.engine.plans.forget import ForgetPlan
from memtui.engine.types import ChangeSet, FileChange, Store
from memtui.engine.workspace import Target
from tests.cli_home import CliHome, HomeCli, put, topic
from tests.engine.faults import Crash, FaultyCalls
from tests.engine.unprivileged import run_without_privileges
from tests.engine.written_store import tree

STYLE = """\
---
name: Style
description: how code looks
type: feedback
---

- Use tabs.
  - **Why:** the formatter does.
- Keep lines short.
"""
UNWRITTEN = "memtui: Nothing is written yet; add --yes to do it.\n"


class Cli(HomeCli):
    """The command line, run in the folder of a project with a memory in each scope."""

    def __init__(
        self, home: CliHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        super().__init__(home, capsys, monkeypatch)
        home.write("feedback/style.md", STYLE, mtime_s=1_700_000_000)
        home.write("project/freeze.md", topic("Merge freeze", "from Friday", "project"), mtime_s=10)
        home.write("user/role.md", topic("Go engineer", "ten years", "user"), "user", 20)
        home.write("feedback/style.md", topic("Team style", "agreed"), "team", 30)

    def files(self) -> object:
        """The stores and the state files as they are."""
        return tree(self.home.home / ".qwen"), tree(self.home.project)


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(CliHome(tmp_path), capsys, monkeypatch)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("forget tabs --yes", "choose with --id"),
        ("forget --yes", "choose with --id"),
        ("forget tabs --break-stale-lock", "choose with --id"),
        ("forget tabs --id project/freeze.md", "not both"),
        ("forget --id", "expected at least one argument"),
        ("index --yes", "need --rebuild"),
        ("index --break-stale-lock", "need --rebuild"),
        ("index --rebuild --scope user --scope team", "one scope at a time"),
        ("log --break-stale-lock", "needs --purge"),
        ("log --yes", "unrecognized arguments"),
        ("list --yes", "unrecognized arguments"),
        ("undo a b", "unrecognized arguments"),
        ("undo --purge x", "unrecognized arguments"),
        ("--yes list", "unrecognized arguments"),
    ],
)
def test_wrong_usage_writes_nothing(cli: Cli, words: str, said: str) -> None:
    before = cli.files()
    answer = cli(*words.split(), code=2)
    assert said in answer.err
    assert answer.out == ""
    assert cli.files() == before
    assert not cli.state.exists()


def test_an_empty_journal_id_is_wrong_usage(cli: Cli) -> None:
    assert "is empty" in cli("undo", "", code=2).err
    assert "is empty" in cli("log", "--purge", "", code=2).err


class TestCandidates:
    def test_json_has_the_documented_shape(self, cli: Cli) -> None:
        answer = cli("forget", "use", "TABS", "--json")
        assert answer.err == ""
        assert list(answer.json) == ["candidates"]
        (found,) = answer.json["candidates"]
        digest = found.pop("digest")
        assert re.fullmatch("[0-9a-f]{4}", digest)
        assert list(found.items()) == [
            ("id", "feedback/style.md:0"),
            ("scope", "project"),
            ("summary", "Use tabs."),
            ("score", 100),
            ("match", "contains"),
        ]

    def test_a_person_reads_whole_ids_and_how_to_go_on(self, cli: Cli) -> None:
        (found,) = cli.json("forget", "tabs")["candidates"]
        answer = cli("forget", "tabs")
        assert answer.err == ""
        assert answer.out.splitlines() == [
            f"100  project:feedback/style.md:0@{found['digest']}  Use tabs.  contains  summary",
            "",
            "1 entry. Choose with: memtui forget --id ID …",
        ]

    def test_likeness_is_scored(self, cli: Cli) -> None:
        (found,) = cli.json("forget", "frieze")["candidates"]
        assert (found["id"], found["match"]) == ("project/freeze.md", "similar")
        assert 60 <= found["score"] < 99

    def test_without_a_query_all_are_listed(self, cli: Cli) -> None:
        found = cli.json("forget")["candidates"]
        assert [(each["scope"], each["id"]) for each in found] == [
            ("project", "feedback/style.md:0"),
            ("project", "feedback/style.md:1"),
            ("project", "project/freeze.md"),
            ("user", "user/role.md"),
            ("team", "feedback/style.md"),
        ]
        assert {(each["score"], each["match"]) for each in found} == {(0, "listed")}
        assert cli("forget").out.count("@") == 5

    def test_scopes_narrow_it(self, cli: Cli) -> None:
        found = cli.json("forget", "style", "--scope", "team", "--scope", "user")["candidates"]
        assert [each["scope"] for each in found] == ["team"]

    def test_nothing_matches(self, cli: Cli) -> None:
        answer = cli("forget", "zebra", "--json", code=1)
        assert answer.json == {"candidates": []}
        assert answer.err == "memtui: Nothing matches: no entry contains the query or is like it.\n"
        assert cli("forget", "zebra", code=1).out == ""

    def test_nothing_is_made_on_disk(self, cli: Cli) -> None:
        before = cli.files()
        cli("forget", "tabs")
        assert cli.files() == before
        assert not cli.state.exists()


class TestForget:
    def test_a_plan_has_the_documented_shape_and_writes_nothing(self, cli: Cli) -> None:
        before = cli.files()
        answer = cli("forget", "--id", "feedback/style.md:0", "project/freeze.md", "--json")
        assert answer.err == ""
        value = answer.json
        assert list(value) == ["candidates", "changes", "applied", "journal_id", "broken_links"]
        assert [each["id"] for each in value["candidates"]] == [
            "feedback/style.md:0",
            "project/freeze.md",
        ]
        assert (value["applied"], value["journal_id"], value["broken_links"]) == (False, None, [])
        assert [list(change) for change in value["changes"]] == [
            ["path", "scope", "kind", "reason", "diff"]
        ] * 3
        assert [(change["path"], change["kind"]) for change in value["changes"]] == [
            ("feedback/style.md", "changed"),
            ("project/freeze.md", "removed"),
            ("MEMORY.md", "added"),
        ]
        assert value["changes"][0]["reason"] == "1 of 2 entries goes"
        assert value["changes"][0]["diff"] == (
            "--- a/feedback/style.md\n"
            "+++ b/feedback/style.md\n"
            "@@ -4,6 +4,4 @@ entry :0\n"
            " type: feedback\n"
            " ---\n"
            " \n"
            "-- Use tabs.\n"
            "-  - **Why:** the formatter does.\n"
            " - Keep lines short.\n"
        )
        assert cli.files() == before
        assert not cli.state.exists()

    def test_applied_it_gives_the_id_to_undo_it_by(self, cli: Cli) -> None:
        before = cli.files()
        planned = cli.json("forget", "--id", "feedback/style.md:0")
        value = cli.json("forget", "--id", "feedback/style.md:0", "--yes")
        assert re.fullmatch(r"\d{8}-\d{4}-[0-9a-f]{4,}", value["journal_id"])
        assert value["applied"] is True
        assert value["changes"] == planned["changes"]
        assert value["candidates"] == planned["candidates"]
        file = cli.home.memory["project"] / "feedback/style.md"
        assert file.read_text() == STYLE.replace(
            "- Use tabs.\n  - **Why:** the formatter does.\n", ""
        )
        cli("undo", value["journal_id"], "--yes")
        assert cli.files() == before

    def test_ids_may_be_repeated_and_count_once(self, cli: Cli) -> None:
        (found,) = cli.json("forget", "tabs")["candidates"]
        same = ["feedback/style.md:0", f"project:feedback/style.md:0@{found['digest']}"]
        answer = cli("forget", "--id", *same, "--id", "user:user/role.md", "--yes")
        assert answer.err == ""
        act = cli.json("log")["entries"][0]["id"]
        assert answer.out == f"Forgot 2 entries in 2 files. Undo: memtui undo {act}\n"

    def test_the_hint_names_the_place_that_the_call_named(self, cli: Cli, tmp_path: Path) -> None:
        place = tmp_path / "a b"
        put(place / "x.md", topic("X"))
        answer = cli("forget", "--memory-dir", str(place), "--id", "x.md", "--yes")
        hint = answer.out.strip().partition(" Undo: ")[2]
        assert re.fullmatch(rf"memtui undo [0-9a-f-]+ --memory-dir '{place}'", hint)
        assert not (place / "x.md").exists()

    def test_a_demo_is_gone_and_needs_no_hint(self, cli: Cli) -> None:
        answer = cli("--demo", "forget", "--id", "reference/staging.md", "--yes")
        assert answer.out.startswith("Forgot 1 entry in 1 file.\n")
        assert "memtui undo" not in answer.out
        assert cli("--demo", "log").err == "memtui: memtui has changed nothing here yet.\n"
        assert not cli.state.exists()

    def test_a_plan_for_a_person(self, cli: Cli) -> None:
        answer = cli("forget", "--id", "user:user/role.md")
        assert answer.err == UNWRITTEN
        head, _, rest = answer.out.partition("\n\n")
        assert head == "1 entry goes, 1 file goes whole."
        assert rest.startswith(
            "removed user:user/role.md: its only entry goes\n--- a/user/role.md\n+++ /dev/null\n@@ "
        )

    @pytest.mark.parametrize(
        ("ids", "code", "said"),
        [
            (["feedback/style.md:0", "nothing.md"], 1, "There is no memory `nothing.md`."),
            (["project:feedback/style.md:7"], 1, "There is no entry"),
            (["style"], 1, "is no Entry ID"),
            (["freeze.md"], 1, "Did you mean `project:project/freeze.md`?"),
            (["MEMORY.md"], 1, "That is the index"),
            (["feedback/style.md"], 3, "`project:feedback/style.md:1`, `team:feedback/style.md`"),
            (["project:feedback/style.md"], 3, "could mean `project:feedback/style.md:0`"),
            (["feedback/style.md:0@0000"], 3, "has moved or changed"),
        ],
    )
    def test_an_id_that_names_no_single_entry(
        self, cli: Cli, ids: list[str], code: int, said: str
    ) -> None:
        before = cli.files()
        answer = cli("forget", "--id", *ids, "--yes", code=code)
        assert said in answer.err
        assert (answer.out, answer.err.count("\n")) == ("", 1)
        assert cli.files() == before
        assert cli.json("log") == {"entries": []}

    @pytest.mark.parametrize("more", [(), ("--yes",)])
    def test_what_cannot_go_is_refused_as_a_whole(self, cli: Cli, more: tuple[str, ...]) -> None:
        body = "- Use tab\xe9.\n  - **Why:** a.\n- Keep.\n  - **Why:** b.\n"
        cli.home.write("feedback/old.md", topic("Old", body=body).encode("latin-1"))
        before = cli.files()
        ids = ("--id", "feedback/old.md:0", "project/freeze.md")
        answer = cli("forget", *ids, *more, code=3)
        assert answer.out == ""
        assert "feedback/old.md is not UTF-8, so single entries of it cannot go" in answer.err
        assert cli.files() == before

    def test_what_is_pinned_goes_when_chosen_and_is_told(self, cli: Cli) -> None:
        cli.home.write("pinned/map.md", topic("Map", "one page", "project"))
        note = "! pinned/map.md is pinned; it goes because you chose it.\n"
        assert cli("forget", "--id", "pinned/map.md").out.endswith(note)
        assert cli("forget", "--id", "pinned/map.md", "--yes").out.endswith(note)

    def test_no_file_can_steer_the_terminal(self, cli: Cli) -> None:
        body = "Ring \x1b[31m\x07 and \u202eback.\n"
        cli.home.write("feedback/evil.md", topic("E\x1b[0m", "d\x9b", body=body))
        for arguments in (("forget", "ring"), ("forget", "--id", "feedback/evil.md")):
            out = cli(*arguments).out
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
            assert "\\x1b[31m\\x07 and \\u202eback." in out
        diff = cli.json("forget", "--id", "feedback/evil.md")["changes"][0]["diff"]
        assert f"-{body}" in diff

    def test_line_ends_of_windows_are_no_noise(self, cli: Cli) -> None:
        text = topic("Windows", "from there").replace("\n", "\r\n")
        cli.home.write("feedback/windows.md", text)
        assert "\\x0d" not in cli("forget", "--id", "feedback/windows.md").out

    def test_a_file_that_changed_since_is_a_conflict(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = cli.home.memory["project"] / "project/freeze.md"
        _after_planning(monkeypatch, lambda: file.write_text("Changed.\n"))
        answer = cli("forget", "--id", "project/freeze.md", "--yes", code=3)
        assert answer.err.startswith("memtui: project/freeze.md changed since this was planned")
        assert file.read_text() == "Changed.\n"

    def test_an_index_that_changed_since_is_planned_once_more(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = cli.home.write("MEMORY.md", "# Mine\n\n- [Freeze](project/freeze.md): Friday\n")
        planned = cli.json("forget", "--id", "project/freeze.md")
        _after_planning(monkeypatch, lambda: index.write_text(f"New.\n\n{index.read_text()}"))
        value = cli.json("forget", "--id", "project/freeze.md", "--yes")
        assert index.read_text() == "New.\n\n# Mine\n\n"
        # Told is what was written, not what was planned first.
        assert value["changes"][0] == planned["changes"][0]
        assert value["changes"][1]["diff"] != planned["changes"][1]["diff"]
        assert "@@ -2,4 +2,3 @@" in value["changes"][1]["diff"]


def _after_planning(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Let `act` happen once, right after the first plan."""
    original = MemoryManager.plan_forget
    done: list[bool] = []

    def plan(self: MemoryManager, *arguments: Any, **options: Any) -> ForgetPlan:
        found = original(self, *arguments, **options)
        if not done:
            done.append(True)
            act()
        return found

    monkeypatch.setattr(MemoryManager, "plan_forget", plan)


class TestReadonly:
    def test_every_write_is_refused(self, cli: Cli) -> None:
        cli("forget", "--id", "project/freeze.md", "--yes")
        act = cli.json("log")["entries"][0]["id"]
        cli.home.write("MEMORY.md", "# Mine\n\n- [Gone](gone.md)\n")
        before = cli.files(), tree(cli.state)
        for arguments in (
            ("forget", "--id", "user/role.md", "--yes"),
            ("undo", "--yes"),
            ("index", "--rebuild", "--yes"),
            ("log", "--purge", act),
        ):
            for place in (("--readonly", *arguments), (*arguments, "--readonly")):
                answer = cli(*place, code=3)
                assert answer.out == ""
                assert answer.err == (
                    "memtui: memtui was started with --readonly, so nothing is written.\n"
                )
        assert (cli.files(), tree(cli.state)) == before

    def test_plans_and_the_log_are_shown(self, cli: Cli) -> None:
        cli("forget", "--id", "project/freeze.md", "--yes")
        for arguments in (("forget", "--id", "user/role.md"), ("undo",)):
            answer = cli(*arguments, "--readonly")
            assert "+++ " in answer.out
            assert answer.err == (
                "memtui: It would be refused now: "
                "memtui was started with --readonly, so nothing is written.\n"
            )
        assert len(cli.json("log", "--readonly")["entries"]) == 1

    def test_a_demo_as_well(self, cli: Cli) -> None:
        cli("--demo", "--readonly", "forget", "--id", "reference/staging.md", "--yes", code=3)


class TestUnwritable:
    CODE = (
        "import sys; from memtui.cli import main; sys.stderr = sys.stdout; "
        "print('ended', main(sys.argv[1:]))"
    )

    def run(self, *arguments: str) -> list[str]:
        """The lines of both streams, then `ended` and the exit code."""
        return run_without_privileges(self.CODE, *arguments).splitlines()

    def test_a_folder_that_may_not_be_written(self, cli: Cli) -> None:
        folder = cli.home.memory["project"] / "project"
        folder.chmod(0o555)
        before = cli.files()
        ids = ("forget", "--id", "project/freeze.md", "user:user/role.md")
        *said, end = self.run(*ids, "--yes")
        assert end == "ended 3"
        assert len(said) == 1
        assert said[0].startswith("memtui: Nothing was written: ")
        assert str(folder) in said[0]
        assert cli.files() == before
        folder.chmod(0o755)
        cli(*ids, "--yes")

    def test_a_plan_tells_of_a_store_that_may_not_be_written(self, cli: Cli) -> None:
        memory = cli.home.memory["project"]
        memory.chmod(0o555)
        *shown, end = self.run("forget", "--id", "project/freeze.md")
        memory.chmod(0o755)
        assert end == "ended 0"
        assert shown[0] == "1 entry goes, 1 file goes whole."
        assert shown[-1].startswith(f"memtui: It would be refused now: {memory} may not be written")


class TestUndo:
    def test_nothing_to_undo(self, cli: Cli) -> None:
        for more in ((), ("--yes",), ("--json",)):
            answer = cli("undo", *more, code=1)
            assert answer.out == ""
            assert answer.err == "memtui: There is nothing to undo in these stores.\n"
        assert "has no entry 2026" in cli("undo", "2026", "--yes", code=1).err

    def test_a_plan_has_the_documented_shape_and_writes_nothing(self, cli: Cli) -> None:
        cli("forget", "--id", "project/freeze.md", "--yes")
        before = cli.files()
        value = cli.json("undo")
        assert list(value) == ["restored", "left", "changes", "applied", "journal_id"]
        assert value["restored"] == [change["path"] for change in value["changes"]]
        assert "project/freeze.md" in value["restored"]
        assert (value["left"], value["applied"], value["journal_id"]) == ([], False, None)
        answer = cli("undo")
        assert answer.err == UNWRITTEN
        act = cli.json("log")["entries"][0]["id"]
        assert answer.out.startswith(f"Undo of forget {act}: 2 files go back.\n\n")
        assert "\nadded project/freeze.md: comes back\n--- /dev/null\n" in answer.out
        assert cli.files() == before

    def test_undo_redo_and_what_is_undone_already(self, cli: Cli) -> None:
        before = cli.files()
        forgotten = cli.json("forget", "--id", "project/freeze.md", "--yes")["journal_id"]
        gone = cli.files()
        answer = cli("undo", "--yes")
        assert cli.files() == before
        undone = cli.json("log")["entries"][0]["id"]
        assert answer.out == (
            f"Undid forget {forgotten}: 2 files are as before it. Redo: memtui undo {undone}\n"
        )
        for more in ((), ("--yes",)):
            answer = cli("undo", forgotten, *more, code=1)
            assert answer.out == (
                f"There is nothing to undo: all that forget {forgotten} did is undone already.\n"
            )
            value = cli.json("undo", forgotten, *more, code=1)
            assert (value["restored"], value["left"], value["applied"]) == ([], [], False)
        cli("undo", code=1)
        assert cli.json("undo", undone, "--yes")["applied"] is True
        assert _without_mtimes(cli.files()) == _without_mtimes(gone)

    def test_the_end_of_an_id_is_enough(self, cli: Cli) -> None:
        act = cli.json("forget", "--id", "project/freeze.md", "--yes")["journal_id"]
        assert cli.json("undo", act[-4:], "--yes")["applied"] is True

    def test_an_end_that_fits_several_is_refused_with_the_list(self, cli: Cli) -> None:
        ends: dict[str, list[str]] = {}
        for number in range(17):  # of so many two end in the same of sixteen digits
            arguments = ("undo",) if number % 2 else ("forget", "--id", "user/role.md")
            act = cli.json(*arguments, "--yes")["journal_id"]
            ends.setdefault(act[-1], []).append(act)
        end, acts = next((end, acts) for end, acts in ends.items() if len(acts) > 1)
        before = cli.files()
        answer = cli("undo", end, "--yes", code=3)
        assert answer.err.startswith(f"memtui: “{end}” fits several entries: ")
        assert all(act in answer.err for act in acts)
        assert cli.files() == before

    def test_the_newest_of_any_scope_or_of_one(self, cli: Cli) -> None:
        project = cli.json("forget", "--id", "project/freeze.md", "--yes")["journal_id"]
        user = cli.json("forget", "--id", "user/role.md", "--yes")["journal_id"]
        assert f"forget {user}" in cli("undo").out
        assert f"forget {project}" in cli("undo", "--scope", "project").out
        assert "has no entry" in cli("undo", user, "--scope", "project", code=1).err
        cli("undo", "--scope", "project", "--yes")
        assert (cli.home.memory["project"] / "project/freeze.md").exists()
        assert not (cli.home.memory["user"] / "user/role.md").exists()

    def test_an_act_over_several_stores_is_undone_whole_by_one_of_them(self, cli: Cli) -> None:
        before = cli.files()
        cli("forget", "--id", "project/freeze.md", "user/role.md", "--yes")
        answer = cli("undo", "--scope", "user")
        assert f"This change is also about {cli.home.memory['project']}." in answer.err
        assert "added project/freeze.md" in answer.out
        cli("undo", "--scope", "user", "--yes")
        assert cli.files() == before

    def test_what_others_changed_since_is_left(self, cli: Cli) -> None:
        cli("forget", "--id", "project/freeze.md", "feedback/style.md:0", "--yes")
        memory = cli.home.memory["project"]
        for path in ("project/freeze.md", "feedback/style.md"):
            put(memory / path, "Written since.\n")
        (memory / "MEMORY.md").unlink()
        value = cli.json("undo", "--yes", code=1)
        assert (value["restored"], value["changes"], value["applied"]) == ([], [], False)
        assert {left["path"]: left["reason"] for left in value["left"]} == {
            "project/freeze.md": "Another file has taken its name.",
            "feedback/style.md": "It was changed since.",
        }
        answer = cli("undo", code=1)
        assert sorted(answer.out.splitlines()) == [
            "! feedback/style.md stays: It was changed since.",
            "! project/freeze.md stays: Another file has taken its name.",
        ]

    def test_a_store_that_is_gone_comes_back(self, cli: Cli, tmp_path: Path) -> None:
        place = tmp_path / "mine"
        put(place / "x.md", topic("X"), 5)
        before = tree(place)
        where = ("--memory-dir", str(place))
        cli("forget", *where, "--id", "x.md", "--yes")
        (place / "MEMORY.md").unlink(missing_ok=True)
        place.rmdir()
        cli("undo", *where, "--yes")
        assert tree(place) == before


def _without_mtimes(files: Any) -> Any:
    return [
        {name: (found.content, found.mode, found.link) for name, found in each.items()}
        for each in files
    ]


class TestLog:
    def test_nothing_was_done(self, cli: Cli) -> None:
        answer = cli("log")
        assert (answer.out, answer.err) == ("", "memtui: memtui has changed nothing here yet.\n")
        assert cli.json("log") == {"entries": []}

    def test_json_has_the_documented_shape(self, cli: Cli) -> None:
        act = cli.json("forget", "--id", "project/freeze.md", "user/role.md", "--yes")["journal_id"]
        cli("undo", "--yes")
        value = cli.json("log")
        assert list(value) == ["entries"]
        assert [list(entry) for entry in value["entries"]] == [
            ["id", "group", "scope", "time", "operation", "paths", "undone"]
        ] * 4
        assert [entry["operation"] for entry in value["entries"]] == [
            *("undo", "undo", "forget", "forget")
        ]
        forgotten = [entry for entry in value["entries"] if entry["operation"] == "forget"]
        assert {entry["scope"] for entry in forgotten} == {"project", "user"}
        assert {entry["group"] for entry in forgotten} == {act}
        assert {entry["undone"] for entry in forgotten} == {True}
        (project,) = (entry for entry in forgotten if entry["scope"] == "project")
        assert project["paths"] == ["project/freeze.md", "MEMORY.md"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", project["time"])
        only = cli.json("log", "--scope", "user")["entries"]
        assert [entry["scope"] for entry in only] == ["user", "user"]

    def test_a_person_reads_the_newest_first(self, cli: Cli) -> None:
        cli("forget", "--id", "user/role.md", "--yes")
        cli("undo", "--yes")
        undone, forgotten = (entry["id"] for entry in cli.json("log")["entries"])
        lines = cli("log").out.splitlines()
        heads = [line for line in lines if not line.startswith("    ")]
        assert [head.split("  ")[0] for head in heads] == [undone, forgotten]
        assert heads[0].endswith(f"  undo    1 file  of {forgotten}")
        assert heads[1].endswith("  undone")
        assert lines.count("    user:user/role.md") == 2

    def test_a_purge_takes_one_act_for_good(self, cli: Cli) -> None:
        kept = cli.json("forget", "--id", "user/role.md", "--yes")["journal_id"]
        act = cli.json("forget", "--id", "project/freeze.md", "--yes")["journal_id"]
        images = [path for path in cli.state.rglob("*") if b"from Friday" in _content(path)]
        assert images
        logged = cli.json("log")["entries"]
        value = cli.json("log", "--purge", act)
        assert value["entries"] == [entry for entry in logged if entry["id"] == act]
        assert [entry["id"] for entry in cli.json("log")["entries"]] == [kept]
        assert [path for path in cli.state.rglob("*") if b"from Friday" in _content(path)] == []
        assert "has no entry" in cli("undo", act, code=1).err
        assert "has no entry" in cli("log", "--purge", act, code=1).err
        out = cli("log", "--purge", kept).out
        assert re.fullmatch(
            rf"Purged forget {kept}, [\d,]+ bytes: it can no longer be undone\.\n", out
        )


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


class TestRebuild:
    def test_a_managed_index_is_made_anew(self, cli: Cli) -> None:
        index = cli.home.memory["project"] / "MEMORY.md"
        value = cli.json("index", "--rebuild")
        keys = list(cli.json("index"))
        assert list(value) == [*keys, "changes", "applied", "journal_id"]
        assert (value["kind"], value["left_out"], value["applied"]) == ("none", [], False)
        assert [(each["path"], each["kind"]) for each in value["changes"]] == [
            ("MEMORY.md", "added")
        ]
        assert not index.exists()
        answer = cli("index", "--rebuild", "--yes")
        act = cli.json("log")["entries"][0]["id"]
        assert answer.out == (f"Index rebuilt, 2 of 200 lines. Undo: memtui undo {act}\n")
        assert index.read_text() == (
            "- [Style](feedback/style.md) — how code looks\n"
            "- [Merge freeze](project/freeze.md) — from Friday"
        )
        again = cli("index", "--rebuild", "--yes")
        assert again.out == "The index is in order: there is nothing to rebuild.\n"
        assert cli("index", "--rebuild").err == ""
        assert len(cli.json("log")["entries"]) == 1

    def test_a_plan_for_a_person(self, cli: Cli) -> None:
        answer = cli("index", "--rebuild", "--scope", "user")
        assert answer.err == UNWRITTEN
        assert answer.out.splitlines() == [
            "added user:MEMORY.md: index rebuilt, 1 of 200 lines",
            "--- /dev/null",
            "+++ b/MEMORY.md",
            "@@ -0,0 +1 @@",
            "+- [Go engineer](user/role.md) — ten years",
            "\\ No newline at end of file",
        ]

    def test_what_the_new_index_cannot_hold_is_named(self, cli: Cli) -> None:
        for number in range(202):
            path = f"project/p{number:03}.md"
            cli.home.write(path, topic(f"P{number:03}", kind="project"), mtime_s=2_000 - number)
        value = cli.json("index", "--rebuild", "--yes")
        assert value["left_out"] == [
            *(f"project/p{number:03}.md" for number in range(198, 202)),
            "project/freeze.md",
        ]
        told = "! 5 memories do not fit into the index: project/p198.md, "
        assert told in cli("index", "--rebuild").out

    def test_an_index_that_is_no_text_is_refused(self, cli: Cli) -> None:
        index = cli.home.write("MEMORY.md", b"- [Caf\xe9](project/freeze.md)\n")
        for more in ((), ("--yes",)):
            answer = cli("index", "--rebuild", *more, code=3)
            assert answer.err == (
                "memtui: MEMORY.md is not UTF-8, so it is left as it is; convert it first.\n"
            )
            assert answer.out == ""
        assert index.read_bytes() == b"- [Caf\xe9](project/freeze.md)\n"


class TestRecovery:
    @pytest.fixture
    def crashed(self, cli: Cli) -> Cli:
        """A memtui died after its first file took its new place."""
        memory = cli.home.memory["project"]
        store: Store = MemoryManager(Target(cli.home.project)).scan().snapshots[0].store
        assert store.memory_dir == memory
        changes = tuple(
            FileChange(path, (memory / path).read_bytes(), None, "goes")
            for path in ("project/freeze.md", "feedback/style.md")
        )
        seen: list[str] = []

        def watch(name: str, arguments: tuple[Any, ...]) -> None:
            if name == "rename" and Path(arguments[0]).name in ("freeze.md", "style.md"):
                seen.append(name)
            if len(seen) > 1:
                raise Crash

        writer = StoreWriter(cli.state, calls=FaultyCalls(watch=watch))
        with pytest.raises(Crash):
            writer.apply([ChangeSet(store, "forget", changes)])
        assert not (memory / "project/freeze.md").exists()
        return cli

    @pytest.mark.parametrize(
        "words",
        [
            "forget freeze",
            "forget --id project/freeze.md",
            "index --rebuild",
            "list",
            "show project/freeze.md",
            "recall freeze",
            "index",
            "log",
        ],
    )
    def test_every_verb_puts_it_back_first(self, crashed: Cli, words: str) -> None:
        answer = crashed(*words.split())
        said = "memtui: Put back what an act that was cut short had changed: project/freeze.md.\n"
        assert answer.err.startswith(said)
        assert (crashed.home.memory["project"] / "project/freeze.md").exists()
        assert crashed(*words.split()).err.count("Put back") == 0

    def test_an_undo_too(self, crashed: Cli) -> None:
        assert "Put back" in crashed("undo", "--yes", code=1).err
        assert (crashed.home.memory["project"] / "project/freeze.md").exists()

    @pytest.mark.parametrize("words", ["list", "log", "forget style"])
    def test_readonly_leaves_it_and_says_so(self, crashed: Cli, words: str) -> None:
        before = crashed.files()
        answer = crashed(*words.split(), "--readonly")
        assert "An act was cut short or is being done" in answer.err
        assert crashed.files() == before


class TestDiff:
    CHANGE = FileChange("a.md", b"one\ntwo\n---\n", b"one\n2\n+++\n", "edited")

    def set(self, scope: Any = "project") -> ChangeSet:
        return ChangeSet(Store(scope, "none", Path("/m")), "test", (self.CHANGE,))

    def test_signs_have_colours(self) -> None:
        assert diff_lines(Page(None, True), [self.set("user")]) == [
            "",
            "\x1b[33mchanged\x1b[0m \x1b[1muser:a.md\x1b[0m: edited",
            "\x1b[2m--- a/a.md\x1b[0m",
            "\x1b[2m+++ b/a.md\x1b[0m",
            "\x1b[36m@@ -1,3 +1,3 @@\x1b[0m",
            " one",
            "\x1b[31m-two\x1b[0m",
            "\x1b[31m----\x1b[0m",
            "\x1b[32m+2\x1b[0m",
            "\x1b[32m++++\x1b[0m",
        ]

    def test_without_colour_the_same_signs_stand(self) -> None:
        plain = diff_lines(Page(None, False), [self.set("user")])
        coloured = diff_lines(Page(None, True), [self.set("user")])
        assert plain == [re.sub("\x1b\\[[0-9]+m", "", line) for line in coloured]
