"""Changes against a baseline, as the template of the page takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.outputs.render.bars import number
from pipeline.outputs.render.comparison import (
    ambiguity_note,
    points,
    shown_transitions,
    transitions_title,
)
from pipeline.outputs.render.table import MARKS, check_name, percent

Row = Mapping[str, Any]
_UNPAIRED = ("only_base", "only_run", "ambiguous_base", "ambiguous_run")


def changes(comparison: Row) -> dict[str, Any]:
    """What the page shows of a comparison: `compare.json` read back, or about to be written."""
    first = comparison["changes"]["first"]
    return {
        "base": f"{comparison['base']['directory']} (run {comparison['base']['run_id']})",
        "rows": [_change(row) for row in shown_transitions(comparison)],
        "ambiguity": ambiguity_note(comparison),
        "count": f"{comparison['changes']['rows']:,}",
        "first": [
            {
                "check": check_name(row),
                "id": row["run_trajectory_id"],
                "before": row["base_outcome"],
                "outcome": row["run_outcome"],
                "mark": MARKS.get(row["run_outcome"], ""),
            }
            for row in first
        ],
    }


def _change(row: Row) -> dict[str, Any]:
    change: dict[str, Any] = {
        "title": transitions_title(row),
        "before": percent(row["base_pass_rate"]),
        "now": percent(row["run_pass_rate"]),
        "p": "–" if row["mcnemar_p"] is None else f"{row['mcnemar_p']:.3g}",
        "lost": f"{row['pass_to_fail']:,}",
        "gained": f"{row['fail_to_pass']:,}",
        "unpaired": f"{sum(row[name] for name in _UNPAIRED):,}",
        "points": "",
        "state": "",
    }
    if row["difference"] is not None:
        low, high = row["difference_low"], row["difference_high"]
        change["points"] = points(row["difference"])
        change["state"] = "worse" if high < 0 else "better" if low > 0 else "even"
        places = {"low_at": max(low, -1), "high_at": min(high, 1), "at": row["difference"]}
        change |= {name: number(104 + 100 * value) for name, value in places.items()}
    return change
