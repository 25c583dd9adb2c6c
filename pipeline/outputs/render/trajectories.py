"""Trajectories that pass, and pass@k, as the template of the page takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.outputs.render.bars import bar, rate
from pipeline.outputs.render.table import has_trials, percent, trial_rows


def trajectories(scores: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A row per spec over all trajectories; and pass@k and pass^k, where samples have several trials.

    Args:
        scores: the rows of the score table.
    """
    whole = [row for row in scores if not row["slice_key"]]
    return {
        "rows": [
            {
                "spec": row["spec"],
                "title": row["spec_name"] or f"spec {row['spec']}",
                "total": row["total"],
                "samples": f"{row['samples']:,}",
                **{name: f"{row[name]:,}" for name in ("passed", "failed", "undecided")},
                **bar(row, "undecided"),
                **rate(row),
                "error": percent(row["standard_error_clustered"]),
            }
            for row in whole
        ],
        "trials": trial_rows(whole) if has_trials(whole) else [],
    }
