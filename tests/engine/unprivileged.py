"""Runs code in a process that file modes hold for, also where the tests run as root."""

from __future__ import annotations

import os
import subprocess
import sys


def run_without_privileges(code: str, *arguments: str) -> str:
    """The output of `code`, run by a process that file modes hold for, even as root."""
    caps = "-dac_override,-dac_read_search"
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    if os.geteuid() == 0:
        command = ["setpriv", f"--bounding-set={caps}", f"--inh-caps={caps}", *command]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
