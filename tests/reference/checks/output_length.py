"""output-length: the final output has so many code points."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Rest, Twin, decide
from tests.reference.reading import View

TYPE = "output-length"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    length = len(view.output or "")
    is_long_enough = config.get("min") is None or length >= config["min"]
    is_short_enough = config.get("max") is None or length <= config["max"]
    return decide(is_long_enough and is_short_enough)


TWIN = Twin(_judge, rests_on=Rest.OUTPUT, reads_events=False, reads_output=True)
