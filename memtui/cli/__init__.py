"""The command line: argparse verbs, text or `--json` (design section 6).

Invariant: no verb imports textual; only the app, which opens without a verb, does. Whatever goes
wrong ends in one sentence on standard error and an exit code, never in a traceback:

0 done · 1 nothing matched · 2 wrong usage · 3 refused · 4 a store or stream that fails ·
130 interrupted · 141 nobody reads the answer any more, as a shell tells it of other tools.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.cli.arguments import Options, parse
from memtui.cli.output import abandon, flush, is_interactive, prepare_streams, say
from memtui.engine.errors import MemtuiError, UsageError

if TYPE_CHECKING:
    from memtui.engine.manager import MemoryManager

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one call; `arguments` without the program's name (None: the process's own).

    Gives the exit code; raises nothing for what a user, a file or a stream can do.
    """
    prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        flush()
    except BrokenPipeError:
        abandon()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemtuiError as error:
        say(str(error))
        return error.exit_code
    except OSError as error:
        abandon()
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        say(f"{place}{error.strerror or error}.")
        return MemtuiError.exit_code
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        options = parse(arguments)
        if options.verb is None and not is_interactive():
            raise UsageError(
                "The app needs a terminal; `memtui list` works without one, and --help names more."
            )
        # The engine takes most of the start; --help and a wrong call do without.
        from memtui.cli.opening import opened

        with opened(options) as manager:
            if options.verb is None:
                return _open_app(options, manager)
            from memtui.cli.verbs import run

            return run(options, manager)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def _open_app(options: Options, manager: MemoryManager) -> int:
    from memtui.cli.opening import DEMO_NOTE, ends_by_exception
    from memtui.tui.app import run_app

    # A polite kill has to give the terminal back as well.
    with ends_by_exception():
        return run_app(manager, note=DEMO_NOTE if options.is_demo else "")
