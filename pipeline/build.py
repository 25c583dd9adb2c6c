"""The whole graph of a run, from top to bottom."""

from collections.abc import Mapping, Sequence

import apache_beam as beam
from apache_beam.pvalue import PValue

from graders.families.judged import JudgedCheck
from graders.scores import ScoreRule
from graders.slices import SliceKey
from pipeline.judges.replies import BenchSource
from pipeline.outputs.commit import TRAJECTORIES, VERDICTS, VOTES
from pipeline.outputs.trajectories import TRAJECTORY_SCHEMA
from pipeline.outputs.verdicts import VERDICT_SCHEMA
from pipeline.outputs.votes import VOTE_SCHEMA
from pipeline.sources.inputs import InputFile, known_rows
from pipeline.sources.records import ColumnMap
from pipeline.specs.loaded import LoadedSpec, entries_of, references_of
from pipeline.transforms.account import AccountIds
from pipeline.transforms.grade import Grade
from pipeline.transforms.ledger import WriteLedger, count_lines, file_line, id_line, quarantine_line
from pipeline.transforms.read import BATCH_BYTES, ReadTrajectories
from pipeline.transforms.resample import Resample
from pipeline.transforms.samples import CountSamples, SamplePlan
from pipeline.transforms.score import Score
from pipeline.transforms.shares import count_shares
from pipeline.transforms.tabulate import Tabulate
from pipeline.transforms.votes import CollectVotes
from pipeline.transforms.write import WriteRows

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
    near_hash: int = -1,
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
        near_hash: the largest hash of the work items that will be read again for the report.
    """
    entries = entries_of(specs)
    rules = [ScoreRule.of(spec.entries, spec.dialect.threshold) for spec in specs]
    shares = _shares(inputs)
    plan = SamplePlan(
        specs=len(specs),
        clustered=tuple(entries) if len(entries) <= _MOST_CLUSTERED else (),
        slices=tuple(slices),
        most=most_slice_values,
    )
    read = pipeline | "ReadTrajectories" >> ReadTrajectories(
        entries=entries,
        slices=slices,
        columns=columns,
        references=references_of(specs),
        inputs=inputs,
        batch_bytes=batch_bytes,
        progress_file=progress_file,
    )
    trajectories, counts = read.trajectories, []
    if bootstrap:
        resampled = trajectories | "Resample" >> Resample(bootstrap, entries, rules, bench)
        trajectories = resampled.trajectories
        counts.append(resampled.counts)
    scored = trajectories | "Score" >> Score(
        rules,
        slices=slices,
        clustered=plan.clustered,
        shares=shares,
        bench=bench,
    )
    grade = Grade(entries, slices, most_slice_values, bench, near_hash)
    graded = scored.trajectories | "Grade" >> grade
    counted = scored.outcomes | "CountSamples" >> CountSamples(staging, plan)
    counts += [graded.counts, counted.counts]
    judged = [entry for entry in entries if isinstance(entry.check, JudgedCheck)]
    votes = None
    if bench is not None and judged:
        votes = scored.trajectories | "CollectVotes" >> CollectVotes(judged, bench)
    verdicts = dict(zip(grade.check_types, graded.verdicts, strict=True))
    written = [*_write_tables(staging, verdicts, scored.rows, votes), counted.files]
    lines = (
        counts
        | "Counts" >> beam.Flatten()
        | "Tabulate" >> Tabulate(most_slice_values)
        | "CountLines" >> beam.FlatMapTuple(count_lines),
        read.trajectories | "AccountIds" >> AccountIds(shares) | "IdLines" >> beam.Map(id_line),
        read.quarantine | "QuarantineLines" >> beam.Map(quarantine_line),
        written | "Files" >> beam.Flatten() | "FileLines" >> beam.Map(file_line),
    )
    _ = lines | "Lines" >> beam.Flatten() | "WriteLedger" >> WriteLedger(staging)


def _write_tables(
    staging: str,
    verdicts: Mapping[str, PValue],
    trajectories: PValue,
    votes: PValue | None,
) -> list[PValue]:
    """Write the rows of verdicts, by check type, of trajectories and of votes; `WrittenFile`s come out."""
    written = [
        rows | f"WriteVerdicts {check_type}" >> WriteRows(staging, VERDICTS, VERDICT_SCHEMA, stem=check_type)
        for check_type, rows in verdicts.items()
    ]
    written.append(trajectories | "WriteTrajectories" >> WriteRows(staging, TRAJECTORIES, TRAJECTORY_SCHEMA))
    if votes is not None:
        written.append(votes | "WriteVotes" >> WriteRows(staging, VOTES, VOTE_SCHEMA))
    return written


def _shares(inputs: Sequence[InputFile]) -> int:
    rows = known_rows(inputs)
    if rows is None:
        rows = sum(file.size_bytes for file in inputs) // _BYTES_PER_ROW
    return count_shares(rows)
