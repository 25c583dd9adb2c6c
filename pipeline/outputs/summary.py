"""The summary table: a row per check, and per check and slice value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from graders.arrays import replace_surrogates
from graders.resampling import Counts
from graders.scope import CheckEntry
from graders.statistics import Clusters, clustered_error, standard_error
from graders.tally import Tally
from pipeline.outputs.formats import TableForm
from pipeline.outputs.ledger import Cell
from pipeline.outputs.rates import (
    BOOTSTRAP_FIELDS,
    COUNT_FIELDS,
    MATCH_FIELDS,
    RATE_FIELDS,
    bootstrap_columns,
    tally_columns,
)

SUMMARY = TableForm(
    "summary",
    pa.schema(
        [
            ("spec_index", pa.int32()),
            ("check_type", pa.string()),
            ("check_name", pa.string()),
            ("slice_key", pa.string()),
            ("slice_value", pa.string()),
            *COUNT_FIELDS,
            *RATE_FIELDS,
            ("standard_error", pa.float64()),
            ("standard_error_clustered", pa.float64()),
            *BOOTSTRAP_FIELDS,
            *MATCH_FIELDS,
            ("advisory", pa.bool_()),
            ("never_seen_tools", pa.list_(pa.string())),
        ]
    ),
    never_null=frozenset(
        {
            *("spec_index", "check_type", "slice_key", "slice_value", "advisory"),
            *("total", "passed", "failed", "abstained", "abstain_reasons"),
        }
    ),
)


def summary_table(
    cells: Mapping[Cell, Tally],
    entries: Sequence[CheckEntry],
    clusters: Mapping[Cell, Clusters] | None = None,
    replicates: Mapping[tuple[int, str], tuple[Counts, Counts]] | None = None,
) -> pa.Table:
    """One row per entry and per slice value of it, sorted; an entry without verdicts has a total of 0.

    Args:
        cells: their tallies.
        entries: the checks.
        clusters: what the clustered errors rest on, where it is known.
        replicates: passed and decided ones of each check in bootstrap replicates, if there are any.
    """
    by_index = {entry.spec_index: entry for entry in entries}
    none = {(entry.spec_index, entry.check_type, "", ""): Tally() for entry in entries}
    rows = sorted({**none, **cells}.items())
    keys = [key for key, _ in rows]
    tallies = [tally for _, tally in rows]
    ordered = [by_index[key[0]] for key in keys]
    known = clusters or {}
    columns = {
        "spec_index": [key[0] for key in keys],
        "check_type": [key[1] for key in keys],
        "check_name": [None if entry.name is None else replace_surrogates(entry.name) for entry in ordered],
        "slice_key": [key[2] for key in keys],
        "slice_value": [key[3] for key in keys],
        **tally_columns(tallies, [entry.check.counts_matches for entry in ordered]),
        "standard_error": [standard_error(tally.passed, tally.passed + tally.failed) for tally in tallies],
        "standard_error_clustered": [
            clustered_error(tally.passed, tally.passed + tally.failed, known[key]) if key in known else None
            for key, tally in rows
        ],
        **bootstrap_columns([None if key[2] else (replicates or {}).get(key[:2]) for key in keys]),
        "advisory": [entry.advisory for entry in ordered],
        "never_seen_tools": [
            None if key[2] else never_seen(entry, tally)
            for key, entry, tally in zip(keys, ordered, tallies, strict=True)
        ],
    }
    return SUMMARY.fill(columns)


def never_seen(entry: CheckEntry, tally: Tally) -> list[str]:
    """The tools that the entry lists and no trajectory of the run called, sorted."""
    return sorted(
        replace_surrogates(tool.text)
        for bit, tool in enumerate(entry.check.listed_tools())
        if not tally.seen_tools >> bit & 1
    )
