"""Accounting: how many trajectories were graded, and which ids occur more than once."""

import typing

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import to_writable
from graders.batch import TrajectoryBatch
from pipeline.outputs.ledger import LISTED_IDS
from pipeline.transforms.coders import from_ipc, to_ipc
from pipeline.transforms.shares import shares_of


class IdAccount(typing.NamedTuple):
    """What the ids of some trajectories tell.

    Attributes:
        rows: how many trajectories there are.
        repeated_rows: how many of them share their id with another.
        repeated: how many ids more than one trajectory has.
        repeated_ids: the first thousand of these, sorted.
    """

    rows: int
    repeated_rows: int
    repeated: int
    repeated_ids: list[str]


class AccountIds(beam.PTransform):
    """Count trajectories, and find the ids that occur more than once.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: a PCollection of `IdAccount`, one per
    share of the ids. Only ids are shuffled, compressed, in as many shares as keep each small.
    """

    def __init__(self, shares: int):
        """Plan the shares; one serves some hundred thousand rows."""
        super().__init__()
        self._shares = shares

    def expand(self, trajectories):
        return (
            trajectories
            | "PackIds" >> beam.ParDo(_PackIds(self._shares))
            | "GroupIds" >> beam.GroupByKey()
            | "CountIds" >> beam.ParDo(_CountIds())
        )


@beam.typehints.with_output_types(tuple[int, bytes])
class _PackIds(beam.DoFn):
    def __init__(self, shares):
        self._shares = shares

    def process(self, batch: TrajectoryBatch):
        ids = to_writable(batch.column("trajectory_id"))
        if self._shares == 1:
            yield 0, _pack(ids)
            return
        share = shares_of(ids, self._shares)
        for number in np.unique(share).tolist():
            yield number, _pack(ids.filter(pa.array(share == number)))


@beam.typehints.with_output_types(IdAccount)
class _CountIds(beam.DoFn):
    def process(self, element):
        _, packs = element
        ids = pa.chunked_array([from_ipc(pack).column(0) for pack in packs])
        if pc.count_distinct(ids).as_py() == len(ids):
            yield IdAccount(len(ids), 0, 0, [])
            return
        values, counts = pc.value_counts(ids).flatten()
        is_repeated = pc.greater(counts, 1)
        repeated = sorted(values.filter(is_repeated).to_pylist())
        rows = pc.sum(counts.filter(is_repeated)).as_py()
        yield IdAccount(len(ids), rows, len(repeated), repeated[:LISTED_IDS])


def _pack(ids: pa.Array) -> bytes:
    return to_ipc(pa.record_batch([ids], names=["id"]), "zstd")
