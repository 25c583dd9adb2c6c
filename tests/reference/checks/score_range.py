"""score-range: a number in the metadata lies in a range."""

from __future__ import annotations

import decimal
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.paths import value_at
from tests.reference.reading import View

TYPE = "score-range"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    score = value_at(json_values.parse(view.record.get("metadata") or ""), config["path"])
    if isinstance(score, bool) or not isinstance(score, (int, float, decimal.Decimal)):
        return abstain(AbstainCode.MISSING_DATA)
    is_high_enough = config.get("min") is None or score >= config["min"]
    is_low_enough = config.get("max") is None or score <= config["max"]
    return decide(is_high_enough and is_low_enough)


TWIN = Twin(_judge, rests_on=Rest.NOTHING, reads_events=False)
