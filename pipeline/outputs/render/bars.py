"""Bars and intervals as places in their drawings on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.outputs.render.table import interval, percent

Row = Mapping[str, Any]


def bar(row: Row, rest: str = "abstained") -> dict[str, str]:
    """Where the parts of a bar begin and how wide they are, of 100.

    Args:
        row: counts that add up to its `total`.
        rest: the name of the count of what neither passed nor failed.
    """
    total = max(row["total"], 1)
    passed, failed, others = (100 * row[name] / total for name in ("passed", "failed", rest))
    return {
        "pass_width": number(passed),
        "fail_width": number(failed),
        "abstain_at": number(passed + failed),
        "abstain_width": number(others),
    }


def rate(row: Row) -> dict[str, str]:
    """A pass rate and its interval, in words and as places in a drawing 208 wide; empty without a rate."""
    if row["pass_rate"] is None:
        return {"rate": "", "interval": "", "low_at": "", "high_at": "", "rate_at": ""}
    return {
        "rate": percent(row["pass_rate"]),
        "interval": interval(row),
        "low_at": number(4 + 200 * row["wilson_low"]),
        "high_at": number(4 + 200 * row["wilson_high"]),
        "rate_at": number(4 + 200 * row["pass_rate"]),
    }


def number(value: float) -> str:
    """A number of a drawing."""
    return f"{value:.2f}"
