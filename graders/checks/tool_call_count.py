"""tool-call-count: the agent made at most so many tool calls.

Passes when the number of tool_calls, of the listed tools if any are, is at most max.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.batch import TrajectoryBatch
from graders.families.budgets import ToolBudget, Usage, known, watched_tools


class ToolCallCount(ToolBudget):
    """Pass when the agent made at most so many tool calls."""

    type_name: ClassVar[str] = "tool-call-count"
    noun: ClassVar[str] = "tool calls"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.tool_name"})

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        calls = batch.calls_of(watched_tools(self.tools)) if self.tools else batch.calls()
        return calls.count().tolist(), known(len(batch))
