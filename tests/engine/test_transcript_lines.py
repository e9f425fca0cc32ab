"""Lines of a session file to records (spec section 8, Sessions)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.format.json_lines import read_line

ONE = {"type": "user", "parentUuid": "a", "message": {"content": "one"}}
TWO = {"type": "user", "parentUuid": "b", "message": {"content": "two"}}
ONE_RAW, TWO_RAW = json.dumps(ONE).encode(), json.dumps(TWO).encode()


@pytest.mark.parametrize("raw", [b"", b"\r", b" \t\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r"])
def test_a_blank_line_is_no_damage(raw: bytes) -> None:
    assert read_line(raw) == ((), False, 0, False)


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"  "])
@pytest.mark.parametrize("behind", [b"", b"\r", b" \t\r"])
def test_one_record(before: bytes, behind: bytes) -> None:
    raw = before + ONE_RAW + behind
    assert read_line(raw) == ((ONE,), False, len(raw), False)


@pytest.mark.parametrize("raw", [b"[1,2]", b'"text"', b"null", b"42", b"{", b"\0" * 900, b"}{"])
def test_what_is_no_record_is_a_broken_line(raw: bytes) -> None:
    assert read_line(raw) == ((), False, 0, True)


def test_records_glued_on_one_line_are_all_read() -> None:
    raw = ONE_RAW + TWO_RAW + b" " + ONE_RAW
    assert read_line(raw) == ((ONE, TWO, ONE), False, len(raw), False)


def test_the_end_is_counted_in_bytes() -> None:
    wide = json.dumps({"type": "user", "t": "äöü 値 🎉"}, ensure_ascii=False).encode()
    assert read_line(wide + TWO_RAW + b"{")[1:] == (False, len(wide + TWO_RAW), True)
    bad = b'{"type": "user", "t": "\xff\xfe"}'
    assert read_line(bad + TWO_RAW + b"{").end == len(bad + TWO_RAW)


@pytest.mark.parametrize("cut", range(1, len(ONE_RAW)))
def test_a_record_spliced_into_another_is_read_wherever_it_is(cut: int) -> None:
    """Cut before its last brace; in a string, at a key, between members."""
    line = read_line(ONE_RAW[:cut] + TWO_RAW)
    assert line.records[-1] == TWO
    assert (line.is_damaged, line.end, line.has_rest) == (True, cut + len(TWO_RAW), False)


def test_the_rest_of_the_outer_record_is_damage_too() -> None:
    line = read_line(ONE_RAW[:30] + TWO_RAW + ONE_RAW[30:])
    assert line.records == (TWO,)
    assert line.has_rest


def test_nul_before_a_record_is_damage() -> None:
    raw = b"\0" * 40 + ONE_RAW
    assert read_line(raw) == ((ONE,), True, len(raw), False)


def test_a_part_of_a_cut_record_is_no_record() -> None:
    parts = {"type": "message", "content": [{"type": "text", "text": "x"}]}
    raw = json.dumps({"type": "user", "parentUuid": "a", "message": parts, "cwd": "/w"}).encode()
    assert read_line(raw[:-4]) == ((), False, 0, True)


def test_halves_of_a_pair_and_control_characters_are_read() -> None:
    (record,) = read_line(rb'{"a": "x \ud83d y", "b": "' + b'\x01\t"}').records
    assert record == {"a": "x \ud83d y", "b": "\x01\t"}


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"a":[' * 50_000 + TWO_RAW,
        b'{"a":1' * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
    ],
    ids=["deep arrays", "deep objects", "deep, then a record", "many openings", "long number"],
)
def test_hostile_lines_end(raw: bytes) -> None:
    line = read_line(raw)
    assert line.records == ()
    assert line.has_rest


@given(st.binary(max_size=200))
def test_no_bytes_raise(raw: bytes) -> None:
    line = read_line(raw)
    assert 0 <= line.end <= len(raw)
    assert all(isinstance(record, dict) for record in line.records)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(), _VALUES, max_size=4)


@given(st.lists(_OBJECTS, min_size=1, max_size=4), st.booleans())
def test_any_objects_come_back(records: list[dict[str, object]], ascii_only: bool) -> None:
    texts = (json.dumps(each, ensure_ascii=ascii_only) for each in records)
    raw = "".join(texts).encode("utf-8", "surrogatepass")
    line = read_line(raw)
    assert len(line.records) == len(records)
    assert (line.is_damaged, line.end, line.has_rest) == (False, len(raw), False)
    if ascii_only:
        assert list(line.records) == records
