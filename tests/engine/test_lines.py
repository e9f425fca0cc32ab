"""Lines with their spans, and code blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.blocks import body_lines
from memtui.engine.format.lines import FenceTracker, indent_of, lines_and_code, lines_with_spans
from memtui.engine.types import Span


def code(text: str) -> list[str]:
    return [line.text.decode() for line, is_code in lines_and_code(text.encode()) if is_code]


def test_lines_end_at_line_feeds() -> None:
    data = b"a\r\n\r\n\rb\rc\n\nlast\r"
    assert [(line.start, line.end, line.text) for line in lines_with_spans(data)] == [
        (0, 3, b"a"),
        (3, 5, b""),
        (5, 10, b"\rb\rc"),
        (10, 11, b""),
        (11, 16, b"last\r"),
    ]
    assert [line.text for line in lines_with_spans(data, 3, 12)] == [b"", b"\rb\rc", b"", b"l"]
    assert next(lines_with_spans(data, 3)).span == Span(3, 5)
    assert [line.is_blank for line in lines_with_spans(b" \t\nx\n")] == [True, False]
    assert list(lines_with_spans(b"")) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [(b"x", 0), (b"  x", 2), (b"\tx", 4), (b"  \tx", 4), (b" \t x", 5), (b"", 0)],
)
def test_indents_count_columns(text: bytes, columns: int) -> None:
    assert indent_of(text) == columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```\nb\n```\nc", ["```", "b", "```"]),
        ("````\n```\n````\nc", ["````", "```", "````"]),
        ("```\n~~~\n```` \nc", ["```", "~~~", "```` "]),
        ("~~~ `py`\nb\n~~~\nc", ["~~~ `py`", "b", "~~~"]),
        ("``` a`b\nc", []),
        ("``\nc\n``", []),
        ("   ```\nb\n   ```\nc", ["   ```", "b", "   ```"]),
        ("a\n    ```\nb", []),
        ("```\n    ```\n```\nb", ["```", "    ```", "```"]),
        ("```\nto the end", ["```", "to the end"]),
        ("``` x\n``` y\n```\nb", ["``` x", "``` y", "```"]),
        ("- a\n  ```\n  b\n  ```\n- c", ["  ```", "  b", "  ```"]),
        ("- a\n  ```\nb\n  ```\n- c", ["  ```", "b", "  ```"]),
        ("- ```\n  b\n  ```\n- c", ["- ```", "  b", "  ```"]),
        ("1. a\n   - b\n\n     ```\n     c\n     ```\nd", ["     ```", "     c", "     ```"]),
        ("> ```\n> b\nout", ["> ```", "> b"]),
        ("> ```\n> b\n> ```\n> c", ["> ```", "> b", "> ```"]),
        ("a\n\n    b\n\n    c\nd", ["    b", "    c"]),
        ("a\n    b", []),
        ("- a\n\n    b", []),
        ("- a\n\n      b", ["      b"]),
        ("-     a\nb", []),
        ("# h\r\n```\r\nb\r\n```\r\n", ["```", "b", "```"]),
    ],
)
def test_code_blocks(text: str, expected: list[str]) -> None:
    assert code(text) == expected


def test_the_tracker_says_whether_a_fence_is_open() -> None:
    fences = FenceTracker()
    states = [(fences.feed(line), fences.in_fence) for line in (b"a", b"```", b"b", b"```", b"c")]
    assert states == [(False, False), (True, True), (True, True), (True, False), (False, False)]


def test_deep_nesting_is_cheap() -> None:
    line = b"- " * 200_000
    assert FenceTracker().feed(line) is False
    assert [kind.is_blank for kind in lines_with_spans(line)] == [False]


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_lines_cover_their_range(data: bytes, start: int, end: int) -> None:
    start, end = min(start, len(data)), min(max(start, end), len(data))
    for lines in (
        list(lines_with_spans(data, start, end)),
        [line for line, _ in lines_and_code(data, start, end)],
        body_lines(data, start, end),
    ):
        assert b"".join(data[line.start : line.end] for line in lines) == data[start:end]
        assert all(line.text == data[line.start :][: len(line.text)] for line in lines)
        assert all(b"\n" not in line.text for line in lines)
