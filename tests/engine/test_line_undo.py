"""Reversing the lines of one change in an index that was rewritten since."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.line_undo import reverse_lines

BEFORE = b"# Index\n\n- [a](a.md) - x\n- [b](b.md) - y\n- [c](c.md) - z\n"
WITHOUT_B = b"# Index\n\n- [a](a.md) - x\n- [c](c.md) - z\n"


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        pytest.param(WITHOUT_B, BEFORE, id="untouched"),
        pytest.param(BEFORE, BEFORE, id="back already"),
        pytest.param(
            b"# Index\n\n- [a](a.md) - x\n- [c](c.md) - z\n- [d](d.md)\n",
            b"# Index\n\n- [a](a.md) - x\n- [b](b.md) - y\n- [c](c.md) - z\n- [d](d.md)\n",
            id="a line was added at the end",
        ),
        pytest.param(
            b"# Index\n\n- [a](a.md) - other\n- [c](c.md) - z\n",
            b"# Index\n\n- [a](a.md) - other\n- [b](b.md) - y\n- [c](c.md) - z\n",
            id="the upper neighbour was rewritten",
        ),
        pytest.param(
            b"# Index\n\n- [c](c.md) - z\n- [n](n.md)\n- [a](a.md) - x\n",
            b"# Index\n\n- [c](c.md) - z\n- [n](n.md)\n- [a](a.md) - x\n- [b](b.md) - y\n",
            id="sorted another way: below the old upper neighbour",
        ),
        pytest.param(b"", b"- [b](b.md) - y\n", id="emptied"),
        pytest.param(b"Other\n", b"Other\n- [b](b.md) - y\n", id="all is new"),
        pytest.param(b"Other", b"Other\n- [b](b.md) - y", id="all is new, without a last line end"),
        pytest.param(
            b"# Index\n\n- [a](a.md) - x\n- [B again](b.md) - new\n- [c](c.md) - z\n",
            b"# Index\n\n- [a](a.md) - x\n- [B again](b.md) - new\n- [c](c.md) - z\n",
            id="the file has got a new line",
        ),
        pytest.param(
            b"# Index\r\n\r\n- [a](a.md) - x\r\n- [c](c.md) - z\r\n- [d](d.md)\r\n",
            BEFORE.replace(b"\n", b"\r\n") + b"- [d](d.md)\r\n",
            id="other line ends",
        ),
    ],
)
def test_a_removed_line_comes_back(current: bytes, expected: bytes) -> None:
    assert reverse_lines(BEFORE, WITHOUT_B, current) == expected


@pytest.mark.parametrize(
    ("before", "after", "current", "expected"),
    [
        pytest.param(b"A\n", b"A\nX\n", b"N\nA\nX\nM\n", b"N\nA\nM\n", id="amid others"),
        pytest.param(b"A\n", b"A\nX\n", b"X\nN\nA\n", b"N\nA\n", id="moved"),
        pytest.param(b"A\n", b"A\nX\n", b"A\nX changed\n", b"A\nX changed\n", id="rewritten"),
        pytest.param(b"A", b"A\nX", b"N\nA\nX", b"N\nA", id="the last, without a line end"),
        pytest.param(b"A\nB", b"A", b"A\nC", b"A\nB\nC", id="the last that was, others after it"),
        pytest.param(
            b"A\nold\nB\n", b"A\nnew\nB\n", b"A\nnew\nN\nB\n", b"A\nold\nN\nB\n", id="edit"
        ),
        pytest.param(b"A\n\nB\n", b"A\nB\n", b"A\nB\nC\n", b"A\n\nB\nC\n", id="a blank line"),
        pytest.param(b"A\n\xff\n", b"A\n", b"N\nA\n", b"N\nA\n\xff\n", id="no UTF-8"),
        pytest.param(
            b"- [a](a.md)\n> WARNING: 3 more\n",
            b"- [a](a.md)\n> WARNING: 2 more\n",
            b"- [a](a.md)\n- [b](b.md)\n> WARNING: 1 more\n",
            b"- [a](a.md)\n- [b](b.md)\n> WARNING: 1 more\n",
            id="one warning is enough",
        ),
        pytest.param(
            b"- [a](a.md)\n- [b](b.md)\n- [c](c.md)",
            b"- [b](b.md)\n- [a](a.md)\n- [c](c.md)",
            b"- [b](b.md)\n- [c](c.md)",
            b"- [b](b.md)\n- [c](c.md)",
            id="an entry that was moved and went since stays away",
        ),
        pytest.param(
            b"- [a](a.md) - x\n- [b](b.md)\n",
            b"- [a](a.md) - y\n- [b](b.md)\n",
            b"- [b](b.md)\n- [n](n.md)\n",
            b"- [b](b.md)\n- [n](n.md)\n",
            id="an entry that was reworded and went since stays away",
        ),
        pytest.param(
            b"- [a](a.md)\n- [b](b.md)\n- [c](c.md)",
            b"- [c](c.md)\n- [a](a.md)",
            b"- [a](a.md)\n- [n](n.md)",
            b"- [a](a.md)\n- [b](b.md)\n- [n](n.md)",
            id="one that was removed comes back, one that was moved does not",
        ),
    ],
)
def test_lines_go_and_come(before: bytes, after: bytes, current: bytes, expected: bytes) -> None:
    assert reverse_lines(before, after, current) == expected


LINES = st.lists(
    st.sampled_from([b"- [a](a.md)", b"- [b](b.md) x", b"# H", b"", b"text", b"> WARNING: 1"]),
    max_size=8,
).map(lambda lines: b"".join(line + b"\n" for line in lines))
ANY = st.one_of(LINES, st.binary(max_size=40), LINES.map(lambda raw: raw[:-1]))


@given(ANY, ANY)
def test_an_index_that_nobody_wrote_since_is_as_before(before: bytes, after: bytes) -> None:
    assert reverse_lines(before, after, after) == before


@given(ANY, ANY)
def test_nothing_changed_nothing_reversed(before: bytes, current: bytes) -> None:
    assert reverse_lines(before, before, current) == current


UNIQUE = st.lists(st.integers(0, 40).map(lambda n: b"- line %d" % n), unique=True, max_size=12)


@given(UNIQUE, st.data())
def test_what_others_wrote_stays_in_its_order(lines: list[bytes], data: st.DataObject) -> None:
    """Ours: some lines go. Theirs: some other lines go, new ones come."""
    removed = data.draw(st.sets(st.sampled_from(lines))) if lines else set()
    kept = [line for line in lines if line not in removed]
    theirs = data.draw(st.lists(st.integers(100, 140).map(lambda n: b"new %d" % n), unique=True))
    gone = data.draw(st.sets(st.sampled_from(kept))) if kept else set()
    current = [line for line in kept if line not in gone]
    for each in theirs:
        current.insert(data.draw(st.integers(0, len(current))), each)
    before, after, now = (b"".join(x + b"\n" for x in each) for each in (lines, kept, current))
    result = reverse_lines(before, after, now).splitlines()
    assert [line for line in result if line not in removed] == current
    assert sorted(line for line in result if line in removed) == sorted(removed)
    if not theirs and not gone:
        assert result == lines
