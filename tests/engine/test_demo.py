"""The bundled demo: complete, aged, apart from everything of the user's own."""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from memtui.demo import DemoHome, materialize
from memtui.engine.disk.paths import bases, home_of, project_key, stores_for

NOW = 1_790_000_000.25
"""A moment with a fraction, in September 2026."""

FAULTY = {
    "deploy-checklist.md",  # type nested under metadata, in a store of Qwen Code
    "staging.md",  # byte order mark, CRLF
    "uv.md",  # a colon in the description: no YAML
    "runbooks.md",  # frontmatter not closed
    "project_crash_free.md",  # a type outside the four
    "project_offline_maps.md",  # Latin-1
    "project_beta_notes.md",  # no bytes
}


@pytest.fixture
def demo(tmp_path: Path) -> DemoHome:
    return materialize(tmp_path / "demo", NOW)


def topics(memory_dir: Path) -> list[Path]:
    return sorted(path for path in memory_dir.rglob("*.md") if path.name != "MEMORY.md")


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def bundled() -> dict[str, bytes]:
    with resources.as_file(resources.files("memtui.demo")) as package:
        return tree(package / "store")


def ages_h() -> dict[str, float]:
    text = resources.files("memtui.demo").joinpath("ages.json").read_text(encoding="utf-8")
    ages: dict[str, float] = json.loads(text)
    return ages


def chats(demo: DemoHome) -> list[Path]:
    return sorted((demo.api_memory.parent / "chats").iterdir())


def claude_sessions(demo: DemoHome) -> list[Path]:
    return sorted(demo.mobile_memory.parent.glob("*.jsonl"))


def records(path: Path) -> list[dict[str, Any]]:
    lines = path.read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def seconds(text: str) -> float:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def test_each_store_has_its_memories(demo: DemoHome) -> None:
    assert len(topics(demo.api_memory)) == 28
    assert len(topics(demo.team_memory)) == 3
    assert len(topics(demo.user_memory)) == 6
    assert len(topics(demo.mobile_memory)) == 8
    assert len(chats(demo)) == 5
    assert len(claude_sessions(demo)) == 2
    assert list(demo.state_dir.iterdir()) == []


def test_the_project_uses_every_folder_of_the_layout(demo: DemoHome) -> None:
    folders = {path.relative_to(demo.api_memory).parts[0] for path in topics(demo.api_memory)}
    assert folders == {"feedback", "project", "reference", "user", "pinned"}
    assert {path.parent for path in topics(demo.mobile_memory)} == {demo.mobile_memory}


def test_both_agents_find_the_demo_and_nothing_else(demo: DemoHome) -> None:
    found = bases(demo.env, home_of(demo.env))
    api, mobile = stores_for(demo.api_dir, found), stores_for(demo.mobile_dir, found)
    assert [(store.scope, store.agent, store.memory_dir) for store in api.stores] == [
        ("project", "qwen", demo.api_memory),
        ("user", "qwen", demo.user_memory),
        ("team", "qwen", demo.team_memory),
    ]
    assert [(store.agent, store.memory_dir) for store in mobile.stores] == [
        ("claude", demo.mobile_memory)
    ]
    assert api.stores[0].sessions_dir == chats(demo)[0].parent
    assert api.stores[0].state_dir == demo.api_memory.parent
    assert mobile.stores[0].sessions_dir == claude_sessions(demo)[0].parent


def test_environment_drops_what_leads_elsewhere(demo: DemoHome) -> None:
    own = {
        "PATH": "/bin",
        "HOME": "/home/dana",
        "XDG_STATE_HOME": "/home/dana/.local/state",
        "QWEN_HOME": "/home/dana/q",
        "QWEN_RUNTIME_DIR": "/run/q",
        "QWEN_CODE_MEMORY_BASE_DIR": "/home/dana/m",
        "QWEN_CODE_MEMORY_LOCAL": "1",
        "CLAUDE_CONFIG_DIR": "/home/dana/c",
    }
    before = dict(own)
    env = demo.environment(own)
    assert own == before
    assert env == {
        "PATH": "/bin",
        "HOME": str(demo.home),
        "USERPROFILE": str(demo.home),
        "XDG_STATE_HOME": str(demo.state_dir),
        "XDG_CONFIG_HOME": str(demo.root / "config"),
    }
    assert bases(env, home_of(env)) == bases(demo.env, home_of(demo.env))


def test_nothing_outside_the_target_is_touched(tmp_path: Path) -> None:
    own = Path(os.environ["HOME"])
    (own / ".qwen" / "memories").mkdir(parents=True)
    (own / ".qwen" / "memories" / "mine.md").write_bytes(b"mine\n")
    stamp = (own / ".qwen" / "memories").stat().st_mtime_ns
    materialize(tmp_path / "demo", NOW)
    assert tree(own) == {".qwen/memories/mine.md": b"mine\n"}
    assert (own / ".qwen" / "memories").stat().st_mtime_ns == stamp
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_two_copies_are_independent(tmp_path: Path) -> None:
    first, second = materialize(tmp_path / "a", NOW), materialize(tmp_path / "b", NOW)
    assert first.api_memory.parent.name != second.api_memory.parent.name
    (first.user_memory / "user" / "role.md").unlink()
    assert len(topics(second.user_memory)) == 6
    assert tree(first.api_memory) == tree(second.api_memory)
    assert {record["cwd"] for path in chats(second) for record in records(path)} == {
        str(second.api_dir)
    }


def test_a_target_in_use_is_left_alone(demo: DemoHome) -> None:
    (demo.api_memory / "project" / "own.md").write_bytes(b"own\n")
    before = tree(demo.root)
    with pytest.raises(FileExistsError):
        materialize(demo.root, NOW)
    assert tree(demo.root) == before


def test_a_path_with_quotes_and_other_scripts(tmp_path: Path) -> None:
    demo = materialize(tmp_path / 'it\'s "目录" \\ Папка', NOW)
    (record, *_) = records(chats(demo)[0])
    assert record["cwd"] == str(demo.api_dir)
    assert demo.api_memory.parent.name == project_key(str(demo.api_dir))


def test_no_placeholder_is_left(demo: DemoHome) -> None:
    for name, content in tree(demo.root).items():
        assert not re.search(rb"@(?:ago|cwd|memory)\b", content), name


def test_every_bundled_file_has_an_age_and_arrives_with_it(demo: DemoHome) -> None:
    ages = ages_h()
    assert set(ages) == set(bundled())
    places = {
        "acme-api/memory": demo.api_memory,
        "acme-api/team": demo.team_memory,
        "acme-mobile/memory": demo.mobile_memory,
        "memories": demo.user_memory,
    }
    aged = 0
    for prefix, memory_dir in places.items():
        for path in memory_dir.rglob("*.md"):
            age_ns = int(NOW * 1e9) - path.stat().st_mtime_ns
            hours = ages[f"{prefix}/{path.relative_to(memory_dir).as_posix()}"]
            assert age_ns == round(hours * 3600) * 1_000_000_000, path
            aged += 1
    assert aged == 45 + 4  # with the four indexes


def test_ages_go_from_now_to_120_days(demo: DemoHome) -> None:
    days = sorted(
        int((NOW - path.stat().st_mtime) // 86_400)
        for directory in (demo.api_memory, demo.user_memory)
        for path in topics(directory)
    )
    assert days[0] == 0
    assert days[-2:] == [96, 120]
    assert int(NOW - (demo.api_memory / "reference" / "deploy-checklist.md").stat().st_mtime) < 3600


def test_memory_files_keep_their_bytes(demo: DemoHome) -> None:
    assert {
        name.removeprefix("acme-api/memory/"): content
        for name, content in bundled().items()
        if name.startswith("acme-api/memory/")
    } == tree(demo.api_memory)


def test_frontmatter_of_the_sound_files_is_valid(demo: DemoHome) -> None:
    checked = 0
    for memory_dir in (demo.api_memory, demo.user_memory, demo.team_memory, demo.mobile_memory):
        for path in topics(memory_dir):
            if path.name in FAULTY:
                continue
            lead, head, body = path.read_bytes().decode("utf-8").split("---\n", 2)
            fields = yaml.load(head, yaml.BaseLoader)
            kind = fields.get("type") or fields["metadata"]["type"]
            assert lead == ""
            assert fields["name"].strip()
            assert fields["description"].strip()
            assert kind in ("user", "feedback", "project", "reference"), path
            assert body.strip()
            checked += 1
    assert checked == 45 - len(FAULTY)


def test_faulty_files_are_faulty_as_meant(demo: DemoHome) -> None:
    nested = (demo.api_memory / "reference" / "deploy-checklist.md").read_bytes()
    assert b"\nmetadata:\n  node_type: memory\n  type: reference\n---\n" in nested
    windows = (demo.api_memory / "reference" / "staging.md").read_bytes()
    assert windows.startswith(b"\xef\xbb\xbf---\r\n")
    assert windows.count(b"\n") == windows.count(b"\r\n") == 10
    colon = (demo.api_memory / "feedback" / "uv.md").read_bytes().split(b"---\n")[1]
    with pytest.raises(yaml.YAMLError):
        yaml.load(colon, yaml.BaseLoader)
    unclosed = (demo.team_memory / "reference" / "runbooks.md").read_bytes()
    assert unclosed.count(b"---") == 1
    assert b"\ntype: decision\n" in (demo.mobile_memory / "project_crash_free.md").read_bytes()
    latin = (demo.mobile_memory / "project_offline_maps.md").read_bytes()
    assert b"Zo\xeb's team in Z\xfcrich" in latin
    with pytest.raises(UnicodeDecodeError):
        latin.decode("utf-8")
    assert (demo.mobile_memory / "project_beta_notes.md").read_bytes() == b""


def test_sessions_are_chains_in_time(demo: DemoHome) -> None:
    for path in chats(demo) + claude_sessions(demo):
        lines = records(path)
        parents = [None, *(line["uuid"] for line in lines[:-1])]
        assert [line["parentUuid"] for line in lines] == parents
        assert len({line["uuid"] for line in lines}) == len(lines)
        assert {line["sessionId"] for line in lines} == {path.stem}
        times = [seconds(line["timestamp"]) for line in lines]
        assert times == sorted(times)
        assert times[-1] == pytest.approx(path.stat().st_mtime, abs=0.002)
        assert times[-1] < NOW
        assert lines[-1]["type"] == "assistant"


def test_sessions_of_qwen_code_have_parts(demo: DemoHome) -> None:
    roles = {"user": "user", "assistant": "model", "tool_result": "user"}
    kinds = set()
    for path in chats(demo):
        for line in records(path):
            kinds.add(line["type"])
            assert line["cwd"] == str(demo.api_dir)
            if line["type"] == "system":
                assert line["subtype"] == "chat_compression"
                assert line["systemPayload"]["compressedHistory"]
            else:
                assert line["message"]["role"] == roles[line["type"]]
                assert line["message"]["parts"]
    assert kinds == {"user", "assistant", "tool_result", "system"}
    newest = max(chats(demo), key=lambda path: path.stat().st_mtime)
    assert {line["version"] for line in records(newest)} == {"0.24.2"}


def test_sessions_of_claude_code_have_content(demo: DemoHome) -> None:
    lines = [line for path in claude_sessions(demo) for line in records(path)]
    assert {line["cwd"] for line in lines} == {str(demo.mobile_dir)}
    blocks = {
        block["type"]
        for line in lines
        if isinstance(line["message"]["content"], list)
        for block in line["message"]["content"]
    }
    assert blocks == {"text", "tool_use", "tool_result"}
    assert sum(line["isSidechain"] for line in lines) == 2
    assert sum(line.get("isMeta", False) for line in lines) == 1


def test_state_files_fit_the_sessions(demo: DemoHome) -> None:
    state_dir = demo.api_memory.parent
    meta, cursor = (
        json.loads((state_dir / name).read_bytes()) for name in ("meta.json", "extract-cursor.json")
    )
    newest_first = sorted(chats(demo), key=lambda path: -path.stat().st_mtime)
    names = [path.stem for path in newest_first]
    assert list(cursor) == ["sessionId", "processedOffset", "updatedAt"]
    assert cursor["sessionId"] == names[0]
    assert 2 < cursor["processedOffset"] < 2 + len(records(newest_first[0]))
    assert meta["version"] == 1
    assert meta["recentSessionIdsSinceDream"] == names[1:4][::-1]
    assert meta["lastDreamSessionId"] == names[4]
    dreamt = seconds(meta["lastDreamAt"])
    assert NOW - dreamt == pytest.approx(31 * 3600, abs=0.002)
    assert [path.stat().st_mtime > dreamt for path in newest_first] == [True] * 4 + [False]
    for name, content in (("meta.json", meta), ("extract-cursor.json", cursor)):
        written = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        assert (state_dir / name).read_text(encoding="utf-8") == written
