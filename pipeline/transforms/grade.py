"""Grading: one branch per check type, fused with the reading."""

import typing
from collections.abc import Iterable, Sequence

import apache_beam as beam
import pyarrow as pa

from graders.batch import TrajectoryBatch
from graders.families.judged import judged_checks
from graders.grading import grade
from graders.scope import CheckEntry
from graders.slice_counts import SliceCounts
from graders.slices import SliceKey, slice_codes
from pipeline.judges.replies import BenchSource
from pipeline.outputs.example_chooser import ExampleChooser, most_examples
from pipeline.outputs.verdicts import VerdictBatch, verdict_rows
from pipeline.transforms import coders  # noqa: F401  (registers the coder of VerdictBatch)
from pipeline.transforms.bundles import in_global_window
from pipeline.transforms.judged import JudgedDoFn
from pipeline.transforms.tabulate import COUNTED

CellKey = tuple[int, str, str, str]
"""(spec index, check type, slice key, slice value); the last two are "" for all trajectories.

Plain values, because Beam merges keys that are merely equal."""

SliceKeyOfCheck = tuple[str, int, str, str]
"""("verdicts", spec index, check type, slice key)."""

ExampleKey = tuple[str, int, str]
"""("examples", spec index, outcome)."""

# A verdict batch is bounded in rows, however many checks a spec has.
_MOST_ROWS = 100_000


class GradedTrajectories(typing.NamedTuple):
    """What `Grade` gives.

    Attributes:
        verdicts: per check type, in order of their names, a PCollection of `VerdictBatch`.
        counts: PCollection of (`CellKey`, `Tally`) of all trajectories, one per batch and entry; of
            (`SliceKeyOfCheck`, `SliceCounts`) of `count_verdicts`, one per bundle, entry and slice
            key; and of (`ExampleKey`, `ExampleSet`), one per bundle, entry and outcome. `Tabulate`
            adds them up.
    """

    verdicts: tuple[beam.PCollection, ...]
    counts: beam.PCollection


class Grade(beam.PTransform):
    """Grade trajectories by the entries of a spec.

    Goes in: a PCollection of `TrajectoryBatch`. Comes out: `GradedTrajectories`. There is one
    branch per check type, however many entries; the branches share what they derive from a batch.
    Nothing goes to quarantine: a check that crashes abstains with CHECK_CRASHED.
    """

    def __init__(
        self,
        entries: Iterable[CheckEntry],
        slices: Sequence[SliceKey] = (),
        most: int = 1000,
        bench: BenchSource | None = None,
        near_hash: int = -1,
    ):
        """Plan the branches.

        Args:
            entries: the checks.
            slices: by what the counts are sliced.
            most: how many values of a slice are kept apart.
            bench: the judges and their replies, where a model decides; None for no judges.
            near_hash: the largest hash of the work items from which examples come first.

        Raises:
            ValueError: there are no entries.
        """
        super().__init__()
        self._bench = bench
        self._by_type: dict[str, list[CheckEntry]] = {}
        entries = list(entries)
        for entry in entries:
            self._by_type.setdefault(entry.check_type, []).append(entry)
        if not self._by_type:
            raise ValueError("no entries to grade by")
        self._chooser = ExampleChooser(most_examples(len(entries)), near_hash)
        self._slices = tuple(slices)
        self._most = most

    @property
    def check_types(self) -> list[str]:
        """The check types, in the order of `GradedTrajectories.verdicts`."""
        return sorted(self._by_type)

    def expand(self, trajectories):
        branches = [
            trajectories
            | f"Grade {check_type}"
            >> beam.ParDo(
                _GradeBatch(self._by_type[check_type], self._slices, self._most, self._chooser, self._bench)
            ).with_outputs("counts", main="verdicts")
            for check_type in self.check_types
        ]
        counts = [branch.counts for branch in branches] | "Counts" >> beam.Flatten()
        return GradedTrajectories(tuple(branch.verdicts for branch in branches), counts)


@beam.typehints.with_output_types(VerdictBatch, counts=COUNTED)
class _GradeBatch(JudgedDoFn):
    def __init__(self, entries, slices, most, chooser, bench_source):
        is_judged = any(judged_checks(entry.check) for entry in entries)
        super().__init__(bench_source if is_judged else None)
        self._entries = entries
        self._slices = slices
        self._most = most
        self._chooser = chooser
        self._verdicts = beam.metrics.Metrics.counter("gradebeam", f"{entries[0].check_type}_verdicts")

    def start_bundle(self):
        self._sums: dict[SliceKeyOfCheck, SliceCounts] = {}
        self._chooser = self._chooser.emptied()

    def process(self, batch: TrajectoryBatch):
        self._seat(batch)
        held: list[pa.RecordBatch] = []
        rows = 0
        for graded in grade(self._entries, batch):
            check = (graded.entry.spec_index, graded.entry.check_type)
            yield beam.pvalue.TaggedOutput("counts", ((*check, "", ""), graded.tally()))
            for key in self._slices:
                self._add(
                    ("verdicts", *check, key.label), graded.slice_counts(slice_codes(key, batch), self._most)
                )
            self._chooser.add(batch, graded)
            held.append(verdict_rows(batch, graded))
            rows += held[-1].num_rows
            if rows >= _MOST_ROWS:
                yield self._joined(held)
                held, rows = [], 0
        if rows:
            yield self._joined(held)

    def finish_bundle(self):
        for item in self._sums.items():
            yield in_global_window(beam.pvalue.TaggedOutput("counts", item))
        for key, examples in self._chooser.chosen.items():
            yield in_global_window(beam.pvalue.TaggedOutput("counts", (("examples", *key), examples)))

    def _add(self, key, counts):
        # Added up here: with many values, what each batch counts is large, and Beam would hold it all.
        earlier = self._sums.get(key)
        self._sums[key] = counts if earlier is None else earlier.merge(counts, self._most)

    def _joined(self, held):
        joined = held[0] if len(held) == 1 else pa.concat_batches(held)
        self._verdicts.inc(joined.num_rows)
        return VerdictBatch(joined)
