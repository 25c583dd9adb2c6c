"""`gradebeam convert`: write a spec of another dialect in the native one."""

from __future__ import annotations

import argparse
import sys

from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters

SUMMARY = "write a spec of another dialect in the native one"
EPILOG = """examples:
  gradebeam convert eval.yaml > spec.yaml                       # what is left out is told on stderr
  gradebeam convert eval.yaml --param MODEL=small > spec.yaml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("spec", metavar="SPEC", help="a Vally eval or a Guild file")
    add_parameters(parser)


def start(options: argparse.Namespace) -> int:
    """Print the native form; to stderr what it does not hold."""
    from pipeline.specs.convert import to_native  # noqa: PLC0415  (no other command needs it)
    from pipeline.specs.load import load_spec  # noqa: PLC0415

    converted = to_native(load_spec(options.spec, parameters(options)))
    print(converted.text, end="")
    print_lines((f"{options.spec}: {note}" for note in converted.notes), sys.stderr)
    return 0
