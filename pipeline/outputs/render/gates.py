"""Gates for people: on the terminal and in Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pipeline.outputs.gate_results import GateResult
from pipeline.outputs.render.markdown import escape
from pipeline.outputs.render.table import MARKS
from pipeline.outputs.visible_text import visible_line
from pipeline.plurals import counted

_HEADS = ("gate", "over", "met", "found and wanted")
_MOST_LINES = 40


def gates_lines(results: Sequence[GateResult]) -> list[Text]:
    """All gates for the terminal, a line each, those that are not met first; of many the first."""
    missed = sum(not result.is_met for result in results)
    said = f"{missed:,} not met" if missed else "all met"
    lines = [Text(f"gates: {counted(len(results), 'limit')}, {said}", style="bold")]
    shown = sorted(results, key=lambda result: result.is_met)[:_MOST_LINES]
    for result in shown:
        mark, style = (MARKS["pass"], "green") if result.is_met else (MARKS["fail"], "bold red")
        name, over, _, reason = map(visible_line, _cells(result))
        lines.append(Text(f"  {mark} {name}, {over}: {reason}", style=style))
    if len(results) > len(shown):
        lines.append(Text(f"  … and {len(results) - len(shown):,} more"))
    return lines


def gates_section(results: Sequence[GateResult]) -> list[str]:
    """All gates, met or not, as lines of Markdown."""
    missed = sum(not result.is_met for result in results)
    return [
        f"{len(results) - missed:,} of {counted(len(results), 'limit')} met.",
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
