"""Which agents skip which files (spec section 12)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.scan import Scanner
from memtui.engine.format.document import parse_document
from memtui.engine.format.visibility import (
    BEYOND_INDEX,
    BEYOND_NEWEST,
    is_up_to_0_22,
    verdicts,
)
from memtui.engine.types import Agent, Skip, Snapshot, Store, TopicDocument, Verdict

CASES = Path(__file__).parents[1] / "cases" / "input"
OLD = " (Qwen Code up to 0.22)"
NEW = " (Qwen Code since 0.23)"


def snapshot_of(
    agent: Agent, *documents: TopicDocument, indexes: Mapping[str, bytes] | None = None
) -> Snapshot:
    store = Store(scope="project", agent=agent, memory_dir=Path("/m"))
    return Snapshot(store=store, state="ok", documents=documents, indexes=indexes or {})


def document(
    raw: bytes = b"---\nname: n\ntype: user\n---\n\nBody.\n",
    path: str = "a.md",
    link: str | None = None,
) -> TopicDocument:
    return parse_document(raw, path=path, link=link)


def qwen_reasons(
    raw: bytes, version: str | None = None, path: str = "a.md", link: str | None = None
) -> list[str]:
    """Why Qwen Code of that version skips the file; the verdict's other half is checked too."""
    verdict = verdicts(snapshot_of("qwen", document(raw, path, link)), version)[path]
    assert {skip.agent for skip in verdict.skipped_by} <= {"qwen"}
    assert verdict.seen is (not verdict.skipped_by)
    return [skip.reason for skip in verdict.skipped_by]


def case(name: str, agent: Agent, below: str = "memory") -> dict[str, list[tuple[str, str]]]:
    """Of a case's files those that are skipped: agent and reason of each skip."""
    store = Store(scope="project", agent=agent, memory_dir=CASES / name / below)
    found = verdicts(Scanner().scan(store), None)
    return {
        path: [(skip.agent, skip.reason) for skip in verdict.skipped_by]
        for path, verdict in sorted(found.items())
        if verdict.skipped_by
    }


@pytest.mark.parametrize(
    ("raw", "reasons"),
    [
        (b"---\ntype: user\n---\n", []),
        (b"---\ntype: user\n---", []),
        (b"---\nname: n\ntype:feedback  \n---\nBody", []),
        (b"---\nname: n\n  type: user\ntype: project\n---\n", []),
        (b"---\ntype: reference\ntype: nonsense\n---\n", []),
        (b"---\ndescription: caf\xe9\ntype: user\n---\n", []),
        (b"", ["no --- in the first line"]),
        (b"# Title\n\n---\ntype: user\n---\n", ["no --- in the first line"]),
        (b"----\ntype: user\n----\n", ["no --- in the first line"]),
        (b"---\ntype: user\n\nBody.\n", ["no closing ---"]),
        (
            b"\xef\xbb\xbf---\ntype: user\n",
            ["byte order mark before the first ---", "no closing ---"],
        ),
        (b"\xef\xbb\xbf---\ntype: user\n---\n", ["byte order mark before the first ---"]),
        (b"\n \n---\ntype: user\n---\n", ["blank line before the first ---"]),
        (
            b"\xef\xbb\xbf\r\n---\ntype: user\n---\n",
            ["byte order mark before the first ---", "blank line before the first ---"],
        ),
        ("---\ntype: user\n---\n".encode("utf-16"), ["UTF-16, not UTF-8"]),
        ("\ufeff---\ntype: user\n---\n".encode("utf-16-be"), ["UTF-16, not UTF-8"]),
        (b"---\nname: n\n---\n\ntype: user\n", ["no type"]),
        (b"---\ntype:\n---\n", ["no type"]),
        (b"---\ntype: decision\n---\n", ["type decision is none of the four"]),
        (b"---\ntype: User\n---\n", ["type User is none of the four"]),
        (b"---\ntype: user # me\n---\n", ["type user # me is none of the four"]),
        (b'---\ntype: "user"\n---\n', ["type is in quotes"]),
        (b"---\ntype: 'user'\n---\n", ["type is in quotes"]),
        (b"---\ntype: >\n  user\n---\n", ["type > is none of the four"]),
        (b"---\ntype:\n  user\n---\n", ["type is not on the line of its key"]),
        (b"---\nmetadata:\n  type: user\n---\n", ["type is nested under metadata:"]),
        (b"---\nmetadata: {type: user}\n---\n", ["type is nested under metadata:"]),
        (b"---\nmetadata:\n  type: user\ntype: odd\n---\n", ["type odd is none of the four"]),
        (
            b"\xef\xbb\xbf---\nmetadata:\n  type: user\n---\n",
            ["byte order mark before the first ---", "type is nested under metadata:"],
        ),
        (
            b"---\ntype: a value that is far too long for a pane\n---\n",
            ["type a value that is far too… is none of the four"],
        ),
    ],
)
def test_what_every_qwen_code_skips(raw: bytes, reasons: list[str]) -> None:
    assert qwen_reasons(raw, None) == reasons
    assert qwen_reasons(raw, "0.24.4") == reasons


def test_a_name_in_capitals_is_skipped_by_every_qwen_code() -> None:
    raw = document().raw
    assert qwen_reasons(raw, path="x/A.MD") == ["name does not end in .md in small letters"]
    assert qwen_reasons(b"", path="a.Md") == [
        "name does not end in .md in small letters",
        "no --- in the first line",
    ]
    assert qwen_reasons(raw, path="A.md") == []


@pytest.mark.parametrize(
    ("version", "crlf", "link"),
    [
        ("0.1.0", ["CRLF line ends"], []),
        ("0.22.9", ["CRLF line ends"], []),
        ("v0.22.0-nightly.3", ["CRLF line ends"], []),
        ("0.23.0", [], ["symbolic link"]),
        ("0.24.4", [], ["symbolic link"]),
        ("1.0.0", [], ["symbolic link"]),
        (None, [], ["symbolic link"]),
        ("nightly", [], ["symbolic link"]),
        ("", [], ["symbolic link"]),
    ],
)
def test_what_depends_on_the_version(version: str | None, crlf: list[str], link: list[str]) -> None:
    assert qwen_reasons(b"---\r\ntype: user\r\n---\r\n\r\nBody.\r\n", version) == crlf
    assert qwen_reasons(document().raw, version, link="../b.md") == link
    assert is_up_to_0_22(version) is bool(crlf)


def test_crlf_in_the_body_alone_hides_nothing() -> None:
    assert qwen_reasons(b"---\ntype: user\n---\n\r\nBody.\r\n", "0.22.0") == []


def test_old_versions_read_the_200_newest_of_what_they_can_read() -> None:
    good = [document(path=f"{number:03d}.md") for number in range(203)]
    good[7:7] = [document(b"plain", path="plain.md")]
    snapshot = snapshot_of("qwen", *good)
    old = verdicts(snapshot, "0.22.0")
    assert {path: verdict for path, verdict in old.items() if not verdict.seen} == {
        "plain.md": Verdict(False, (Skip("qwen", "no --- in the first line"),)),
        **{
            path: Verdict(False, (Skip("qwen", BEYOND_NEWEST),))
            for path in ("200.md", "201.md", "202.md")
        },
    }
    assert BEYOND_NEWEST == "beyond the 200 newest"
    new = verdicts(snapshot, "0.23.0")
    assert [path for path, verdict in new.items() if not verdict.seen] == ["plain.md"]


def test_every_document_has_a_verdict_and_agents_other_than_the_stores_say_nothing() -> None:
    documents = [document(path="a.md"), document(b"plain", path="b.md")]
    assert verdicts(snapshot_of("claude", *documents), "0.22.0") == {
        "a.md": Verdict(True),
        "b.md": Verdict(True),
    }
    assert verdicts(snapshot_of("qwen"), None) == {}


def test_a_store_without_an_agent_names_agents_and_versions() -> None:
    found = verdicts(
        snapshot_of(
            "none",
            document(path="good.md"),
            document(b"---\r\ntype: user\r\n---\r\n", path="crlf.md", link="x"),
            document(b"plain", path="plain.md"),
        ),
        "0.24.0",
    )
    assert found == {
        "good.md": Verdict(None),
        "crlf.md": Verdict(
            None,
            (Skip("qwen", f"CRLF line ends{OLD}"), Skip("qwen", f"symbolic link{NEW}")),
        ),
        "plain.md": Verdict(None, (Skip("qwen", "no --- in the first line"),)),
    }


def test_a_store_without_an_agent_names_what_is_beyond_the_200_newest() -> None:
    documents = [document(path=f"{number:03d}.md") for number in range(201)]
    found = verdicts(snapshot_of("none", *documents), None)
    assert found["199.md"] == Verdict(None)
    assert found["200.md"] == Verdict(None, (Skip("qwen", f"beyond the 200 newest{OLD}"),))


def claude_skipped(*documents: TopicDocument, **indexes: bytes) -> list[str]:
    named = {name.replace("__", "/") + ".md": raw for name, raw in indexes.items()}
    snapshot = snapshot_of("claude", *documents, indexes=named)
    found = verdicts(snapshot, None)
    assert set(found.values()) <= {
        Verdict(True),
        Verdict(False, (Skip("claude", BEYOND_INDEX),)),
    }
    return [path for path, verdict in found.items() if not verdict.seen]


def test_claude_code_reads_200_lines_of_its_index() -> None:
    documents = [document(path=name) for name in ("in.md", "edge.md", "out.md", "unlisted.md")]
    lines = ["- [in](in.md)", *["text"] * 198, "- [edge](edge.md)", "- [out](out.md)"]
    assert claude_skipped(*documents, MEMORY="\n".join(lines).encode()) == ["out.md"]
    assert claude_skipped(*documents, MEMORY="\n".join(lines[1:]).encode()) == []
    assert claude_skipped(*documents) == []


def test_claude_code_reads_25_000_characters_of_its_index() -> None:
    documents = [document(path="in.md"), document(path="out.md")]
    for filler, skipped in ((24_970, []), (24_971, ["out.md"])):
        index = "- [in](in.md)\n" + "x" * filler + "\n- [out](out.md)"
        assert len(index) == 30 + filler
        assert claude_skipped(*documents, MEMORY=index.encode()) == skipped
    wide = "- [in](in.md)\n" + "寿" * 8_400 + "\n- [out](out.md)"
    assert len(wide.encode()) > 25_000
    assert claude_skipped(*documents, MEMORY=wide.encode()) == []
    assert BEYOND_INDEX == "index line beyond the first 200 lines or 25,000 characters"


def test_a_file_that_is_linked_elsewhere_is_seen_by_claude_code() -> None:
    late = ("\n" * 200 + "- [out](out.md)\n- [sub](sub/MEMORY.md)").encode()
    out = document(path="out.md")
    head = b"---\ntype: user\n---\n\n"
    assert claude_skipped(out, MEMORY=late) == ["out.md"]
    assert claude_skipped(out, document(head + b"[x](out.md)", path="b.md"), MEMORY=late) == []
    assert claude_skipped(out, document(head + b"[[out]]", path="b.md"), MEMORY=late) == []
    assert claude_skipped(document(head + b"[x](out.md)", path="out.md"), MEMORY=late) == ["out.md"]
    assert claude_skipped(out, MEMORY=b"- [o](out.md)\n" + late) == []
    assert claude_skipped(out, MEMORY=late, sub__MEMORY=b"- [o](../out.md)") == []
    assert claude_skipped(out, MEMORY=late, sub__MEMORY=b"- [o](out.md)") == ["out.md"]


def test_a_store_without_an_agent_names_what_claude_code_skips() -> None:
    index = ("\n" * 200 + "- [a](a.md)").encode()
    found = verdicts(snapshot_of("none", document(), indexes={"MEMORY.md": index}), None)
    assert found == {"a.md": Verdict(None, (Skip("claude", BEYOND_INDEX),))}


def test_case_12_values_that_break_yaml_are_seen() -> None:
    assert case("12-colon-in-description", "qwen") == {}
    assert case("12-colon-in-description", "none") == {}


def test_case_13_encodings() -> None:
    bom = ("qwen", "byte order mark before the first ---")
    blank = ("qwen", "blank line before the first ---")
    utf16 = ("qwen", "UTF-16, not UTF-8")
    crlf = ("qwen", f"CRLF line ends{OLD}")
    assert case("13-crlf-bom-utf16", "none") == {
        "reference_blank_first.md": [blank],
        "reference_bom.md": [bom],
        "reference_bom_crlf.md": [bom, crlf],
        "reference_crlf.md": [crlf],
        "reference_mixed.md": [crlf],
        "reference_utf16.md": [utf16],
    }
    assert case("13-crlf-bom-utf16", "qwen") == {
        "reference_blank_first.md": [blank],
        "reference_bom.md": [bom],
        "reference_bom_crlf.md": [bom],
        "reference_utf16.md": [utf16],
    }
    assert case("13-crlf-bom-utf16", "claude") == {}


def test_case_14_edges_of_a_frontmatter() -> None:
    assert case("14-frontmatter-taken-for-text", "qwen") == {
        "project_empty.md": [("qwen", "no --- in the first line")],
        "project_nofm.md": [("qwen", "no --- in the first line")],
        "project_unclosed.md": [("qwen", "no closing ---")],
    }


def test_case_28_claude_frontmatter_in_a_qwen_store() -> None:
    below = "home/.qwen/projects/-tmp-demo/memory"
    assert case("28-claude-frontmatter-in-a-qwen-store", "qwen", below) == {
        "project/nested.md": [("qwen", "type is nested under metadata:")],
        "project/other.md": [("qwen", "type decision is none of the four")],
    }


PIECES = st.sampled_from(
    (
        *(b"---", b"\n", b"\r\n", b"type:", b"type: user", b"metadata:", b"  type: user"),
        *(b"\xef\xbb\xbf", b" ", b'"user"', b"name: n", b"\xff\xfe", b"\x00", b"\xc2\x85", b"# t"),
    )
)


@given(
    raw=st.lists(PIECES, max_size=12).map(b"".join),
    version=st.sampled_from([None, "0.22.0", "0.23.0"]),
    agent=st.sampled_from(["qwen", "claude", "none"]),
)
def test_any_bytes_get_a_verdict_with_distinct_short_reasons(
    raw: bytes, version: str | None, agent: Agent
) -> None:
    verdict = verdicts(snapshot_of(agent, document(raw)), version)["a.md"]
    reasons = [skip.reason for skip in verdict.skipped_by]
    assert len(set(reasons)) == len(reasons)
    assert all(0 < len(reason) <= 60 and "\n" not in reason for reason in reasons)
    if agent == "none":
        assert verdict.seen is None
    else:
        assert verdict.seen is (not reasons)
    lines = raw.split(b"\n")
    plainly_seen = (
        lines[0] == b"---" and b"type: user" in lines and b"---" in lines[1:] and b"\r" not in raw
    )
    if agent == "qwen" and plainly_seen:
        block = lines[1 : lines.index(b"---", 1)]
        types = [line for line in block if line.startswith(b"type:")]
        cut_short = any(line.startswith(b"---") for line in block)
        assert cut_short or verdict.seen is (types[:1] == [b"type: user"])
