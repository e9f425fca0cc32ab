"""The bundled demo: two projects, their shared stores and sessions, laid out as the agents do.

Invariant: `materialize` writes below its target and nowhere else, and the environment that it
hands out leads to that target alone, so whatever is tried out in a demo costs nothing.

`store/` holds the files byte for byte, also those that are wrong on purpose (a byte order mark
with CRLF, Latin-1, an unclosed frontmatter, no bytes at all); `ages.json` holds the age of each in
hours. Session and state files carry three placeholders: `"@ago N"` is a time N seconds before now,
`@cwd` the project's folder and `@memory` its memory directory.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import resources
from pathlib import Path

from memtui.engine.disk.paths import absolute, project_key

_AGO = re.compile(r'"@ago (\d+)"')
_TEMPLATES = (".json", ".jsonl")
_OVERRIDES = ("QWEN_", "CLAUDE_")
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class DemoHome:
    """Where one copy of the demo lies; all paths are absolute and below `root`."""

    root: Path
    home: Path
    """Stands for the user's home directory."""
    api_dir: Path
    """The working folder of `acme-api`, the project that Qwen Code works on."""
    api_memory: Path
    team_memory: Path
    """In the repository of `acme-api`."""
    user_memory: Path
    """Qwen Code's user store."""
    mobile_dir: Path
    """The working folder of `acme-mobile`, the project that Claude Code works on."""
    mobile_memory: Path
    state_dir: Path
    """For memtui's own files: journal, trash, telemetry."""
    env: Mapping[str, str]
    """Complete for `paths.bases`; laid over a real environment by `environment`."""

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """A copy of `environ` in which both agents find the demo and nothing of the user's own.

        Each variable of the agents (`QWEN_…`, `CLAUDE_…`) is left out, each of `env` is set.
        """
        kept = {name: value for name, value in environ.items() if not name.startswith(_OVERRIDES)}
        return {**kept, **self.env}


def materialize(target: Path, now: float) -> DemoHome:
    """Copy the demo into the directory `target`, aged as of `now` (seconds since the epoch).

    `target` is created where it is missing. Raises FileExistsError where it already holds a demo.
    """
    root = absolute(target)
    home, work, state_dir = root / "home", root / "home" / "work", root / "state"
    api_dir, mobile_dir = work / "acme-api", work / "acme-mobile"
    api_state = home / ".qwen" / "projects" / _key(api_dir)
    mobile_state = home / ".claude" / "projects" / _key(mobile_dir)
    demo = DemoHome(
        root=root,
        home=home,
        api_dir=api_dir,
        api_memory=api_state / "memory",
        team_memory=api_dir / ".qwen" / "team-memory",
        user_memory=home / ".qwen" / "memories",
        mobile_dir=mobile_dir,
        mobile_memory=mobile_state / "memory",
        state_dir=state_dir,
        env={
            "HOME": str(home),
            "USERPROFILE": str(home),
            "XDG_STATE_HOME": str(state_dir),
            "XDG_CONFIG_HOME": str(root / "config"),
        },
    )
    root.mkdir(parents=True, exist_ok=True)
    home.mkdir()
    for repository in (api_dir, mobile_dir):
        (repository / ".git").mkdir(parents=True)
        (repository / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    state_dir.mkdir(mode=0o700)

    places = (
        ("acme-api/memory/", demo.api_memory),
        ("acme-api/team/", demo.team_memory),
        ("acme-api/sessions/", api_state / "chats"),
        ("acme-api/", api_state),
        ("acme-mobile/memory/", demo.mobile_memory),
        ("acme-mobile/sessions/", mobile_state),
        ("memories/", demo.user_memory),
    )
    ages_h = _ages_h()
    now_ns = round(now * _NS_PER_S)
    for name, content in _bundled():
        prefix, directory = next(place for place in places if name.startswith(place[0]))
        if name.endswith(_TEMPLATES):
            is_api = name.startswith("acme-api/")
            cwd, memory = (api_dir, demo.api_memory) if is_api else (mobile_dir, demo.mobile_memory)
            content = _filled(content, now, cwd=cwd, memory=memory)
        path = directory / name[len(prefix) :]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        mtime_ns = now_ns - round(ages_h[name] * 3600) * _NS_PER_S
        os.utime(path, ns=(mtime_ns, mtime_ns))
    return demo


def _key(directory: Path) -> str:
    return project_key(str(directory), windows=os.name == "nt")


def _ages_h() -> dict[str, float]:
    text = resources.files(__name__).joinpath("ages.json").read_text(encoding="utf-8")
    return {name: float(hours) for name, hours in json.loads(text).items()}


def _bundled() -> Iterator[tuple[str, bytes]]:
    """Each file of `store/`: its path with `/`, and its bytes."""
    pending = [("", resources.files(__name__).joinpath("store"))]
    while pending:
        prefix, directory = pending.pop()
        for child in directory.iterdir():
            if child.is_dir():
                pending.append((f"{prefix}{child.name}/", child))
            else:
                yield f"{prefix}{child.name}", child.read_bytes()


def _filled(template: bytes, now: float, *, cwd: Path, memory: Path) -> bytes:
    text = _AGO.sub(lambda ago: json.dumps(_time(now - int(ago[1]))), template.decode("utf-8"))
    for placeholder, path in (("@cwd", cwd), ("@memory", memory)):
        text = text.replace(placeholder, json.dumps(str(path))[1:-1])
    return text.encode("utf-8")


def _time(seconds: float) -> str:
    """`seconds` since the epoch as the agents write a time (spec section 11)."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
