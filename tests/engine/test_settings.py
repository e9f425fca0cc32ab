"""The settings file: read, never written, never in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.disk.settings import (
    DreamSettings,
    FollowSettings,
    JournalSettings,
    Settings,
    parse_settings,
    read_settings,
)
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from tests.engine.machine import mkdir
from tests.engine.unprivileged import run_without_privileges

Chosen = tuple[str, bool, JournalSettings, DreamSettings, FollowSettings]
DEFAULTS: Chosen = (
    "",
    True,
    JournalSettings(90, 200),
    DreamSettings(False),
    FollowSettings("inbox"),
)
FILE = Path("/c/config.toml")


def parsed(text: str) -> Settings:
    return parse_settings(text.encode(), FILE)


def chosen(settings: Settings) -> Chosen:
    each = settings
    return (each.theme, each.telemetry, each.journal, each.dream, each.follow)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return mkdir(tmp_path / "memtui") / "config.toml"


def test_without_a_file_or_a_home_defaults_stand(env: dict[str, str], file: Path) -> None:
    assert read_settings(env, None) == Settings(path=file)
    assert read_settings({}, None) == Settings(*DEFAULTS, None, (), ())


def test_every_key_is_read(env: dict[str, str], file: Path) -> None:
    file.write_text(
        'theme = "memtui-light"\ntelemetry = false\n[journal]\nkeep_days = 7\nkeep_mb = 0\n'
        '[dream]\nauto = true\n[follow]\nto = "store"\n'
    )
    before = file.stat()
    expected = Settings(
        theme="memtui-light",
        telemetry=False,
        journal=JournalSettings(keep_days=7, keep_mb=0),
        dream=DreamSettings(auto=True),
        follow=FollowSettings(to="store"),
        path=file,
    )
    assert read_settings(env, None) == expected
    assert file.stat() == before


def test_one_key_leaves_the_others_as_they_are() -> None:
    assert parsed("[journal]\nkeep_mb = 5") == Settings(journal=JournalSettings(90, 5), path=FILE)
    assert parsed("journal.keep_days = 5") == Settings(journal=JournalSettings(5, 200), path=FILE)
    assert parsed('follow.to = "inbox"\ndream.auto = false') == Settings(path=FILE)
    assert parsed("") == Settings(path=FILE)
    assert parse_settings(b'\xef\xbb\xbftheme = "x"\r\n', FILE) == Settings("x", path=FILE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("theme = 3", "`theme` is 3, it takes text in quotes; the app's own is used."),
        ("theme = {}", "`theme` is a table, it takes text in quotes; the app's own is used."),
        ("journal = 1.5", "`journal` is 1.5, it takes a table, [journal]; the defaults are used."),
        (
            "[journal]\nkeep_days = true",
            "`journal.keep_days` is true or false, it takes a whole number from 0 on; 90 is used.",
        ),
        (
            "[journal]\nkeep_days = -1",
            "`journal.keep_days` is -1, it takes a whole number from 0 on; 90 is used.",
        ),
        (
            '[journal]\nkeep_mb = "200"',
            "`journal.keep_mb` is text, it takes a whole number from 0 on; 200 is used.",
        ),
        (
            "[journal]\nkeep_mb = 1e3",
            "`journal.keep_mb` is 1000.0, it takes a whole number from 0 on; 200 is used.",
        ),
        (
            "[journal]\nkeep_mb = [1]",
            "`journal.keep_mb` is a list, it takes a whole number from 0 on; 200 is used.",
        ),
        (
            "[journal]\nkeep_mb = 2026-01-02",
            "`journal.keep_mb` is a time, it takes a whole number from 0 on; 200 is used.",
        ),
        ("telemetry = 0", "`telemetry` is 0, it takes true or false; true is used."),
        ('telemetry = "false"', "`telemetry` is text, it takes true or false; true is used."),
        (
            "dream = true",
            "`dream` is true or false, it takes a table, [dream]; the defaults are used.",
        ),
        ("[dream]\nauto = 1", "`dream.auto` is 1, it takes true or false; false is used."),
        (
            'follow = "store"',
            "`follow` is text, it takes a table, [follow]; the defaults are used.",
        ),
        (
            '[follow]\nto = "Store"',
            '`follow.to` is other text, it takes "inbox" or "store"; "inbox" is used.',
        ),
        (
            "[follow]\nto = true",
            '`follow.to` is true or false, it takes "inbox" or "store"; "inbox" is used.',
        ),
    ],
)
def test_a_wrong_type_is_told_and_the_default_stands(text: str, problem: str) -> None:
    settings = parsed(text)
    assert chosen(settings) == DEFAULTS
    assert settings.problems == (f"{FILE}: {problem}",)
    assert settings.hints == ()


def test_what_is_wrong_does_not_touch_what_is_right() -> None:
    settings = parsed('theme = "nord"\n[journal]\nkeep_days = "x"\nkeep_mb = 3')
    assert chosen(settings) == (
        "nord",
        True,
        JournalSettings(90, 3),
        DreamSettings(),
        FollowSettings(),
    )
    assert len(settings.problems) == 1


def test_unknown_keys_are_hints() -> None:
    settings = parsed(
        'thme = "x"\nkeep_days = 3\n[journal]\nkeep_dys = 1\n[journal.deep]\na = 1'
        "\n[dream]\nautomatic = true\n[follow]\nwhere = 1"
    )
    assert chosen(settings) == DEFAULTS
    assert settings.problems == ()
    assert settings.hints == (
        f"{FILE}: memtui knows no setting `thme`.",
        f"{FILE}: memtui knows no setting `keep_days`.",
        f"{FILE}: memtui knows no setting `journal.keep_dys`.",
        f"{FILE}: memtui knows no setting `journal.deep`.",
        f"{FILE}: memtui knows no setting `dream.automatic`.",
        f"{FILE}: memtui knows no setting `follow.where`.",
    )


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"theme = ", "is not valid TOML: Invalid value (at "),
        (b"a = 1\na = 2", "is not valid TOML: Cannot overwrite a value (at "),
        (b"\xff", "is not UTF-8. The defaults are used."),
        (b"a = " + b"[" * 5000, "is not valid TOML: "),
    ],
)
def test_a_broken_file_is_one_problem(raw: bytes, fault: str) -> None:
    settings = parse_settings(raw, FILE)
    assert chosen(settings) == DEFAULTS
    (problem,) = settings.problems
    assert problem.startswith(f"{FILE} {fault}")
    assert problem.endswith(" The defaults are used.")


def test_what_is_no_readable_file_is_told(env: dict[str, str], file: Path) -> None:
    file.mkdir()
    told = "The defaults are used."
    assert read_settings(env, None).problems == (f"{file} is no regular file. {told}",)
    file.rmdir()
    os.mkfifo(file)
    assert read_settings(env, None).problems == (f"{file} is no regular file. {told}",)
    file.unlink()
    file.write_bytes(b"#" * 1_000_001)
    assert read_settings(env, None).problems == (
        f"{file} is too large for a settings file. {told}",
    )
    file.unlink()
    file.parent.rmdir()
    file.parent.touch()
    assert read_settings(env, None).problems == (f"{file} cannot be read: not a directory. {told}",)
    (problem,) = read_settings({"XDG_CONFIG_HOME": "/a\0b"}, None).problems
    assert "cannot be read: " in problem
    assert "embedded null" in problem


def test_a_file_without_rights_is_told(env: dict[str, str], file: Path) -> None:
    file.write_text('theme = "x"')
    file.chmod(0)
    code = (
        "import sys\nfrom memtui.engine.disk.settings import read_settings\n"
        "print(read_settings({'XDG_CONFIG_HOME': sys.argv[1]}, None).problems[0])"
    )
    assert run_without_privileges(code, env["XDG_CONFIG_HOME"]) == (
        f"{file} cannot be read: permission denied. The defaults are used.\n"
    )


@given(st.binary(max_size=60) | st.text(alphabet='theme = "journal.kp_dys[]{}\n0159', max_size=60))
def test_any_file_gives_settings(content: bytes | str) -> None:
    settings = parse_settings(content if isinstance(content, bytes) else content.encode(), FILE)
    assert isinstance(settings.theme, str)
    assert settings.journal.keep_days >= 0
    assert settings.journal.keep_mb >= 0


def test_the_manager_holds_them(tmp_path: Path, env: dict[str, str], file: Path) -> None:
    file.write_text('theme = "dracula"')
    manager = MemoryManager(Target(tmp_path), {**env, "HOME": str(tmp_path)})
    assert manager.settings == Settings("dracula", path=file)
