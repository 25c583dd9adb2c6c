"""max-repeat: no action was repeated too often.

Passes when no block of at most max_cycle_period watched calls repeats more than max times without a
gap. An action is a tool with its result text (observation; a call without a result equals none), a tool
alone (name), or a tool with its arguments as JSON (name-args; bad arguments equal none).
Fails otherwise.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.families.loops import LoopCheck
from graders.select import to_event_index
from graders.verdicts import Evidence, Verdicts


class MaxRepeat(LoopCheck):
    """Pass when no action repeats more than max times in a row."""

    type_name: ClassVar[str] = "max-repeat"

    max: int = Field(ge=1, description="The longest run that passes.")

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return True

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        runs, ends = self.longest_runs(batch)
        passed = runs <= self.max
        evidence = Evidence.of_counts(
            [runs], lambda run: f"the longest run of one action is {run}, limit {self.max}"
        )
        index = np.where(passed, np.int32(-1), to_event_index(batch, ends))
        return Verdicts.decide(passed, evidence, index)
