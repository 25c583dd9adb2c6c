"""Checks that a model decides. No judge can be configured yet, so every verdict abstains.

The parameters are read in full, so that specs with such checks load and the rest of them is graded;
the order of decision holds as for any check: a run that never happened is a RUN_ERROR here too.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from graders.batch import TrajectoryBatch
from graders.check import Check, Cost, Determinism, ScoreKind, Taxonomy
from graders.outcome import AbstainCode
from graders.trajectory import FINAL_OUTPUT
from graders.verdicts import Verdicts

Scoring = Literal["binary", "scale_1_5", "scale_1_10"]


class JudgedCheck(Check):
    """A check on the word of a model."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.LLM, Cost.MEDIUM, score_kind=ScoreKind.LLM)

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset(
            {FINAL_OUTPUT, *(f"events.{name}" for name in ("content", "tool_name", "arguments"))}
        )

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        return Verdicts.abstain_all(len(batch), AbstainCode.JUDGE_UNAVAILABLE, "no judge is configured")


class ScoredCheck(JudgedCheck):
    """A judged check whose score passes from a threshold on."""

    prompt: str | None = Field(None, min_length=1, description="What the judge is asked.")
    rubric: list[str] | None = Field(None, min_length=1, description="Criteria, where there is no prompt.")
    scoring: Scoring = Field("scale_1_5", description="The scale; a score x of max counts (x-1)/(max-1).")
    threshold: float = Field(0.5, ge=0, le=1, description="The normalised score from which it passes.")
