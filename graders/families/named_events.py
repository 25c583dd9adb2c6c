"""Checks on the names of events: some are required, others must not occur."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, model_validator

from graders.arrays import per_value
from graders.batch import TrajectoryBatch
from graders.check import Check
from graders.trajectory import EventType
from graders.values import quote
from graders.verdicts import Evidence, Verdicts

Name = Annotated[str, Field(min_length=1)]


class NamedEvents(Check):
    """Passes when events of all required names occur, and none of a disallowed one; names are exact."""

    kind: ClassVar[EventType]
    noun: ClassVar[str]

    required: list[Name] | None = Field(None, min_length=1, description="Names that must all occur.")
    disallowed: list[Name] | None = Field(None, min_length=1, description="Names that must not occur.")

    @model_validator(mode="after")
    def _has_list(self) -> NamedEvents:
        if self.required is None and self.disallowed is None:
            raise ValueError("required or disallowed is needed")
        if both := sorted(set(self.required or ()) & set(self.disallowed or ())):
            raise ValueError(f"{both[0]!r} stands in required and disallowed")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"events.name"})

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return self.required is None

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        events = batch.select(self.kind)
        names, codes = batch.events.codes("name")
        codes = codes[events.positions]
        n = len(batch)
        passed, index = np.ones(n, np.bool_), np.full(n, -1, np.int32)
        evidence = Evidence.constant(n, f"{self.noun} as wanted")
        for name in reversed(self.required or ()):
            found = events.where(per_value([other == name for other in names], codes))
            missing = ~found.any()
            evidence = evidence.replace(missing, f"{self.noun} {quote(name)} never occurred")
            passed &= ~missing
            index = np.where(passed, found.first_index(), np.int32(-1))
        for name in reversed(self.disallowed or ()):
            found = events.where(per_value([other == name for other in names], codes))
            evidence = evidence.replace(found.any(), f"{self.noun} {quote(name)} occurred")
            passed &= ~found.any()
            index = np.where(found.any(), found.first_index(), index)
        return Verdicts.decide(passed, evidence, index)
