"""prompt: a model judges the run by a prompt or a rubric.

Passes when the judge's normalised score reaches the threshold.
Fails when it does not.
Abstains with JUDGE_UNAVAILABLE: no judge can be configured yet.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from graders.families.judged import ScoredCheck


class Prompt(ScoredCheck):
    """Pass when a model's score of the run reaches a threshold."""

    type_name: ClassVar[str] = "prompt"

    model: str | None = Field(None, min_length=1, description="The judge; without, the one of the job.")
