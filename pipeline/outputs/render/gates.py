"""Gates for people: on the terminal and in Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rich import markup
from rich.table import Table

from pipeline.outputs.gate_results import GateResult
from pipeline.outputs.render.markdown import escape
from pipeline.outputs.render.table import plain_table

_HEADS = ("gate", "over", "met", "found")


def gates_table(results: Sequence[GateResult]) -> Table:
    """A rich table of all gates, met or not."""
    table = plain_table()
    for head in _HEADS:
        table.add_column(head, overflow="fold")
    for result in results:
        table.add_row(*map(markup.escape, _cells(result)), style=None if result.is_met else "bold red")
    return table


def gates_section(results: Sequence[GateResult]) -> list[str]:
    """All gates, met or not, as lines of Markdown."""
    missed = sum(not result.is_met for result in results)
    return [
        f"{len(results) - missed} of {len(results)} limits are met.",
        "",
        f"| {' | '.join(_HEADS)} |",
        f"|{'---|' * len(_HEADS)}",
        *(f"| {' | '.join(map(escape, _cells(result)))} |" for result in results),
    ]


def limit_title(limit: Mapping[str, Any]) -> str:
    """What a limit of a gate, as the manifest has it, is called."""
    name, condition = limit["name"], limit["condition"]
    return name if name == condition else f"{name} ({condition})"


def _cells(result: GateResult) -> tuple[str, ...]:
    return (
        limit_title(dataclasses.asdict(result)),
        result.over,
        "yes" if result.is_met else "NO",
        result.reason,
    )
