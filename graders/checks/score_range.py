"""score-range: a recorded score lies in a range.

Passes when the number at path in the metadata is at least min and at most max, ends included.
Fails otherwise.
Abstains with MISSING_DATA when there is no number.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from graders.arrays import to_codes
from graders.batch import TrajectoryBatch
from graders.check import Check, Scope, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.values import INVALID, Json, cut, json_text, parse_json, parse_path, quote, resolve
from graders.verdicts import Evidence, Verdicts


class ScoreRange(Check):
    """Pass when a recorded score lies in a range."""

    type_name: ClassVar[str] = "score-range"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(scope=Scope.POINT_IN_TIME)
    subject: ClassVar[Subject] = Subject.NOTHING
    allows_turn: ClassVar[bool] = False

    path: str = Field(min_length=1, description="Where the score stands in the metadata: a.b[0].")
    min: int | float | None = Field(None, allow_inf_nan=False, description="The least score, inclusive.")
    max: int | float | None = Field(None, allow_inf_nan=False, description="The largest score, inclusive.")

    @field_validator("path")
    @classmethod
    def _check_path(cls, path: str) -> str:
        parse_path(path)
        return path

    @model_validator(mode="after")
    def _has_limit(self) -> ScoreRange:
        if self.min is None and self.max is None:
            raise ValueError("min or max is needed")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is greater than max")
        return self

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"metadata"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        path = parse_path(self.path)
        texts, codes = batch.memo("metadata_texts", lambda: to_codes(batch.column("metadata")))
        passed, sentences, is_number = [False], ["there is no metadata"], [False]
        for text in texts:
            data = parse_json(text or "")
            value = resolve(data, path) if data is not INVALID else INVALID
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            is_number.append(number)
            passed.append(number and self._is_in_range(value))
            sentences.append(
                f"{self.path} is {cut(json_text(value))}, {self._limits()}"
                if number
                else f"no number at {quote(self.path)}"
            )
        at = codes + 1
        verdicts = Verdicts.decide(np.array(passed)[at], Evidence(at.astype(np.int32), sentences))
        return verdicts.abstain(
            ~np.array(is_number)[at],
            AbstainCode.MISSING_DATA,
            f"the metadata has no number at {quote(self.path)}",
        )

    def _is_in_range(self, score: Json) -> bool:
        return (self.min is None or score >= self.min) and (self.max is None or score <= self.max)

    def _limits(self) -> str:
        low = "" if self.min is None else f"at least {self.min}"
        high = "" if self.max is None else f"at most {self.max}"
        return " and ".join(filter(None, (low, high))) + " wanted"
