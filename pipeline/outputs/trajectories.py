"""The trajectory table: its schema, and scores as rows of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from graders.batch import TrajectoryBatch
from graders.scores import TrajectoryOutcome, TrajectoryScores
from graders.slices import SliceKey, slice_codes
from pipeline.outputs.verdicts import TEXT, identity_columns

TRAJECTORY_SCHEMA = pa.schema(
    [
        ("trajectory_id", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("spec", pa.int32()),
        ("score", pa.float64()),
        ("outcome", TEXT),
        ("passed", pa.int32()),
        ("failed", pa.int32()),
        ("abstained", pa.int32()),
        ("slices", pa.map_(pa.string(), pa.string())),
    ]
)

_OUTCOMES = pa.array([outcome.label for outcome in TrajectoryOutcome])


@dataclasses.dataclass(frozen=True, slots=True)
class TrajectoryRows:
    """Some rows of the trajectory table.

    Attributes:
        record_batch: of `TRAJECTORY_SCHEMA`.
    """

    record_batch: pa.RecordBatch


def trajectory_rows(
    batch: TrajectoryBatch, scores: Sequence[TrajectoryScores], slices: Sequence[SliceKey]
) -> TrajectoryRows:
    """A row per trajectory and spec: what each spec says of the batch, spec after spec."""
    ids = [*identity_columns(batch), _slices(batch, slices)]
    parts = [_rows(ids, spec, said) for spec, said in enumerate(scores)]
    return TrajectoryRows(parts[0] if len(parts) == 1 else pa.concat_batches(parts))


def _rows(ids: Sequence[pa.Array], spec: int, said: TrajectoryScores) -> pa.RecordBatch:
    *identity, slices = ids
    columns = [
        *identity,
        pa.repeat(pa.scalar(spec, pa.int32()), len(said.score)),
        pa.array(said.score, mask=np.isnan(said.score)),
        pa.DictionaryArray.from_arrays(pa.array(said.outcome.astype(np.int32)), _OUTCOMES),
        pa.array(said.passed),
        pa.array(said.failed),
        pa.array(said.abstained),
        slices,
    ]
    return pa.RecordBatch.from_arrays(columns, schema=TRAJECTORY_SCHEMA)


def _slices(batch: TrajectoryBatch, keys: Sequence[SliceKey]) -> pa.Array:
    """The slice values of each trajectory by slice key."""
    n, width = len(batch), len(keys)
    values: list[str] = []
    codes = np.zeros((n, width), np.int32)
    for column, key in enumerate(keys):
        sliced = slice_codes(key, batch)
        codes[:, column] = sliced.codes + len(values)
        values += sliced.values
    return pa.MapArray.from_arrays(
        pa.array(np.arange(n + 1) * width, pa.int32()),
        pa.array([key.label for key in keys] * n, pa.string()),
        pa.array(values, pa.string()).take(pa.array(codes.ravel())),
    )
