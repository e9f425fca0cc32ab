"""A store in which every kind of bad file lies beside good ones, and what has to be said of each.

Invariant: `GOOD` are memories that nothing is wrong with; whatever lies beside them, they list and
can be read.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tests.cli_home import put, topic

GOOD = ("good.md", "folder/also-good.md")
NFC, NFD = "caf\u00e9.md", "cafe\u0301.md"
NAME_10K = "n" * 10_000


@dataclass(frozen=True)
class Bad:
    """A file that is no memory: its rule, and the start of the sentence about it."""

    rule: str
    said: str


NO_MEMORIES = {
    "folder.md": Bad("not-a-file", "This is a folder whose name ends in .md; the files in it"),
    "linked-folder.md": Bad("not-a-file", "This link leads to a folder, and is not followed: "),
    "dangling.md": Bad("dangling-link", "This link leads nowhere: there is no nowhere.md."),
    "cycle-a.md": Bad("link-cycle", "This link leads back to itself: cycle-b.md."),
    "cycle-b.md": Bad("link-cycle", "This link leads back to itself: cycle-a.md."),
    "cycle": Bad("link-cycle", "This link leads to a folder that holds it, and is not followed"),
    "pipe.md": Bad("not-a-file", "This is a named pipe, not a file, and is never opened."),
    "socket.md": Bad("not-a-file", "This is a socket, not a file, and is never opened."),
    "zero.md": Bad("not-a-file", "This is a device, not a file, and is never opened."),
    "tty.md": Bad("not-a-file", "This is a device, not a file, and is never opened."),
    "memory-of-process.md": Bad("unreadable", "This file cannot be read ("),
    "huge.md": Bad("too-large", "This file has 300 MB, more than the 32 MB that are read"),
    "not-utf8-\\xe9.md": Bad("name", "The name of this file is not UTF-8"),
}

FAULTY = {
    "utf-16.md": "The file is not UTF-8; shown as UTF-16",
    "utf-16-be.md": "The file is not UTF-8; shown as UTF-16",
    "latin-1.md": "The file is not UTF-8; shown as Latin-1",
    "broken-utf-8.md": "The file is not UTF-8; shown as Latin-1",
    "bomb.md": "The frontmatter is not read as YAML: it holds an alias.",
    "unclosed.md": "The frontmatter is not closed by `---`",
    "nested-yaml.md": "The frontmatter is not read as YAML: it is nested too deeply.",
}
"""Memories that something is wrong with: the start of the sentence about it."""

ODD = (
    "nul.md",
    "only-nul.md",
    "empty.md",
    " .md",
    "\u3000.md",
    "UPPER.MD",
    "Case.md",
    "case.md",
    NFC,
    NFD,
    "name-10k.md",
    "deep-list.md",
    "deep-quote.md",
    "table.md",
    "before-1970.md",
    "after-2100.md",
    "process-status.md",
    "\u202egnp.md",
    "esc\x1b[31m.md",
    "two\nlines.md",
    "folder.md/inside.md",
)
"""Memories that are odd, and read all the same."""


def make_bad_store(memory: Path) -> Path:
    """Write all of them below `memory`, which it gives back."""
    for path in GOOD:
        put(memory / path, topic(f"Named {path}", body=f"The words of {path}.\n"))
    _put_no_memories(memory)
    _put_faulty(memory)
    _put_odd(memory)
    put(memory / "MEMORY.md", "- [Named good.md](good.md) — feedback\n")
    return memory


def _put_no_memories(memory: Path) -> None:
    put(memory / "folder.md" / "inside.md", topic("Inside"))
    links = {
        "linked-folder.md": "folder",
        "dangling.md": "nowhere.md",
        "cycle-a.md": "cycle-b.md",
        "cycle-b.md": "cycle-a.md",
        "cycle": ".",
        "zero.md": "/dev/zero",
        "tty.md": "/dev/tty",
        "memory-of-process.md": "/proc/self/mem",
        "process-status.md": "/proc/self/status",
    }
    for path, target in links.items():
        (memory / path).symlink_to(target)
    os.mkfifo(memory / "pipe.md")
    os.mknod(memory / "socket.md", stat.S_IFSOCK | 0o600)
    put(memory / "huge.md", b"")
    os.truncate(memory / "huge.md", 300_000_000)
    put(Path(os.fsdecode(os.fsencode(memory) + b"/not-utf8-\xe9.md")), topic("Not UTF-8"))


def _put_faulty(memory: Path) -> None:
    text = topic("Sixteen", body="The words are here.\n")
    put(memory / "utf-16.md", b"\xff\xfe" + text.encode("utf-16-le"))
    put(memory / "utf-16-be.md", b"\xfe\xff" + text.encode("utf-16-be"))
    put(memory / "latin-1.md", topic("Café").encode("latin-1"))
    put(memory / "broken-utf-8.md", topic("Broken").encode() + b"\xff\xc0\xaf\xed\xa0\x80\n")
    doubling = "".join(f"k{n}: &k{n} [{f'*k{n - 1}, ' * 9}]\n" for n in range(1, 12))
    put(memory / "bomb.md", f"---\nname: Bomb\nk0: &k0 [x]\n{doubling}---\n\nBody.\n")
    put(memory / "unclosed.md", "---\nname: Unclosed\ntype: user\n\nBody.\n")
    put(memory / "nested-yaml.md", f"---\nname: Nested\nx: {'[' * 40}{']' * 40}\n---\n\nBody.\n")


def _put_odd(memory: Path) -> None:
    put(memory / "nul.md", topic("Nul\0name", body="a\0b\0\0c\n"))
    put(memory / "only-nul.md", b"\0" * 4_096)
    for path in ("empty.md", " .md", "\u3000.md"):
        put(memory / path, b"")
    for path in ("UPPER.MD", "Case.md", "case.md", NFC, NFD):
        put(memory / path, topic(f"Odd {path}"))
    put(memory / "name-10k.md", topic(NAME_10K, "d" * 10_000))
    nested = "".join(f"{'  ' * depth}- level {depth}\n" for depth in range(200))
    put(memory / "deep-list.md", topic("Deep list", body=nested))
    put(memory / "deep-quote.md", topic("Deep quote", body=f"{'> ' * 200}deep\n\n{'- ' * 200}x\n"))
    rows = "| c | d |\n" * 5_000
    put(memory / "table.md", topic("Table", body=f"| a | b |\n|---|---|\n{rows}"))
    put(memory / "before-1970.md", topic("Before 1970"), mtime_s=-10_000_000)
    put(memory / "after-2100.md", topic("After 2100"), mtime_s=4_200_000_000)
    for path in ("\u202egnp.md", "esc\x1b[31m.md", "two\nlines.md"):
        put(memory / path, topic("Unsafe \x1b]0;title\x07 \u202eeman"))
