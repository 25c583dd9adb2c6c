"""Columns of counts and rates, which several tables have in common and in the same meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from graders.resampling import Counts, percentile_interval
from graders.statistics import ratio, wilson_interval
from graders.tally import Tally

RATE_FIELDS: list[tuple[str, pa.DataType]] = [
    ("pass_rate", pa.float64()),
    ("coverage", pa.float64()),
    ("wilson_low", pa.float64()),
    ("wilson_high", pa.float64()),
    ("pass_rate_worst", pa.float64()),
    ("pass_rate_best", pa.float64()),
]

BOOTSTRAP_FIELDS: list[tuple[str, pa.DataType]] = [
    ("bootstrap_low", pa.float64()),
    ("bootstrap_high", pa.float64()),
]

COUNT_FIELDS: list[tuple[str, pa.DataType]] = [
    ("total", pa.int64()),
    ("passed", pa.int64()),
    ("failed", pa.int64()),
    ("abstained", pa.int64()),
    ("abstain_reasons", pa.map_(pa.string(), pa.int64())),
]

MATCH_FIELDS: list[tuple[str, pa.DataType]] = [
    ("matched", pa.int64()),
    ("actual", pa.int64()),
    ("reference", pa.int64()),
    ("precision", pa.float64()),
    ("recall", pa.float64()),
    ("f1", pa.float64()),
]


def rate_columns(passed: Sequence[int], failed: Sequence[int], total: Sequence[int]) -> dict[str, Any]:
    """The columns of `RATE_FIELDS`; NaN where there is nothing to divide by."""
    passes, fails, all_ = (np.array(counts, np.int64) for counts in (passed, failed, total))
    decided = passes + fails
    low, high = wilson_interval(passes, decided)
    return {
        "pass_rate": ratio(passes, decided),
        "coverage": ratio(decided, all_),
        "wilson_low": low,
        "wilson_high": high,
        "pass_rate_worst": ratio(passes, all_),
        "pass_rate_best": ratio(all_ - fails, all_),
    }


def bootstrap_columns(replicates: Sequence[tuple[Counts, Counts] | None]) -> dict[str, Any]:
    """The columns of `BOOTSTRAP_FIELDS`, from the passed and decided ones of each row's replicates."""
    intervals = [None if each is None else percentile_interval(*each) for each in replicates]
    return {
        "bootstrap_low": [None if each is None else each[0] for each in intervals],
        "bootstrap_high": [None if each is None else each[1] for each in intervals],
    }


def tally_columns(tallies: Sequence[Tally], counts_matches: Sequence[bool]) -> dict[str, Any]:
    """The columns of all three lists of fields.

    Args:
        tallies: one per row.
        counts_matches: whether the row's check type has match counts; they are null elsewhere.
    """
    passed = [tally.passed for tally in tallies]
    failed = [tally.failed for tally in tallies]
    total = [tally.total for tally in tallies]
    return {
        "total": total,
        "passed": passed,
        "failed": failed,
        "abstained": [sum(tally.abstained) for tally in tallies],
        "abstain_reasons": [list(tally.abstain_reasons().items()) for tally in tallies],
        **rate_columns(passed, failed, total),
        **_match_columns(tallies, counts_matches),
    }


def _match_columns(tallies: Sequence[Tally], counts_matches: Sequence[bool]) -> dict[str, Any]:
    has_none = ~np.array(counts_matches, np.bool_)
    matched, actual, reference = (
        np.array([getattr(tally, name) for tally in tallies], np.int64)
        for name in ("matched", "actual", "reference")
    )
    return {
        "matched": pa.array(matched, mask=has_none),
        "actual": pa.array(actual, mask=has_none),
        "reference": pa.array(reference, mask=has_none),
        "precision": ratio(matched, actual),
        "recall": ratio(matched, reference),
        "f1": ratio(2 * matched, actual + reference),
    }
