"""step-count: the agent took at most so many steps.

Passes when the number of steps (model responses), or of steps that issue a call of a listed tool, is
at most max.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from graders.batch import TrajectoryBatch
from graders.families.budgets import ToolBudget, Usage, known, watched_tools


class StepCount(ToolBudget):
    """Pass when the agent took at most so many steps."""

    type_name: ClassVar[str] = "step-count"
    noun: ClassVar[str] = "steps"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.step", "events.tool_name"})

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        if not self.tools:
            return batch.count_steps().tolist(), known(len(batch))
        calls = batch.calls_of(watched_tools(self.tools))
        steps = batch.steps()[calls.positions]
        pairs = np.unique(np.stack([calls.row, steps])[:, steps >= 0], axis=1)
        return np.bincount(pairs[0], minlength=len(batch)).tolist(), known(len(batch))
