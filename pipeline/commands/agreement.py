"""`gradebeam agreement`: how far judges agree with each other, and with labels that people gave."""

from __future__ import annotations

import argparse

from pipeline import files
from pipeline.commands.lines import print_table
from pipeline.errors import invalid
from pipeline.job import FORMATS
from pipeline.outputs.render.name import Name
from pipeline.outputs.render.table import plain_table

SUMMARY = "how far judges agree with each other, and with labels that people gave"
EPILOG = """examples:
  gradebeam agreement graded                                        # all that models judged
  gradebeam agreement graded --check judge-a --check judge-b --output agreement.csv
  gradebeam agreement graded --check judge-a --label human_label=success"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("run", metavar="RUN", nargs="+", help="output directories of finished runs")
    parser.add_argument(
        "--check",
        metavar="NAME",
        action="append",
        default=[],
        help="a check by name or spec index (repeatable); none: all that a model judges",
    )
    parser.add_argument(
        "--label",
        metavar="PATH=VALUE",
        action="append",
        default=[],
        help="a label of the first run's input: passes where its metadata at PATH is VALUE (repeatable)",
    )
    parser.add_argument(
        "--output", metavar="FILE", help=f"where to write the table; its name ends with {', '.join(FORMATS)}"
    )


def start(options: argparse.Namespace) -> int:
    """Print the agreement of each pair, and of all."""
    from pipeline.agreement import AGREEMENT, agree  # noqa: PLC0415  (--help needs no Arrow)

    format_ = (options.output or "").rpartition(".")[2]
    if options.output and format_ not in FORMATS:
        raise invalid(f"--output {options.output}", f"expected a name that ends with {', '.join(FORMATS)}")
    table = agree(options.run, options.check, options.label)
    shown = plain_table()
    for head in ("rater", "other"):
        shown.add_column(head)
    for head in ("both\npass", "only\n1st", "only\n2nd", "both\nfail", "undecided", "agreement", "kappa"):
        shown.add_column(head, justify="right", no_wrap=True)
    counts = ("both_pass", "only_rater", "only_other", "both_fail", "undecided")
    for row in table.to_pylist():
        raters = ("all of them (Fleiss)", "") if row["other"] is None else (row["rater"], row["other"])
        rates = ["" if row[name] is None else f"{row[name]:.3f}" for name in ("agreement", "kappa")]
        texts = ["" if row[name] is None else f"{row[name]:,}" for name in counts]
        shown.add_row(*map(Name, raters), *texts, *rates)
    print_table(shown)
    if options.output:
        with files.open_write(options.output) as file:
            file.write(AGREEMENT.encode(table, format_))
    return 0
