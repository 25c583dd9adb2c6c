"""toolCallContains: one call of the tool has arguments that contain the expected ones."""

from __future__ import annotations

from typing import Any

from tests.reference import json_values
from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.reading import View

TYPE = "toolCallContains"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    is_doubtful = False
    misses: list[tuple[int, int]] = []
    for at, event in view.of_type("tool_call"):
        if event.get("tool_name") != config["tool"]:
            continue
        arguments = json_values.arguments(event.get("arguments"))
        if arguments is json_values.BAD:
            is_doubtful = True
        elif json_values.is_contained(config["arguments"], arguments):
            return decide(passed=True, event_index=at)
        else:
            misses.append((_missing(config["arguments"], arguments), at))
    # A fail points at the call that lacks the fewest arguments, the first of several.
    return decide(passed=False, event_index=min(misses, default=(0, None))[1], is_doubtful=is_doubtful)


def _missing(expected: dict[str, Any], arguments: dict[str, Any]) -> int:
    return sum(
        key not in arguments or not json_values.is_contained(value, arguments[key])
        for key, value in expected.items()
    )


TWIN = Twin(_judge)
