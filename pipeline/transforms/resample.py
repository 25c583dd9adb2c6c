"""Resampling: how the counts of all trajectories would be in bootstrap replicates."""

import typing
from collections.abc import Sequence

import apache_beam as beam
import numpy as np

from graders.batch import TrajectoryBatch
from graders.grading import settled_by
from graders.outcome import Outcome
from graders.resampling import count_replicates, hash_identities
from graders.scope import CheckEntry
from graders.scores import ScoreRule, TrajectoryOutcome, score_trajectories
from pipeline.judges.replies import BenchSource
from pipeline.outputs.verdicts import identity_columns
from pipeline.transforms.bundles import in_global_window
from pipeline.transforms.judged import JudgedDoFn
from pipeline.transforms.tabulate import COUNTED

ReplicateKey = tuple[str, int, str]
"""("replicates", spec index, check type) of a check, or ("replicates", number, "") of a spec."""


class ResampledTrajectories(typing.NamedTuple):
    """What `Resample` gives.

    Attributes:
        trajectories: the PCollection of `TrajectoryBatch` that went in; score and grade these.
        counts: PCollection of (`ReplicateKey`, int64[2, replicates]), one per key and bundle: how many
            passed, and how many were decided; `Tabulate` adds them up.
    """

    trajectories: beam.PCollection
    counts: beam.PCollection


class Resample(beam.PTransform):
    """Count passed and decided ones in bootstrap replicates of the trajectories.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: `ResampledTrajectories`. As with `Score`,
    whoever grades the trajectories that come out has done so before they are counted here.
    """

    def __init__(
        self,
        replicates: int,
        entries: Sequence[CheckEntry],
        rules: Sequence[ScoreRule],
        bench: BenchSource | None = None,
    ):
        """Plan the resampling.

        Args:
            replicates: how many.
            entries: the checks.
            rules: one per spec.
            bench: the judges and their replies, where a model decides; None for no judges.
        """
        super().__init__()
        self._dofn = _CountReplicates(replicates, tuple(entries), tuple(rules), bench)

    def expand(self, trajectories):
        counted = trajectories | "CountReplicates" >> beam.ParDo(self._dofn).with_outputs(
            "counts", main="trajectories"
        )
        return ResampledTrajectories(counted.trajectories, counted.counts)


@beam.typehints.with_output_types(TrajectoryBatch, counts=COUNTED)
class _CountReplicates(JudgedDoFn):
    def __init__(self, replicates, entries, rules, bench_source):
        super().__init__(bench_source)
        self._replicates = replicates
        self._entries = entries
        self._rules = rules
        self._keys: list[ReplicateKey] = [
            *(("replicates", entry.spec_index, entry.check_type) for entry in entries),
            *(("replicates", spec, "") for spec in range(len(rules))),
        ]

    def start_bundle(self):
        self._counts = np.zeros((2 * len(self._keys), self._replicates), np.int64)

    def process(self, batch: TrajectoryBatch):
        self._seat(batch)
        yield batch  # Fused consumers have graded it when this goes on.
        columns = [column.to_pylist() for column in identity_columns(batch)]
        hashes = hash_identities(zip(*columns, strict=True))
        self._counts += count_replicates(hashes, self._masks(batch), self._replicates)

    def finish_bundle(self):
        for key, passed, decided in zip(self._keys, self._counts[::2], self._counts[1::2], strict=True):
            counts = np.stack([passed, decided])
            yield in_global_window(beam.pvalue.TaggedOutput("counts", (key, counts)))

    def _masks(self, batch):
        """Where each check, and then each spec, passes and is decided, in turn."""
        masks = []
        for entry in self._entries:
            settled = settled_by(entry, batch)
            for some in ((Outcome.PASS,), (Outcome.PASS, Outcome.FAIL)):
                mask = np.zeros(len(batch), np.bool_)
                mask[slice(None) if settled.rows is None else settled.rows] = np.isin(settled.outcome, some)
                masks.append(mask)
        for rule in self._rules:
            outcome = score_trajectories(rule, batch).outcome
            masks += [outcome == TrajectoryOutcome.PASSED, outcome != TrajectoryOutcome.UNDECIDED]
        return masks
