"""What YAML says of a frontmatter; the only user of yaml and frontmatter.

Invariant: a value is text, as no tag is followed: `yes`, `1.0` and dates stay what they are. An
alias, a tag of the file's own and deep nesting are refused, so that a small file stays small.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

_NESTING_LIMIT = 32
"""YAML collections deeper than this are shown as they are written."""

_STANDARD_TAG = "tag:yaml.org,2002:"


def value_of(text: str) -> str | dict[str, str] | None:
    """The value of the one key in `text`; None where it is refused or where there are more.

    Lists become one text, the keys of a mapping are written with dots.
    """
    if fault_of(text, 0):
        return None
    try:
        read = YAMLHandler().load(text, Loader=_TextLoader)
    except yaml.YAMLError:
        return None
    if not isinstance(read, dict) or len(read) != 1:
        return None
    (value,) = read.values()
    return _flat(value) if isinstance(value, dict) and value else _as_text(value)


def fault_of(text: str, line_offset: int) -> str:
    """One sentence why `text` is not a YAML mapping to be read; empty where it is one.

    `line_offset` is the number of lines of the file before the text.
    """
    depth = 0
    try:
        events = yaml.parse(text, Loader=yaml.CBaseLoader)
        for count, event in enumerate(events):
            if isinstance(event, yaml.AliasEvent):
                return "The frontmatter is not read as YAML: it holds an alias."
            if count == 2 and not isinstance(event, (yaml.MappingStartEvent, yaml.StreamEndEvent)):
                return "The frontmatter is not valid YAML: it is no list of keys."
            tag = getattr(event, "tag", None)
            if tag and not tag.startswith(_STANDARD_TAG):
                return "The frontmatter is not valid YAML for every reader: it holds a tag."
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _NESTING_LIMIT:
                return "The frontmatter is not read as YAML: it is nested too deeply."
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + line_offset + 1 if error.problem_mark else line_offset + 1
        return f"The frontmatter is not valid YAML: {error.problem} (line {line})."
    except yaml.YAMLError:
        return "The frontmatter is not valid YAML: it holds a character that YAML forbids."
    return ""


class _TextLoader(yaml.CBaseLoader):
    """Every scalar is text; of a key given twice the first counts."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        pairs: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = _as_text(self.construct_object(key_node, deep=True))
            if key not in pairs:
                pairs[key] = self.construct_object(value_node, deep=True)
        return pairs


def _flat(mapping: dict[str, object]) -> dict[str, str]:
    """A mapping with its nested keys written with dots."""
    flat: dict[str, str] = {}
    for key, value in mapping.items():
        if isinstance(value, dict) and value:
            for nested, text in _flat(value).items():
                flat.setdefault(f"{key}.{nested}", text)
        else:
            flat.setdefault(key, _as_text(value).rstrip("\r\n"))
    return flat


def _as_text(value: object) -> str:
    """A YAML value as text: lists joined by commas, mappings as in flow style."""
    if isinstance(value, list):
        return ", ".join(_as_text(item) for item in value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_as_text(item)}" for key, item in value.items()) + "}"
    return value if isinstance(value, str) else ""
