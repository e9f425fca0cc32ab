"""What the compositor draws, region by region, and whether it is harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rich.segment import Segment
from textual.app import App
from textual.strip import Strip
from textual.widget import Widget

from memtui.tui.app import MemtuiApp

_BAD_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SCROLLBAR = {"grab", "scroll_up", "scroll_down"}
"""What a click on the toolkit's own scrollbar does."""
_SELECTORS = re.compile("[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def strips(app: App[int]) -> list[Strip]:
    """The rows of the terminal as they are drawn now, with what shines through behind a dialog."""
    rows = [screen._compositor.render_strips() for screen in (*app._background_screens, app.screen)]
    return [strip for screen in rows for strip in screen]


def segments(app: App[int]) -> Iterator[Segment]:
    """Every segment that is drawn now."""
    for strip in strips(app):
        yield from strip


def text_in(widget: Widget) -> str:
    """The drawn rows of a widget's content, without the blanks in them.

    Texts are wrapped anywhere and indented, so that only without blanks they are whole again.
    """
    region = widget.content_region
    rows = widget.screen._compositor.render_strips()[region.y : region.bottom]
    return squash("".join(strip.crop(region.x, region.right).text for strip in rows))


def row_texts(widget: Widget) -> list[str]:
    """The drawn rows of a widget's content, each without the blanks around it."""
    region = widget.content_region
    rows = widget.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(region.x, region.right).text.strip() for strip in rows]


def squash(text: str) -> str:
    """`text` without white space and without the bars of quotes."""
    return "".join(text.replace("│", "").split())


def faults(text: str) -> list[str]:
    """The characters of `text` that can steer a terminal or hide in it."""
    if text.isprintable() and not _SELECTORS.search(text):
        return []
    return [
        f"U+{ord(character):04X}"
        for character in text
        if unicodedata.category(character) in _BAD_CATEGORIES or _SELECTORS.match(character)
    ]


def assert_harmless(app: App[int]) -> None:
    """Nothing on the screen steers the terminal, acts on a click, or is a link; the app runs."""
    for segment in segments(app):
        assert segment.control is None
        assert not faults(segment.text), (faults(segment.text), segment.text)
        style = segment.style
        if style is not None:
            assert style.link is None, segment
            acts = {value for key, value in style.meta.items() if key.startswith("@")}
            assert acts <= _SCROLLBAR, segment
    assert isinstance(app, MemtuiApp)
    assert app.is_running
    assert not app._exit
