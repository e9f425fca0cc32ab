"""The journal on disk: whole or not there, bounded, private."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.journal import Journal, new_id
from memtui.engine.disk.journal_entry import (
    Image,
    JournalEntry,
    JournalFile,
    Left,
    decode,
    digest_of,
    encode,
    encode_closed,
)
from memtui.engine.disk.settings import JournalSettings
from memtui.engine.errors import RefusedError, UnknownIdError
from memtui.engine.types import StateChange, Store
from tests.engine.faults import Crash, FaultyCalls

DAY_NS = 86_400 * 10**9
NOW_NS = 1_796_000_000 * 10**9  # 2026-11-30 00:53:20 UTC
STORE = Store("project", "none", Path("/nowhere/memory"))
IMAGE = Image(digest_of(b"old"), 3, 17, 0o644, (0, 0), stored="0001.before")
FILE = JournalFile("a.md", "forgotten", IMAGE, None, "a.md", ".memtui-1-aa.tmp", ".memtui-1-bb.tmp")


def entry_at(journal: Journal, time_ns: int = NOW_NS, *, undoes: str | None = None) -> JournalEntry:
    return JournalEntry(
        id=new_id(journal.root, [journal], time_ns),
        operation="forget",
        time_ns=time_ns,
        pid=1,
        store=STORE,
        peers=(journal.key,),
        undoes=undoes,
        files=(FILE,),
    )


def put(
    journal: Journal,
    time_ns: int = NOW_NS,
    *,
    size: int = 3,
    undoes: str | None = None,
    closed: bool = True,
) -> str:
    entry = entry_at(journal, time_ns, undoes=undoes)
    journal.open(entry, {"0001.before": b"o" * size})
    if closed:
        journal.close(entry.id, "applied", time_ns)
        journal.mark_clean(entry.id)
    return entry.id


def test_an_entry_goes_from_open_to_applied(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state", STORE, FaultyCalls())
    assert journal.entries() == ()
    assert not (tmp_path / "state").exists()
    entry = entry_at(journal)
    journal.open(entry, {"0001.before": b"old"})
    assert journal.entries() == (entry,)
    assert journal.read(entry.id).size_bytes > 500
    assert journal.unfinished() == (entry.id,)
    assert journal.image(entry.id, "0001.before") == b"old"
    journal.close(entry.id, "applied", NOW_NS + 5)
    assert journal.entries() == (replace(entry, status="applied", closed_ns=NOW_NS + 5),)
    assert journal.unfinished() == (entry.id,)
    journal.mark_clean(entry.id)
    assert journal.unfinished() == ()


def test_everything_is_for_the_user_alone(tmp_path: Path) -> None:
    put(Journal(tmp_path / "state", STORE, FaultyCalls()))
    for path in (tmp_path / "state", *(tmp_path / "state").rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_all_of_an_entry_is_on_the_disk_before_it_has_its_name(tmp_path: Path) -> None:
    """Each file is synced, then the folder; then the rename, then the folder above."""
    journal = Journal(tmp_path, STORE, FaultyCalls())
    put(journal)
    told: list[str] = []

    class Told(FaultyCalls):
        def __init__(self) -> None:
            super().__init__()
            self.names: dict[int, str] = {}

        def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
            descriptor = super().open(path, flags, mode)
            self.names[descriptor] = path.name
            return descriptor

        def fsync(self, descriptor: int) -> None:
            told.append(f"sync {self.names[descriptor]}")

        def rename(self, source: Path, target: Path) -> None:
            told.append("rename")
            super().rename(source, target)

        def replace(self, source: Path, target: Path) -> None:
            told.append("replace")
            super().replace(source, target)

    journal = Journal(tmp_path, STORE, Told())
    entry = entry_at(journal)
    journal.open(entry, {"0001.before": b"old"})
    assert told == [
        "sync 0001.before",
        "sync intent.json",
        f"sync .new-{entry.id}",
        "rename",
        "sync journal",
    ]
    told.clear()
    journal.close(entry.id, "applied", NOW_NS)
    assert told == ["sync closed.json.new", "replace", f"sync {entry.id}"]


def test_a_crash_in_open_leaves_no_entry_and_is_swept(tmp_path: Path) -> None:
    counted = FaultyCalls()
    put(Journal(tmp_path / "count", STORE, counted), closed=False)
    seen = set()
    for at in range(counted.count):
        root = tmp_path / str(at)
        with pytest.raises(Crash):
            put(Journal(root, STORE, FaultyCalls(at, Crash, persists=True)), closed=False)
        journal = Journal(root, STORE, FaultyCalls())
        journal.sweep()
        assert not journal.has_rubble()
        seen.add(len(journal.entries()))
        assert journal.broken() == ()
    assert seen == {0, 1}


def test_an_error_in_close_leaves_it_open(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    entry_id = put(journal, closed=False)
    for at in range(6):
        calls = FaultyCalls(at)
        with pytest.raises(OSError, match="Input/output"):
            Journal(tmp_path, STORE, calls).close(entry_id, "applied", NOW_NS)
        assert journal.read(entry_id).status == "open"
        assert not list((journal.folder / entry_id).glob("*.new"))
        if calls.failed == ["replace"]:
            break
    else:
        raise AssertionError("the rename was never reached")


def test_ids_tell_the_time_and_sort_even_where_the_clock_goes_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    first = put(journal)
    assert first == "20261130-0053-4e20"
    assert put(journal) == "20261130-0053-4e21"
    assert put(journal, NOW_NS - DAY_NS) == "20261130-0053-4e22"
    assert put(journal, NOW_NS + 40 * 10**9) == "20261130-0054-0000"
    assert [entry.id for entry in journal.entries()] == sorted(journal.ids())


def test_another_store_never_has_the_same_id(tmp_path: Path) -> None:
    one = Journal(tmp_path, STORE, FaultyCalls())
    other = Journal(tmp_path, Store("user", "qwen", Path("/elsewhere")), FaultyCalls())
    assert one.folder != other.folder
    assert put(one) != put(other)


def test_an_entry_that_cannot_be_read_is_told_and_left(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    good, bad, newer = put(journal), put(journal), put(journal)
    (journal.folder / bad / "intent.json").write_bytes(b"{")
    intent = journal.folder / newer / "intent.json"
    intent.write_text(json.dumps({**json.loads(intent.read_text()), "version": 2}))
    assert [entry.id for entry in journal.entries()] == [good]
    assert journal.broken() == (bad, newer)
    for name in (bad, "20261130-0053-ffff", "../../x", "no id"):
        with pytest.raises(UnknownIdError, match="has no entry"):
            journal.read(name)


def test_purge_removes_an_entry_whole(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    kept, gone, open_id = put(journal), put(journal), put(journal, closed=False)
    purged = journal.purge(gone)
    assert (purged.id, purged.operation) == (gone, "forget")
    assert purged.size_bytes > 500
    assert sorted(path.name for path in journal.folder.iterdir()) == [kept, open_id]
    with pytest.raises(RefusedError, match="is not finished"):
        journal.purge(open_id)
    assert journal.ids() == [kept, open_id]


def test_the_newest_fifty_and_the_open_ones_are_never_evicted(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    old_open = put(journal, NOW_NS - 900 * DAY_NS, closed=False)
    old = [put(journal, NOW_NS - 800 * DAY_NS) for _ in range(3)]
    rest = [put(journal, NOW_NS - 700 * DAY_NS) for _ in range(50)]
    assert journal.evict(JournalSettings(90, 200), NOW_NS) == tuple(reversed(old))
    assert journal.ids() == [old_open, *rest]
    assert journal.evict(JournalSettings(0, 0), NOW_NS) == ()


def test_entries_go_by_age_and_by_size(tmp_path: Path) -> None:
    journal = Journal(tmp_path, STORE, FaultyCalls())
    old = put(journal, NOW_NS - 91 * DAY_NS)
    young = put(journal, NOW_NS - 89 * DAY_NS)
    large = put(journal, NOW_NS, size=1_000_000)
    fifty = [put(journal, NOW_NS) for _ in range(50)]
    assert journal.evict(JournalSettings(90, 200), NOW_NS) == (old,)
    assert journal.evict(JournalSettings(90, 1), NOW_NS) == (large,)
    assert journal.ids() == [young, *fifty]


def test_what_the_first_store_decided_counts_for_all(tmp_path: Path) -> None:
    one = Journal(tmp_path, STORE, FaultyCalls())
    other = Journal(tmp_path, Store("user", "qwen", Path("/elsewhere")), FaultyCalls())
    entry = replace(entry_at(one), peers=(one.key, other.key))
    for journal in (one, other):
        journal.open(entry, {"0001.before": b"old"})
    assert other.read(entry.id).status == "open"
    one.close(entry.id, "applied", NOW_NS)
    one.mark_clean(entry.id)
    assert other.read(entry.id).status == "applied"
    assert not other.is_closed(entry.id)
    with pytest.raises(RefusedError, match="is not finished"):
        one.purge(entry.id)
    other.close(entry.id, "applied", NOW_NS)
    other.mark_clean(entry.id)
    assert one.purge(entry.id).id == entry.id


def test_a_roll_back_of_the_first_store_leaves_the_others_open(tmp_path: Path) -> None:
    one = Journal(tmp_path, STORE, FaultyCalls())
    other = Journal(tmp_path, Store("user", "qwen", Path("/elsewhere")), FaultyCalls())
    entry = replace(entry_at(one), peers=(one.key, other.key))
    for journal in (one, other):
        journal.open(entry, {"0001.before": b"old"})
    one.close(entry.id, "rolled-back", NOW_NS, [Left("a.md", "why")])
    assert one.read(entry.id).left == (Left("a.md", "why"),)
    assert other.read(entry.id).status == "open"


TEXT = st.text(max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.dictionaries(TEXT, VALUES, max_size=3)


@given(TEXT | st.just("\udcff.md"), TEXT, KEYS, KEYS, st.none() | TEXT)
def test_any_entry_survives_its_json(
    path: str, reason: str, before: dict[str, object], after: dict[str, object], link: str | None
) -> None:
    file = replace(FILE, path=path, reason=reason, before=replace(IMAGE, link=link))
    entry = JournalEntry(
        id="20261130-0053-4e20",
        operation="x",
        time_ns=NOW_NS,
        pid=7,
        store=replace(STORE, project_dir=Path("/p\udc80"), key="-p"),
        peers=("a", "b"),
        files=(file,),
        states=(StateChange("meta.json", before, after),),
        state_files=(file,),
        folders=("a", "a/b"),
    )
    assert decode(encode(entry), None) == entry
    closed = decode(encode(entry), encode_closed("rolled-back", 9, (Left(path, reason),)))
    assert closed == replace(entry, status="rolled-back", closed_ns=9, left=(Left(path, reason),))
