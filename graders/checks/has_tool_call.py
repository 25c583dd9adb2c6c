"""hasToolCall: the agent called a tool.

Passes when a tool_call with exactly that name exists, answered or not, whatever its arguments.
Fails when there is none.
Abstains when the record has no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.check import Check, ExactTool, ListedTool
from graders.families.calls import never_called
from graders.values import quote
from graders.verdicts import Verdicts


class HasToolCall(Check):
    """Pass when a call of the tool exists."""

    type_name: ClassVar[str] = "hasToolCall"

    tool: str = Field(min_length=1, description="Exact, case-sensitive name of the tool.")

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.tool_name"})

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return (ListedTool(self.tool, ExactTool(self.tool)),)

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        calls = batch.calls_of(ExactTool(self.tool))
        called = calls.any()
        evidence = never_called(batch, self.tool).replace(called, f"{quote(self.tool)} was called")
        return Verdicts.decide(called, evidence, calls.first_index())
