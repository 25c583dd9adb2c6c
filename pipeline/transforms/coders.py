"""Coders of the elements that carry Arrow batches.

Inside a fused stage Beam passes elements on as they are, but it asks for their size: without a
coder that knows it, every batch would be pickled merely to be measured.
"""

import apache_beam as beam
import pyarrow as pa

from graders.batch import TrajectoryBatch
from pipeline.outputs.trajectories import TrajectoryRows
from pipeline.outputs.verdicts import VerdictBatch
from pipeline.outputs.votes import VoteRows


def to_ipc(batch: pa.RecordBatch, compression: str | None = None) -> bytes:
    """A record batch with its schema as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def from_ipc(data: bytes) -> pa.RecordBatch:
    """The record batch of a stream that `to_ipc` wrote."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


class _ArrowCoder(beam.coders.Coder):
    """Encodes a wrapper of one record batch by its IPC form."""

    wrapper: type

    def encode(self, value):
        return to_ipc(value.record_batch)

    def decode(self, encoded):
        return self.wrapper(from_ipc(encoded))

    def is_deterministic(self):
        return False

    def estimate_size(self, value):
        return value.record_batch.nbytes

    def to_type_hint(self):
        return self.wrapper

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))


class TrajectoryBatchCoder(_ArrowCoder):
    """Encodes a `TrajectoryBatch`; what was derived from it is derived again."""

    wrapper = TrajectoryBatch


class VerdictBatchCoder(_ArrowCoder):
    """Encodes a `VerdictBatch`."""

    wrapper = VerdictBatch


class TrajectoryRowsCoder(_ArrowCoder):
    """Encodes `TrajectoryRows`."""

    wrapper = TrajectoryRows


class VoteRowsCoder(_ArrowCoder):
    """Encodes `VoteRows`."""

    wrapper = VoteRows


beam.coders.registry.register_coder(TrajectoryBatch, TrajectoryBatchCoder)
beam.coders.registry.register_coder(VerdictBatch, VerdictBatchCoder)
beam.coders.registry.register_coder(TrajectoryRows, TrajectoryRowsCoder)
beam.coders.registry.register_coder(VoteRows, VoteRowsCoder)
