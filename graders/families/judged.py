"""Checks that a model decides: what they ask whom, and what the answers make of a record.

A check asks the judges of the batch's bench about each record that the general rules do not decide
already, and reads their replies. Where the bench holds no replies yet, the same code says what would
be asked (`bench.RequestNotes`), so that what is looked up is what was asked. Without a bench, every
verdict abstains with JUDGE_UNAVAILABLE; the order of decision holds as for any check.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from graders.arrays import replace_surrogates
from graders.batch import TrajectoryBatch
from graders.check import BaseCheck, Check, Cost, Determinism, ScoreKind, Taxonomy
from graders.families.shown_events import shown_records
from graders.judging.bench import Bench
from graders.judging.record import enclose
from graders.judging.request import Judge, JudgeRequest
from graders.judging.scale import REMINDER, Question, Scale
from graders.judging.vote import Vote, read_vote
from graders.outcome import AbstainCode, Outcome
from graders.row_check import RowVerdict, to_columns
from graders.scope import is_decided_by_record
from graders.trajectory import FINAL_OUTPUT
from graders.values import cut
from graders.verdicts import Verdicts

_READ_FIELDS = ("content", "tool_name", "tool_call_id", "step", "arguments", "is_error", "name")
_SCALES = {"binary": Scale.OUTCOME, "scale_1_5": Scale.ONE_TO_FIVE, "scale_1_10": Scale.ONE_TO_TEN}
_DECIDED = RowVerdict(Outcome.ABSTAIN, "the record decides", AbstainCode.NOT_APPLICABLE)

Scoring = Literal["binary", "scale_1_5", "scale_1_10"]


class JudgedCheck(Check):
    """A check on the word of one or several models."""

    taxonomy: ClassVar[Taxonomy] = Taxonomy(Determinism.LLM, Cost.HIGH, score_kind=ScoreKind.LLM)

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({FINAL_OUTPUT, *(f"events.{name}" for name in _READ_FIELDS)})

    def wanted_judges(self) -> Sequence[Sequence[str]]:
        """Per judge its possible names, the preferred one first; no names for the judge of the job."""
        raise NotImplementedError

    def question(self) -> Question:
        """What the judges are asked."""
        raise NotImplementedError

    @property
    def bar(self) -> Fraction:
        """The score from which a judge's vote counts as a pass."""
        return Fraction(1)

    def decide(self, votes: Sequence[Vote], judges: Sequence[Judge]) -> RowVerdict:
        """The verdict that the votes of all judges make; this one is for a single judge."""
        (vote,), (judge,) = votes, judges
        score = None if vote.score is None else float(vote.score)
        return RowVerdict(vote.outcome, f"{judge.name} {vote.sentence}", vote.code, score=score)

    def votes(self, batch: TrajectoryBatch) -> list[list[Vote] | None]:
        """Per trajectory the vote of each judge; None where the record decides before anyone is asked.

        Raises:
            LookupError: the batch has no bench, or a judge sits on it under none of its names.
        """
        return batch.memo(("votes", self.model_dump_json()), lambda: self._votes(batch))

    def seated(self, bench: Bench | None) -> list[Judge]:
        """Whom the check asks.

        Raises:
            LookupError: there is no bench, or a judge sits on it under none of its names.
        """
        if bench is None:
            raise LookupError("no judge is configured")
        found: list[Judge] = []
        for names in self.wanted_judges():
            judge = bench.judge(names)
            if judge is None:
                raise LookupError(f"no judge is configured under the name {' or '.join(names)}")
            found.append(judge)
        return found

    def _votes(self, batch: TrajectoryBatch) -> list[list[Vote] | None]:
        judges = self.seated(batch.bench)
        question = self.question()
        instructions = question.instructions()
        is_decided = is_decided_by_record(self, batch)
        votes: list[list[Vote] | None] = [None] * len(batch)
        records = shown_records(batch)
        for row in np.flatnonzero(~is_decided).tolist():
            user = f"{enclose(records[row])}\n\n{REMINDER}"
            requests = [JudgeRequest(judge, replace_surrogates(instructions), user) for judge in judges]
            votes[row] = [
                read_vote(batch.bench.reply(request), question.scale, self.bar)
                for request in requests
                if batch.bench is not None
            ]
        return votes

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        try:
            votes, judges = self.votes(batch), self.seated(batch.bench)
        except LookupError as error:
            return Verdicts.abstain_all(len(batch), AbstainCode.JUDGE_UNAVAILABLE, cut(str(error.args[0])))
        return to_columns([_DECIDED if row is None else self.decide(row, judges) for row in votes])


class ScoredCheck(JudgedCheck):
    """A judged check whose score passes from a threshold on."""

    prompt: str | None = Field(None, min_length=1, description="What the judge is asked.")
    rubric: list[str] | None = Field(None, min_length=1, description="Criteria, one by one or as one text.")
    scoring: Scoring = Field("scale_1_5", description="The scale; a score x of max counts (x-1)/(max-1).")
    threshold: float = Field(0.5, ge=0, le=1, description="The normalised score from which it passes.")

    @field_validator("rubric", mode="before")
    @classmethod
    def _read_one(cls, rubric: Any) -> Any:
        return [rubric] if isinstance(rubric, str) and rubric else rubric

    @property
    def bar(self) -> Fraction:  # noqa: D102  (as in JudgedCheck)
        return Fraction(str(self.threshold))

    def question(self) -> Question:  # noqa: D102
        return Question(self.prompt, self.rubric or (), _SCALES[self.scoring])


def judged_checks(check: BaseCheck) -> list[JudgedCheck]:
    """The judged checks that a check is or consists of."""
    if isinstance(check, JudgedCheck):
        return [check]
    parts = getattr(check, check.parts_key, ()) if check.parts_key else ()
    return [found for part in parts for found in judged_checks(part.check)]
