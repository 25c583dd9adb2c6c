"""The whole graph of a run, from top to bottom."""

from collections.abc import Mapping, Sequence

import apache_beam as beam

from graders.scope import CheckEntry
from pipeline import files
from pipeline.judges.replies import BenchSource
from pipeline.sources.inputs import InputFile, known_rows
from pipeline.sources.records import ColumnMap
from pipeline.transforms.account import AccountIds
from pipeline.transforms.grade import Grade
from pipeline.transforms.read import BATCH_BYTES, ReadTrajectories
from pipeline.transforms.tabulate import Tabulate
from pipeline.transforms.write import LedgerLine, WriteLedger, WriteVerdicts

_IDS_PER_SHARE = 500_000
_BYTES_PER_ROW = 2_000  # A low guess, for files that do not tell their rows.


def build(  # noqa: PLR0913  (all by keyword, and only here is everything known)
    pipeline: beam.Pipeline,
    *,
    entries: Sequence[CheckEntry],
    inputs: Sequence[InputFile],
    columns: ColumnMap,
    references: Mapping[str, str],
    staging: str,
    batch_bytes: int = BATCH_BYTES,
    progress_file: str | None = None,
    bench: BenchSource | None = None,
) -> None:
    """Add everything that a run computes to a pipeline.

    Args:
        pipeline: where to.
        entries: the checks.
        inputs: the files, found before.
        columns: their columns.
        references: reference data by sample id, for records that have none.
        staging: a directory of the run's own. Verdict files go to `verdicts` in it, and the
            *ledger*, one JSON object a line, says what came of everything: the cells, the files
            that count, the trajectories that were read, the rows in quarantine.
        batch_bytes: bound on the uncompressed size of a batch.
        progress_file: a local file to which each batch adds a line with its rows.
        bench: the judges and their replies, where a model decides.
    """
    read = pipeline | "ReadTrajectories" >> ReadTrajectories(
        entries=entries,
        columns=columns,
        references=references,
        inputs=inputs,
        batch_bytes=batch_bytes,
        progress_file=progress_file,
    )
    grade = Grade(entries, bench)
    graded = read.trajectories | "Grade" >> grade
    files_by_type = {
        check_type: verdicts
        | f"WriteVerdicts {check_type}" >> WriteVerdicts(files.join(staging, "verdicts"), check_type)
        for check_type, verdicts in zip(grade.check_types, graded.verdicts, strict=True)
    }
    cells = graded.tallies | "Tabulate" >> Tabulate()
    ids = read.trajectories | "AccountIds" >> AccountIds(_shares(inputs))

    lines = [
        pipeline | "Begin" >> beam.Create([_line("begin")], reshuffle=False),  # A ledger even of nothing.
        cells | "CellLines" >> beam.Map(lambda cell: _line("cell", key=cell[0], tally=cell[1])),
        ids | "IdLines" >> beam.Map(lambda account: _line("ids", **account._asdict())),
        read.quarantine | "QuarantineLines" >> beam.Map(lambda rows: _line("quarantine", **rows._asdict())),
        *(
            written | f"FileLines {check_type}" >> beam.Map(lambda file: _line("file", **file._asdict()))
            for check_type, written in files_by_type.items()
        ),
    ]
    _ = lines | "Lines" >> beam.Flatten() | "WriteLedger" >> WriteLedger(staging)


def _line(kind: str, **values: object) -> LedgerLine:
    return {"kind": kind, **values}


def _shares(inputs: Sequence[InputFile]) -> int:
    rows = known_rows(inputs)
    if rows is None:
        rows = sum(file.size_bytes for file in inputs) // _BYTES_PER_ROW
    return max(1, -(-rows // _IDS_PER_SHARE))
