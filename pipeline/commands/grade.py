"""`gradebeam grade`: grade one file and print what failed, the shortest path."""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from pipeline import files
from pipeline.commands.lines import print_lines
from pipeline.commands.parameters import add_parameters, parameters
from pipeline.commands.result import print_next_steps, print_result
from pipeline.commands.run import EXIT_CODES as RUN_EXIT_CODES
from pipeline.errors import RunError, invalid
from pipeline.job import load_job, parse_columns
from pipeline.outputs.commit import QUARANTINE
from pipeline.outputs.render.table import check_name
from pipeline.outputs.visible_text import visible_line

if TYPE_CHECKING:
    from pipeline.run import RunResult  # --help needs no Beam.

SUMMARY = "grade one file of runs and print the table and what failed"
EPILOG = """examples:
  gradebeam grade runs.jsonl spec.yaml
  gradebeam grade runs.jsonl spec.yaml --failures 20        # more of what failed
  gradebeam grade runs.jsonl spec.yaml --columns messages=chat
  gradebeam grade runs.jsonl spec.yaml --output graded      # keep everything, report.html too

A line of runs.jsonl is one run: {"messages": [...]} as a chat client sends it, a bare list of
messages, or an object with the columns of the record. Without a trajectory_id its line number is its id."""
EXIT_CODES = RUN_EXIT_CODES

_SUFFIXES_OF_RUNS = (".jsonl", ".ndjson", ".parquet", ".avro")
_DEFAULT_FAILURES = 5
_SHOWN_UNREADABLE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("file", metavar="FILE", help="the runs: JSON lines, Parquet or Avro")
    parser.add_argument("spec", metavar="SPEC", help="the spec: which checks to apply")
    parser.add_argument("--output", metavar="DIR", help="keep the outputs in this directory")
    parser.add_argument("--overwrite", action="store_true", help="replace a finished run there")
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="keys that have other names, as for run")
    parser.add_argument(
        "--failures",
        metavar="N",
        type=int,
        default=_DEFAULT_FAILURES,
        help=f"failing runs to show per check, at most 25 ({_DEFAULT_FAILURES})",
    )
    parser.add_argument(
        "--max-quarantined", metavar="SHARE", type=float, help="largest share of unreadable lines (0.001)"
    )
    add_parameters(parser)


def start(options: argparse.Namespace) -> int:
    """Grade the file; without `--output` nothing is left behind."""
    from pipeline.run import run  # noqa: PLC0415  (--help needs no Beam)

    if options.spec.endswith(_SUFFIXES_OF_RUNS):
        raise invalid(options.spec, "holds runs, and a spec is expected here: gradebeam grade FILE SPEC")
    with _output(options.output) as output:
        settings: dict[str, Any] = {
            "spec": [options.spec],
            "input": [options.file],
            "output": output,
            "overwrite": options.overwrite,
            "parameters": parameters(options),
            "report": options.output is not None,
        }
        if options.columns is not None:
            settings["columns"] = parse_columns(options.columns)
        if options.max_quarantined is not None:
            settings["max_quarantined"] = options.max_quarantined
        result = run(load_job(None, settings), Console(stderr=True))
        print_result(result, options.output)
        _print_unreadable(output)
        _print_failures(result, options.failures)
        if options.output is not None:
            print_next_steps(result)
        else:
            print_lines(["", "with --output DIR all of it is kept, and a page to look at"])
    return int(not result.decision.is_met)


@contextlib.contextmanager
def _output(directory: str | None) -> Generator[str]:
    """The directory to write to; one that nobody named is removed, unless it tells why the run failed."""
    if directory is not None:
        yield directory
        return
    temporary = tempfile.mkdtemp(prefix="gradebeam-")
    try:
        yield temporary
    except RunError:
        files.delete_empty(temporary)  # It may hold the rows that could not be read.
        raise
    except BaseException:
        files.delete(temporary)
        raise
    files.delete(temporary)


def _print_unreadable(output: str) -> None:
    """Print the first rows in quarantine; their number stands below the table."""
    lines = files.read_bytes(files.join(output, QUARANTINE), "quarantine").splitlines()
    for line in lines[:_SHOWN_UNREADABLE]:
        print_lines([f"  unreadable: {json.loads(line)['reason']}"])
    if len(lines) > _SHOWN_UNREADABLE:
        print_lines([f"  … and {len(lines) - _SHOWN_UNREADABLE:,} more"])


def _print_failures(result: RunResult, most: int) -> None:
    for (spec_index, outcome), found in result.examples.items():
        examples = found[: max(most, 0)]
        if outcome != "fail" or not examples:
            continue
        row = next(row for row in result.records if row["spec_index"] == spec_index)
        title = Text(f"✘ {visible_line(check_name(row))}", style="bold")
        shown = f", {len(examples)} of them" if len(examples) < row["failed"] else ""
        title.append(f" failed {row['failed']:,}{shown}", style="not bold")
        said = (f"  {visible_line(run.trajectory_id)}: {visible_line(run.evidence)}" for run in examples)
        print_lines(["", title, *said])
