"""`gradebeam report`: write the report of a finished run again."""

from __future__ import annotations

import argparse

from pipeline import files
from pipeline.outputs.commit import REPORT

SUMMARY = "write report.html of a finished run"
EPILOG = """examples:
  gradebeam report graded                      # graded/report.html
  gradebeam report graded --output page.html
  gradebeam report graded --comparison changes # with the changes that compare found

The conversations on the page are read from the inputs of the run, under the names that they had then;
where those are gone, the page is made without."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let the command take its flags."""
    parser.add_argument("run", metavar="RUN", help="the output directory of the run")
    parser.add_argument("--output", metavar="FILE", help=f"where to write (RUN/{REPORT})")
    parser.add_argument(
        "--comparison",
        metavar="DIR",
        help="what compare wrote: shows the changes against its base (those of run --baseline)",
    )


def start(options: argparse.Namespace) -> int:
    """Write the page, whole or not at all."""
    from pipeline.errors import InvalidError  # noqa: PLC0415  (--help needs no Arrow)
    from pipeline.outputs.comparison_files import read_comparison  # noqa: PLC0415
    from pipeline.outputs.examples import read_examples  # noqa: PLC0415
    from pipeline.outputs.finished import open_run  # noqa: PLC0415
    from pipeline.outputs.render.html import html_report  # noqa: PLC0415
    from pipeline.outputs.report import gather  # noqa: PLC0415
    from pipeline.outputs.stored import read_table  # noqa: PLC0415
    from pipeline.sources.inputs import find_inputs  # noqa: PLC0415
    from pipeline.sources.records import ColumnMap  # noqa: PLC0415

    run = open_run(options.run)
    compared = options.comparison or (options.run if run.manifest.get("baseline") else None)
    comparison = read_comparison(compared) if compared else None
    tables = {name: read_table(run, name) for name in ("summary", "scores")}
    try:
        columns = ColumnMap.of(run.manifest["columns"])
        inputs = find_inputs([item["path"] for item in run.manifest["inputs"]], columns)
    except InvalidError:  # They are gone; what the run left tells most of it.
        inputs = None
    examples = read_examples(options.run)
    page = html_report(gather(options.run, run.manifest, tables, comparison, examples, inputs))
    path = options.output or files.join(options.run, REPORT)
    draft = f"{path}.part"
    with files.open_write(draft) as file:
        file.write(page)
    files.rename(draft, path)
    print(f"written to {path}")
    return 0
