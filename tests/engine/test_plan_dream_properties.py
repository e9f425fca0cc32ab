"""What holds for the dream of any store (spec section 9)."""

from __future__ import annotations

import re
from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.entries import entries_of
from memtui.engine.format.index_report import report_index
from memtui.engine.plans.dream import plan_dream
from memtui.engine.plans.dream_check import lost
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.text import fold
from memtui.engine.types import Snapshot, TopicDocument
from tests.engine.dream_building import NOW_NS, after, stores

_WORD = re.compile(r"\w+")


def dream(
    store: Snapshot, *, rejected: Collection[str] = (), without: Collection[str] = ()
) -> DreamPlan:
    return plan_dream(store, now_ns=NOW_NS, rejected=rejected, without=without)


def all_text(store: Snapshot) -> str:
    return fold("\n".join(document.source.decode() for document in store.documents))


@given(stores())
def test_nothing_is_lost(store: Snapshot) -> None:
    plan = dream(store)
    tidied = after(store, plan)
    assert lost(store.documents, tidied.documents) == ()
    text = all_text(tidied)
    for document in store.documents:
        for line in document.body_text.splitlines():
            bare = re.sub(r"^[\s>#*+|-]*(?:[*_]*(?i:why|how[ _]to[ _]apply)[*: ：]+)?", "", line)
            assert fold(bare).removeprefix("also: ") in text
        assert document.description == "" or fold(document.description) in text
        for field in document.fields:
            assert fold(field.value) in text


@given(stores())
def test_a_second_dream_has_nothing_to_do(store: Snapshot) -> None:
    tidied = after(store, dream(store))
    again = dream(tidied)
    assert (again.merges, again.sorts, again.change_set.changes) == ((), (), ())


@given(stores())
def test_what_is_not_concerned_keeps_its_bytes(store: Snapshot) -> None:
    plan = dream(store)
    tidied = {document.path: document for document in after(store, plan).documents}
    concerned = {each for merge in plan.merges for each in (merge.kept_id, merge.gone_id)}
    sorted_paths = {each.path for each in plan.sorts}
    for document in store.documents:
        new = tidied.get(document.path)
        if new is None:
            continue
        others = [entry for entry in entries_of(document) if entry.id not in concerned]
        place = 0
        for entry in others:
            content = entry.span.of(document.source).strip()
            found = new.source.find(content, 0 if document.path in sorted_paths else place)
            assert found >= 0
            place = found
        if len(others) == len(entries_of(document)) and document.path not in sorted_paths:
            assert new.raw == document.raw
        assert new.lead.of(new.source) == document.lead.of(document.source)
        head = document.source[document.frontmatter.start : document.frontmatter.end]
        assert new.frontmatter.of(new.source).startswith(head.rstrip(b"\r\n").removesuffix(b"---"))
        if b"\r\n" in document.source and not re.search(rb"(?<!\r)\n", document.source):
            assert not re.search(rb"(?<!\r)\n", new.source)
        if b"\r" not in document.source:
            assert b"\r" not in new.source


@given(stores())
def test_what_is_pinned_or_linked_stays(store: Snapshot) -> None:
    plan = dream(store)
    left = {each.path for each in store.documents if each.is_pinned or each.link is not None}
    assert not left.intersection(change.path for change in plan.change_set.changes)
    assert plan.pinned == sum(each.is_pinned for each in store.documents)


@given(stores())
def test_the_index_stays_in_step(store: Snapshot) -> None:
    report = report_index(after(store, dream(store)))
    assert report.files_without_line == ()
    assert report.lines_without_file == ()


@given(stores())
def test_each_entry_of_one_summary_goes_once_and_is_counted(store: Snapshot) -> None:
    plan = dream(store)
    gone = [merge.gone_id for merge in plan.merges]
    assert len(gone) == len(set(gone)) == plan.deduped_entries
    assert plan.change_set.details == {"deduped_entries": len(gone)}
    before = sum(len(entries_of(document)) for document in store.documents)
    assert sum(len(entries_of(each)) for each in after(store, plan).documents) == before - len(gone)
    types = {document.path: document.type for document in store.documents}
    for merge in plan.merges:
        assert merge.kind == ("in-file" if merge.path == merge.into_path else "across")
        assert types[merge.path] == types[merge.into_path] == merge.type
        assert merge.into_path <= merge.path


@given(stores())
def test_what_was_undone_is_not_proposed_again(store: Snapshot) -> None:
    plan = dream(store)
    digests = [proposal.digest for proposal in plan.change_set.proposals]
    again = dream(store, rejected=digests)
    assert not set(digests).intersection(each.digest for each in again.change_set.proposals)
    assert (again.held_back > 0) is (digests != [])


@given(stores(), st.data())
def test_what_a_user_rejects_is_not_touched(store: Snapshot, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([document.path for document in store.documents]))
    plan = dream(store, without=[path])
    assert path not in {change.path for change in plan.change_set.changes}
    tidied = after(store, plan)
    assert lost(store.documents, tidied.documents) == ()


@given(stores())
def test_only_lists_without_an_order_are_sorted(store: Snapshot) -> None:
    plan = dream(store)
    tidied: dict[str, TopicDocument] = {
        document.path: document for document in after(store, plan).documents
    }
    for each in plan.sorts:
        document = tidied[each.path]
        summaries = [fold(entry.summary) for entry in entries_of(document)]
        assert summaries == sorted(summaries)
        assert len(summaries) == each.entries > 1
        has_field = any(entry.why or entry.how_to_apply for entry in entries_of(document))
        assert has_field or each.path.endswith("feedback.md")
