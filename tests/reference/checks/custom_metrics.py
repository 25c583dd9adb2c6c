"""custom-metrics: metrics in an artifact of the run meet assertions."""

from __future__ import annotations

import decimal
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.reading import View

TYPE = "custom-metrics"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    artifacts = view.record.get("artifacts") or {}
    metrics = json_values.parse(artifacts.get(config.get("path", "custom_metrics.json")) or "")
    if isinstance(metrics, dict) and isinstance(metrics.get("values"), dict):
        metrics = metrics["values"]
    if not isinstance(metrics, dict):
        return abstain(AbstainCode.MISSING_DATA)
    holds = True
    for assertion in config["assertions"]:
        if assertion["metric"] not in metrics:
            return abstain(AbstainCode.MISSING_DATA)
        value = metrics[assertion["metric"]]
        if ("min" in assertion or "max" in assertion) and not _is_number(value):
            return abstain(AbstainCode.MISSING_DATA)
        holds &= "equals" not in assertion or json_values.is_equal(assertion["equals"], value)
        holds &= "min" not in assertion or value >= assertion["min"]
        holds &= "max" not in assertion or value <= assertion["max"]
    return decide(holds)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


TWIN = Twin(_judge, rests_on=Rest.NOTHING, reads_events=False)
