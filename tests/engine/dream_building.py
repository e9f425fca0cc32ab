"""Stores for tests of a dream, and what a plan makes of them, without a disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from memtui.engine.format.document import parse_document
from memtui.engine.format.index_line import index_line
from memtui.engine.plans.dream import plan_dream
from memtui.engine.plans.dream_values import DreamPlan
from memtui.engine.types import Snapshot, TopicDocument
from tests.engine.index_building import snapshot

NOW_NS = 9 * 10**18


def topic(
    path: str,
    body: str,
    *,
    name: str = "Style",
    description: str = "keep it short",
    kind: str = "feedback",
    keys: str = "",
    newline: str = "\n",
    link: str | None = None,
) -> TopicDocument:
    """A topic file with this body; `keys` are further lines of its frontmatter."""
    head = f"---\nname: {name}\ndescription: {description}\ntype: {kind}\n{keys}---\n\n"
    raw = (head + body).replace("\n", newline).encode()
    return parse_document(raw, path=path, link=link)


def plan_of(
    *documents: TopicDocument,
    index: str | None = None,
    unseen: Collection[str] = (),
    rejected: Collection[str] = (),
    without: Collection[str] = (),
    check: Callable[[], None] | None = None,
) -> DreamPlan:
    """The dream of a store of these files."""
    return plan_dream(
        snapshot(*documents, index=index),
        unseen=unseen,
        now_ns=NOW_NS,
        rejected=rejected,
        without=without,
        check=check,
    )


def body_of(document: TopicDocument) -> str:
    return document.body.of(document.source).decode().removeprefix("\n").removeprefix("\r\n")


def after(store: Snapshot, plan: DreamPlan) -> Snapshot:
    """The store once the plan is applied."""
    documents = {document.path: document for document in store.documents}
    indexes = dict(store.indexes)
    for change in plan.change_set.changes:
        if change.path in indexes or change.path == "MEMORY.md":
            assert indexes.get(change.path) == change.before
            assert change.after is not None
            indexes[change.path] = change.after
            continue
        assert documents[change.path].raw == change.before
        if change.after is None:
            del documents[change.path]
        else:
            assert change.after != change.before
            documents[change.path] = parse_document(change.after, path=change.path, mtime_ns=NOW_NS)
    ordered = sorted(documents.values(), key=lambda each: (-each.mtime_ns, each.path))
    return replace(store, documents=tuple(ordered), indexes=indexes)


def with_index(documents: Sequence[TopicDocument]) -> Snapshot:
    """A store whose index is in step, managed by its agent."""
    lines = "\n".join(index_line(document) for document in documents)
    return snapshot(*documents, index=lines)


@dataclass(frozen=True)
class Fact:
    """One entry to be written in any form."""

    summary: str
    more: tuple[str, ...]
    fields: tuple[tuple[str, tuple[str, ...]], ...]


_SUMMARIES = (
    "Use tabs", "use TABS", "Ｕｓｅ ｔａｂｓ", "Be terse.", "be terse.", "用中文回复",
    "Кратко, ёлка", "кратко, елка", "Run the tests", "Run the [tests](b.md)",
    "Log once: never twice", "Use tabs.",
)  # fmt: skip
_MORE = (
    (), (), (), ("more of it",), ("more of it", "and still more."), ("other text.",),
    ("- nested", "- list"), ("```sh", "run  it", "", "- no entry", "```"), ("> quoted",),
    ("", "A paragraph."), ("| a | b |", "|---|---|", "| 1 | 2 |"), ("Also: an old name",),
)  # fmt: skip
_VALUES = (
    ("It was empty.",), ("it was EMPTY.",), ("Twice is noise.", "Really."), ("Очень важно.",),
    ("", "- one", "- two"), ("因为重要。",), ("See [[a]].",), ("It was empty. Twice is noise.",),
)  # fmt: skip
_LABELS = (
    ("**Why:** ", "**How to apply:** "), ("**Why**: ", "**How to apply**: "),
    ("Why: ", "How_to_apply: "), ("why： ", "how to apply： "), ("*Why:* ", "*How to apply:* "),
)  # fmt: skip

facts = st.builds(
    Fact,
    st.sampled_from(_SUMMARIES),
    st.sampled_from(_MORE),
    st.lists(
        st.tuples(st.sampled_from(("why", "how", "why")), st.sampled_from(_VALUES)),
        max_size=2,
        unique_by=lambda pair: pair[0],
    ).map(tuple),
)


def _bullet(fact: Fact, labels: tuple[str, str], marker: str, is_nested: bool) -> list[str]:
    indent = "  "
    lines = [marker + fact.summary, *(indent + line if line else "" for line in fact.more)]
    for name, value in fact.fields:
        label = labels[name == "how"]
        lead = "  - " if is_nested else "- "
        lines.append((lead + label + value[0]).rstrip())
        lines += [" " * len(lead) + line if line else "" for line in value[1:]]
    return lines


def _plain(fact: Fact, labels: tuple[str, str]) -> list[str]:
    lines = [fact.summary, *fact.more]
    for name, value in fact.fields:
        lines += ["", (labels[name == "how"] + value[0]).rstrip(), *value[1:]]
    return lines


_ODD_LINES = (
    "- a", "* b é", "- **Why:** x", "  nested", "  ```", "```", "", "", " ", "# H", "Prose", "- A",
    "**Why:** y", "How to apply: z", "| t |", "> q", "<div>", "---", "1. n", "- ", "<!-- c", "\tt",
    "    code", "- Use tabs", "- Use tabs", "Use tabs", "===", "~~~", "Also: x", "- [ ] a",
)  # fmt: skip


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """The body of a topic file in any of the three forms, or made of odd lines."""
    form = draw(st.sampled_from(("single", "bullets", "bullets", "blocks", "odd")))
    labels = draw(st.sampled_from(_LABELS))
    lines: list[str] = draw(st.sampled_from(([], [], ["# Rules", ""], ["# A", "## B", ""])))
    lines = list(lines)
    if form == "odd":
        return "\n".join(draw(st.lists(st.sampled_from(_ODD_LINES), max_size=12)))
    several = draw(st.lists(facts, min_size=1, max_size=1 if form == "single" else 5))
    for number, fact in enumerate(several):
        if form == "bullets":
            marker = draw(st.sampled_from(("- ", "- ", "* ", "-   ")))
            lines += _bullet(fact, labels, marker, draw(st.booleans()))
            lines += [""] * draw(st.sampled_from((0, 0, 1)))
        elif form == "blocks":
            lines += [""] if number else []
            lines += [f"## Part {number}", ""] if draw(st.booleans()) else []
            lines += _plain(replace(fact, fields=fact.fields or (("why", ("So.",)),)), labels)
        else:
            lines += _plain(fact, labels)
    return "\n".join(lines)


_PATHS = (
    "a.md", "b.md", "feedback.md", "feedback/a.md", "feedback/b.md", "pinned/p.md", "z.md",
    "project/数据.md",
)  # fmt: skip
_NAMES = ("Style", "Style", "Tabs", "use tabs", "Имя", "C# - style", "Also: > x", "1. Why: y")
_KEYS = ("", "", "", "priority: high\n", "priority: low\n", "metadata:\n  node_type: memory\n")


@st.composite
def topics(draw: st.DrawFn, path: str) -> TopicDocument:
    """One topic file."""
    body = draw(bodies()) + draw(st.sampled_from(("", "\n", "\n", "\n\n")))
    newline = draw(st.sampled_from(("\n", "\n", "\r\n")))
    kind = draw(st.sampled_from(("feedback", "feedback", "feedback", "project", "odd", "")))
    if draw(st.integers(0, 9)) == 0:
        return parse_document(body.replace("\n", newline).encode(), path=path)
    made = topic(
        path,
        body,
        name=draw(st.sampled_from(_NAMES)),
        description=draw(
            st.sampled_from(("keep it short", "Use tabs", "", "d: x", "see #12 # old"))
        ),
        kind=kind,
        keys=draw(st.sampled_from(_KEYS)),
        newline=newline,
    )
    lead = draw(st.sampled_from((b"", b"", b"", b"\xef\xbb\xbf")))
    link = draw(st.sampled_from((None, None, None, None, None, None, "a.md")))
    return parse_document(lead + made.raw, path=path, link=None if path == "a.md" else link)


@st.composite
def stores(draw: st.DrawFn) -> Snapshot:
    """A store of a few files whose index is in step."""
    paths = draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=4, unique=True))
    return with_index([draw(topics(path)) for path in sorted(paths)])
