"""Every single call of an act failing, and every point at which it can end."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import MemtuiError
from memtui.engine.types import ChangeSet, StateChange
from tests.engine.faults import Crash, FaultyCalls
from tests.engine.written_store import WrittenStore, add, temporaries

INDEX = b"# Index\n- [a](a.md)\n- [b](b.md)\n"
STATES = (StateChange("meta.json", {"updatedAt": "then"}, {"updatedAt": "now", "more": 1}),)


def build(root: Path) -> tuple[WrittenStore, ChangeSet]:
    """Three files and a link, a state file; an act that edits, removes, adds and patches."""
    made = WrittenStore(
        root, {"a.md": b"aaa", "b.md": b"bbb", "l.md": "a.md", "MEMORY.md": INDEX, "d/x.md": b"x"}
    )
    (made.memory / "a.md").chmod(0o640)
    (made.project / "meta.json").write_bytes(b'{\n  "updatedAt": "then"\n}\n')
    act = made.changes(
        made.edit("a.md", b"AAAA"),
        made.remove("b.md"),
        made.remove("l.md"),
        add("new/deep/c.md", b"ccc"),
        made.edit("MEMORY.md", b"# Index\n- [a](a.md)\n- [c](new/deep/c.md)\n"),
        states=STATES,
    )
    return made, act


def count_calls(root: Path) -> int:
    made, act = build(root)
    calls = FaultyCalls()
    made.writer(calls=calls).apply([act])
    return calls.count


def test_every_call_of_an_act_is_seen(tmp_path: Path) -> None:
    assert count_calls(tmp_path) > 40


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_a_single_call_that_fails_leaves_before_or_after(tmp_path: Path, number: int) -> None:
    total = count_calls(tmp_path / "count")
    outcomes = {"before": 0, "after": 0}
    for at in range(total):
        made, act = build(tmp_path / f"{at}")
        before = made.tree()
        calls = FaultyCalls(at, number)
        writer = made.writer(calls=calls)
        try:
            applied = writer.apply([act])
        except MemtuiError:
            assert made.tree() == before, calls.failed
            outcomes["before"] += 1
            assert [act.status for each in writer.log([made.store]) for act in each.entries] in (
                [],
                ["open"],
            )
        else:
            assert made.bytes_of("a.md") == b"AAAA", calls.failed
            assert not (made.memory / "b.md").exists()
            outcomes["after"] += 1
            assert writer.undo([made.store]).left == ()
            assert made.tree() == before
            assert applied.entries[0].status == "applied"
        assert temporaries(made.project, made.state) == [], calls.failed
        later = made.writer()
        later.recover([made.store])
        assert made.tree() == before
        later.apply([act])
        assert made.bytes_of("a.md") == b"AAAA"
    assert outcomes["before"] > 30
    assert outcomes["after"] > 3


def restart(made: WrittenStore) -> StoreWriter:
    writer = made.writer()
    for found in writer.recover([made.store]):
        assert found.problem == ""
        assert found.left == ()
    return writer


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, Crash], ids=str)
def test_from_any_call_on_nothing_works_until_the_next_start(
    tmp_path: Path, error: int | type[BaseException]
) -> None:
    total = count_calls(tmp_path / "count")
    outcomes = {"before": 0, "after": 0}
    for at in range(total):
        made, act = build(tmp_path / f"{at}")
        before = made.tree()
        calls = FaultyCalls(at, error, persists=True)
        with suppress(MemtuiError, Crash):
            made.writer(calls=calls).apply([act])
        writer = restart(made)
        assert temporaries(made.project, made.state) == []
        if made.tree() == before:
            outcomes["before"] += 1
            continue
        outcomes["after"] += 1
        assert made.bytes_of("a.md") == b"AAAA"
        assert made.bytes_of("new/deep/c.md") == b"ccc"
        assert sorted(made.contents()) == [
            "MEMORY.md",
            "a.md",
            "d/",
            "d/x.md",
            "new/",
            "new/deep/",
            "new/deep/c.md",
        ]
        assert writer.undo([made.store]).left == ()
        assert made.tree() == before
    assert outcomes["before"] > 30
    assert outcomes["after"] > 3


def test_an_interrupt_at_any_call_leaves_before_or_after(tmp_path: Path) -> None:
    total = count_calls(tmp_path / "count")
    ends = set()
    for at in range(total):
        made, act = build(tmp_path / f"{at}")
        before = made.tree()
        calls = FaultyCalls(at, KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            made.writer(calls=calls).apply([act])
        is_before = made.tree() == before
        ends.add(is_before)
        if not is_before:
            assert made.bytes_of("a.md") == b"AAAA", calls.failed
            assert made.bytes_of("new/deep/c.md") == b"ccc"
        assert not (made.project / "consolidation.lock").exists()
        writer = restart(made)
        assert temporaries(made.project, made.state) == []
        assert (made.tree() == before) is is_before
        if not is_before:
            writer.undo([made.store])
            assert made.tree() == before
    assert ends == {True, False}


def test_an_undo_that_ends_anywhere_is_whole_or_not_made(tmp_path: Path) -> None:
    made, act = build(tmp_path / "count")
    made.writer().apply([act])
    calls = FaultyCalls()
    made.writer(calls=calls).undo([made.store])
    ends = set()
    for at in range(calls.count):
        made, act = build(tmp_path / f"{at}")
        before = made.tree()
        made.writer().apply([act])
        after = made.tree()
        with pytest.raises(Crash):
            made.writer(calls=FaultyCalls(at, Crash, persists=True)).undo([made.store])
        writer = restart(made)
        assert temporaries(made.project, made.state) == []
        found = made.tree()
        assert found in (before, after)
        ends.add(found == before)
        if found == after:
            writer.undo([made.store])
            assert made.tree() == before
    assert ends == {True, False}


def test_an_act_over_two_stores_ends_in_both_or_in_none(tmp_path: Path) -> None:
    def two(root: Path) -> tuple[WrittenStore, WrittenStore, list[ChangeSet]]:
        one = WrittenStore(root, {"a.md": b"a"}, name="one")
        other = WrittenStore(root, {"b.md": b"b"}, name="other", scope="user")
        acts = [other.changes(add("a.md", b"a")), one.changes(one.remove("a.md"))]
        return one, other, acts

    one, other, acts = two(tmp_path / "count")
    calls = FaultyCalls()
    applied = one.writer(calls=calls).apply(acts)
    assert [entry.id for entry in applied.entries] == [applied.group] * 2
    ends = set()
    for at in range(calls.count):
        one, other, acts = two(tmp_path / f"{at}")
        before = (one.tree(), other.tree())
        with pytest.raises(Crash):
            one.writer(calls=FaultyCalls(at, Crash, persists=True)).apply(acts)
        writer = one.writer()
        # Only one of the two is opened again; the act ends in the other all the same.
        first, second = (one, other) if at % 2 else (other, one)
        writer.recover([first.store])
        writer.recover([second.store])
        assert temporaries(one.project, other.project, one.state) == []
        if (one.tree(), other.tree()) == before:
            ends.add("before")
            continue
        ends.add("after")
        assert one.contents() == {}
        assert other.contents() == {"a.md": b"a", "b.md": b"b"}
        undone = writer.undo([second.store])
        assert undone.left == ()
        assert (one.tree(), other.tree()) == before
        assert len(writer.purge([first.store], undone.id)) == 2
    assert ends == {"before", "after"}
