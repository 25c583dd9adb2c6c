"""turn-count: there are at most so many turn_end events, or steps where there is none."""

from __future__ import annotations

from typing import Any

from tests.reference.budgets import budget, steps_in
from tests.reference.reading import View

TYPE = "turn-count"


def _used(config: dict[str, Any], view: View) -> int:
    del config
    return len(view.of_type("turn_end")) or len(set(steps_in(view).values()))


TWIN = budget(_used)
