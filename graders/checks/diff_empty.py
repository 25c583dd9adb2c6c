"""diff-empty: the run changed nothing.

Passes when the diff is empty.
Fails otherwise.
Abstains with MISSING_DATA when no diff is recorded; a turn slice reads the diff of its turn only.
"""

from __future__ import annotations

from typing import ClassVar

from graders.arrays import byte_lengths
from graders.batch import TrajectoryBatch
from graders.families.workspace import DiffCheck
from graders.verdicts import Evidence, Verdicts


class DiffEmpty(DiffCheck):
    """Pass when the diff is empty."""

    type_name: ClassVar[str] = "diff-empty"

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return True

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        empty = byte_lengths(self.diff(batch).array) == 0
        verdicts = Verdicts.decide(
            empty, Evidence.either(empty, "the diff is empty", "the diff is not empty")
        )
        return self.settle(batch, verdicts)
