"""`gradebeam lint`: say what a spec probably does not mean, with a fix each."""

from __future__ import annotations

import argparse

from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters
from pipeline.errors import invalid
from pipeline.job import check_columns, parse_columns
from pipeline.plurals import counted

FOUND = 1
SUMMARY = "say what a spec probably does not mean, with a fix each"
EPILOG = """examples:
  gradebeam lint spec.yaml
  gradebeam lint spec.yaml --data 'runs/*.parquet'    # and what a sample of the data says of it
  gradebeam lint spec.yaml --strict                   # for CI: exit 1 if anything is found"""
EXIT_CODES = {
    0: "looked at, whatever was found",
    1: "something was found, with --strict",
    2: "the command, a spec or the data is invalid",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("spec", metavar="SPEC", nargs="+", help="the specs to look at")
    parser.add_argument("--data", metavar="GLOB", nargs="+", help="grade a sample of these files too")
    parser.add_argument("--sample", metavar="N", type=int, default=1000, help="size of the sample (1000)")
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="as for run")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if anything is found, for CI")
    add_parameters(parser)


def start(options: argparse.Namespace) -> int:
    """Print the findings in the specs, and in a sample of the data."""
    from pipeline.lint.sample import lint_sample  # noqa: PLC0415  (no other command needs them)
    from pipeline.lint.specs import lint_spec  # noqa: PLC0415
    from pipeline.sources.records import ColumnMap  # noqa: PLC0415
    from pipeline.specs.load import load_specs  # noqa: PLC0415

    if options.sample < 1:
        raise invalid(f"--sample {options.sample}", "expected 1 or more")
    specs = load_specs(options.spec, parameters(options))
    findings = [finding for spec in specs for finding in lint_spec(spec)]
    if options.data:
        mapping = parse_columns(options.columns) if options.columns else {}
        check_columns(mapping)
        sample = lint_sample(specs, options.data, ColumnMap.of(mapping), options.sample)
        findings += sample.findings
        print(sample.estimate)
    print_lines([*map(str, findings), counted(len(findings), "finding")])
    return FOUND if findings and options.strict else 0
