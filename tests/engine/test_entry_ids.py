"""Entry IDs: taking them apart and finding what they name (spec section 3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.errors import AmbiguousIdError, RefusedError, UnknownIdError
from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import (
    EntryId,
    entries_of,
    parse_entry_id,
    resolve_document,
    resolve_entry,
)
from memtui.engine.types import SCOPES, Scope, Snapshot, Store

SINGLE = b"---\nname: One\ntype: user\n---\nBe short.\n"
LIST = b"---\nname: Many\ntype: user\n---\n- one\n- two\n- three\n"


def snapshot(scope: Scope, **files: bytes) -> Snapshot:
    return from_files(scope, {name.replace("__", "/") + ".md": raw for name, raw in files.items()})


def from_files(scope: Scope, files: dict[str, bytes]) -> Snapshot:
    return Snapshot(
        store=Store(scope=scope, agent="qwen", memory_dir=Path("/memory") / scope),
        state="ok",
        documents=tuple(parse_document(raw, path=path, scope=scope) for path, raw in files.items()),
    )


def named(text: str, *snapshots: Snapshot) -> tuple[str, str, bytes]:
    store, document, entry = resolve_entry(text, snapshots)
    assert store.store.scope == document.scope == entry.scope
    return entry.scope, entry.id, entry.span.of(document.source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.md", EntryId(None, "a.md")),
        ("feedback/style.md:2", EntryId(None, "feedback/style.md", 2)),
        ("user:feedback/style.md:2", EntryId("user", "feedback/style.md", 2)),
        ("team:a.md:0@3f9c", EntryId("team", "a.md", 0, "3f9c")),
        ("a.md@3F9C", EntryId(None, "a.md", None, "3f9c")),
        ("project:a.MD", EntryId("project", "a.MD")),
        ("a.md:1.md", EntryId(None, "a.md:1.md")),
        ("a@b.md:1", EntryId(None, "a@b.md", 1)),
        ("other:a.md", EntryId(None, "other:a.md")),
        ("一 二.md:10", EntryId(None, "一 二.md", 10)),
    ],
)
def test_an_id_is_taken_apart(text: str, expected: EntryId) -> None:
    assert parse_entry_id(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "a.md:", "a.md:x", "a.md:-1", "a.md@", "a.md@xyz", ".md", "user:", "a.md:1:2"]
)
def test_what_is_no_id(text: str) -> None:
    with pytest.raises(UnknownIdError, match=r"is no Entry ID; one looks like `path\.md`"):
        parse_entry_id(text)


def test_an_id_names_one_entry() -> None:
    store = snapshot("project", feedback__style=LIST, one=SINGLE)
    assert named("one.md", store) == ("project", "one.md", b"Be short.\n")
    assert named("project:one.md", store) == ("project", "one.md", b"Be short.\n")
    assert named("feedback/style.md:2", store) == ("project", "feedback/style.md:2", b"- three\n")


def test_an_id_that_names_nothing() -> None:
    store = snapshot("project", feedback__style=LIST, one=SINGLE)
    with pytest.raises(UnknownIdError, match=r"There is no memory `two\.md`\."):
        resolve_entry("two.md", [store])
    with pytest.raises(UnknownIdError, match=r"There is no memory `user:one\.md`\."):
        resolve_entry("user:one.md", [store])
    with pytest.raises(
        UnknownIdError, match=r"There is no entry `one\.md:0`; there is `project:one\.md`\."
    ):
        resolve_entry("one.md:0", [store])
    with pytest.raises(
        UnknownIdError,
        match=r"`feedback/style\.md:3`; there is `project:feedback/style\.md:0`, "
        r"`project:feedback/style\.md:1`, `project:feedback/style\.md:2`\.",
    ):
        resolve_entry("feedback/style.md:3", [store])


def test_a_whole_file_of_several_entries_is_refused() -> None:
    store = snapshot("project", feedback__style=LIST)
    with pytest.raises(AmbiguousIdError) as refused:
        resolve_entry("feedback/style.md", [store])
    assert str(refused.value) == (
        "`feedback/style.md` could mean `project:feedback/style.md:0`, "
        "`project:feedback/style.md:1`, `project:feedback/style.md:2`."
    )
    assert resolve_document("feedback/style.md", [store]) == (store, store.documents[0])
    assert resolve_document("feedback/style.md:1", [store]) == (store, store.documents[0])


def test_an_id_that_fits_several_scopes_is_refused() -> None:
    stores = [snapshot("project", a=SINGLE), snapshot("user", a=SINGLE), snapshot("team", a=LIST)]
    with pytest.raises(AmbiguousIdError) as refused:
        resolve_entry("a.md", stores)
    assert str(refused.value) == (
        "`a.md` could mean `project:a.md`, `user:a.md`, `team:a.md:0`, `team:a.md:1`, "
        "`team:a.md:2`."
    )
    with pytest.raises(AmbiguousIdError) as refused:
        resolve_document("a.md", stores)
    assert str(refused.value) == ("`a.md` could mean `project:a.md`, `user:a.md`, `team:a.md`.")
    assert named("user:a.md", *stores) == ("user", "a.md", b"Be short.\n")
    assert named("a.md:1", *stores) == ("team", "a.md:1", b"- two\n")
    assert resolve_document("team:a.md", stores)[0] is stores[2]


def test_a_digest_is_checked() -> None:
    store = snapshot("project", style=LIST)
    second = entries_of(store.documents[0])[1]
    whole = str(EntryId.of(second))
    assert whole == f"project:style.md:1@{second.digest}"
    assert named(whole, store) == ("project", "style.md:1", b"- two\n")
    moved = snapshot("project", style=LIST.replace(b"- one\n", b""))
    shrunk = snapshot("project", style=SINGLE)
    for later in (moved, shrunk):
        with pytest.raises(RefusedError) as refused:
            resolve_entry(whole, [later])
        assert str(refused.value) == (
            f"`{whole}` has moved or changed: no entry of that place has the digest "
            f"`{second.digest}` now."
        )
        with pytest.raises(RefusedError):
            resolve_document(whole, [later])
    only = entries_of(shrunk.documents[0])[0]
    assert named(f"style.md@{only.digest}", shrunk)[1] == "style.md"
    with pytest.raises(RefusedError):
        resolve_entry(f"style.md@{only.digest}", [store])


def test_a_digest_tells_scopes_apart() -> None:
    stores = [snapshot("project", a=SINGLE), snapshot("user", a=SINGLE + b"More.\n")]
    digests = [entries_of(store.documents[0])[0].digest for store in stores]
    assert named(f"a.md@{digests[1]}", *stores)[0] == "user"
    same = [snapshot("project", a=SINGLE), snapshot("user", a=SINGLE)]
    with pytest.raises(AmbiguousIdError):
        resolve_entry(f"a.md@{digests[0]}", same)


def test_a_file_named_like_a_scope() -> None:
    store = from_files("project", {"user:a.md": SINGLE})
    assert named("user:a.md", store) == ("project", "user:a.md", b"Be short.\n")
    assert named("project:user:a.md", store)[1] == "user:a.md"
    both = [store, snapshot("user", a=SINGLE)]
    with pytest.raises(AmbiguousIdError) as refused:
        resolve_entry("user:a.md", both)
    assert str(refused.value) == "`user:a.md` could mean `project:user:a.md`, `user:a.md`."


def test_unicode_composition_is_forgiven_where_it_is_clear() -> None:
    decomposed = from_files("project", {"cafe\u0301.md": SINGLE})
    assert named("caf\u00e9.md", decomposed)[1] == "cafe\u0301.md"
    both = from_files("project", {"cafe\u0301.md": SINGLE, "caf\u00e9.md": SINGLE + b"x"})
    assert named("caf\u00e9.md", both) == ("project", "caf\u00e9.md", b"Be short.\nx")
    with pytest.raises(UnknownIdError):
        resolve_entry("cafe.md", [both])


PATHS = st.lists(
    st.text(st.sampled_from("ab:@/0. é"), min_size=1, max_size=6), min_size=1, max_size=6
).map(lambda stems: sorted({f"{stem}.md" for stem in stems}))
BODIES = st.lists(
    st.sampled_from(["- a\n", "- b\n", "text\n", "\n", "Why: x\n", "# H\n", "  - c\n", "```\n"]),
    max_size=12,
).map(lambda lines: "".join(lines).encode())


@given(paths=PATHS, bodies=st.data())
def test_ids_are_unique_and_find_their_entry(paths: list[str], bodies: st.DataObject) -> None:
    snapshots = [
        from_files(scope, {path: bodies.draw(BODIES) for path in paths}) for scope in SCOPES
    ]
    for store in snapshots:
        ids = [entry.id for document in store.documents for entry in entries_of(document)]
        assert len(ids) == len(set(ids))
        for document in store.documents:
            for entry in entries_of(document):
                text = str(EntryId.of(entry))
                assert parse_entry_id(text) == EntryId.of(entry)
                assert resolve_entry(text, snapshots) == (store, document, entry)


@given(before=BODIES, other=BODIES, changed=BODIES)
def test_ids_do_not_depend_on_other_files(before: bytes, other: bytes, changed: bytes) -> None:
    first = from_files("project", {"a.md": before, "b.md": other})
    second = from_files("project", {"b.md": changed, "c.md": other, "a.md": before})
    assert entries_of(first.documents[0]) == entries_of(second.documents[2])
