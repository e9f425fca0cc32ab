"""Applying change sets: what is written, and what is kept."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import (
    ConflictError,
    ReadOnlyError,
    RefusedError,
)
from memtui.engine.types import ChangeSet, StateChange
from tests.engine.faults import FaultyCalls, WithoutLinks
from tests.engine.written_store import (
    OLD_NS,
    WrittenStore,
    add,
    contents,
    refused,
    temporaries,
)


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    return WrittenStore(
        tmp_path, {"a.md": b"a", "b.md": b"b", "d/c.md": b"c", "MEMORY.md": b"- [a](a.md)\n"}
    )


def test_files_are_edited_added_and_removed(made: WrittenStore) -> None:
    before = made.tree()
    applied = made.writer(clock_ns=lambda: 77).apply(
        [made.changes(made.edit("a.md", b"A"), made.remove("b.md"), add("n/e.md", b"e"))]
    )
    assert made.contents() == {
        "MEMORY.md": b"- [a](a.md)\n",
        "a.md": b"A",
        "d/": "dir",
        "d/c.md": b"c",
        "n/": "dir",
        "n/e.md": b"e",
    }
    after = made.tree()
    assert after["memory/d/c.md"] == before["memory/d/c.md"]
    assert time.time_ns() - after["memory/a.md"].mtime_ns < 60 * 10**9
    (entry,) = applied.entries
    assert (entry.id, entry.operation, entry.status) == (applied.group, "forget", "applied")
    assert entry.paths == ("a.md", "b.md", "n/e.md")
    assert [file.kind for file in entry.files] == ["changed", "removed", "added"]
    assert [file.reason for file in entry.files] == ["edited", "forgotten", "new"]
    assert (entry.folders, entry.pid, entry.time_ns) == (("n",), os.getpid(), 77)
    assert made.writer().log([made.store])[0].entries == (entry,)


def test_a_folder_left_empty_stays(made: WrittenStore) -> None:
    made.writer().apply([made.changes(made.remove("d/c.md"))])
    assert made.contents()["d/"] == "dir"


def test_mode_and_a_planned_mtime_are_kept(made: WrittenStore) -> None:
    (made.memory / "a.md").chmod(0o604)
    made.writer().apply(
        [
            made.changes(
                made.edit("a.md", b"A", mtime_ns=OLD_NS + 1),
                add("n.md", b"n", mtime_ns=OLD_NS + 2, mode=0o640),
            )
        ]
    )
    tree = made.tree()
    assert (tree["memory/a.md"].mode, tree["memory/a.md"].mtime_ns) == (0o604, OLD_NS + 1)
    assert (tree["memory/n.md"].mode, tree["memory/n.md"].mtime_ns) == (0o640, OLD_NS + 2)


def test_the_owner_is_kept(made: WrittenStore) -> None:
    calls: list[tuple[str, tuple[Any, ...]]] = []

    class Watched(FaultyCalls):
        def chown(self, path: Path, uid: int, gid: int) -> None:
            calls.append((path.parent.name, (uid, gid)))

    real = os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        found = list(real(descriptor))
        found[4] = 4711
        return os.stat_result(found)

    writer = made.writer(calls=Watched())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memtui.engine.disk.replace.os.fstat", fstat)
        writer.apply([made.changes(made.edit("a.md", b"A"))])
    owner = (made.memory / "a.md").stat()
    assert calls == [("memory", (owner.st_uid, owner.st_gid))]


def test_nothing_to_do_makes_no_entry_and_no_state(made: WrittenStore) -> None:
    writer = made.writer()
    assert writer.apply([]).entries == ()
    assert writer.apply([made.changes()]).group == ""
    assert not made.state.exists()
    assert writer.apply([made.changes(made.edit("a.md", b"a"))]).entries == ()
    assert writer.log([made.store]) == ()


def test_a_store_comes_into_being_and_goes_again(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    shutil.rmtree(made.project)
    made.writer().apply([made.changes(add("user/a.md", b"a"), add("MEMORY.md", b"i"))])
    assert contents(made.project) == {
        "memory/": "dir",
        "memory/MEMORY.md": b"i",
        "memory/user/": "dir",
        "memory/user/a.md": b"a",
    }
    made.writer().undo([made.store])
    assert contents(made.project) == {}


# Links


def test_the_target_of_a_link_is_edited_and_the_link_stays(made: WrittenStore) -> None:
    made.put("l.md", "d/c.md")
    made.writer().apply([made.changes(made.edit("l.md", b"C", mtime_ns=OLD_NS))])
    tree = made.tree()
    assert (tree["memory/l.md"].link, tree["memory/l.md"].mtime_ns) == ("d/c.md", OLD_NS)
    assert tree["memory/d/c.md"].content == b"C"


def test_a_link_that_goes_leaves_its_target(made: WrittenStore, tmp_path: Path) -> None:
    (tmp_path / "out.md").write_bytes(b"out")
    made.put("in.md", "a.md")
    made.put("out.md", "../../out.md")
    made.put("dead.md", "nowhere.md")
    before = made.tree()
    made.writer().apply([made.changes(*map(made.remove, ("in.md", "out.md", "dead.md")))])
    assert sorted(made.contents()) == ["MEMORY.md", "a.md", "b.md", "d/", "d/c.md"]
    assert (made.bytes_of("a.md"), (tmp_path / "out.md").read_bytes()) == (b"a", b"out")
    made.writer().undo([made.store])
    assert made.tree() == before


def test_the_memory_directory_may_be_a_link(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    real = tmp_path / "real"
    real.mkdir()
    made.memory.rmdir()
    made.memory.symlink_to(real)
    made.put("a.md", b"a")
    made.writer().apply([made.changes(made.edit("a.md", b"A"))])
    assert (real / "a.md").read_bytes() == b"A"
    assert made.memory.is_symlink()


def test_a_link_that_leads_out_is_read_only(made: WrittenStore, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    out.write_bytes(b"out")
    made.put("l.md", "../../out.md")
    refused(made, made.changes(made.edit("l.md", b"x")), ReadOnlyError, "outside the store")
    assert out.read_bytes() == b"out"


@pytest.mark.parametrize("path", ["../x.md", "/x.md", "a\0.md", "d/../../x.md", "e/x.md", ""])
def test_no_path_leads_out(made: WrittenStore, tmp_path: Path, path: str) -> None:
    (tmp_path / "else").mkdir()
    (made.memory / "e").symlink_to("../../else")
    refused(made, made.changes(add(path, b"x"), made.remove("a.md")), ReadOnlyError, "store")
    assert contents(tmp_path / "else") == {}
    assert not (made.project / "x.md").exists()


@pytest.mark.parametrize("where", ["else", "p/memory/else"], ids=["out", "inside"])
def test_a_folder_that_becomes_a_link_meanwhile_is_seen(
    made: WrittenStore, tmp_path: Path, where: str
) -> None:
    out = tmp_path / where
    out.mkdir()
    (out / "c.md").write_bytes(b"c")

    def swap(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "a.md":
            (made.memory / "d").rename(made.memory / "old")
            (made.memory / "d").symlink_to(out)

    writer = made.writer(calls=FaultyCalls(watch=swap))
    with pytest.raises(ConflictError, match=r"d/c\.md changed"):
        writer.apply([made.changes(made.remove("a.md"), made.remove("d/c.md"))])
    assert contents(out) == {"c.md": b"c"}
    assert made.bytes_of("a.md") == b"a"
    assert temporaries(made.memory) == []


def test_one_file_under_two_names_is_refused(made: WrittenStore) -> None:
    made.put("l.md", "a.md")
    act = made.changes(made.edit("a.md", b"A"), made.edit("l.md", b"L"))
    refused(made, act, RefusedError, "a.md and l.md are one file")
    act = made.changes(made.edit("a.md", b"A"), made.remove("a.md"))
    refused(made, act, RefusedError, "one file")
    made.writer().apply([made.changes(made.edit("a.md", b"A"), made.remove("l.md"))])
    assert made.bytes_of("a.md") == b"A"


def test_two_change_sets_for_one_store_are_a_mistake(made: WrittenStore) -> None:
    with pytest.raises(ValueError, match="two change sets"):
        made.writer().apply([made.changes(add("x.md", b"")), made.changes(add("y.md", b""))])


# State files


def state(made: WrittenStore, name: str = "meta.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made.project / name).read_bytes())
    return found


def test_keys_of_a_state_file_are_set(made: WrittenStore) -> None:
    (made.project / "meta.json").write_bytes(b'{"own": 1.50, "a": "x"}')
    change = StateChange("meta.json", {"a": "x"}, {"a": "é", "b": [1]})
    made.writer().apply([made.changes(add("n.md", b""), states=(change,))])
    assert (made.project / "meta.json").read_text() == (
        '{\n  "own": 1.50,\n  "a": "é",\n  "b": [\n    1\n  ]\n}\n'
    )


def test_keys_that_differ_refuse_unless_planned_once_more(made: WrittenStore) -> None:
    (made.project / "meta.json").write_bytes(b'{"a": 2}')

    def act(value: int) -> ChangeSet:
        change = StateChange("meta.json", {"a": value}, {"a": 9})
        return made.changes(add("n.md", b""), states=(change,))

    refused(made, act(1), ConflictError, "meta.json changed")
    made.writer().apply([act(1)], replan=lambda: [act(2)])
    assert state(made) == {"a": 9}


def test_a_broken_state_file_refuses(made: WrittenStore) -> None:
    (made.project / "meta.json").write_bytes(b"{")
    act = made.changes(add("n.md", b""), states=(StateChange("meta.json", {}, {"a": 1}),))
    refused(made, act, RefusedError, "is not valid JSON")


def test_the_state_of_another_store_lies_with_memtui(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a"}, scope="user")
    change = StateChange("extract-cursor.json", {}, {"processedOffset": 3})
    applied = made.writer().apply([made.changes(states=(change,))])
    assert contents(made.project) == {"memory/": "dir", "memory/a.md": b"a"}
    (path,) = made.state.rglob("extract-cursor.json")
    assert path.read_bytes() == b'{\n  "processedOffset": 3\n}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert made.writer().undo([made.store], applied.group).left == ()
    assert not path.exists()


def test_a_writer_in_use_evicts_what_is_beyond_the_limits(made: WrittenStore) -> None:
    day = [0]
    writer = made.writer(clock_ns=lambda: day[0] * 86_400 * 10**9)
    for number in range(64):
        day[0] = number * 10
        writer.apply([made.changes(made.edit("a.md", b"%d" % number))])
    assert len(writer.log([made.store])) == 50


def test_a_file_system_without_hard_links_serves_too(made: WrittenStore) -> None:
    before = made.tree()
    made.put("l.md", "a.md")
    writer = made.writer(calls=WithoutLinks())
    act = made.changes(made.edit("a.md", b"A"), made.remove("b.md"), add("n.md", b"n"))
    writer.apply([act])
    writer.undo([made.store])
    assert {k: v for k, v in made.tree().items() if k != "memory/l.md"} == before


def test_the_writer_is_loaded_only_to_write() -> None:
    code = "import memtui.engine.manager, sys; print('memtui.engine.disk.store' in sys.modules)"
    assert StoreWriter.__module__ == "memtui.engine.disk.store"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert output.stdout.strip() == b"False"
