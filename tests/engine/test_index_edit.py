"""Splices of an index: every byte that is not named stays (spec section 7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.index import parse_index
from memtui.engine.format.index_edit import (
    Addition,
    Splice,
    fit,
    newline_of,
    removal,
    replacement,
    retargeted,
    splice,
    warning_line,
    with_additions,
)

NEW = "- [New](new.md) — text"


def added(index: str, **kin: tuple[int, ...]) -> str | None:
    """`index` with one line; `kin` are kinships by `l` and line number."""
    kinship = {int(key[1:]): value for key, value in kin.items()}
    after = with_additions(index.encode(), [Addition(NEW, kinship)])
    return None if after is None else after.decode()


def test_splices_keep_everything_else() -> None:
    splices = [Splice(4, 6, b"X"), Splice(0, 1, b""), Splice(2, 2, b"one"), Splice(2, 2, b"two")]
    assert splice(b"abcdefg", splices) == b"bonetwocdXg"
    assert splice(b"abc", []) == b"abc"


def test_the_line_end_of_most_lines() -> None:
    assert newline_of(b"a\r\nb\r\nc\n") == b"\r\n"
    assert newline_of(b"a\r\nb\nc\n") == b"\n"
    assert newline_of(b"a\r\nb\n") == b"\n"
    assert newline_of(b"") == b"\n"


@pytest.mark.parametrize(
    ("source", "line", "left", "renamed"),
    [
        (b"- [a](a.md)\r\nb\r\n", 1, b"b\r\n", b"NEW\r\nb\r\n"),
        (b"x\n- [a](a.md)", 2, b"x\n", b"x\nNEW"),
        (b"\xef\xbb\xbf- [a](a.md)\nb\n", 1, b"b\n", b"\xef\xbb\xbfNEW\nb\n"),
        (b"- [a](a.md)\r", 1, b"", b"NEW"),
    ],
)
def test_a_line_goes_whole_and_changes_between_its_ends(
    source: bytes, line: int, left: bytes, renamed: bytes
) -> None:
    index = parse_index(source)
    assert splice(source, [removal(index.lines[line - 1])]) == left
    assert splice(source, [replacement(index, index.lines[line - 1], "NEW")]) == renamed


@pytest.mark.parametrize(
    ("line", "place", "expected"),
    [
        ("- [a](a.md) — x [a](a.md)", "b c.md", "- [a](b%20c.md) — x [a](a.md)"),
        ("- [a](old/a%20b.md#part)", "b.md", "- [a](b.md#part)"),
        ("- [a](<a b.md>)", "c(1).md", "- [a](<c%281%29.md>)"),
        ("- [[a|label]] hook", "sub/b.md", "- [[sub/b|label]] hook"),
        ("- `a.md` — hook", "sub/b.md", "- `sub/b.md` — hook"),
        ("- `a.md` — hook", "with space.md", None),
        ("- [[a]]", "b#1.md", None),
    ],
)
def test_a_target_is_written_over(line: str, place: str, expected: str | None) -> None:
    target = parse_index(line.encode()).lines[0].target
    assert target is not None
    one = retargeted(target, place)
    assert (None if one is None else splice(line.encode(), [one]).decode()) == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("", f"{NEW}\n"),
        ("\ufeff", f"\ufeff{NEW}\n"),
        ("# Notes\n", f"# Notes\n{NEW}\n"),
        ("# Notes\r\n", f"# Notes\r\n{NEW}\r\n"),
        ("# Notes", f"# Notes\n{NEW}"),
        ("# Notes\r\n- [a](a.md)", f"# Notes\r\n- [a](a.md)\r\n{NEW}"),
        ("- [a](a.md)\n\nProse.\n", f"- [a](a.md)\n\nProse.\n{NEW}\n"),
    ],
)
def test_without_kin_a_line_goes_to_the_end(index: str, expected: str) -> None:
    assert added(index) == expected


LISTS = """\
# Style
- [a](a.md) — hook
  that goes on
- plain item

## Old

* [b](b.md)

  further
* [c](c.md)
lazy
## Rest
  - [d](d.md)
1. [e](e.md)
"""


@pytest.mark.parametrize(
    ("kin", "line_above", "line"),
    [
        ({"l2": (1, 0)}, "- plain item", NEW),
        ({"l8": (1, 0)}, "lazy", "* " + NEW[2:]),
        ({"l11": (1, 0)}, "lazy", "* " + NEW[2:]),
        ({"l14": (0, 1)}, "1. [e](e.md)", "  " + NEW),
        ({"l15": (0, 1)}, "1. [e](e.md)", NEW),
        ({"l2": (1, 0), "l8": (0, 1), "l11": (0, 1)}, "- plain item", NEW),
        ({"l2": (1, 0), "l8": (1, 0), "l11": (1, 0)}, "lazy", "* " + NEW[2:]),
        ({"l2": (0, 0)}, "1. [e](e.md)", NEW),
    ],
)
def test_a_line_goes_to_the_end_of_the_list_of_its_kin(
    kin: dict[str, tuple[int, ...]], line_above: str, line: str
) -> None:
    assert added(LISTS, **kin) == LISTS.replace(f"{line_above}\n", f"{line_above}\n{line}\n")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("- [a](a.md)\n```\ncode\n", f"- [a](a.md)\n{NEW}\n```\ncode\n"),
        ("```\ncode\n", f"{NEW}\n```\ncode\n"),
        ("- [a](a.md)\n<!-- x\n\n-->\n", f"- [a](a.md)\n{NEW}\n<!-- x\n\n-->\n"),
    ],
)
def test_a_line_is_never_hidden_in_code_or_a_comment(index: str, expected: str) -> None:
    assert added(index, l1=(1,)) == expected


def test_several_lines_keep_their_order() -> None:
    kinship = {1: (1,)}
    additions = [Addition("- [x](x.md)", kinship), Addition("- [y](y.md)", kinship)]
    assert with_additions(b"- [a](a.md)\n\nend", additions) == (
        b"- [a](a.md)\n- [x](x.md)\n- [y](y.md)\n\nend"
    )
    assert with_additions(b"- [a](a.md)", additions) == b"- [a](a.md)\n- [x](x.md)\n- [y](y.md)"
    assert with_additions(b"as it is", []) == b"as it is"


def test_a_managed_index_within_its_limits() -> None:
    lines = [f"- [n](n{number}.md)" for number in range(200)]
    assert fit(lines, 200) == ("\n".join(lines).encode(), 200)
    assert fit([], 0) == (b"", 0)
    over = fit([*lines, "- [n](n200.md)"], 201)
    assert over.taken == 199
    assert over.content == "\n".join([*lines[:199], warning_line(2)]).encode()
    assert warning_line(2) == (
        "> WARNING: 2 memories are not listed here; an index holds at most 200 lines and "
        "25,000 bytes."
    )
    assert warning_line(1).startswith("> WARNING: 1 memory is not listed here;")


def test_the_limit_counts_bytes_and_the_warning() -> None:
    lines = [f"- [{'界' * 60}](n{number:03}.md)" for number in range(150)]
    size = len(lines[0].encode()) + 1
    assert size == 194
    exact = [*lines[:124], "x" * (25_000 - 124 * size)]
    assert fit(exact, 125) == ("\n".join(exact).encode(), 125)
    assert fit([*exact[:-1], exact[-1] + "x"], 125).taken == 124
    over = fit(lines, 150)
    assert len(over.content) <= 25_000
    assert over.taken == 128
    assert len(over.content) + size > 25_000
    last = over.content.decode().split("\n")[-1]
    assert parse_index(last.encode()).lines[0].kind == "warning"


INDEX_LINES = st.lists(
    st.sampled_from(
        (
            "- [a](a.md) — hook", "* [b](b.md)", "  - [c](c.md)", "- [[d]]", "- `e.md`", "# Head",
            "prose [x](x.md)", "", " ", "```", "~~~", "    code", "---", "===", "| [t](t.md) | x |",
            "|---|---|", "> quote", "> WARNING: x", "- [cut](cu…", "<!--", "-->", "  more",
            "1. one", "- plain", "- [ ] [f](f.md)",
        )
    ),
    max_size=16,
)  # fmt: skip
ENDS = st.sampled_from(("\n", "\r\n"))


@given(INDEX_LINES, ENDS, st.booleans(), st.dictionaries(st.integers(1, 16), st.just((1,))))
def test_untouched_bytes_stay(
    lines: list[str], newline: str, has_final: bool, kinship: dict[int, tuple[int, ...]]
) -> None:
    source = (newline.join(lines) + (newline if has_final and lines else "")).encode()
    after = with_additions(source, [Addition(NEW, kinship)])
    if after is None:
        return
    index = parse_index(after)
    new = [line for line in index.lines if line.text.endswith(NEW[2:])]
    assert [line.kind for line in new] == ["entry"]
    left = splice(after, [removal(new[0])])
    if source and not source.endswith(b"\n") and new[0].end == len(after):
        # The line end that the last line got stays.
        assert left in (source + b"\n", source + b"\r\n")
    else:
        assert left == source
    kinds = [(line.kind, line.text) for line in index.lines if line is not new[0]]
    assert kinds == [(line.kind, line.text) for line in parse_index(source).lines]
