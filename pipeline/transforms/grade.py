"""Grading: one branch per check type, fused with the reading."""

import typing
from collections.abc import Iterable

import apache_beam as beam
import pyarrow as pa

from graders.batch import TrajectoryBatch
from graders.families.judged import judged_checks
from graders.grading import grade
from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline.judges.replies import BenchSource
from pipeline.outputs.verdicts import VerdictBatch, verdict_rows
from pipeline.transforms import coders  # noqa: F401  (registers the coder of VerdictBatch)

CellKey = tuple[int, str]
"""(spec index, check type): plain values, because Beam merges keys that are merely equal."""

# A verdict batch is bounded in rows, however many checks a spec has.
_MOST_ROWS = 100_000


class GradedTrajectories(typing.NamedTuple):
    """What `Grade` gives.

    Attributes:
        verdicts: per check type, in order of their names, a PCollection of `VerdictBatch`.
        tallies: PCollection of ((spec index, check type), `Tally`), one per batch and entry.
    """

    verdicts: tuple[beam.PCollection, ...]
    tallies: beam.PCollection


class Grade(beam.PTransform):
    """Grade trajectories by the entries of a spec.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: `GradedTrajectories`. There is one
    branch per check type, however many entries; the branches share what they derive from a batch.
    Nothing goes to quarantine: a check that crashes abstains with CHECK_CRASHED.
    """

    def __init__(self, entries: Iterable[CheckEntry], bench: BenchSource | None = None):
        """Plan the branches.

        Args:
            entries: the entries.
            bench: the judges and their replies, where a model decides; None for no judges.

        Raises:
            ValueError: there are no entries.
        """
        super().__init__()
        self._bench = bench
        self._by_type: dict[str, list[CheckEntry]] = {}
        for entry in entries:
            self._by_type.setdefault(entry.check_type, []).append(entry)
        if not self._by_type:
            raise ValueError("no entries to grade by")

    @property
    def check_types(self) -> list[str]:
        """The check types, in the order of `GradedTrajectories.verdicts`."""
        return sorted(self._by_type)

    def expand(self, trajectories):
        branches = [
            trajectories
            | f"Grade {check_type}"
            >> beam.ParDo(_GradeBatch(self._by_type[check_type], self._bench)).with_outputs(
                "tallies", main="verdicts"
            )
            for check_type in self.check_types
        ]
        tallies = [branch.tallies for branch in branches] | "Tallies" >> beam.Flatten()
        return GradedTrajectories(tuple(branch.verdicts for branch in branches), tallies)


@beam.typehints.with_output_types(VerdictBatch, tallies=tuple[CellKey, Tally])
class _GradeBatch(beam.DoFn):
    def __init__(self, entries, bench_source):
        self._entries = entries
        is_judged = any(judged_checks(entry.check) for entry in entries)
        self._bench_source = bench_source if is_judged else None
        self._bench = None
        self._verdicts = beam.metrics.Metrics.counter("gradebeam", f"{entries[0].check_type}_verdicts")

    def setup(self):
        if self._bench_source is not None:
            self._bench = self._bench_source.open()

    def process(self, batch: TrajectoryBatch):
        if self._bench is not None:
            batch.bench = self._bench
        held: list[pa.RecordBatch] = []
        rows = 0
        for graded in grade(self._entries, batch):
            key = (graded.entry.spec_index, graded.entry.check_type)
            yield beam.pvalue.TaggedOutput("tallies", (key, graded.tally()))
            held.append(verdict_rows(batch, graded))
            rows += held[-1].num_rows
            if rows >= _MOST_ROWS:
                yield self._joined(held)
                held, rows = [], 0
        if rows:
            yield self._joined(held)

    def _joined(self, held):
        joined = held[0] if len(held) == 1 else pa.concat_batches(held)
        self._verdicts.inc(joined.num_rows)
        return VerdictBatch(joined)
