"""The state machine of the writer: 200 runs of 30 steps in CI, 2,000 under the profile `long`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.engine.forked import ForkServer
from tests.engine.writer_machine import STEPS, WriterMachine

_RUNS = {"ci": 200, "long": 2000}.get(settings.get_current_profile_name(), 30)
# Few runs, as under the profile `dev`, may miss one of these; 200 do not.
_OUTCOMES = ("died", "failed", "left open", "refused", "went on", "before", "after")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[type[WriterMachine]]:
    with ForkServer() as server:
        WriterMachine.server, WriterMachine.parent = server, tmp_path
        WriterMachine.counts.clear()
        yield WriterMachine


def test_whatever_happens_nothing_is_lost(machine: type[WriterMachine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=_RUNS, stateful_step_count=STEPS),
        _min_steps=STEPS - 1,  # else every second run is cut short
    )
    print(dict(machine.counts))
    assert machine.counts["runs"] >= _RUNS  # whole ones
    for outcome in _OUTCOMES:
        assert machine.counts[outcome] >= _RUNS // 50, outcome
