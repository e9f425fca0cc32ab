"""What the rules of a dream make of a store, byte for byte (spec section 9)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memtui.engine.format.document import parse_document
from memtui.engine.plans.dream import plan_dream
from memtui.engine.text import proposal_digest
from memtui.engine.types import Proposal, TopicDocument
from tests.engine.dream_building import NOW_NS, after, body_of, plan_of, topic, with_index
from tests.engine.index_building import snapshot


def bodies(*documents: TopicDocument) -> dict[str, str]:
    """By path the bodies that a dream leaves."""
    store = with_index(documents)
    tidied = after(store, plan_dream(store, now_ns=NOW_NS))
    return {document.path: body_of(document) for document in tidied.documents}


LIST = """\
- Use tabs
  - **Why:** old editors.
- Be terse
  - Why: x
- use TABS
  more text here
  - **Why:** OLD editors.
  - **How to apply:** in Go
- Use  Tabs
  - **Why:** diffs.
"""
TIDY_LIST = """\
- Be terse
  - Why: x
- Use tabs
  more text here
  - **Why:** old editors.
    diffs.
  - **How to apply:** in Go
"""


def test_entries_of_one_summary_become_one_and_the_list_is_sorted() -> None:
    store = with_index([topic("a.md", LIST)])
    plan = plan_dream(store, now_ns=NOW_NS)
    assert [(each.kind, each.gone_id, each.kept_id, each.reason) for each in plan.merges] == [
        ("in-file", "a.md:2", "a.md:0", "same summary, its way to apply kept, its text kept"),
        ("in-file", "a.md:3", "a.md:0", "same summary, both reasons kept"),
    ]
    (order,) = plan.sorts
    assert (order.path, order.entries, order.type) == ("a.md", 2, "feedback")
    assert order.reason == "by summary, no numbered steps"
    assert (plan.deduped_entries, plan.touched_topics) == (2, ("feedback",))
    assert plan.change_set.operation == "dream"
    assert plan.change_set.details == {"deduped_entries": 2}
    (change,) = plan.change_set.changes
    assert change.mtime_ns is None
    assert change.reason == (
        "same summary, its way to apply kept, its text kept; "
        "same summary, both reasons kept; by summary, no numbered steps"
    )
    assert body_of(after(store, plan).documents[0]) == TIDY_LIST
    assert plan.change_set.proposals == (
        Proposal(plan.merges[0].digest, ("a.md",)),
        Proposal(plan.merges[1].digest, ("a.md",)),
        Proposal(order.digest, ("a.md",)),
    )


def test_line_ends_and_a_missing_final_newline_stay() -> None:
    windows = LIST.replace("\n", "\r\n").removesuffix("\r\n")
    raw = topic("a.md", "").raw.replace(b"\n", b"\r\n") + windows.encode()
    store = with_index([parse_document(b"\xef\xbb\xbf" + raw, path="a.md")])
    (document,) = after(store, plan_dream(store, now_ns=NOW_NS)).documents
    assert document.raw.startswith(b"\xef\xbb\xbf---\r\n")
    assert body_of(document) == TIDY_LIST.replace("\n", "\r\n")


def test_the_last_entry_keeps_its_missing_newline_where_it_stays() -> None:
    assert bodies(topic("a.md", "- a\n- A\n- b")) == {"a.md": "- a\n- b"}
    assert bodies(topic("a.md", "- b\n\n- a\n- B")) == {"a.md": "- b\n\n- a\n"}


BLOCKS = """\
Fail loudly.

**Why:** It was empty.

## Second

Log once.
**Why:** Twice is noise.

Fail loudly.

**Why:** Queues heal.

**How to apply:** everywhere
"""


def test_blocks_are_merged_too_but_not_sorted() -> None:
    assert bodies(topic("a.md", BLOCKS)) == {
        "a.md": """\
Fail loudly.

**Why:** It was empty.
Queues heal.

**How to apply:** everywhere

## Second

Log once.
**Why:** Twice is noise.
"""
    }


@pytest.mark.parametrize(
    ("kept", "gone", "left"),
    [
        ("**Why:** a.\n", "Why: b.\n", "**Why:** a.\nb.\n"),
        ("**Why:** a.\n", "Why: A.\n", "**Why:** a.\n"),
        ("**Why:** a.\nb.\n", "Why: a. b.\n", "**Why:** a.\nb.\n"),
        ("**Why:** a.\nb.\n", "Why: b.\n", "**Why:** a.\nb.\n"),
        ("**Why:** a.\n", "Why: a.\nb.\n", "**Why:** a.\nb.\n"),
        ("**Why:** a.\n", "Why:\n- b\n- c\n", "**Why:** a.\n\n- b\n- c\n"),
        ("**Why:**\n\n- a\n", "Why: b\n", "**Why:**\n\n- a\n\nb\n"),
        ("**How to apply**: a.\n", "Why: b.\n", "**Why**: b.\n\n**How to apply**: a.\n"),
        ("Why: a.\n", "**How to apply:** b.\n", "Why: a.\n\nHow to apply: b.\n"),
        ("- **Why:** a.\n", "Why: b.\n", "- **Why:** a.\n  b.\n"),
        ("## Why:\n\na.\n", "Why: b.\n", "## Why:\n\na.\nb.\n"),
        ("## Why:\n\na.\n", "How_to_apply: b\n", "## Why:\n\na.\n\n## How to apply:\n\nb\n"),
        ("", "**Why:** b.\n", "**Why:** b.\n"),
        ("", "## Why:\n\nb.\n", "## Why:\n\nb.\n"),
    ],
)
def test_fields_are_written_as_the_kept_entry_writes_them(kept: str, gone: str, left: str) -> None:
    first = topic("a.md", "Use tabs.\n" + (kept and "\n" + kept))
    second = topic("b.md", "Use tabs.\n\n" + gone)
    assert bodies(first, second) == {"a.md": "Use tabs.\n\n" + left}


def test_a_field_of_another_file_is_indented_in_a_list() -> None:
    first = topic("a.md", "- Be terse\n* Use tabs\n")
    second = topic("b.md", "Use tabs\n\n**Why:** diffs.\nReally.\n\n```sh\nrun\n```\n")
    assert bodies(first, second) == {
        "a.md": "- Be terse\n* Use tabs\n  **Why:** diffs.\n  Really.\n\n  ```sh\n  run\n  ```\n"
    }


def test_what_a_file_that_goes_says_of_itself_is_kept_in_a_line() -> None:
    first = topic("a.md", "Use tabs.\n\n**Why:** diffs.\n", name="Tabs", description="Use tabs.")
    second = topic("b.md", "Use tabs\n", name="Indent", description="tabs")
    third = topic("c.md", "# Old notes\n\nUse tabs.\n", name="TABS", description="How we indent")
    store = with_index([first, second, third])
    plan = plan_dream(store, now_ns=NOW_NS)
    (merge,) = plan.merges
    assert (merge.gone_id, merge.kept_id) == ("c.md", "a.md")
    assert (merge.kind, merge.path, merge.into_path) == ("across", "c.md", "a.md")
    assert merge.reason == "left empty, goes; its name stays as “Also: …”"
    tidied = after(store, plan)
    assert {document.path: body_of(document) for document in tidied.documents} == {
        "a.md": "Use tabs.\n\nAlso: Old notes — How we indent\n\n**Why:** diffs.\n",
        "b.md": "Use tabs\n",
    }
    assert [(each.path, each.after is None) for each in plan.change_set.changes] == [
        ("a.md", False),
        ("c.md", True),
        ("MEMORY.md", False),
    ]
    assert (
        tidied.index == b"- [Tabs](a.md) \xe2\x80\x94 Use tabs.\n- [Indent](b.md) \xe2\x80\x94 tabs"
    )


def test_a_name_that_the_description_says_is_not_said_twice() -> None:
    files = (
        topic("a.md", "Use tabs.\n"),
        topic("b.md", "Use tabs.\n", name="C# style", description="see #12 # old"),
        topic("c.md", "Use tabs.\n", name="*args", description="- *args are forbidden."),
    )
    assert bodies(*files) == {
        "a.md": "Use tabs.\n\nAlso: C# style — see #12 # old\nAlso: - *args are forbidden.\n"
    }


def test_files_whose_descriptions_contradict_are_not_merged() -> None:
    first = topic("a.md", "Commits.\n", description="Always squash commits")
    second = topic("b.md", "Commits.\n", description="Never squash commits")
    assert [each.reason for each in plan_of(first, second).unmerged] == [
        "their descriptions contradict each other"
    ]


def test_an_entry_that_leaves_siblings_takes_no_name_with_it() -> None:
    first = topic("a.md", "Use tabs\n", name="One")
    second = topic("b.md", "# Two\n\n- Use tabs\n- Be terse\n", name="Two")
    assert bodies(first, second) == {"a.md": "Use tabs\n", "b.md": "# Two\n\n- Be terse\n"}


def test_keys_of_a_file_that_goes_are_kept_or_it_stays() -> None:
    kept = topic("a.md", "Use tabs\n", keys="priority: high\n", newline="\r\n")
    same = topic("b.md", "Use tabs\n", keys="priority: HIGH\nowner: 'me: #1'\n")
    other = topic("c.md", "Use tabs\n", keys="priority: low\n")
    comment = topic("d.md", "Use tabs\n", keys="# a comment\n")
    store = with_index([kept, same, other, comment])
    plan = plan_dream(store, now_ns=NOW_NS)
    assert [each.gone_id for each in plan.merges] == ["b.md"]
    assert [(each.other_id, each.reason) for each in plan.unmerged] == [
        ("c.md", "their `priority` differs"),
        ("d.md", "frontmatter “# a comment” would be lost"),
    ]
    document = after(store, plan).documents[0]
    assert document.raw == kept.raw.replace(
        b"priority: high\r\n", b"priority: high\r\nowner: 'me: #1'\r\n"
    )


def test_files_with_other_text_are_only_suggested() -> None:
    first = topic("a.md", "Use tabs.\n\nSince 1990.\n")
    second = topic("b.md", "Use tabs.\n\nIn Go only.\n")
    third = topic("c.md", "Use tabs.\n\nsince 1990.\n")
    fourth = topic("d.md", "Use tabs.\n")
    plan = plan_of(first, second, third, fourth)
    assert [(each.gone_id, each.kept_id) for each in plan.merges] == [
        ("c.md", "a.md"),
        ("d.md", "a.md"),
    ]
    assert [tuple(each) for each in plan.unmerged] == [
        ("a.md", "b.md", "their further text differs")
    ]


def test_long_notes_that_begin_alike_are_not_merged() -> None:
    notes = [
        topic(
            f"note-{number:03}.md",
            f"Notes of the week\n\nOn day {number} " + "all went well. " * 40,
        )
        for number in range(200)
    ]
    plan = plan_of(*notes)
    assert (plan.merges, plan.change_set.changes) == ((), ())
    assert len(plan.unmerged) == 199


def test_a_sentence_is_not_torn_apart() -> None:
    plan = plan_of(topic("a.md", "- Use tabs where\n  it is Go.\n- Use tabs where\n  it is C.\n"))
    assert plan.merges == ()
    assert [each.reason for each in plan.unmerged] == [
        "their first sentences go on in different ways"
    ]


def test_opposite_ways_to_apply_are_not_merged() -> None:
    first = topic("a.md", "Commits.\n\n**How to apply:** Always squash commits.\n")
    second = topic("b.md", "Commits.\n\n**How to apply:** Never squash commits.\n")
    plan = plan_of(first, second)
    assert (plan.merges, plan.unmerged[0].reason) == ((), "what they ask for contradicts")


def test_other_types_and_unknown_ones_are_not_merged() -> None:
    files = [
        topic(f"{number}.md", "Use tabs\n", kind=kind)
        for number, kind in enumerate(("feedback", "project", "odd", "odd"))
    ]
    assert plan_of(*files, parse_document(b"Use tabs\n", path="z.md")).is_empty


def test_what_must_not_be_touched() -> None:
    files = (
        topic("a.md", "Use tabs\n"),
        topic("pinned/b.md", "Use tabs\n"),
        topic("c.md", "Use tabs\n", link="a.md"),
        parse_document(
            topic("d.md", "Use tabs\n\né\n").raw.decode().encode("latin-1"), path="d.md"
        ),
    )
    plan = plan_of(*files)
    assert plan.is_empty
    assert plan.pinned == 1
    assert plan.refused == (
        "c.md is a symbolic link and stays as it is.",
        "d.md is not UTF-8 and stays as it is; convert it first.",
    )
    linked = plan_of(
        topic("a.md", "Use tabs\n"), topic("b.md", "Use tabs\n"), topic("c.md", "x\n", link="b.md")
    )
    assert [each.reason for each in linked.unmerged] == [
        "a symbolic link leads to the file that would go"
    ]


def test_what_the_agent_sees_does_not_go_into_what_it_skips() -> None:
    files = (topic("a.md", "Use tabs\n"), topic("b.md", "Use tabs\n"), topic("c.md", "Use tabs\n"))
    assert [(each.kept_id, each.gone_id) for each in plan_of(*files, unseen=["a.md"]).merges] == [
        ("b.md", "c.md")
    ]
    assert [(each.kept_id, each.gone_id) for each in plan_of(*files, unseen=["b.md"]).merges] == [
        ("a.md", "b.md"),
        ("a.md", "c.md"),
    ]


def test_relative_links_do_not_move_to_another_folder() -> None:
    text = "Use tabs, see [it](x.md)\n"
    assert plan_of(topic("a.md", text), topic("f/b.md", text)).merges == ()
    assert len(plan_of(topic("f/a.md", text), topic("f/b.md", text)).merges) == 1


def test_links_to_a_file_that_goes_are_told() -> None:
    plan = plan_of(
        topic("a.md", "Use tabs\n"),
        topic("b.md", "Use tabs\n"),
        topic("c.md", "See [[b]] and [a](a.md).\n"),
        index="- [x](b.md)\n",
    )
    assert [(each.path, each.line, each.text) for each in plan.broken_links] == [
        ("c.md", 7, "[[b]]")
    ]


def test_lines_of_a_hand_kept_index_go_with_their_files() -> None:
    index = "# Mine\n\n- [Tabs](a.md) own words\n- [More](b.md) own words\n\nText.\n"
    store = snapshot(topic("a.md", "Use tabs\n"), topic("b.md", "Use tabs\n"), index=index)
    tidied = after(store, plan_dream(store, now_ns=NOW_NS))
    assert tidied.index == b"# Mine\n\n- [Tabs](a.md) own words\n\nText.\n"


def test_pieces_that_were_undone_are_not_proposed_again() -> None:
    files = (topic("a.md", LIST), topic("b.md", "use tabs\n\n**Why:** more.\n"))
    plan = plan_of(*files)
    assert (len(plan.merges), len(plan.sorts), plan.held_back) == (3, 1, 0)
    first = plan.merges[0].digest
    assert first == proposal_digest(
        "feedback",
        "- Use tabs\n  - **Why:** old editors.\n",
        "- use TABS\n  more text here\n  - **Why:** OLD editors.\n  - **How to apply:** in Go\n",
    )
    again = plan_of(*files, rejected=[first])
    assert first not in {each.digest for each in again.merges}
    assert again.held_back == 1
    nothing = plan_of(*files, rejected=[each.digest for each in plan.change_set.proposals])
    assert set(nothing.merges) & set(plan.merges) == set()
    assert nothing.sorts == ()


def test_nothing_touches_a_file_that_a_user_left_out() -> None:
    files = (topic("a.md", LIST), topic("b.md", "Be terse\n"), topic("c.md", "be terse\n"))
    plan = plan_of(*files, without=["a.md"])
    assert [(each.kept_id, each.gone_id) for each in plan.merges] == [("b.md", "c.md")]
    assert plan.sorts == ()
    assert plan.held_back == 0


def test_the_planning_can_be_stopped() -> None:
    class StopError(Exception):
        pass

    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise StopError

    with pytest.raises(StopError):
        plan_of(topic("a.md", LIST), topic("b.md", LIST), check=check)
    assert calls == 3


def test_a_store_that_cannot_be_read_has_no_dream() -> None:
    store = snapshot(topic("a.md", LIST))
    plan = plan_dream(replace(store, state="unreadable"), now_ns=NOW_NS)
    assert (plan.is_empty, plan.change_set.is_empty) == (True, True)
