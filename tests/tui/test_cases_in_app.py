"""Cases from the wild that are about what the app shows (inputs in `tests/cases/input`)."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path

from memtui.engine.disk.paths import project_key
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui.app import MemtuiApp
from memtui.tui.messages import Place
from tests.tui.conftest import NOW_NS
from tests.tui.seen import AppPilot, browse, cursor, filled, lines, paste, seen, until

WIDE = (120, 50)
INPUT = Path(__file__).parent.parent / "cases" / "input"


def copy_of(case: str, target: Path) -> Path:
    """The input of a case, in a folder of its own."""
    (source,) = INPUT.glob(f"{case}-*")
    return Path(shutil.copytree(source, target / "case", symlinks=True))


def app_on(target: Target, home: Path) -> MemtuiApp:
    env = {"HOME": str(home)}
    return MemtuiApp(MemoryManager(target, env, clock_ns=lambda: NOW_NS))


def listed(pilot: AppPilot) -> list[Place]:
    """The files in the list, from top to bottom."""
    files = browse(pilot).index.files
    return [row.key for row in files._rows if row.key is not None]  # type: ignore[misc]


async def filter_by(pilot: AppPilot, text: str) -> list[Place]:
    """The files that a filter leaves, typed as a person would."""
    screen = browse(pilot)
    screen.index.prompt.value = ""
    screen.index.prompt.focus()
    await pilot.pause()
    await paste(pilot, text)
    return listed(pilot)


async def test_case_11_inline_parts_are_content_of_the_index(tmp_path: Path) -> None:
    case = copy_of("11", tmp_path)
    index: Place = ("project", "MEMORY.md")
    deploy: Place = ("project", "project_deploy.md")
    async with app_on(Target(case, case / "memory"), tmp_path).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert listed(pilot) == [index, deploy]
        for words in ("make all", "8 GB", "8080", "NEVER root", "not a link", "inside_code"):
            assert await filter_by(pilot, words) == [index], words
            assert cursor(pilot) == screen.place == index
        assert await filter_by(pilot, "project_deploy") == [deploy]
        assert await filter_by(pilot, "zzz") == []
        await pilot.press("escape")
        assert listed(pilot) == [index, deploy]
        await pilot.press("g", "2")
        text = " ".join(screen.memory.lines.text.split())
        assert "hand-kept" in text
        assert "10 lines of text in the index itself, in no memory file" in text
        assert "lines 5, 7, 9, 10, 12, 13, 14, 16, 17, 18" in text
        assert "· Use `make all`. The cache lives in `.cache/`." in text
        assert "· | dev | 8080 |" in text
        assert "inside_code.md is no file" not in text
        assert "✗" not in lines(pilot)[0]


async def test_case_16_the_scope_is_always_shown(tmp_path: Path) -> None:
    case = copy_of("16", tmp_path)
    repo = case / "repo"
    (repo / ".git").mkdir()
    projects = case / "home/.qwen/projects"
    (projects / "-tmp-demo").rename(projects / project_key(str(repo)))
    path = "feedback/style.md"
    places: list[Place] = [("project", path), ("user", path), ("team", path)]
    async with app_on(Target(repo), case / "home").run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert await filter_by(pilot, "style") == places
        rows = [line.split("│")[1].split() for line in lines(pilot)[2:-2]]
        assert [row[0] for row in rows if row[-1:] == ["1"] and "─" in row[1]] == [
            "project",
            "user",
            "team",
        ]
        assert lines(pilot)[0].count(" 1 ") >= 3
        await pilot.press("enter", "g")
        shown = []
        for place in places:
            assert cursor(pilot) == screen.place == place
            text = screen.memory.lines.text
            assert text.splitlines()[1].startswith(
                path if place[0] == "project" else f"{place[0]}:{path}"
            )
            shown.append(text)
            await pilot.press("y", "i")
            assert pilot.app.clipboard.startswith(f"{place[0]}:{path}@")
            await pilot.press("j")
        assert len(set(shown)) == 3
        await pilot.press("r")
        await paste(pilot, "style")
        recalled = [line.split("│")[-2] for line in lines(pilot)[4:7]]
        assert [row.split()[-1] in ("user", "team") for row in recalled].count(True) == 2


NOTES = ("project_zh", "feedback_ja", "feedback_ko", "feedback_ru", "project_tr", "feedback_fr",
         "reference_nfd", "reference_en")  # fmt: skip
OLD_S = 1_735_689_600
SEARCHES = (
    ("数据库迁移", "project_zh.md"),
    ("迁移", "project_zh.md"),
    ("デプロイ", "feedback_ja.md"),
    ("커밋", "feedback_ko.md"),
    ("елка", "feedback_ru.md"),
    ("ёлка", "feedback_ru.md"),
    ("izin", "project_tr.md"),
    ("règles", "feedback_fr.md"),
    ("regles", "feedback_fr.md"),
    (unicodedata.normalize("NFC", "café"), "reference_nfd.md"),
    ("vacuum", "reference_en.md"),
)


async def test_case_20_searches_find_exactly_the_note(tmp_path: Path) -> None:
    case = copy_of("20", tmp_path)
    memory = case / "memory"
    for name in NOTES:
        os.utime(memory / f"{name}.md", (OLD_S, OLD_S))
    async with app_on(Target(case, memory), tmp_path).run_test(size=WIDE) as pilot:
        screen = await filled(pilot)
        assert "project 228" in lines(pilot)[0]
        for words, path in SEARCHES:
            assert await filter_by(pilot, words) == [("project", path)], words
            assert cursor(pilot) == screen.place == ("project", path)
        for words in ("没有这个词", "zzzz", "ёжик", "あいう"):
            assert await filter_by(pilot, words) == []
            await until(pilot, lambda words=words: f"Nothing fits {words}." in seen(pilot))  # type: ignore[misc]
        await pilot.press("escape")
        assert len(listed(pilot)) == 229
