"""`gradebeam runs`: the finished runs below a directory, and what came of them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline import files
from pipeline.commands.lines import print_table
from pipeline.errors import InvalidError, invalid
from pipeline.outputs.commit import MANIFEST
from pipeline.outputs.render.name import Name
from pipeline.outputs.render.table import plain_table
from pipeline.plurals import counted

SUMMARY = "list the finished runs below a directory"
EPILOG = """examples:
  gradebeam runs graded            # the last one to finish at the end
  gradebeam runs graded --json     # for programs: an object a line"""

_COUNTS = ("trajectories", "passed", "failed", "abstained", "quarantined_rows")
_HEADS = {
    "trajectories": "trajectories",
    "passed": "verdicts:\npass",
    "failed": "\nfail",
    "abstained": "\nabstain",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("directory", metavar="DIR", help="an output directory, or one that holds several")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def start(options: argparse.Namespace) -> int:
    """List the runs, the last one to finish at the end."""
    found = sorted(_runs(options.directory), key=lambda run: (run["finished_at"], run["run_id"]))
    if not found:
        raise invalid(options.directory, "holds no finished run")
    if options.json:
        for run in found:
            print(json.dumps(run, ensure_ascii=False))
        return 0
    table = plain_table()
    table.add_column("output")
    for head in ("finished (UTC)", *_HEADS.values(), "gates"):
        table.add_column(head, justify="right", no_wrap=True)
    for run in found:
        unreadable = run["counts"]["quarantined_rows"]
        output = Name(run["output"], [counted(unreadable, "unreadable row")] if unreadable else [])
        counts = (f"{run['counts'][name]:,}" for name in _HEADS)
        table.add_row(output, run["finished_at"][:16].replace("T", " "), *counts, run["gates"])
    print_table(table)
    return 0


def _runs(directory: str) -> Iterator[dict[str, Any]]:
    below = directory.rstrip("/") or "/"
    paths = {path for path, _ in files.glob(f"{below}/**/{MANIFEST}")}
    if files.exists(own := files.join(below, MANIFEST)):
        paths.add(own)
    for path in sorted(paths):
        if "/.staging-" in path:  # Not committed.
            continue
        try:
            manifest = json.loads(files.read_bytes(path, "manifest"))
            yield {
                "run_id": manifest["run_id"],
                "output": path.removesuffix(f"/{MANIFEST}"),
                "finished_at": manifest["timings"]["finished_at"],
                "runner": manifest["runner"],
                "specs": [spec["name"] for spec in manifest["specs"]],
                "counts": {name: manifest["counts"][name] for name in _COUNTS},
                "gates": _gates(manifest["gates"]),
            }
        except (InvalidError, ValueError, KeyError, TypeError):
            continue  # Somebody else's file of that name.


def _gates(results: Sequence[Mapping[str, Any]]) -> str:
    """What came of the gates of a run."""
    if not results:
        return "none"
    return "met" if all(result["is_met"] for result in results) else "not met"
