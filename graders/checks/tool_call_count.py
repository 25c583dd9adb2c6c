"""tool-call-count: the agent made at most so many tool calls.

Passes when the number of tool_calls, of the listed tools if any are, is at most max.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.check import ListedTool
from graders.families.budgets import CountBudget, Usage, known, listed_patterns, watched_tools
from graders.parameters import PatternText


class ToolCallCount(CountBudget):
    """Pass when the agent made at most so many tool calls."""

    type_name: ClassVar[str] = "tool-call-count"
    noun: ClassVar[str] = "tool calls"

    tools: list[PatternText] | None = Field(
        None, min_length=1, description="Patterns of the names that count."
    )

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.tool_name"})

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return listed_patterns(self.tools)

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        calls = batch.calls_of(watched_tools(self.tools)) if self.tools else batch.calls()
        return calls.count().tolist(), known(len(batch))
