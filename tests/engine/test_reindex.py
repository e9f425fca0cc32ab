"""What becomes of an index when files come, go or change (spec section 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.index_report import report_index
from memtui.engine.plans.index_values import IndexEdit
from memtui.engine.plans.reindex import edit_index, edit_nested, plan_rebuild
from memtui.engine.types import Agent, FileProblem, Snapshot, TopicDocument
from tests.engine.index_building import scanned, snapshot, topic


def rebuilt(store: Snapshot, unseen: Iterable[str] = ()) -> tuple[str | None, IndexEdit]:
    """The new index, None where it stays; and that a second rebuild changes nothing."""
    plan = plan_rebuild(store, unseen=tuple(unseen))
    change = plan.edit.change
    if change is None:
        assert plan.change_set.is_empty
        return None, plan.edit
    assert plan.change_set.changes == (change,)
    assert plan.change_set.operation == "index"
    assert change.before == store.index
    assert change.after is not None
    again = replace(store, indexes={**store.indexes, "MEMORY.md": change.after})
    assert plan_rebuild(again, unseen=tuple(unseen)).edit.change is None
    return change.after.decode(), plan.edit


def text_of(edit: IndexEdit) -> str | None:
    return None if edit.change is None else (edit.change.after or b"").decode()


def of_type(path: str, kind: str) -> TopicDocument:
    raw = f"---\nname: {path}\ndescription: d\ntype: {kind}\n---\n\nBody.\n"
    return parse_document(raw.encode(), path=path)


# Managed.


def test_a_missing_index_is_made_in_scan_order() -> None:
    store = snapshot(topic("b (1).md", "B"), topic("a.md", "A", ""))
    assert rebuilt(store)[0] == "- [B](b%20%281%29.md) — keep it short\n- [A](a.md) — feedback"
    assert rebuilt(snapshot(), ())[0] is None


def test_a_line_that_says_what_its_file_says_keeps_its_bytes() -> None:
    store = snapshot(
        topic("名.md", "A", "one `two`"),
        topic("b.md", "B"),
        topic("c.md", "C"),
        *(topic(f"{n}.md", "N") for n in range(20)),
        index="- [B](./b.md)\n- [A](%E5%90%8D.md) — one 'two'\n- [C](c.md) — own\n- [gone](x.md)"
        + "".join(f"\n- [N]({n}.md)" for n in range(20)),
    )
    text, edit = rebuilt(store)
    assert text is not None
    assert text.split("\n")[:4] == [
        "- [A](%E5%90%8D.md) — one 'two'",
        "- [B](./b.md)",
        "- [C](c.md) — keep it short",
        "- [N](0.md)",
    ]
    assert edit.change is not None
    assert edit.change.reason == "index rebuilt, 23 of 200 lines"
    assert edit.kind == "managed"


def test_what_the_agent_does_not_see_is_not_listed() -> None:
    store = snapshot(topic("a.md", "A"), topic("b.md", "B"), index="- [A](a.md)\n- [B](b.md)")
    assert rebuilt(store, ["a.md"])[0] == "- [B](b.md)"
    assert rebuilt(store, ["a.md", "b.md"])[0] == ""


def test_what_does_not_fit_is_named() -> None:
    store = snapshot(*(topic(f"{n:03}.md", "N") for n in range(205)))
    text, edit = rebuilt(store)
    assert text is not None
    lines = text.split("\n")
    assert len(lines) == 200
    assert lines[198] == "- [N](198.md) — keep it short"
    assert lines[199].startswith("> WARNING: 6 memories are not listed here;")
    assert edit.left_out == tuple(f"{n:03}.md" for n in range(199, 205))
    fits = snapshot(*store.documents[:200], index=text)
    assert (rebuilt(fits)[0] or "").split("\n")[199] == "- [N](199.md) — keep it short"


def test_a_line_that_the_agent_cut_is_written_whole() -> None:
    store = snapshot(topic("a.md", "A rather long name"), index="- [A rather lo…")
    assert rebuilt(store)[0] == "- [A rather long name](a.md) — keep it short"


def test_lines_of_what_could_not_be_read_are_kept() -> None:
    index = "- [A](a.md)\n- [L](locked/x.md)\n- [U](u.md)\n- [S](sub/MEMORY.md)\n- [D](dead.md)"
    store = replace(
        snapshot(topic("a.md", "A"), topic("b.md", "B"), index=index, nested={"sub/MEMORY.md": ""}),
        problems=(
            FileProblem("locked", "project", "unreadable", "No."),
            FileProblem("u.md", "project", "unreadable", "No."),
            FileProblem("dead.md", "project", "dangling-link", "No."),
        ),
    )
    kept = "- [L](locked/x.md)\n- [U](u.md)\n- [S](sub/MEMORY.md)"
    assert rebuilt(store)[0] == f"- [A](a.md)\n- [B](b.md) — keep it short\n{kept}"
    by_hand = replace(store, indexes={"MEMORY.md": f"# I\n{index}\n- [B](b.md)\n".encode()})
    assert rebuilt(by_hand)[0] == "# I\n- [A](a.md)\n- [L](locked/x.md)\n- [U](u.md)\n- [B](b.md)\n"


def test_a_fifth_entry_gives_five_lines() -> None:
    found = scanned("29-qwen-index-links", "home/.qwen/projects/-tmp-demo/memory", "qwen")
    # A clone gives every file the time of the clone; the agent wrote them in the index's order.
    paths = ["user/中文回答.md", "project/with space.md", "project/paren(1).md"]
    paths.append("project/br[0]#%&.md")
    by_path = {document.path: document for document in found.documents}
    newest_first = [
        replace(by_path[path], mtime_ns=10**18 - place) for place, path in enumerate(paths)
    ]
    store = replace(found, documents=tuple(newest_first))
    assert rebuilt(store)[0] is None
    raw = b"---\nname: Fifth\ndescription: new\ntype: user\n---\n"
    fifth = parse_document(raw, path="user/fifth.md", mtime_ns=9 * 10**18)
    text = text_of(edit_index(store, written=[fifth]))
    assert text is not None
    assert store.index is not None
    assert text.split("\n")[0] == "- [Fifth](user/fifth.md) — new"
    assert sorted(text.split("\n")[1:]) == sorted(store.index.decode().split("\n"))


# Hand-kept.


def test_the_repair_of_case_10() -> None:
    text, edit = rebuilt(scanned("10-index-out-of-step"))
    assert text == (
        "# Memory Index\n\n"
        "- [Commits](feedback_commits.md) — small commits\n"
        "- [Moved](reference_api.md) — moved to the top folder\n"
        "- [Case](feedback_case.md) — differs in case\n"
        "- [project_never_listed](project_never_listed.md) — about project_never_listed\n"
    )
    assert edit.change is not None
    assert edit.change.reason == "2 lines removed, 2 lines corrected, 1 line added"


def test_inline_parts_stay_as_in_case_11() -> None:
    store = scanned("11-content-inside-the-index")
    assert rebuilt(store)[0] is None
    assert store.index is not None
    new = topic("project_new.md", "New", "fresh")
    text = text_of(edit_index(store, written=[replace(new, type="project", derived={})]))
    line = "- [Deploy](project_deploy.md) — how we deploy\n"
    assert text == store.index.decode().replace(line, line + "- [New](project_new.md) — fresh\n")


def test_a_line_whose_file_moved_to_a_listed_place_is_double() -> None:
    index = "# I\n- [New](new/a.md)\n- [Old](old/a.md)\n"
    assert rebuilt(snapshot("new/a.md", index=index))[0] == "# I\n- [New](new/a.md)\n"


def test_a_line_that_leads_out_is_kept_and_prose_is_never_touched() -> None:
    index = "# I\n- [Run](../docs/run.md)\n\nSee [it](gone.md) and [case](A.MD).\n- [a](a.md)\n"
    text, edit = rebuilt(snapshot("a.md", index=index))
    assert text is None
    assert edit.notes == ("Line 2 of MEMORY.md leads out of the store and is kept.",)


def test_a_name_that_leads_to_another_file_gets_no_line() -> None:
    store = snapshot("a b.md", "a%20b.md", index="# I\n- [x](<a b.md>)\n")
    assert rebuilt(store)[0] == "# I\n- [x](<a b.md>)\n- [Style](a%2520b.md) — keep it short\n"
    hidden = snapshot("a b.md", "a%20b.md", index="# I\n- [x](a%2520b.md)\n")
    text, edit = rebuilt(hidden)
    assert text is None
    assert edit.notes == ("a b.md gets no line: a link to it would lead to another file.",)


def test_what_a_line_that_goes_also_listed() -> None:
    index = "# I\n- [a](a.md) and [b](b.md)\n"
    store = snapshot("a.md", "b.md", index=index)
    edit = edit_index(store, removed=["a.md"])
    assert text_of(edit) == "# I\n"
    assert edit.notes == ("b.md was listed only by a line that goes, and has no line then.",)
    double = snapshot("a.md", "b.md", index="# I\n- [a](a.md)\n- [a](a.md), [b](b.md)\n")
    assert rebuilt(double)[0] == "# I\n- [a](a.md)\n- [Style](b.md) — keep it short\n"


FOLDERS = """\
# Feedback
- [a](feedback/a.md)

# Project
- [p](project/p.md)
"""
FLAT = "# Feedback\n- [a](feedback_a.md)\n\n# Project\n- [p](project_p.md)\n\nEnd.\n"


@pytest.mark.parametrize(
    ("index", "documents", "new", "above"),
    [
        (
            FOLDERS,
            [("feedback/a.md", "feedback"), ("project/p.md", "project")],
            ("feedback/n.md", "project"),
            "- [a](feedback/a.md)",
        ),
        (
            FOLDERS,
            [("feedback/a.md", "feedback"), ("project/p.md", "project")],
            ("other/n.md", "project"),
            "- [p](project/p.md)",
        ),
        (
            FLAT,
            [("feedback_a.md", "feedback"), ("project_p.md", "project")],
            ("n.md", "project"),
            "- [p](project_p.md)",
        ),
        (
            FLAT,
            [("feedback_a.md", "feedback"), ("project_p.md", "project")],
            ("sub/n.md", "user"),
            "End.",
        ),
    ],
)
def test_a_new_file_joins_its_neighbours(
    index: str, documents: list[tuple[str, str]], new: tuple[str, str], above: str
) -> None:
    store = snapshot(*(of_type(*each) for each in documents), index=index)
    line = f"- [{new[0]}]({new[0]}) — d"
    text = text_of(edit_index(store, written=[of_type(*new)]))
    assert text == index.replace(f"{above}\n", f"{above}\n{line}\n")


def test_a_new_file_that_is_listed_or_unseen_gets_no_line() -> None:
    store = snapshot("a.md", index="# I\n- [a](a.md)\n- [b](b.md)\n")
    assert edit_index(store, written=[topic("b.md")]).change is None
    assert edit_index(store, written=[topic("c.md")], unseen=["c.md"]).change is None
    assert edit_index(store, written=[topic("a.md", body="Other.\n")]).change is None


def test_a_changed_file_renames_only_what_its_line_said() -> None:
    index = (
        "# I\r\n- [Style](a.md) — keep it short\r\n- [Style](a.md#x) — hook\r\n- [Mine](b.md)\r\n"
    )
    store = snapshot("a.md", "b.md", index=index)
    written = [topic("a.md", "New [name", "text"), topic("b.md", "Other")]
    assert text_of(edit_index(store, written=written)) == (
        "# I\r\n- [New \\[name](a.md) — text\r\n- [New \\[name](a.md#x) — hook\r\n"
        "- [Mine](b.md)\r\n"
    )


def test_a_moved_file_keeps_its_wording() -> None:
    store = snapshot("a.md", index="# I\n- [A](./a.md) — hook, [again](a.md)\n* [[a|label]]\n")
    assert text_of(edit_index(store, moved={"a.md": "sub/b c.md"})) == (
        "# I\n- [A](sub/b%20c.md) — hook, [again](a.md)\n* [[b c|label]]\n"
    )
    nested = snapshot("sub/a.md", nested={"sub/MEMORY.md": "# S\n- [A](a.md)\n"})
    (edit,) = edit_nested(nested, moved={"sub/a.md": "b.md"})
    assert text_of(edit) == "# S\n- [A](../b.md)\n"


def test_claude_has_no_managed_index() -> None:
    lines = "- [A](a.md) — keep it short"
    store = snapshot(topic("a.md", "A"), topic("b.md", "B"), index=lines, agent="claude")
    assert edit_index(store, removed=["b.md"]).change is None
    assert text_of(edit_index(store, removed=["a.md"])) == ""
    assert rebuilt(store)[0] == f"{lines}\n- [B](b.md) — keep it short"
    missing = snapshot(topic("a.md", "A"), agent="claude")
    assert edit_index(missing, removed=["a.md"]).change is None
    assert rebuilt(missing)[0] == f"{lines}\n"


@pytest.mark.parametrize("agent", ["qwen", "claude"])
def test_an_index_that_cannot_be_written_is_left(agent: Agent) -> None:
    latin = snapshot("a.md", index=b"# \xdcber\n", agent=agent)
    edit = edit_index(latin, removed=["a.md"])
    assert (edit.change, edit.notes) == (
        None,
        ("MEMORY.md is not UTF-8, so it is left as it is; convert it first.",),
    )
    problem = FileProblem("MEMORY.md", "project", "unreadable", "This file cannot be read.")
    locked = replace(snapshot("a.md", agent=agent), problems=(problem,))
    assert rebuilt(locked)[0] is None
    assert plan_rebuild(locked).edit.notes == (
        "MEMORY.md is left as it is: This file cannot be read.",
    )
    gone = Snapshot(locked.store, "missing", message="There is no such folder.")
    assert plan_rebuild(gone).edit.notes == ("There is no such folder.",)


# For every index.

PATHS = ("a.md", "feedback/b.md", "feedback/c (1).md", "project/d.md", "E.md")
_LINES = st.lists(
    st.sampled_from(
        (
            "- [Style](a.md) — keep it short", "- [A](a.md) — hook", "- [A](A.md)", "* [[b]] wiki",
            "- [b](feedback/b.md) and [d](project/d.md)", "- `d.md` — bare", "- [gone](x.md)",
            "- [moved](old/d.md) — hook", "  - [c](feedback/c%20%281%29.md)", "- [[B]]",
            "- [out](../x.md)", "# Head", "## [E](E.md)", "prose [x](x.md) and [a](a.md)", "", " ",
            "```", "    code", "---", "| [b](feedback/b.md) | row |", "|---|---|", "> quote",
            "> WARNING: x", "- [Sty…", "<!--", "-->", "  more text", "1. [e](e.md)", "- plain",
            "- [s](sub/MEMORY.md)", "[ref](E.md): it",
        )
    ),
    max_size=14,
)  # fmt: skip


def _stays(text: str) -> bool:
    """True for a line of content that no repair may touch."""
    return bool(text.strip()) and "](" not in text and "[[" not in text and ".md" not in text


@given(
    _LINES,
    st.sampled_from(("\n", "\r\n")),
    st.booleans(),
    st.sets(st.sampled_from(PATHS)),
    st.sampled_from(("qwen", "claude")),
)
def test_a_rebuild_is_idempotent_and_keeps_text(
    lines: list[str], newline: str, has_final: bool, paths: set[str], agent: Agent
) -> None:
    index = newline.join(lines) + (newline if has_final and lines else "")
    store = snapshot(
        *sorted(paths), index=index, nested={"sub/MEMORY.md": "- [x](../E.md)\n"}, agent=agent
    )
    text, edit = rebuilt(store)
    after = index if text is None else text
    new = replace(store, indexes={**store.indexes, "MEMORY.md": after.encode()})
    report = report_index(new)
    if report_index(store).is_managed or report.is_managed:
        assert set(report.line_of) >= paths
        assert report.lines_without_file == ()
        assert report.not_derived == ()
        assert report.long_lines == ()
        assert not after.endswith("\n")
        return
    assert report.doubled == ()
    has_place = not any("no place" in note for note in edit.notes)
    assert has_place or "    code" in index
    assert (report.files_without_line == ()) is has_place
    assert report.case_differences == ()
    expected = ("leads out",) if has_place else ("leads out", "no place", "has no line then")
    assert all(any(words in note for words in expected) for note in edit.notes)
    kept = [line for line in index.split(newline) if _stays(line)]
    assert [line for line in after.replace("\r\n", "\n").split("\n") if _stays(line)] == kept


def test_a_repair_that_leaves_a_managed_index_is_a_rebuild() -> None:
    paths = [f"{n:02}.md" for n in range(20)]
    store = snapshot(*paths, index="- [Own](00.md) — own hook\n")
    text, edit = rebuilt(store)
    assert text == "\n".join(f"- [Style]({path}) — keep it short" for path in paths)
    assert edit.kind == "hand-kept"


@given(_LINES, st.sampled_from(("\n", "\r\n")), st.booleans(), st.sampled_from(PATHS))
def test_what_goes_takes_its_own_lines_and_no_other_byte(
    lines: list[str], newline: str, has_final: bool, path: str
) -> None:
    index = "# Kept by hand" + newline + newline.join(lines) + (newline if has_final else "")
    store = snapshot(*PATHS, index=index)
    edit = edit_index(store, removed=[path])
    gone = {line.number for line in edit.removed}
    whole = index.split("\n")
    left = "".join(
        line + ("\n" if number < len(whole) else "")
        for number, line in enumerate(whole, start=1)
        if number not in gone
    )
    assert (index if edit.change is None else text_of(edit)) == left
    assert all(line.path == path for line in edit.removed)
