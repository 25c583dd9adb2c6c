"""Scoring: what the checks of each spec say together of a trajectory, beside the grading."""

import typing
from collections.abc import Sequence

import apache_beam as beam
import numpy as np
import pyarrow as pa

from graders.batch import TrajectoryBatch
from graders.grading import settled_by
from graders.scope import CheckEntry
from graders.scores import ScoreRule, score_trajectories
from graders.slices import SliceKey, slice_codes
from pipeline.judges.replies import BenchSource
from pipeline.outputs.trajectories import TrajectoryRows, trajectory_rows
from pipeline.outputs.verdicts import identity_columns
from pipeline.transforms import coders
from pipeline.transforms.judged import JudgedDoFn
from pipeline.transforms.shares import shares_of

OUTSIDE = 255
"""The outcome of a check on a trajectory that it does not concern."""


class ScoredTrajectories(typing.NamedTuple):
    """What `Score` gives.

    Attributes:
        trajectories: the PCollection of `TrajectoryBatch` that went in; grade these.
        rows: PCollection of `TrajectoryRows`.
        outcomes: PCollection of (share, packed outcomes) for `CountSamples`.
    """

    trajectories: beam.PCollection
    rows: beam.PCollection
    outcomes: beam.PCollection


class Score(beam.PTransform):
    """Score trajectories by the rules of specs.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: `ScoredTrajectories`. Whoever grades the
    trajectories that come out has graded a batch before it is scored, if all is fused into one
    stage, so that nothing is graded twice; in another stage the scoring grades by itself.
    """

    def __init__(
        self,
        rules: Sequence[ScoreRule],
        *,
        slices: Sequence[SliceKey] = (),
        clustered: Sequence[CheckEntry] = (),
        shares: int = 1,
        bench: BenchSource | None = None,
    ):
        """Plan the scoring.

        Args:
            rules: one per spec.
            slices: by what the outcomes are sliced.
            clustered: the checks whose own outcomes go along with those of the specs.
            shares: into how many parts the samples are divided.
            bench: the judges and their replies, where a model decides; None for no judges.
        """
        super().__init__()
        self._dofn = _ScoreBatch(tuple(rules), tuple(slices), tuple(clustered), shares, bench)

    def expand(self, trajectories):
        scored = trajectories | "ScoreBatch" >> beam.ParDo(self._dofn).with_outputs(
            "rows", "outcomes", main="trajectories"
        )
        return ScoredTrajectories(scored.trajectories, scored.rows, scored.outcomes)


@beam.typehints.with_output_types(TrajectoryBatch, rows=TrajectoryRows, outcomes=tuple[int, bytes])
class _ScoreBatch(JudgedDoFn):
    def __init__(self, rules, slices, clustered, shares, bench_source):
        super().__init__(bench_source)
        self._rules = rules
        self._slices = slices
        self._clustered = clustered
        self._shares = shares
        self._graded = beam.metrics.Metrics.counter("gradebeam", "graded_trajectories")

    def process(self, batch: TrajectoryBatch):
        self._seat(batch)
        yield batch  # Fused consumers have graded it when this goes on, and left the outcomes in it.
        self._graded.inc(len(batch))
        scores = [score_trajectories(rule, batch) for rule in self._rules]
        yield beam.pvalue.TaggedOutput("rows", trajectory_rows(batch, scores, self._slices))
        packed = pack_outcomes(batch, [said.outcome for said in scores], self._clustered, self._slices)
        shares = _shares(packed.column("sample_id"), self._shares)
        for share in np.unique(shares).tolist():
            of_share = packed if self._shares == 1 else packed.filter(pa.array(shares == share))
            yield beam.pvalue.TaggedOutput("outcomes", (share, coders.to_ipc(of_share, compression="zstd")))


def pack_outcomes(batch, said, clustered, slices):
    """The sample of each trajectory with its outcomes and slice values, as a RecordBatch.

    Its columns are `sample_id`, `spec0`, `spec1` … (uint8 of `TrajectoryOutcome`), `check0` … (uint8
    of `Outcome`, or `OUTSIDE`), and `slice0` … (dictionaries of texts).
    """
    columns = {"sample_id": identity_columns(batch)[1]}
    for number, outcome in enumerate(said):
        columns[f"spec{number}"] = pa.array(outcome)
    for number, entry in enumerate(clustered):
        settled = settled_by(entry, batch)
        outcome = np.full(len(batch), OUTSIDE, np.uint8)
        outcome[slice(None) if settled.rows is None else settled.rows] = settled.outcome
        columns[f"check{number}"] = pa.array(outcome)
    for number, key in enumerate(slices):
        sliced = slice_codes(key, batch)
        columns[f"slice{number}"] = pa.DictionaryArray.from_arrays(
            pa.array(sliced.codes, pa.int32()), pa.array(sliced.values, pa.string())
        )
    return pa.record_batch(columns)


def _shares(sample_ids, shares):
    """The share of each sample; all trajectories of a sample are in one."""
    if shares == 1:
        return np.zeros(len(sample_ids), np.int64)
    coded = sample_ids.dictionary_encode()
    return shares_of(coded.dictionary, shares)[coded.indices.to_numpy(zero_copy_only=False)]
