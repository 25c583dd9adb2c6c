"""The manifest: what a run was, what it read, what it counted, and that it is finished."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import platform
from collections.abc import Sequence
from typing import Any

from graders.scope import CheckEntry
from graders.tally import Tally
from pipeline.job import JobConfig
from pipeline.outputs.commit import TRAJECTORIES, VERDICTS, VOTES
from pipeline.outputs.ledger import Ledger
from pipeline.outputs.summary import never_seen
from pipeline.sources.inputs import InputFile, known_rows
from pipeline.specs.identity import check_identity, describe
from pipeline.specs.loaded import LoadedSpec, entries_of

SCHEMA_VERSION = 1
_PACKAGES = ("gradebeam", "apache-beam", "pyarrow", "numpy", "google-re2", "regex", "msgspec", "fastavro")


@dataclasses.dataclass(frozen=True)
class Timings:
    """When a run was, and how long its parts took, in seconds."""

    started_at: str
    finished_at: str
    pipeline_seconds: float
    total_seconds: float


def make_manifest(
    run_id: str,
    job: JobConfig,
    specs: Sequence[LoadedSpec],
    inputs: Sequence[InputFile],
    ledger: Ledger,
    runner: str,
    timings: Timings,
) -> dict[str, Any]:
    """The manifest of a run as a JSON object."""
    tallies = [
        (entry, ledger.cells.get((entry.spec_index, entry.check_type, "", ""), Tally()))
        for entry in entries_of(specs)
    ]
    return {
        "manifest_version": SCHEMA_VERSION,
        "run_id": run_id,
        "versions": {"python": platform.python_version(), **_versions()},
        "runner": runner,
        "specs": [_spec(spec) for spec in specs],
        "checks": [
            {**_check(entry), "spec": number, "place": place}
            for number, spec in enumerate(specs)
            for entry, place in zip(spec.entries, spec.dialect.places, strict=True)
        ],
        "columns": job.columns,
        "inputs": [_input(file) for file in inputs],
        "counts": _counts(ledger, [tally for _, tally in tallies]),
        "verdict_files": _listed(ledger, VERDICTS),
        "trajectory_files": _listed(ledger, TRAJECTORIES),
        "vote_files": _listed(ledger, VOTES),
        "slices": [key.label for key in job.slice_keys],
        "capped_slices": {key: dataclasses.asdict(capped) for key, capped in sorted(ledger.capped.items())},
        "duplicate_ids": {
            "distinct": ledger.repeated,
            "rows": ledger.repeated_rows,
            "ids": list(ledger.repeated_ids),
        },
        "never_seen_tools": [
            {"spec_index": entry.spec_index, "check_type": entry.check_type, "tool": tool}
            for entry, tally in tallies
            for tool in never_seen(entry, tally)
        ],
        "accounts": "balanced",
        "timings": dataclasses.asdict(timings),
    }


def _spec(spec: LoadedSpec) -> dict[str, Any]:
    return {
        "file": spec.file,
        "name": spec.name,
        "dialect": spec.dialect.name,
        "sha256": spec.sha256,
        "text": spec.text,
    }


def _input(file: InputFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "bytes": file.size_bytes,
        "row_groups": len(file.items),
        "rows": known_rows([file]),
    }


def _counts(ledger: Ledger, tallies: Sequence[Tally]) -> dict[str, int]:
    return {
        "trajectories": ledger.graded,
        "quarantined_rows": ledger.quarantined_rows,
        "verdicts": sum(tally.total for tally in tallies),
        "passed": sum(tally.passed for tally in tallies),
        "failed": sum(tally.failed for tally in tallies),
        "abstained": sum(sum(tally.abstained) for tally in tallies),
    }


def _check(entry: CheckEntry) -> dict[str, Any]:
    return {
        "spec_index": entry.spec_index,
        "check_type": entry.check_type,
        "check_name": entry.name,
        "identity": check_identity(entry),
        "turn": entry.turn,
        "samples": entry.samples,
        "tags": dict(entry.tags),
        "negate": entry.negate,
        "advisory": entry.advisory,
        "weight": entry.weight,
        "config": describe(entry.check)["config"],
    }


def _listed(ledger: Ledger, table: str) -> list[dict[str, Any]]:
    return [{"name": name, "rows": rows} for name, rows in sorted(ledger.files.get(table, {}).items())]


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


def encode_manifest(manifest: dict[str, Any]) -> bytes:
    """The manifest's file."""
    return (json.dumps(manifest, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
