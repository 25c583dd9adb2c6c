"""Samples: the repeated trials of one task, counted together.

A *trial* is one trajectory of a sample; it is *decided* where the spec says passed or failed of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask, Positions
from graders.slices import SliceCodes

Rows = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, slots=True)
class SampleGroups:
    """Trajectories by sample and slice value; G groups of n trajectories.

    Attributes:
        sample: int64[G], the number of the group's sample.
        value: int64[G], the number of the group's slice value.
        group: int64[n], the group of each trajectory.
    """

    sample: Positions
    value: Positions
    group: Positions

    @classmethod
    def of(cls, samples: Positions, sliced: SliceCodes) -> SampleGroups:
        """Group n trajectories by the numbers of their samples and slice values."""
        width = len(sliced.values)
        pairs, group = np.unique(samples * width + sliced.codes, return_inverse=True)
        return cls(pairs // width, pairs % width, group)

    def count(self, mask: Mask) -> Rows:
        """How many trajectories of each group the mask holds for, int64[G]."""
        return np.bincount(self.group[mask], minlength=len(self.sample))


def cluster_moments(groups: SampleGroups, n_values: int, decided: Rows, passed: Rows) -> Rows:
    """What the clustered standard error needs of each slice value, int64[n_values, 4].

    The columns are the number of groups with n ≥ 1 decided trials, and the sums of n², n·c and c²
    over them, where c of the n passed. All of them add up.
    """
    products = [decided > 0, decided * decided, decided * passed, passed * passed]
    # Sums of floats, exact below 2^53.
    columns = [np.bincount(groups.value, weights=product, minlength=n_values) for product in products]
    return np.stack(columns, axis=1).astype(np.int64)


@dataclasses.dataclass(frozen=True)
class SampleHistogram:
    """How many samples have so many trials, decided and passed ones, per slice value.

    A commutative monoid with the cap of `SliceCounts`. Among the values beyond the cap a sample
    counts once for each of its values. Nothing is ever changed in place.

    Attributes:
        values: the slice values that are kept, sorted, at most as many as the cap.
        rows: int64[m, 5], sorted, distinct in the first four columns: the number of the value (-1
            beyond the cap), trials, decided, passed; and how many samples have these.
    """

    values: list[str]
    rows: Rows

    @classmethod
    def of(
        cls, values: list[str], groups: SampleGroups, decided: Rows, passed: Rows, most: int
    ) -> SampleHistogram:
        """The histogram of groups whose slice values are numbers into sorted `values`."""
        trials = np.bincount(groups.group, minlength=len(groups.sample))
        rows = np.stack([groups.value, trials, decided, passed, np.ones_like(trials)], axis=1)
        return cls(values[:most], _added(rows, most))

    def merge(self, other: SampleHistogram, most: int) -> SampleHistogram:
        """The histogram of both; their samples are others."""
        values = sorted({*self.values, *other.values})
        place = {value: at for at, value in enumerate(values)}
        parts: list[Rows] = []
        for part in (self, other):
            table = np.array([*(place[value] for value in part.values), -1], np.int64)
            rows = part.rows.copy()
            rows[:, 0] = table[rows[:, 0]]
            parts.append(rows)
        return SampleHistogram(values[:most], _added(np.concatenate(parts), most))

    def by_value(self) -> Iterator[tuple[str | None, Rows]]:
        """Per value, in order, its rows without the first column; None is what lies beyond the cap."""
        for number in np.unique(self.rows[:, 0]).tolist():
            value: str | None = None if number < 0 else self.values[number]
            yield value, self.rows[self.rows[:, 0] == number, 1:]


def _added(rows: Rows, most: int) -> Rows:
    """The rows with equal ones added up, and values beyond the cap as -1."""
    columns = rows.T.copy()
    columns[0, columns[0] >= most] = -1
    key = columns[0] + 1
    for column in columns[1:4]:  # One number per combination, kept small by ranks.
        key = np.unique(key, return_inverse=True)[1] * (int(column.max(initial=0)) + 1) + column
    _, firsts, group = np.unique(key, return_index=True, return_inverse=True)
    counts = np.zeros(len(firsts), np.int64)
    np.add.at(counts, group, columns[4])
    return np.column_stack([columns[:4, firsts].T, counts])
