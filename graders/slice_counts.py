"""SliceCounts: integers per slice value, of a bounded number of values; a commutative monoid."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from graders.slices import OTHER, SliceCodes

Matrix = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class SliceCounts:
    """Integer counts of each slice value, and of all values beyond the cap together.

    What is kept are the smallest values in sort order. A value that has as many smaller ones in
    some part as the cap allows has them in the whole, too, so that order and grouping of merges
    make no difference. Nothing is ever changed in place.

    Attributes:
        values: the values that are kept, sorted, at most as many as the cap.
        counts: int64[len(values), w].
        rest: int64[w], of all values that are not kept.
    """

    values: list[str]
    counts: Matrix
    rest: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: list[str], counts: Matrix, most: int) -> SliceCounts:
        """The counts of sorted values, without those that count nothing."""
        counted = np.flatnonzero(np.any(counts, axis=1))
        if len(counted) < len(values):
            values, counts = [values[at] for at in counted.tolist()], counts[counted]
        return cls(values[:most], counts[:most], counts[most:].sum(axis=0))

    def by_value(self) -> Iterator[tuple[str, list[int]]]:
        """The counts of each value; those beyond the cap are one value, if they count anything."""
        yield from zip(self.values, self.counts.tolist(), strict=True)
        if self.rest.any():
            yield OTHER, self.rest.tolist()

    def merge(self, other: SliceCounts, most: int) -> SliceCounts:
        """The counts of both."""
        rest = self.rest + other.rest
        if self.values == other.values:
            return SliceCounts(self.values, self.counts + other.counts, rest)
        values = sorted({*self.values, *other.values})
        place = {value: at for at, value in enumerate(values)}
        counts = np.zeros((len(values), len(rest)), np.int64)
        for part in (self, other):
            counts[[place[value] for value in part.values]] += part.counts
        return SliceCounts(values[:most], counts[:most], rest + counts[most:].sum(axis=0))


def count_by_value(sliced: SliceCodes, codes: npt.NDArray[np.int64], width: int) -> Matrix:
    """How often each code occurs with each slice value, int64[len(sliced.values), width].

    Args:
        sliced: the slice values of n trajectories.
        codes: int64[n], from 0 to width - 1.
        width: the number of codes.
    """
    n = len(sliced.values)
    return np.bincount(sliced.codes * width + codes, minlength=n * width).reshape(n, width)


def sum_by_value(sliced: SliceCodes, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The sum of the numbers of each slice value, int64[len(sliced.values)]."""
    sums = np.bincount(sliced.codes, weights=numbers, minlength=len(sliced.values))
    return sums.astype(np.int64)  # Sums of floats, exact below 2^53.
