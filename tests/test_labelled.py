"""The labelled sentences are what the benchmark takes them for."""

from __future__ import annotations

from typing import get_args

import pytest

from memtui.engine.types import MEMORY_TYPES
from tests.benchmarks.labelled import LANGUAGES, Language, Part, is_held_out, labelled

LEAST: dict[Language, int] = {"en": 160, "zh": 80, "ja": 80, "ru": 80}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hash_alone_draws_the_held_out_third(language: Language) -> None:
    opened, held_out = labelled(language, "open"), labelled(language, "held-out")
    assert len(opened) + len(held_out) == LEAST[language]
    assert [each.id for each in opened if is_held_out(each.text)] == []
    assert [each.id for each in held_out if not is_held_out(each.text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_its_own_and_labelled_whole(language: Language) -> None:
    found = [each for part in get_args(Part) for each in labelled(language, part)]
    assert len({each.id for each in found}) == len(found)
    assert len({each.text for each in found}) == len(found)
    for each in found:
        assert (each.type in MEMORY_TYPES, each.trap is None) == (each.durable, each.durable)
        assert each.role in ("user", "tool")
        assert not (each.durable and each.role == "tool")
