"""Which files a dream sorts, and which it leaves in their order (spec section 9)."""

from __future__ import annotations

import pytest

from memtui.engine.plans.dream import plan_dream
from tests.engine.dream_building import NOW_NS, after, body_of, plan_of, topic, with_index


@pytest.mark.parametrize(
    "body",
    [
        "- b\n  - Why: x\n- 1. a\n",
        "- b\n  - Why: x\n- First do a\n",
        "- b\n  - Why: x\n- and then a\n",
        "- b\n  - Why: x\n- as above, a\n",
        "- b\n  - Why: x\n- 2024-01-02 a\n",
        "- б\n  - Why: x\n- Затем а\n",
        "- 乙\n  - Why: x\n- 首先甲\n",
        "- 乙\n  - Why: x\n- 次に甲\n",
        "# Steps\n\n- b\n  - Why: x\n- a\n",
        "- b\n- a\n",
        "1. b\n   - Why: x\n2. a\n",
        "b\n\nWhy: x\n\na\n\nWhy: y\n",
    ],
)
def test_what_may_have_an_order_is_not_sorted(body: str) -> None:
    assert plan_of(topic("a.md", body)).is_empty


def test_a_file_named_as_a_type_is_sorted_without_fields() -> None:
    body = "# Rules\n\n- б\n\n- Ёж\n- b\n- É\n* ａ\n- b\n  two"
    store = with_index([topic("sub/Feedback.md", body)])
    plan = plan_dream(store, now_ns=NOW_NS)
    assert body_of(after(store, plan).documents[0]) == (
        "# Rules\n\n* ａ\n\n- b\n  two\n- É\n- б\n- Ёж\n"
    )
