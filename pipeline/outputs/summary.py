"""The summary table: its schema, its rows, and its four formats."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graders.arrays import replace_surrogates
from graders.scope import CheckEntry
from graders.statistics import ratio, wilson_interval
from graders.tally import Tally

SUMMARY_SCHEMA = pa.schema(
    [
        ("spec_index", pa.int32()),
        ("check_type", pa.string()),
        ("check_name", pa.string()),
        ("slice_key", pa.string()),
        ("slice_value", pa.string()),
        ("total", pa.int64()),
        ("passed", pa.int64()),
        ("failed", pa.int64()),
        ("abstained", pa.int64()),
        ("abstain_reasons", pa.map_(pa.string(), pa.int64())),
        ("pass_rate", pa.float64()),
        ("coverage", pa.float64()),
        ("wilson_low", pa.float64()),
        ("wilson_high", pa.float64()),
        ("pass_rate_worst", pa.float64()),
        ("pass_rate_best", pa.float64()),
        ("matched", pa.int64()),
        ("actual", pa.int64()),
        ("reference", pa.int64()),
        ("precision", pa.float64()),
        ("recall", pa.float64()),
        ("f1", pa.float64()),
        ("advisory", pa.bool_()),
        ("never_seen_tools", pa.list_(pa.string())),
    ]
)


def summary_table(cells: Mapping[tuple[int, str], Tally], entries: Sequence[CheckEntry]) -> pa.Table:
    """One row per entry, sorted by spec index; an entry without verdicts has a total of 0."""
    ordered = sorted(entries, key=lambda entry: entry.spec_index)
    tallies = [cells.get((entry.spec_index, entry.check_type), Tally()) for entry in ordered]
    passed = np.array([tally.passed for tally in tallies], np.int64)
    failed = np.array([tally.failed for tally in tallies], np.int64)
    total = np.array([tally.total for tally in tallies], np.int64)
    decided = passed + failed
    low, high = wilson_interval(passed, decided)
    n = len(ordered)
    columns: dict[str, Any] = {
        "spec_index": [entry.spec_index for entry in ordered],
        "check_type": [entry.check_type for entry in ordered],
        "check_name": [None if entry.name is None else replace_surrogates(entry.name) for entry in ordered],
        "slice_key": [""] * n,
        "slice_value": [""] * n,
        "total": total,
        "passed": passed,
        "failed": failed,
        "abstained": total - decided,
        "abstain_reasons": [list(tally.abstain_reasons().items()) for tally in tallies],
        "pass_rate": _nullable(ratio(passed, decided)),
        "coverage": _nullable(ratio(decided, total)),
        "wilson_low": _nullable(low),
        "wilson_high": _nullable(high),
        "pass_rate_worst": _nullable(ratio(passed, total)),
        "pass_rate_best": _nullable(ratio(total - failed, total)),
        **_match_columns(ordered, tallies),
        "advisory": [entry.advisory for entry in ordered],
        "never_seen_tools": [never_seen(entry, tally) for entry, tally in zip(ordered, tallies, strict=True)],
    }
    arrays = [pa.array(columns[field.name], field.type) for field in SUMMARY_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SUMMARY_SCHEMA)


def _match_columns(entries: Sequence[CheckEntry], tallies: Sequence[Tally]) -> dict[str, pa.Array]:
    """The sums of match counts and their ratios; null where the check's type has no such counts."""
    has_none = np.array([not entry.check.counts_matches for entry in entries], np.bool_)
    matched, actual, reference = (
        np.array([getattr(tally, name) for tally in tallies], np.int64)
        for name in ("matched", "actual", "reference")
    )
    return {
        "matched": pa.array(matched, mask=has_none),
        "actual": pa.array(actual, mask=has_none),
        "reference": pa.array(reference, mask=has_none),
        "precision": _nullable(ratio(matched, actual)),
        "recall": _nullable(ratio(matched, reference)),
        "f1": _nullable(ratio(2 * matched, actual + reference)),
    }


def never_seen(entry: CheckEntry, tally: Tally) -> list[str]:
    """The tools that the entry lists and no trajectory of the run called, sorted."""
    return sorted(
        replace_surrogates(tool.text)
        for bit, tool in enumerate(entry.check.listed_tools())
        if not tally.seen_tools >> bit & 1
    )


def _nullable(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def to_records(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a summary as JSON-like objects."""
    return [{**row, "abstain_reasons": dict(row["abstain_reasons"])} for row in table.to_pylist()]


def encode_summary(table: pa.Table, format_: str) -> bytes:
    """The bytes of a summary file; the same table gives the same bytes."""
    return {"parquet": _parquet, "csv": _csv, "avro": _avro, "json": _json}[format_](table)


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _json(table: pa.Table) -> bytes:
    return (json.dumps(to_records(table), ensure_ascii=False, indent=2) + "\n").encode()


def _csv(table: pa.Table) -> bytes:
    sink = io.StringIO()
    writer = csv.writer(sink)  # RFC 4180: lines end in CR LF, and either in a text is quoted
    writer.writerow(table.schema.names)
    for record in to_records(table):
        writer.writerow([_cell(value) for value in record.values()])
    return sink.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return _inert(value)
    return value


def _inert(text: str) -> str:
    """A text that no spreadsheet takes for a formula, whatever invisible characters come first."""
    visible = text.lstrip("\t\r\n \u200b\u200c\u200d\u2060\ufeff")
    return f"'{text}" if visible.startswith(("=", "+", "-", "@")) else text


def _avro(table: pa.Table) -> bytes:
    types = {
        pa.int32(): "int",
        pa.int64(): "long",
        pa.float64(): "double",
        pa.string(): "string",
        pa.bool_(): "boolean",
        pa.map_(pa.string(), pa.int64()): {"type": "map", "values": "long"},
        pa.list_(pa.string()): {"type": "array", "items": "string"},
    }
    never_null = {
        *("spec_index", "check_type", "slice_key", "slice_value", "advisory"),
        *("total", "passed", "failed", "abstained", "abstain_reasons", "never_seen_tools"),
    }
    fields = [
        {
            "name": field.name,
            "type": types[field.type] if field.name in never_null else ["null", types[field.type]],
        }
        for field in table.schema
    ]
    schema = fastavro.parse_schema({"type": "record", "name": "summary", "fields": fields})
    records = to_records(table)
    # The marker between blocks is random unless it is given, and the bytes must not be.
    marker = hashlib.sha256(json.dumps(records, ensure_ascii=False).encode()).digest()[:16]
    sink = io.BytesIO()
    fastavro.writer(sink, schema, records, codec="deflate", sync_marker=marker)
    return sink.getvalue()
