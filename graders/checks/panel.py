"""panel: several models judge the run by a prompt or a rubric.

Passes when their combined score reaches the threshold; `majority` passes when more than half of the
judges do.
Fails when it does not.
Abstains when votes are withheld on which it depends, with the code of the first of them.

A judge that abstains, refuses or cannot be reached withholds its vote without lowering the bar: the
panel passes only if it would whatever that judge had said, and fails only if it would whatever it had
said. The score is that of the votes that were given; for `majority` the share of them that pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.families.judged import ScoredCheck
from graders.judging.panel import Aggregation, combine
from graders.judging.request import Judge
from graders.judging.vote import Vote
from graders.outcome import Outcome
from graders.row_check import RowVerdict
from graders.values import cut

JudgeName = Annotated[str, Field(min_length=1)]


class PanelJudge(BaseModel):
    """One judge of a panel, written as a mapping."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: JudgeName = Field(description="The judge, by name or model.")


class Panel(ScoredCheck):
    """Pass when the combined score of several models reaches a threshold."""

    type_name: ClassVar[str] = "panel"

    models: list[JudgeName] | None = Field(
        None, min_length=1, description="The judges, by name or model; each is asked once."
    )
    judges: list[JudgeName | PanelJudge] | None = Field(
        None, min_length=1, description="The same list under another name, where an item may be {model}."
    )
    aggregation: Literal["majority", "mean", "median", "min"] = Field(
        "mean", description="How the judges' scores are combined."
    )

    @model_validator(mode="after")
    def _names_each_once(self) -> Panel:
        if (self.models is None) == (self.judges is None):
            raise ValueError("exactly one of models and judges is given")
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise ValueError(f"{', '.join(twice)}: named twice, but the same question is asked once")
        return self

    @property
    def names(self) -> list[str]:
        """The judges by name or model."""
        listed = self.models or self.judges or ()
        return [judge.model if isinstance(judge, PanelJudge) else judge for judge in listed]

    def wanted_judges(self) -> Sequence[Sequence[str]]:  # noqa: D102  (as in JudgedCheck)
        return [(name,) for name in self.names]

    def decide(self, votes: Sequence[Vote], judges: Sequence[Judge]) -> RowVerdict:  # noqa: D102
        scores = [vote.score for vote in votes]
        outcome, score = combine(scores, Aggregation(self.aggregation), self.bar)
        said = "; ".join(f"{judge.name} {_short(vote)}" for judge, vote in zip(judges, votes, strict=True))
        sentence = f"{self.aggregation} of {len(votes)} judges: {said}"
        if outcome is Outcome.ABSTAIN:
            code = next(vote.code for vote in votes if vote.code is not None)
            return RowVerdict(outcome, sentence, code)
        return RowVerdict(outcome, sentence, score=None if score is None else float(score))


def _short(vote: Vote) -> str:
    if vote.code is not None:
        return f"withholds its vote ({vote.code.name}: {cut(vote.sentence, 80)})"
    return f"{cut(vote.sentence, 80)} = {_decimal(vote.score or Fraction(0))}"


def _decimal(score: Fraction) -> str:
    return f"{float(score):.4g}"
