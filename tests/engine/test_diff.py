"""What a file change looks like (design section 1, review)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.diff import FileDiff, diff_of, unified, unified_file
from memtui.engine.types import ChangeSet, FileChange, Store

BEFORE = """\
---
name: Review
type: feedback
---

- Tests first, then the diff.
  - **Why:** A green suite may test nothing.
- Name the risk.
- review the Tests first
- Small changes merge at once.
"""
AFTER = """\
---
name: Review
type: feedback
---

- Tests first, then the diff.
  - **Why:** A green suite may test nothing. Two PRs did.
  - Also: order of reading
- Name the risk.
- Small changes merge at once.
"""


def change(before: str | bytes | None, after: str | bytes | None, path: str = "a.md") -> FileChange:
    old = before.encode() if isinstance(before, str) else before
    new = after.encode() if isinstance(after, str) else after
    return FileChange(path, old, new, "why")


def shown(diff: FileDiff) -> list[str]:
    return [
        f"{line.old or '':>2} {line.new or '':>2} {line.sign}{line.text}"
        for hunk in diff.hunks
        for line in hunk.lines
    ]


def test_lines_have_both_numbers() -> None:
    diff = diff_of(change(BEFORE, AFTER), context=1)
    assert shown(diff) == [
        " 6  6  - Tests first, then the diff.",
        " 7    -  - **Why:** A green suite may test nothing.",
        "    7 +  - **Why:** A green suite may test nothing. Two PRs did.",
        "    8 +  - Also: order of reading",
        " 8  9  - Name the risk.",
        " 9    -- review the Tests first",
        "10 10  - Small changes merge at once.",
    ]
    assert (diff.path, diff.kind, diff.added, diff.removed, diff.note) == (
        "a.md", "changed", 2, 2, "",
    )  # fmt: skip
    (hunk,) = diff.hunks
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (6, 5, 6, 5)
    assert hunk.heading == "entry :0"


def test_changed_words_are_marked() -> None:
    diff = diff_of(change(BEFORE, AFTER), context=0)
    new = next(line for line in diff.hunks[0].lines if line.new == 7)
    assert [new.text[start:end] for start, end in new.words] == [" Two PRs did."]
    pair = diff_of(change("- [A](a.md) — Diff first\n", "- [A](a.md) — Tests first\n"))
    words = [[line.text[a:b] for a, b in line.words] for line in pair.hunks[0].lines]
    assert words == [["Diff"], ["Tests"]]
    cjk = diff_of(change("数据保留三十天\n", "数据保留九十天\n")).hunks[0].lines
    assert [[line.text[a:b] for a, b in line.words] for line in cjk] == [["三"], ["九"]]


def test_lines_that_are_nothing_alike_are_not_paired() -> None:
    diff = diff_of(change("one two three\n", "vier fünf sechs\nsieben\n"))
    assert shown(diff) == [
        " 1    -one two three",
        "    1 +vier fünf sechs",
        "    2 +sieben",
    ]
    assert all(not line.words for line in diff.hunks[0].lines)


def test_hunks_far_apart_name_their_place() -> None:
    entries = [f"- entry {n}\n" for n in range(12)]
    before = "---\nname: a\n---\n" + "".join(entries)
    after = before.replace("name: a", "name: b").replace("- entry 11\n", "")
    hunks = diff_of(change(before, after)).hunks
    assert [(h.old_start, h.old_count, h.new_start, h.new_count) for h in hunks] == [
        (1, 5, 1, 5),
        (12, 4, 12, 3),
    ]
    assert [hunk.heading for hunk in hunks] == ["frontmatter", "entry :11"]
    assert diff_of(change("- a\n- b\n", "- a\n", "x/MEMORY.md")).hunks[0].heading == ""


def test_line_ends_are_part_of_a_line() -> None:
    diff = diff_of(change("a\r\nb", "a\nb\n"))
    assert [(line.sign, line.text, line.ending) for line in diff.hunks[0].lines] == [
        ("-", "a", "\r\n"),
        ("+", "a", "\n"),
        ("-", "b", ""),
        ("+", "b", "\n"),
    ]


def test_a_file_that_comes_or_goes() -> None:
    gone = diff_of(change("a\nb", None))
    assert (gone.kind, gone.added, gone.removed) == ("removed", 0, 2)
    assert (gone.hunks[0].new_start, gone.hunks[0].new_count) == (0, 0)
    assert gone.hunks[0].heading == ""
    new = diff_of(change(None, "a\n"))
    assert (new.kind, new.added, new.removed) == ("added", 1, 0)
    assert diff_of(change(b"", None)).hunks == ()
    assert diff_of(change("same\n", "same\n")).hunks == ()


def test_what_is_not_utf8_is_said() -> None:
    latin = diff_of(change("é\n".encode("latin-1"), None))
    assert (latin.hunks[0].lines[0].text, latin.note) == ("é", "not UTF-8, shown as Latin-1")
    wide = diff_of(change("\ufeffé\n".encode("utf-16-le"), None))
    assert (wide.hunks[0].lines[0].text, wide.note) == ("é", "not UTF-8, shown as UTF-16")
    assert diff_of(change(b"\x00\x1b[2J\n", None)).hunks[0].lines[0].text == "\x00\x1b[2J"


def test_a_symlink_is_its_target() -> None:
    gone = FileChange("a.md", b"the file's bytes\n", None, "why", link="b.md")
    assert shown(diff_of(gone)) == [" 1    -b.md"]
    assert diff_of(gone).note == "symbolic link"
    made = FileChange("a.md", None, b"the file's bytes\n", "why", link="b.md")
    assert shown(diff_of(made)) == ["    1 +b.md"]


def test_the_unified_format() -> None:
    store = Store("project", "qwen", Path("/m"))
    changes = (change("a\nb\nc", "a\nB\nc"), change("x\n", None, "b c.md"))
    assert unified(ChangeSet(store, "forget", changes)) == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n"
        "--- a/b c.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert unified(ChangeSet(store, "forget", ())) == ""
    assert unified_file(change(b"\xe9", None)).startswith(
        "# a.md: not UTF-8, shown as Latin-1\n--- a/a.md\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("".join(f"{n}\n" for n in range(6_000)), "".join(f"x{n}\n" for n in range(6_000))),
        ("\n" * 1_500 + "a\n", "b\n" + "\n" * 1_400 + "c\n"),
    ],
    ids=["many lines", "many equal lines"],
)
def test_what_is_too_long_is_two_blocks(before: str, after: str) -> None:
    diff = diff_of(change(before, after))
    assert diff.note == "too long to compare line by line"
    assert "".join(line.text + line.ending for line in diff.hunks[0].lines if line.old) == before


def test_of_a_very_long_line_both_ends_are_compared() -> None:
    words = " ".join(f"w{n}" for n in range(5_000))
    diff = diff_of(change(f"{words} old tail\n", f"{words} new tail\n"))
    marked = [[line.text[a:b] for a, b in line.words] for line in diff.hunks[0].lines]
    assert marked == [["old"], ["new"]]


TEXTS = st.lists(
    st.sampled_from(
        ("a\n", "b\n", "a b c\n", "a x c\n", "\n", "a\r\n", "é 数据\n", "\\ No\n", "- x\n")
    ),
    max_size=12,
).map("".join)


@given(TEXTS, TEXTS, st.booleans(), st.integers(0, 3))
def test_both_sides_can_be_put_together_again(
    before: str, after: str, has_final: bool, context: int
) -> None:
    if not has_final:
        before, after = before.removesuffix("\n"), after + "end"
    whole = diff_of(change(before, after), context=100)
    lines = [line for hunk in whole.hunks for line in hunk.lines]
    if before != after:
        assert "".join(line.text + line.ending for line in lines if line.old) == before
        assert "".join(line.text + line.ending for line in lines if line.new) == after
    diff = diff_of(change(before, after), context=context)
    assert diff.added == sum(line.sign == "+" for line in lines)
    assert diff.removed == sum(line.sign == "-" for line in lines)
    for hunk in diff.hunks:
        old = [line.old for line in hunk.lines if line.old]
        new = [line.new for line in hunk.lines if line.new]
        assert old == list(range(hunk.old_start, hunk.old_start + hunk.old_count))
        assert new == list(range(hunk.new_start, hunk.new_start + hunk.new_count))
        for line in hunk.lines:
            assert all(0 <= start < end <= len(line.text) for start, end in line.words)


def test_standard_tools_take_the_text_as_a_patch(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(BEFORE.encode())
    patch = unified_file(change(BEFORE, AFTER + "no end"))
    done = subprocess.run(
        ["git", "apply", "-p1", "-"], input=patch.encode(), cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == (AFTER + "no end").encode()
