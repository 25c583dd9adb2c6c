"""Rows of the trajectory record as the files that a user would have."""

from __future__ import annotations

import datetime
import json
import pathlib
from collections.abc import Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from tests.record_columns import Row, column_types, to_table


def write_parquet(path: pathlib.Path, rows: Sequence[Row], **options: Any) -> pathlib.Path:
    """Write the columns that some row has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(to_table(rows), path, **options)
    return path


def write_avro(path: pathlib.Path, rows: Sequence[Row], **options: Any) -> pathlib.Path:
    """Write the fields that some row has, each of them nullable."""
    present = {name for row in rows for name in row}
    kinds = {name: kind for name, kind in column_types(pa.string()).items() if name in present}
    fields = [{"name": name, "type": _nullable(kind, name)} for name, kind in kinds.items()]
    schema = fastavro.parse_schema({"type": "record", "name": "trajectory", "fields": fields})
    records = [{name: _filled(row.get(name), kind) for name, kind in kinds.items()} for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        fastavro.writer(file, schema, records, **options)
    return path


def write_jsonl(path: pathlib.Path, rows: Sequence[Row]) -> pathlib.Path:
    """Write a row a line, with the columns that it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, default=_time) + "\n" for row in rows))
    return path


def _time(value: Any) -> str:
    if not isinstance(value, datetime.datetime):
        raise TypeError(f"no JSON for {value!r}")
    return value.isoformat()


def _nullable(kind: pa.DataType, name: str) -> list[Any]:
    return ["null", _avro_type(kind, name)]


def _avro_type(kind: pa.DataType, name: str) -> Any:
    if pa.types.is_map(kind):
        return {"type": "map", "values": ["null", "string"]}
    if pa.types.is_list(kind):
        return {"type": "array", "items": _nullable(kind.value_type, name)}
    if pa.types.is_struct(kind):
        fields = [
            {"name": field.name, "type": _nullable(field.type, f"{name}_{field.name}")} for field in kind
        ]
        return {"type": "record", "name": f"{name}_item", "fields": fields}
    if pa.types.is_timestamp(kind):
        return {"type": "long", "logicalType": "timestamp-micros"}
    return {pa.int32(): "int", pa.int64(): "long", pa.float64(): "double", pa.bool_(): "boolean"}.get(
        kind, "string"
    )


def _filled(value: Any, kind: pa.DataType) -> Any:
    """The value with every field of its structs, since Avro takes no absent ones."""
    if value is None:
        return None
    if pa.types.is_list(kind) and not pa.types.is_map(kind):
        return [_filled(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        return {field.name: _filled(value.get(field.name), field.type) for field in kind}
    return value
