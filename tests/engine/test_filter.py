"""The filter of the list: words, terms, and every key stroke on the way to them."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.scan import Scanner
from memtui.engine.format.document import parse_document
from memtui.engine.format.filter import (
    DAY_NS,
    Filter,
    filter_documents,
    parse_filter,
    search_text,
)
from memtui.engine.text import fold
from memtui.engine.types import Scope, Skip, Snapshot, Store, TopicDocument, Verdict

CASES = Path(__file__).parents[1] / "cases" / "input"
NOW_NS = 1_000 * DAY_NS


def make(
    path: str,
    name: str,
    kind: str,
    body: str,
    age_days: float,
    scope: Scope = "project",
) -> TopicDocument:
    raw = f"---\nname: {name}\ndescription: about {name}\ntype: {kind}\n---\n\n{body}\n"
    mtime_ns = NOW_NS - int(age_days * DAY_NS)
    return parse_document(raw.encode(), path=path, scope=scope, mtime_ns=mtime_ns)


PROJECT = (
    make("feedback/style.md", "Reply style", "feedback", "Keep replies *short*.", 2),
    make("project/freeze.md", "Merge freeze", "project", "No merges after  Friday.", 30.99),
    make("project/odd.md", "Café notes", "decision", "--- type:feedback", 31),
    make("pinned/key.md", "Key facts", "reference", "Dashboard: grafana", -5),
)
USER = (make("role.md", "Senior Go engineer", "user", "Writes Go.", 400, "user"),)
BROKEN = parse_document(b"---\nname: [x\n", path="broken.md", mtime_ns=NOW_NS)

VERDICTS: dict[Scope, dict[str, Verdict]] = {
    "project": {
        "feedback/style.md": Verdict(True),
        "project/freeze.md": Verdict(True),
        "project/odd.md": Verdict(False, (Skip("qwen", "type"),)),
        "pinned/key.md": Verdict(None, (Skip("qwen", "old"),)),
    },
    "user": {"role.md": Verdict(True)},
}


def snapshot(scope: Scope, *documents: TopicDocument) -> Snapshot:
    return Snapshot(Store(scope=scope, agent="qwen", memory_dir=Path("/m")), "ok", documents)


SNAPSHOTS = (snapshot("project", *PROJECT, BROKEN), snapshot("user", *USER))
ALL = ["style", "freeze", "odd", "key", "broken", "role"]


def found(text: str) -> list[str]:
    documents = filter_documents(SNAPSHOTS, parse_filter(text), VERDICTS, NOW_NS)
    return [document.path.rpartition("/")[2].removesuffix(".md") for document in documents]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ALL),
        ("   ", ALL),
        ("reply", ["style"]),
        ("REPL", ["style"]),
        ("reply short", ["style"]),
        ("reply friday", []),
        ("about go", ["role"]),
        ('"merges after friday"', ["freeze"]),
        ('"friday after merges"', []),
        ('"merges aft', ["freeze"]),
        ("-about", ["broken"]),
        ("notes -dashboard", ["odd"]),
        ('-"about key" facts', []),
        ("cafe", ["odd"]),
        ("freeze.md", ["freeze"]),
        ('"type:feedback"', ["odd"]),
        ("nothing-has-this", []),
        ("type:feedback", ["style"]),
        ("type:f", ["style"]),
        ("TYPE:Feedback", ["style"]),
        ("type:decision", ["odd"]),
        ("type:feedback type:user", ["style", "role"]),
        ("-type:feedback -type:user", ["freeze", "odd", "key", "broken"]),
        ("type:feedback friday", []),
        ("type:nonsense", []),
        ("scope:user", ["role"]),
        ("-scope:user reply", ["style"]),
        ("scope:u scope:team", ["role"]),
        ("path:project/", ["freeze", "odd"]),
        ("path:project path:odd", ["odd"]),
        ('path:"project/od"', ["odd"]),
        ("-path:project", ["style", "key", "broken", "role"]),
        ("age>30", ["odd", "role"]),
        ("age>=30", ["freeze", "odd", "role"]),
        ("age<30", ["style", "key", "broken"]),
        ("age<=30", ["style", "freeze", "key", "broken"]),
        ("age=31", ["odd"]),
        ("age:31d", ["odd"]),
        ("age=0", ["key", "broken"]),
        ("age>1 age<31", ["style", "freeze"]),
        ("age<31 age>1 age<99 age>0", ["style", "freeze"]),
        ("-age>30", ["style", "freeze", "key", "broken"]),
        ("-age<=30", ["odd", "role"]),
        ("-age=31", ["style", "freeze", "key", "broken", "role"]),
        ("age<0", []),
        ("seen:no", ["odd", "key"]),
        ("seen:yes", ["style", "freeze", "broken", "role"]),
        ("-seen:no", ["style", "freeze", "broken", "role"]),
        ("seen:n", ["odd", "key"]),
        ("pinned:yes", ["key"]),
        ("pinned:no age>30", ["odd", "role"]),
        ("problem:yes", ["broken"]),
        ("problem:no scope:p", ["style", "freeze", "odd", "key"]),
        ("type:reference dashboard pinned:yes age<7", ["key"]),
    ],
)
def test_what_a_filter_finds(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        *("-", "type:", "-type:", "scope:", "path:", "-path:", 'path:"', "seen:", "pinned:"),
        *("problem:", "age>", "age<", "age>=", "age=", "age:", "-age>", '"', '""', '-"', '-""'),
        "type: seen: age>",
    ],
)
def test_a_term_on_its_way_holds_nothing_back(text: str) -> None:
    assert parse_filter(text) == Filter()
    assert found(text) == ALL


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("colour:red", "colour:red"),
        ("seen:maybe", "seen:maybe"),
        ("pinned:1", "pinned:1"),
        ("scope:mars", "scope:mars"),
        ("age>old", "age>old"),
        ("http://x", "http://x"),
        (":x", ":x"),
        ("a-b", "a-b"),
        ("C#", "c#"),
        ('say"hi', 'say"hi'),
    ],
)
def test_what_is_no_term_is_a_word(text: str, word: str) -> None:
    assert parse_filter(text) == Filter(words=(word,))


def test_a_filter_of_all_kinds() -> None:
    text = 'Type:User -type:x scope:team -path:a path:"B c" age>3 -age>9 seen:no -pinned:no É -f'
    assert parse_filter(text) == Filter(
        words=("e",),
        not_words=("f",),
        types=("user",),
        not_types=("x",),
        scopes=("team",),
        paths=("b c",),
        not_paths=("a",),
        min_age_days=4,
        max_age_days=9,
        flags=(("seen", False), ("pinned", True)),
    )


def test_a_text_that_is_no_document_fits_words_and_no_terms() -> None:
    index = fold("- [Merge freeze](a.md) — Café")
    assert parse_filter("").matches_text(index)
    assert parse_filter("café merge").matches_text(index)
    assert not parse_filter("café -merge").matches_text(index)
    assert not parse_filter("vacuum").matches_text(index)
    assert not parse_filter("merge type:feedback").matches_text(index)
    assert parse_filter("merge type:").matches_text(index)


def test_a_document_is_folded_once() -> None:
    document = make("a.md", "Ёлка", "user", "Café  ﬁne", 1)
    assert search_text(document) == "елка\nabout елка\na.md\ncafe fine"
    assert document.derive(search_text) is document.derive(search_text)


def test_a_phrase_does_not_reach_over_two_fields() -> None:
    assert found('"style about"') == []
    assert found('"about reply style"') == ["style"]


def case_20(text: str) -> list[str]:
    memory_dir = CASES / "20-search-outside-ascii" / "memory"
    scanned = Scanner().scan(Store(scope="project", agent="none", memory_dir=memory_dir))
    assert len(scanned.documents) == 228
    documents = filter_documents([scanned], parse_filter(text), {}, NOW_NS)
    return [document.path for document in documents]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("数据库迁移", "project_zh.md"),
        ("迁移", "project_zh.md"),
        ("デプロイ", "feedback_ja.md"),
        ("커밋", "feedback_ko.md"),
        ("елка", "feedback_ru.md"),
        ("ёлка", "feedback_ru.md"),
        ("ЁЛКА", "feedback_ru.md"),
        ("izin", "project_tr.md"),
        ("règles", "feedback_fr.md"),
        ("regles", "feedback_fr.md"),
        (unicodedata.normalize("NFC", "café"), "reference_nfd.md"),
        (unicodedata.normalize("NFD", "café"), "reference_nfd.md"),
        ("vacuum", "reference_en.md"),
    ],
)
def test_case_20_finds_exactly_the_note(text: str, path: str) -> None:
    assert case_20(text) == [path]


def test_case_20_a_search_without_a_match_finds_nothing() -> None:
    assert case_20("kubernetes") == []
    assert case_20("デプロイ vacuum") == []


TEXTS = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            [
                "type:",
                "age>",
                "age<",
                "-",
                '"',
                " ",
                "scope:user",
                "seen:",
                "no",
                "3",
                "x",
                "é",
                "：",
            ]
        ),
        max_size=10,
    ).map("".join),
)


@given(text=TEXTS)
def test_any_text_is_a_filter_and_keeps_the_order(text: str) -> None:
    names = found(text)
    assert names == [name for name in ALL if name in names]
    wanted = parse_filter(text)
    assert names == [
        document.path.rpartition("/")[2].removesuffix(".md")
        for snap in SNAPSHOTS
        for document in snap.documents
        if wanted.matches(document, VERDICTS[snap.store.scope].get(document.path), NOW_NS)
    ]


@given(words=st.lists(st.text("abcdefäβ数据éЁ", min_size=1, max_size=4), max_size=3))
def test_words_are_the_conjunction_of_substrings(words: list[str]) -> None:
    documents = [make("p.md", name, "user", "", 1) for name in ("abc def", "äβ数据", "éabcЁ数")]
    expected = [
        document.name
        for document in documents
        if all(fold(word) in search_text(document) for word in words)
    ]
    got = filter_documents(
        [snapshot("project", *documents)], parse_filter(" ".join(words)), {}, NOW_NS
    )
    assert [document.name for document in got] == expected
