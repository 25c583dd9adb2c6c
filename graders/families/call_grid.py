"""Calls as a table, one line a trajectory: for checks that compare whole sequences of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from graders.arrays import Mask, Positions
from graders.families.calls import Calls


@dataclasses.dataclass(frozen=True)
class CallGrid:
    """The calls of k trajectories, padded to the l of the one that has most.

    Attributes:
        rows: int64[k], the trajectories.
        calls: int64[k, l], which of the calls in view each is; -1 where a trajectory has fewer.
    """

    rows: Positions
    calls: npt.NDArray[np.int64]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many calls each trajectory has, int64[k]."""
        return (self.calls >= 0).sum(axis=1)


def call_grids(calls: Calls, kept: Mask, cells: int) -> Iterator[CallGrid]:
    """Lay out the calls in `kept` by trajectory, in grids of about `cells` cells at most.

    Trajectories of like length share a grid, so that a long one costs no other anything.
    """
    rows = calls.selection.row
    numbers = np.flatnonzero(kept)
    counts = np.bincount(rows[numbers], minlength=len(calls.batch))
    starts = np.concatenate(([0], np.cumsum(counts)))
    order = np.argsort(counts, kind="stable")
    first = 0
    while first < len(order):
        # As many as fit when all are as long as the last of them.
        sizes = np.arange(1, len(order) - first + 1) * np.maximum(counts[order[first:]], 1)
        taken = max(1, int(np.searchsorted(sizes, cells, "right")))
        chosen = order[first : first + taken]
        first += taken
        columns = np.arange(counts[chosen].max())
        at = starts[chosen][:, None] + columns
        is_call = columns < counts[chosen][:, None]
        table = np.full(at.shape, -1, np.int64)
        table[is_call] = numbers[at[is_call]]
        yield CallGrid(chosen, table)
