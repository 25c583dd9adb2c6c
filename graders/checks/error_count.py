"""error-count: the run had at most so many errors.

Passes when the number of error events is at most max; a failed tool result is none.
Fails when it is more.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.batch import TrajectoryBatch
from graders.families.budgets import CountBudget, Usage, known
from graders.trajectory import EventType


class ErrorCount(CountBudget):
    """Pass when the run had at most so many error events."""

    type_name: ClassVar[str] = "error-count"
    noun: ClassVar[str] = "error events"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.type"})

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        return batch.select(EventType.ERROR).count().tolist(), known(len(batch))
