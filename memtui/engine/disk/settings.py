"""The settings: one TOML file in the configuration directory, read only.

Invariant: whatever is in the file, there are settings; what cannot be used is told and its default
stands.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal, get_args

from memtui.engine.disk.files import read_file, reason_of
from memtui.engine.disk.locations import config_file

_MAX_BYTES = 1_000_000
_KNOWN = {
    "theme": None,
    "telemetry": None,
    "journal": ("keep_days", "keep_mb"),
    "dream": ("auto",),
    "follow": ("to",),
}

FollowTo = Literal["inbox", "store"]
"""Where what extract finds by itself goes: to be reviewed first, or straight to the store."""
_PLACES: tuple[FollowTo, ...] = get_args(FollowTo)


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """How much of the journal is kept beyond its newest entries (design section 1)."""

    keep_days: int = 90
    keep_mb: int = 200
    """Millions of bytes, over all entries of one store."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """How the store is tidied (spec section 9)."""

    auto: bool = False
    """Whether dreams run by themselves, when their gates are open."""


@dataclass(frozen=True, slots=True)
class FollowSettings:
    """What is done after a turn of a followed session."""

    to: FollowTo = "inbox"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has set, with defaults for the rest."""

    theme: str = ""
    """Name of the app's theme; empty: the app's own choice."""
    telemetry: bool = True
    """Whether events are kept, on this machine alone (spec section 10)."""
    journal: JournalSettings = field(default_factory=JournalSettings)
    dream: DreamSettings = field(default_factory=DreamSettings)
    follow: FollowSettings = field(default_factory=FollowSettings)
    path: Path | None = None
    """Where the file is looked for, whether or not it exists; None without a home."""
    problems: tuple[str, ...] = ()
    """One sentence for each thing that could not be used."""
    hints: tuple[str, ...] = ()
    """One sentence for each key that memtui does not know."""


def read_settings(env: Mapping[str, str], home: Path | None) -> Settings:
    """The settings of the file that `env` and `home` lead to; never raises."""
    path = config_file(env, home)
    if path is None:
        return Settings()
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unused(path, "is no regular file")
        if status.st_size > _MAX_BYTES:
            return _unused(path, "is too large for a settings file")
        raw = read_file(str(path), status.st_size)
    except FileNotFoundError:
        return Settings(path=path)
    except OSError as error:
        return _unused(path, f"cannot be read: {reason_of(error)}")
    except ValueError as error:
        return _unused(path, f"cannot be read: {error}")
    return parse_settings(raw, path)


def parse_settings(raw: bytes, path: Path) -> Settings:
    """The settings that the bytes of the file say; never raises."""
    # Most users have no such file, and the parser takes its time to load.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        values: dict[str, object] = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _unused(path, "is not UTF-8")
    except (ValueError, RecursionError) as error:
        fault = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return _unused(path, f"is not valid TOML: {fault}")
    told = _Told(path)
    theme = told.text(values, "theme")
    journal = told.table(values, "journal")
    defaults = JournalSettings()
    limits = JournalSettings(
        *(
            told.count(journal, f"journal.{each.name}", getattr(defaults, each.name))
            for each in fields(JournalSettings)
        )
    )
    dream = told.table(values, "dream")
    follow = told.table(values, "follow")
    settings = Settings(
        theme=theme,
        telemetry=told.flag(values, "telemetry", True),
        journal=limits,
        dream=DreamSettings(told.flag(dream, "dream.auto", False)),
        follow=FollowSettings(told.place(follow, "follow.to")),
        path=path,
    )
    told.unknown(values)
    return replace(settings, problems=tuple(told.problems), hints=tuple(told.hints))


class _Told:
    """Takes values out of the file and collects what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.hints: list[str] = []

    def text(self, table: Mapping[str, object], name: str) -> str:
        value = table.get(_key(name), "")
        if isinstance(value, str):
            return value
        self._wrong(name, value, "text in quotes", "the app's own is")
        return ""

    def table(self, table: Mapping[str, object], name: str) -> Mapping[str, object]:
        value = table.get(_key(name), {})
        if isinstance(value, dict):
            return value
        self._wrong(name, value, f"a table, [{name}]", "the defaults are")
        return {}

    def count(self, table: Mapping[str, object], name: str, default: int) -> int:
        value = table.get(_key(name), default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self._wrong(name, value, "a whole number from 0 on", f"{default} is")
        return default

    def flag(self, table: Mapping[str, object], name: str, default: bool) -> bool:
        value = table.get(_key(name), default)
        if isinstance(value, bool):
            return value
        self._wrong(name, value, "true or false", f"{str(default).lower()} is")
        return default

    def place(self, table: Mapping[str, object], name: str) -> FollowTo:
        value = table.get(_key(name), "inbox")
        for choice in _PLACES:
            if value == choice:
                return choice
        found = "other text" if isinstance(value, str) else ""
        self._wrong(name, value, '"inbox" or "store"', '"inbox" is', found)
        return "inbox"

    def unknown(self, values: Mapping[str, object]) -> None:
        for key, value in values.items():
            if key not in _KNOWN:
                self._unknown(key)
            known = _KNOWN.get(key)
            if known is not None and isinstance(value, dict):
                for inner in value:
                    if inner not in known:
                        self._unknown(f"{key}.{inner}")

    def _unknown(self, name: str) -> None:
        self.hints.append(f"{self.path}: memtui knows no setting `{name}`.")

    def _wrong(self, name: str, value: object, wanted: str, used: str, found: str = "") -> None:
        found = found or _kind(value)
        self.problems.append(f"{self.path}: `{name}` is {found}, it takes {wanted}; {used} used.")


def _key(name: str) -> str:
    return name.rpartition(".")[2]


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return str(value)
    names = {str: "text", dict: "a table", list: "a list"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a time")


def _unused(path: Path, fault: str) -> Settings:
    return Settings(path=path, problems=(f"{path} {fault}. The defaults are used.",))
