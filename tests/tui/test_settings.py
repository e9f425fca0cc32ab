"""What the app takes from the settings at its start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.demo import DemoHome
from memtui.engine.manager import MemoryManager
from memtui.engine.workspace import Target
from memtui.tui import app as app_module
from memtui.tui.app import MemtuiApp, run_app


@pytest.fixture
def file(demo: DemoHome) -> Path:
    """The settings file of the demo, not yet there."""
    path = Path(demo.env["XDG_CONFIG_HOME"]) / "memtui/config.toml"
    path.parent.mkdir(parents=True)
    return path


def manager_of(demo: DemoHome) -> MemoryManager:
    return MemoryManager(Target(demo.api_dir), demo.environment(os.environ))


@pytest.mark.parametrize(
    ("wanted", "theme"),
    [
        ("", "memtui-dark"),
        ("dark", "memtui-dark"),
        ("light", "memtui-light"),
        ("memtui-light", "memtui-light"),
        ("nord", "nord"),
    ],
)
async def test_the_theme(demo: DemoHome, file: Path, wanted: str, theme: str) -> None:
    file.write_text(f'theme = "{wanted}"')
    manager = manager_of(demo)
    app = MemtuiApp(manager, theme=manager.settings.theme)
    async with app.run_test():
        assert app.theme == theme
        assert [*app._notifications] == []


async def test_what_cannot_be_used_is_told(demo: DemoHome, file: Path) -> None:
    file.write_text('theme = "[b]x"\nthme = 1\njournal = 2')
    manager = manager_of(demo)
    app = MemtuiApp(manager, theme=manager.settings.theme)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.theme == "memtui-dark"
        assert [(each.severity, each.message) for each in app._notifications] == [
            (
                "warning",
                f"{file}: `journal` is 2, it takes a table, [journal]; the defaults are used.",
            ),
            ("warning", "There is no theme `[b]x`; memtui-dark is used."),
            ("information", f"{file}: memtui knows no setting `thme`."),
        ]


def test_the_app_opens_in_the_theme_of_the_settings(
    demo: DemoHome, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('theme = "light"')
    opened: list[str] = []
    monkeypatch.setattr(app_module.MemtuiApp, "run", lambda self: opened.append(self.theme))
    assert run_app(manager_of(demo)) == 0
    assert opened == ["memtui-light"]
