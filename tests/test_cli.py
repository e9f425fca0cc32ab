"""The verbs of the command line, run in this process (design section 6)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memtui import __version__
from tests.cli_home import Answer, CliHome, call, put, topic

DOCUMENT_KEYS = [
    "path",
    "scope",
    "type",
    "name",
    "description",
    "mtime",
    "seen",
    "skipped_by",
    "pinned",
    "link",
    "entries",
    "problems",
]
STYLE = """\
---
name: Style
description: how code looks
type: feedback
---

- Use tabs.
  - **Why:** the formatter does.
- Keep lines short.
  - **How to apply:** break at 100.
"""


class Cli:
    """The command line, run in the folder of a project."""

    def __init__(
        self, home: CliHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.home = home
        self._capsys = capsys
        monkeypatch.setenv("HOME", str(home.home))
        monkeypatch.chdir(home.project)

    def __call__(self, *arguments: str) -> Answer:
        return call(self._capsys, *arguments)


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(CliHome(tmp_path), capsys, monkeypatch)


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """One memory in each scope and one of two entries."""
    home = cli.home
    home.write("feedback/style.md", STYLE, mtime_s=1_700_000_000)
    home.write("project/freeze.md", topic("Merge freeze", "from Friday", "project"), mtime_s=10)
    home.write("user/role.md", topic("Go engineer", "ten years", "user"), "user", 20)
    home.write("feedback/style.md", topic("Team style", "agreed"), "team", 30)
    return cli


def documents(answer: Answer) -> dict[str, Any]:
    return {f"{each['scope']}:{each['path']}": each for each in answer.json["documents"]}


class TestList:
    def test_json_has_the_documented_shape(self, filled: Cli) -> None:
        filled.home.write("pinned/map.md", topic("Map", "one page", "project"), mtime_s=5)
        answer = filled("list", "--json")
        assert (answer.code, answer.err) == (0, "")
        value = answer.json
        assert list(value) == ["stores", "documents", "problems"]
        assert value["stores"] == [
            {"scope": scope, "agent": "qwen", "memory_dir": str(filled.home.memory[scope])}
            for scope in filled.home.memory
        ]
        assert value["problems"] == []
        found = documents(answer)
        assert list(found) == [
            "project:feedback/style.md",
            "project:project/freeze.md",
            "project:pinned/map.md",
            "user:user/role.md",
            "team:feedback/style.md",
        ]
        style = found["project:feedback/style.md"]
        assert list(style) == DOCUMENT_KEYS
        entries = style.pop("entries")
        assert style == {
            "path": "feedback/style.md",
            "scope": "project",
            "type": "feedback",
            "name": "Style",
            "description": "how code looks",
            "mtime": "2023-11-14T22:13:20.000Z",
            "seen": True,
            "skipped_by": [],
            "pinned": False,
            "link": None,
            "problems": [],
        }
        assert [list(entry) for entry in entries] == [
            ["id", "digest", "summary", "why", "how_to_apply"]
        ] * 2
        assert [(entry["id"], entry["why"], entry["how_to_apply"]) for entry in entries] == [
            ("feedback/style.md:0", "the formatter does.", None),
            ("feedback/style.md:1", None, "break at 100."),
        ]
        assert all(re.fullmatch("[0-9a-f]{4}", entry["digest"]) for entry in entries)
        assert found["project:pinned/map.md"]["pinned"] is True

    def test_scopes_before_and_after_the_verb_add_up(self, filled: Cli) -> None:
        answer = filled("--scope", "team", "list", "--json", "--scope", "user")
        assert [store["scope"] for store in answer.json["stores"]] == ["user", "team"]
        assert list(documents(answer)) == ["user:user/role.md", "team:feedback/style.md"]

    def test_says_what_the_agent_does_not_see_and_why(self, filled: Cli) -> None:
        filled.home.write("a.md", topic("A", kind="note"))
        value = documents(filled("list", "--json"))["project:a.md"]
        assert value["seen"] is False
        assert [skip["agent"] for skip in value["skipped_by"]] == ["qwen"]
        reason = value["skipped_by"][0]["reason"]
        assert reason
        text = filled("list").out
        assert "✗ unseen" in text
        assert f"Qwen Code skips it: {reason}" in text

    def test_a_store_without_an_agent_is_neither_seen_nor_unseen(
        self, cli: Cli, tmp_path: Path
    ) -> None:
        put(tmp_path / "any/a.md", topic("A", kind="note"))
        answer = cli("list", "--json", "--memory-dir", str(tmp_path / "any"))
        assert answer.json["stores"][0]["agent"] == "none"
        assert answer.json["documents"][0]["seen"] is None
        assert "qwen" in {skip["agent"] for skip in answer.json["documents"][0]["skipped_by"]}

    def test_files_that_are_no_memory_stand_at_the_end(self, filled: Cli) -> None:
        (filled.home.memory["project"] / "lost.md").symlink_to("nowhere.md")
        (problem,) = filled("list", "--json").json["problems"]
        assert list(problem) == ["path", "scope", "rule", "message"]
        assert (problem["path"], problem["scope"]) == ("lost.md", "project")
        assert problem["rule"] == "dangling-link"
        last = filled("list").out.splitlines()[-2:]
        assert last[0] == "1 file is no memory:"
        assert last[1].strip().startswith("project:lost.md  This link leads nowhere")

    def test_text_groups_by_scope_and_aligns_by_cells(self, filled: Cli) -> None:
        filled.home.write("z.md", topic("数据库迁移"), mtime_s=2_000_000_000)
        lines = filled("list").out.splitlines()
        assert lines[0].startswith("project · Qwen Code · 3 memories · ")
        assert lines[1] == "  feedback  数据库迁移    z.md                  now  ✓ seen"
        assert lines[2].startswith("  feedback  Style         feedback/style.md  ")
        assert lines[2].endswith("✓ seen  2 entries")
        assert "user · Qwen Code · 1 memory · " in "\n".join(lines)

    def test_an_empty_store_is_no_failure(self, cli: Cli) -> None:
        cli.home.memory["project"].mkdir(parents=True)
        answer = cli("list", "--json")
        assert answer.code == 0
        assert answer.json["documents"] == []
        assert answer.err.startswith("memtui: There is no memory here yet")
        assert answer.err.count("\n") == 1

    def test_hostile_text_cannot_steer_the_terminal(self, cli: Cli) -> None:
        name = "a\x1b]0;gone\x07b\u202ec\u009bd[red]e"
        cli.home.write("a.md", topic(name, "x\u200by"))
        text = cli("list").out
        assert "\x1b" not in text
        assert "a\\x1b]0;gone\\x07b\\u202ec\\x9bd[red]e" in text
        answer = cli("list", "--json")
        assert answer.json["documents"][0]["name"] == name
        assert answer.json["documents"][0]["description"] == "x\u200by"
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", answer.out)
        assert "\\u202ec\\u009bd[red]e" in answer.out

    def test_plain_text_is_not_escaped_in_json(self, cli: Cli) -> None:
        cli.home.write("a.md", topic("数据库 ёлка 🙂"))
        assert '"name": "数据库 ёлка 🙂"' in cli("list", "--json").out


class TestShow:
    def test_json_is_the_document_of_list_with_its_body(self, filled: Cli) -> None:
        listed = documents(filled("list", "--json"))["project:project/freeze.md"]
        shown = filled("show", "project/freeze.md", "--json").json
        assert list(shown) == [*DOCUMENT_KEYS, "body"]
        assert shown.pop("body") == "\nBody text.\n"
        assert shown == listed

    def test_text_has_head_and_body(self, filled: Cli) -> None:
        lines = filled("show", "project/freeze.md").out.splitlines()
        assert lines[:4] == [
            "project:project/freeze.md",
            "name         Merge freeze",
            "description  from Friday",
            "type         project",
        ]
        assert lines[4].endswith(" days ago, 1970-01-01T00:00:10.000Z")
        assert lines[5:] == ["seen         ✓ by Qwen Code", "", "Body text."]

    def test_a_file_of_several_entries_is_shown_whole(self, filled: Cli) -> None:
        answer = filled("show", "project:feedback/style.md")
        assert "2 entries" in answer.out
        assert "feedback/style.md:1@" in answer.out
        assert "Use tabs." in answer.out
        assert "Keep lines short." in answer.out

    def test_an_entry_is_shown_alone(self, filled: Cli) -> None:
        entries = filled("show", "project:feedback/style.md", "--json").json["entries"]
        given = f"project:feedback/style.md:1@{entries[1]['digest']}"
        answer = filled("show", given)
        assert answer.code == 0
        assert answer.out.splitlines()[0] == "project:feedback/style.md:1"
        assert "Keep lines short." in answer.out
        assert "Use tabs." not in answer.out
        whole = filled("show", given, "--json").json
        assert whole["entries"] == entries
        assert "Use tabs." in whole["body"]

    def test_a_digest_of_other_bytes_is_refused(self, filled: Cli) -> None:
        answer = filled("show", "project:feedback/style.md:1@0000")
        assert (answer.code, answer.out) == (3, "")
        assert answer.err.startswith("memtui: ")

    def test_a_path_in_several_scopes_is_refused_with_the_list(self, filled: Cli) -> None:
        answer = filled("show", "feedback/style.md")
        assert (answer.code, answer.out) == (3, "")
        assert "project:feedback/style.md" in answer.err
        assert "team:feedback/style.md" in answer.err
        assert filled("show", "feedback/style.md", "--scope", "team").code == 0

    @pytest.mark.parametrize(
        ("given", "meant"),
        [
            ("project/freze.md", "project:project/freeze.md"),
            ("freeze.md", "project:project/freeze.md"),
            ("merge FREEZE", "project:project/freeze.md"),
        ],
    )
    def test_an_unknown_id_names_near_ones(self, filled: Cli, given: str, meant: str) -> None:
        answer = filled("show", given, "--json")
        assert (answer.code, answer.out) == (1, "")
        assert f"Did you mean `{meant}`?" in answer.err

    def test_an_unknown_id_near_to_nothing_says_where_all_are(self, filled: Cli) -> None:
        answer = filled("show", "q.md")
        assert answer.code == 1
        assert answer.err == "memtui: There is no memory `q.md`. `memtui list` shows all.\n"

    def test_the_index_is_no_memory(self, filled: Cli) -> None:
        answer = filled("show", "MEMORY.md")
        assert answer.code == 1
        assert "`memtui index` reports on it" in answer.err

    def test_an_empty_body_is_said(self, cli: Cli) -> None:
        cli.home.write("a.md", topic("A", body=""))
        assert cli("show", "a.md").out.endswith("\n(the body is empty)\n")
        assert cli("show", "a.md", "--json").json["body"] == ""

    def test_a_body_cannot_steer_the_terminal(self, cli: Cli) -> None:
        cli.home.write("a.md", topic("A", body="one\x1b[2J\n\ttwo\n"))
        assert cli("show", "a.md").out.endswith("\none\\x1b[2J\n    two\n")


class TestRecall:
    def test_json_has_the_documented_shape(self, filled: Cli) -> None:
        answer = filled("recall", "style", "--json")
        assert (answer.code, answer.err) == (0, "")
        value = answer.json
        assert list(value) == [
            "query",
            "scorer",
            "strategy",
            "tokens",
            "documents",
            "left_out",
            "prompt",
        ]
        assert (value["query"], value["scorer"], value["strategy"]) == (
            "style",
            "weighted",
            "heuristic",
        )
        assert value["tokens"] == ["style"]
        points = [
            {"token": "style", "field": "name", "points": 4},
            {"token": "style", "field": "type", "points": 1},
        ]
        assert value["documents"] == [
            {
                "rank": rank,
                "path": "feedback/style.md",
                "scope": scope,
                "score": 5,
                "points": points,
            }
            for rank, scope in ((1, "project"), (2, "team"))
        ]
        assert value["left_out"] == [
            {"path": path, "scope": scope, "score": 0, "reason": "no token matched"}
            for path, scope in (("user/role.md", "user"), ("project/freeze.md", "project"))
        ]
        assert value["prompt"].startswith("## Relevant memory\n")
        assert "### Style (feedback/style.md)" in value["prompt"]

    def test_text_names_rank_score_reasons_and_what_was_left_out(self, filled: Cli) -> None:
        lines = filled("recall", "style", "freeze").out.splitlines()
        assert lines[0] == ("weighted (Qwen Code since 0.23) · tokens: style, freeze · 4 memories")
        assert "asks a model first" in lines[1]
        assert lines[3:9] == [
            "1  5  feedback  Style         project:feedback/style.md",
            "   style: name +4, type +1",
            "2  5  feedback  Team style    team:feedback/style.md",
            "   style: name +4, type +1",
            "3  4  project   Merge freeze  project:project/freeze.md",
            "   freeze: name +4",
        ]
        assert lines[10].startswith("Injected: ")
        assert lines[12:] == ["1 left out: 1 no token matched"]

    def test_limit_and_what_falls_below_it(self, filled: Cli) -> None:
        answer = filled("recall", "style", "--limit", "1")
        assert "3 left out: 2 no token matched · 1 below the first" in answer.out
        assert "  5  Team style  team:feedback/style.md  below the first" in answer.out

    def test_classic_counts_a_body_that_is_not_empty(self, filled: Cli) -> None:
        answer = filled("--scope", "team", "recall", "style", "--scorer", "classic", "--json")
        assert answer.json["scorer"] == "classic"
        assert answer.json["documents"][0]["points"] == [
            {"token": "style", "field": "text", "points": 2},
            {"token": "style", "field": "type", "points": 1},
            {"token": "", "field": "body", "points": 1},
        ]
        text = filled("--scope", "team", "recall", "style", "--scorer", "classic").out
        assert "style: text +2, type +1 · body +1 (it is not empty)" in text

    @pytest.mark.parametrize(
        ("version", "scorer"),
        [("0.22.3", "classic"), ("0.23.0", "weighted"), ("0.24.4", "weighted")],
    )
    def test_auto_follows_the_version_of_the_newest_session(
        self, filled: Cli, version: str, scorer: str
    ) -> None:
        put(filled.home.qwen / "chats" / "s.jsonl", f'{{"type":"user","version":"{version}"}}\n')
        assert filled("recall", "style", "--json").json["scorer"] == scorer

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (("zzzz",), "no memory matches"),
            (("?!",), "no word"),
            (("",), "no word"),
            (("style", "--limit", "0"), "no memory matches"),
            (("style", "--limit", "-3"), "no memory matches"),
        ],
    )
    def test_nothing_matched(self, filled: Cli, arguments: tuple[str, ...], word: str) -> None:
        answer = filled("recall", *arguments, "--json")
        assert answer.code == 1
        assert word in answer.err
        value = answer.json
        assert (value["strategy"], value["documents"], value["prompt"]) == ("none", [], "")
        assert len(value["left_out"]) == 4
        assert filled("recall", *arguments).code == 1

    def test_a_claude_store_is_called_a_simulation(self, cli: Cli) -> None:
        put(cli.home.claude / "memory" / "a.md", topic("Style"))
        assert "simulation: Claude Code chooses by the index" in cli("recall", "style").out


class TestIndex:
    def test_json_has_the_documented_shape(self, filled: Cli) -> None:
        filled.home.write(
            "MEMORY.md",
            "# Index\n\n- [Style](feedback/style.md) — how\n- [Gone](gone.md)\n"
            "- [Style](feedback/style.md)\n\nA fact.\n",
        )
        answer = filled("index", "--json")
        assert answer.code == 0
        assert list(answer.json.items()) == [
            ("scope", "project"),
            ("kind", "hand-kept"),
            ("lines", 7),
            ("bytes", 102),
            ("characters", 100),
            ("long_lines", []),
            ("left_out", []),
            ("lines_without_file", [{"line": 4, "target": "gone.md", "moved_to": None}]),
            ("files_without_line", ["project/freeze.md"]),
            ("doubled", [5]),
            ("inline", [{"line": 1, "text": "# Index"}, {"line": 7, "text": "A fact."}]),
        ]

    def test_text_says_each_finding_with_its_line(self, filled: Cli) -> None:
        filled.home.write(
            "MEMORY.md", "- [A](feedback/Style.md)\n- [B](old/freeze.md)\n\nA fact.\n"
        )
        text = filled("index").out
        assert "       4 of 200 lines\n" in text
        assert (
            "! Line 1 names feedback/Style.md, but the file is feedback/style.md: another case."
            in text
        )
        assert (
            "! Line 2 names old/freeze.md, which is not there; it is now at project/freeze.md."
            in text
        )
        assert "1 line is content of the index itself:\n     4  A fact.\n" in text

    def test_a_stale_line_is_told(self, filled: Cli) -> None:
        filled.home.write(
            "MEMORY.md",
            "- [Style](feedback/style.md) — not what it says\n"
            "- [Merge freeze](project/freeze.md) — from Friday",
        )
        assert "! 1 line does not say what the file says now: 1.\n" in filled("index").out

    def test_agreement_is_said(self, filled: Cli) -> None:
        filled.home.write(
            "MEMORY.md",
            "- [Style](feedback/style.md) — how code looks\n"
            "- [Merge freeze](project/freeze.md) — from Friday",
        )
        answer = filled("index")
        assert "managed" in answer.out
        assert answer.out.endswith("✓ The index and the files agree.\n")

    def test_another_scope_and_no_index(self, filled: Cli) -> None:
        value = filled("index", "--scope", "user", "--json").json
        assert (value["scope"], value["kind"], value["lines"]) == ("user", "none", 0)
        assert value["files_without_line"] == ["user/role.md"]
        assert "there is no index" in filled("index", "--scope", "user").out

    def test_one_scope_at_a_time(self, filled: Cli) -> None:
        answer = filled("index", "--scope", "user", "--scope", "team")
        assert (answer.code, answer.out) == (2, "")


class TestProjects:
    def test_json_has_the_documented_shape(self, filled: Cli) -> None:
        session = f'{{"type":"user","cwd":"{filled.home.project}"}}\n'
        put(filled.home.qwen / "chats" / "s.jsonl", session, 1_000)
        put(filled.home.claude / "memory" / "a.md", topic("A"), 5)
        put(filled.home.claude / "s.jsonl", '{"type":"user","cwd":"/gone/app"}\n', 6)
        answer = filled("projects", "--json")
        assert (answer.code, answer.err) == (0, "")
        assert answer.json == {
            "projects": [
                {
                    "key": filled.home.key,
                    "agent": "qwen",
                    "memory_dir": str(filled.home.memory["project"]),
                    "documents": 2,
                    "folders": [{"path": str(filled.home.project), "exists": True}],
                },
                {
                    "key": filled.home.key,
                    "agent": "claude",
                    "memory_dir": str(filled.home.claude / "memory"),
                    "documents": 1,
                    "folders": [],
                },
            ]
        }
        only = filled("--agent", "claude", "projects", "--json").json["projects"]
        assert [project["agent"] for project in only] == ["claude"]

    def test_text_says_what_is_gone_or_known_by_its_key_only(self, cli: Cli) -> None:
        base = cli.home.home / ".claude" / "projects"
        put(base / "-gone-app" / "memory" / "a.md", topic("A"), 20)
        put(base / "-gone-app" / "s.jsonl", '{"type":"user","cwd":"/gone/app"}\n', 20)
        put(base / "-x" / "memory" / "a.md", topic("A"), 10)
        assert cli("projects").out.splitlines() == [
            "Claude Code  1 memory  /gone/app  gone",
            "Claude Code  1 memory  -x         key only: no session tells its folder",
        ]

    def test_none_is_nothing_matched(self, cli: Cli) -> None:
        answer = cli("projects", "--json")
        assert answer.code == 1
        assert answer.json == {"projects": []}
        assert answer.err.startswith("memtui: No project has a memory yet")


class TestWhere:
    def test_no_store_says_where_it_looked_and_what_to_do(self, cli: Cli) -> None:
        answer = cli("list", "--json")
        assert (answer.code, answer.out) == (4, "")
        home = cli.home
        for place in (*home.memory.values(), home.claude / "memory"):
            assert str(place) in answer.err
        assert "--project or --memory-dir" in answer.err
        assert answer.err.count("\n") == 1

    def test_a_missing_folder_is_named(self, cli: Cli, tmp_path: Path) -> None:
        gone = tmp_path / "gone"
        answer = cli("list", "--project", str(gone))
        assert answer.code == 4
        assert answer.err.startswith(f"memtui: {gone} does not exist. No memory here: looked in ")

    def test_the_memory_of_a_folder_that_is_gone_still_opens(self, cli: Cli) -> None:
        put(cli.home.home / ".qwen/projects/-gone-app/memory/a.md", topic("A"))
        answer = cli("list", "--project", "/gone/app")
        assert answer.code == 0
        assert answer.err == (
            "memtui: /gone/app does not exist; shown is the memory that belongs to that place.\n"
        )

    def test_a_scope_that_is_not_there(self, cli: Cli) -> None:
        cli.home.write("a.md", topic("A"))
        answer = cli("list", "--scope", "team")
        assert answer.code == 4
        assert answer.err.startswith("memtui: No team memory here: looked in ")

    def test_a_scope_that_the_agent_lacks(self, cli: Cli) -> None:
        put(cli.home.claude / "memory" / "a.md", topic("A"))
        answer = cli("list", "--scope", "user", "--agent", "claude")
        assert answer.code == 4
        assert "Claude Code keeps none" in answer.err

    @pytest.mark.parametrize("kind", ["missing", "file"])
    def test_a_named_directory_that_is_none(self, cli: Cli, tmp_path: Path, kind: str) -> None:
        named = tmp_path / "named"
        if kind == "file":
            named.write_text("x")
        answer = cli("--memory-dir", str(named), "list")
        assert (answer.code, answer.out) == (4, "")
        assert str(named) in answer.err

    def test_a_store_that_cannot_be_read_is_told_and_the_others_are_shown(self, cli: Cli) -> None:
        cli.home.write("a.md", topic("A"))
        put(cli.home.memory["user"], "not a directory")
        answer = cli("list", "--json")
        assert answer.code == 4
        assert [store["scope"] for store in answer.json["stores"]] == ["project"]
        assert f"{cli.home.memory['user']} is not a directory." in answer.err

    def test_options_stand_before_or_after_the_verb(self, cli: Cli, tmp_path: Path) -> None:
        put(tmp_path / "any/a.md", topic("A"))
        named = str(tmp_path / "any")
        before = cli("--memory-dir", named, "--json", "--readonly", "list")
        after = cli("list", "--memory-dir", named, "--json", "--readonly")
        assert before == after
        assert before.code == 0

    def test_the_agent_chooses_among_two_stores(self, cli: Cli) -> None:
        cli.home.write("q.md", topic("Q"))
        put(cli.home.claude / "memory" / "c.md", topic("C"))
        assert list(documents(cli("list", "--json"))) == ["project:q.md"]
        assert list(documents(cli("list", "--json", "--agent", "claude"))) == ["project:c.md"]


class TestDemo:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("list",),
            ("recall", "release"),
            ("index",),
            ("projects",),
            ("show", "user:user/role.md"),
        ],
    )
    def test_every_verb_works_on_it_and_nothing_is_left(
        self,
        cli: Cli,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        arguments: tuple[str, ...],
    ) -> None:
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        for given in (("--demo", *arguments), (*arguments, "--demo", "--json")):
            answer = cli(*given)
            assert (answer.code, answer.err) == (0, "")
            assert answer.out
        assert list(scratch.iterdir()) == []
        assert list(cli.home.home.iterdir()) == []

    def test_both_agents_have_a_project(self, cli: Cli) -> None:
        assert cli("--demo", "list", "--json").json["stores"][0]["agent"] == "qwen"
        answer = cli("--demo", "list", "--json", "--agent", "claude")
        assert [store["agent"] for store in answer.json["stores"]] == ["claude"]

    def test_no_place_for_it(
        self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
        answer = cli("--demo", "list")
        assert (answer.code, answer.out) == (4, "")
        assert answer.err.startswith("memtui: There is no place for a demo")


class TestUsage:
    def test_version(self, cli: Cli) -> None:
        assert cli("--version") == Answer(0, f"memtui {__version__}\n", "")

    def test_help_names_verbs_and_exit_codes(self, cli: Cli) -> None:
        answer = cli("--help")
        assert (answer.code, answer.err) == (0, "")
        for word in ("list", "show", "recall", "index", "projects", "exit codes:", "--memory-dir"):
            assert word in answer.out
        assert cli("recall", "--help").code == 0

    @pytest.mark.parametrize(
        "arguments",
        [
            ("bogus",),
            ("list", "--nope"),
            ("show",),
            ("recall",),
            ("recall", "x", "--scorer", "best"),
            ("recall", "x", "--limit", "many"),
            ("list", "--scope", "world"),
            ("list", "--agent", "none"),
            ("list", "--project", "a", "--memory-dir", "b"),
            ("--project", "a", "list", "--memory-dir", "b"),
            ("--demo", "list", "--project", "a"),
            ("list", "--project", ""),
            ("--project", "a", "list", "--project", ""),
            ("--json",),
            ("--scope", "user"),
            ("list", "--js"),
        ],
    )
    def test_a_wrong_call(self, cli: Cli, arguments: tuple[str, ...]) -> None:
        answer = cli(*arguments)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err

    def test_the_app_needs_a_terminal(self, cli: Cli) -> None:
        answer = cli()
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith("memtui: The app needs a terminal")
        assert answer.err.count("\n") == 1

    def test_a_wrong_call_cannot_steer_the_terminal(self, cli: Cli) -> None:
        answer = cli("list", "\x1b[2J")
        assert answer.code == 2
        assert "\x1b" not in answer.err

    def test_interruption(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(self: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("memtui.engine.manager.MemoryManager.scan", interrupt)
        assert cli("list") == Answer(130, "", "")
