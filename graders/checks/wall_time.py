"""wall-time: the run took at most so long.

Passes when wall_time_ms, else the time from the first to the last event, is at most max. In a turn
slice only its events count.
Fails when it is more.
Abstains with MISSING_DATA when the time is unknown: none is recorded, or it is negative, and not every
event has a timestamp.
"""

from __future__ import annotations

import fractions
import re
from typing import ClassVar

import numpy as np
from pydantic import Field, field_validator

from graders.arrays import not_null
from graders.batch import TrajectoryBatch
from graders.families.budgets import Budget, Usage

_MICROSECONDS = {"ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


def _microseconds(duration: str) -> int:
    """A duration such as `1500ms`, `2s`, `1.5h` or `1m30s` in microseconds, rounded down.

    Raises:
        ValueError: it is none.
    """
    if not re.fullmatch(f"(?:{_PART.pattern})+", duration):
        raise ValueError(f"expected a duration with unit such as 1500ms, 2s, 3m or 1h, got {duration!r}")
    return int(
        sum(fractions.Fraction(number) * _MICROSECONDS[unit] for number, unit in _PART.findall(duration))
    )


class WallTime(Budget):
    """Pass when the run took at most so long."""

    type_name: ClassVar[str] = "wall-time"
    noun: ClassVar[str] = "microseconds"

    max: str = Field(min_length=1, description="A duration with unit: 1500ms, 2s, 3m, 1h, 1m30s.")

    @field_validator("max")
    @classmethod
    def _check_max(cls, duration: str) -> str:
        _microseconds(duration)
        return duration

    @property
    def limit(self) -> int:  # noqa: D102  (as in Budget)
        return _microseconds(self.max)

    @property
    def needs(self) -> frozenset[str]:  # noqa: D102  (as in Check)
        return frozenset({"metrics", "events.timestamp"})

    @property
    def reads_events(self) -> bool:  # noqa: D102
        return False  # A recorded time will do.

    def usage(self, batch: TrajectoryBatch) -> Usage:  # noqa: D102  (as in Budget)
        used, is_known = _span(batch)
        if not batch.is_slice:
            recorded = batch.struct_field("metrics", "wall_time_ms").to_pylist()
            for row, milliseconds in enumerate(recorded):
                if milliseconds is not None:
                    used[row], is_known[row] = milliseconds * 1_000, milliseconds >= 0
        return used, is_known


def _span(batch: TrajectoryBatch) -> Usage:
    """Last minus first timestamp in record order, in microseconds, where every event has one."""
    n = len(batch)
    events = batch.positions_in_view()
    row = batch.events.row[events]
    stamps = batch.events.column("timestamp")
    has_stamp = not_null(stamps)[events]
    values = stamps.cast("int64").fill_null(0).to_numpy(zero_copy_only=False)[events]
    first, last = np.zeros(n, np.int64), np.zeros(n, np.int64)
    first[row[::-1]] = values[::-1]
    last[row] = values
    count = np.bincount(row, minlength=n)
    is_known = (count > 0) & (np.bincount(row[has_stamp], minlength=n) == count) & (last >= first)
    # Subtracted as Python's integers: a span between far times exceeds 64 bits.
    return [end - start for start, end in zip(first.tolist(), last.tolist(), strict=True)], is_known
