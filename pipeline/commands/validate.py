"""`gradebeam validate`: check spec files without grading."""

from __future__ import annotations

import argparse

from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters
from pipeline.errors import InvalidError
from pipeline.plurals import counted

SUMMARY = "check spec files without grading"
EPILOG = """examples:
  gradebeam validate spec.yaml specs/*.yaml
  gradebeam validate eval.yaml -v --param MODEL=small

All mistakes are named at once, with file and line."""
EXIT_CODES = {0: "all specs are good", 2: "the command or a spec is invalid"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("spec", metavar="SPEC", nargs="+", help="the specs to check")
    parser.add_argument("-v", "--verbose", action="store_true", help="also list what is read but not used")
    add_parameters(parser)


def start(options: argparse.Namespace) -> int:
    """Load each file, and print what it holds."""
    from pipeline.specs.load import read_specs, spec_warnings  # noqa: PLC0415  (--help needs no YAML)

    specs, problems = read_specs(options.spec, parameters(options))
    for spec in specs:
        path = spec.file
        lines = [f"{path}: {counted(len(spec.entries), 'check')}, good ({spec.dialect.name} dialect)"]
        lines += [f"{path}: warning: {warning}" for warning in spec_warnings(spec)]
        if options.verbose:
            unused = spec.dialect.ignored
            lines += [f"{path}: not used, only concerns running agents: {ignored}" for ignored in unused]
        print_lines(lines)
    if problems:
        raise InvalidError(problems)
    return 0
