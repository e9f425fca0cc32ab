"""What a scan finds: documents, order, indexes, links, the state of the store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.engine.disk.scan import Scanner
from memtui.engine.types import Scope, Snapshot, Store
from tests.benchmarks.generate import write_store

TOPIC = b"---\nname: One\ndescription: first\ntype: user\n---\n\nBody.\n"


def store_of(memory_dir: Path, scope: Scope = "project") -> Store:
    return Store(scope=scope, agent="none", memory_dir=memory_dir)


def scan(memory_dir: Path, scope: Scope = "project") -> Snapshot:
    return Scanner().scan(store_of(memory_dir, scope))


def paths(snapshot: Snapshot) -> list[str]:
    return [document.path for document in snapshot.documents]


def put(file: Path, raw: bytes = TOPIC, mtime_s: int = 1_700_000_000) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(raw)
    os.utime(file, (mtime_s, mtime_s))


def test_every_md_file_of_any_case_and_depth_is_a_document_and_nothing_else(tmp_path: Path) -> None:
    for name in ("a.md", "B.MD", "c.Md", "memory.md", ".hidden.md", "x/y/z/deep.md"):
        put(tmp_path / name)
    for name in ("notes.txt", "md", "amd", "a.md~", ".consolidate-lock", ".git/no.md", "x/.o/n.md"):
        put(tmp_path / name)
    snapshot = scan(tmp_path)
    assert paths(snapshot) == [".hidden.md", "B.MD", "a.md", "c.Md", "memory.md", "x/y/z/deep.md"]
    assert (snapshot.state, snapshot.problems, snapshot.message) == ("ok", (), "")


def test_a_document_holds_bytes_scope_and_mtime_in_nanoseconds(tmp_path: Path) -> None:
    put(tmp_path / "feedback" / "a.md")
    os.utime(tmp_path / "feedback" / "a.md", ns=(1, 1_700_000_000_123_456_789))
    (document,) = scan(tmp_path, "team").documents
    assert (document.path, document.raw, document.scope) == ("feedback/a.md", TOPIC, "team")
    assert document.mtime_ns == 1_700_000_000_123_456_789
    assert (document.name, document.link) == ("One", None)


def test_order_is_newest_first_then_path(tmp_path: Path) -> None:
    put(tmp_path / "old.md", mtime_s=1_000)
    put(tmp_path / "b" / "same.md", mtime_s=2_000)
    put(tmp_path / "a" / "same.md", mtime_s=2_000)
    put(tmp_path / "a-b.md", mtime_s=2_000)
    put(tmp_path / "new.md", mtime_s=3_000)
    assert paths(scan(tmp_path)) == ["new.md", "a-b.md", "a/same.md", "b/same.md", "old.md"]


def test_indexes_are_kept_apart_by_exact_name(tmp_path: Path) -> None:
    put(tmp_path / "MEMORY.md", b"- [a](a.md)\n")
    put(tmp_path / "sub" / "MEMORY.md", b"")
    put(tmp_path / "sub" / "Memory.md")
    snapshot = scan(tmp_path)
    assert dict(snapshot.indexes) == {"MEMORY.md": b"- [a](a.md)\n", "sub/MEMORY.md": b""}
    assert snapshot.index == b"- [a](a.md)\n"
    assert paths(snapshot) == ["sub/Memory.md"]


def test_an_empty_store_is_ok_and_has_no_index(tmp_path: Path) -> None:
    snapshot = scan(tmp_path)
    assert (snapshot.state, snapshot.documents, snapshot.index) == ("ok", (), None)


def test_a_file_link_is_read_with_the_mtime_of_its_target(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "real.txt", mtime_s=1_234)
    memory = tmp_path / "memory"
    put(memory / "own.md", mtime_s=1_000)
    (memory / "linked.md").symlink_to("../elsewhere/real.txt")
    (memory / "MEMORY.md").symlink_to("own.md")
    snapshot = scan(memory)
    assert [(d.path, d.link, d.mtime_ns) for d in snapshot.documents] == [
        ("linked.md", "../elsewhere/real.txt", 1_234 * 10**9),
        ("own.md", None, 1_000 * 10**9),
    ]
    assert snapshot.index == TOPIC
    assert snapshot.problems == ()


def test_a_folder_link_is_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "a.md")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "linked").symlink_to(tmp_path / "elsewhere")
    snapshot = scan(tmp_path / "memory")
    assert (snapshot.documents, snapshot.problems) == ((), ())


def test_a_memory_directory_that_is_a_link_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "real" / "a.md")
    (tmp_path / "link").symlink_to("real")
    assert paths(scan(tmp_path / "link")) == ["a.md"]


def test_a_missing_store_says_so(tmp_path: Path) -> None:
    snapshot = scan(tmp_path / "none")
    assert (snapshot.state, snapshot.documents) == ("missing", ())
    assert snapshot.message == f"There is no directory {tmp_path}/none; is it spelled so?"
    store = Store(scope="project", agent="qwen", memory_dir=tmp_path / "none")
    assert Scanner().scan(store).message == (
        f"There is no memory directory {tmp_path}/none yet; "
        "the agent makes it when it first remembers something."
    )


def test_a_store_whose_link_leads_nowhere_is_missing(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("gone")
    snapshot = scan(tmp_path / "link")
    assert snapshot.state == "missing"
    assert snapshot.message == (
        f"The memory directory {tmp_path}/link is a link that leads nowhere; mend or remove it."
    )


@pytest.mark.parametrize("below", ["", "/memory"])
def test_a_store_that_is_a_file_says_so(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    snapshot = scan(Path(f"{tmp_path}/file{below}"))
    assert snapshot.state == "not-a-directory"
    assert snapshot.message == (
        f"{tmp_path}/file{below} is not a directory; move what is there or name another."
    )


def test_a_store_appears_and_goes(tmp_path: Path) -> None:
    scanner, store = Scanner(), store_of(tmp_path / "memory")
    first = scanner.scan(store)
    assert scanner.scan(store) is first
    put(tmp_path / "memory" / "a.md")
    assert paths(scanner.scan(store)) == ["a.md"]
    (tmp_path / "memory" / "a.md").unlink()
    (tmp_path / "memory").rmdir()
    assert scanner.scan(store).state == "missing"


def test_stores_do_not_share_documents(tmp_path: Path) -> None:
    put(tmp_path / "a.md")
    scanner = Scanner()
    project = scanner.scan(store_of(tmp_path, "project"))
    user = scanner.scan(store_of(tmp_path, "user"))
    assert (project.documents[0].scope, user.documents[0].scope) == ("project", "user")
    assert (project.store.scope, user.store.scope) == ("project", "user")


def test_generated_stores_are_found_in_their_order(tmp_path: Path) -> None:
    made = write_store(tmp_path, 60)
    snapshot = scan(tmp_path)
    assert [(d.path, d.raw, d.mtime_ns) for d in snapshot.documents] == [tuple(m) for m in made]
    assert {document.type_place for document in snapshot.documents} == {"top"}
    assert snapshot.index is not None
    assert snapshot.index.count(b"\n") == 59


def test_a_file_of_five_megabytes_is_read_whole(tmp_path: Path) -> None:
    raw = TOPIC + b"line of text\n" * 400_000
    put(tmp_path / "big.md", raw)
    (document,) = scan(tmp_path).documents
    assert document.raw == raw


def test_a_folder_tree_of_three_hundred_levels_is_walked(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["d"] * 300)
    put(folder / "deep.md")
    assert paths(scan(tmp_path)) == ["d/" * 300 + "deep.md"]


def test_a_name_with_every_odd_character_is_kept(tmp_path: Path) -> None:
    names = ["new\nline.md", "q\"'`.md", "[b](c).md", "\x1b[31m.md", "e\u0301.md", "日本.md"]
    for name in names:
        put(tmp_path / name)
    assert paths(scan(tmp_path)) == sorted(names)
