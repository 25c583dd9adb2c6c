"""Names of events that must occur, and that must not (SEMANTICS section 6)."""

from __future__ import annotations

from typing import Any

from tests.reference.judgement import Judgement, Twin, decide
from tests.reference.reading import View


def named_events(kind: str) -> Twin:
    """The twin of a check on the names of the events of one type."""

    def judge(config: dict[str, Any], view: View) -> Judgement:
        first: dict[str | None, int] = {}
        for at, event in view.of_type(kind):
            first.setdefault(event.get("name"), at)
        for name in config.get("disallowed") or []:
            if name in first:
                return decide(passed=False, event_index=first[name])
        required = config.get("required") or []
        if not all(name in first for name in required):
            return decide(passed=False)
        return decide(passed=True, event_index=first[required[0]] if required else None)

    return Twin(judge)
