"""`python -m memtui`, and the console script."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; gives the exit code."""
    try:
        from memtui.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
