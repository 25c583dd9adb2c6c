"""`gradebeam gate`: hold gates against a finished run, without grading again."""

from __future__ import annotations

import argparse

from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters
from pipeline.job import load_job

SUMMARY = "hold gates against a finished run, without grading again"
EPILOG = """examples:
  gradebeam gate graded/today --spec spec.yaml                       # the gates that the spec has
  gradebeam gate graded/today --job nightly.yaml                     # and those of a job
  gradebeam gate graded/today --job nightly.yaml --baseline graded/last-week

A gate is a limit, in a spec or a job: gates: [{check: tells-the-fare, min_pass_rate: 0.9}]"""
EXIT_CODES = {
    0: "all gates are met, or there are none",
    1: "a gate is not met",
    2: "the command or a file is invalid, or the run was graded by other checks",
    3: "the comparison with the baseline failed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("run", metavar="RUN", help="output directory of the run")
    parser.add_argument("--job", metavar="FILE", help="the job whose gates to hold, and those of its specs")
    parser.add_argument("--spec", metavar="FILE", action="append", help="the spec, if the job has none")
    add_parameters(parser)
    parser.add_argument(
        "--baseline", metavar="DIR", help="a run to compare with now, for gates on drops of the pass rate"
    )
    parser.add_argument("--json", action="store_true", help="print what gates.json holds")


def start(options: argparse.Namespace) -> int:
    """Print every gate, met or not; 1 where one is not met."""
    from pipeline.gating import hold_gates  # noqa: PLC0415  (--help needs no Beam)
    from pipeline.outputs.gate_results import encode_gates  # noqa: PLC0415
    from pipeline.outputs.render.gates import gates_lines  # noqa: PLC0415

    flags = {"input": ["-"], "output": options.run}  # Nothing is read but the tables of the run.
    if options.spec:
        flags["spec"] = options.spec
    if options.param:
        flags["parameters"] = parameters(options)
    results = hold_gates(load_job(options.job, flags), options.baseline)
    if options.json:
        print(encode_gates(results).decode(), end="")
    elif results:
        print_lines(gates_lines(results))
    else:
        print("no gates")
    return int(not all(result.is_met for result in results))
