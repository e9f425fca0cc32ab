"""Lines and blocks of the terminal as SVG rectangles and arcs, so that neighbours join.

A font draws `─` or `▌` a little larger or smaller than the cell, which leaves gaps, beads and
overhangs. Invariant: a shape here stays inside its cell, reaches exactly the edges that its
character reaches, and has its edges on whole pixels at a device scale of 1.5 (multiples of 2/3).
Characters that are not drawn here are left to the font.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

CELL_WIDTH_PX = 12
CELL_HEIGHT_PX = 24

_PIXEL = 2 / 3
# Strokes as (start, end) across their direction, in pixels of the device. A horizontal line runs
# at half the height of the capitals, as in the font, not at half the height of the cell.
_LIGHT_X, _LIGHT_Y = (8, 11), (15, 18)
_HEAVY_X, _HEAVY_Y = (6, 13), (13, 20)
_ARC_RADIUS_PX = 4.0

_SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
_QUADRANTS = {
    "▖": "c", "▗": "d", "▘": "a", "▙": "acd", "▚": "ad",
    "▛": "abc", "▜": "abd", "▝": "b", "▞": "bc", "▟": "bcd",
}  # fmt: skip
_BOX = "BOX DRAWINGS "
_ARMS = {
    "LEFT": {"left"},
    "RIGHT": {"right"},
    "UP": {"up"},
    "DOWN": {"down"},
    "HORIZONTAL": {"left", "right"},
    "VERTICAL": {"up", "down"},
}


def number(value: float) -> str:
    """`value` for an SVG attribute: at most three decimals, none when it is whole."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def rectangle(
    x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0
) -> str:
    """A filled rectangle with hard edges; lengths in px."""
    faint = "" if opacity == 1.0 else f' fill-opacity="{number(opacity)}"'
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}"'
        f' height="{number(height)}" fill="{colour}"{faint}/>'
    )


def shape(character: str, x: float, y: float, colour: str) -> str | None:
    """`character` drawn into the cell whose corner is at (`x`, `y`) px; None: use the font."""
    if len(character) != 1 or not "\u2500" <= character <= "\u259f":
        return None
    if character in _SHADES:
        return rectangle(x, y, CELL_WIDTH_PX, CELL_HEIGHT_PX, colour, _SHADES[character])
    arc = _arc(character)
    if arc:
        return _draw_arc(arc, x, y, colour)
    boxes = _boxes(character)
    if not boxes:
        return None
    return "".join(
        rectangle(x + left, y + top, right - left, bottom - top, colour)
        for left, top, right, bottom in boxes
    )


@lru_cache
def _arc(character: str) -> tuple[str, str] | None:
    """The two arms of a round corner (vertical, horizontal)."""
    name = unicodedata.name(character, "")
    if not name.startswith(_BOX + "LIGHT ARC "):
        return None
    vertical, horizontal = name.removeprefix(_BOX + "LIGHT ARC ").split(" AND ")
    return vertical, horizontal


def _draw_arc(arms: tuple[str, str], x: float, y: float, colour: str) -> str:
    vertical, horizontal = arms
    centre_x = sum(_LIGHT_X) / 2 * _PIXEL
    centre_y = sum(_LIGHT_Y) / 2 * _PIXEL
    down, right = vertical == "DOWN", horizontal == "RIGHT"
    bend_y = centre_y + (_ARC_RADIUS_PX if down else -_ARC_RADIUS_PX)
    bend_x = centre_x + (_ARC_RADIUS_PX if right else -_ARC_RADIUS_PX)
    end_y = CELL_HEIGHT_PX if down else 0
    end_x = CELL_WIDTH_PX if right else 0
    sweep = 1 if down == right else 0
    radius = number(_ARC_RADIUS_PX)
    return (
        f'<path d="M{number(x + centre_x)} {number(y + end_y)}V{number(y + bend_y)}'
        f"A{radius} {radius} 0 0 {sweep} {number(x + bend_x)} {number(y + centre_y)}"
        f'H{number(x + end_x)}" fill="none" stroke="{colour}"'
        f' stroke-width="{number((_LIGHT_X[1] - _LIGHT_X[0]) * _PIXEL)}"'
        ' shape-rendering="auto"/>'
    )


@lru_cache
def _boxes(character: str) -> tuple[tuple[float, float, float, float], ...]:
    """The rectangles of a character as (left, top, right, bottom) px from the cell's corner."""
    return _block(character) or _strokes(character)


def _strokes(character: str) -> tuple[tuple[float, float, float, float], ...]:
    """A line of one weight; none for doubles, dashes, diagonals and mixed weights."""
    words = unicodedata.name(character, "").removeprefix(_BOX).split()
    if not words or words[0] not in ("LIGHT", "HEAVY"):
        return ()
    parts = [word for word in words[1:] if word != "AND"]
    if not parts or not all(part in _ARMS for part in parts):
        return ()
    arms = set().union(*(_ARMS[part] for part in parts))
    heavy = words[0] == "HEAVY"
    left, right = (edge * _PIXEL for edge in (_HEAVY_X if heavy else _LIGHT_X))
    top, bottom = (edge * _PIXEL for edge in (_HEAVY_Y if heavy else _LIGHT_Y))
    boxes: list[tuple[float, float, float, float]] = []
    upright, level = arms & {"up", "down"}, arms & {"left", "right"}
    if level:
        middle = CELL_WIDTH_PX / 2
        start = 0.0 if "left" in level else (left if upright else middle)
        end = float(CELL_WIDTH_PX) if "right" in level else (right if upright else middle)
        boxes.append((start, top, end, bottom))
    if upright:
        middle = sum(_LIGHT_Y) / 2 * _PIXEL
        start = 0.0 if "up" in upright else (top if level else middle)
        end = float(CELL_HEIGHT_PX) if "down" in upright else (bottom if level else middle)
        boxes.append((left, start, right, end))
    return tuple(boxes)


def _block(character: str) -> tuple[tuple[float, float, float, float], ...]:
    """Block elements: parts of the cell in eighths, halves and quadrants."""
    width, height = float(CELL_WIDTH_PX), float(CELL_HEIGHT_PX)
    code = ord(character)
    if "▁" <= character <= "█":
        return ((0.0, height * (1 - (code - 0x2580) / 8), width, height),)
    if "▉" <= character <= "▏":
        return ((0.0, 0.0, width * (0x2590 - code) / 8, height),)
    if character in _QUADRANTS:
        corners = {"a": (0.0, 0.0), "b": (0.5, 0.0), "c": (0.0, 0.5), "d": (0.5, 0.5)}
        return tuple(
            (width * across, height * down, width * (across + 0.5), height * (down + 0.5))
            for across, down in (corners[corner] for corner in _QUADRANTS[character])
        )
    return {
        "▀": ((0.0, 0.0, width, height / 2),),
        "▐": ((width / 2, 0.0, width, height),),
        "▔": ((0.0, 0.0, width, height / 8),),
        "▕": ((width * 7 / 8, 0.0, width, height),),
    }.get(character, ())
