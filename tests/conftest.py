"""Shared set-up: hypothesis profiles, a clean environment, ready stores."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

for _profile, _examples in (("dev", 60), ("ci", 150), ("long", 3000)):
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

_AGENT_VARIABLES = (
    "QWEN_RUNTIME_DIR",
    "QWEN_HOME",
    "QWEN_CODE_MEMORY_BASE_DIR",
    "QWEN_CODE_MEMORY_LOCAL",
    "CLAUDE_CONFIG_DIR",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLORTERM",
    "TEXTUAL_THEME",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "MEMTUI_TELEMETRY",
)


@pytest.fixture(autouse=True)
def clean_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No agent variable of the developer's shell and no real home reach a test."""
    for name in _AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
