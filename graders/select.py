"""Selections: the events that a check looks at, and what they say of each trajectory.

A selection is a sorted array of event positions. It is narrowed (`where`), read
(`text`) and folded to one value per trajectory (`any`, `count`, `first_index`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from graders.arrays import Mask, Positions
from graders.text import Text

if TYPE_CHECKING:
    from graders.batch import TrajectoryBatch


class Selection:
    """Some events of a batch, in record order.

    Attributes:
        batch: where they are.
        positions: int64[k], ascending positions among all events of the batch.
    """

    __slots__ = ("_key", "batch", "positions")

    def __init__(self, batch: TrajectoryBatch, positions: Positions, key: Hashable | None = None) -> None:
        """A selection with a key shares its texts with every other one of the same key."""
        self.batch = batch
        self.positions = positions
        self._key = key

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def row(self) -> Positions:
        """The trajectory of each event, int64[k]."""
        if self._key is None:
            return self.batch.events.row[self.positions]
        return self.batch.memo(("row", self._key), lambda: self.batch.events.row[self.positions])

    def where(self, mask: Mask) -> Selection:
        """The events for which `mask`, bool[k], holds."""
        return Selection(self.batch, self.positions[mask])

    def text(self, field: str = "content") -> Text:
        """The texts of one field, aligned with the selection."""

        def take() -> pa.Array:
            return self.batch.events.column(field).take(pa.array(self.positions))

        if self._key is None:
            return Text(self.batch, take())
        key = ("text", self._key, field)
        return Text(self.batch, self.batch.memo(key, take), key)

    def any(self) -> Mask:
        """Which trajectories have an event in the selection, bool[n]."""
        found = np.zeros(len(self.batch), np.bool_)
        found[self.row] = True
        return found

    def count(self) -> npt.NDArray[np.int64]:
        """How many events of the selection each trajectory has, int64[n]."""
        return np.bincount(self.row, minlength=len(self.batch))

    def first_index(self) -> npt.NDArray[np.int32]:
        """The index in its record of each trajectory's first event, int32[n]; -1 for none."""
        return to_event_index(self.batch, self.first_position())

    def first_position(self) -> Positions:
        """The position of each trajectory's first event, int64[n]; -1 for none."""
        first = np.full(len(self.batch), -1, np.int64)
        first[self.row[::-1]] = self.positions[::-1]
        return first

    def last_position(self) -> Positions:
        """The position of each trajectory's last event, int64[n]; -1 for none."""
        last = np.full(len(self.batch), -1, np.int64)
        last[self.row] = self.positions
        return last

    def following(self, others: Selection) -> tuple[Positions, Positions]:
        """For each event the range `[low, high)` of `others` that comes after it in its record."""
        ends = self.batch.events.offsets[self.row + 1]
        low = np.searchsorted(others.positions, self.positions, "right")
        return low, np.searchsorted(others.positions, ends)


def to_event_index(batch: TrajectoryBatch, positions: Positions) -> npt.NDArray[np.int32]:
    """Turn one position per trajectory into the 0-based index in its record; -1 stays."""
    starts = batch.events.offsets[:-1]
    return np.where(positions < 0, -1, positions - starts).astype(np.int32)
