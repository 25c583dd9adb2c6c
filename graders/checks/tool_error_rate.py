"""tool-error-rate: at most a share of the tool results failed.

Passes when failed results / results, of the listed tools if any are, is at most max; where is_error
is recorded on some results, the others did not fail.
Fails when it is more.
Abstains with MISSING_DATA when is_error is null on every result, with NO_EVIDENCE without results
where it would pass, and when the record has no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from graders.arrays import not_null, to_mask
from graders.batch import TrajectoryBatch
from graders.check import Check, ListedTool
from graders.families.budgets import listed_patterns, watched_tools
from graders.outcome import AbstainCode
from graders.parameters import PatternText
from graders.verdicts import Evidence, Verdicts


class ToolErrorRate(Check):
    """Pass when at most a share of the tool results failed."""

    type_name: ClassVar[str] = "tool-error-rate"

    max: float = Field(ge=0, le=1, allow_inf_nan=False, description="The largest share that passes.")
    tools: list[PatternText] | None = Field(
        None, min_length=1, description="Patterns of the names that count."
    )

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset(f"events.{name}" for name in ("tool_name", "tool_call_id", "step", "is_error"))

    @property
    def passes_on_absence(self) -> bool:  # noqa: D102  (as in BaseCheck)
        return True

    def listed_tools(self) -> Sequence[ListedTool]:  # noqa: D102
        return listed_patterns(self.tools)

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        results = batch.results_of(watched_tools(self.tools)) if self.tools else batch.results()
        flags = batch.events.column("is_error")
        failed = results.where(to_mask(flags)[results.positions])
        total, bad = results.count(), failed.count()
        # A correctly rounded quotient equals the limit exactly where the share does.
        passed = bad / np.maximum(total, 1) <= self.max
        is_known = results.where(not_null(flags)[results.positions]).any()
        evidence = Evidence.of_counts(
            [bad, total], lambda bad, total: f"{bad} of {total} tool result(s) failed, limit {self.max:g}"
        )
        verdicts = Verdicts.decide(passed, evidence, failed.first_index(), is_unobserved=total == 0)
        return verdicts.abstain(
            (total > 0) & ~is_known, AbstainCode.MISSING_DATA, "no tool result says whether it failed"
        )
