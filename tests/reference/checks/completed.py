"""completed: there is an output, no error event, and a turn that ended, where turns are recorded."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.reading import View

TYPE = "completed"


def _judge(config: dict[str, Any], view: View) -> Judgement:
    del config
    errors, ends = view.of_type("error"), view.of_type("turn_end")
    has_turns = any(event.get("type") in ("turn_start", "turn_end") for event in view.all_events)
    is_unfinished = has_turns and not ends
    passed = bool(view.output) and not errors and not is_unfinished
    return decide(passed, errors[0][0] if errors else None)


TWIN = Twin(_judge, reads_output=True)
