"""The votes behind the verdicts of judged checks."""

import logging
from collections.abc import Sequence

import apache_beam as beam

from graders.batch import TrajectoryBatch
from graders.scope import CheckEntry
from pipeline.judges.replies import BenchSource
from pipeline.outputs.votes import VoteRows, vote_rows
from pipeline.transforms import coders  # noqa: F401  (registers the coder of VoteRows)
from pipeline.transforms.judged import JudgedDoFn

_LOGGER = logging.getLogger(__name__)


class CollectVotes(beam.PTransform):
    """Collect what each judge said of each trajectory.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: a PCollection of `VoteRows`. In a fused
    stage the votes are those that grading has left in the batch.
    """

    def __init__(self, entries: Sequence[CheckEntry], bench: BenchSource):
        """Plan to collect the votes on judged checks."""
        super().__init__()
        self._dofn = _CollectVotes(entries, bench)

    def expand(self, trajectories):
        return trajectories | "Collect" >> beam.ParDo(self._dofn)


@beam.typehints.with_output_types(VoteRows)
class _CollectVotes(JudgedDoFn):
    def __init__(self, entries, bench_source):
        super().__init__(bench_source)
        self._entries = entries

    def process(self, batch: TrajectoryBatch):
        self._seat(batch)
        for entry in self._entries:
            try:
                rows = vote_rows(entry, batch)
            except Exception:  # The verdicts say CHECK_CRASHED, and the run goes on.
                _LOGGER.exception("the votes on check %d are not kept", entry.spec_index)
                continue
            if rows.record_batch.num_rows:
                yield rows
