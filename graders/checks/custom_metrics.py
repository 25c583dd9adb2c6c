"""custom-metrics: metrics in an artifact of the run meet assertions.

Passes when every assertion holds on its metric: equal as JSON, at least min, at most max. The artifact
is a JSON object of metrics, or has them under `values`.
Fails when one does not.
Abstains with MISSING_DATA when the artifact, the object or a metric is missing or malformed; min and max
on what is no number are malformed.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.arrays import to_texts
from graders.batch import TrajectoryBatch
from graders.check import Check, Scope, Subject, Taxonomy
from graders.outcome import AbstainCode
from graders.values import Json, cut, equals, json_text, parse_json, quote
from graders.verdicts import Evidence, Verdicts


class Assertion(BaseModel):
    """What one metric must be."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    metric: str = Field(min_length=1, description="The name of the metric.")
    equals: Any = Field(None, description="The JSON value that it equals.")
    min: int | float | None = Field(None, allow_inf_nan=False, description="The least number, inclusive.")
    max: int | float | None = Field(None, allow_inf_nan=False, description="The largest number, inclusive.")

    @model_validator(mode="after")
    def _has_condition(self) -> Assertion:
        if not self.model_fields_set & {"equals", "min", "max"}:
            raise ValueError("equals, min or max is needed")
        return self

    def problem(self, values: dict[str, Json]) -> tuple[bool, str] | None:
        """None where it holds, else whether it is violated (not unknown), and how."""
        if self.metric not in values:
            return False, f"no metric {quote(self.metric)}"
        value = values[self.metric]
        shown = f"{quote(self.metric)} is {cut(json_text(value))}"
        if self.min is not None or self.max is not None:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return False, f"{shown}, not a number"
            if self.min is not None and value < self.min:
                return True, f"{shown}, at least {self.min} wanted"
            if self.max is not None and value > self.max:
                return True, f"{shown}, at most {self.max} wanted"
        if "equals" in self.model_fields_set and not equals(self.equals)(value):
            return True, f"{shown}, {cut(json_text(self.equals))} wanted"
        return None


class CustomMetrics(Check):
    """Pass when metrics in an artifact meet all assertions."""

    type_name: ClassVar[str] = "custom-metrics"
    taxonomy: ClassVar[Taxonomy] = Taxonomy(scope=Scope.POINT_IN_TIME)
    subject: ClassVar[Subject] = Subject.NOTHING
    allows_turn: ClassVar[bool] = False

    path: str = Field("custom_metrics.json", min_length=1, description="The name of the artifact.")
    assertions: list[Assertion] = Field(min_length=1, description="What must hold.")

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"artifacts"})

    def grade(self, batch: TrajectoryBatch) -> Verdicts:  # noqa: D102
        texts = to_texts(pc.map_lookup(batch.column("artifacts"), pa.scalar(self.path), "last"))
        findings = [self._judge(text) for text in texts]
        passed = np.array([finding is None for finding in findings], np.bool_)
        unknown = np.array([finding is not None and not finding[0] for finding in findings], np.bool_)
        evidence = Evidence.each(
            [finding[1] if finding else "the metrics are as wanted" for finding in findings]
        )
        return Verdicts.decide(passed, evidence).abstain(unknown, AbstainCode.MISSING_DATA, evidence)

    def _judge(self, text: str | None) -> tuple[bool, str] | None:
        """None where all assertions hold; unknown comes before violated."""
        if text is None:
            return False, f"no artifact {quote(self.path)}"
        data = parse_json(text)
        if isinstance(data, dict) and isinstance(data.get("values"), dict):
            data = data["values"]
        if not isinstance(data, dict):
            return False, f"the artifact {quote(self.path)} is not a JSON object"
        problems = [problem for item in self.assertions if (problem := item.problem(data))]
        return min(problems, key=lambda problem: problem[0], default=None)
