"""Applying change sets: what is written, what is refused, what is kept."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import (
    ConflictError,
    LockedError,
    ReadOnlyError,
    RefusedError,
    StoreError,
)
from memtui.engine.types import ChangeSet, FileChange, StateChange
from tests.engine.faults import FaultyCalls
from tests.engine.unprivileged import run_without_privileges
from tests.engine.written_store import OLD_NS, WrittenStore, add, contents, temporaries


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    return WrittenStore(
        tmp_path, {"a.md": b"a", "b.md": b"b", "d/c.md": b"c", "MEMORY.md": b"- [a](a.md)\n"}
    )


def refused(
    made: WrittenStore, act: ChangeSet, error: type[Exception], match: str, **options: Any
) -> None:
    """Applying raises, and nothing is different from before."""
    before = made.tree()
    with pytest.raises(error, match=match):
        made.writer().apply([act], **options)
    assert made.tree() == before
    assert made.writer().log([made.store]) == ()


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


# Conflicts


def test_a_difference_refuses_the_whole_and_names_the_files(made: WrittenStore) -> None:
    act = made.changes(made.edit("a.md", b"A"), made.edit("b.md", b"B"), made.remove("d/c.md"))
    made.put("b.md", b"other")
    (made.memory / "d/c.md").unlink()
    with pytest.raises(ConflictError, match=r"^b\.md, d/c\.md changed since") as caught:
        made.writer().apply([act])
    assert caught.value.paths == ("b.md", "d/c.md")
    assert made.bytes_of("a.md") == b"a"
    assert "look at what is there now" in str(caught.value)


def test_many_names_are_cut_in_the_sentence_and_whole_in_the_paths(made: WrittenStore) -> None:
    names = [f"{number}.md" for number in range(9)]
    act = made.changes(*(add(name, b"") for name in names))
    for name in names:
        made.put(name, b"there")
    with pytest.raises(ConflictError, match=r"^0\.md, 1\.md, 2\.md and 6 more changed") as caught:
        made.writer().apply([act])
    assert caught.value.paths == tuple(names)


def test_a_file_that_was_to_be_added_is_never_overwritten(made: WrittenStore) -> None:
    refused(made, made.changes(add("a.md", b"mine")), ConflictError, "a.md changed")
    made.put("dead.md", "nowhere")
    refused(made, made.changes(add("dead.md", b"mine")), ConflictError, "dead.md changed")


def test_a_link_in_the_place_of_a_file_is_no_conflict_but_another_link_is(
    made: WrittenStore,
) -> None:
    made.put("l.md", "a.md")
    planned = FileChange("l.md", b"a", None, "gone", link="b.md")
    refused(made, made.changes(planned), ConflictError, "l.md changed")
    planned = FileChange("a.md", b"a", None, "gone", link="b.md")
    refused(made, made.changes(planned), ConflictError, "a.md changed")


Interference = Callable[[Path], None]


def overwrite(path: Path) -> None:
    """As most agents write: into the file itself."""
    path.write_bytes(b"theirs")


def replace_file(path: Path) -> None:
    other = path.with_name("editor~")
    other.write_bytes(b"theirs")
    other.replace(path)


class WithoutLinks(FaultyCalls):
    """A file system that has no hard links."""

    def link(self, source: Path, target: Path) -> None:
        self.before("link", (source, target))
        raise OSError(errno.EPERM, "no links")


@pytest.mark.parametrize("calls", [FaultyCalls, WithoutLinks])
@pytest.mark.parametrize("interfere", [overwrite, replace_file, Path.unlink])
@pytest.mark.parametrize("path", ["b.md", "d/c.md"])
@pytest.mark.parametrize("moment", ["journal", "stage", "commit"])
def test_a_file_that_changes_in_the_middle_takes_all_back(
    made: WrittenStore,
    calls: type[FaultyCalls],
    interfere: Interference,
    path: str,
    moment: str,
) -> None:
    """After the check and before the last look."""
    done: list[str] = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        is_in_store = any(isinstance(each, Path) and "memory" in each.parts for each in arguments)
        is_now = {
            "journal": name == "write",
            "stage": name == "open" and is_in_store,
            "commit": name == "link" and is_in_store,
        }
        if is_now[moment] and not done:
            done.append(name)
            interfere(made.memory / path)

    writer = made.writer(calls=calls(watch=watch))
    act = made.changes(made.edit("a.md", b"A"), made.edit("b.md", b"B"), made.remove("d/c.md"))
    before = made.contents()
    with pytest.raises(ConflictError) as caught:
        writer.apply([act])
    assert caught.value.paths == (path,)
    assert done
    expected = dict(before)
    if interfere is Path.unlink:
        del expected[path]
    else:
        expected[path] = b"theirs"
    assert made.contents() == expected
    assert writer.log([made.store]) == ()


def test_a_file_that_is_replaced_by_its_like_is_looked_at_anew(made: WrittenStore) -> None:
    """What was kept aside would no longer be the file that is written to."""

    class Replaced(FaultyCalls):
        def link(self, source: Path, target: Path) -> None:
            super().link(source, target)
            if source == made.memory / "a.md":
                source.unlink()
                made.put("a.md", b"a", OLD_NS + 5)

    with pytest.raises(ConflictError, match=r"a\.md changed"):
        made.writer(calls=Replaced()).apply([made.changes(made.edit("a.md", b"A"))])
    found = made.tree()["memory/a.md"]
    assert (found.content, found.mtime_ns) == (b"a", OLD_NS + 5)
    assert temporaries(made.memory) == []


def test_another_may_write_the_very_same(made: WrittenStore) -> None:
    """Nothing is taken back then: it is theirs."""

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "link" and arguments[0] == made.memory / "a.md":
            (made.memory / "a.md").write_bytes(b"A")

    with pytest.raises(ConflictError, match=r"a\.md changed"):
        made.writer(calls=FaultyCalls(watch=watch)).apply([made.changes(made.edit("a.md", b"A"))])
    assert made.bytes_of("a.md") == b"A"
    assert temporaries(made.memory) == []


def test_what_is_written_into_the_old_file_at_the_last_moment_is_not_lost(
    made: WrittenStore,
) -> None:
    """Between the last look and the rename, by a writer that takes no lock."""

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "replace" and arguments[1] == made.memory / "b.md" and not late:
            late.append(name)
            overwrite(made.memory / "b.md")

    late: list[str] = []
    writer = made.writer(calls=FaultyCalls(watch=watch))
    with pytest.raises(ConflictError, match=r"b\.md changed"):
        writer.apply([made.changes(made.edit("a.md", b"A"), made.edit("b.md", b"B"))])
    assert (made.bytes_of("a.md"), made.bytes_of("b.md")) == (b"a", b"theirs")
    assert temporaries(made.memory) == []


def test_a_file_that_changed_after_us_is_left_and_its_old_bytes_are_kept(
    made: WrittenStore,
) -> None:
    """The act fails later on; what another wrote over ours stays, and nothing is lost."""

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "b.md":
            made.put("a.md", b"theirs")
            overwrite(made.memory / "b.md")

    writer = made.writer(calls=FaultyCalls(watch=watch))
    with pytest.raises(ConflictError, match=r"b\.md changed"):
        writer.apply([made.changes(made.edit("a.md", b"A"), made.remove("b.md"))])
    assert (made.bytes_of("a.md"), made.bytes_of("b.md")) == (b"theirs", b"theirs")
    assert temporaries(made.memory) == []
    (act,) = writer.log([made.store])
    (entry,) = act.entries
    assert entry.status == "rolled-back"
    assert [left.path for left in entry.left] == ["a.md"]
    assert any(path.read_bytes() == b"a" for path in made.state.rglob("*.before"))
    with pytest.raises(RefusedError, match="was not carried out"):
        writer.undo([made.store], act.id)


# Planning once more


def index_act(made: WrittenStore, topic: bytes = b"A") -> ChangeSet:
    return made.changes(
        made.edit("a.md", topic),
        FileChange("MEMORY.md", made.bytes_of("MEMORY.md"), made.bytes_of("MEMORY.md")[:0], "x"),
    )


def test_an_index_that_differs_is_planned_once_more(made: WrittenStore) -> None:
    act = index_act(made)
    made.put("MEMORY.md", b"- [a](a.md)\n- [new](new.md)\n")
    refused(made, act, ConflictError, "MEMORY.md changed")
    applied = made.writer().apply([act], replan=lambda: [index_act(made)])
    assert made.bytes_of("MEMORY.md") == b""
    assert applied.entries[0].paths == ("a.md", "MEMORY.md")
    made.writer().undo([made.store])
    assert made.bytes_of("MEMORY.md") == b"- [a](a.md)\n- [new](new.md)\n"


def test_another_plan_for_the_topic_files_is_not_followed(made: WrittenStore) -> None:
    act = index_act(made)
    made.put("MEMORY.md", b"other\n")
    plans = [[index_act(made, b"B")], [], [made.changes(made.edit("b.md", b"B"))]]
    for plan in plans:
        with pytest.raises(ConflictError, match=r"MEMORY\.md changed"):
            made.writer().apply([act], replan=partial(tuple, plan))
    assert made.bytes_of("a.md") == b"a"


def test_a_topic_file_that_differs_is_never_planned_again(made: WrittenStore) -> None:
    act = index_act(made)
    made.put("a.md", b"other")
    made.put("MEMORY.md", b"other\n")

    def replan() -> list[ChangeSet]:
        raise AssertionError("asked")

    with pytest.raises(ConflictError, match=r"a\.md, MEMORY\.md changed"):
        made.writer().apply([act], replan=replan)


def test_an_index_that_changes_in_the_middle_is_planned_once_more(made: WrittenStore) -> None:
    late: list[str] = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "link" and arguments[0] == made.memory / "MEMORY.md" and not late:
            late.append(name)
            made.put("MEMORY.md", b"rewritten\n")

    writer = made.writer(calls=FaultyCalls(watch=watch))
    act = index_act(made)
    before = made.tree()["memory/a.md"]
    applied = writer.apply([act], replan=lambda: [index_act(made)])
    assert late == ["link"]
    assert (made.bytes_of("a.md"), made.bytes_of("MEMORY.md")) == (b"A", b"")
    assert len(writer.log([made.store])) == 1
    writer.undo([made.store], applied.group)
    assert made.bytes_of("MEMORY.md") == b"rewritten\n"
    assert made.tree()["memory/a.md"] == before


def test_an_index_that_never_rests_is_a_conflict_in_the_end(made: WrittenStore) -> None:
    count = iter(range(100))

    def replan() -> list[ChangeSet]:
        act = index_act(made)
        made.put("MEMORY.md", b"%d\n" % next(count))
        return [act]

    act = replan()
    with pytest.raises(ConflictError, match=r"MEMORY\.md changed"):
        made.writer().apply(act, replan=replan)
    assert made.bytes_of("a.md") == b"a"


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
    made.writer().apply([made.changes(states=(change,))])
    assert contents(made.project) == {"memory/": "dir", "memory/a.md": b"a"}
    (path,) = made.state.rglob("extract-cursor.json")
    assert path.read_bytes() == b'{\n  "processedOffset": 3\n}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert made.writer().undo([made.store]).left == ()
    assert not path.exists()


# Who may not


def test_read_only_refuses_every_act(made: WrittenStore) -> None:
    act = made.writer().apply([made.changes(made.remove("a.md"))])
    before = made.tree()
    writer = made.writer(is_readonly=True)
    for call in (
        lambda: writer.apply([made.changes(add("x.md", b""))]),
        lambda: writer.undo([made.store]),
        lambda: writer.purge([made.store], act.group),
    ):
        with pytest.raises(ReadOnlyError, match="--readonly"):
            call()
    assert (
        writer.refusal(made.store) == "memtui was started with --readonly, so nothing is written."
    )
    assert writer.recover([made.store]) == ()
    assert [each.id for each in writer.log([made.store])] == [act.group]
    assert made.tree() == before


UNPRIVILEGED = """
import sys
from pathlib import Path
from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import MemtuiError
from memtui.engine.types import *
memory, state = map(Path, sys.argv[1:3])
store = Store("user", "qwen", memory)
writer = StoreWriter(state)
print(writer.refusal(store))
try:
    writer.apply([ChangeSet(store, "x", (FileChange("a.md", b"a", None, ""),))])
except MemtuiError as error:
    print(type(error).__name__, error.exit_code, error)
"""


def test_a_directory_without_the_right_to_write_refuses(made: WrittenStore) -> None:
    made.memory.chmod(0o555)
    output = run_without_privileges(UNPRIVILEGED, str(made.memory), str(made.state))
    made.memory.chmod(0o755)
    assert output.splitlines() == [
        f"{made.memory} may not be written by your user; give it the right to write there.",
        f"ReadOnlyError 3 Nothing was written: permission denied ({made.memory / 'a.md'}).",
    ]
    assert made.bytes_of("a.md") == b"a"


def test_a_state_directory_without_the_right_to_write_refuses(made: WrittenStore) -> None:
    made.top.joinpath("locked").mkdir(0o555)
    state_dir = made.top / "locked/state"
    output = run_without_privileges(UNPRIVILEGED, str(made.memory), str(state_dir))
    assert output.splitlines()[1].startswith(
        f"ReadOnlyError 3 memtui's own directory {state_dir} cannot be written to"
    )
    assert made.bytes_of("a.md") == b"a"


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.EROFS, ReadOnlyError), (errno.EACCES, ReadOnlyError), (errno.ENOSPC, StoreError)],
)
def test_what_the_system_says_is_told(
    made: WrittenStore, number: int, error: type[Exception]
) -> None:
    writer = made.writer(calls=FaultyCalls(0, number, persists=True))
    with pytest.raises(error, match=r"^Nothing was written: .*\(.*\)\.$"):
        writer.apply([made.changes(made.remove("a.md"))])


def test_a_missing_store_can_be_written_and_a_file_in_its_place_cannot(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    made.memory.rmdir()
    assert made.writer().refusal(made.store) is None
    made.memory.write_bytes(b"")
    assert "is not a directory" in (made.writer().refusal(made.store) or "")
    made.memory.unlink()
    made.memory.symlink_to("nowhere")
    assert "leads nowhere" in (made.writer().refusal(made.store) or "")
    assert not made.state.exists()


# Locks


def test_two_writers_wait_for_each_other_and_name_the_holder(made: WrittenStore) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "a.md":
            entered.set()
            assert go_on.wait(20)

    slow = made.writer(calls=FaultyCalls(watch=watch))
    thread = threading.Thread(target=slow.apply, args=([made.changes(made.remove("a.md"))],))
    thread.start()
    try:
        assert entered.wait(20)
        other = made.writer(lock_timeout_s=0.05)
        match = rf"Another memtui \(PID {os.getpid()}\) has been writing .* since \d\d:\d\d:\d\d"
        with pytest.raises(LockedError, match=match):
            other.apply([made.changes(made.remove("b.md"))])
        refusal = other.refusal(made.store)
        assert refusal is not None
        assert refusal.startswith(f"Another memtui (PID {os.getpid()})")
        assert other.recover([made.store]) == ()
    finally:
        go_on.set()
        thread.join()
    assert other.refusal(made.store) is None
    other.apply([made.changes(made.remove("b.md"))])
    assert sorted(made.contents()) == ["MEMORY.md", "d/", "d/c.md"]


def test_the_lock_of_the_agent_is_held_meanwhile_and_released(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    seen = []

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "rename" and arguments[0] == made.memory / "a.md":
            seen.append(lock.read_bytes())

    writer = made.writer(calls=FaultyCalls(watch=watch))
    writer.apply([made.changes(made.remove("a.md"))])
    assert seen == [str(os.getpid()).encode()]
    assert not lock.exists()


def test_a_live_lock_of_an_agent_refuses(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    lock.write_bytes(b"1")
    with pytest.raises(LockedError, match=r"held by PID 1\b.* since 0 s"):
        made.writer(lock_timeout_s=0.0).apply([made.changes(made.remove("a.md"))])
    assert "held by PID 1" in (made.writer().refusal(made.store) or "")
    assert (lock.read_bytes(), made.bytes_of("a.md")) == (b"1", b"a")


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_stale_lock_goes_only_where_that_is_asked(made: WrittenStore) -> None:
    lock = made.project / "consolidation.lock"
    lock.write_bytes(str(dead_pid()).encode())
    writer = made.writer()
    with pytest.raises(LockedError, match=r"is a stale lock.*--break-stale-lock"):
        writer.apply([made.changes(made.remove("a.md"))])
    assert "is a stale lock" in (writer.refusal(made.store) or "")
    assert lock.exists()
    applied = writer.apply([made.changes(made.remove("a.md"))], break_stale=True)
    assert [(each.state, each.path) for each in applied.cleared] == [("stale", lock)]
    assert not lock.exists()


def test_a_lock_in_a_claude_store_refuses_and_none_is_made(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a", "b.md": b"b"}, agent="claude")
    made.writer().apply([made.changes(made.remove("a.md"))])
    assert contents(made.project) == {"memory/": "dir", "memory/b.md": b"b"}
    (made.memory / ".consolidate-lock").write_bytes(b"1")
    with pytest.raises(LockedError, match="held by PID 1"):
        made.writer(lock_timeout_s=0.0).apply([made.changes(made.remove("b.md"))])


def test_a_failed_act_on_a_new_project_leaves_no_folder(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path)
    shutil.rmtree(made.project)
    act = ChangeSet(made.store, "x", (FileChange("a.md", b"was", None, ""), add("b.md", b"")))
    with pytest.raises(ConflictError):
        made.writer().apply([act])
    assert not made.project.exists()


READER = """
import sys
from pathlib import Path
path, end = map(Path, sys.argv[1:3])
seen = set()
print("ready", flush=True)
while not end.exists():
    raw = path.read_bytes()
    seen.add((len(raw), len(set(raw))))
print(sorted(seen))
"""


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a" * 200_000})
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(made.memory / "a.md"), str(tmp_path / "end")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    writer = made.writer()
    for _ in range(20):
        writer.apply([made.changes(made.edit("a.md", b"b" * 300_000))])
        writer.undo([made.store])
    (tmp_path / "end").touch()
    output, _ = reader.communicate(timeout=30)
    assert set(json.loads(output.replace("(", "[").replace(")", "]"))[0]) <= {200_000, 300_000, 1}
    assert output.strip() in (
        "[(200000, 1), (300000, 1)]",
        "[(200000, 1)]",
        "[(300000, 1)]",
    )


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
