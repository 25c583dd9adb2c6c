"""step-count: there are at most so many steps, or steps that issue a call of a listed tool."""

from __future__ import annotations

from typing import Any

from tests.reference.budgets import budget, is_listed
from tests.reference.reading import View

TYPE = "step-count"


def _used(config: dict[str, Any], view: View) -> int:
    if config.get("tools") is None:
        return len(set(view.steps.values()))
    calls = [at for at, call in view.of_type("tool_call") if is_listed(config, call.get("tool_name"))]
    return len({view.steps[at] for at in calls if at in view.steps})


TWIN = budget(_used)
