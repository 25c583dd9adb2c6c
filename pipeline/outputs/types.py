"""The type table: a row per check type and slice value, the sums over its checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline.outputs.formats import TableForm
from pipeline.outputs.ledger import Cell
from pipeline.outputs.rates import COUNT_FIELDS, MATCH_FIELDS, RATE_FIELDS, tally_columns

TYPES = TableForm(
    "types",
    pa.schema(
        [
            ("check_type", pa.string()),
            ("slice_key", pa.string()),
            ("slice_value", pa.string()),
            ("checks", pa.int64()),
            *COUNT_FIELDS,
            *RATE_FIELDS,
            *MATCH_FIELDS,
        ]
    ),
    never_null=frozenset(
        {
            *("check_type", "slice_key", "slice_value", "checks"),
            *("total", "passed", "failed", "abstained", "abstain_reasons"),
        }
    ),
)


def type_table(cells: Mapping[Cell, Tally], entries: Sequence[CheckEntry]) -> pa.Table:
    """The sums over the checks of each type, all and per slice value, sorted."""
    sums = {(entry.check_type, "", ""): Tally() for entry in entries}
    for (_, *key), tally in cells.items():
        check_type, slice_key, value = key
        sums[check_type, slice_key, value] = sums.get((check_type, slice_key, value), Tally()).merge(tally)
    rows = sorted(sums.items())
    keys = [key for key, _ in rows]
    with_matches = {entry.check_type for entry in entries if entry.check.counts_matches}
    columns = {
        "check_type": [key[0] for key in keys],
        "slice_key": [key[1] for key in keys],
        "slice_value": [key[2] for key in keys],
        "checks": [sum(entry.check_type == key[0] for entry in entries) for key in keys],
        **tally_columns([tally for _, tally in rows], [key[0] in with_matches for key in keys]),
    }
    return TYPES.fill(columns)
