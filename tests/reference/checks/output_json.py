"""output-json: the whole final output is JSON, and such as is wanted."""

from __future__ import annotations

from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values
from tests.reference.json_schema import is_valid
from tests.reference.judgement import Judgement, Rest, Twin, abstain, decide
from tests.reference.paths import NOTHING, value_at
from tests.reference.reading import View

TYPE = "output-json"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    wanted = config.get("equals")
    if "referencePath" in config:
        reference = json_values.parse(view.record.get("reference") or "")
        wanted = value_at(reference, config["referencePath"]) if isinstance(reference, dict) else NOTHING
        if wanted is NOTHING:
            return abstain(AbstainCode.SETUP_INVALID)
    output = view.output or ""
    if config.get("allow_fence", False):
        output = _without_fence(output)
    value = json_values.parse(output)
    if value is json_values.BAD:
        return decide(passed=False)
    try:
        if "schema" in config and not is_valid(config["schema"], value):
            return decide(passed=False)
    except TimeoutError:
        return abstain(AbstainCode.TIMEOUT)
    if "equals" in config or "referencePath" in config:
        return decide(json_values.is_equal(wanted, value))
    return decide(passed=True)


def _without_fence(text: str) -> str:
    """What stands between a first line of three backticks and a word, and a last one of three backticks."""
    lines = text.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```":
        return "\n".join(lines[1:-1])
    return text


TWIN = Twin(_judge, rests_on=Rest.OUTPUT, reads_events=False, reads_output=True)
