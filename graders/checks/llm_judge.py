"""llmJudge: a model answers pass, fail or abstain by a rubric.

Passes and fails as the judge says; its score is 1 or 0.
Abstains when the judge does (NOT_APPLICABLE), when its reply is no verdict (JUDGE_UNPARSABLE), when it
refuses (JUDGE_REFUSED), cannot be reached (JUDGE_UNAVAILABLE), or the budget is spent (JUDGE_BUDGET).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from graders.families.judged import JudgedCheck
from graders.judging.scale import Question, Scale


class LlmJudge(JudgedCheck):
    """Pass when a model says so by a rubric."""

    type_name: ClassVar[str] = "llmJudge"

    rubric: str = Field(min_length=1, description="What decides, in words.")
    name: str | None = Field(
        None, min_length=1, description="What the judgement is called; the judge is not told."
    )
    llm_preferences: list[Annotated[str, Field(min_length=1)]] | None = Field(
        None,
        alias="llmPreferences",
        min_length=1,
        description="Judges by name or model, in order of preference; the first that the job has is asked.",
    )

    def wanted_judges(self) -> Sequence[Sequence[str]]:  # noqa: D102  (as in JudgedCheck)
        return [self.llm_preferences or ()]

    def question(self) -> Question:  # noqa: D102
        return Question(self.rubric, (), Scale.OUTCOME)
