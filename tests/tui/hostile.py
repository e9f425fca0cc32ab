"""Text that wants to be markup or to steer a terminal, and stores that hold it everywhere.

Each `Kind` says what stands in a file and how that has to be drawn. The expected texts are written
out by hand: nothing here asks `safe_text`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from memtui.engine.disk.paths import project_key
from tests.tui.conftest import NOW_NS


@dataclass(frozen=True)
class Kind:
    """One hostile string; `mark` occurs in no other."""

    mark: str
    raw: str
    shown: str
    nests: bool = True
    """False where it changes the Markdown of a link that it stands in."""

    @property
    def file_stem(self) -> str:
        """`raw` as part of a file name: without `/` and NUL, which none can hold."""
        return self.raw.replace("/", "_").replace("\0", "")

    @property
    def shown_stem(self) -> str:
        """How `file_stem` is drawn."""
        return self.shown.replace("/", "_").replace("\\x00", "")


def _as_it_is(mark: str, raw: str, *, nests: bool = True) -> Kind:
    return Kind(mark, raw, raw, nests)


BRACKETS = (
    _as_it_is("m01", "[bold]m01"),
    _as_it_is("m02", "m02[/]"),
    _as_it_is("m03", "[@click=app.quit]m03[/]"),
    _as_it_is("m04", "[red]m04[/red]"),
    _as_it_is("m05", "m05 [ open", nests=False),
    _as_it_is("m06", "m06 ] shut", nests=False),
    _as_it_is("m07", "[[wiki-m07]]"),
    _as_it_is("m08", "[link=https://e.example/m08]m08[/link]"),
    _as_it_is("m09", r"\[m09]", nests=False),
    _as_it_is("m10", "[$primary]m10"),
    _as_it_is("m11", "[#ff0000]m11"),
    _as_it_is("m12", "[on red]m12[/on red]"),
    _as_it_is("m13", "[ ] m13 [x] done"),
    _as_it_is("m14", "[1:2]m14"),
    _as_it_is("m15", "[/bold]m15"),
    _as_it_is("m16", "[]m16[ ]"),
    _as_it_is("m17", ":smile: m17 :red_heart:"),
    _as_it_is("m18", "[no style at all!]m18"),
    _as_it_is("m19", "[bold red on $primary link='m19']m19"),
    _as_it_is("m20", "[[[[[m20", nests=False),
    _as_it_is("m21", '[@click="app.bell()"]m21[/@click]'),
    _as_it_is("m22", "[m22]: https://e.example"),
    _as_it_is("m23", "![m23]"),
    _as_it_is("m24", "[^m24]"),
    _as_it_is("m25", "&lsqb;bold&rsqb;m25", nests=False),
    _as_it_is("m26", "&#x202e;m26&#13;&#8203;", nests=False),
    _as_it_is("m27", "<!-- m27 -->", nests=False),
    _as_it_is("m28", "{m28!r:<{0}} %(m28)s ${m28}", nests=False),
)
"""Strings that some renderer takes for markup; each is drawn as it stands."""

CONTROLS = (
    Kind("c01", "\x1b[31mc01", r"\x1b[31mc01", nests=False),
    Kind("c02", "\x1b]0;c02\x07", r"\x1b]0;c02\x07", nests=False),
    Kind(
        "c03",
        "\x1b]8;;https://e.example/c03\x1b\\c03\x1b]8;;\x1b\\",
        r"\x1b]8;;https://e.example/c03\x1b\c03\x1b]8;;\x1b" + "\\",
        nests=False,
    ),
    Kind("c04", "\x1b]52;c;YzA0\x07c04", r"\x1b]52;c;YzA0\x07c04", nests=False),
    Kind("c05", "\x1bPq1c05\x1b\\", r"\x1bPq1c05\x1b" + "\\"),
    Kind("c06", "\x07c06", r"\x07c06"),
    Kind("c07", "c07\x08\x08\x08xx", r"c07\x08\x08\x08xx"),
    Kind("c08", "\x9b31mc08", r"\x9b31mc08"),
    Kind("c09", "\x9d0;c09\x9c", r"\x9d0;c09\x9c"),
    Kind("c10", "\x90qc10\x9c", r"\x90qc10\x9c"),
    Kind("c11", "c11\x85x", r"c11\x85x"),
    Kind("c12", "\x1b_c12\x1b\\", r"\x1b_c12\x1b" + "\\"),
    Kind("c13", "\u202ec13", r"\u202ec13"),
    Kind("c14", "\u2067c14\u2069", r"\u2067c14\u2069"),
    Kind("c15", "\u200ec15\u061c", r"\u200ec15\u061c"),
    Kind("c16", "c16\u200bx", r"c16\u200bx"),
    Kind("c17", "c17\ufeffx\u2060y", r"c17\ufeffx\u2060y"),
    Kind("c18", "c18\u00adx", r"c18\xadx"),
    Kind("c19", "c19\U000e0041\U000e007fx", r"c19\U000e0041\U000e007fx"),
    Kind("c20", "c20\x00x", r"c20\x00x"),
    Kind("c21", "c21\rx", r"c21\x0dx"),
    Kind("c22", "c22\u2028x\u2029y", r"c22\u2028x\u2029y"),
    Kind("c23", "c23\x0bx\x0cy", r"c23\x0bx\x0cy"),
    Kind("c24", "\x1b[?1049lc24", r"\x1b[?1049lc24", nests=False),
    Kind("c25", "\x1bcc25", r"\x1bcc25"),
    Kind("c26", "\x1b[21tc26\x1b[6n", r"\x1b[21tc26\x1b[6n", nests=False),
    Kind("c27", "c27\u200dx\u200cy", r"c27\u200dx\u200cy"),
    Kind("c28", "c28\ufe0fx\U000e0100y", r"c28\ufe0fx\U000e0100y"),
    Kind("c29", "c29\x7f\x7fx", r"c29\x7f\x7fx"),
)
"""Strings that steer a terminal or deceive its reader; each is drawn as escapes."""

LONE = Kind("c30", "c30\ud83dx", "c30\ufffdx")
"""A lone surrogate, as only a JSON escape can bring it; the sessions have a sign for it."""

KINDS = (*BRACKETS, *CONTROLS)

BYTES_NAME = b"bad\xff\xfe\x1b]0;n01\x07\nname"
BYTES_SHOWN = r"bad\udcff\udcfe\x1b]0;n01\x07 name"
BYTES_FILE_SHOWN = r"bad\xff\xfe\x1b]0;n01\x07 name.md"
"""A name that is not UTF-8 and holds an escape sequence and a line end: a folder's and a file's."""

VERSION = "[@click=app.quit]0\x1b]0;v01\x07\u202e.7.1"
VERSION_SHOWN = r"Qwen [@click=app.quit]0\x1b]0;v01\x07\u202e"
"""Of the agent, as a session tells it."""

NEAR = tuple(kind for kind in KINDS if kind.mark in ("m01", "m03", "m10", "c08", "c13", "c16"))
"""Whose file is linked in another case."""

PLACES = ("para", "head", "item", "task", "cell", "quote", "beside", "code", "span", "wiki")
"""Where `topic` puts a kind in a body, each behind this word."""


def _batches() -> tuple[tuple[Kind, ...], ...]:
    size = 8
    return tuple(tuple(KINDS[start : start + size]) for start in range(0, len(KINDS), size))


BATCHES = _batches()
"""All kinds, some in one file: the app draws a file at a time."""


def joined(batch: tuple[Kind, ...], *, is_shown: bool = False) -> str:
    """The kinds of a batch in one line, as they are or as they are drawn."""
    return " ~ ".join(kind.shown if is_shown else kind.raw for kind in batch)


def topic(batch: tuple[Kind, ...]) -> str:
    """A topic file with each kind as it is in every place."""
    head = f"""---
name: name {joined(batch)} end
description: desc {joined(batch)} end
type: feedback
---
"""
    return head + "".join(map(_body, batch))


def _body(kind: Kind) -> str:
    raw = kind.raw
    return f"""
para {raw} end

{raw}

# head {raw} end

- item {raw} end
- [ ] task {raw} end

| cell {raw} end | b |
| --- | --- |
| x | y |

> quote {raw} end

``` beside {raw} end
code {raw} end
```

`span {raw} end`

[link {raw} end](<{raw} target.md>)

[[wiki {raw} end]]

**Why:** why {raw} end
**How to apply:** apply {raw} end
"""


def small_topic(kind: Kind) -> str:
    """A topic file as an agent writes it, of one kind."""
    raw = kind.raw
    return f"""---
name: {raw}
description: {raw}
type: user
---

{raw}
"""


def quoted_topic(batch: tuple[Kind, ...]) -> str:
    """A topic file whose frontmatter is valid YAML and brings the kinds as escapes."""
    raw = joined(batch)
    return f"""---
name: {_yaml(f"name {raw} end")}
description: {_yaml(f"desc {raw} end")}
type: {_yaml(f"type {raw} end")}
note: {_yaml(f"note {raw} end")}
metadata:
  deep: {_yaml(f"deep {raw} end")}
---

Body.
"""


def typed_topic(kind: Kind) -> str:
    """A topic file with `kind` as its type, as it is."""
    return f"---\nname: Typed {kind.mark}\ntype: {kind.raw}\n---\n\nBody.\n"


def keyed_topic(batch: tuple[Kind, ...]) -> str:
    """A topic file with the kinds as plain keys and values, which is hardly ever YAML."""
    keys = "".join(f"note{kind.mark}: {kind.raw}\n{kind.raw}: value\n" for kind in batch)
    return f"---\nname: Keyed\ntype: user\n{keys}---\n\nBody.\n"


def _yaml(text: str) -> str:
    """`text` as a double-quoted YAML value in ASCII."""
    parts = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            parts.append("\\" + character)
        elif 0x20 <= code < 0x7F:
            parts.append(character)
        else:
            parts.append(f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")
    return f'"{"".join(parts)}"'


def fill(memory: Path) -> None:
    """Put every kind into every place of the store at `memory`, and an index over it."""
    for number, batch in enumerate(BATCHES):
        put(memory / "batch" / f"{number}.md", topic(batch))
        put(memory / "quoted" / f"{number}.md", quoted_topic(batch))
        put(memory / "keyed" / f"{number}.md", keyed_topic(batch))
    near = "".join(f"[near](<named/{kind.file_stem.upper()}.md>)\n" for kind in NEAR)
    put(memory / "linked.md", f"Linked from all that is named.\n\n{near}")
    lines = ["# Index", ""]
    for kind in KINDS:
        put(memory / f"{kind.mark}.md", small_topic(kind))
        put(memory / "typed" / f"{kind.mark}.md", typed_topic(kind))
        named = memory / "named" / f"{kind.file_stem}.md"
        put(named, f"Body of {kind.mark}, see [it](../linked.md).\n")
        gone = memory / "gone" / f"{kind.file_stem}.md"
        gone.parent.mkdir(exist_ok=True)
        gone.symlink_to(f"to {kind.file_stem}")
        lines += [
            f"- [label {kind.raw} end]({kind.mark}.md) — hook {kind.raw} end",
            f"- [lost](<{kind.raw} lost.md>) — nowhere",
            f"inline {kind.raw} end",
        ]
    put(memory / os.fsdecode(BYTES_NAME + b".md"), "Body of n01.\n")
    put(memory / "MEMORY.md", "\n".join(lines) + "\n")


def put(file: Path, text: str) -> None:
    """Write `text` with its line ends as they are, aged ten days."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    aged_ns = NOW_NS - 10 * 86_400 * 1_000_000_000
    os.utime(file, ns=(aged_ns, aged_ns))


class HostileHome:
    """A home whose projects, sessions and stores are all hostile."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.work = root / "work"
        self.projects = self.home / ".qwen" / "projects"
        self.project = self.work / "app"
        (self.project / ".git").mkdir(parents=True)
        self.memory = self.memory_of(self.project)
        fill(self.memory)
        self.session(self.project, VERSION)

    @property
    def environment(self) -> dict[str, str]:
        """Of a process that lives in this home."""
        return {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
        }

    def memory_of(self, folder: Path | str) -> Path:
        """The directory for the memory of the project in `folder`."""
        memory = self.projects / project_key(str(folder)) / "memory"
        memory.mkdir(parents=True, exist_ok=True)
        return memory

    def session(self, folder: Path | str, version: str = "0.24.0", key: str = "") -> None:
        """A session that was started in `folder`."""
        record = {"type": "user", "uuid": "u", "cwd": str(folder), "version": version}
        chats = self.projects / (key or project_key(str(folder))) / "chats"
        put(chats / "s.jsonl", json.dumps(record) + "\n")

    def add_projects(self) -> None:
        """One project for each kind: its folder is gone; and one whose key is the kind itself."""
        for kind in (*KINDS, LONE):
            folder = f"/gone/{kind.file_stem}"
            put(self.memory_of(folder) / "a.md", "Body.\n")
            self.session(folder)
        for kind in KINDS:
            put(self.projects / f"key {kind.file_stem}" / "memory" / "a.md", "Body.\n")
