"""prompt: a model judges the run by a prompt or a rubric.

Passes when the judge's normalised score reaches the threshold; binary counts a pass 1 and a fail 0.
Fails when it does not.
Abstains when the judge does (NOT_APPLICABLE), when its reply is no verdict (JUDGE_UNPARSABLE), when it
refuses (JUDGE_REFUSED), cannot be reached (JUDGE_UNAVAILABLE), or the budget is spent (JUDGE_BUDGET).

Where there is a prompt and a rubric, the judge gets both; with neither it is asked whether the agent
did what the user asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from graders.families.judged import ScoredCheck


class Prompt(ScoredCheck):
    """Pass when a model's score of the run reaches a threshold."""

    type_name: ClassVar[str] = "prompt"

    model: str | None = Field(
        None, min_length=1, description="The judge, by name or model; without, the first one of the job."
    )

    def wanted_judges(self) -> Sequence[Sequence[str]]:  # noqa: D102  (as in JudgedCheck)
        return [() if self.model is None else (self.model,)]
