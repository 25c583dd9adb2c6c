"""completed: the run came to its end.

Passes when the output is not empty, no error event occurred, and, where the record has turn events at
all, a turn_end is among those in view: in a record of turns, a turn without its end was not completed.
Fails otherwise.
Abstains when the record has no events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from graders.batch import TrajectoryBatch
from graders.check import Check
from graders.trajectory import FINAL_OUTPUT, EventType
from graders.verdicts import Evidence, Verdicts


class Completed(Check):
    """Pass when there is an output, no error event, and the last turn ended."""

    type_name: ClassVar[str] = "completed"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT, "events.type"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        errors = batch.select(EventType.ERROR)
        has_error = errors.any()
        ended = batch.select(EventType.TURN_END).any()
        unfinished = batch.records_turns() & ~ended
        passed = batch.has_output() & ~has_error & ~unfinished
        evidence = (
            Evidence.constant(len(batch), "there is an output, and nothing went wrong")
            .replace(unfinished, "no turn ended")
            .replace(has_error, "an error event occurred")
            .replace(~batch.has_output(), "there is no output")
        )
        index = np.where(passed, np.int32(-1), errors.first_index())
        return Verdicts.decide(passed, evidence, index)
