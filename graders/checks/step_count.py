"""step-count: the agent took at most so many steps.

Passes when the number of steps (model responses), or of steps that issue a call of a listed tool, is
at most max.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.check import ListedTool
from graders.families.budgets import CountBudget, Usage, known, listed_patterns, watched_tools
from graders.parameters import PatternText


class StepCount(CountBudget):
    """Pass when the agent took at most so many steps."""

    type_name: ClassVar[str] = "step-count"
    noun: ClassVar[str] = "steps"

    tools: list[PatternText] | None = Field(
        None, min_length=1, description="Patterns of the tools whose calls make a step count."
    )

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.step", "events.tool_name"})

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return listed_patterns(self.tools)

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        if not self.tools:
            return batch.count_steps().tolist(), known(len(batch))
        calls = batch.calls_of(watched_tools(self.tools))
        steps = batch.steps()[calls.positions]
        pairs = np.unique(np.stack([calls.row, steps])[:, steps >= 0], axis=1)
        return np.bincount(pairs[0], minlength=len(batch)).tolist(), known(len(batch))
