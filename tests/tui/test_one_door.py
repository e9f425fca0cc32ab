"""No module of the screens can hand a built string to something that reads markup."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import memtui.tui

_ROOT = Path(memtui.tui.__file__).parent
_MODULES = sorted(_ROOT.rglob("*.py"))

_READERS = {"from_markup", "from_ansi", "from_text", "render_str", "Label", "Markdown", "RichLog"}
"""Names that turn a string into styles, links or actions, or draw it as it is."""
_MARKUP_TARGETS = {"border_title", "border_subtitle", "tooltip", "loading_message"}
_MARKUP_CALLS = {"Static", "update", "Tooltip", "Button", "Option"}


def built_strings(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that put a string together, where a widget would read it as markup."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in _MARKUP_TARGETS:
                    yield from filter(is_built, [node.value])
        elif isinstance(node, ast.Call) and name_of(node.func) in _MARKUP_CALLS:
            yield from filter(is_built, node.args[:1])


def is_built(node: ast.expr) -> bool:
    """True for an f-string, a sum, `%`, and the calls that give a string."""
    if isinstance(node, ast.Call):
        return name_of(node.func) in {"str", "format", "join", "replace", "safe_line", "safe_block"}
    if isinstance(node, ast.IfExp):
        return is_built(node.body) or is_built(node.orelse)
    return isinstance(node, ast.JoinedStr | ast.BinOp)


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("module", _MODULES, ids=lambda path: str(path.relative_to(_ROOT)))
def test_strings_go_through_content(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert [ast.unparse(node) for node in built_strings(tree)] == []
    used = {name_of(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert (used | imported) & _READERS == set()


def test_the_rule_finds_what_it_is_for() -> None:
    code = 'x.border_title = f"{name}"\nStatic(str(y))\nz.update("a" + b)\nStatic(Content(c))\n'
    assert len(list(built_strings(ast.parse(code)))) == 3
