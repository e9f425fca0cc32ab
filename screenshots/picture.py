"""The current screen of a Textual app as an SVG on an exact cell grid, and as a PNG.

Invariant: the cell in column c and row r has its corner at (10 + 12·c, 10 + 24·r) px, and each
glyph is placed by its own cell, never by the width of the glyphs before it. Fonts are named, not
embedded or fetched; the PNG is drawn by a local Chromium at a device scale of 1.5.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import struct
import subprocess
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.app import App

from screenshots.shapes import CELL_HEIGHT_PX, CELL_WIDTH_PX, number, rectangle, shape

MARGIN_PX = 10
SCALE = 1.5
_FONT_SIZE_PX = 20
_BASELINE_PX = 18
# A wide glyph is as wide as the font is high: the rest of its two cells is shared by both sides.
_WIDE_SHIFT_PX = (2 * CELL_WIDTH_PX - _FONT_SIZE_PX) // 2
_LINE_PX = 2
_UNDERLINE_PX, _STRIKE_PX, _OVERLINE_PX = 20, 11, 1
_DIM = 0.6
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ZERO_WIDTH_JOINER = "\u200d"


class NoBrowserError(RuntimeError):
    """No Chromium on the PATH."""

    def __init__(self) -> None:
        super().__init__(
            "No Chromium was found on the PATH: install the packages `chromium`,"
            " `fonts-jetbrains-mono` and `fonts-noto-cjk` (names of Debian) and try again."
        )


@dataclass(frozen=True)
class Cell:
    """One glyph with the cells it covers; colours are `#rrggbb`."""

    text: str
    column: int
    width: int
    foreground: str
    background: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    overline: bool = False


@dataclass(frozen=True)
class Picture:
    """A screen of `columns` cells by `len(rows)`; `background` fills the margin."""

    columns: int
    rows: tuple[tuple[Cell, ...], ...]
    background: str


def capture(app: App[object]) -> Picture:
    """The current screen of a running app, with the screens that shine through behind it."""
    columns, height = app.size
    console = Console(width=columns, height=height, color_system="truecolor", _environ={})
    # The compositor is what `App.export_screenshot` reads as well; that method itself only hands
    # out an SVG whose runs of text no longer know their cells.
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    segments = [] if update is None else list(console.render(update))
    return picture_of(Segment.split_lines(segments), columns, app.ansi_theme)


def picture_of(lines: Iterable[Sequence[Segment]], columns: int, theme: TerminalTheme) -> Picture:
    """The picture of rendered `lines`; `theme` gives the default and the 16 ANSI colours."""
    rows = tuple(tuple(_cells(line, theme)) for line in lines)
    area: Counter[str] = Counter()
    for row in rows:
        for cell in row:
            area[cell.background] += cell.width
    default = theme.background_color.hex
    return Picture(columns, rows, max(area, key=area.__getitem__, default=default))


def svg_of(picture: Picture) -> str:
    """The picture as an SVG document that needs nothing but fonts of the machine."""
    width = 2 * MARGIN_PX + CELL_WIDTH_PX * picture.columns
    height = 2 * MARGIN_PX + CELL_HEIGHT_PX * len(picture.rows)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" shape-rendering="crispEdges">\n'
        "<style>text{font:"
        f"{_FONT_SIZE_PX}px 'JetBrains Mono','DejaVu Sans Mono',monospace;"
        "font-variant-ligatures:none;white-space:pre}"
        ".b{font-weight:700}.i{font-style:italic}"
        ".w{font-family:'Noto Sans Mono CJK SC','Noto Color Emoji',monospace}"
        ".j{font-family:'Noto Sans Mono CJK JP','Noto Color Emoji',monospace}"
        ".k{font-family:'Noto Sans Mono CJK KR','Noto Color Emoji',monospace}"
        "</style>"
    )
    parts = [head, rectangle(0, 0, width, height, picture.background)]
    # All backgrounds first: a glyph may reach a little into the next cell or row.
    for row_number, row in enumerate(picture.rows):
        parts.extend(_backgrounds(row, _top(row_number), picture.background))
    for row_number, row in enumerate(picture.rows):
        parts.extend(_glyphs(row, _top(row_number)))
        parts.extend(_rules(row, _top(row_number)))
    parts.append("</svg>\n")
    return "\n".join(parts)


def save_svg(app: App[object], path: Path) -> None:
    """Write the app's current screen to `path` as SVG."""
    path.write_text(svg_of(capture(app)), encoding="utf-8")


def save_png(app: App[object], path: Path) -> None:
    """Write the app's current screen to `path` as PNG; raises as `draw_png`."""
    draw_png(svg_of(capture(app)), path)


def draw_png(svg: str, path: Path) -> None:
    """Draw an SVG of `svg_of` with Chromium; 256 colours when Pillow is installed.

    Raises NoBrowserError without Chromium, RuntimeError when it draws nothing or another size.
    """
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise NoBrowserError
    width, height = _size(svg)
    with tempfile.TemporaryDirectory(prefix="picture-", ignore_cleanup_errors=True) as folder:
        page, drawn = Path(folder, "page.html"), Path(folder, "page.png")
        page.write_text(
            "<!doctype html><meta charset=utf-8><title>picture</title>"
            f"<style>html,body{{margin:0;overflow:hidden}}svg{{display:block}}</style>{svg}",
            encoding="utf-8",
        )
        done = subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
                "--hide-scrollbars",
                "--disable-lcd-text",
                "--font-render-hinting=none",
                f"--user-data-dir={folder}/profile",
                f"--force-device-scale-factor={SCALE}",
                f"--window-size={width},{height}",
                f"--screenshot={drawn}",
                page.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        if not drawn.exists():
            raise RuntimeError(f"Chromium drew nothing for {path}: {done.stderr[-2000:]}")
        expected = (round(width * SCALE), round(height * SCALE))
        if (size := png_size(drawn.read_bytes())) != expected:
            raise RuntimeError(f"Chromium drew {size} instead of {expected} pixels for {path}.")
        _reduce_colours(drawn)
        shutil.copyfile(drawn, path)


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels from the head of a PNG; ValueError when it is none."""
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        raise ValueError("This is not a PNG file.")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _size(svg: str) -> tuple[int, int]:
    """Width and height px that `svg_of` wrote into the head."""
    view_box = svg.partition('viewBox="')[2].partition('"')[0].split()
    return int(view_box[2]), int(view_box[3])


def _reduce_colours(path: Path) -> None:
    """Keep the 256 most used colours, so that flat areas stay exact; nothing without Pillow."""
    if importlib.util.find_spec("PIL") is None:
        return
    pillow = importlib.import_module("PIL.Image")
    image = pillow.open(path).convert("RGB")
    raw: bytes = image.tobytes()
    # Pillow's own mapping to a palette rounds: a tint close to the background would change hue.
    pixels = list(zip(raw[0::3], raw[1::3], raw[2::3], strict=True))
    colours = [colour for colour, _ in Counter(pixels).most_common()]
    palette = colours[:256]
    index = {colour: number for number, colour in enumerate(palette)}
    for colour in colours[256:]:
        index[colour] = min(
            range(len(palette)),
            key=lambda number: sum(
                (a - b) ** 2 for a, b in zip(palette[number], colour, strict=True)
            ),
        )
    reduced = pillow.frombytes("P", image.size, bytes(index[pixel] for pixel in pixels))
    reduced.putpalette([channel for colour in palette for channel in colour])
    reduced.save(path, optimize=True)


def _cells(line: Sequence[Segment], theme: TerminalTheme) -> Iterator[Cell]:
    """The glyphs of one line from left to right; a control segment has none."""
    column = 0
    for text, style, control in line:
        if control or not text:
            continue
        look = style or Style.null()
        foreground, background = _colours(look, theme)
        for glyph in _clusters(text):
            width = cell_len(glyph)
            yield Cell(
                text=" " if look.conceal else glyph,
                column=column,
                width=width,
                foreground=foreground,
                background=background,
                bold=bool(look.bold),
                italic=bool(look.italic),
                underline=bool(look.underline or look.underline2),
                strike=bool(look.strike),
                overline=bool(look.overline),
            )
            column += width


def _clusters(text: str) -> Iterator[str]:
    """`text` in glyphs: a sign without width and what a joiner joins belong to the one before."""
    cluster = ""
    for character in text:
        joins = cluster and (cluster[-1] == _ZERO_WIDTH_JOINER or not cell_len(character))
        if cluster and not joins:
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _colours(style: Style, theme: TerminalTheme) -> tuple[str, str]:
    """Foreground and background as drawn: reversed and dimmed."""
    foreground = (style.color or Color.default()).get_truecolor(theme, foreground=True)
    background = (style.bgcolor or Color.default()).get_truecolor(theme, foreground=False)
    if style.reverse:
        foreground, background = background, foreground
    if style.dim:
        mixed = (
            round(behind + (front - behind) * _DIM)
            for front, behind in zip(foreground, background, strict=True)
        )
        return "#{:02x}{:02x}{:02x}".format(*mixed), background.hex
    return foreground.hex, background.hex


def _top(row_number: int) -> int:
    return MARGIN_PX + CELL_HEIGHT_PX * row_number


def _left(column: int) -> int:
    return MARGIN_PX + CELL_WIDTH_PX * column


def _backgrounds(row: Sequence[Cell], top: int, ground: str) -> Iterator[str]:
    """One rectangle per run of equal background; none where the ground already has it."""
    for colour, run in groupby(row, key=lambda cell: cell.background):
        cells = list(run)
        if colour != ground:
            width = CELL_WIDTH_PX * sum(cell.width for cell in cells)
            yield rectangle(_left(cells[0].column), top, width, CELL_HEIGHT_PX, colour)


def _rules(row: Sequence[Cell], top: int) -> Iterator[str]:
    """Underlines and the like as rectangles: the font would start a new line at each glyph."""
    kinds: tuple[tuple[int, Callable[[Cell], bool]], ...] = (
        (_UNDERLINE_PX, lambda cell: cell.underline),
        (_STRIKE_PX, lambda cell: cell.strike),
        (_OVERLINE_PX, lambda cell: cell.overline),
    )
    for offset, wanted in kinds:
        for colour, run in groupby(row, key=lambda cell: cell.foreground):
            for drawn, part in groupby(run, key=wanted):
                if drawn:
                    cells = list(part)
                    width = CELL_WIDTH_PX * sum(cell.width for cell in cells)
                    yield rectangle(_left(cells[0].column), top + offset, width, _LINE_PX, colour)


def _glyphs(row: Sequence[Cell], top: int) -> Iterator[str]:
    """Shapes, and one text element per run of equal look with an x for each glyph."""
    family = _wide_families(row)
    for (colour, look), run in groupby(
        row, key=lambda cell: (cell.foreground, _look(cell, family))
    ):
        letters: list[Cell] = []
        for cell in run:
            if cell.text.isspace():
                continue
            drawn = shape(cell.text, _left(cell.column), top, colour)
            if drawn is not None:
                yield drawn
            elif len(cell.text) == 1 and cell.text <= "\uffff":
                letters.append(cell)
            else:
                # The x list counts code units, so a glyph of several gets its own element.
                yield _text([cell], top, colour, look)
        if letters:
            yield _text(letters, top, colour, look)


def _text(cells: Sequence[Cell], top: int, colour: str, look: str) -> str:
    places = " ".join(
        number(_left(cell.column) + (_WIDE_SHIFT_PX if cell.width == 2 else 0)) for cell in cells
    )
    chosen = f' class="{look}"' if look else ""
    content = escape("".join(cell.text for cell in cells))
    return f'<text x="{places}" y="{top + _BASELINE_PX}" fill="{colour}"{chosen}>{content}</text>'


def _look(cell: Cell, family: dict[int, str]) -> str:
    """The classes of a cell's text element."""
    names = (
        "b" if cell.bold else "",
        "i" if cell.italic else "",
        family.get(cell.column, ""),
    )
    return " ".join(name for name in names if name)


def _wide_families(row: Sequence[Cell]) -> dict[int, str]:
    """Column → font class of each wide glyph: kana and hangul tell which shapes are expected."""
    families: dict[int, str] = {}
    for wide, run in groupby(row, key=lambda cell: cell.width == 2):
        if not wide:
            continue
        cells = list(run)
        names = " ".join(unicodedata.name(cell.text[0], "") for cell in cells)
        kind = "w"
        if "HIRAGANA" in names or "KATAKANA" in names:
            kind = "j"
        elif "HANGUL" in names:
            kind = "k"
        families.update((cell.column, kind) for cell in cells)
    return families
