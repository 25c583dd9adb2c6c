"""hasToolCall: a tool_call with exactly that name exists."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.reading import View

TYPE = "hasToolCall"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    calls = [at for at, event in view.of_type("tool_call") if event.get("tool_name") == config["tool"]]
    return decide(bool(calls), calls[0] if calls else None)


TWIN = Twin(_judge)
