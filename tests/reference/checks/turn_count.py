"""turn-count: there are at most so many turn_end events, or steps where there is none."""

from __future__ import annotations

from typing import Any

from tests.reference.budgets import budget
from tests.reference.reading import View

TYPE = "turn-count"


def _used(config: dict[str, Any], view: View) -> int:
    del config
    return len(view.of_type("turn_end")) or len(set(view.steps.values()))


TWIN = budget(_used)
