"""tool-call-count: there are at most so many tool calls, of the listed tools if any are."""

from __future__ import annotations

from typing import Any

from tests.reference.budgets import budget, is_listed
from tests.reference.reading import View

TYPE = "tool-call-count"


def _used(config: dict[str, Any], view: View) -> int:
    return sum(is_listed(config, call.get("tool_name")) for _, call in view.of_type("tool_call"))


TWIN = budget(_used)
