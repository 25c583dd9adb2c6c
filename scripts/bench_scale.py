"""How speed and memory go with the size of the input: rows, sizes of runs, workers, and shapes at the edge.

Prints tables, and writes `scale.json`, `scale.svg` and `scale.png` beside the data. The memory is that of
single processes: of each worker, and of the one that starts the run, which is the worker where that is one.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import shutil
import statistics
import sys
from collections.abc import Sequence

from bench_bounds import SHAPES
from bench_data import EVEN, Corpus, make_data
from bench_heavy import HEAVY
from bench_measure import Measured, measure
from bench_plot import plot
from rich.console import Console
from rich.table import Table

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPEC = ROOT / "configs" / "specs" / "bench-ten.yaml"
PRISM = ROOT / ".cluster" / "bin" / "prism"
ROWS = (10_000, 100_000, 1_000_000)
MOST_HEAVY_ROWS = 20_000
MOST_PRISM_ROWS = 100_000
MEMORY_BOUND_MB = 600
WAYS = ("1 worker", "2 workers", "Prism")


@dataclasses.dataclass(frozen=True)
class Figures:
    """What an input took, by the median of some rounds; memory by the largest.

    Attributes:
        input: what was graded.
        rows: its trajectories.
        way: on which workers.
        seconds: of the whole command.
        cpu_seconds: of all its processes.
        process_mb: the most memory that one of its processes held.
        tree_mb: the most that they held together.
    """

    input: str
    rows: int
    way: str
    seconds: float
    cpu_seconds: float
    process_mb: float
    tree_mb: float

    @property
    def rows_per_second(self) -> float:
        """Trajectories a second, start included."""
        return self.rows / self.seconds

    @property
    def is_in_bound(self) -> bool:
        """Whether each process held less than the bound."""
        return self.process_mb < MEMORY_BOUND_MB


def command(data: pathlib.Path, way: str) -> tuple[list[str], pathlib.Path]:
    """The command that grades a directory in one of the `WAYS`, and where it leaves its tables."""
    output = data.parent / "graded"
    run = [sys.executable, "-m", "pipeline", "run", "--spec", str(SPEC), "--input", str(data)]
    run += ["--output", str(output), "--overwrite"]
    if way != "Prism":
        return [*run, "--workers", way[0]], output
    options = ["--runner=PrismRunner", f"--prism_location={PRISM}", "--environment_type=EXTERNAL"]
    pool = f"localhost:{os.environ.get('POOL_PORT', '50000')}"
    cluster = [str(ROOT / "scripts" / "cluster"), "prism", *run, "--"]
    return [*cluster, *options, f"--environment_config={pool}"], output


def figures(label: str, rows: int, data: pathlib.Path, ways: Sequence[str], rounds: int) -> list[Figures]:
    """Grade an input in some ways, which take turns."""
    measured: dict[str, list[Measured]] = {way: [] for way in ways}
    for number in range(rounds):
        for way in ways:
            arguments, output = command(data, way)
            each = measure(arguments)
            shutil.rmtree(output)
            measured[way].append(each)
            print(f"round {number + 1}: {label}, {rows:,} runs, {way}: {each.seconds:.1f} s", file=sys.stderr)
    return [
        Figures(
            label,
            rows,
            way,
            statistics.median(each.seconds for each in several),
            statistics.median(each.cpu_seconds for each in several),
            max(each.process_mb for each in several),
            max(each.tree_mb for each in several),
        )
        for way, several in measured.items()
    ]


def table(title: str, found: Sequence[Figures]) -> Table:
    """The figures side by side; `times 1 worker` is by their seconds."""
    result = Table(title=title)
    for heading in ("input", "runs", "on"):
        result.add_column(heading)
    for heading in (
        "seconds",
        "CPU seconds",
        "runs a second",
        "CPU s per 10⁶ runs",
        "times 1 worker",
        "MB, largest process",
        "MB, all",
    ):
        result.add_column(heading, justify="right")
    single = {(each.input, each.rows): each.seconds for each in found if each.way == WAYS[0]}
    for each in found:
        alone = single.get((each.input, each.rows))
        by_row = f"{each.rows_per_second:,.0f}", f"{1e6 * each.cpu_seconds / each.rows:,.1f}"
        result.add_row(
            each.input,
            f"{each.rows:,}",
            each.way,
            f"{each.seconds:.2f}",
            f"{each.cpu_seconds:.2f}",
            *(by_row if each.rows > 1 else ("", "")),
            "" if alone is None else f"{alone / each.seconds:.2f}",
            f"{each.process_mb:,.0f}{'' if each.is_in_bound else ' too much'}",
            f"{each.tree_mb:,.0f}",
        )
    return result


def _sizes(place: pathlib.Path, options: argparse.Namespace, ways: Sequence[str]) -> list[Figures]:
    sizes: list[tuple[str, Corpus, int]] = [
        *(("even", EVEN, rows) for rows in (1, *ROWS) if rows <= options.max_rows),
        *(("heavy-tailed", HEAVY, rows) for rows in (ROWS[0], MOST_HEAVY_ROWS) if rows <= options.max_rows),
    ]
    found: list[Figures] = []
    for label, corpus, rows in sizes:
        data = make_data(place, rows, corpus)
        here = [way for way in ways if way != "Prism" or rows <= MOST_PRISM_ROWS]
        found += figures(label, rows, data, here, options.rounds)
    return found


def _bounds(place: pathlib.Path, options: argparse.Namespace) -> list[Figures]:
    found: list[Figures] = []
    shapes = [] if options.shapes == "none" else SHAPES
    for shape in shapes:
        if shape.is_large and options.shapes == "small":
            continue
        data = place / f"shape-{shape.name.replace(' ', '-').replace(',', '')}"
        data.mkdir(parents=True, exist_ok=True)
        shape.write(data)
        found += figures(shape.name, shape.rows, data, WAYS[:2], 1)
    return found


def run_scale(place: pathlib.Path, options: argparse.Namespace) -> None:
    """Measure all that is asked for, print it and write it down."""
    ways = WAYS if PRISM.exists() else WAYS[:2]
    if ways != WAYS:
        print("Prism is not built (scripts/cluster install does that), so it is left out", file=sys.stderr)
    sizes = _sizes(place, options, ways)
    bounds = _bounds(place, options)
    console = Console(width=140)
    console.print(table(f"Whole commands, ten checks, medians of {options.rounds} rounds", sizes))
    if bounds:
        console.print(table(f"Shapes at the edge, one round; at most {MEMORY_BOUND_MB} MB a process", bounds))
    document = {
        "machine": {"cores": os.cpu_count(), "processor": platform.machine()},
        "rounds": options.rounds,
        "sizes": [dataclasses.asdict(each) for each in sizes],
        "bounds": [dataclasses.asdict(each) for each in bounds],
    }
    (place / "scale.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    series: dict[str, list[tuple[int, float, float]]] = {}
    for each in sizes:
        if each.rows > 1:
            point = each.rows, each.rows_per_second, each.process_mb
            series.setdefault(f"{each.input}, {each.way}", []).append(point)
    plot(series, MEMORY_BOUND_MB, [place / "scale.svg", place / "scale.png"])
    print(f"written: {', '.join(str(place / f'scale.{kind}') for kind in ('json', 'svg', 'png'))}")
