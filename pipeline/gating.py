"""Gates of a job held against a run that is finished, without grading again."""

from __future__ import annotations

from typing import Any

from pipeline import files
from pipeline.compare import compare_directories
from pipeline.errors import invalid
from pipeline.gates import BoundGate
from pipeline.job import JobConfig
from pipeline.outputs.commit import COMPARISON
from pipeline.outputs.comparison_files import read_comparison
from pipeline.outputs.finished import FinishedRun, open_run
from pipeline.outputs.gate_results import GateResult, evaluate_gates
from pipeline.outputs.stored import read_table
from pipeline.specs.identity import check_identity
from pipeline.specs.load import load_specs
from pipeline.specs.loaded import entries_of


def hold_gates(job: JobConfig, baseline: str | None) -> list[GateResult]:
    """Hold the gates of a job and of its specs against the run in its output directory.

    Args:
        job: the job.
        baseline: a run to compare with now; None for the comparison in the directory of the run,
            or with the baseline of the job where there is none.

    Raises:
        InvalidError: there is no finished run, its checks are not those of the specs, or a gate
            is for a check that is not there.
        RunError: the comparison failed.
    """
    run = open_run(job.output)
    gates = _gates(job, run)
    tables = {name: read_table(run, name) for name in ("summary", "scores")}
    return evaluate_gates(gates, tables, _transitions(job, run, baseline))


def _gates(job: JobConfig, run: FinishedRun) -> list[BoundGate]:
    specs = load_specs(job.spec, job.parameters)
    entries = entries_of(specs)
    if [check_identity(entry) for entry in entries] != [check.identity for check in run.checks]:
        raise invalid(
            run.directory, f"was graded by other checks than those of {', '.join(job.spec)}; grade again"
        )
    return job.bound_gates(specs, run.checks)


def _transitions(job: JobConfig, run: FinishedRun, baseline: str | None) -> list[dict[str, Any]] | None:
    base = baseline or job.baseline
    document = None
    if baseline is None and files.exists(files.join(run.directory, COMPARISON)):
        document = read_comparison(run.directory)
    if document is None and base is not None:
        document = compare_directories(
            base, run.directory, [], output=None, overwrite=False, runner=job.runner, workers=job.workers
        )
    return document["transitions"] if document is not None else None
