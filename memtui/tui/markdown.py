"""A memory's Markdown as lines to read.

Invariant: every word of the text is drawn as it stands, so entities and backslashes stay what
they are; nothing in it becomes a style string, a link or an action. The text handed in has passed
`safe_text`; what the parser decodes of it, targets and titles, passes again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.content import Content

from memtui.tui.safe_text import safe_line
from memtui.tui.themes import Palette

_FIELD = re.compile(r"\s*(why|how[ _]to[ _]apply)\s*[:：]\s*", re.IGNORECASE)
_LABEL_CELLS = 7


class _Parser(MarkdownIt):
    """CommonMark with targets as they are written, not percent-encoded."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the name is the base class's
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - likewise
        return link


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """No reference definitions, which leave nothing to draw; escapes and entities kept apart."""
    parser = _Parser("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return parser.disable(["reference", "text_join"])


def mark_tokens(content: Content, tokens: Sequence[str], palette: Palette) -> Content:
    """`content` with every occurrence of a recall token in the style of a match."""
    if not tokens:
        return content
    longest_first = sorted(tokens, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    return content.highlight_regex(pattern, style=palette.match)


def render_markdown(
    text: str, width: int, palette: Palette, tokens: Sequence[str] = ()
) -> list[Content]:
    """`text` as lines of at most `width` cells; `Why` and `How to apply` become labels.

    A text that is one bullet is drawn without its bullet.
    """
    parsed = _parser().parse(text)
    if _is_one_bullet(parsed):
        parsed = parsed[2:-2]
    lines = _Renderer(text, palette, tokens).blocks(parsed, max(8, width))
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return lines


class _Renderer:
    """Walks the tokens of one text."""

    def __init__(self, text: str, palette: Palette, tokens: Sequence[str]) -> None:
        self.source = text.split("\n")
        self.palette = palette
        self.tokens = tokens

    def blocks(self, tokens: Sequence[Token], width: int) -> list[Content]:
        lines: list[Content] = []
        position = 0
        while position < len(tokens):
            token = tokens[position]
            end = _closing(tokens, position)
            inside = tokens[position + 1 : end]
            if lines and not lines[-1].plain and _is_field(tokens[position : end + 1]):
                lines.pop()
            lines += self._block(token, inside, width)
            position = end + 1
        return lines

    def _block(self, token: Token, inside: Sequence[Token], width: int) -> list[Content]:
        kind = token.type
        if kind == "heading_open":
            return [*self._wrap(self._inline(inside[0])[0].stylize("bold"), width), Content("")]
        if kind == "paragraph_open":
            return self._paragraph(inside[0], width, self.palette.text)
        if kind in ("bullet_list_open", "ordered_list_open"):
            return self._list(token, inside, width)
        if kind == "blockquote_open":
            bar = Content.styled("│ ", self.palette.faint)
            return [bar + line for line in self.blocks(inside, width - 2)]
        if kind == "hr":
            return [Content.styled("─" * min(width, 12), self.palette.rule)]
        if kind in ("fence", "code_block"):
            code = token.content.rstrip("\n").split("\n")
            beside = Content.styled(token.info.strip(), self.palette.faint)
            return (
                (self._wrap(beside, width) if beside else [])
                + [
                    Content("  ") + part
                    for line in code
                    for part in self._wrap(Content.styled(line, self.palette.code), width - 2)
                ]
                + [Content("")]
            )
        start, stop = token.map or (0, 0)
        return [
            part
            for line in self.source[start:stop]
            for part in self._wrap(Content.styled(line, self.palette.muted), width)
        ] + [Content("")]

    def _paragraph(self, inline: Token, width: int, style: str) -> list[Content]:
        lines: list[Content] = []
        for part in self._inline(inline):
            label = _FIELD.match(part.plain)
            if label is None:
                lines += self._wrap(part.stylize_before(style), width)
                continue
            word = "why" if label.group(1).lower() == "why" else "apply"
            value = part[label.end() :].stylize_before(self.palette.muted)
            head = Content.styled(word.ljust(_LABEL_CELLS), self.palette.faint)
            for number, line in enumerate(self._wrap(value, width - _LABEL_CELLS) or [Content("")]):
                lines.append((head if number == 0 else Content(" " * _LABEL_CELLS)) + line)
        return [*lines, Content("")]

    def _list(self, token: Token, inside: Sequence[Token], width: int) -> list[Content]:
        lines: list[Content] = []
        number = int(token.attrGet("start") or 1)
        position = 0
        while position < len(inside):
            end = _closing(inside, position)
            item = inside[position + 1 : end]
            is_field = bool(item) and _is_field(item)
            marker = f"{number}. " if token.type == "ordered_list_open" else "- "
            if is_field:
                marker = ""
            body = [line for line in self.blocks(item, width - len(marker)) if line.plain.strip()]
            for place, line in enumerate(body):
                lead = Content.styled(marker, self.palette.faint) if place == 0 else None
                lines.append((lead or Content(" " * len(marker))) + line)
            if not body:
                lines.append(Content.styled(marker, self.palette.faint))
            number += 1
            position = end + 1
        return [*lines, Content("")]

    def _wrap(self, content: Content, width: int) -> list[Content]:
        content = mark_tokens(content, self.tokens, self.palette)
        return content.wrap(max(4, width)) or [Content("")]

    def _inline(self, inline: Token) -> list[Content]:
        """The parts of a paragraph: split at hard breaks and before a field."""
        parts: list[list[Content]] = [[]]
        styles: list[str] = []
        targets: list[str] = []
        for child in inline.children or []:
            style = " ".join(styles)
            match child.type:
                case "softbreak":
                    parts.append([])
                case "hardbreak":
                    parts.append([Content("\n")])
                case "strong_open":
                    styles.append("bold")
                case "em_open":
                    styles.append("italic")
                case "s_open":
                    styles.append("strike")
                case "strong_close" | "em_close" | "s_close":
                    styles.pop()
                case "link_open":
                    targets.append("" if child.markup == "autolink" else _target(child, "href"))
                    styles.append("underline")
                case "link_close":
                    styles.pop()
                    if target := targets.pop():
                        parts[-1].append(Content.styled(f" ({target})", self.palette.faint))
                case "code_inline":
                    parts[-1].append(Content.styled(child.content, self.palette.code))
                case "image":
                    said = f"{child.content} ({_target(child, 'src')})"
                    parts[-1].append(Content.styled(said, self.palette.faint))
                case "text_special":
                    parts[-1].append(Content.styled(child.markup, style))
                case _:
                    parts[-1].append(Content.styled(child.content, style))
        return _joined([Content.assemble(*part) for part in parts])


def _target(token: Token, key: str) -> str:
    """Where a link or an image leads, with its title."""
    target, title = token.attrGet(key) or "", token.attrGet("title")
    return safe_line(f"{target} “{title}”" if title else str(target))


def _is_one_bullet(tokens: Sequence[Token]) -> bool:
    return (
        len(tokens) > 4
        and tokens[0].type == "bullet_list_open"
        and _closing(tokens, 0) == len(tokens) - 1
        and _closing(tokens, 1) == len(tokens) - 2
    )


def _joined(parts: Sequence[Content]) -> list[Content]:
    joined: list[Content] = []
    for part in parts:
        is_new = part.plain.startswith("\n") or _FIELD.match(part.plain)
        if joined and not is_new:
            joined[-1] = joined[-1] + " " + part
        else:
            joined.append(part[1:] if part.plain.startswith("\n") else part)
    return joined


def _is_field(item: Sequence[Token]) -> bool:
    inline = next((token for token in item if token.type == "inline"), None)
    if inline is None:
        return False
    plain = "".join(child.content for child in inline.children or [])
    return _FIELD.match(plain) is not None


def _closing(tokens: Sequence[Token], position: int) -> int:
    """The place of the token that closes the one at `position`; itself where it stands alone."""
    depth = 0
    for place in range(position, len(tokens)):
        depth += tokens[place].nesting
        if depth <= 0:
            return place
    return len(tokens) - 1
