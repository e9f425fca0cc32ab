"""Files that are not as planned: before an act, in the middle of it, and planned once more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.errors import (
    ConflictError,
    RefusedError,
)
from memtui.engine.types import ChangeSet, FileChange
from tests.engine.faults import FaultyCalls, WithoutLinks
from tests.engine.written_store import (
    OLD_NS,
    WrittenStore,
    add,
    refused,
    temporaries,
)


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    return WrittenStore(
        tmp_path, {"a.md": b"a", "b.md": b"b", "d/c.md": b"c", "MEMORY.md": b"- [a](a.md)\n"}
    )


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
