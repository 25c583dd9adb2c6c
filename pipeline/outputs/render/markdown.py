"""The report as Markdown, for pull requests and mails."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.outputs.examples import Examples
from pipeline.outputs.render.table import check_name, has_trials, interval, percent, reasons, trial_rows
from pipeline.outputs.visible_text import visible
from pipeline.plurals import counted

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&])")
_LISTED = 3


def markdown_report(
    manifest: Mapping[str, Any], tables: Mapping[str, Sequence[Mapping[str, Any]]], examples: Examples
) -> str:
    """The report of a run.

    Args:
        manifest: its manifest.
        tables: the rows of its tables `summary` and `scores`.
        examples: verdicts that did not pass, of which the first that failed are shown.
    """
    counts = manifest["counts"]
    records = [row for row in tables["summary"] if not row["slice_key"]]
    lines = [
        f"# {escape(_title(manifest))}",
        "",
        (
            f"{counted(counts['trajectories'], 'trajectory')}, {counted(len(records), 'check')},"
            f" {counted(counts['verdicts'], 'verdict')};"
            f" {counted(counts['quarantined_rows'], 'row')} could not be read."
        ),
        "",
        "| # | check | pass | fail | abstain | pass rate | 95 % interval, % | abstained because |",
        "|--:|---|--:|--:|--:|--:|--:|---|",
    ]
    for row in records:
        name = escape(row["check_name"]) + " · " if row["check_name"] else ""
        advisory = " · advisory" if row["advisory"] else ""
        lines.append(
            f"| {row['spec_index']} | {name}{escape(row['check_type'])}{advisory} | {row['passed']:,} |"
            f" {row['failed']:,} | {row['abstained']:,} | {percent(row['pass_rate'])} | {interval(row)} |"
            f" {reasons(row)} |"
        )
    lines += ["", *_scores(tables["scores"]), *_notes(manifest), "", *_failures(records, examples)]
    return "\n".join(lines).rstrip() + "\n"


def _title(manifest: Mapping[str, Any]) -> str:
    return ", ".join(spec["name"] for spec in manifest["specs"] if spec["name"]) or "gradebeam"


def _scores(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The trajectories that each spec passes, over all and per slice value."""
    lines = [
        "| spec | slice | passed | failed | undecided | pass rate | 95 % interval, % | SE | SE, clustered |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        name = f"{escape(row['slice_key'])} = {escape(row['slice_value'])}" if row["slice_key"] else "all"
        lines.append(
            f"| {row['spec']} | {name} | {row['passed']:,} | {row['failed']:,} | {row['undecided']:,} |"
            f" {percent(row['pass_rate'])} | {interval(row)} | {percent(row['standard_error'])} |"
            f" {percent(row['standard_error_clustered'])} |"
        )
    if has_trials(rows):
        lines += ["", "| spec | k | samples | pass@k | pass^k |", "|--:|--:|--:|--:|--:|"]
        lines += [f"| {' | '.join(cells)} |" for cells in trial_rows(rows)]
    return [*lines, ""]


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    notes: list[str] = []
    notes += [
        f"- Slice {escape(key)}: {'' if capped['is_exact'] else 'about '}{counted(capped['merged'], 'value')}"
        f" beyond the first {capped['kept']:,}, of {counted(capped['trajectories'], 'trajectory')}, together"
        " as (other)."
        for key, capped in manifest["capped_slices"].items()
    ]
    if never_seen := manifest["never_seen_tools"]:
        listed = ", ".join(f"{escape(item['tool'])} (check {item['spec_index']})" for item in never_seen)
        notes.append(f"- Never seen: no trajectory called {listed}.")
    if duplicates := manifest["duplicate_ids"]["distinct"]:
        notes.append(f"- {counted(duplicates, 'trajectory id')} with several rows each; all were graded.")
    return notes


def _failures(records: Sequence[Mapping[str, Any]], examples: Examples) -> list[str]:
    """The first runs that failed each check, those checks first that most runs failed."""
    lines: list[str] = []
    for row in sorted(records, key=lambda row: (-row["failed"], row["spec_index"])):
        found = examples.get((row["spec_index"], "fail"), [])[:_LISTED]
        if found:
            name = html.escape(_line(check_name(row)))
            lines += [f"<details><summary>{name} failed {row['failed']:,}</summary>", ""]
            lines += [f"- {escape(run.trajectory_id)}: {escape(run.evidence)}" for run in found]
            lines += ["", "</details>"]
    return ["## What failed", "", *lines] if lines else []


def escape(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", _line(text))


def _line(text: str) -> str:
    return " ".join(visible(text).split())
