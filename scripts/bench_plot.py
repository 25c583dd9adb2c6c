"""A picture of speed and memory over the number of rows."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure


def plot(
    series: Mapping[str, Sequence[tuple[int, float, float]]], bound_mb: float, paths: Sequence[pathlib.Path]
) -> None:
    """Draw the points of some series, and write the picture to files, in the formats that their names say.

    Args:
        series: by name, points as (runs, runs a second, megabytes of the largest process).
        bound_mb: what a process should not hold, drawn as a line.
        paths: where to.
    """
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    speed, memory = figure.subplots(1, 2)
    for name, points in series.items():
        rows, rows_per_second, process_mb = zip(*sorted(points), strict=True)
        speed.plot(rows, rows_per_second, marker="o", label=name)
        memory.plot(rows, process_mb, marker="o", label=name)
    speed.set(title="Speed, start included", xlabel="runs", ylabel="runs a second")
    speed.set(xscale="log", yscale="log")
    memory.axhline(bound_mb, color="grey", linestyle="--", label="bound")
    memory.set(title="Memory of the largest process", xlabel="runs", ylabel="MB", xscale="log")
    memory.set_ylim(bottom=0)
    speed.grid(visible=True, alpha=0.3)
    memory.grid(visible=True, alpha=0.3)
    memory.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    for path in paths:
        figure.savefig(path)
