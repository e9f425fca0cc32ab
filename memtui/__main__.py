"""`python -m memtui`, and the console script."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command line; gives the exit code."""
    # What a start makes, it keeps: to look through it for garbage takes an eighth of the time to
    # the first frame. The app turns collection on again.
    gc.disable()
    try:
        from memtui.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
