"""`gradebeam checks`: list the check types."""

from __future__ import annotations

import argparse
import dataclasses
import json

from rich.text import Text

from graders.catalog import check_types
from pipeline.commands.lines import print_table
from pipeline.outputs.render.table import plain_table

SUMMARY = "list the check types"
EPILOG = """examples:
  gradebeam checks
  gradebeam checks | grep -i output
  gradebeam checks --json    # with taxonomy and JSON Schema of every type"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("--json", action="store_true", help="with taxonomy and JSON Schema, as JSON")


def start(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    from pipeline.specs.schema import summary  # noqa: PLC0415  (no other command needs it)

    types = check_types()
    if options.json:
        listed = [
            {
                "type": name,
                "summary": summary(check_type).removeprefix("Pass when ").rstrip("."),
                "taxonomy": dataclasses.asdict(check_type.taxonomy),
                "schema": check_type.model_json_schema(by_alias=True),
            }
            for name, check_type in types.items()
        ]
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return 0
    table = plain_table()
    table.add_column("type", no_wrap=True)
    table.add_column("passes when")
    for name, check_type in types.items():
        meaning = summary(check_type).removeprefix("Pass when ").rstrip(".")
        table.add_row(name, Text.assemble(meaning, "\n", (str(check_type.taxonomy), "dim")))
    print_table(table)
    return 0
