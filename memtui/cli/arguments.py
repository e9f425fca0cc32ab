"""The command line's words → `Options`.

Invariant: every option may stand before or after the verb; one that is given in both places counts
from the place after the verb, and repeated scopes add up. A wrong call ends in `UsageError` or,
where argparse finds it, in exit code 2.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from memtui import __version__
from memtui.engine.errors import UsageError
from memtui.engine.types import SCOPES, Agent, Scope, Scorer
from memtui.tui.safe_text import safe_line

Verb = Literal["list", "show", "recall", "index", "projects"]

RECALL_LIMIT = 5
"""How many documents the agent injects (spec section 5)."""

_EXIT_CODES = """\
exit codes:
  0  done (also a store without memories)
  1  nothing matched: no recall, no such ID, no project
  2  wrong usage
  3  refused, and why
  4  a store that is missing or cannot be read, or no way to write the answer
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What one call asks for."""

    verb: Verb | None
    """None opens the app."""
    project: Path | None
    memory_dir: Path | None
    agent: Agent | None
    is_demo: bool
    is_readonly: bool
    scopes: tuple[Scope, ...]
    """In the order of recall; empty: the verb's own default."""
    as_json: bool
    id: str = ""
    query: str = ""
    scorer: Literal["auto"] | Scorer = "auto"
    """`auto`: by the version of the agent."""
    limit: int = RECALL_LIMIT


def parse(arguments: Sequence[str]) -> Options:
    """The options that `arguments` (without the program's name) spell.

    Raises UsageError for options that exclude each other; SystemExit for `--help`, `--version`
    and whatever argparse refuses.
    """
    found = _parser().parse_args(arguments)
    given: dict[str, Any] = {}
    for name in ("project", "memory_dir", "agent", "demo", "readonly", "json"):
        after = getattr(found, f"verb_{name}", None)
        given[name] = after if after not in (None, False) else getattr(found, name)
    scopes = {*(found.scope or ()), *(getattr(found, "verb_scope", None) or ())}
    options = Options(
        verb=found.verb,
        project=_directory("--project", given["project"]),
        memory_dir=_directory("--memory-dir", given["memory_dir"]),
        agent=given["agent"],
        is_demo=bool(given["demo"]),
        is_readonly=bool(given["readonly"]),
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        as_json=bool(given["json"]),
        id=getattr(found, "id", ""),
        query=" ".join(getattr(found, "query", ())),
        scorer=getattr(found, "scorer", "auto"),
        limit=getattr(found, "limit", RECALL_LIMIT),
    )
    _check(options)
    return options


def _directory(option: str, value: str | None) -> Path | None:
    if value == "":
        raise UsageError(f"{option} names no directory: its value is empty.")
    return None if value is None else Path(value)


def _check(options: Options) -> None:
    if options.project is not None and options.memory_dir is not None:
        raise UsageError("--project and --memory-dir exclude each other: name one of them.")
    if options.is_demo and (options.project is not None or options.memory_dir is not None):
        raise UsageError("--demo brings a project of its own: leave the directory out.")
    if options.verb is None and (options.as_json or options.scopes):
        raise UsageError("--json and --scope belong to a verb, such as `memtui list --json`.")
    if options.verb == "index" and len(options.scopes) > 1:
        raise UsageError("index reports on one scope at a time: give --scope once.")


class _Parser(argparse.ArgumentParser):
    """Argparse without abbreviations, whose messages are safe for a terminal."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and `message`."""
        super().error(safe_line(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="memtui",
        description="Browse what your coding agent remembers, and preview what it will recall. "
        "Without a verb it opens the app.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"memtui {__version__}")
    _add_common(parser, "")
    common = _Parser(add_help=False, allow_abbrev=False)
    _add_common(common, "verb_")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")

    def add(name: Verb, help_text: str, description: str = "") -> argparse.ArgumentParser:
        return verbs.add_parser(
            name,
            help=help_text,
            description=description or f"{help_text[0].upper()}{help_text[1:]}.",
            parents=[common],
            allow_abbrev=False,
        )

    add("list", "list all memories, and whether the agent sees them")
    show = add(
        "show",
        "show one memory: its head and its body",
        "Show one memory. With the ID of an entry the text is that entry alone; --json always "
        "gives the whole document.",
    )
    show.add_argument(
        "id",
        metavar="ID",
        help="a path below the memory directory, or path:index, with user: or another scope "
        "before it and @digest behind it where wanted",
    )
    recall = add("recall", "preview what the agent would recall for a query, and why")
    recall.add_argument("query", metavar="QUERY", nargs="+", help="several words make one query")
    recall.add_argument(
        "--scorer",
        choices=("auto", "classic", "weighted"),
        default="auto",
        help="classic: Qwen Code up to 0.22, weighted: since 0.23; auto (the default): by the "
        "version in the newest session",
    )
    recall.add_argument(
        "--limit",
        metavar="N",
        type=int,
        default=RECALL_LIMIT,
        help=f"inject at most N memories (default {RECALL_LIMIT}, as the agent does)",
    )
    add("index", "report on the index: its size, and where it and the files differ")
    add("projects", "list all projects of both agents that have a memory")
    return parser


def _add_common(parser: argparse.ArgumentParser, prefix: str) -> None:
    """The options of every verb; `prefix` keeps those after the verb apart from those before."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--project",
        metavar="DIR",
        dest=f"{prefix}project",
        help="the working folder (default: the current directory)",
    )
    where.add_argument(
        "--memory-dir",
        metavar="DIR",
        dest=f"{prefix}memory_dir",
        help="one memory directory, wherever it lies",
    )
    parser.add_argument(
        "--agent",
        choices=("qwen", "claude"),
        dest=f"{prefix}agent",
        help="whose memory, where a folder has both (default: qwen)",
    )
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        action="append",
        dest=f"{prefix}scope",
        help="only this scope; repeatable (default: all; index: project)",
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        dest=f"{prefix}demo",
        help="use a bundled store in a temporary directory",
    )
    parser.add_argument(
        "--readonly", action="store_true", dest=f"{prefix}readonly", help="never write anything"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        dest=f"{prefix}json",
        help="JSON on standard output, talk on standard error",
    )
