"""Tally: the counts of one cell of the summary table, a commutative monoid of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graders.outcome import AbstainCode, Outcome
from graders.slice_counts import count_by_value, sum_by_value
from graders.slices import SliceCodes
from graders.verdicts import Verdicts

_CODES = len(AbstainCode)


class Tally(NamedTuple):
    """How often each outcome occurred; plain integers, so that it travels as it is.

    Attributes:
        passed: verdicts that pass.
        failed: verdicts that fail.
        abstained: abstentions by code, in the order of `AbstainCode`.
        seen_tools: bit i is set once the i-th tool that the check lists was called.
        matched: the sum of `MatchCounts.matched` over the verdicts that have such counts.
        actual: the sum of `MatchCounts.actual`.
        reference: the sum of `MatchCounts.reference`.
    """

    passed: int = 0
    failed: int = 0
    abstained: tuple[int, ...] = (0,) * _CODES
    seen_tools: int = 0
    matched: int = 0
    actual: int = 0
    reference: int = 0

    @classmethod
    def of(cls, verdicts: Verdicts, seen_tools: int = 0) -> Tally:
        """The tally of some verdicts."""
        by_code = np.bincount(verdicts.code, minlength=_CODES + 1)[1:]
        counts = verdicts.counts
        sums = (0, 0, 0) if counts is None else counts.sums()
        return cls(
            passed=int(verdicts.is_outcome(Outcome.PASS).sum()),
            failed=int(verdicts.is_outcome(Outcome.FAIL).sum()),
            abstained=tuple(by_code.tolist()),
            seen_tools=seen_tools,
            matched=sums[0],
            actual=sums[1],
            reference=sums[2],
        )

    @classmethod
    def from_counts(cls, counts: Sequence[int]) -> Tally:
        """The tally of a row of `count_verdicts`."""
        passed, failed, *abstained = counts[: _CODES + 2]
        return cls(passed, failed, tuple(abstained), 0, *counts[_CODES + 2 :])

    def merge(self, other: Tally) -> Tally:
        """The tally of both; order and grouping make no difference."""
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            tuple(map(sum, zip(self.abstained, other.abstained, strict=True))),
            self.seen_tools | other.seen_tools,
            self.matched + other.matched,
            self.actual + other.actual,
            self.reference + other.reference,
        )

    @property
    def total(self) -> int:
        """All verdicts of the cell."""
        return self.passed + self.failed + sum(self.abstained)

    def abstain_reasons(self) -> dict[str, int]:
        """The abstentions by code, sorted by name, without those that did not occur."""
        counts = {code.name: self.abstained[code - 1] for code in AbstainCode}
        return {name: counts[name] for name in sorted(counts) if counts[name]}


def count_verdicts(verdicts: Verdicts, sliced: SliceCodes) -> npt.NDArray[np.int64]:
    """The counts of a tally per slice value, int64[len(sliced.values), 16].

    The columns are passed, failed, the abstentions by code, matched, actual and reference.

    Args:
        verdicts: of n trajectories.
        sliced: the slice values of the same.
    """
    # Pass and fail have the code 0, and abstentions codes from 1.
    kinds = np.where(verdicts.is_outcome(Outcome.PASS), 0, verdicts.code.astype(np.int64) + 1)
    outcomes = count_by_value(sliced, kinds, _CODES + 2)
    counts = verdicts.counts
    if counts is None:
        return np.pad(outcomes, ((0, 0), (0, 3)))
    matches = [
        sum_by_value(sliced, np.maximum(each, 0))
        for each in (counts.matched, counts.actual, counts.reference)
    ]
    return np.column_stack([outcomes, *matches])
