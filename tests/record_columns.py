"""Rows of the trajectory record, as Python has them, to the columns that a file would hold.

The types are written out here and not taken from the code under test: this is what a user's
files look like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

Row = dict[str, Any]
"""A trajectory by column; texts may hold lone surrogates, absent keys are null."""


def event_type(text: pa.DataType) -> pa.DataType:
    """The struct of an event, with texts of one type."""
    return pa.struct(
        [
            ("type", text),
            ("turn", pa.int32()),
            ("step", pa.int32()),
            ("content", text),
            ("tool_name", text),
            ("tool_call_id", text),
            ("arguments", text),
            ("is_error", pa.bool_()),
            ("name", text),
            ("timestamp", pa.timestamp("us", tz="UTC")),
            ("data", text),
        ]
    )


def column_types(text: pa.DataType) -> dict[str, pa.DataType]:
    """All columns of the record, with texts of one type."""
    return {
        "trajectory_id": text,
        "sample_id": text,
        "trial": pa.int32(),
        "model": text,
        "agent": text,
        "tags": pa.map_(text, text),
        "output": text,
        "events": pa.list_(event_type(text)),
        "messages": text,
        "reference": text,
        "metrics": pa.struct(
            [
                *(
                    (f"{kind}_tokens", pa.int64())
                    for kind in ("input", "output", "cache_read", "cache_write")
                ),
                ("total_tokens", pa.int64()),
                ("wall_time_ms", pa.int64()),
                ("cost_usd", pa.float64()),
            ]
        ),
        "end_reason": text,
        "error": text,
        "diff": text,
        "turn_diffs": pa.list_(pa.struct([("turn", pa.int32()), ("diff", text)])),
        "files": pa.list_(pa.struct([("path", text), ("content", text)])),
        "artifacts": pa.map_(text, text),
        "metadata": text,
    }


def to_table(rows: Sequence[Row]) -> pa.Table:
    """A table of text columns; texts must be UTF-8."""
    return _table(rows, pa.string())


def to_bytes_table(rows: Sequence[Row]) -> pa.Table:
    """A table whose texts are bytes, so that lone surrogates can be in them."""
    return _table([_encoded(row) for row in rows], pa.binary())


def _table(rows: Sequence[Row], text: pa.DataType) -> pa.Table:
    """Only the columns that some row has, as in files that lack the others."""
    present = {name for row in rows for name in row}
    types = {name: kind for name, kind in column_types(text).items() if name in present}
    if unknown := present - types.keys():
        raise ValueError(f"no columns of the record: {sorted(unknown)}")
    arrays = {
        name: pa.array([_cell(row.get(name), kind) for row in rows], kind) for name, kind in types.items()
    }
    return pa.table(arrays)


def _cell(value: Any, kind: pa.DataType) -> Any:
    return list(value.items()) if pa.types.is_map(kind) and isinstance(value, dict) else value


def _encoded(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict):
        # Keys of tags and artifacts are data; those of rows and events are names.
        return {
            key: _encoded_map(item) if key in ("tags", "artifacts") else _encoded(item)
            for key, item in value.items()
        }
    return [_encoded(item) for item in value] if isinstance(value, list) else value


def _encoded_map(value: dict[str, str] | None) -> dict[bytes, bytes] | None:
    return None if value is None else {_encoded(key): _encoded(item) for key, item in value.items()}
