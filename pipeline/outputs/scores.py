"""The score table: what the checks of a spec say together of trajectories and samples, per slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from graders.arrays import replace_surrogates
from graders.resampling import Counts
from graders.statistics import Clusters, clustered_error, pass_rates, standard_error
from pipeline.outputs.formats import TableForm
from pipeline.outputs.ledger import SampleCount
from pipeline.outputs.rates import BOOTSTRAP_FIELDS, RATE_FIELDS, bootstrap_columns, rate_columns

SCORES = TableForm(
    "scores",
    pa.schema(
        [
            ("spec", pa.int32()),
            ("spec_name", pa.string()),
            ("slice_key", pa.string()),
            ("slice_value", pa.string()),
            ("total", pa.int64()),
            ("passed", pa.int64()),
            ("failed", pa.int64()),
            ("undecided", pa.int64()),
            *RATE_FIELDS,
            ("standard_error", pa.float64()),
            ("standard_error_clustered", pa.float64()),
            *BOOTSTRAP_FIELDS,
            ("samples", pa.int64()),
            ("pass_at_k", pa.list_(pa.float64())),
            ("pass_hat_k", pa.list_(pa.float64())),
            ("samples_at_k", pa.list_(pa.int64())),
        ]
    ),
    never_null=frozenset(
        {
            *("spec", "slice_key", "slice_value", "total", "passed", "failed", "undecided"),
            *("samples", "pass_at_k", "pass_hat_k", "samples_at_k"),
        }
    ),
)


def score_table(
    samples: Mapping[tuple[int, str, str], Sequence[SampleCount]],
    names: Sequence[str | None],
    replicates: Mapping[tuple[int, str], tuple[Counts, Counts]] | None = None,
) -> pa.Table:
    """One row per spec and per slice value of it, sorted; a spec without trajectories has a total of 0.

    Args:
        samples: per (spec, slice key, slice value) how many samples have which counts.
        names: those of the specs.
        replicates: passed and decided runs of each (spec, "") in bootstrap replicates, if there are any.
    """
    none = {(spec, "", ""): [] for spec in range(len(names))}
    keys, counts = zip(*sorted({**none, **samples}.items()), strict=True)
    total, decided, passed = ([sum(row[at] * row[3] for row in rows) for rows in counts] for at in range(3))
    failed = [n - c for n, c in zip(decided, passed, strict=True)]
    rates = [pass_rates(_by_decided(rows)) for rows in counts]
    columns = {
        "spec": [key[0] for key in keys],
        "spec_name": [None if (name := names[key[0]]) is None else replace_surrogates(name) for key in keys],
        "slice_key": [key[1] for key in keys],
        "slice_value": [key[2] for key in keys],
        "total": total,
        "passed": passed,
        "failed": failed,
        "undecided": [trials - n for trials, n in zip(total, decided, strict=True)],
        **rate_columns(passed, failed, total),
        "standard_error": [standard_error(c, n) for c, n in zip(passed, decided, strict=True)],
        "standard_error_clustered": [
            clustered_error(c, n, _clusters(rows)) for c, n, rows in zip(passed, decided, counts, strict=True)
        ],
        **bootstrap_columns([None if key[1] else (replicates or {}).get((key[0], "")) for key in keys]),
        "samples": [sum(row[3] for row in rows) for rows in counts],
        "pass_at_k": [rate.at_least_one for rate in rates],
        "pass_hat_k": [rate.all_of_them for rate in rates],
        "samples_at_k": [rate.samples for rate in rates],
    }
    return SCORES.fill(columns)


def _by_decided(rows: Sequence[SampleCount]) -> dict[tuple[int, int], int]:
    counts: dict[tuple[int, int], int] = {}
    for _, decided, passed, count in rows:
        counts[decided, passed] = counts.get((decided, passed), 0) + count
    return counts


def _clusters(rows: Sequence[SampleCount]) -> Clusters:
    return Clusters(
        sum(count for _, n, _, count in rows if n),
        sum(count * n * n for _, n, _, count in rows),
        sum(count * n * c for _, n, c, count in rows),
        sum(count * c * c for _, _, c, count in rows),
    )
