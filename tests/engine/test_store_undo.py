"""Taking acts back: whole where nobody wrote since, else beside what was written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.engine.errors import (
    AmbiguousIdError,
    RefusedError,
    StoreError,
    UnknownIdError,
)
from memtui.engine.types import ChangeSet, FileChange, StateChange
from tests.engine.faults import FaultyCalls
from tests.engine.written_store import OLD_NS, WrittenStore, add, temporaries

INDEX = b"# Index\n- [a](a.md)\n- [b](b.md)\n- [c](d/c.md)\n"
META = b'{\n  "updatedAt": "then",\n  "own": 1.50\n}\n'


@pytest.fixture
def made(tmp_path: Path) -> WrittenStore:
    made = WrittenStore(
        tmp_path,
        {"a.md": b"a", "b.md": b"b", "d/c.md": b"c", "l.md": "a.md", "MEMORY.md": INDEX},
    )
    (made.memory / "b.md").chmod(0o604)
    (made.project / "meta.json").write_bytes(META)
    os.utime(made.project / "meta.json", ns=(OLD_NS, OLD_NS))
    return made


def act(made: WrittenStore) -> ChangeSet:
    return made.changes(
        made.edit("a.md", b"A"),
        made.remove("b.md"),
        made.remove("l.md"),
        add("new/e.md", b"e"),
        made.edit("MEMORY.md", b"# Index\n- [a](a.md)\n- [c](d/c.md)\n- [e](new/e.md)\n"),
        states=(
            StateChange(
                "meta.json", {"updatedAt": "then"}, {"updatedAt": "now", "lastDreamAt": "now"}
            ),
        ),
    )


def meta(made: WrittenStore) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made.project / "meta.json").read_bytes())
    return found


def test_an_undo_brings_everything_back_to_the_last_bit(made: WrittenStore) -> None:
    before = made.tree()
    writer = made.writer()
    applied = writer.apply([act(made)])
    undone = made.writer().undo([made.store])
    assert made.tree() == before
    assert undone.id == applied.group
    assert undone.restored == ("new/e.md", "l.md", "b.md", "a.md", "MEMORY.md", "meta.json")
    assert undone.left == ()
    assert undone.applied is not None
    (entry,) = undone.applied.entries
    assert (entry.operation, entry.undoes) == ("undo", applied.group)
    assert [(each.operation, each.is_undone) for each in writer.log([made.store])] == [
        ("undo", False),
        ("forget", True),
    ]


def test_undo_and_redo_go_back_and_forth(made: WrittenStore) -> None:
    writer = made.writer()
    before = made.tree()
    applied = writer.apply([act(made)])
    after = made.tree()
    undo_id = applied.group
    for _ in range(3):
        undone = writer.undo([made.store], undo_id)
        assert made.tree() == before
        assert undone.applied is not None
        redone = writer.undo([made.store], undone.applied.group)
        assert made.tree() == after
        assert redone.left == ()
        assert redone.applied is not None
        undo_id = redone.applied.group


def test_without_an_id_acts_are_undone_from_the_latest_on(made: WrittenStore) -> None:
    writer = made.writer()
    states = [made.tree()]
    for content in (b"1", b"2", b"3"):
        writer.apply([made.changes(made.edit("a.md", content))])
        states.append(made.tree())
    for expected in reversed(states[:-1]):
        writer.undo([made.store])
        assert made.tree() == expected
    with pytest.raises(UnknownIdError, match="nothing to undo"):
        writer.undo([made.store])


def test_a_redone_act_is_undone_first_again(made: WrittenStore) -> None:
    writer = made.writer()
    first = writer.apply([made.changes(made.edit("a.md", b"1"))])
    second = writer.apply([made.changes(made.edit("b.md", b"2"))])
    undone = writer.undo([made.store])
    assert (undone.id, writer.plan_undo([made.store]).id) == (second.group, first.group)
    assert undone.applied is not None
    writer.undo([made.store], undone.applied.group)
    assert writer.plan_undo([made.store]).id == second.group


def test_an_older_act_is_undone_alone(made: WrittenStore) -> None:
    writer = made.writer()
    first = writer.apply([made.changes(made.edit("a.md", b"A"))])
    writer.apply([made.changes(made.remove("b.md"))])
    assert writer.undo([made.store], first.group).restored == ("a.md",)
    assert made.bytes_of("a.md") == b"a"
    assert not (made.memory / "b.md").exists()


def test_what_others_changed_is_left_and_told(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    made.put("a.md", b"theirs")
    made.put("b.md", b"another b")
    made.put("new/e.md", b"grown")
    undone = writer.undo([made.store])
    assert undone.restored == ("l.md", "MEMORY.md", "meta.json")
    assert {left.path: left.reason for left in undone.left} == {
        "new/e.md": "It was changed since.",
        "b.md": "Another file has taken its name.",
        "a.md": "It was changed since.",
    }
    assert made.bytes_of("a.md") == b"theirs"
    assert made.bytes_of("b.md") == b"another b"
    assert made.bytes_of("new/e.md") == b"grown"
    assert made.bytes_of("MEMORY.md") == INDEX + b"- [e](new/e.md)\n"


def test_what_is_gone_or_back_already_needs_nothing(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    made.put("b.md", b"b")
    made.put("l.md", "a.md")
    (made.memory / "new/e.md").unlink()
    (made.memory / "a.md").unlink()
    undone = writer.undo([made.store])
    assert undone.restored == ("MEMORY.md", "meta.json")
    assert [(left.path, left.reason) for left in undone.left] == [("a.md", "It is gone.")]


def test_nothing_to_reverse_writes_no_entry(made: WrittenStore) -> None:
    writer = made.writer()
    applied = writer.apply([made.changes(made.edit("a.md", b"A"))])
    made.put("a.md", b"theirs")
    undone = writer.undo([made.store])
    assert (undone.restored, undone.applied) == ((), None)
    assert [left.path for left in undone.left] == ["a.md"]
    assert len(writer.log([made.store])) == 1
    assert writer.plan_undo([made.store]).id == applied.group


def test_of_an_index_that_was_rewritten_only_our_lines_go_back(made: WrittenStore) -> None:
    before = made.tree()
    writer = made.writer()
    writer.apply([act(made)])
    made.put(
        "MEMORY.md",
        b"# Index\r\n- [first](first.md)\r\n- [a](a.md) better\r\n- [c](d/c.md)\r\n"
        b"- [e](new/e.md)\r\n- [last](last.md)",
    )
    undone = writer.undo([made.store])
    assert undone.left == ()
    assert made.bytes_of("MEMORY.md") == (
        b"# Index\r\n- [first](first.md)\r\n- [a](a.md) better\r\n- [b](b.md)\r\n- [c](d/c.md)\r\n"
        b"- [last](last.md)"
    )
    after = made.tree()
    assert after.pop("memory/MEMORY.md").mtime_ns > OLD_NS
    assert after == {name: found for name, found in before.items() if name != "memory/MEMORY.md"}


def test_an_index_that_was_made_or_removed_is_reversed_by_lines_too(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"d/MEMORY.md": b"- [x](x.md)\n- [y](y.md)\n"})
    writer = made.writer()
    writer.apply([made.changes(add("MEMORY.md", b"- [a](a.md)\n"), made.remove("d/MEMORY.md"))])
    made.put("MEMORY.md", b"- [a](a.md)\n- [n](n.md)\n")
    made.put("d/MEMORY.md", b"- [y](y.md) anew\n")
    assert writer.undo([made.store]).left == ()
    assert made.bytes_of("MEMORY.md") == b"- [n](n.md)\n"
    assert made.bytes_of("d/MEMORY.md") == b"- [y](y.md) anew\n- [x](x.md)\n"


def test_an_index_that_is_gone_is_left(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    (made.memory / "MEMORY.md").unlink()
    assert [(left.path, left.reason) for left in writer.undo([made.store]).left] == [
        ("MEMORY.md", "It is gone.")
    ]


def test_of_a_state_file_only_keys_go_back_that_still_are_ours(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    values = {**meta(made), "updatedAt": "agent", "fresh": True}
    (made.project / "meta.json").write_text(json.dumps(values))
    undone = writer.undo([made.store])
    assert (made.project / "meta.json").read_text() == (
        '{\n  "updatedAt": "agent",\n  "own": 1.5,\n  "fresh": true\n}\n'
    )
    assert [(left.path, left.reason) for left in undone.left] == [
        ("meta.json", "Other values were written since: updatedAt.")
    ]


def test_a_state_file_that_broke_is_left(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    (made.project / "meta.json").write_bytes(b"{")
    undone = writer.undo([made.store])
    assert "meta.json" not in undone.restored
    assert [left.path for left in undone.left] == ["meta.json"]
    assert "is not valid JSON" in undone.left[0].reason
    assert (made.project / "meta.json").read_bytes() == b"{"


def test_a_state_file_that_was_made_goes_and_comes_back(tmp_path: Path) -> None:
    made = WrittenStore(tmp_path, {"a.md": b"a"})
    before = made.tree()
    writer = made.writer(clock_ns=lambda: 10**18)
    change = StateChange("meta.json", {}, {"lastDreamAt": "x"})
    applied = writer.apply([made.changes(states=(change,))])
    after = made.tree()
    assert meta(made) == {
        "version": 1,
        "createdAt": "2001-09-09T01:46:40.000Z",
        "lastDreamAt": "x",
    }
    undone = writer.undo([made.store], applied.group)
    assert made.tree() == before
    assert undone.applied is not None
    writer.undo([made.store], undone.applied.group)
    assert made.tree() == after


def test_a_part_of_a_plan_can_be_undone(made: WrittenStore) -> None:
    """As a review with some files left out, or a dream whose time stays."""
    writer = made.writer()
    applied = writer.apply([act(made)])
    plan = writer.plan_undo([made.store])
    assert plan.operation == "forget"
    (full,) = plan.change_sets
    assert [change.path for change in full.changes][-1] == "MEMORY.md"
    assert full.state_changes == (
        StateChange("meta.json", {"updatedAt": "now", "lastDreamAt": "now"}, {"updatedAt": "then"}),
    )
    part = made.changes(
        *(change for change in full.changes if change.path == "b.md"),
        operation="undo",
        states=(StateChange("meta.json", {"updatedAt": "now"}, {"updatedAt": "then"}),),
    )
    writer.apply([part], undoes=applied.group)
    assert made.bytes_of("b.md") == b"b"
    assert made.bytes_of("a.md") == b"A"
    assert meta(made) == {"updatedAt": "then", "own": 1.5, "lastDreamAt": "now"}


def test_an_edit_behind_a_link_goes_back_behind_it(made: WrittenStore) -> None:
    before = made.tree()
    writer = made.writer()
    writer.apply([made.changes(made.edit("l.md", b"A"))])
    writer.undo([made.store])
    assert made.tree() == before
    writer.apply([made.changes(made.edit("l.md", b"A"))])
    (made.memory / "l.md").unlink()
    made.put("z.md", b"A")
    made.put("l.md", "z.md")
    undone = writer.undo([made.store])
    assert [left.path for left in undone.left] == ["l.md"]
    assert f"leads to another file now, {made.memory / 'z.md'}" in undone.left[0].reason
    assert made.bytes_of("z.md") == b"A"


def test_a_link_that_took_another_way_is_left(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([made.changes(FileChange("n.md", None, b"", "new", link="a.md"))])
    assert (made.memory / "n.md").is_symlink()
    (made.memory / "n.md").unlink()
    made.put("n.md", "b.md")
    assert [left.path for left in writer.undo([made.store]).left] == ["n.md"]


def test_folders_that_were_made_go_only_where_they_are_empty(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([made.changes(add("x/y/e.md", b"e"), add("x/f.md", b"f"))])
    made.put("x/theirs.md", b"t")
    writer.undo([made.store])
    assert (made.memory / "x/theirs.md").exists()
    assert not (made.memory / "x/y").exists()


def test_an_act_over_two_stores_is_undone_in_both(tmp_path: Path) -> None:
    one = WrittenStore(tmp_path, {"a.md": b"a"}, name="one")
    other = WrittenStore(tmp_path, {"b.md": b"b"}, name="other", scope="user")
    before = (one.tree(), other.tree())
    writer = one.writer()
    applied = writer.apply([other.changes(add("a.md", b"a")), one.changes(one.remove("a.md"))])
    assert [entry.store.scope for entry in applied.entries] == ["project", "user"]
    for stores in ([one.store], [other.store], [one.store, other.store]):
        (logged,) = writer.log(stores)
        assert (logged.id, logged.entries) == (applied.group, applied.entries)
    undone = writer.undo([other.store])
    assert (one.tree(), other.tree()) == before
    assert undone.restored == ("a.md", "a.md")
    assert undone.applied is not None
    assert len(undone.applied.entries) == 2
    writer.undo([one.store], undone.applied.group)
    assert (one.contents(), other.contents()) == ({}, {"a.md": b"a", "b.md": b"b"})


def test_an_act_is_named_by_its_id_or_the_end_of_it(made: WrittenStore) -> None:
    clock = [10**18]
    writer = made.writer(clock_ns=lambda: clock[0])
    ids = []
    for content in (b"1", b"2"):
        ids.append(writer.apply([made.changes(made.edit("a.md", content))]).group)
        clock[0] += 60 * 10**9
    assert ids == ["20010909-0146-9c40", "20010909-0147-9c40"]
    assert writer.plan_undo([made.store], ids[0]).id == ids[0]
    assert writer.plan_undo([made.store], "46-9c40").id == ids[0]
    with pytest.raises(AmbiguousIdError, match=f"fits several entries: {ids[1]}, {ids[0]}"):
        writer.plan_undo([made.store], "9c40")
    with pytest.raises(UnknownIdError, match="has no entry zzzz"):
        writer.plan_undo([made.store], "zzzz")


def test_a_purged_act_cannot_be_undone(made: WrittenStore) -> None:
    writer = made.writer()
    applied = writer.apply([act(made)])
    (purged,) = writer.purge([made.store], applied.group)
    assert (purged.id, purged.operation) == (applied.group, "forget")
    assert purged.size_bytes > len(INDEX)
    assert writer.log([made.store]) == ()
    assert [path for path in made.state.rglob("*") if path.name.endswith(".before")] == []
    with pytest.raises(UnknownIdError):
        writer.undo([made.store], applied.group)


def test_an_image_that_is_gone_from_the_journal_is_told(made: WrittenStore) -> None:
    writer = made.writer()
    applied = writer.apply([act(made)])
    for path in made.state.rglob("*.before"):
        path.unlink()
    with pytest.raises(StoreError, match="The journal cannot be read"):
        writer.undo([made.store], applied.group)


def test_a_file_that_changes_between_the_plan_and_the_lock_is_left(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "mkdir" and not late:
            late.append(name)
            made.put("a.md", b"theirs")
            made.put("MEMORY.md", made.bytes_of("MEMORY.md") + b"- [n](n.md)\n")

    late: list[str] = []
    undone = made.writer(calls=FaultyCalls(watch=watch)).undo([made.store])
    assert late == ["mkdir"]
    assert [left.path for left in undone.left] == ["a.md"]
    assert made.bytes_of("a.md") == b"theirs"
    assert made.bytes_of("MEMORY.md") == INDEX + b"- [n](n.md)\n"
    assert temporaries(made.memory) == []


def test_an_undo_needs_an_act_that_was_carried_out(made: WrittenStore) -> None:
    writer = made.writer()
    applied = writer.apply([act(made)])
    (closed,) = made.state.rglob("closed.json")
    closed.unlink()
    with pytest.raises(RefusedError, match="was not carried out"):
        writer.plan_undo([made.store], applied.group)


def test_five_acts_in_all_stores_are_undone_one_by_one(made: WrittenStore) -> None:
    """Names in other scripts, mtimes and a nested folder included."""
    for name in ("ñ.md", "日本/語.md", "with space.md"):
        made.put(name, name.encode(), OLD_NS + len(name))
    before = made.tree()
    writer = made.writer()
    for name in ("ñ.md", "日本/語.md", "with space.md", "a.md"):
        index = FileChange(
            "MEMORY.md", made.bytes_of("MEMORY.md"), made.bytes_of("MEMORY.md") + b"x\n", "x"
        )
        writer.apply([made.changes(made.remove(name), index)])
    for _ in range(4):
        assert made.writer().undo([made.store]).left == ()
    assert made.tree() == before


def test_a_new_file_that_others_edited_stays_with_its_index_line(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    made.put("new/e.md", b"edited by hand")
    undone = writer.undo([made.store])
    assert [left.path for left in undone.left] == ["new/e.md"]
    assert made.bytes_of("new/e.md") == b"edited by hand"
    assert made.bytes_of("MEMORY.md") == INDEX[:-1] + b"\n- [e](new/e.md)\n"


def test_it_stays_also_where_the_index_was_rewritten_since(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([act(made)])
    made.put("new/e.md", b"edited by hand")
    made.put("MEMORY.md", made.bytes_of("MEMORY.md") + b"- [f](f.md)\n")
    writer.undo([made.store])
    assert made.bytes_of("MEMORY.md") == (
        b"# Index\n- [a](a.md)\n- [b](b.md)\n- [c](d/c.md)\n- [e](new/e.md)\n- [f](f.md)\n"
    )


def test_the_newest_change_is_one_that_changed_a_file(made: WrittenStore) -> None:
    writer = made.writer()
    first = writer.apply([made.changes(made.edit("a.md", b"A"))])
    noted = made.changes(states=(StateChange("meta.json", {"updatedAt": "then"}, {}),))
    writer.apply([noted])
    assert writer.plan_undo([made.store]).id == first.group


def merge(made: WrittenStore) -> ChangeSet:
    """`b.md` goes, what it said is in `a.md` now; `c.md` is edited beside them."""
    act = made.changes(
        made.edit("a.md", b"a and b"),
        made.edit("d/c.md", b"C"),
        made.remove("b.md"),
        made.edit("MEMORY.md", b"# Index\n- [a](a.md)\n- [c](d/c.md)\n"),
        operation="dream",
    )
    return replace(act, together=(("a.md", "b.md"),))


def test_files_that_changed_together_go_back_together_or_stay(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([merge(made)])
    made.put("b.md", b"a new b")
    undone = writer.undo([made.store])
    assert made.bytes_of("a.md") == b"a and b"
    assert made.bytes_of("b.md") == b"a new b"
    assert made.bytes_of("d/c.md") == b"c"
    assert {left.path: left.reason.split(":")[0] for left in undone.left} == {
        "b.md": "Another file has taken its name.",
        "a.md": "It belongs with a file that stays",
    }


def test_what_one_gave_the_other_is_not_lost_when_the_taker_was_edited(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([merge(made)])
    made.put("a.md", b"a and b, edited")
    writer.undo([made.store])
    assert not (made.memory / "b.md").exists()
    assert made.bytes_of("a.md") == b"a and b, edited"
    assert made.bytes_of("MEMORY.md") == b"# Index\n- [a](a.md)\n- [c](d/c.md)\n"


def test_a_redo_keeps_them_together_too(made: WrittenStore) -> None:
    writer = made.writer()
    writer.apply([merge(made)])
    undone = writer.undo([made.store])
    assert undone.applied is not None
    made.put("a.md", b"edited")
    again = writer.undo([made.store], undone.applied.group)
    assert made.bytes_of("b.md") == b"b"
    assert [left.path for left in again.left] == ["a.md", "b.md"]


def test_rejecting_one_in_a_review_rejects_what_it_changes_together_with(
    made: WrittenStore,
) -> None:
    kept = merge(made).keeping(lambda _scope, path: path != "b.md")
    assert [change.path for change in kept.changes] == ["d/c.md", "MEMORY.md"]
