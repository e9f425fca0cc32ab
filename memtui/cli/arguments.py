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

Verb = Literal[
    "list", "show", "recall", "forget", "dream", "extract", "index", "log", "undo", "projects"
]

RECALL_LIMIT = 5
"""How many documents the agent injects (spec section 5)."""

_EXIT_CODES = """\
exit codes:
  0  done (also a store without memories)
  1  nothing matched: no recall, no such ID, no project, nothing to undo
  2  wrong usage
  3  refused, and why: locked, changed since, read-only, an ID that fits several things
  4  a store that is missing or cannot be read, or no way to write the answer
What changes a store only shows what it would do unless --yes is given.
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
    ids: tuple[str, ...] = ()
    """The entries to forget."""
    act_id: str | None = None
    """The journal ID to undo, or to purge; None: the newest act, or none to purge."""
    session: str = ""
    """The session to extract from; empty: the newest."""
    is_auto: bool = False
    """Whether the dream asks its gates."""
    is_rebuild: bool = False
    is_confirmed: bool = False
    """`--yes`: write what was planned."""
    breaks_stale_lock: bool = False
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
        ids=tuple(getattr(found, "ids", None) or ()),
        act_id=getattr(found, "act_id", None),
        session=getattr(found, "session", None) or "",
        is_auto=getattr(found, "auto", False),
        is_rebuild=getattr(found, "rebuild", False),
        is_confirmed=getattr(found, "yes", False),
        breaks_stale_lock=getattr(found, "break_stale_lock", False),
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
    if options.verb in ("index", "dream", "extract") and len(options.scopes) > 1:
        raise UsageError(f"{options.verb} is about one scope at a time: give --scope once.")
    is_report = options.verb == "index" and not options.is_rebuild
    if is_report and (options.is_confirmed or options.breaks_stale_lock):
        raise UsageError("index only reports; --yes and --break-stale-lock need --rebuild.")
    if options.verb == "forget":
        if options.ids and options.query:
            raise UsageError("Either search with a query or choose with --id, not both.")
        if not options.ids and (options.is_confirmed or options.breaks_stale_lock):
            raise UsageError(
                "A query only lists entries: choose with --id which of them to forget."
            )
    if options.verb == "log" and options.breaks_stale_lock and options.act_id is None:
        raise UsageError("log only reads; --break-stale-lock needs --purge.")
    if options.act_id == "":
        raise UsageError("The journal ID is empty; `memtui log` lists them.")


class _Parser(argparse.ArgumentParser):
    """Argparse without abbreviations, whose messages are safe for a terminal."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and `message`."""
        super().error(safe_line(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="memtui",
        description="Browse what your coding agent remembers, preview what it will recall, and "
        "forget what is wrong. Without a verb it opens the app.",
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
    forget = add(
        "forget",
        "find entries and forget them; `undo` brings them back",
        "With a QUERY, list the entries it may mean; without one, all. With --id, show what "
        "forgetting these entries changes, and with --yes do it.",
    )
    forget.add_argument("query", metavar="QUERY", nargs="*", help="several words make one query")
    forget.add_argument(
        "--id",
        metavar="ID",
        dest="ids",
        nargs="+",
        action="extend",
        help="an entry as the list names it: path:index, with a scope before it and @digest "
        "behind it where wanted; several, or repeatable",
    )
    _add_writing(forget)
    dream = add(
        "dream",
        "tidy a store by rule: merge what says the same, sort, suggest",
        "Show how the store would be tidied: what is merged and sorted, with the reason of each, "
        "and what is only suggested. With --yes do it; `undo` takes it back.",
    )
    dream.add_argument(
        "--auto",
        action="store_true",
        help="ask the gates first, as the run by itself does: enabled, another session, 24 hours, "
        "5 sessions, the lock",
    )
    _add_writing(dream)
    extract = add(
        "extract",
        "find new memories in the unread part of a session",
        "Show what you said in the unread part of a session that is worth keeping, with the "
        "quote, and what was dropped by which rule. With --yes write what is selected.",
    )
    extract.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        help="its ID, the start of it, or its .jsonl file (default: the newest)",
    )
    _add_writing(extract)
    index = add(
        "index",
        "report on the index: its size, and where it and the files differ",
        "Report on the index: its size, and where it and the files differ. With --rebuild, show "
        "it as it should be, and with --yes write it: one that the agent rebuilds is made anew, "
        "of one kept by hand only the faulty lines change.",
    )
    index.add_argument("--rebuild", action="store_true", help="put the index in order")
    _add_writing(index)
    log = add(
        "log",
        "list what memtui changed, the newest first",
        "List what memtui changed, the newest first; each can be undone by its ID.",
    )
    log.add_argument(
        "--purge",
        metavar="JOURNAL_ID",
        dest="act_id",
        help="remove one change from the log, and its old bytes with it: it can no longer be "
        "undone. Done at once",
    )
    _add_stale(log)
    undo = add(
        "undo",
        "undo a change, the newest unless one is named",
        "Show what undoing a change brings back, and with --yes do it. What was changed since by "
        "others stays. An undo can be undone too.",
    )
    undo.add_argument(
        "act_id", metavar="JOURNAL_ID", nargs="?", help="as `memtui log` names it, or its end"
    )
    _add_writing(undo)
    add("projects", "list all projects of both agents that have a memory")
    return parser


def _add_writing(parser: argparse.ArgumentParser) -> None:
    """The options of a verb that changes stores."""
    parser.add_argument("--yes", action="store_true", help="write it; else it is only shown")
    _add_stale(parser)


def _add_stale(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--break-stale-lock",
        action="store_true",
        help="remove a lock that an agent left behind, if it is in the way",
    )


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
        help="only this scope; repeatable (default: all; index, dream, extract: project)",
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
