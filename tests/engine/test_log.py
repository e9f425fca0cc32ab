"""Which acts stand undone, over several stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.engine.disk.store import StoreWriter
from memtui.engine.errors import UnknownIdError
from tests.engine.written_store import WrittenStore


@pytest.fixture
def two(tmp_path: Path) -> tuple[WrittenStore, WrittenStore]:
    one = WrittenStore(tmp_path, {"a.md": b"a"}, name="one")
    return one, WrittenStore(tmp_path, {"b.md": b"b"}, name="other", scope="user")


def act(writer: StoreWriter, two: tuple[WrittenStore, WrittenStore]) -> str:
    one, other = two
    sets = [one.changes(one.edit("a.md", b"A")), other.changes(other.edit("b.md", b"B"))]
    return writer.apply(sets).group


def standing(writer: StoreWriter, made: WrittenStore) -> set[str]:
    return {each.id for each in writer.log([made.store]) if not each.is_undone}


def undo(writer: StoreWriter, two: tuple[WrittenStore, WrittenStore], act_id: str) -> str:
    undone = writer.undo([each.store for each in two], act_id)
    assert undone.applied is not None
    return undone.applied.group


def test_undos_and_redos_in_a_row(two: tuple[WrittenStore, WrittenStore]) -> None:
    writer = two[0].writer()
    done = act(writer, two)
    assert standing(writer, two[0]) == {done}
    first = undo(writer, two, done)
    assert standing(writer, two[0]) == {first}
    redo = undo(writer, two, first)
    assert standing(writer, two[0]) == {done, redo}
    second = undo(writer, two, done)
    assert standing(writer, two[0]) == {redo, second}


@pytest.mark.parametrize("changed", [0, 1])
def test_an_undo_with_something_to_reverse_in_one_store_counts_in_both(
    two: tuple[WrittenStore, WrittenStore], changed: int
) -> None:
    writer = two[0].writer()
    stores = [each.store for each in two]
    done = act(writer, two)
    two[changed].put(("a.md", "b.md")[changed], b"theirs")
    undone = writer.undo(stores)
    assert undone.applied is not None
    assert len(undone.applied.entries) == 1
    for made in two:
        assert {each.id: each.is_undone for each in writer.log([made.store])}[done]
        with pytest.raises(UnknownIdError, match="nothing to undo"):
            writer.undo([made.store])
    redo = undo(writer, two, undone.applied.group)
    for made in two:
        assert not {each.id: each.is_undone for each in writer.log([made.store])}[done]
    assert redo in standing(writer, two[1 - changed])


def test_a_redo_in_one_store_makes_the_act_stand_again(
    two: tuple[WrittenStore, WrittenStore],
) -> None:
    writer = two[0].writer()
    done = act(writer, two)
    first = undo(writer, two, done)
    two[0].put("a.md", b"theirs")
    redo = undo(writer, two, first)
    for made in two:
        assert not {each.id: each.is_undone for each in writer.log([made.store])}[done]
    assert writer.plan_undo([two[0].store]).id == done
    assert standing(writer, two[1]) == {done, redo}


def test_an_undo_that_was_purged_no_longer_counts(two: tuple[WrittenStore, WrittenStore]) -> None:
    writer = two[0].writer()
    done = act(writer, two)
    writer.purge([two[1].store], undo(writer, two, done))
    assert standing(writer, two[0]) == standing(writer, two[1]) == {done}
