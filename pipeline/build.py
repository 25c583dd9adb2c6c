"""The whole graph of a run, from top to bottom."""

import functools
from collections.abc import Sequence

import apache_beam as beam

from graders.distinct import DistinctTexts
from graders.families.judged import JudgedCheck
from graders.resampling import Counts
from graders.samples import SampleHistogram
from graders.scores import ScoreRule
from graders.slice_counts import SliceCounts
from graders.slices import OTHER, SliceKey
from graders.tally import Tally
from pipeline import files
from pipeline.judges.replies import BenchSource
from pipeline.outputs.commit import SAMPLES, TRAJECTORIES, VERDICTS, VOTES
from pipeline.outputs.trajectories import TRAJECTORY_SCHEMA
from pipeline.outputs.verdicts import VERDICT_SCHEMA
from pipeline.outputs.votes import VOTE_SCHEMA
from pipeline.sources.inputs import InputFile, known_rows
from pipeline.sources.records import ColumnMap
from pipeline.specs.loaded import LoadedSpec
from pipeline.transforms.account import AccountIds
from pipeline.transforms.grade import CellKey, Grade, SliceKeyOfCheck
from pipeline.transforms.read import BATCH_BYTES, ReadTrajectories
from pipeline.transforms.resample import ReplicateKey, Resample
from pipeline.transforms.samples import CountSamples, SamplePlan
from pipeline.transforms.score import Score
from pipeline.transforms.shares import count_shares
from pipeline.transforms.tabulate import Tabulate, TabulateSlices
from pipeline.transforms.votes import CollectVotes
from pipeline.transforms.write import LedgerLine, WriteLedger, WriteRows, WrittenFile, ledger_line

_BYTES_PER_ROW = 2_000  # A low guess, for files that do not tell their rows.
# A byte for each check and trajectory is shuffled, so that checks have clustered errors.
_MOST_CLUSTERED = 100


def build(  # noqa: PLR0913  (all by keyword, and only here is everything known)
    pipeline: beam.Pipeline,
    *,
    specs: Sequence[LoadedSpec],
    inputs: Sequence[InputFile],
    columns: ColumnMap,
    staging: str,
    slices: Sequence[SliceKey] = (),
    most_slice_values: int = 1000,
    bootstrap: int = 0,
    batch_bytes: int = BATCH_BYTES,
    progress_file: str | None = None,
    bench: BenchSource | None = None,
) -> None:
    """Add everything that a run computes to a pipeline.

    Args:
        pipeline: where to.
        specs: the specs.
        inputs: the files, found before.
        columns: their columns.
        staging: a directory of the run's own. Files of tables go to directories in it, and the
            *ledger*, one JSON object a line, says what came of everything: the cells, the files
            that count, the trajectories that were read, the rows in quarantine.
        slices: by what the tables are sliced.
        most_slice_values: how many values of a slice are kept apart.
        bootstrap: how many bootstrap replicates are counted.
        batch_bytes: bound on the uncompressed size of a batch.
        progress_file: a local file to which each batch adds a line with its rows and their bytes.
        bench: the judges and their replies, where a model decides.
    """
    entries = [entry for spec in specs for entry in spec.entries]
    shares = _shares(inputs)
    read = pipeline | "ReadTrajectories" >> ReadTrajectories(
        entries=entries,
        slices=slices,
        columns=columns,
        references={sample: text for spec in specs for sample, text in spec.dialect.references.items()},
        inputs=inputs,
        batch_bytes=batch_bytes,
        progress_file=progress_file,
    )
    plan = SamplePlan(
        specs=len(specs),
        clustered=tuple(entries) if len(entries) <= _MOST_CLUSTERED else (),
        slices=tuple(slices),
        most=most_slice_values,
    )
    rules = [ScoreRule.of(spec.entries, spec.dialect.threshold) for spec in specs]
    trajectories, replicates = read.trajectories, []
    if bootstrap:
        resampled = trajectories | "Resample" >> Resample(bootstrap, entries, rules, bench)
        trajectories = resampled.trajectories
        replicates = [resampled.replicates | "ReplicateLines" >> beam.MapTuple(_replicates_line)]
    scored = trajectories | "Score" >> Score(
        rules,
        slices=slices,
        clustered=plan.clustered,
        shares=shares,
        bench=bench,
    )
    grade = Grade(entries, slices, most_slice_values, bench)
    graded = scored.trajectories | "Grade" >> grade
    counted = scored.outcomes | "CountSamples" >> CountSamples(files.join(staging, SAMPLES), plan)
    written = {
        f"{VERDICTS} {check_type}": verdicts
        | f"WriteVerdicts {check_type}"
        >> WriteRows(files.join(staging, VERDICTS), check_type, VERDICT_SCHEMA)
        for check_type, verdicts in zip(grade.check_types, graded.verdicts, strict=True)
    }
    written[TRAJECTORIES] = scored.rows | "WriteTrajectories" >> WriteRows(
        files.join(staging, TRAJECTORIES), TRAJECTORIES, TRAJECTORY_SCHEMA
    )
    written[SAMPLES] = counted.files
    judged = [entry for entry in entries if isinstance(entry.check, JudgedCheck)]
    if bench is not None and judged:
        votes = scored.trajectories | "CollectVotes" >> CollectVotes(judged, bench)
        written[VOTES] = votes | "WriteVotes" >> WriteRows(files.join(staging, VOTES), VOTES, VOTE_SCHEMA)
    cells = (
        graded.tallies | "Tabulate" >> Tabulate(),
        graded.slices | "TabulateSlices" >> TabulateSlices(plan.most),
    )
    ids = read.trajectories | "AccountIds" >> AccountIds(shares)

    lines = [
        *replicates,
        pipeline | "Begin" >> beam.Create([ledger_line("begin")], reshuffle=False),  # Even of nothing.
        cells | "Cells" >> beam.Flatten() | "CellLines" >> beam.MapTuple(_cell_line),
        counted.histograms | "HistogramLines" >> beam.MapTuple(_histogram_line),
        counted.moments | "MomentLines" >> beam.MapTuple(_moments_line),
        counted.distinct | "DistinctLines" >> beam.MapTuple(_distinct_line),
        ids | "IdLines" >> beam.Map(lambda account: ledger_line("ids", **account._asdict())),
        read.quarantine
        | "QuarantineLines" >> beam.Map(lambda rows: ledger_line("quarantine", **rows._asdict())),
        *(
            rows | f"FileLines {name}" >> beam.Map(functools.partial(_file_line, name.split()[0]))
            for name, rows in written.items()
        ),
    ]
    _ = lines | "Lines" >> beam.Flatten() | "WriteLedger" >> WriteLedger(staging)


def _file_line(table: str, file: WrittenFile) -> LedgerLine:
    return ledger_line("file", table=table, **file._asdict())


def _cell_line(key: CellKey, tally: Tally) -> LedgerLine:
    return ledger_line("cell", key=key, tally=tally)


def _histogram_line(key: tuple[int, str], histogram: SampleHistogram) -> LedgerLine:
    rows = [[value, of_value.tolist()] for value, of_value in histogram.by_value()]
    return ledger_line("histogram", spec=key[0], slice_key=key[1], rows=rows)


def _moments_line(key: SliceKeyOfCheck, counts: SliceCounts) -> LedgerLine:
    rows = [*zip(counts.values, counts.counts.tolist(), strict=True), (OTHER, counts.rest.tolist())]
    return ledger_line("moments", key=key, rows=rows)


def _replicates_line(key: ReplicateKey, counts: Counts) -> LedgerLine:
    return ledger_line("replicates", key=key, passed=counts[0].tolist(), decided=counts[1].tolist())


def _distinct_line(slice_key: str, values: DistinctTexts) -> LedgerLine:
    return ledger_line("distinct", slice_key=slice_key, count=values.count, is_exact=values.is_exact)


def _shares(inputs: Sequence[InputFile]) -> int:
    rows = known_rows(inputs)
    if rows is None:
        rows = sum(file.size_bytes for file in inputs) // _BYTES_PER_ROW
    return count_shares(rows)
