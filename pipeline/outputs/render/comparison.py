"""A comparison of two runs for people: on the terminal and in Markdown."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from typing import Any

from rich.table import Table

from pipeline.outputs.render.markdown import escape
from pipeline.outputs.render.name import Name
from pipeline.outputs.render.table import check_name, percent, plain_table
from pipeline.outputs.visible_text import visible_line
from pipeline.plurals import counted

_LISTED = 20
_SHOWN = 5
_CHANGES = (("newly failing", "fail"), ("newly passing", "pass"))


def comparison_table(document: Mapping[str, Any]) -> Table:
    """A rich table of the transitions of a comparison."""
    heads, rows = _grid(document)
    table = plain_table()
    table.add_column(heads[0])
    for head in heads[1:]:
        table.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
    for title, *cells in rows:
        table.add_row(Name(title), *cells)
    return table


def comparison_section(document: Mapping[str, Any]) -> list[str]:
    """The comparison as lines of Markdown: a table, and the first trajectories that changed."""
    heads, rows = _grid(document)
    lines = [
        f"Base: {escape(document['base']['directory'])}, run {escape(document['base']['run_id'])}.",
        "",
        f"| {' | '.join(heads)} |",
        f"|---|{'--:|' * (len(heads) - 1)}",
        *(f"| {' | '.join(map(escape, row))} |" for row in rows),
        "",
        "Rates are over the trajectories decided in both runs; changes are in points, with a 95 % interval;",
        "p is McNemar's.",
    ]
    if note := ambiguity_note(document):
        lines += ["", f"**{escape(note)}.**"]
    changes = document["changes"]
    for title, outcome in _CHANGES:
        found = [row for row in changes["first"] if row["run_outcome"] == outcome]
        if found:
            listed = (f"- {_change(row, escape)}" for row in found[:_LISTED])
            lines += ["", f"**{title.capitalize()}**", "", *listed]
    sliced = sum(bool(row["slice_key"]) for row in document["transitions"])
    if sliced:
        lines += ["", f"transitions.csv has {counted(sliced, 'more row')} on slices."]
    if changes["rows"]:
        lines += ["", f"The files below `changes` have all of {counted(changes['rows'], 'change')}."]
    return lines


def shown_transitions(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows that people are shown: without slices, and without sums over a single check."""
    rows = [row for row in document["transitions"] if not row["slice_key"]]
    types = collections.Counter(row["check_type"] for row in rows if row["scope"] == "check")
    summed = {
        "check": lambda _: 2,
        "type": types.__getitem__,
        "all": lambda _: types.total(),
        "trajectory": lambda _: 2,
    }
    return [row for row in rows if summed[row["scope"]](row["check_type"]) > 1]


def _grid(document: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows; without counts that are 0 throughout."""
    shown = shown_transitions(document)
    columns = {
        "check": [_label(row) for row in shown],
        "base": [percent(row["base_pass_rate"]) for row in shown],
        "run": [percent(row["run_pass_rate"]) for row in shown],
        "change": [_difference(row) for row in shown],
        "p": [f"{row['mcnemar_p']:.3g}" for row in shown],
        "now fail": [f"{row['pass_to_fail']:,}" for row in shown],
        "now pass": [f"{row['fail_to_pass']:,}" for row in shown],
    }
    for head, names in (
        ("unpaired", ("only_base", "only_run")),
        ("ambiguous", ("ambiguous_base", "ambiguous_run")),
    ):
        counts = [sum(row[name] for name in names) for row in shown]
        if any(counts):
            columns[head] = [f"{count:,}" for count in counts]
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def ambiguity_note(document: Mapping[str, Any]) -> str | None:
    """What is in no pair for want of a key of its own, and what to do about it; None if nothing is."""
    rows = [row for row in document["transitions"] if row["scope"] == "check" and not row["slice_key"]]
    ambiguous = sum(row["ambiguous_base"] + row["ambiguous_run"] for row in rows)
    if not ambiguous:
        return None
    return (
        f"{counted(ambiguous, 'verdict')} of both runs are ambiguous: in no pair, and in no rate here. "
        "Runs are paired by sample_id and trial, or by trajectory_id where the trial is missing, and one run "
        "has the same several times; give each repeat of a sample a trial of its own, or none"
    )


def agreement_line(row: Mapping[str, Any]) -> str:
    """How often two checks agree, in a sentence."""
    if not row["decided"]:
        return "no trajectory was decided by both"
    agreed = row["pass_to_pass"] + row["fail_to_fail"]
    kappa = "" if row["kappa"] is None else f", kappa {row['kappa']:.3f}"
    return f"{agreed:,} of {row['decided']:,} agreeing ({percent(row['agreement'])}{kappa})"


def transitions_title(row: Mapping[str, Any]) -> str:
    """What a row of the table of transitions is about."""
    if row["scope"] == "trajectory":
        return f"trajectories of {'spec ' + row['spec_name'] if row['spec_name'] else row['identity']}"
    if row["scope"] == "check":
        return check_name(row)
    return f"all {row['check_type']}" if row["scope"] == "type" else "all checks"


def _label(row: Mapping[str, Any]) -> str:
    return transitions_title(row) + (" (advisory)" if row["advisory"] else "")


def _difference(row: Mapping[str, Any]) -> str:
    if row["difference"] is None:
        return "–"
    low, high = row["difference_low"], row["difference_high"]
    return f"{points(row['difference'])} ({points(low)} to {points(high)})"


def points(difference: float) -> str:
    """A difference of rates in points, with its sign."""
    return f"{100 * difference:+.1f}"


def changed_lines(document: Mapping[str, Any]) -> list[str]:
    """The first trajectories that changed, for the terminal, and how many verdicts did."""
    changes = document["changes"]
    note = ambiguity_note(document)
    lines = [note] if note else []
    for title, outcome in _CHANGES:
        found = [row for row in changes["first"] if row["run_outcome"] == outcome]
        lines += [f"{title}: {_change(row, visible_line)}" for row in found[:_SHOWN]]
    return [*lines, f"{counted(changes['rows'], 'verdict')} changed between pass and fail"]


def _change(row: Mapping[str, Any], shown: Callable[[str], str]) -> str:
    """The check of a change, and of which run it is; each text as `shown` shows it."""
    trial = "" if row["trial"] is None else f", trial {row['trial']}"
    sample = "" if row["sample_id"] == row["run_trajectory_id"] else f" {shown(row['sample_id'])}{trial},"
    return f"{shown(check_name(row))}:{sample} {shown(row['run_trajectory_id'])}"
