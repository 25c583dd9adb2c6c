"""token-budget: the run used at most so many tokens."""

from __future__ import annotations

import decimal
from typing import Any

from tests.reference import json_values
from tests.reference.budgets import budget
from tests.reference.reading import View

TYPE = "token-budget"


def _used(config: dict[str, Any], view: View) -> int | None:
    del config
    # A slice is measured by its own events, never by the metrics of the whole run.
    metrics = view.record.get("metrics") or {} if view.turn is None else {}
    total, given, made = (metrics.get(f"{kind}_tokens") for kind in ("total", "input", "output"))
    if total is not None:
        used = None if min(total, given or 0, made or 0) < 0 else total
    elif given is not None and made is not None:
        used = None if min(given, made) < 0 else given + made
    else:
        used = _of_events(view)
    return None if used == 0 and view.has_activity else used


def _of_events(view: View) -> int | None:
    used = [_of_event(event) for _, event in view.of_type("token_usage")]
    return None if not used or None in used else sum(used)


def _of_event(event: dict[str, Any]) -> int | None:
    data = json_values.parse(event.get("data") or "")
    if not isinstance(data, dict):
        return None
    for keys in (("inputTokens", "outputTokens"), ("input_tokens", "output_tokens")):
        counts = [data.get(key) for key in keys]
        if counts != [None, None]:
            # Whole numbers are decimals here: true is none, and neither is a text or a fraction.
            is_known = all(isinstance(count, decimal.Decimal) and count >= 0 for count in counts)
            return sum(int(count) for count in counts) if is_known else None
    return None


TWIN = budget(_used, reads_events=False)
