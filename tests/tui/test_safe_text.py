"""What leaves `safe_text` is plain, visible, and one line where one line was asked for."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.markdown import render_markdown
from memtui.tui.safe_text import safe_block, safe_characters, safe_line, safe_lines
from memtui.tui.themes import Palette

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
        ("join\u200der", "join\\u200der"),
        ("a\ufe0f\u200db", "a\\ufe0f\\u200db"),
        ("😀\U000e0154\U000e0155", "😀\U000e0154\\U000e0155"),
        ("\u3164\u034f", "\\u3164\\u034f"),
        ("❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "❤\ufe0f\u200d🔥 1\ufe0f\u20e3"),
        ("葛\U000e0100城 می\u200cخواهم", "葛\U000e0100城 می\u200cخواهم"),
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


@given(_ANY)
def test_one_character_stands_for_one(text: str) -> None:
    shown = safe_characters(text)
    assert len(shown) == len(text)
    assert safe_line(shown) == shown


_PIECES = st.sampled_from(
    [
        *(
            "[",
            "]",
            "(",
            ")",
            "<",
            ">",
            "!",
            "`",
            "*",
            "~",
            "|",
            "#",
            "-",
            "\\",
            "&",
            ";",
            ":",
            " ",
        ),
        *(
            "\n",
            "\n\n",
            "    ",
            "```",
            "a",
            "b.md",
            '"t"',
            "https://e.example",
            "[x]: y",
            "- ",
            "> ",
        ),
        *("&#27;", "&#x202e;", "&#13;", "&#10;", "&nbsp;", "&ZeroWidthSpace;", "[a](<&#x9b;>)"),
        *("\x1b[31m", "\u202e", "\u200b", "\r"),
    ]
)


@given(st.lists(_PIECES, max_size=40).map("".join), st.integers(1, 60))
def test_markdown_brings_nothing_hidden_back(text: str, width: int) -> None:
    for line in render_markdown(safe_block(text), width, Palette(), ("a",)):
        assert safe_line(line.plain) == line.plain
        for span in line.spans:
            assert isinstance(span.style, str)
            assert "@" not in span.style
            assert "link" not in span.style
