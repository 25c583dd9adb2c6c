"""argument-from-result: what a call was given came from an earlier result of another tool."""

from __future__ import annotations

import decimal
import json
from typing import Any

from graders.outcome import AbstainCode
from tests.reference import json_values, patterns
from tests.reference.judgement import Judgement, Twin, abstain, decide
from tests.reference.paths import value_at
from tests.reference.reading import Event, View

TYPE = "argument-from-result"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    calls = [(at, call) for at, call in view.of_type("tool_call") if call.get("tool_name") == config["tool"]]
    answers = [(at, _came_from(config, at, call, view)) for at, call in calls]
    decide_by = any if config.get("which") == "any" else all
    if calls and decide_by(answer is True for _, answer in answers):
        found = [at for at, answer in answers if answer is True]
        return decide(passed=True, event_index=found[0] if decide_by is any else None)
    if any(answer == "late" for _, answer in answers):
        return abstain(AbstainCode.TIMEOUT)
    # All of them: it fails by the first that does not; one of them: it fails by none.
    missed = [at for at, answer in answers if answer is not True]
    return decide(
        passed=False,
        event_index=missed[0] if missed and decide_by is all else None,
        is_doubtful=bool(calls) and decide_by(answer is not False for _, answer in answers),
    )


def _came_from(config: dict[str, Any], at: int, call: Event, view: View) -> bool | str:
    """Whether the argument came from a result; `bad` where it could have, `late` where time ran out."""
    texts = [
        result.get("content") or ""
        for place, result in view.of_type("tool_result")
        if place < at and view.result_names[place] == config["from"]
    ]
    arguments = json_values.arguments(call.get("arguments"))
    if arguments is json_values.BAD:
        return "bad" if any(texts) else False
    text = _text_of(value_at(arguments, config["argument"]))
    if "pattern" in config:
        try:
            text = patterns.captured(config["pattern"], text)
        except TimeoutError:
            return "late"
    return text != "" and any(text in seen for seen in texts)


def _text_of(value: Any) -> str:
    """A text as it is and a number as JSON; nothing of whatever else there is."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (decimal.Decimal, float)):
        return ""
    return f"{value:f}" if isinstance(value, decimal.Decimal) else json.dumps(value)


TWIN = Twin(_judge)
