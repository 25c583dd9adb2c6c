"""The summary as a table on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pipeline.outputs.render.name import Name
from pipeline.plurals import counted

MARKS = {"fail": "✘", "pass": "✔", "abstain": "○"}
"""What stands before an outcome."""


def plain_table() -> Table:
    """A rich table without columns, in the style of all of ours."""
    return Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))


def console_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """A rich table of the summary's rows; why trajectories abstained stands below a check."""
    table = plain_table()
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("check")
    add_counts(table)
    for row in records:
        abstained = [f"{code} {count:,}" for code, count in row["abstain_reasons"].items()]
        table.add_row(str(row["spec_index"]), Name(check_title(row), abstained), *counts_of(row))
    return table


def add_counts(table: Table) -> None:
    """Give a table the columns for what `counts_of` gives."""
    for name in ("pass", "fail", "abstain", "pass rate (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)


def counts_of(row: Mapping[str, Any]) -> list[str]:
    """The counts and the pass rate of a row of the summary, as cells."""
    rate = percent(row["pass_rate"]) + ("" if row["pass_rate"] is None else f" ({interval(row)})")
    return [*(f"{row[name]:,}" for name in ("passed", "failed", "abstained")), rate]


def check_title(row: Mapping[str, Any]) -> str:
    """What the check of a row is called, with a note where it is advisory."""
    return f"{check_name(row)}{' (advisory)' if row['advisory'] else ''}"


def check_name(row: Mapping[str, Any]) -> str:
    """What the check of a row is called: by its name, or else its type."""
    return row["check_name"] or row["check_type"]


def slice_title(value: str) -> str:
    """What a slice value is called; the empty text is not what is missing, which is `(none)`."""
    return value or '""'


_SHOWN_K = 10


def score_lines(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each spec says of all trajectories, a line each, with the digits that others publish."""
    return [_score_line(row) for row in scores if not row["slice_key"]]


def _score_line(row: Mapping[str, Any]) -> str:
    name = f"spec {row['spec']}" + (f" ({row['spec_name']})" if row["spec_name"] else "")
    passed = counted(row["passed"], "trajectory")
    counts = f"{passed} passed, {row['failed']:,} failed, {row['undecided']:,} undecided"
    if row["pass_rate"] is None:
        return f"{name}: {counts}"
    errors = [
        f"{what} {row[column]:.6f}"
        for what, column in (
            ("standard error", "standard_error"),
            ("clustered by sample", "standard_error_clustered"),
        )
        if row[column] is not None
    ]
    interval_ = f"95 % [{row['wilson_low']:.5f}, {row['wilson_high']:.5f}]"
    return f"{name}: {counts}; " + ", ".join([f"rate {row['pass_rate']:.5f}", interval_, *errors])


def has_trials(scores: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some sample has several decided trials, so that pass@k and pass^k say something."""
    return any(len(row["pass_at_k"]) > 1 for row in scores)


def trial_rows(scores: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Spec, k, samples, pass@k and pass^k over all trajectories, for the first k as texts."""
    return [
        [str(row["spec"]), str(k), f"{samples:,}", f"{at_least_one:.4f}", f"{all_of_them:.4f}"]
        for row in scores
        if not row["slice_key"]
        for k, (samples, at_least_one, all_of_them) in enumerate(
            zip(row["samples_at_k"], row["pass_at_k"], row["pass_hat_k"], strict=True), 1
        )
        if k <= _SHOWN_K
    ]


def trial_table(scores: Sequence[Mapping[str, Any]]) -> Table:
    """A rich table of pass@k and pass^k."""
    table = plain_table()
    for name in ("spec", "k", "samples", "pass@k", "pass^k"):
        table.add_column(name, justify="right")
    for cells in trial_rows(scores):
        table.add_row(*cells)
    return table


def percent(rate: float | None) -> str:
    """A rate as a percentage; a dash where there is none."""
    return "–" if rate is None else f"{100 * rate:.1f} %"


def interval(row: Mapping[str, Any]) -> str:
    """The Wilson interval of a row."""
    if row["wilson_low"] is None:
        return "–"
    return f"{100 * row['wilson_low']:.1f}–{100 * row['wilson_high']:.1f}"


def reasons(row: Mapping[str, Any]) -> str:
    """Why trajectories of a row abstained."""
    return ", ".join(f"{code} {count:,}" for code, count in row["abstain_reasons"].items())
