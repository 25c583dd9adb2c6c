"""loop-outcome: the agent looped, or did not.

The run looped when its longest run of one action, less one (the retries), is more than
max_acceptable_retries; actions and runs are those of max-repeat.
Passes when it looped and should_loop is set, or did not and it is not.
Fails otherwise. Where a wanted loop may be missed because bad arguments equal none, the failure is no
pass when negated.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.families.loops import LoopCheck, Match
from graders.select import to_event_index
from graders.verdicts import Evidence, Verdicts


class LoopOutcome(LoopCheck):
    """Pass when the agent looped exactly if it should."""

    type_name: ClassVar[str] = "loop-outcome"

    max_acceptable_retries: int = Field(ge=0, description="The most retries that are no loop.")
    should_loop: bool = Field(False, description="Whether the agent is expected to loop.")
    match: Match = Field("name-args", description="What makes two calls the same action.")

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return not self.should_loop

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102  (as in Check)
        runs, ends = self.longest_runs(batch)
        retries = np.maximum(runs - 1, 0)
        loops = retries > self.max_acceptable_retries
        evidence = Evidence.of_counts(
            [retries], lambda n: f"{n} retries of one action, {self.max_acceptable_retries} acceptable"
        )
        index = np.where(loops, to_event_index(batch, ends), np.int32(-1))
        passed = loops == self.should_loop
        # Bad arguments equal none; had they been equal, there may have been the loop that is wanted.
        missed = ~passed if self.should_loop else np.zeros_like(passed)
        is_doubtful = self.could_reach(batch, self.max_acceptable_retries + 2, missed)
        return Verdicts.decide(passed, evidence, index, is_doubtful=is_doubtful)
