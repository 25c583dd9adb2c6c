"""The report as Markdown, for pull requests and mails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.outputs.render.table import interval, percent, reasons

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def markdown_report(manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The report of a run.

    Args:
        manifest: its manifest.
        records: the rows of its summary.
    """
    counts = manifest["counts"]
    lines = [
        f"# {escape(_title(manifest))}",
        "",
        (
            f"{counts['trajectories']:,} trajectories, {len(records)} checks,"
            f" {counts['verdicts']:,} verdicts; {counts['quarantined_rows']:,} rows could not be read."
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
    lines += ["", *_notes(manifest)]
    return "\n".join(lines).rstrip() + "\n"


def _title(manifest: Mapping[str, Any]) -> str:
    return ", ".join(spec["name"] for spec in manifest["specs"] if spec["name"]) or "gradebeam"


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    notes: list[str] = []
    if never_seen := manifest["never_seen_tools"]:
        listed = ", ".join(f"{escape(item['tool'])} (check {item['spec_index']})" for item in never_seen)
        notes.append(f"- Never seen: no trajectory called {listed}.")
    if duplicates := manifest["duplicate_ids"]["distinct"]:
        notes.append(f"- {duplicates:,} trajectory ids occur more than once; every row was graded.")
    return notes


def escape(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
