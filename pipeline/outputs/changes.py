"""Changes: the trajectories whose verdict went from pass to fail or back from one run to another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

CHANGES_SCHEMA = pa.schema(
    [
        ("check", pa.int32()),
        ("check_type", pa.string()),
        ("check_name", pa.string()),
        ("base_outcome", pa.string()),
        ("run_outcome", pa.string()),
        ("sample_id", pa.string()),
        ("trial", pa.int32()),
        ("base_trajectory_id", pa.string()),
        ("run_trajectory_id", pa.string()),
    ]
)
"""One row per trajectory and check; `check` is the number of the check in `compare.json`."""

LISTED = 100
"""How many changes `compare.json` lists."""

_ORDER = ["run_outcome", "check", "sample_id", "trial", "run_trajectory_id"]


def sort_changes(changes: pa.Table) -> pa.Table:
    """The rows in an order of their own: those that fail now first, then by check and sample."""
    return changes.sort_by([(name, "ascending") for name in _ORDER])


def changes_name(share: int, shares: int) -> str:
    """The name of the file with the changes of one share of the trajectories."""
    return f"part-{share:05}-of-{shares:05}.parquet"


def first_changes(lists: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The first changes of all, given the first of each share."""
    rows = list(itertools.chain.from_iterable(lists))
    return sort_changes(pa.Table.from_pylist(rows, CHANGES_SCHEMA)).slice(0, LISTED).to_pylist()
