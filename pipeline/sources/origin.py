"""Where trajectories come from: a column of their batch says so, and stays with them wherever they go."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_PART = "gradebeam.part"


def with_part(batch: pa.RecordBatch, part: int) -> pa.RecordBatch:
    """The batch with the hash of the work item that it was read from."""
    return batch.append_column(_PART, pa.repeat(pa.scalar(part, pa.int64()), batch.num_rows))


def parts_of(batch: pa.RecordBatch) -> npt.NDArray[np.int64]:
    """The hash of the work item of each trajectory, int64[n]; -1 where that is not known."""
    at = batch.schema.get_field_index(_PART)
    return np.full(batch.num_rows, -1, np.int64) if at < 0 else batch.column(at).to_numpy()
