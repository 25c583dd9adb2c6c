"""panel: several models judge the run by a prompt or a rubric.

Passes when their combined score reaches the threshold; a judge that fails withholds its vote.
Fails when it does not.
Abstains with JUDGE_UNAVAILABLE: no judge can be configured yet.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graders.check import Cost, Determinism, ScoreKind, Taxonomy
from graders.families.judged import ScoredCheck


class PanelJudge(BaseModel):
    """One judge of a panel."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str = Field(min_length=1, description="The model.")


class Panel(ScoredCheck):
    """Pass when the combined score of several models reaches a threshold."""

    type_name: ClassVar[str] = "panel"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.LLM, Cost.HIGH, score_kind=ScoreKind.LLM)

    judges: list[PanelJudge] = Field(min_length=1, description="The judges, by their models.")
    aggregation: Literal["majority", "mean", "median", "min"] = Field(
        "majority", description="How the judges' scores are combined."
    )

    @field_validator("judges", mode="before")
    @classmethod
    def _read_models(cls, judges: Any) -> Any:
        if not isinstance(judges, list):
            return judges
        return [{"model": judge} if isinstance(judge, str) else judge for judge in judges]
