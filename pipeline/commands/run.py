"""`gradebeam run`: grade trajectories by a spec."""

from __future__ import annotations

import argparse

from rich.console import Console

from pipeline.commands.judge_options import add_judge_options, judge_settings, print_plan
from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters
from pipeline.commands.result import print_next_steps, print_result, print_worst
from pipeline.commands.runner_options import runner_options
from pipeline.job import FORMATS, load_job, parse_columns

SUMMARY = "grade trajectories by a spec"
EPILOG = """examples:
  gradebeam run --spec spec.yaml --input 'runs/*.parquet' --output graded

  # all tables also by model, and by model and language
  gradebeam run --spec spec.yaml --input runs --output graded --slice model --slice 'model*tags.lang'

  # in CI: the gates of a job decide the exit code, and what failed shows at its line of the spec
  gradebeam run --job nightly.yaml --output graded/today --baseline graded/last-week --annotations github

  # columns with other names than those of the record
  gradebeam run --spec spec.yaml --input runs --output graded --columns trajectory_id=id,messages=chat

  # what model judges would cost, before they are asked
  gradebeam run --job job.yaml --judge-dry-run

  # on a cluster: what follows -- are options of the Beam runner
  gradebeam run --job job.yaml -- --runner=FlinkRunner --flink_master=host:8081

report.html in the output is the page to look at. manifest.json comes last: without it a run is not done."""
EXIT_CODES = {
    0: "graded, and all gates are met, or there are none",
    1: "graded, and a gate is not met",
    2: "the command, a spec, the job or the input is invalid; nothing was graded",
    3: "the run failed, or its accounts do not add up; nothing in the output counts",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("--job", metavar="FILE", help="a YAML file with these settings; flags win over it")
    parser.add_argument(
        "--spec", metavar="FILE", action="append", help="the spec: which checks to apply (repeatable)"
    )
    add_parameters(parser)
    parser.add_argument(
        "--input",
        metavar="GLOB",
        nargs="+",
        action="extend",
        help="Parquet, Avro or JSON lines files, directories or globs",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="directory of the outputs; {run_id} in it stands for the id of the run",
    )
    parser.add_argument(
        "--run-id", metavar="ID", help="id of the run; another attempt with the same id replaces it"
    )
    parser.add_argument(
        "--columns",
        metavar="NAME=COLUMN,…",
        help="columns of the files that have other names than the record's",
    )
    parser.add_argument("--formats", metavar="LIST", help=f"formats of the summary: {','.join(FORMATS)}")
    parser.add_argument(
        "--slice",
        dest="slices",
        metavar="KEY",
        action="append",
        help="slice the tables by a column, tags.KEY, or two of these joined by * (repeatable)",
    )
    parser.add_argument(
        "--max-slice-values", metavar="N", type=int, help="values of a slice that are kept apart (1000)"
    )
    parser.add_argument(
        "--bootstrap", metavar="B", type=int, help="add bootstrap intervals from B replicates (0: none)"
    )
    parser.add_argument("--overwrite", action="store_true", default=None, help="replace a finished run")
    parser.add_argument(
        "--no-report", dest="report", action="store_false", default=None, help="write no report.html"
    )
    parser.add_argument(
        "--max-quarantined", metavar="SHARE", type=float, help="largest share of unreadable rows (0.001)"
    )
    add_judge_options(parser)
    parser.add_argument(
        "--annotations", choices=["github"], help="also print what failed as annotations of the build server"
    )
    parser.add_argument(
        "--metrics-file",
        metavar="PATH",
        help="also write the run's metrics for a Prometheus textfile collector",
    )
    parser.add_argument("--baseline", metavar="DIR", help="output directory of a run to compare with")
    parser.add_argument("--workers", metavar="N", type=int, help="local worker processes (by size and cores)")
    parser.add_argument(
        "--allow-runner", metavar="NAME", help="use this runner though gradebeam is not tested on it"
    )


def start(options: argparse.Namespace) -> int:
    """Run the job that file and flags describe."""
    from pipeline.outputs.render.annotations import github_annotations  # noqa: PLC0415  (--help needs no Beam)
    from pipeline.run import plan_judging, run  # noqa: PLC0415  (--help needs no Beam)

    flags = {
        name: value
        for name in (
            *("spec", "input", "output", "slices", "max_slice_values", "bootstrap", "overwrite", "report"),
            *("max_quarantined", "workers", "baseline", "allow_runner", "run_id", "metrics_file"),
        )
        if (value := getattr(options, name)) is not None
    }
    if judges := judge_settings(options):
        flags["judges"] = judges
    if options.columns is not None:
        flags["columns"] = parse_columns(options.columns)
    if options.param:
        flags["parameters"] = parameters(options)
    if options.formats is not None:
        flags["formats"] = options.formats.split(",")
    job = load_job(options.job, flags)
    if options.runner_flags:
        job = job.model_copy(update={"runner": {**job.runner, **runner_options(options.runner_flags)}})
    if job.judges.dry_run:
        print_plan(plan_judging(job))
        return 0
    result = run(job, Console(stderr=True))
    if options.annotations:
        print_lines(github_annotations(result.manifest, result.records))
    print_result(result, result.output)
    print_worst(result)
    print_next_steps(result)
    return int(not result.decision.is_met)
