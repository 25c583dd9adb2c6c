"""exit-success: the run came to an output.

Passes when the output is not empty.
Fails otherwise.
Abstains with MISSING_DATA when the record has neither output nor events.
"""

from __future__ import annotations

from typing import ClassVar

from graders.batch import TrajectoryBatch
from graders.check import Check
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Evidence, Verdicts


class ExitSuccess(Check):
    """Pass when there is an output that is not empty."""

    type_name: ClassVar[str] = "exit-success"

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        passed = batch.has_output()
        return Verdicts.decide(passed, Evidence.either(passed, "there is an output", "there is no output"))
