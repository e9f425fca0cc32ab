"""A recall result made ready for its pane.

Invariant: pure; says in words what the scorer stands for, and why there is nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from memtui.engine.types import Scorer
from memtui.engine.workspace import Workspace
from memtui.tui.lookup import agent_name
from memtui.tui.panes.recall import RecallView
from memtui.tui.safe_text import safe_line

if TYPE_CHECKING:
    from memtui.engine.recall.scoring import Ranker

_CHOOSES = {
    "qwen": "Qwen asks a model first",
    "claude": "simulated: Claude uses its index",
    "none": "no agent reads this store",
}
_STANDS_FOR = {"weighted": "Qwen 0.23+", "classic": "Qwen to 0.22"}


def recall_view(
    workspace: Workspace,
    ranker: Callable[[], Ranker],
    query: str,
    chosen: Scorer | None,
    now_ns: int,
) -> RecallView:
    """What the pane shows for `query` at `now_ns`; `chosen` None follows the agent's version.

    `ranker` is called only where there is something to rank.
    """
    scorer = chosen or workspace.auto_scorer
    stands_for = _STANDS_FOR[scorer]
    if chosen is None:
        known = workspace.agent == "qwen" and workspace.qwen_version is not None
        stands_for = f"auto, {agent_name(workspace)}" if known else f"auto, {stands_for}"
    chooses = _CHOOSES[workspace.agent]
    if not query.strip():
        return RecallView(
            None,
            stands_for=f"{scorer} · {stands_for}",
            chooses=chooses,
            hint=(
                "Type what you would ask the agent. With each key the memories are ranked as it"
                " ranks them: the five that go into its prompt, the points of each, and the"
                " block as it would be injected.",
                "Nothing is sent anywhere; no model is asked.",
            ),
        )
    started_s = perf_counter()
    recall = ranker().rank(query, scorer, now_ns=now_ns)
    took_ms = round((perf_counter() - started_s) * 1000)
    if recall.strategy == "none":
        why = _why_none(recall.tokens, scorer, workspace)
        return RecallView(recall, 0, stands_for, chooses, why, took_ms)
    left_out = recall.scanned - len(recall.hits)
    left_out += sum(len(snapshot.problems) for snapshot in workspace.snapshots)
    return RecallView(recall, left_out, stands_for, chooses, duration_ms=took_ms)


def _why_none(tokens: tuple[str, ...], scorer: Scorer, workspace: Workspace) -> tuple[str, ...]:
    if not workspace.documents:
        return ("There is no memory here to recall.",)
    if not tokens:
        rule = (
            "runs of a-z and 0-9 of at least three"
            if scorer == "classic"
            else "words of at least three letters or digits, and pairs of Chinese, Japanese or"
            " Korean characters"
        )
        return (
            f"No token in this prompt: {scorer} looks for {rule}.",
            "The agent would be given no memory.",
        )
    said = ", ".join(safe_line(token) for token in tokens[:12])
    return (
        f"No memory holds any of these tokens: {said}.",
        "The agent would be given no memory. Press n to see them all.",
    )
