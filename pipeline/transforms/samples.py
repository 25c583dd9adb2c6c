"""Samples: outcomes of the trajectories of each sample, brought together and counted."""

import dataclasses
import typing
import uuid

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graders.distinct import DistinctTexts
from graders.outcome import Outcome
from graders.samples import SampleGroups, SampleHistogram, cluster_moments
from graders.scope import CheckEntry
from graders.scores import TrajectoryOutcome
from graders.slice_counts import SliceCounts
from graders.slices import SliceCodes, SliceKey
from pipeline import files
from pipeline.outputs.commit import SAMPLES
from pipeline.outputs.samples import SAMPLE_SCHEMA, pass_rate_lists
from pipeline.transforms.coders import from_ipc
from pipeline.transforms.tabulate import COUNTED
from pipeline.transforms.write import WrittenFile


@dataclasses.dataclass(frozen=True)
class SamplePlan:
    """What is counted per sample.

    Attributes:
        specs: the number of specs.
        clustered: the checks whose outcomes are counted too, for their clustered errors.
        slices: by what the counts are sliced.
        most: how many values of a slice are kept apart.
    """

    specs: int
    clustered: tuple[CheckEntry, ...] = ()
    slices: tuple[SliceKey, ...] = ()
    most: int = 1000


class SampleCounts(typing.NamedTuple):
    """What `CountSamples` gives.

    Attributes:
        files: PCollection of `WrittenFile`, sorted parts of the sample table.
        counts: PCollection of (("samples", spec, slice key), `SampleHistogram`), of (("moments", spec
            index, check type, slice key), `SliceCounts`) of `cluster_moments`, and of (("values", slice
            key), `DistinctTexts`), each one per share; `Tabulate` adds them up.
    """

    files: beam.PCollection
    counts: beam.PCollection


class CountSamples(beam.PTransform):
    """Count trials, decided and passed ones per sample, spec and slice value.

    Goes in: a PCollection of (share, packed outcomes) from `Score`. Comes out: `SampleCounts`. A
    share is held in memory as a whole; some hundred thousand trajectories make one.
    """

    def __init__(self, staging: str, plan: SamplePlan):
        """Plan the counting; the parts of the sample table go to a directory of `staging`."""
        super().__init__()
        self._directory = files.join(staging, SAMPLES)
        self._plan = plan

    def expand(self, outcomes):
        counted = (
            outcomes
            | "GroupSamples" >> beam.GroupByKey()
            | "CountShare"
            >> beam.ParDo(_CountShare(self._directory, self._plan)).with_outputs("counts", main="files")
        )
        return SampleCounts(counted.files, counted.counts)


@beam.typehints.with_output_types(WrittenFile, counts=COUNTED)
class _CountShare(beam.DoFn):
    def __init__(self, directory, plan):
        self._directory = directory
        self._plan = plan

    def process(self, element):
        _, packs = element
        share = _Share(packs)
        parts = []
        for number, label in enumerate(["", *(key.label for key in self._plan.slices)]):
            sliced = share.sliced(number - 1)
            groups = SampleGroups.of(share.samples, sliced)
            if label:
                yield beam.pvalue.TaggedOutput("counts", (("values", label), DistinctTexts.of(sliced.values)))
            for spec in range(self._plan.specs):
                outcome = share.column(f"spec{spec}")
                passed = groups.count(outcome == TrajectoryOutcome.PASSED)
                decided = passed + groups.count(outcome == TrajectoryOutcome.FAILED)
                histogram = SampleHistogram.of(sliced.values, groups, decided, passed, self._plan.most)
                yield beam.pvalue.TaggedOutput("counts", (("samples", spec, label), histogram))
                parts.append(_sample_rows(share.sample_ids, groups, sliced, spec, label, decided, passed))
            for at, entry in enumerate(self._plan.clustered):
                outcome = share.column(f"check{at}")
                passed = groups.count(outcome == Outcome.PASS)
                decided = passed + groups.count(outcome == Outcome.FAIL)
                moments = cluster_moments(groups, len(sliced.values), decided, passed)
                counts = SliceCounts.of(sliced.values, moments, self._plan.most)
                key = ("moments", entry.spec_index, entry.check_type, label)
                yield beam.pvalue.TaggedOutput("counts", (key, counts))
        yield self._write(pa.concat_tables(parts))

    def _write(self, rows):
        name = f"samples-{uuid.uuid4().hex}.parquet"
        ordered = rows.sort_by([(name, "ascending") for name in SAMPLE_SCHEMA.names[:4]])
        with files.open_write(files.join(self._directory, name)) as file:
            pq.write_table(ordered, file, compression="zstd")
        return WrittenFile(SAMPLES, name, rows.num_rows)


class _Share:
    """The packed outcomes of a share, side by side."""

    def __init__(self, packs):
        table = pa.Table.from_batches([from_ipc(pack) for pack in packs])
        self._table = table.unify_dictionaries().combine_chunks()
        coded = self._table["sample_id"].combine_chunks().dictionary_encode()
        self.sample_ids = coded.dictionary
        self.samples = coded.indices.to_numpy().astype(np.int64)

    def column(self, name):
        return self._table[name].to_numpy()

    def sliced(self, number):
        """The slice values by the number of the slice key; -1 for all trajectories as one slice."""
        if number < 0:
            return SliceCodes([""], np.zeros(len(self.samples), np.int64))
        coded = self._table[f"slice{number}"].combine_chunks()
        values = coded.dictionary.to_pylist()
        order = sorted(range(len(values)), key=values.__getitem__)
        rank = np.empty(len(values), np.int64)
        rank[order] = np.arange(len(values))
        return SliceCodes([values[at] for at in order], rank[coded.indices.to_numpy()])


def _sample_rows(sample_ids, groups, sliced, spec, label, decided, passed):
    at_least_one, all_of_them = pass_rate_lists(decided, passed)
    n = len(groups.sample)
    columns = [
        sample_ids.take(pa.array(groups.sample)),
        pa.repeat(pa.scalar(spec, pa.int32()), n),
        pa.repeat(label, n),
        pa.array(sliced.values, pa.string()).take(pa.array(groups.value)),
        pa.array(np.bincount(groups.group, minlength=n)),
        pa.array(decided),
        pa.array(passed),
        at_least_one,
        all_of_them,
    ]
    return pa.Table.from_arrays(columns, schema=SAMPLE_SCHEMA)
