"""What goes with forgotten entries, and what stays byte for byte (spec sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.errors import RefusedError
from memtui.engine.format.document import parse_document
from memtui.engine.format.entries import entries_of
from memtui.engine.plans.forget import ForgetPlan, plan_forget
from memtui.engine.types import Agent, Scope, Snapshot, Store, TopicDocument
from tests.engine.index_building import snapshot, topic

NOW_NS = 9 * 10**18
HEAD = "---\nname: Style\ndescription: keep it short\ntype: feedback\n---\n\n"


def forget(store: Snapshot, *ids: str, is_bulk: bool = False) -> ForgetPlan:
    entries = [entry for doc in store.documents for entry in entries_of(doc) if entry.id in ids]
    assert len(entries) == len(ids)
    return plan_forget([store], entries, now_ns=NOW_NS, is_bulk=is_bulk)


def body_after(body: str, *indexes: int) -> str:
    """What is left of a file's body without those entries."""
    store = snapshot(parse_document((HEAD + body).encode(), path="a.md"))
    plan = forget(store, *(f"a.md:{index}" for index in indexes))
    (removal,) = plan.removals
    after = removal.change.after
    assert after is not None
    assert after.startswith(HEAD.encode())
    return after.decode().removeprefix(HEAD)


BULLETS = """\
# Rules

- One.
  - nested
- Two:
  ```sh
  - not an entry
  ```

- Three.
"""


@pytest.mark.parametrize(
    ("indexes", "left"),
    [
        ((0,), "# Rules\n\n- Two:\n  ```sh\n  - not an entry\n  ```\n\n- Three.\n"),
        ((1,), "# Rules\n\n- One.\n  - nested\n- Three.\n"),
        ((2,), "# Rules\n\n- One.\n  - nested\n- Two:\n  ```sh\n  - not an entry\n  ```\n"),
        ((0, 2), "# Rules\n\n- Two:\n  ```sh\n  - not an entry\n  ```\n"),
        ((1, 2), "# Rules\n\n- One.\n  - nested\n"),
        ((0, 1), "# Rules\n\n- Three.\n"),
    ],
)
def test_a_bullet_goes_with_what_it_owns(indexes: tuple[int, ...], left: str) -> None:
    assert body_after(BULLETS, *indexes) == left


def test_line_ends_stay_as_they_are() -> None:
    windows = BULLETS.replace("\n", "\r\n")
    assert body_after(windows, 2) == windows[: windows.index("\r\n- Three.")]
    assert body_after("- a\n- b", 0) == "- b"
    assert body_after("- a\n- b", 1) == "- a\n"
    assert body_after("- a\n\n \t\n- b\n\n\n", 1) == "- a\n"
    assert body_after("- a\n\n- b\n\n- c", 1, 2) == "- a\n"


BLOCKS = """\
Intro of the file.

## First

Fail loudly.

**Why:** It was empty for days.

## Second

Log once.
**Why:** Twice is noise.

Retry later.

**Why:** Queues heal.
"""


def test_a_block_goes_with_the_heading_above_it() -> None:
    first, second = BLOCKS.index("## First"), BLOCKS.index("## Second")
    third = BLOCKS.index("Retry")
    assert body_after(BLOCKS, 0) == BLOCKS[:first] + BLOCKS[second:]
    assert body_after(BLOCKS, 1) == BLOCKS[:second] + BLOCKS[third:]
    assert body_after(BLOCKS, 2) == BLOCKS[: third - 1]


def test_lines_of_what_goes() -> None:
    store = snapshot(parse_document((HEAD + BULLETS).encode(), path="a.md"))
    (removal,) = forget(store, "a.md:0", "a.md:2").removals
    places = [(one.entry.id, one.first_line, one.last_line) for one in removal.entries]
    assert places == [("a.md:0", 9, 10), ("a.md:2", 15, 16)]
    assert (removal.entries_before, removal.lines, removal.is_whole_file) == (3, 4, False)
    assert removal.bytes == len("- One.\n  - nested\n") + len("\n- Three.\n")
    assert removal.change.reason == "2 of 3 entries go"
    assert removal.change.mtime_ns is None


INDEX = """\
## Style
- [Style](style.md) — use tabs, see also [Lint](lint.md)
- [Lint](lint.md) — own words

## Old
- [SQL](style_sql.md) — tabs in SQL, not as in [Style](style.md)
"""


def test_a_file_goes_with_its_own_index_line_only() -> None:
    store = snapshot(
        topic("style.md"),
        topic("lint.md", body="See [[style]] and [it](style.md).\n\n`[[style]]` is code.\n"),
        topic("style_sql.md", body="See [[style_sql]].\n"),
        index=INDEX,
    )
    plan = forget(store, "style.md")
    (change_set,) = plan.change_sets
    assert [(c.path, c.kind) for c in change_set.changes] == [
        ("style.md", "removed"),
        ("MEMORY.md", "changed"),
    ]
    assert change_set.operation == "forget"
    assert change_set.changes[1].after == INDEX.replace(INDEX.splitlines()[1] + "\n", "").encode()
    (edit,) = plan.index_edits["project"]
    assert [(line.number, line.path) for line in edit.removed] == [(2, "style.md")]
    assert [(link.path, link.line, link.text) for link in plan.broken_links] == [
        ("lint.md", 7, "[[style]]"),
        ("lint.md", 7, "](style.md)"),
        ("MEMORY.md", 6, "](style.md)"),
    ]
    assert {link.leads_to for link in plan.broken_links} == {"style.md"}
    assert (plan.entries, plan.files_removed, plan.files_edited, plan.index_lines) == (1, 1, 0, 1)
    assert (plan.refusals, plan.notes) == ((), ())


def test_an_emptied_heading_stays_and_doubled_lines_go_too() -> None:
    index = "## Style\n- [a](a.md)\n\n## Rest\n- [b](b.md)\n- [again](./a.md)\n* [A](A.md)\n"
    plan = forget(snapshot("a.md", "b.md", index=index), "a.md")
    assert plan.change_sets[0].changes[-1].after == b"## Style\n\n## Rest\n- [b](b.md)\n"
    assert plan.index_lines == 3


def test_a_managed_index_is_rebuilt() -> None:
    store = snapshot(
        topic("a.md", "A"), topic("b.md", "B"), index="- [A](a.md) — keep it short\n- [B](b.md)"
    )
    plan = forget(store, "a.md")
    assert plan.change_sets[0].changes[-1].after == b"- [B](b.md)"
    assert plan.change_sets[0].changes[-1].reason == "index rebuilt, 1 of 200 lines"
    assert [line.number for line in plan.index_edits["project"][0].removed] == [1]


def test_an_edited_file_keeps_its_line_in_a_hand_kept_index() -> None:
    index = "# Index\n- [Style](a.md) — my own words\n"
    store = snapshot(parse_document((HEAD + BULLETS).encode(), path="a.md"), index=index)
    plan = forget(store, "a.md:1")
    assert [change.path for change in plan.change_sets[0].changes] == ["a.md"]
    assert (plan.files_removed, plan.files_edited, plan.index_lines) == (0, 1, 0)


def test_an_edited_file_is_the_newest_of_a_managed_index() -> None:
    new = replace(topic("new.md", "New"), mtime_ns=5)
    old = parse_document((HEAD + BULLETS).encode(), path="a.md", mtime_ns=1)
    line = "- [Style](a.md) — keep it short"
    store = snapshot(new, old, index=f"- [New](new.md)\n{line}")
    after = forget(store, "a.md:0").change_sets[0].changes[-1].after
    assert after == f"{line}\n- [New](new.md)".encode()


def test_all_entries_of_a_file_take_the_file() -> None:
    store = snapshot(parse_document((HEAD + BULLETS).encode(), path="a.md"), index="# I\n[x](a.md)")
    plan = forget(store, "a.md:0", "a.md:1", "a.md:2")
    (removal,) = plan.removals
    assert (removal.is_whole_file, removal.lines) == (True, 16)
    assert removal.change.reason == "all 3 entries go"
    assert plan.change_sets[0].changes[-1].after == b"# I\n"


def test_an_index_that_cannot_be_read_is_left() -> None:
    latin = "# Übersicht\n- [a](a.md)\n".encode("latin-1")
    plan = forget(snapshot("a.md", index=latin), "a.md")
    assert [change.path for change in plan.change_sets[0].changes] == ["a.md"]
    assert plan.notes == ("MEMORY.md is not UTF-8, so it is left as it is; convert it first.",)
    assert [(link.path, link.line) for link in plan.broken_links] == [("MEMORY.md", 2)]


def test_indexes_in_subfolders_lose_their_lines() -> None:
    store = snapshot(
        topic("sub/a.md"),
        topic("b.md"),
        index="# Index\n- [sub](sub/MEMORY.md)\n- [b](b.md)\n",
        nested={"sub/MEMORY.md": "# Sub\n- [a](a.md)\n\nSee [a](a.md), [b](../b.md).\n"},
    )
    plan = forget(store, "sub/a.md")
    changes = {change.path: change.after for change in plan.change_sets[0].changes}
    assert changes == {
        "sub/a.md": None,
        "sub/MEMORY.md": b"# Sub\n\nSee [a](a.md), [b](../b.md).\n",
    }
    assert [(link.path, link.line) for link in plan.broken_links] == [("sub/MEMORY.md", 4)]
    assert plan.index_lines == 1


def test_a_link_that_finds_another_file_does_not_break() -> None:
    store = snapshot(
        topic("a/style.md"), topic("b/style.md"), topic("c.md", body="See [[style]].\n"), index=""
    )
    assert forget(store, "a/style.md").broken_links == ()
    assert len(forget(store, "a/style.md", "b/style.md").broken_links) == 1
    assert forget(store, "a/style.md", "b/style.md", "c.md").broken_links == ()


def test_a_link_in_an_entry_that_goes_is_not_told() -> None:
    body = "- See [[style]].\n- And [[style]].\n"
    store = snapshot(topic("style.md"), topic("c.md", body=body), index="")
    plan = forget(store, "style.md", "c.md:0")
    assert [(link.path, link.line) for link in plan.broken_links] == [("c.md", 8)]


def linked(path: str, target: str, body: str = "Body.\n") -> TopicDocument:
    return parse_document((HEAD + body).encode(), path=path, link=target)


def test_a_symlink_goes_itself() -> None:
    store = snapshot(topic("a.md"), linked("b.md", "a.md"), index="# I\n")
    plan = forget(store, "b.md")
    assert plan.change_sets[0].changes[0].link == "a.md"
    assert plan.change_sets[0].changes[0].after is None
    assert plan.notes == ("b.md is a symbolic link: the link goes, a.md stays.",)
    assert plan.removals[0].bytes == 0
    target = forget(store, "a.md")
    assert target.notes == ("The symbolic link b.md will lead nowhere: a.md goes.",)
    assert [change.path for change in target.change_sets[0].changes] == ["a.md"]


def test_a_file_is_not_edited_by_two_names_at_once() -> None:
    body = "- a\n- b\n- c\n"
    store = snapshot(
        parse_document((HEAD + body).encode(), path="a.md"), linked("s/b.md", "../a.md", body)
    )
    plan = forget(store, "a.md:0", "s/b.md:1")
    assert [(one.entry.id, one.reason) for one in plan.refusals] == [
        ("s/b.md:1", "s/b.md is a symbolic link to a file that is chosen too: choose there.")
    ]
    assert [removal.document.path for removal in plan.removals] == ["a.md"]


def test_a_file_that_is_not_utf8_goes_whole_only() -> None:
    raw = (HEAD + "- één\n- deux\n").encode("latin-1")
    store = snapshot(parse_document(raw, path="a.md"), "b.md")
    plan = forget(store, "a.md:0", "b.md")
    assert [one.reason for one in plan.refusals] == [
        "a.md is not UTF-8, so single entries of it cannot go: choose all 2, or convert it first."
    ]
    assert plan.files_removed == 1
    whole = forget(store, "a.md:0", "a.md:1")
    assert whole.change_sets[0].changes[0].before == raw
    assert whole.refusals == ()


def test_what_is_pinned_goes_only_by_itself() -> None:
    store = snapshot("pinned/a.md", "b.md", index="# I\n")
    assert forget(store, "pinned/a.md").notes == (
        "pinned/a.md is pinned; it goes because you chose it.",
    )
    bulk = forget(store, "pinned/a.md", "b.md", is_bulk=True)
    assert [one.entry.path for one in bulk.refusals] == ["pinned/a.md"]
    assert [change.path for change in bulk.change_sets[0].changes] == ["b.md"]


def scoped(scope: Scope, agent: Agent = "qwen") -> Snapshot:
    document = parse_document(HEAD.encode() + b"Body.\n", path="feedback/style.md", scope=scope)
    index = b"- [Style](feedback/style.md) \xe2\x80\x94 keep it short"
    return Snapshot(
        Store(scope, agent, Path("/m") / scope), "ok", (document,), (), {"MEMORY.md": index}
    )


def test_one_change_set_per_store_and_no_other_scope_is_touched() -> None:
    snapshots = [scoped("project"), scoped("user"), scoped("team")]
    chosen = [entries_of(snapshots[number].documents[0])[0] for number in (2, 1)]
    plan = plan_forget(snapshots, [*chosen, chosen[0]], now_ns=NOW_NS)
    assert [one.store.scope for one in plan.change_sets] == ["user", "team"]
    assert [change.after for one in plan.change_sets for change in one.changes] == [
        None,
        b"",
        None,
        b"",
    ]
    assert plan.entries == 2


def test_nothing_chosen_is_no_change() -> None:
    plan = plan_forget([scoped("project")], [], now_ns=NOW_NS)
    assert (plan.change_sets, plan.removals, plan.entries) == ((), (), 0)


def test_an_entry_that_moved_is_refused() -> None:
    store = snapshot(parse_document((HEAD + "- a\n- b\n").encode(), path="a.md"))
    old = entries_of(parse_document((HEAD + "- a\n- b\n- c\n").encode(), path="a.md"))
    with pytest.raises(RefusedError, match=r"`project:a\.md:2@.{4}` has moved or changed"):
        plan_forget([store], [old[2]], now_ns=NOW_NS)
    with pytest.raises(RefusedError, match="has moved or changed"):
        plan_forget([store], [replace(old[1], digest="0000")], now_ns=NOW_NS)
    with pytest.raises(RefusedError, match="has moved or changed"):
        plan_forget([snapshot("b.md")], [old[0]], now_ns=NOW_NS)


_LINES = st.lists(
    st.sampled_from(
        (
            "- a", "* b é", "- **Why:** x", "  nested", "  ```", "```", "", "", " ", "# H", "Prose",
            "**Why:** y", "How to apply: z", "| t |", "> q", "<div>", "---", "1. n",
        )
    ),
    max_size=14,
)  # fmt: skip


@given(_LINES, st.sampled_from(("\n", "\r\n")), st.booleans(), st.data())
def test_the_entries_that_stay_keep_their_bytes(
    lines: Sequence[str], newline: str, has_final: bool, data: st.DataObject
) -> None:
    raw = (HEAD + newline.join(lines) + (newline if has_final else "")).encode()
    document = parse_document(raw, path="a.md")
    entries = entries_of(document)
    chosen = data.draw(st.sets(st.sampled_from(range(len(entries))), min_size=1))
    store = snapshot(document, index="# I\n")
    plan = plan_forget([store], [entries[place] for place in chosen], now_ns=NOW_NS)
    (change,) = plan.change_sets[0].changes
    if len(chosen) == len(entries):
        assert change.after is None
        return
    stays = [entries[place].span.of(raw) for place in range(len(entries)) if place not in chosen]
    head = raw[: entries[0].span.start]
    whole = head + b"".join(stays)
    assert change.after is not None
    if len(entries) - 1 in chosen:
        assert whole.startswith(change.after)
        assert not whole[len(change.after) :].strip()
        assert change.after.rstrip(b" \r\n") == whole.rstrip(b" \r\n")
        assert change.after.endswith(b"\n")
        assert change.after.splitlines()[-1].strip()
    else:
        assert change.after == whole
