"""Rows as Python has them to batches of the trajectory record: what Avro and JSON lines share.

They are read row by row, so each value is checked as it comes: a row whose events are of the wrong
type is one bad row, not a bad file.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from graders.arrays import encode, from_texts
from graders.trajectory import RECORD_FIELDS, record_schema
from pipeline.sources.conform import conform, jsonable, text_maps, text_of
from pipeline.sources.layouts.event_rows import EventRow, UnreadableError, event_row, events_array
from pipeline.sources.layouts.messages import events_of, events_of_text
from pipeline.sources.records import MESSAGES, BadRow, ColumnMap, ReadPlan, fill_references

MOST_ROWS = 2000
"""How many rows a piece has at most, however small they are."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def rows_to_trajectories(
    numbered: Iterable[tuple[int, dict[str, Any]]], plan: ReadPlan
) -> tuple[list[pa.RecordBatch], list[BadRow]]:
    """The trajectories of some rows.

    Args:
        numbered: rows by the names of the file, each with its position in the file.
        plan: what to make of them.

    Returns:
        A batch of the record's schema (none where no row is left), and the rows that cannot be
        read.
    """
    schema = record_schema(plan.needs)
    rows: list[dict[str, Any]] = []
    bad: list[BadRow] = []
    for number, record in numbered:
        try:
            rows.append(_read_row(record, schema, plan.columns))
        except UnreadableError as error:
            bad.append(BadRow(number, str(error)))
    return [fill_references(_to_batch(rows, schema), plan.references)] if rows else [], bad


def _read_row(record: dict[str, Any], schema: pa.Schema, columns: ColumnMap) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for field in schema:
        if field.name == "events":
            row["events"] = _events(record, columns)
            continue
        value = record.get(columns.physical(field.name))
        row[field.name] = _value(value, field.type, field.name)
    if row["trajectory_id"] is None:
        raise UnreadableError("trajectory_id: null")
    if row["sample_id"] is None:
        row["sample_id"] = row["trajectory_id"]
    return row


def _events(record: dict[str, Any], columns: ColumnMap) -> list[EventRow] | None:
    events = record.get(columns.physical("events"))
    if events is None:
        messages = record.get(columns.physical(MESSAGES))
        return events_of_text(messages) if isinstance(messages, str) else events_of(jsonable(messages))
    if not isinstance(events, list):
        raise UnreadableError(f"events: expected a list, found {type(events).__name__}")
    kinds = {field.name: field.type for field in RECORD_FIELDS["events"].value_type}
    rows: list[EventRow] = []
    for number, event in enumerate(events):
        if event is None:
            rows.append(event_row(""))
            continue
        if not isinstance(event, dict):
            raise UnreadableError(f"events[{number}]: expected a record, found {type(event).__name__}")
        rows.append(
            tuple(_value(event.get(name), kind, f"events[{number}].{name}") for name, kind in kinds.items())
        )
    return rows


def _value(value: Any, kind: pa.DataType, path: str) -> Any:
    """One value as the record has it.

    Raises:
        UnreadableError: it does not fit.
    """
    if value is None:
        return None
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        return text_of(value)
    if pa.types.is_boolean(kind):
        fits = isinstance(value, bool)
    elif pa.types.is_integer(kind):
        limit = 2 ** (kind.bit_width - 1)
        fits = isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit
    elif pa.types.is_floating(kind):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        value = float(value) if fits else value
    elif pa.types.is_timestamp(kind):
        if isinstance(value, datetime.datetime):
            value = value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
            return (value - _EPOCH) // datetime.timedelta(microseconds=1)
        if isinstance(value, str):
            return _value(_time(value, path), kind, path)
        fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    else:
        return _nested(value, kind, path)
    if not fits:
        raise UnreadableError(f"{path}: expected {kind}, found {type(value).__name__} {str(value)[:40]!r}")
    return value


def _time(text: str, path: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise UnreadableError(f"{path}: expected a time as ISO 8601 has it, found {text[:40]!r}") from None


def _nested(value: Any, kind: pa.DataType, path: str) -> Any:
    if pa.types.is_map(kind):
        if isinstance(value, dict):
            return [(str(key), None if item is None else text_of(item)) for key, item in value.items()]
    elif pa.types.is_struct(kind):
        if isinstance(value, dict):
            return {f.name: _value(value.get(f.name), f.type, f"{path}.{f.name}") for f in kind}
    elif isinstance(value, list):
        return [_value(item, kind.value_type, f"{path}[{n}]") for n, item in enumerate(value)]
    raise UnreadableError(f"{path}: expected {kind}, found {type(value).__name__}")


def _to_batch(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    arrays: list[pa.Array] = []
    for field in schema:
        values = [row[field.name] for row in rows]
        if field.name == "events":
            arrays.append(events_array(values, field.type))
        elif pa.types.is_string(field.type):
            arrays.append(from_texts(values))
        elif pa.types.is_map(field.type):
            arrays.append(text_maps(values))
        else:
            arrays.append(_nested_array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _nested_array(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:  # Surrogates: go by the bytes.
        return conform(pa.array(_encode_texts(values), _with_bytes(kind)), kind)


def _encode_texts(value: Any) -> Any:
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, list):
        return [_encode_texts(item) for item in value]
    if isinstance(value, dict):
        return {key: _encode_texts(item) for key, item in value.items()}
    return value


def _with_bytes(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _with_bytes(field.type)) for field in kind])
    return pa.list_(_with_bytes(kind.value_type)) if pa.types.is_list(kind) else kind
