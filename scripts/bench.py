"""Time gradebeam side by side with other ways to do the same; trust the ratios, not the seconds.

`--suite ten`: ten checks, as whole commands against three others: `plain` is a Python loop over dicts,
`naive` the same checks in Beam, row by row, `polars` a script by hand. They count; gradebeam writes a verdict
with its evidence for every check and run. All must count alike. Commands take turns, so that whatever else
the machine does meets all of them. Then the stages in one process: grading against the scan of its columns.

`--suite wide`: what a check costs among a thousand of mixed types, against one among twenty.

`--scale`: speed and memory from one run to a million, see bench_scale.py.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import sys

import pyarrow.parquet as pq
from bench_data import make_data
from bench_measure import Measured, measure
from bench_scale import ROOT, ROWS, SPEC, run_scale
from bench_stages import Stages, time_stages
from bench_wide import wide_spec
from rich.console import Console
from rich.table import Table

from pipeline.specs.load import load_spec

CHECKS = 10
FEW_CHECKS, MANY_CHECKS = 20, 1000
BASELINES = ("plain", "naive", "polars")


def passed(each: Measured, output: pathlib.Path | None) -> list[int]:
    """How many runs passed each check: what a command printed, unless it left its tables in `output`."""
    if output is None:
        return json.loads(each.printed)
    counts = pq.read_table(output / "summary.parquet", columns=["passed"])["passed"].to_pylist()
    shutil.rmtree(output)
    return counts


def gradebeam(data: pathlib.Path, workers: int | None) -> tuple[list[str], pathlib.Path]:
    """The command that grades, and where it leaves its tables."""
    output = data.parent / "graded"
    command = [sys.executable, "-m", "pipeline", "run", "--spec", str(SPEC), "--input", str(data)]
    command += ["--output", str(output), "--overwrite"]
    return command + ([] if workers is None else ["--workers", str(workers)]), output


def compare(data: pathlib.Path, options: argparse.Namespace) -> None:
    """Let all commands take turns, and print their times side by side."""
    paths = sorted(map(str, data.glob("*.parquet")))
    commands: dict[str, tuple[list[str], pathlib.Path | None]] = {
        "gradebeam": gradebeam(data, options.workers)
    }
    for name in BASELINES:
        commands[name] = ([sys.executable, str(ROOT / "scripts" / f"bench_{name}.py"), *paths], None)
    measured: dict[str, list[Measured]] = {name: [] for name in commands}
    counts: set[tuple[int, ...]] = set()
    for number in range(options.rounds):
        for name, (command, output) in commands.items():
            each = measure(command)
            counts.add(tuple(passed(each, output)))
            measured[name].append(each)
            print(f"round {number + 1}: {name} {each.seconds:.2f} s", file=sys.stderr)
    if len(counts) > 1:
        sys.exit(f"the commands count differently: {sorted(counts)}")

    table = Table(title=f"{options.rows:,} runs, {CHECKS} checks, medians of {options.rounds} rounds")
    for title in (
        "command",
        "seconds",
        "least",
        "CPU seconds",
        "µs a run",
        "runs a second",
        "times gradebeam",
        "peak MB",
    ):
        table.add_column(title, justify="left" if title == "command" else "right")
    own = statistics.median(each.seconds for each in measured["gradebeam"])
    for name, several in measured.items():
        seconds = statistics.median(each.seconds for each in several)
        table.add_row(
            name,
            f"{seconds:.2f}",
            f"{min(each.seconds for each in several):.2f}",
            f"{statistics.median(each.cpu_seconds for each in several):.2f}",
            f"{1e6 * seconds / options.rows:.1f}",
            f"{options.rows / seconds:,.0f}",
            f"{seconds / own:.2f}",
            f"{max(each.tree_mb for each in several):,.0f}",
        )
    Console(width=100).print(table)


def _print_stages(title: str, measured: dict[str, tuple[int, list[Stages]]]) -> None:
    table = Table(title=f"{title}; CPU µs a run, medians of {len(next(iter(measured.values()))[1])} rounds")
    for heading in ("checks", "scan", "convert", "grade", "write", "grade / scan", "grade, per check"):
        table.add_column(heading, justify="left" if heading == "checks" else "right")
    for name, (checks, rounds) in measured.items():
        scan, convert, grading, write = (
            statistics.median(each.microseconds(stage) for each in rounds)
            for stage in ("scan", "convert", "grade", "write")
        )
        figures = (scan, convert, grading, write, grading / scan, grading / checks)
        table.add_row(name, *(f"{figure:.2f}" for figure in figures))
    Console(width=100).print(table)


def ten_stages(data: pathlib.Path, options: argparse.Namespace) -> None:
    """Print what the stages of the ten checks take."""
    entries = load_spec(str(SPEC)).entries
    path = min(data.glob("*.parquet"))
    rounds = [time_stages(entries, path, row_groups=10) for _ in range(options.rounds)]
    _print_stages("Stages in one process", {"ten": (len(entries), rounds)})


def wide_stages(data: pathlib.Path, options: argparse.Namespace) -> None:
    """Print what a check costs among few and among many; the two take turns."""
    path = min(data.glob("*.parquet"))
    measured: dict[str, tuple[int, list[Stages]]] = {}
    for checks in (FEW_CHECKS, MANY_CHECKS):
        spec = data.parent / f"wide-{checks}.json"
        spec.write_text(json.dumps(wide_spec(checks)), encoding="utf-8")
        measured[f"{checks:,} of 20 kinds"] = checks, []
    for _ in range(options.rounds):
        for checks, rounds in measured.values():
            entries = load_spec(str(data.parent / f"wide-{checks}.json")).entries
            rounds.append(time_stages(entries, path, row_groups=4))
    _print_stages("Many checks share their work", measured)


def main() -> None:
    """Make the data once, measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--suite", choices=("ten", "wide"), default="ten", help="what to time (ten)")
    parser.add_argument("--rows", type=int, default=100_000, help="how many runs (100000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each command takes its turn (3)")
    parser.add_argument("--workers", type=int, help="worker processes of gradebeam (by size and cores)")
    parser.add_argument("--scale", action="store_true", help="speed and memory by size and workers instead")
    parser.add_argument(
        "--max-rows", type=int, default=ROWS[-1], help="with --scale: at most so many runs (10⁶)"
    )
    parser.add_argument(
        "--shapes",
        choices=("all", "small", "none"),
        default="all",
        help="with --scale: shapes at the edge; small: without that of 2 GB",
    )
    options = parser.parse_args()
    place = ROOT / ".bench"
    if options.scale:
        place.mkdir(exist_ok=True)
        run_scale(place, options)
        return
    data = make_data(place, options.rows)
    if options.suite == "wide":
        wide_stages(data, options)
    else:
        compare(data, options)
        ten_stages(data, options)


if __name__ == "__main__":
    main()
