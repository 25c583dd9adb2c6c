"""The slices of a run on the terminal: the worst cells of all, and how many more there are."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from pipeline.outputs.render.name import Name
from pipeline.outputs.render.table import add_counts, check_title, counts_of, plain_table, slice_title
from pipeline.plurals import counted

Row = Mapping[str, Any]

_MOST_CELLS = 10


def worst_cells(records: Sequence[Row]) -> tuple[str, Table]:
    """A title, and the table of the cells whose intervals end lowest.

    A cell that failed once of once is thus not worse than one that failed 90 times of a hundred.

    Args:
        records: the rows of the summary that are of slices.
    """
    decided = [row for row in records if row["pass_rate"] is not None]
    worst = heapq.nsmallest(_MOST_CELLS, decided, key=lambda row: (row["wilson_high"], -row["failed"]))
    table = plain_table()
    table.add_column("check")
    table.add_column("slice")
    add_counts(table)
    for row in worst:
        slice_ = f"{row['slice_key']} = {slice_title(row['slice_value'])}"
        table.add_row(Name(check_title(row)), Name(slice_), *counts_of(row))
    if len(worst) == len(records):
        return "slices, the worst first:", table
    title = f"slices: the {counted(len(worst), 'worst cell')} of {len(records):,}, each a check in a slice"
    return f"{title}; the summary has all", table
