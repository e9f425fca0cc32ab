"""12-colon-in-description: plain values that YAML refuses or changes."""

from __future__ import annotations

from tests.cases.conftest import Case

LATER = (
    "an untouched file is never rewritten; when one is saved, other lines stay as they are",
    "when asked to write valid YAML, quotes the value",
)
VALUES = {
    "feedback_at.md": ("@team/ui", "@team/ui is published by hand"),
    "feedback_bang.md": ("!important", "!important is banned"),
    "feedback_bool.md": ("yes", "no"),
    "feedback_bracket.md": ("[WIP] search", "[WIP] do not touch"),
    "feedback_colon.md": ("Deploy: production", "Use: make deploy; note: never on Friday"),
    "feedback_date.md": ("2026-01-02", "2026-01-02"),
    "feedback_hash.md": ("C# style", "see ticket #12 # old rule"),
    "feedback_num.md": ("0123", "1e3"),
    "feedback_pct.md": ("100% coverage", "%d is not allowed in messages"),
    "feedback_quote.md": ('"Done" means merged', '"done" means merged, not pushed'),
    "feedback_star.md": ("*args", "*args are forbidden"),
    "feedback_tick.md": ("`make` first", "`make` is the entry point"),
}


def test_all_twelve_are_read_as_text(case: Case) -> None:
    found = case.documents()
    assert {path: (each["name"], each["description"]) for path, each in found.items()} == VALUES
    assert {each["type"] for each in found.values()} == {"feedback"}
    assert not any(
        skip["agent"] == "qwen" for each in found.values() for skip in each["skipped_by"]
    )


def test_a_person_reads_the_same(case: Case) -> None:
    text = case.text("list")
    for path, (name, description) in VALUES.items():
        assert name in text
        assert f"\ndescription  {description}\n" in case.text("show", path)


def test_reading_rewrites_nothing(case: Case) -> None:
    before = {path.name: path.read_bytes() for path in case.memory.iterdir()}
    for verb in (("list",), ("index",), ("recall", "make"), ("show", "feedback_tick.md")):
        case.run(*verb)
    assert {path.name: path.read_bytes() for path in case.memory.iterdir()} == before
