"""llmJudge: a model answers pass, fail or abstain by a rubric.

Passes and fails as the judge says.
Abstains when the judge does, and with JUDGE_UNAVAILABLE: no judge can be configured yet.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from graders.families.judged import JudgedCheck


class LlmJudge(JudgedCheck):
    """Pass when a model says so by a rubric."""

    type_name: ClassVar[str] = "llmJudge"

    rubric: str = Field(min_length=1, description="What decides, in words.")
    name: str | None = Field(None, min_length=1, description="What the judgement is called.")
    llm_preferences: list[Annotated[str, Field(min_length=1)]] | None = Field(
        None, alias="llmPreferences", min_length=1, description="Models in order of preference."
    )
