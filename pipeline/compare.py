"""A comparison of two finished runs, from their directories to its tables."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Sequence
from typing import Any

import apache_beam as beam

from graders.transitions import Transitions
from pipeline import files
from pipeline.errors import invalid
from pipeline.execution import execute, open_pipeline
from pipeline.outputs.changes import first_changes
from pipeline.outputs.check_pairs import CheckPair, pair_by_identity, pair_by_request
from pipeline.outputs.claim import claimed
from pipeline.outputs.commit import CHANGES, open_staging
from pipeline.outputs.comparison import Comparison, check_comparison, merge_capped
from pipeline.outputs.comparison_files import (
    check_comparison_output,
    commit_comparison,
    encode_comparison,
)
from pipeline.outputs.finished import FinishedRun, open_run
from pipeline.outputs.ledger import read_lines
from pipeline.outputs.spec_pairs import SpecPair, pair_specs, shared_slices
from pipeline.runners import RunnerSetup, set_up_runner
from pipeline.transforms.compare import ComparedTables, CompareVerdicts
from pipeline.transforms.ledger import WriteLedger, ledger_line
from pipeline.transforms.shares import count_shares

_MOST_SLICE_VALUES = 1000
_LEDGER = "comparison"


def compare_directories(
    base_directory: str,
    run_directory: str,
    requests: Sequence[str],
    *,
    output: str | None,
    overwrite: bool,
    runner: dict[str, Any],
    workers: int | None,
) -> dict[str, Any]:
    """Compare the runs in two directories, and commit the comparison where there is an output.

    Args:
        base_directory: the run to compare with.
        run_directory: the run to compare.
        requests: which checks to compare, as `A=B`; none for those with one identity.
        output: where to write; None for nowhere.
        overwrite: whether to replace a comparison there.
        runner: options of the runner.
        workers: local worker processes; None by size.

    Returns:
        What `compare.json` holds.

    Raises:
        InvalidError: a directory or a request is wrong; nothing was compared.
        RunError: the comparison failed; nothing was committed.
    """
    base, run = open_run(base_directory), open_run(run_directory)
    pairs = pair_by_request(base, run, requests) if requests else pair_by_identity(base, run)
    setup = set_up_runner(runner, workers, [*base.inputs, *run.inputs], output=output)
    if output is None:
        if not setup.is_local:
            raise invalid("--output", "missing; workers elsewhere need a directory to write to")
        with tempfile.TemporaryDirectory() as staging:
            return encode_comparison(compare(base, run, pairs, setup, staging)).document
    name = uuid.uuid4().hex
    with claimed(output, name):
        check_comparison_output(output, overwrite=overwrite)
        with open_staging(output, name) as staging:
            encoded = encode_comparison(compare(base, run, pairs, setup, staging))
            commit_comparison(output, staging, encoded)
    return encoded.document


def compare(
    base: FinishedRun, run: FinishedRun, pairs: Sequence[CheckPair], setup: RunnerSetup, staging: str
) -> Comparison:
    """Compare two runs.

    Args:
        base: the run to compare with.
        run: the run to compare.
        pairs: which checks of them are the same.
        setup: the runner.
        staging: a directory of the comparison's own; the files of changes go to `changes` in it.

    Raises:
        RunError: the pipeline failed, or its accounts do not add up.
    """
    ledger = files.join(staging, _LEDGER)  # Beside that of a run which is compared as soon as it is graded.
    for directory in (ledger, files.join(staging, CHANGES)):
        files.make_directory(directory)
    specs = pair_specs(base, run)
    pipeline = open_pipeline(setup)
    _build(pipeline, base, run, pairs, specs, staging)
    execute(pipeline, setup)
    by_kind = read_lines(ledger)
    comparison = Comparison(
        base,
        run,
        pairs,
        specs,
        cells=merge_capped(
            (tuple(line["key"]), _transitions(line["transitions"])) for line in by_kind.get("cell", [])
        ),
        changes={line["name"]: line["rows"] for line in by_kind.get("changes", [])},
        first_changes=first_changes(line["first"] for line in by_kind.get("changes", [])),
    )
    check_comparison(comparison)
    return comparison


def _build(
    pipeline: beam.Pipeline,
    base: FinishedRun,
    run: FinishedRun,
    pairs: Sequence[CheckPair],
    specs: Sequence[SpecPair],
    staging: str,
) -> None:
    rows = sum(each.verdict_rows + each.trajectory_rows for each in (base, run))
    of_base, of_run = (
        ComparedTables(
            each.verdict_files,
            {at: number for number, indexes in enumerate(checks) for at in indexes},
            each.trajectory_files,
            {at: len(pairs) + number for number, at in enumerate(positions) if at is not None},
        )
        for each, checks, positions in (
            (base, [pair.base for pair in pairs], [spec.base for spec in specs]),
            (run, [pair.run for pair in pairs], [spec.run for spec in specs]),
        )
    )
    compared = pipeline | "CompareVerdicts" >> CompareVerdicts(
        of_base,
        of_run,
        checks=[(pair.check_type, pair.name) for pair in pairs],
        slices=shared_slices(base, run),
        most=_MOST_SLICE_VALUES,
        shares=count_shares(rows),
        directory=files.join(staging, CHANGES),
    )
    lines = [
        compared.transitions
        | "CellLines" >> beam.Map(lambda cell: ledger_line("cell", key=cell[0], transitions=cell[1])),
        compared.changes
        | "ChangesLines" >> beam.Map(lambda written: ledger_line("changes", **written._asdict())),
    ]
    _ = lines | "Lines" >> beam.Flatten() | "WriteLedger" >> WriteLedger(files.join(staging, _LEDGER))


def _transitions(line: Sequence[Any]) -> Transitions:
    counts, ambiguous_base, ambiguous_run = line
    return Transitions(tuple(counts), ambiguous_base, ambiguous_run)
