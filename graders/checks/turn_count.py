"""turn-count: the run took at most so many turns.

Passes when the number of turn_end events, or of steps where there is none, is at most max.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from graders.batch import TrajectoryBatch
from graders.families.budgets import CountBudget, Usage, known
from graders.trajectory import EventType


class TurnCount(CountBudget):
    """Pass when the run took at most so many turns."""

    type_name: ClassVar[str] = "turn-count"
    noun: ClassVar[str] = "turns"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.step"})

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        ends = batch.select(EventType.TURN_END).count()
        return np.where(ends > 0, ends, batch.count_steps()).tolist(), known(len(batch))
