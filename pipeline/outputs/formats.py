"""A table in each of the formats: the same table gives the same bytes."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP_ROWS = 100_000
"""The rows of a row group in the tables that grow with the trajectories."""


@dataclasses.dataclass(frozen=True)
class TableForm:
    """What is known of a table before it is filled.

    Attributes:
        name: of its files.
        schema: its columns, of numbers, texts, truth values, and lists and maps of these.
        never_null: the columns that always have a value.
    """

    name: str
    schema: pa.Schema
    never_null: frozenset[str]

    def fill(self, columns: Mapping[str, Any]) -> pa.Table:
        """The table of these columns, by name; NaN in arrays of numpy is null."""
        arrays = [_array(columns[field.name], field.type) for field in self.schema]
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def encode(self, table: pa.Table, format_: str) -> bytes:
        """The bytes of the table's file: parquet, csv, avro or json."""
        encoders = {"parquet": _parquet, "csv": _csv, "avro": self._avro, "json": _json}
        return encoders[format_](table)

    def _avro(self, table: pa.Table) -> bytes:
        fields = [
            {
                "name": field.name,
                "type": _avro_type(field.type)
                if field.name in self.never_null
                else ["null", _avro_type(field.type)],
            }
            for field in self.schema
        ]
        schema = fastavro.parse_schema({"type": "record", "name": self.name, "fields": fields})
        records = to_records(table)
        # The marker between blocks is random unless it is given, and the bytes must not be.
        marker = hashlib.sha256(json.dumps(records, ensure_ascii=False).encode()).digest()[:16]
        sink = io.BytesIO()
        fastavro.writer(sink, schema, records, codec="deflate", sync_marker=marker)
        return sink.getvalue()


def _array(values: Any, type_: pa.DataType) -> pa.Array:
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return pa.array(values, type_, mask=np.isnan(values))
    return values if isinstance(values, pa.Array) else pa.array(values, type_)


def to_records(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table as JSON-like objects."""
    maps = [field.name for field in table.schema if pa.types.is_map(field.type)]
    return [{**row, **{name: dict(row[name]) for name in maps}} for row in table.to_pylist()]


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


def _avro_type(type_: pa.DataType) -> Any:
    if pa.types.is_map(type_):
        return {"type": "map", "values": _avro_type(type_.item_type)}
    if pa.types.is_list(type_):
        return {"type": "array", "items": _avro_type(type_.value_type)}
    plain = {
        pa.int32(): "int",
        pa.int64(): "long",
        pa.float64(): "double",
        pa.string(): "string",
        pa.bool_(): "boolean",
    }
    return plain[type_]
