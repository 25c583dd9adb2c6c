"""Pass rates by slice, as the template of the page takes them: a heat map for each slice key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.outputs.render.table import check_name, percent, slice_title

Row = Mapping[str, Any]

_MOST_VALUES = 40


def heat_maps(records: Sequence[Row], scores: Sequence[Row]) -> list[dict[str, Any]]:
    """For each slice key the pass rates of every spec and check by slice value, the largest values.

    Args:
        records: the rows of the summary.
        scores: the rows of the score table.
    """
    rates = {(row["spec_index"], row["slice_key"], row["slice_value"]): row for row in records}
    scored = {(row["spec"], row["slice_key"], row["slice_value"]): row for row in scores}
    found: list[dict[str, Any]] = []
    for key in sorted({row["slice_key"] for row in records} - {""}):
        sizes: dict[str, int] = {}
        for row in records:
            if row["slice_key"] == key:
                sizes[row["slice_value"]] = sizes.get(row["slice_value"], 0) + row["total"]
        values = sorted(sorted(sizes, key=lambda value: (-sizes[value], value))[:_MOST_VALUES])
        found.append(
            {
                "key": key,
                "shown": [slice_title(value) for value in values],
                "specs": [
                    {
                        "title": row["spec_name"] or f"spec {row['spec']}",
                        "cells": [_cell(scored.get((row["spec"], key, value))) for value in values],
                    }
                    for row in scores
                    if not row["slice_key"]
                ],
                "rows": [
                    {
                        "index": row["spec_index"],
                        "title": check_name(row),
                        "cells": [_cell(rates.get((row["spec_index"], key, value))) for value in values],
                    }
                    for row in records
                    if not row["slice_key"]
                ],
                "left_out": len(sizes) - len(values),
            }
        )
    return found


def _cell(row: Row | None) -> dict[str, Any]:
    if row is None or row["pass_rate"] is None:
        return {"heat": None, "rate": "–", "decided": ""}
    decided = row["passed"] + row["failed"]
    return {"heat": int(10 * row["pass_rate"]), "rate": percent(row["pass_rate"]), "decided": f"{decided:,}"}
