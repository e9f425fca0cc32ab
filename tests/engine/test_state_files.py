"""State files: read without harm, changed in single keys (spec section 11)."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.state import (
    REPAIR,
    StateFile,
    differing_keys,
    dump,
    parse_state,
    patch,
    read_state,
    same_value,
)
from memtui.engine.errors import RefusedError
from memtui.engine.format.times import iso_time, parse_iso_time
from memtui.engine.types import StateChange
from tests.engine.unprivileged import run_without_privileges

NOW_NS = 1_795_000_000_123_456_789
NOW = "2026-11-18T11:06:40.123Z"

META = b"""{
  "version": 1,
  "createdAt": "2026-07-01T08:00:00.000Z",
  "updatedAt": "2026-07-02T08:00:00.000Z",
  "note": "\xd1\x91\xd0\xbb\xd0\xba\xd0\xb0 \\u0001 \\\\",
  "ratio": 1.0,
  "large": 123456789012345678901234567890,
  "tiny": 1e-7,
  "odd": [
    1E5,
    -0,
    2.50,
    {
      "deep": {},
      "list": []
    }
  ],
  "recentSessionIdsSinceDream": [
    "a",
    "b"
  ]
}
"""

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.integers(min_value=2**100)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=6)


def change(before: dict[str, object], after: dict[str, object]) -> StateChange:
    return StateChange("meta.json", before, after)


# Reading


def test_a_file_is_read_with_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "meta.json"
    path.write_bytes(META)
    found = read_state(path)
    assert found.problem == ""
    assert found.raw == META
    assert found.values is not None
    assert list(found.values)[:3] == ["version", "createdAt", "updatedAt"]
    assert found.values["large"] == 123456789012345678901234567890
    assert found.values["odd"] == [100000.0, 0, 2.5, {"deep": {}, "list": []}]


def test_a_missing_file_is_no_problem(tmp_path: Path) -> None:
    assert read_state(tmp_path / "meta.json") == StateFile(None, "", None)
    assert read_state(tmp_path / "no/meta.json") == StateFile(None, "", None)


BROKEN = [
    (b"", "is empty"),
    (b" \n", "is empty"),
    (b"[1]", "holds no JSON object"),
    (b"null", "holds no JSON object"),
    (b'{"a": 1', "is not valid JSON (line 1, column 8: Expecting ',' delimiter)"),
    (b'{\n  "a": x\n}', "is not valid JSON (line 2, column 8: Expecting value)"),
    (b'{"a": NaN}', "is not valid JSON (NaN is no JSON)"),
    (b'{"a": -Infinity}', "is not valid JSON (-Infinity is no JSON)"),
    (b"\xef\xbb\xbf{}", "starts with a byte order mark, which no agent reads"),
    (b'{"a": "\xff"}', "is not UTF-8"),
    ("{}".encode("utf-16"), "is not UTF-8"),
    (b"[" * 200_000, "is nested too deeply"),
    (b'{"a": 1} {"b": 2}', "is not valid JSON (line 1, column 10: Extra data)"),
]


@pytest.mark.parametrize(("raw", "fault"), BROKEN, ids=[fault[:40] for _, fault in BROKEN])
def test_a_broken_file_is_told_and_refused(tmp_path: Path, raw: bytes, fault: str) -> None:
    path = tmp_path / "meta.json"
    path.write_bytes(raw)
    assert read_state(path) == StateFile(None, f"{path} {fault}. {REPAIR}", raw)
    with pytest.raises(RefusedError) as refused:
        patch(raw, change({}, {"a": 1}), now_ns=NOW_NS)
    assert str(refused.value) == f"meta.json {fault}. {REPAIR}"
    assert path.read_bytes() == raw


def test_what_is_no_readable_file_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "meta.json"
    folder.mkdir()
    assert read_state(folder).problem == f"{folder} is no regular file. {REPAIR}"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_state(pipe).problem == f"{pipe} is no regular file. {REPAIR}"
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    assert read_state(link).problem == f"{link} is a link that leads nowhere. {REPAIR}"
    below = pipe / "meta.json"
    assert read_state(below).problem == f"{below} cannot be read: not a directory."
    problem = read_state(Path("a\0")).problem
    assert problem.startswith("a\0 cannot be read: ")
    assert "embedded null " in problem
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, 32_000_001)
    assert read_state(large).problem == f"{large} is too large to be a state file. {REPAIR}"


def test_a_file_without_rights_is_told_without_advice(tmp_path: Path) -> None:
    path = tmp_path / "meta.json"
    path.write_bytes(META)
    path.chmod(0)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from memtui.engine.disk.state import read_state\n"
        "found = read_state(Path(sys.argv[1]))\n"
        "print(found.values, found.raw, found.problem)"
    )
    told = run_without_privileges(code, str(path))
    assert told == f"None None {path} cannot be read: permission denied.\n"


# Changing


def test_nothing_named_nothing_changed() -> None:
    assert patch(META, change({}, {}), now_ns=NOW_NS) == META


def test_only_named_keys_change() -> None:
    patched = patch(
        META,
        change(
            {"updatedAt": "2026-07-02T08:00:00.000Z", "recentSessionIdsSinceDream": ["a", "b"]},
            {"updatedAt": NOW, "lastDreamStatus": "noop", "lastDreamTouchedTopics": ["ё", {}]},
        ),
        now_ns=NOW_NS,
    )
    end = META.index(b'  "recentSessionIdsSinceDream"')
    assert patched == (
        META[:end].replace(b"2026-07-02T08:00:00.000Z", NOW.encode())
        + b'  "lastDreamStatus": "noop",\n'
        + '  "lastDreamTouchedTopics": [\n    "ё",\n    {}\n  ]\n}\n'.encode()
    )


def test_what_the_keys_held_is_not_looked_at() -> None:
    raw = b'{"a": 1}'
    assert patch(raw, change({"a": 7, "b": 2}, {"a": 3}), now_ns=0) == b'{\n  "a": 3\n}\n'


def test_another_style_becomes_that_of_the_agents() -> None:
    raw = (
        b'\t{"b":1.0,"a":[1,{"c":null}],\r\n"b":2e0,  "x":true,"u":"\\u00e9\\ud83d\\ude00\\ud800"}'
    )
    assert patch(raw, change({}, {"n": False}), now_ns=0).decode() == (
        '{\n  "b": 2e0,\n  "a": [\n    1,\n    {\n      "c": null\n    }\n  ],\n'
        '  "x": true,\n  "u": "é😀\\ud800",\n  "n": false\n}\n'
    )


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" * 5000, "1.10", "1E+2", "-0", "-0.0"])
def test_a_number_keeps_its_digits(number: str) -> None:
    raw = f'{{\n  "a": {number},\n  "b": 1\n}}\n'.encode()
    assert patch(raw, change({}, {"b": 2}), now_ns=0) == raw.replace(b'"b": 1', b'"b": 2')


def test_a_missing_meta_is_made() -> None:
    made = patch(None, change({}, {"updatedAt": NOW, "lastDreamStatus": "noop"}), now_ns=NOW_NS)
    assert made.decode() == (
        f'{{\n  "version": 1,\n  "createdAt": "{NOW}",\n  "updatedAt": "{NOW}",\n'
        '  "lastDreamStatus": "noop"\n}\n'
    )


def test_a_missing_cursor_gets_only_its_keys() -> None:
    cursor = StateChange("extract-cursor.json", {}, {"sessionId": "s", "processedOffset": 6})
    assert patch(None, cursor, now_ns=NOW_NS).decode() == (
        '{\n  "sessionId": "s",\n  "processedOffset": 6\n}\n'
    )


def test_nesting_that_cannot_be_written_is_refused() -> None:
    raw = b'{"a": ' + b"[" * 600 + b"]" * 600 + b"}"
    assert parse_state(raw, "x").values is not None
    with pytest.raises(RefusedError, match="nested too deeply"):
        patch(raw, change({}, {"b": 1}), now_ns=0)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_json_is_an_error(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        patch(b"{}", change({}, {"a": value}), now_ns=0)


@given(OBJECTS)
def test_a_dump_is_that_of_the_standard_library(values: dict[str, object]) -> None:
    expected = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
    assert dump(values) == expected.encode()
    assert parse_state(dump(values), "x").values == values


@given(OBJECTS, OBJECTS, OBJECTS)
def test_a_patch_and_its_reverse(
    file: dict[str, object], before: dict[str, object], after: dict[str, object]
) -> None:
    raw = json.dumps(file).encode()
    known = {key: file[key] for key in before | after if key in file}
    forth = change(known, after)
    assert differing_keys(file, forth) == ()
    patched = parse_state(patch(raw, forth, now_ns=0), "x").values
    expected = {key: value for key, value in file.items() if key not in known} | after
    assert patched is not None
    assert same_value(patched, expected)
    assert [key for key in patched if key in file] == [key for key in file if key in patched]
    assert differing_keys(patched, forth, undone=True) == ()
    back = parse_state(patch(dump(patched), change(after, known), now_ns=0), "x").values
    assert back is not None
    assert same_value(back, file)


@given(st.binary(max_size=40) | OBJECTS.map(lambda each: json.dumps(each).encode()))
def test_any_bytes_are_read(raw: bytes) -> None:
    found = parse_state(raw, "x")
    assert found.raw == raw
    assert (found.values is None) == bool(found.problem)


# Comparing


def test_the_keys_that_another_has_changed() -> None:
    wanted = change({"a": 1, "gone": 2, "same": [1]}, {"a": 5, "new": 3, "same": [1, 2]})
    assert differing_keys({"a": 1, "gone": 2, "same": [1], "other": 9}, wanted) == ()
    assert differing_keys({"a": 2, "same": [1], "new": 0}, wanted) == ("a", "gone", "new")
    assert differing_keys(None, wanted) == ("a", "gone", "same")
    assert differing_keys({"a": 5, "new": 3, "same": [1, 2]}, wanted, undone=True) == ()
    assert differing_keys({"a": 1, "gone": 2}, wanted, undone=True) == (
        "a",
        "gone",
        "same",
        "new",
    )


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (None, False, False),
        ("1", 1, False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ({}, [], False),
        ("é", "e\u0301", False),
    ],
)
def test_json_values_are_compared_as_json(one: object, other: object, is_same: bool) -> None:
    assert same_value(one, other) is is_same
    assert same_value(other, one) is is_same


def test_numbers_out_of_range_are_compared_by_their_digits() -> None:
    values = parse_state(b'{"a": 1e400, "b": 1e500, "c": 1e400}', "x").values
    assert values is not None
    assert same_value(values["a"], values["c"]) is True
    assert same_value(values["a"], values["b"]) is False


# Times


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW_NS, NOW),
        (999_999, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
        (-(10**30), "0001-01-01T00:00:00.000Z"),
        (10**30, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_as_the_agents_write_it(time_ns: int, text: str) -> None:
    assert iso_time(time_ns) == text


@pytest.mark.parametrize(
    ("text", "time_s"),
    [
        ("2026-11-18T11:06:40.123Z", 1_795_000_000.123),
        ("2026-11-18T11:06:40Z", 1_795_000_000),
        ("2026-11-18T11:06Z", 1_794_999_960),
        ("2026-11-18t11:06:40z", 1_795_000_000),
        (" 2026-11-18 11:06:40 \n", 1_795_000_000),
        ("2026-11-18T11:06:40,5Z", 1_795_000_000.5),
        ("2026-11-18T11:06:40.123456789012Z", 1_795_000_000.123456789),
        ("2026-11-18T13:06:40+02:00", 1_795_000_000),
        ("2026-11-18T05:36:40.000-0530", 1_795_000_000),
        ("2026-11-18", 1_794_960_000),
    ],
)
def test_a_time_is_read_as_others_write_it(text: str, time_s: float) -> None:
    found = parse_iso_time(text)
    assert found is not None
    assert found / 1e9 == pytest.approx(time_s, abs=1e-6)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "2026-11-18T25:00:00Z", None]
)
def test_what_is_no_time(text: object) -> None:
    assert parse_iso_time(text) is None
    assert parse_iso_time(1_795_000_000_000) is None
    assert parse_iso_time("２０２６-11-18") is None
    assert parse_iso_time("2026-11-18T11:06:40.123ZZ") is None


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
def test_a_time_comes_back_to_the_millisecond(time_ns: int) -> None:
    assert parse_iso_time(iso_time(time_ns)) == time_ns // 1_000_000 * 1_000_000


@given(st.datetimes(timezones=st.sampled_from([timezone.utc, timezone(timedelta(hours=-9))])))
def test_a_time_of_the_standard_library_is_read(moment: datetime) -> None:
    found = parse_iso_time(moment.isoformat())
    assert (
        found
        == (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1) * 1000
    )


def test_the_order_of_texts_is_the_order_of_times() -> None:
    times = [0, 1_000_000, NOW_NS, 2 * NOW_NS]
    assert sorted(map(iso_time, times)) == [iso_time(each) for each in times]
