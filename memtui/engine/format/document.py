"""One topic file: bytes to a `TopicDocument` (spec section 3).

Invariant: reading never raises and loses no byte. `lead`, `frontmatter` and `body` joined are the
source, and a field's span covers whole lines of the frontmatter. Values of name, description and
type are the text that a line-reading agent sees; YAML is asked only where a value is quoted, a
block scalar, or of another key, and then gives text, follows no alias and reads at most 16 kB.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from memtui.engine.format.blocks import first_heading
from memtui.engine.format.envelope import RULE, decode, split
from memtui.engine.types import Field, Problem, Scope, Span, TopicDocument

FRONTMATTER_LIMIT_BYTES = 16_000
"""A longer frontmatter is read line by line only, never by YAML."""

_RAW_KEYS = {b"name": "name", b"description": "description", b"type": "type"}

_PLAIN = re.compile(rb"[0-9A-Za-z\x80-\xff($/_.^+;=<~\\][^\x00-\x1f\x7f]*\Z")
_QUOTED = re.compile(rb"\"[^\"\\\x00-\x1f\x7f]*\"\Z|'[^'\x00-\x1f\x7f]*'\Z")
_YAML_BREAKS = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
"""Characters above ASCII that YAML refuses or takes for a line end."""
_BLOCK_SCALAR = re.compile(rb"[|>](?:[+-]?[1-9]?|[1-9][+-])[ \t]*(?:#.*)?\Z")
_NESTED_KEY = re.compile(rb"( +)([A-Za-z_][\w-]*):(?:[ \t]+|\Z)")


def parse_document(
    raw: bytes,
    *,
    path: str,
    scope: Scope = "project",
    mtime_ns: int = 0,
    link: str | None = None,
) -> TopicDocument:
    """Read one topic file; never raises.

    `path` is relative to the memory directory, with `/`; `mtime_ns` is the file's age in
    nanoseconds since the epoch; `link` is the target where the file is a symlink. What is wrong
    with the file stands in `problems`.
    """
    problems: list[Problem] = []
    source, encoding = decode(raw, problems)
    lead_end, block_start, block_end, body_start = split(source, problems)
    parsed = _Fields(problems)
    if block_end > block_start:
        parsed.read(source, block_start, block_end)
    body = Span(body_start, len(source))
    type_place: Literal["top", "metadata", ""] = ""
    if parsed.values["type"]:
        type_place = "top"
    elif parsed.nested_type:
        type_place = "metadata"
    return TopicDocument(
        path=path,
        scope=scope,
        mtime_ns=mtime_ns,
        raw=raw,
        source=source,
        encoding=encoding,
        lead=Span(0, lead_end),
        frontmatter=Span(lead_end, body_start),
        body=body,
        fields=tuple(parsed.fields),
        name=parsed.values["name"] or first_heading(body.of(source)) or _stem(path),
        description=parsed.values["description"],
        type=parsed.values["type"] or parsed.nested_type,
        type_place=type_place,
        problems=tuple(problems),
        link=link,
    )


def _stem(path: str) -> str:
    """The file's name without its ending; the whole path where that would be blank."""
    name = path.rpartition("/")[2]
    stem = name[:-3] if name[-3:].lower() == ".md" else name
    return stem if stem.strip() else path


@dataclass(slots=True)
class _Chunk:
    """One top-level key with the lines that its value goes on over."""

    key: bytes
    value: bytes
    start: int
    end: int
    more: list[bytes] = field(default_factory=list)

    def folded(self) -> bytes:
        """The value and its further lines, joined by single blanks."""
        if not self.more:
            return self.value
        parts = [self.value, *(line.strip(b" \t\r") for line in self.more if line[:1] != b"#")]
        return b" ".join(part for part in parts if part)

    def text(self, *, with_blank_lines: bool = True) -> str:
        """The chunk as YAML reads it."""
        lines = [self.key + b": " + self.value, *self.more]
        if not with_blank_lines:
            lines = [line for line in lines if line.strip(b" \t\r")]
        return b"\n".join(lines).decode("utf-8", "replace") + "\n"


class _Fields:
    """Reads the lines between the fences into fields, first key first."""

    def __init__(self, problems: list[Problem]) -> None:
        self.fields: list[Field] = []
        self.values = {"name": "", "description": "", "type": ""}
        self.nested_type = ""
        self._problems = problems
        self._seen: set[str] = set()
        self._repeated: set[str] = set()
        self._is_suspect = False
        self._has_strays = False
        self._has_odd_characters = False
        self._yaml_allowed = True

    def read(self, source: bytes, start: int, end: int) -> None:
        """Take the block `source[start:end]`, whole lines."""
        block = source[start:end]
        self._yaml_allowed = len(block) <= FRONTMATTER_LIMIT_BYTES
        if not block.isascii():
            self._has_odd_characters = _YAML_BREAKS.search(block) is not None
            self._is_suspect = self._has_odd_characters
        for chunk in self._chunks(block, start):
            self._take(chunk)
        if not self._yaml_allowed:
            size = f"{len(block):,} bytes"
            self._flag(f"The frontmatter is over 16 kB ({size}); only plain lines are read.")
        elif self._is_suspect:
            # As below: imported only for a store that needs it.
            from memtui.engine.format.yaml_values import fault_of

            fault = fault_of(block.decode("utf-8", "replace"), source.count(b"\n", 0, start))
            if fault:
                self._flag(fault)
            elif self._has_strays:
                self._flag("The frontmatter holds lines that belong to no key of it.")

    def _flag(self, message: str) -> None:
        self._problems.append(Problem(RULE, message))

    def _flag_repeated(self, key: str) -> None:
        if key not in self._repeated:
            self._repeated.add(key)
            shown = key if len(key) <= 40 else key[:39] + "…"
            self._flag(f"The key `{shown}` is repeated in the frontmatter; the first one counts.")

    def _chunks(self, block: bytes, position: int) -> list[_Chunk]:
        """The top-level keys in file order; lines that belong to none make the block suspect."""
        chunks: list[_Chunk] = []
        chunk: _Chunk | None = None
        pending: list[bytes] = []
        for line in block.split(b"\n"):
            start, position = position, position + len(line) + 1
            key, colon, value = line.partition(b":")
            if key in _RAW_KEYS and colon:
                if value[:1] not in b" \t\r":
                    self._is_suspect = True
                chunk = _Chunk(key, value.strip(b" \t\r"), start, position)
                chunks.append(chunk)
                pending = []
                continue
            first = line[:1]
            if first in (b"", b"\r", b"#") or not line.strip(b" \t\r"):
                pending.append(line)
                continue
            is_more = first in b" \t" or line.rstrip(b"\r") == b"-" or line.startswith(b"- ")
            if not is_more:
                found = _key_of(line)
                if found is not None:
                    chunk = _Chunk(found[0], found[1], start, position)
                    chunks.append(chunk)
                    pending = []
                    continue
                self._is_suspect = True
            takes_any = chunk is not None and (
                is_more or chunk.key not in _RAW_KEYS or chunk.value[:1] in (b'"', b"'")
            )
            if chunk is None or not takes_any:
                self._is_suspect = self._has_strays = True
                continue
            chunk.more += [*pending, line.rstrip(b"\r")]
            chunk.end = position
            pending = []
        return chunks

    def _take(self, chunk: _Chunk) -> None:
        key = _RAW_KEYS.get(chunk.key) or chunk.key.decode("utf-8", "replace")
        if key in self._seen:
            self._flag_repeated(key)
            return
        self._seen.add(key)
        span = Span(chunk.start, chunk.end)
        value: str | dict[str, str]
        if chunk.key in _RAW_KEYS:
            value = self._raw_value(chunk)
            self.values[key] = value if value.strip() else ""
        else:
            value = self._other_value(chunk)
        if isinstance(value, str):
            self.fields.append(Field(key, value, span))
            return
        for nested_key, text in value.items():
            dotted = f"{key}.{nested_key}"
            if dotted in self._seen:
                continue
            self._seen.add(dotted)
            self.fields.append(Field(dotted, text, span))
            if dotted == "metadata.type":
                self.nested_type = text

    def _raw_value(self, chunk: _Chunk) -> str:
        """The text of name, description or type."""
        value = chunk.folded()
        if not chunk.more:
            if not value or self._is_plain(value):
                return value.decode()
            if _QUOTED.match(value) and not self._has_odd_characters:
                return value[1:-1].decode()
        quote = value[:1]
        is_quoted = len(value) > 1 and quote in (b'"', b"'") and value[-1:] == quote
        if is_quoted or _BLOCK_SCALAR.match(chunk.value):
            read = self._yaml(chunk.text(with_blank_lines=not is_quoted))
            if isinstance(read, str):
                return read.rstrip("\r\n")
        self._is_suspect = True
        return value.decode("utf-8", "replace")

    def _other_value(self, chunk: _Chunk) -> str | dict[str, str]:
        """The text of any other key, or the texts of the keys below it."""
        value = chunk.value
        if not chunk.more:
            if not value or self._is_plain(value):
                return value.decode()
            if _QUOTED.match(value) and not self._has_odd_characters:
                return value[1:-1].decode()
        nested, is_safe = self._nested_lines(chunk)
        if nested and is_safe:
            return nested
        read = self._yaml(chunk.text())
        if read is None:
            self._is_suspect = True
            return nested or chunk.folded().decode("utf-8", "replace")
        return read.rstrip("\r\n") if isinstance(read, str) else read

    def _nested_lines(self, chunk: _Chunk) -> tuple[dict[str, str], bool]:
        """The `key: value` lines below a key, as they stand, and whether YAML says the same."""
        found: dict[str, str] = {}
        if chunk.value:
            return found, False
        indent = b""
        is_safe = True
        for line in chunk.more:
            key = _NESTED_KEY.match(line)
            if key is None or (indent and key[1] != indent):
                is_safe = False
                continue
            indent = key[1]
            value = line[key.end() :].rstrip(b" \t")
            name = key[2].decode()
            if name in found:
                self._flag_repeated(f"{chunk.key.decode('utf-8', 'replace')}.{name}")
                continue
            if _QUOTED.match(value):
                is_safe = is_safe and not self._has_odd_characters
                found[name] = value[1:-1].decode("utf-8", "replace")
            else:
                is_safe = is_safe and (not value or self._is_plain(value))
                found[name] = value.decode("utf-8", "replace")
        return found, is_safe

    def _is_plain(self, value: bytes) -> bool:
        """True where YAML surely reads the value as the text that it is."""
        return (
            _PLAIN.match(value) is not None
            and b": " not in value
            and b" #" not in value
            and value[-1] != 0x3A
            and not self._has_odd_characters
        )

    def _yaml(self, text: str) -> str | dict[str, str] | None:
        """The value of the one key in `text`, as text; None where it is refused."""
        if not self._yaml_allowed:
            return None
        # Most stores hold plain values only, and the import takes longer than their whole scan.
        from memtui.engine.format.yaml_values import value_of

        return value_of(text)


def _key_of(line: bytes) -> tuple[bytes, bytes] | None:
    """The key that a line begins with and its value; None where it begins with none."""
    colon = line.find(b":")
    while colon >= 0 and line[colon + 1 : colon + 2] not in (b"", b" ", b"\t", b"\r"):
        colon = line.find(b":", colon + 1)
    key = line[:colon].rstrip(b" \t") if colon > 0 else b""
    if key[:1] in (b'"', b"'") and len(key) > 1 and key[-1:] == key[:1]:
        key = key[1:-1]
    if not key or key[:1] in (b"?", b"{", b"[", b"&", b"!", b"*", b"|", b">", b"%", b'"', b"'"):
        return None
    return key, line[colon + 1 :].strip(b" \t\r")
