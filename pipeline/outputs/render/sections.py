"""The sections of the page: what its template shows, worked out from the tables of a run."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graders.catalog import check_types
from pipeline.outputs.examples import Example, Examples
from pipeline.outputs.near_misses import Difference
from pipeline.outputs.render.bars import bar, number, rate
from pipeline.outputs.render.changes import changes
from pipeline.outputs.render.gates import limit_title
from pipeline.outputs.render.heat_maps import heat_maps
from pipeline.outputs.render.table import MARKS, check_name, percent
from pipeline.outputs.render.trajectories import trajectories
from pipeline.plurals import counted, number_of
from pipeline.specs.schema import summary

Row = Mapping[str, Any]
Differences = Mapping[tuple[int, str], Difference]

_SIGNS = {"-": "\N{MINUS SIGN}", "+": "+", " ": " "}
_STATES = {"-": "missing", "+": "found", " ": "both"}
_MEANINGS = {
    "SETUP_INVALID": "the sample’s reference data does not give what the check needs",
    "MISSING_DATA": "the record lacks what the check reads",
    "NO_EVIDENCE": "it could pass only because nothing was there",
    "NOT_APPLICABLE": "the check does not concern the run",
    "RUN_ERROR": "the run never happened",
    "TIMEOUT": "a search ran into its limit",
    "JUDGE_UNPARSABLE": "the judge’s answer could not be read",
    "JUDGE_REFUSED": "the judge refused to answer",
    "JUDGE_UNAVAILABLE": "the judge could not be reached",
    "JUDGE_BUDGET": "the budget for judges was spent",
    "CHECK_CRASHED": "a bug in the check; its traceback is in the log",
}


def page(
    manifest: Row,
    tables: Mapping[str, Sequence[Row]],
    examples: Examples,
    differences: Differences,
    conversations: Collection[str],
    comparison: Row | None,
) -> dict[str, Any]:
    """Everything that the template needs, by the names that it uses."""
    records, limits = tables["summary"], manifest.get("gates") or []
    whole = [row for row in records if not row["slice_key"]]
    configs = {check["spec_index"]: check for check in manifest.get("checks", [])}
    counts = manifest["counts"]
    return {
        "title": run_title(manifest),
        "verdict": _verdict(limits, whole),
        "tiles": _tiles(counts, len(whole)),
        "gates": [{**limit, "title": limit_title(limit)} for limit in limits],
        "notes": _notes(manifest),
        "checks": [_check(row, configs.get(row["spec_index"], {}), examples, differences) for row in whole],
        "slices": heat_maps(records, tables["scores"]),
        "abstentions": _abstentions(whole),
        "trajectories": trajectories(tables["scores"]),
        "changes": changes(comparison) if comparison else None,
        "sampling": _sampling(whole, examples, conversations),
        "facts": _facts(manifest),
        "inputs": [_input(item) for item in manifest["inputs"]],
        "specs": manifest["specs"],
        "version": manifest["versions"]["gradebeam"],
    }


def run_title(manifest: Row) -> str:
    """What a run is called: by its specs."""
    return ", ".join(spec["name"] or spec["file"] for spec in manifest["specs"])


def _verdict(limits: Sequence[Row], rows: Sequence[Row]) -> dict[str, str]:
    missed = sum(not limit["is_met"] for limit in limits)
    failing = [row for row in rows if row["failed"] and not row["advisory"]]
    required = [row for row in rows if not row["advisory"]]
    sentence = f"{len(failing):,} of {counted(len(required), 'required check')} saw failures"
    if missed:
        text = f"{missed:,} of {counted(len(limits), 'limit')} not met"
        return {"state": "missed", "mark": "✘", "text": text, "sentence": f"{sentence}."}
    if limits:
        text = "the limit is met" if len(limits) == 1 else f"all {counted(len(limits), 'limit')} met"
        return {"state": "met", "mark": "✔", "text": text, "sentence": f"{sentence}."}
    hint = "Neither specs nor job set gates, so nothing is decided here."
    return {"state": "open", "mark": "○", "text": "no gates set", "sentence": f"{sentence}. {hint}"}


def _tiles(counts: Row, checks: int) -> list[dict[str, str]]:
    decided = counts["passed"] + counts["failed"]
    tiles = [
        (number_of(counts["trajectories"], "trajectory"), f"{counts['trajectories']:,}"),
        (number_of(checks, "check"), f"{checks:,}"),
        ("verdicts passed", percent(counts["passed"] / decided if decided else None)),
        ("failed", f"{counts['failed']:,}"),
        ("abstained", f"{counts['abstained']:,}"),
    ]
    return [{"label": label, "value": value} for label, value in tiles]


def _notes(manifest: Row) -> str:
    notes: list[str] = []
    if rows := manifest["counts"]["quarantined_rows"]:
        notes.append(f"{counted(rows, 'row')} could not be read; quarantine.jsonl says which and why.")
    if repeated := manifest["duplicate_ids"]["distinct"]:
        notes.append(f"{counted(repeated, 'trajectory id')} with several rows each; all were graded.")
    return " ".join(notes)


def _check(row: Row, check: Row, examples: Examples, differences: Differences) -> dict[str, Any]:
    index = row["spec_index"]
    groups = [
        _group(row, outcome, title, examples.get((index, outcome), []), differences)
        for outcome, title in (("fail", "failed"), ("abstain", "abstained"))
        if examples.get((index, outcome))
    ]
    config = check.get("config")
    names = f"{index} {row['check_name'] or ''} {row['check_type']}{' advisory' if row['advisory'] else ''}"
    return {
        "index": index,
        "title": check_name(row),
        "name": row["check_name"],
        "type": row["check_type"],
        "advisory": row["advisory"],
        "never_seen": ", ".join(row["never_seen_tools"]),
        "state": _state(row),
        "text": names.lower(),
        **{name: f"{row[name]:,}" for name in ("passed", "failed", "abstained")},
        "total": row["total"],
        **bar(row),
        **rate(row),
        "summary": _summary(row["check_type"]),
        "scope": _scope(check),
        "config": json.dumps(config, ensure_ascii=False, indent=2) if config else "",
        "groups": groups,
    }


def _state(row: Row) -> str:
    """What a filter goes by."""
    states = ["fail"] if row["failed"] else ["clean"]
    return " ".join([*states, *(["abstain"] if row["abstained"] else [])])


def _summary(check_type: str) -> str:
    known = check_types()
    if check_type not in known:
        return "its own rule says so: the type comes from a plugin that is not installed here"
    return summary(known[check_type]).removeprefix("Pass when ").rstrip(".")


def _scope(check: Row) -> str:
    """What the wrapper around a check says, in sentences."""
    said: list[str] = []
    if check.get("negate"):
        said.append("Negated: pass and fail are swapped.")
    if check.get("turn") is not None:
        said.append("It sees the last turn." if check["turn"] == -1 else f"It sees turn {check['turn']}.")
    if check.get("samples"):
        said.append(f"It concerns the samples {', '.join(check['samples'])}.")
    if check.get("tags"):
        said.append(f"It concerns runs with {', '.join(f'{k} = {v}' for k, v in check['tags'].items())}.")
    return " ".join(said)


def _group(
    row: Row, outcome: str, title: str, examples: Sequence[Example], differences: Differences
) -> dict[str, Any]:
    total = row["failed" if outcome == "fail" else "abstained"]
    of_all = (
        f"{total:,} {title}" if total == len(examples) else f"{len(examples):,} of {total:,} that {title}"
    )
    return {
        "outcome": outcome,
        "title": f"{MARKS[outcome]} {of_all}",
        "examples": [
            {
                "id": example.trajectory_id,
                "event": "" if example.event_index < 0 else example.event_index,
                "evidence": example.evidence,
                "code": example.code,
                "difference": [
                    {"state": _STATES[sign], "text": f"{_SIGNS[sign]} {text}"}
                    for sign, text in differences.get((row["spec_index"], example.trajectory_id), [])
                ]
                if outcome == "fail"
                else [],
            }
            for example in examples
        ],
    }


def _abstentions(rows: Sequence[Row]) -> list[dict[str, Any]]:
    by_code: dict[str, list[tuple[Row, int]]] = {}
    for row in rows:
        for code, count in row["abstain_reasons"].items():
            by_code.setdefault(code, []).append((row, count))
    totals = {code: sum(count for _, count in found) for code, found in by_code.items()}
    largest = max(totals.values(), default=1)
    return [
        {
            "code": code,
            "meaning": _MEANINGS.get(code, ""),
            "count": f"{totals[code]:,}",
            "width": number(100 * totals[code] / largest),
            "checks": [
                {
                    "index": row["spec_index"],
                    "title": check_name(row),
                    "count": f"{n:,}",
                }
                for row, n in sorted(by_code[code], key=lambda found: -found[1])
            ],
        }
        for code in sorted(totals, key=lambda code: (-totals[code], code))
    ]


def _sampling(rows: Sequence[Row], examples: Examples, conversations: Collection[str]) -> str:
    """What of all that did not pass is on the page, and how it was chosen."""
    not_passed = sum(row["failed"] + row["abstained"] for row in rows)
    listed = [example for of_check in examples.values() for example in of_check]
    if not not_passed:
        return "Nothing failed, and no check abstained."
    runs = len({example.trajectory_id for example in listed})
    if len(listed) == not_passed:
        said = "Every verdict that did not pass, by check."
    else:
        said = (
            f"A sample: {len(listed):,} of {counted(not_passed, 'verdict')} that did not pass. Where a check"
            " has many, those stand here whose trajectory ids have the smallest hashes, of a large input"
            " mostly from some of its parts; the verdict tables beside this page have them all."
        )
    if len(conversations) == runs:
        return said
    held = f"{len(conversations):,} of these {counted(runs, 'trajectory')}"
    return f"{said} The conversations of {held} are on the page."


def _facts(manifest: Row) -> list[dict[str, str]]:
    timings, versions = manifest["timings"], manifest["versions"]
    facts = [
        ("run", manifest["run_id"]),
        ("finished", timings["finished_at"]),
        ("took", f"{timings['total_seconds']:,.1f} s"),
        ("runner", manifest["runner"]),
        ("verdicts", f"{manifest['counts']['verdicts']:,}"),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items() if version)),
    ]
    return [{"label": label, "value": value} for label, value in facts]


def _input(item: Row) -> str:
    rows = "" if item["rows"] is None else f"{counted(item['rows'], 'row')}, "
    return f"{item['path']}: {rows}{counted(item['bytes'], 'byte')}"
