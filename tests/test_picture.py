"""The pictures of the screens stand on an exact cell grid (no Chromium needed)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from screenshots.make import SCENES, Scene, main, selected, svg_of_scene
from screenshots.picture import NoBrowserError, draw_png, picture_of, png_size, save_svg, svg_of
from screenshots.shapes import shape

Rect = tuple[float, float, float, float, str]


def drawn(*lines: Sequence[Segment], columns: int = 20) -> str:
    return svg_of(picture_of(lines, columns, DEFAULT_TERMINAL_THEME))


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}" + tag))


def glyphs(svg: str) -> dict[tuple[float, float], str]:
    """(x, y) → glyph; a text element of one place holds one glyph of any length."""
    found: dict[tuple[float, float], str] = {}
    for element in elements(svg, "text"):
        places = [float(place) for place in element.attrib["x"].split()]
        content = element.text or ""
        parts = [content] if len(places) == 1 else list(content)
        assert len(parts) == len(places)
        for place, part in zip(places, parts, strict=True):
            assert (place, float(element.attrib["y"])) not in found
            found[place, float(element.attrib["y"])] = part
    return found


def rectangles(svg: str) -> list[Rect]:
    return [
        (
            float(element.attrib["x"]),
            float(element.attrib["y"]),
            float(element.attrib["width"]),
            float(element.attrib["height"]),
            element.attrib["fill"],
        )
        for element in elements(svg, "rect")
    ]


def test_every_glyph_has_the_x_of_its_cell() -> None:
    assert glyphs(drawn([Segment("ab c")], [Segment(" d")])) == {
        (10, 28): "a",
        (22, 28): "b",
        (46, 28): "c",
        (22, 52): "d",
    }


def test_wide_glyphs_take_two_cells_and_stand_in_their_middle() -> None:
    assert glyphs(drawn([Segment("a用户b")])) == {
        (10, 28): "a",
        (24, 28): "用",
        (48, 28): "户",
        (70, 28): "b",
    }


def test_signs_without_width_and_joined_emoji_stay_one_glyph() -> None:
    assert glyphs(drawn([Segment("e\u0301x😀y")])) == {
        (10, 28): "e\u0301",
        (22, 28): "x",
        (36, 28): "😀",
        (58, 28): "y",
    }


@given(st.lists(st.text(st.sampled_from("aЖé用の한😀 <&>'\"─"), max_size=6), max_size=4))
def test_places_follow_the_cells_of_the_text_before(texts: list[str]) -> None:
    svg = drawn([Segment(text, Style(bold=index % 2 == 0)) for index, text in enumerate(texts)])
    expected: dict[tuple[float, float], str] = {}
    column = 0
    for character in "".join(texts):
        width = cell_len(character)
        if character not in " ─":
            expected[10 + 12 * column + (2 if width == 2 else 0), 28] = character
        column += width
    assert glyphs(svg) == expected


def test_markup_in_text_is_escaped() -> None:
    svg = drawn([Segment("<&>")])
    assert "&lt;&amp;&gt;</text>" in svg
    assert glyphs(svg) == {(10, 28): "<", (22, 28): "&", (34, 28): ">"}


def test_the_size_is_the_grid_and_a_margin() -> None:
    svg = drawn([Segment("a")], [Segment("b")], columns=120)
    root = ElementTree.fromstring(svg)
    assert (root.attrib["width"], root.attrib["height"]) == ("1460", "68")
    assert rectangles(svg) == [(0, 0, 1460, 68, "#ffffff")]


def test_colours_appear_as_text_colour_and_background() -> None:
    style = Style(color="#5fc4b0", bgcolor="#242a38")
    svg = drawn([Segment("plain long text "), Segment("hi", style)])
    assert [element.attrib["fill"] for element in elements(svg, "text")] == ["#000000", "#5fc4b0"]
    assert rectangles(svg)[1:] == [(10 + 16 * 12, 10, 24, 24, "#242a38")]


def test_reverse_swaps_the_colours() -> None:
    style = Style(color="#5fc4b0", bgcolor="#242a38", reverse=True)
    svg = drawn([Segment("plain long text "), Segment("hi", style)])
    assert elements(svg, "text")[1].attrib["fill"] == "#242a38"
    assert rectangles(svg)[1:] == [(10 + 16 * 12, 10, 24, 24, "#5fc4b0")]


def test_dim_mixes_with_the_background() -> None:
    svg = drawn([Segment("a", Style(color="#000000", bgcolor="#ffffff", dim=True))])
    assert elements(svg, "text")[0].attrib["fill"] == "#666666"


def test_ansi_colours_come_from_the_theme() -> None:
    svg = drawn([Segment("a", Style(color="red"))])
    assert elements(svg, "text")[0].attrib["fill"] == DEFAULT_TERMINAL_THEME.ansi_colors[1].hex


def test_the_most_used_background_fills_the_margin() -> None:
    svg = drawn([Segment("aaa", Style(bgcolor="#0f1117")), Segment("b", Style(bgcolor="#ff0000"))])
    assert rectangles(svg) == [(0, 0, 260, 44, "#0f1117"), (46, 10, 12, 24, "#ff0000")]


def test_bold_italic_and_scripts_are_classes() -> None:
    svg = drawn(
        [
            Segment("a", Style(bold=True)),
            Segment("b", Style(bold=True, italic=True)),
            Segment("手"),
            Segment(" "),
            Segment("手順の"),
            Segment(" "),
            Segment("한"),
        ]
    )
    assert [(element.text, element.get("class")) for element in elements(svg, "text")] == [
        ("a", "b"),
        ("b", "b i"),
        ("手", "w"),
        ("手順の", "j"),
        ("한", "k"),
    ]


def test_underline_and_strike_are_unbroken_over_glyphs_and_blanks() -> None:
    line = [Segment("a用 b", Style(underline=True)), Segment("cd", Style(strike=True))]
    assert rectangles(drawn(line))[1:] == [
        (10, 30, 60, 2, "#000000"),
        (70, 21, 24, 2, "#000000"),
    ]


def test_concealed_text_is_not_drawn() -> None:
    assert glyphs(drawn([Segment("secret", Style(conceal=True)), Segment("a")])) == {(82, 28): "a"}


def box(character: str) -> list[Rect]:
    svg = shape(character, 0, 0, "#fff")
    assert svg is not None
    return rectangles(f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>')


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("─", [(0, 10, 12, 2)]),
        ("━", [(0, 8.667, 12, 4.667)]),
        ("╸", [(0, 8.667, 6, 4.667)]),
        ("╺", [(6, 8.667, 6, 4.667)]),
        ("│", [(5.333, 0, 2, 24)]),
        ("┌", [(5.333, 10, 6.667, 2), (5.333, 10, 2, 14)]),
        ("▌", [(0, 0, 6, 24)]),
        ("▐", [(6, 0, 6, 24)]),
        ("▁", [(0, 21, 12, 3)]),
        ("█", [(0, 0, 12, 24)]),
        ("▏", [(0, 0, 1.5, 24)]),
        ("▞", [(6, 0, 6, 12), (0, 12, 6, 12)]),
    ],
)
def test_lines_reach_the_edges_they_name(
    character: str, expected: list[tuple[float, float, float, float]]
) -> None:
    assert [found[:4] for found in box(character)] == expected


@pytest.mark.parametrize(
    ("character", "path"),
    [
        ("╭", "M6.333 24V15A4 4 0 0 1 10.333 11H12"),
        ("╮", "M6.333 24V15A4 4 0 0 0 2.333 11H0"),
        ("╯", "M6.333 0V7A4 4 0 0 1 2.333 11H0"),
        ("╰", "M6.333 0V7A4 4 0 0 0 10.333 11H12"),
    ],
)
def test_round_corners_end_where_the_lines_begin(character: str, path: str) -> None:
    assert f'd="{path}"' in (shape(character, 0, 0, "#fff") or "")


def test_shapes_stay_inside_their_cell() -> None:
    for code in range(0x2500, 0x25A0):
        svg = shape(chr(code), 0, 0, "#fff")
        for x, y, width, height, _ in rectangles(
            f'<svg xmlns="http://www.w3.org/2000/svg">{svg}</svg>'
        ):
            assert x >= 0
            assert y >= 0
            assert x + width <= 12.001
            assert y + height <= 24.001


@pytest.mark.parametrize("character", ["a", "═", "┄", "╱", "■", "ab", ""])
def test_other_characters_are_left_to_the_font(character: str) -> None:
    assert shape(character, 0, 0, "#fff") is None


class Note(ModalScreen[None]):
    CSS = "Note { align: center middle; background: black 50%; } Label { background: #102030; }"

    def compose(self) -> ComposeResult:
        yield Label("note")


class Sample(App[object]):
    CSS = (
        "Screen { background: #0f1117; color: #d9dce5; }"
        "Static { border: round #5fc4b0; width: 20; height: 3; }"
        "Input { border: none; height: 1; padding: 0; }"
    )
    BINDINGS: ClassVar[list[BindingType]] = [("f2", "note", "Note")]

    def compose(self) -> ComposeResult:
        yield Static("手 <&> █", markup=False)
        yield Input()

    def action_note(self) -> None:
        self.push_screen(Note())


async def test_a_scene_is_the_screen_after_its_keys() -> None:
    svg = await svg_of_scene(Scene("sample", Sample, size=(30, 5), keys=("o", "k")))
    found = glyphs(svg)
    assert found[24, 52] == "手"
    assert found[58, 52] == "<"
    assert (found[10, 100], found[22, 100]) == ("o", "k")
    assert len(elements(svg, "path")) == 4
    assert rectangles(svg)[0] == (0, 0, 380, 140, "#0f1117")
    assert {element.attrib["fill"] for element in elements(svg, "text")} >= {"#d9dce5"}


async def test_what_lies_behind_a_dialog_shines_through() -> None:
    svg = await svg_of_scene(Scene("sample", Sample, size=(30, 9), keys=("f2",)))
    found = glyphs(svg)
    assert found[24, 52] == "手"
    assert "note" in "".join(found.values())
    behind, front = (
        next(e.attrib["fill"] for e in elements(svg, "text") if text in (e.text or ""))
        for text in ("<&>", "note")
    )
    assert behind == "#6c6e72"
    assert front != behind
    assert "#102030" in svg


async def test_save_svg_writes_the_same_picture_each_time(tmp_path: Path) -> None:
    for name in ("first.svg", "second.svg"):
        app = Sample()
        async with app.run_test(size=(30, 5)):
            app.query_one(Input).cursor_blink = False
            save_svg(app, tmp_path / name)
    first = (tmp_path / "first.svg").read_bytes()
    assert first == (tmp_path / "second.svg").read_bytes()
    assert b"http" not in first.replace(b"http://www.w3.org/2000/svg", b"")


def test_without_chromium_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoBrowserError, match=r"install the packages `chromium`") as caught:
        draw_png(drawn([Segment("a")]), tmp_path / "a.png")
    assert "\n" not in str(caught.value)


def test_a_browser_that_draws_nothing_is_an_error_with_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\necho no display >&2\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="no display"):
        draw_png(drawn([Segment("a")]), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_png_size_reads_the_head() -> None:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 2190, 1470)
    assert png_size(head) == (2190, 1470)
    with pytest.raises(ValueError, match="not a PNG"):
        png_size(b"<svg/>")


def test_scenes_have_names_of_their_own_and_are_found_by_them() -> None:
    names = [scene.file_name for scene in SCENES]
    assert len(set(names)) == len(names)
    assert selected([]) == list(SCENES)
    first, second = Scene("a", Sample), Scene("a", Sample, size=(80, 24))
    assert selected(["a"], (first, second)) == [first, second]
    assert selected(["a-80x24"], (first, second)) == [second]


def test_an_unknown_scene_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["nowhere"])
    assert caught.value.code == 2
    assert "No scene is called 'nowhere'" in capsys.readouterr().err
