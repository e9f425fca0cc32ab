"""What leaves `safe_text` is plain, visible, and one line where one line was asked for."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.safe_text import safe_block, safe_line, safe_lines

_ANY = st.text(alphabet=st.characters(), max_size=80)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]52;c;AAAA\x07", "\\x1b]52;c;AAAA\\x07"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("nul\x00", "nul\\x00"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("lone \ud83d", "lone \\ud83d"),
        ("\ufeffbom", "\\ufeffbom"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("a\tb", "a    b"),
        ("line\u2028sep", "line\\u2028sep"),
        ("[bold]x[/bold] [@click=app.quit]y[/]", "[bold]x[/bold] [@click=app.quit]y[/]"),
        ("数据库 ёлка 👩‍💻 é", "数据库 ёлка 👩‍💻 é"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert safe_line(text) == shown


def test_line_ends() -> None:
    assert safe_lines("a\r\nb\rc\n") == ["a", "b\\x0dc", ""]
    assert safe_line("a\r\nb\nc") == "a b c"


@given(_ANY | st.binary(max_size=60).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_nothing_dangerous_comes_out(text: str) -> None:
    shown = safe_block(text)
    shown.encode("utf-8")
    for character in shown:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip
    assert "\n" not in safe_line(text)


@given(_ANY)
def test_safe_text_stays_as_it_is(text: str) -> None:
    once = safe_block(text)
    assert safe_block(once) == once
