"""The summary as a table on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table


def console_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """A rich table of the summary's rows."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("check", overflow="fold")
    for name in ("pass", "fail", "abstain", "pass rate (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)
    has_reasons = any(row["abstain_reasons"] for row in records)
    if has_reasons:
        table.add_column("abstained because", overflow="fold")
    for row in records:
        cells = [
            str(row["spec_index"]),
            _plain(row["check_name"] or row["check_type"]) + (" (advisory)" if row["advisory"] else ""),
            f"{row['passed']:,}",
            f"{row['failed']:,}",
            f"{row['abstained']:,}",
            percent(row["pass_rate"]) + ("" if row["pass_rate"] is None else f" ({interval(row)})"),
        ]
        table.add_row(*cells, *([reasons(row)] if has_reasons else []))
    return table


def _plain(text: str) -> str:
    """A text without markup of its own."""
    return text.replace("[", r"\[")


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
