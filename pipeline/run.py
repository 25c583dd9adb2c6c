"""A run from a job to a committed output directory."""

import contextlib
import dataclasses
import datetime
import json
import logging
import time
from typing import Any

from rich.console import Console

from pipeline import files
from pipeline.build import build
from pipeline.decision import Decision, decide
from pipeline.errors import RunError
from pipeline.execution import execute, open_pipeline
from pipeline.job import JobConfig
from pipeline.judges.replies import BenchSource
from pipeline.judging import JudgeAccount, accounts_as_json, ask_judges
from pipeline.logs import log_with
from pipeline.outputs.accounts import check_accounts
from pipeline.outputs.claim import claimed
from pipeline.outputs.commit import (
    EXAMPLES,
    JUNIT,
    MANIFEST,
    QUARANTINE,
    REPORT,
    SAMPLES,
    TRAJECTORIES,
    VERDICTS,
    VOTES,
    claimed_unfinished,
    commit,
    open_staging,
)
from pipeline.outputs.examples import Examples, encode_examples
from pipeline.outputs.finished import FinishedRun, open_run
from pipeline.outputs.formats import to_records
from pipeline.outputs.ledger import Ledger, read_ledger
from pipeline.outputs.manifest import Timings, encode_manifest, make_manifest
from pipeline.outputs.metrics import check_metrics_file, write_metrics
from pipeline.outputs.render.html import html_report
from pipeline.outputs.render.junit import junit_report
from pipeline.outputs.render.markdown import markdown_report
from pipeline.outputs.report import gather, near_hash
from pipeline.outputs.samples import merge_samples
from pipeline.outputs.tables import encode_tables, make_tables
from pipeline.plurals import counted
from pipeline.prepared import PreparedJob, new_run_id, prepare
from pipeline.progress import Extent, show_progress
from pipeline.sources.inputs import known_rows

_LOGGER = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a finished run can tell at once.

    Attributes:
        manifest: its manifest.
        tables: the rows of its tables `summary`, `scores` and `types`.
        output: the directory of its outputs.
        decision: what it comes to.
        examples: verdicts that did not pass, of each check some.
    """

    manifest: dict[str, Any]
    tables: dict[str, list[dict[str, Any]]]
    output: str
    decision: Decision
    examples: Examples

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows of the summary over all trajectories."""
        return [row for row in self.tables["summary"] if not row["slice_key"]]


def run(job: JobConfig, console: Console) -> RunResult:
    """Grade what a job names, and commit the outputs.

    Args:
        job: the job.
        console: where progress is shown.

    Raises:
        InvalidError: the job, its spec or its input is wrong; nothing was graded or written.
        RunError: the run failed or its accounts do not add up; the output directory holds no
            finished run, but `quarantine.jsonl` where rows could not be read.
    """
    began = time.monotonic()
    started_at = _now()
    prepared = prepare(job)
    job, run_id, specs, setup = prepared.job, prepared.run_id, prepared.specs, prepared.setup
    gates = job.bound_gates(specs, prepared.entries)
    base = None if job.baseline is None else open_run(job.baseline)
    if job.metrics_file is not None:
        check_metrics_file(job.metrics_file)
    log_with(run_id=run_id)
    with (
        claimed_unfinished(job.output, run_id, overwrite=job.overwrite),
        open_staging(job.output, run_id) as staging,
    ):
        _LOGGER.info("the run begins", extra={"runner": setup.label, "input_files": len(prepared.inputs)})
        judged = ask_judges(job, specs, prepared.inputs, setup, staging)
        pipeline_seconds = _grade(prepared, staging, console, judged.source)
        ledger = read_ledger(staging)
        _check(prepared, ledger)
        tables = make_tables(ledger, specs)
        records = {name: to_records(table) for name, table in tables.items()}
        timings = Timings(started_at, _now(), pipeline_seconds, time.monotonic() - began)
        manifest = make_manifest(run_id, job, specs, prepared.inputs, ledger, setup.label, timings)
        manifest["judges"] = accounts_as_json(judged.accounts)
        decision = decide(gates, base, FinishedRun(staging, manifest, job.output), records, setup)
        manifest |= decision.manifest_part
        texts = {
            **encode_tables(tables, job.formats),
            **_reports(prepared, manifest, records, decision, ledger.examples),
            QUARANTINE: _quarantine(ledger),
            **decision.texts,
        }
        commit(
            job.output,
            staging,
            run_id=run_id,
            overwrite=job.overwrite,
            written=_written(staging, ledger, decision),
            texts=texts,
            manifest=encode_manifest(manifest),
        )
    if job.metrics_file is not None:
        try:
            write_metrics(job.metrics_file, manifest, records["types"])
        except OSError as error:  # The run is committed all the same.
            _LOGGER.warning("the metrics are not written: %s", error)
    _LOGGER.info("the run is finished", extra=_account(job.output, manifest, decision, began))
    return RunResult(manifest, records, job.output, decision, ledger.examples)


def _account(output: str, manifest: dict[str, Any], decision: Decision, began: float) -> dict[str, Any]:
    """What the log says of a finished run."""
    counts = ("trajectories", "verdicts", "quarantined_rows")
    return {
        "output": output,
        **{name: manifest["counts"][name] for name in counts},
        "gates_met": decision.is_met if decision.gates else None,
        "wall_time_s": round(time.monotonic() - began, 3),
    }


def plan_judging(job: JobConfig) -> tuple[JudgeAccount, ...]:
    """What the run of a job would ask of model judges, and what that may cost; nothing is graded or asked.

    Raises:
        InvalidError: the job, its spec or its input is wrong.
        RunError: the pipeline failed.
    """
    prepared = prepare(job)
    job = prepared.job
    is_new = not files.exists(job.output)
    plan_id = new_run_id()  # Beside what attempts of the run left, which stay where nothing is claimed.
    try:
        with claimed(job.output, plan_id), open_staging(job.output, plan_id) as staging:
            return ask_judges(job, prepared.specs, prepared.inputs, prepared.setup, staging).accounts
    finally:
        if is_new:
            files.delete_empty(job.output)


def _reports(
    prepared: PreparedJob,
    manifest: dict[str, Any],
    tables: dict[str, list[dict[str, Any]]],
    decision: Decision,
    examples: Examples,
) -> dict[str, bytes]:
    """What people and build servers read, by file name."""
    markdown = markdown_report(manifest, tables, examples) + "".join(f"{x}\n" for x in decision.sections)
    texts = {
        "report.md": markdown.encode("utf-8", "replace"),
        JUNIT: junit_report(manifest, tables["summary"], examples),
        EXAMPLES: encode_examples(examples),
    }
    if prepared.job.report:
        compared = decision.comparison.document if decision.comparison else None
        report = gather(prepared.job.output, manifest, tables, compared, examples, prepared.inputs)
        texts[REPORT] = html_report(report)
    return texts


def _written(staging: str, ledger: Ledger, decision: Decision) -> list[str]:
    """The files of tables in staging that count; the parts of the sample table are made one."""
    samples = f"{SAMPLES}.parquet"
    parts = [files.join(staging, SAMPLES, name) for name in sorted(ledger.files.get(SAMPLES, {}))]
    merge_samples(parts, files.join(staging, samples))
    written = [
        files.join(table, name)
        for table in (VERDICTS, TRAJECTORIES, VOTES)
        for name in sorted(ledger.files.get(table, {}))
    ]
    if decision.comparison is not None:
        written += decision.comparison.written
    return [*written, samples]


def _grade(prepared: PreparedJob, staging: str, console: Console, bench: BenchSource | None) -> float:
    """Run the pipeline; the seconds that it took."""
    began = time.monotonic()
    job, inputs, setup = prepared.job, prepared.inputs, prepared.setup
    is_watched = setup.is_local and not files.is_remote(staging)
    progress_file = files.join(staging, "progress") if is_watched else None
    pipeline = open_pipeline(setup)
    build(
        pipeline,
        specs=prepared.specs,
        inputs=inputs,
        columns=job.column_map,
        staging=staging,
        slices=job.slice_keys,
        most_slice_values=job.max_slice_values,
        bootstrap=job.bootstrap,
        progress_file=progress_file,
        bench=bench,
        near_hash=near_hash(inputs),
    )
    watch = (
        show_progress(progress_file, Extent.of(inputs), console)
        if progress_file
        else contextlib.nullcontext()
    )
    with watch:
        execute(pipeline, setup)
    return time.monotonic() - began


def _check(prepared: PreparedJob, ledger: Ledger) -> None:
    """See that the accounts add up and that few enough rows were unreadable.

    Raises:
        RunError: otherwise.
    """
    job = prepared.job
    wrong = check_accounts(ledger, prepared.entries, known_rows(prepared.inputs), len(prepared.specs))
    if wrong:
        raise RunError("the accounts do not add up: " + "; ".join(wrong))
    unreadable = ledger.quarantined_rows
    rows = ledger.graded + unreadable
    if unreadable > job.max_quarantined * rows:
        files.make_directory(job.output)
        # Beside a finished run that was to be replaced, under a name that is not taken for its own.
        is_replacing = files.exists(files.join(job.output, MANIFEST))
        name = f"failed-{QUARANTINE}" if is_replacing else QUARANTINE
        with files.open_write(files.join(job.output, name)) as file:
            file.write(_quarantine(ledger))
        first = ledger.quarantine[0]
        group = "" if first["row_group"] < 0 else f" row group {first['row_group']},"
        raise RunError(
            f"{unreadable:,} of {counted(rows, 'row')} could not be read, more than the share of"
            f" {job.max_quarantined:g} that max_quarantined allows; the first: {first['file']},"
            f"{group} row {first['row']}: {first['reason']};"
            f" all are in {files.join(job.output, name)};"
            f" mend them, or accept so many with --max-quarantined {-(-unreadable * 1000 // rows) / 1000:g}"
        )


def _quarantine(ledger: Ledger) -> bytes:
    lines = [json.dumps(rows, ensure_ascii=False) + "\n" for rows in ledger.quarantine]
    return "".join(lines).encode("utf-8", "replace")


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
