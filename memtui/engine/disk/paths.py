"""Where the stores of both agents are: environment, git root, project key (spec section 1).

Invariant: a path is made absolute by its spelling alone and never resolved, as the agents do it;
only the comparison in `store_at` looks at real paths. Nothing here creates or changes a file.

Which store opens for a folder: the project stores decide. Qwen Code's where it exists, else Claude
Code's. Beside a Qwen project store its user and team stores open too. They also open alone, where
neither agent has a project store: a fresh clone shows what the team wrote down. They do not push
aside a Claude project store, since a user store exists for every folder alike and a team store
comes with a clone; naming the agent `qwen` opens them there.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.engine.errors import NoHomeError, StoreError, UsageError
from memtui.engine.types import Agent, Store, StoreState

PROJECTS = "projects"
MEMORY = "memory"
_USER = "memories"
_TEAM = "team-memory"
_DOT_QWEN = ".qwen"

_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_OUTSIDE = re.compile("[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Bases:
    """The directories that everything else lies below; None where no home is known."""

    qwen_base: Path | None
    """Holds Qwen Code's `projects/<key>/memory` and `memories`."""
    qwen_runtime: Path | None
    """Holds Qwen Code's `projects/<key>/chats`."""
    claude_base: Path | None
    """Holds Claude Code's `projects/<key>`."""
    is_local: bool = False
    """Qwen Code's project memory lies in the project itself."""
    is_windows: bool = os.name == "nt"
    """A project key is lower-cased first."""

    def require_any(self) -> None:
        """Raise NoHomeError where no base of any agent is known."""
        if self.qwen_base is None and self.claude_base is None:
            raise no_home()


@dataclass(frozen=True, slots=True)
class Looked:
    """One place that was looked at for a store."""

    store: Store
    """What the place is, whether or not it exists."""
    reason: str
    """Why it was looked at: what would lie there."""
    state: StoreState
    message: str
    """One sentence where the state is not `ok`."""


@dataclass(frozen=True, slots=True)
class Located:
    """The stores of one folder, and every place that was looked at for them."""

    stores: tuple[Store, ...]
    """Those that exist and open together, in the order project, user, team."""
    looked_in: tuple[Looked, ...]
    """Also those that exist and do not open: the other agent's."""


def no_home() -> NoHomeError:
    """The error that tells which variables would help."""
    return NoHomeError(
        "No home directory is known: set HOME, or name the agent's directory with QWEN_HOME "
        "or CLAUDE_CONFIG_DIR."
    )


def home_of(env: Mapping[str, str]) -> Path | None:
    """The home directory as the agents find it; None where there is none.

    The variable (`HOME`; `USERPROFILE` on Windows), else the system's account database.
    """
    named = env.get("USERPROFILE" if os.name == "nt" else "HOME", "")
    if not named and os.name != "nt":
        import pwd  # there is none on Windows

        try:
            named = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return absolute(named) if named else None


def absolute(path: str | os.PathLike[str]) -> Path:
    """`path` against the current directory, with `.` and `..` taken out, links kept.

    Raises StoreError where `path` is relative and the current directory is gone.
    """
    path = Path(path)
    if not path.is_absolute():
        try:
            path = Path.cwd() / path
        except FileNotFoundError:
            raise StoreError("The current directory no longer exists.") from None
    text = os.path.normpath(path)
    if os.name != "nt" and text.startswith("//"):
        text = text[1:]  # Python alone keeps two leading slashes; a key would get two dashes
    return Path(text)


def bases(env: Mapping[str, str], home: Path | None) -> Bases:
    """The bases that the environment `env` names, with `~` standing for `home`.

    An empty variable counts as unset. Without a home, a base that needs it is None: the error
    comes when somebody needs that base (spec section 1).
    """
    runtime = _base(env, home, ("QWEN_RUNTIME_DIR", "QWEN_HOME"), _DOT_QWEN)
    base = runtime
    if env.get("QWEN_CODE_MEMORY_BASE_DIR"):
        base = _base(env, home, ("QWEN_CODE_MEMORY_BASE_DIR",), _DOT_QWEN)
    return Bases(
        qwen_base=base,
        qwen_runtime=runtime,
        claude_base=_base(env, home, ("CLAUDE_CONFIG_DIR",), ".claude"),
        is_local=env.get("QWEN_CODE_MEMORY_LOCAL") == "1",
    )


def _base(
    env: Mapping[str, str], home: Path | None, variables: tuple[str, ...], folder: str
) -> Path | None:
    named = next((env[name] for name in variables if env.get(name)), f"~/{folder}")
    if named != "~" and not named.startswith(("~/", f"~{os.sep}")):
        return absolute(named)
    return None if home is None else absolute(f"{home}/{named[2:]}")


def project_key(path: str, *, windows: bool = False) -> str:
    """The name of a project's directory: one `-` for each UTF-16 unit outside `A-Z a-z 0-9`.

    `path` is taken as it is spelled. Windows lower-cases first. A key cannot be turned back.
    """
    if windows:
        path = path.lower()
    return _OUTSIDE.sub("-", _TWO_UNITS.sub("--", path))


def git_root(directory: Path) -> Path | None:
    """The nearest of `directory` and its ancestors that holds a `.git` file or folder.

    A file marks a worktree or submodule. Nothing is resolved; None where there is none.
    """
    directory = absolute(directory)
    for folder in (directory, *directory.parents):
        if _stat(folder / ".git") is not None:
            return folder
    return None


def _stat(path: Path) -> os.stat_result | None:
    """What `path` leads to; None where that cannot be told."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def directory_state(path: Path) -> tuple[StoreState, str]:
    """Whether `path` is a directory, and one sentence where it is none; links are followed."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            return "missing", f"{path} is a link that leads nowhere."
        return "missing", f"{path} does not exist."
    except NotADirectoryError:
        return "not-a-directory", f"{path} lies below a file."
    except ValueError:
        return "missing", f"{path} is no possible path."
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return "missing", f"{path} is too long a path for this system."
        return "unreadable", f"{path} cannot be looked at: {error.strerror}."
    if not stat.S_ISDIR(mode):
        return "not-a-directory", f"{path} is not a directory."
    return "ok", ""


def stores_for(directory: Path, bases: Bases, agent: Agent | None = None) -> Located:
    """The stores of the working folder `directory`; `agent` keeps one agent's only.

    A store opens where its directory exists. Raises NoHomeError where nothing was found and no
    place for a project store could even be named, UsageError for the agent `none`, whose stores
    belong to no folder.
    """
    if agent == "none":
        raise UsageError("A store without an agent is opened by its directory: --memory-dir DIR.")
    directory = absolute(directory)
    looked = tuple(
        Looked(store, reason, *directory_state(store.memory_dir))
        for store, reason in _places(directory, bases)
        if agent is None or store.agent == agent
    )
    found = [place.store for place in looked if place.state == "ok"]
    if not found and not any(place.store.scope == "project" for place in looked):
        raise no_home()
    projects = [store.agent for store in found if store.scope == "project"]
    opened = projects[0] if projects else "qwen"
    return Located(tuple(store for store in found if store.agent == opened), looked)


def _places(directory: Path, bases: Bases) -> Iterator[tuple[Store, str]]:
    """Every place of spec section 1 for `directory`: Qwen Code's three first."""
    top = git_root(directory)
    root = top or directory
    key = project_key(str(root), windows=bases.is_windows)
    own_key = project_key(str(directory), windows=bases.is_windows)
    if bases.is_local:
        yield (
            _local_store(directory, own_key, bases),
            "Qwen Code's memory of this project, in the project (QWEN_CODE_MEMORY_LOCAL is 1)",
        )
    elif bases.qwen_base is not None:
        yield (
            _qwen_store(bases.qwen_base, bases, key, own_key, root),
            "Qwen Code's memory of this project",
        )
    if bases.qwen_base is not None:
        yield _user_store(bases.qwen_base), "Qwen Code's memory shared by all projects"
    if top is not None:
        yield _team_store(top), "Qwen Code's memory shared with the team, in the repository"
    if bases.claude_base is not None:
        yield (
            _claude_store(bases.claude_base, key, own_key, root),
            "Claude Code's memory of this project",
        )


def _qwen_store(
    base: Path, bases: Bases, key: str, session_key: str, root: Path | None = None
) -> Store:
    state_dir = base / PROJECTS / key
    return Store(
        scope="project",
        agent="qwen",
        memory_dir=state_dir / MEMORY,
        project_dir=root,
        key=key,
        state_dir=state_dir,
        sessions_dir=_chats(bases, session_key),
    )


def _local_store(directory: Path, key: str, bases: Bases) -> Store:
    return Store(
        scope="project",
        agent="qwen",
        memory_dir=directory / _DOT_QWEN / MEMORY,
        project_dir=directory,
        key=key,
        state_dir=directory / _DOT_QWEN,
        sessions_dir=_chats(bases, key),
    )


def _claude_store(base: Path, key: str, session_key: str, root: Path | None = None) -> Store:
    return Store(
        scope="project",
        agent="claude",
        memory_dir=base / PROJECTS / key / MEMORY,
        project_dir=root,
        key=key,
        sessions_dir=base / PROJECTS / session_key,
    )


def _user_store(base: Path) -> Store:
    return Store(scope="user", agent="qwen", memory_dir=base / _USER)


def _team_store(root: Path) -> Store:
    return Store(scope="team", agent="qwen", memory_dir=root / _DOT_QWEN / _TEAM, project_dir=root)


def _chats(bases: Bases, key: str) -> Path | None:
    return bases.qwen_runtime and bases.qwen_runtime / PROJECTS / key / "chats"


def store_at(memory_dir: Path, bases: Bases) -> Store:
    """The store that the named directory is (`--memory-dir`, spec section 1).

    One of the places above, compared by real paths, is that store; any other is a project store
    of the agent `none`. It need not exist. `<project>/.qwen/memory` counts under
    QWEN_CODE_MEMORY_LOCAL=1 only: else no agent reads it.
    """
    named = absolute(memory_dir)
    real = _real(named)
    store = _place_at(named, bases) or _place_at(real, bases) or _linked_place(real, bases)
    return replace(store or Store("project", "none", named), memory_dir=named)


def _place_at(path: Path, bases: Bases) -> Store | None:
    """The store whose place has the spelling of `path`, its start compared by real paths."""
    above = path.parent.parent
    if path.name == MEMORY:
        for base, agent in _agent_bases(bases):
            if _real(above) == _real(base / PROJECTS):
                return _store_of_key(agent, path.parent.name, bases)
        if bases.is_local and path.parent.name == _DOT_QWEN:
            return _local_store(above, project_key(str(above), windows=bases.is_windows), bases)
    if bases.qwen_base is not None and _real(path) == _real(bases.qwen_base / _USER):
        return _user_store(bases.qwen_base)
    if path.name == _TEAM and path.parent.name == _DOT_QWEN and git_root(above) == above:
        return _team_store(above)
    return None


def _linked_place(real: Path, bases: Bases) -> Store | None:
    """The project store that leads to `real` by a link of its own in `projects`."""
    wanted = _stat(real)
    if wanted is None:
        return None
    for base, agent in _agent_bases(bases):
        try:
            keys = sorted(path.name for path in (base / PROJECTS).iterdir())
        except OSError:
            continue  # an absent or closed `projects` holds no place that could be compared
        for key in keys:
            found = _stat(base / PROJECTS / key / MEMORY)
            if found is not None and os.path.samestat(found, wanted):
                return _store_of_key(agent, key, bases)
    return None


def _agent_bases(bases: Bases) -> Iterator[tuple[Path, Agent]]:
    if bases.qwen_base is not None:
        yield bases.qwen_base, "qwen"
    if bases.claude_base is not None:
        yield bases.claude_base, "claude"


def _store_of_key(agent: Agent, key: str, bases: Bases) -> Store | None:
    if agent == "qwen" and bases.qwen_base is not None:
        return _qwen_store(bases.qwen_base, bases, key, key)
    if agent == "claude" and bases.claude_base is not None:
        return _claude_store(bases.claude_base, key, key)
    return None


def _real(path: Path) -> Path:
    """`path` with its links resolved as far as they lead; a cycle is left as it is."""
    return Path(os.path.realpath(path))
