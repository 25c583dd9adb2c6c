"""wall-time: the run took at most so long."""

from __future__ import annotations

import datetime
import fractions
import re
from typing import Any

from tests.reference.budgets import budget
from tests.reference.reading import View

TYPE = "wall-time"

_SECONDS = {"ms": fractions.Fraction(1, 1000), "s": 1, "m": 60, "h": 3600}


def _limit(config: dict[str, Any]) -> fractions.Fraction:
    """The seconds of a duration such as `1500ms`, `2s` or `1h30m`."""
    parts = re.findall(r"([0-9.]+)(ms|s|m|h)", config["max"])
    return sum((fractions.Fraction(number) * _SECONDS[unit] for number, unit in parts), fractions.Fraction(0))


def _used(config: dict[str, Any], view: View) -> fractions.Fraction | None:
    del config
    metrics = view.record.get("metrics") or {} if view.turn is None else {}
    recorded = metrics.get("wall_time_ms")
    if recorded is not None:
        return fractions.Fraction(recorded, 1000) if recorded >= 0 else None
    stamps = [event.get("timestamp") for _, event in view.events]
    if not stamps or None in stamps or _microseconds(stamps[-1]) < _microseconds(stamps[0]):
        return None
    return fractions.Fraction(_microseconds(stamps[-1]) - _microseconds(stamps[0]), 1_000_000)


def _microseconds(stamp: datetime.datetime | int) -> int:
    """Since 1970; a time that is too far for Python is written so."""
    if isinstance(stamp, int):
        return stamp
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return (stamp - epoch) // datetime.timedelta(microseconds=1)


TWIN = budget(_used, _limit, reads_events=False)
