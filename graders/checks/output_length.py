"""output-length: the final output has so many characters.

Passes when the number of code points of the final output lies between min and max, inclusive.
Fails otherwise; a missing output has none.
Abstains with NO_EVIDENCE where it would pass on a missing or empty output, and with MISSING_DATA
when the record has neither output nor events.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field, model_validator

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, Subject
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Evidence, Verdicts


class OutputLength(Check):
    """Pass when the final output has between min and max characters."""

    type_name: ClassVar[str] = "output-length"
    subject: ClassVar[Subject] = Subject.OUTPUT

    min: int | None = Field(None, ge=0, description="Least number of code points, inclusive.")
    max: int | None = Field(None, ge=0, description="Largest number of code points, inclusive.")

    @model_validator(mode="after")
    def _has_limit(self) -> OutputLength:
        if self.min is None and self.max is None:
            raise ValueError("min or max is needed")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is greater than max")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT})

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return not self.min

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        lengths = batch.memo(
            ("output_lengths", batch.is_slice),
            lambda: np.array([len(text or "") for text in to_texts(batch.output.array)], np.int64),
        )
        low, high = self.min or 0, self.max
        passed = lengths >= low if high is None else (lengths >= low) & (lengths <= high)
        limits = f"at least {low}" if high is None else f"{low} to {high}"
        evidence = Evidence.of_counts(
            [lengths], lambda n: f"the output has {n} character(s), where {limits} are wanted"
        )
        return Verdicts.decide(passed, evidence)
