"""`gradebeam compare`: compare two finished runs, verdict by verdict."""

from __future__ import annotations

import argparse

from pipeline.commands.lines import print_lines, print_table
from pipeline.commands.runner_options import runner_options
from pipeline.errors import invalid
from pipeline.job import MOST_WORKERS

SUMMARY = "compare two finished runs, verdict by verdict"
EPILOG = """examples:
  gradebeam compare graded/last-week graded/today
  gradebeam compare graded/last-week graded/today --output changes   # every change, and transitions.csv
  gradebeam report graded/today --comparison changes                 # and on the page
  gradebeam compare graded graded --pair judge-a=judge-b             # two checks of one run

Trajectories are paired by sample_id and trial, or by trajectory_id where no trial is recorded; checks by
their names, or else by what they say."""
EXIT_CODES = {
    0: "compared, whatever came of it; gates on drops are for run and gate",
    2: "the command is invalid, or a directory holds no finished run",
    3: "the comparison failed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("base", metavar="BASE", help="output directory of the run to compare with")
    parser.add_argument("run", metavar="RUN", help="output directory of the run to compare; may be the same")
    parser.add_argument(
        "--output", metavar="DIR", help="where to write the comparison; else it is only shown"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a comparison in that directory")
    parser.add_argument(
        "--pair",
        metavar="A=B",
        action="append",
        help="compare check A of BASE with check B of RUN, by name or spec index (repeatable); no others",
    )
    parser.add_argument("--workers", metavar="N", type=int, help="local worker processes (by size and cores)")


def start(options: argparse.Namespace) -> int:
    """Compare, show what came of it, and write it where that was asked for."""
    from pipeline.compare import compare_directories  # noqa: PLC0415  (--help needs no Beam)
    from pipeline.outputs.render.comparison import (  # noqa: PLC0415
        agreement_line,
        changed_lines,
        comparison_table,
    )

    if options.workers is not None and not 1 <= options.workers <= MOST_WORKERS:
        raise invalid(f"--workers {options.workers}", f"expected a number from 1 to {MOST_WORKERS}")
    document = compare_directories(
        options.base,
        options.run,
        options.pair or [],
        output=options.output,
        overwrite=options.overwrite,
        runner=runner_options(options.runner_flags),
        workers=options.workers,
    )
    print_table(comparison_table(document))
    pairs = [row for row in document["transitions"] if options.pair and row["scope"] == "check"]
    print_lines(f"{row['identity']}: {agreement_line(row)}" for row in pairs)
    *lines, changed = changed_lines(document)
    print_lines([*lines, f"{changed}; written to {options.output}" if options.output else changed])
    return 0
