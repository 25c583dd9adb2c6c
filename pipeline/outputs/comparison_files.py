"""The files of a comparison, and how they appear in a directory."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq

from pipeline import files
from pipeline.errors import invalid
from pipeline.outputs.commit import MANIFEST
from pipeline.outputs.comparison import Comparison, transitions_table
from pipeline.outputs.render.comparison import comparison_section

COMPARISON = "compare.json"
CHANGES = "changes"
_VERSION = 1
_TRANSITIONS = "transitions.parquet"
_REPORT = "compare.md"
_OWN = (CHANGES, _TRANSITIONS, _REPORT)


@dataclasses.dataclass(frozen=True)
class EncodedComparison:
    """A comparison as files.

    Attributes:
        document: what `compare.json` holds.
        texts: the files by name, but for those of changes; `compare.json` comes last.
    """

    document: dict[str, Any]
    texts: dict[str, bytes]


def _document(comparison: Comparison, records: list[dict[str, Any]]) -> dict[str, Any]:
    """A comparison as a JSON object.

    Args:
        comparison: the comparison.
        records: the rows of its table of transitions.
    """
    return {
        "compare_version": _VERSION,
        "base": {"directory": comparison.base.directory, "run_id": comparison.base.manifest["run_id"]},
        "run": {"directory": comparison.run.directory, "run_id": comparison.run.manifest["run_id"]},
        "transitions": records,
        "changes": {
            "rows": sum(comparison.changes.values()),
            "files": [{"name": name, "rows": rows} for name, rows in sorted(comparison.changes.items())],
            "first": list(comparison.first_changes),
        },
    }


def encode_comparison(comparison: Comparison) -> EncodedComparison:
    """The files of a comparison."""
    table = transitions_table(comparison)
    document = _document(comparison, table.to_pylist())
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    texts = {
        _TRANSITIONS: sink.getvalue(),
        _REPORT: ("\n".join(["# Comparison", "", *comparison_section(document)]) + "\n").encode(),
        COMPARISON: (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace"),
    }
    return EncodedComparison(document, texts)


def check_comparison_output(output: str, *, overwrite: bool) -> None:
    """See that a comparison may be written to a directory.

    Raises:
        InvalidError: it holds a run, or a comparison that may not be overwritten.
    """
    if files.exists(files.join(output, MANIFEST)):
        raise invalid(output, "holds a run; give the comparison a directory of its own")
    if files.exists(files.join(output, COMPARISON)) and not overwrite:
        raise invalid(output, "holds a comparison; choose another directory, or replace it with --overwrite")


def commit_comparison(
    output: str, staging: str, changes: Mapping[str, int], texts: Mapping[str, bytes]
) -> None:
    """Put the files of a comparison into place, `compare.json` last.

    Args:
        output: the directory.
        staging: where the files of changes are, below `changes`.
        changes: these files.
        texts: the other files by name, from `encode_comparison`.
    """
    for name, data in texts.items():
        with files.open_write(files.join(staging, name)) as file:
            file.write(data)
    files.delete(files.join(output, COMPARISON))
    files.delete(*(files.join(output, name) for name in _OWN))
    for name in sorted(changes):
        files.rename(files.join(staging, CHANGES, name), files.join(output, CHANGES, name))
    for name in texts:
        files.rename(files.join(staging, name), files.join(output, name))
