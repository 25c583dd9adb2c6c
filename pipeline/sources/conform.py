"""Arrow columns of any like type to the types of the trajectory record.

Dictionary, large, view, run-end-encoded and null-typed columns, lists and maps are all accepted;
struct fields are found by name, extra ones are ignored and missing ones are null. Structured
values where the record has text become compact JSON text, in which a null field of a struct is
left out: a struct column cannot tell null from absent.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import decode, from_texts
from graders.values import json_text


class LayoutError(Exception):
    """A column has a type that its place in the record cannot take."""


def conform(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Bring an array to a type of the trajectory record, by name and meaning.

    Raises:
        LayoutError: the type of the array does not fit at all.
        pa.ArrowInvalid: a value does not fit, such as an integer out of range.
    """
    kind = array.type
    if kind == target:
        return array
    if pa.types.is_null(kind):
        return pa.nulls(len(array), target)
    if isinstance(array, pa.ExtensionArray):
        if kind.extension_name == "arrow.uuid" and pa.types.is_string(target):
            return pa.array([None if item is None else str(item) for item in array.to_pylist()], pa.string())
        return conform(array.storage, target)
    if pa.types.is_run_end_encoded(kind):
        return conform(pc.run_end_decode(array), target)
    if pa.types.is_dictionary(target):
        return _to_dictionary(array, target)
    if pa.types.is_dictionary(kind):
        return conform(array.dictionary_decode(), target)
    if pa.types.is_string(target):
        return _to_text(array)
    if pa.types.is_map(target):
        return _to_map(array)
    if pa.types.is_list(target):
        return _to_list(array, target)
    if pa.types.is_struct(target):
        return _to_struct(array, target)
    return _to_scalar(array, target)


def conform_rows(array: pa.Array, target: pa.DataType) -> tuple[pa.Array, dict[int, str]]:
    """As `conform`, but a value that does not fit becomes null and is reported by its row.

    Returns:
        The array, and the reason for each row that does not fit.
    """
    try:
        return conform(array, target), {}
    except pa.ArrowInvalid as error:
        if len(array) == 1:
            return pa.nulls(1, target), {0: " ".join(str(error).split())}
    middle = len(array) // 2
    left, left_bad = conform_rows(array.slice(0, middle), target)
    right, right_bad = conform_rows(array.slice(middle), target)
    bad = {**left_bad, **{row + middle: reason for row, reason in right_bad.items()}}
    return _concatenate(left, right, target), bad


def _concatenate(left: pa.Array, right: pa.Array, target: pa.DataType) -> pa.Array:
    if not pa.types.is_list(target) or not pa.types.is_struct(target.value_type):
        return pa.concat_arrays([left, right])
    # Arrow cannot join nested dictionaries, so they are joined as texts.
    fields = [
        pa.field(field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        for field in target.value_type
    ]
    plain = pa.list_(pa.struct(fields))
    return conform(pa.concat_arrays([conform(left, plain), conform(right, plain)]), target)


def _to_dictionary(array: pa.Array, target: pa.DataType) -> pa.Array:
    if not pa.types.is_dictionary(array.type):
        return conform(array, target.value_type).dictionary_encode()
    values = conform(array.dictionary, target.value_type)
    if pc.count_distinct(values, mode="all").as_py() < len(values):
        return conform(array.dictionary_decode(), target.value_type).dictionary_encode()
    return pa.DictionaryArray.from_arrays(pc.cast(array.indices, target.index_type), values)


def _to_text(array: pa.Array) -> pa.Array:
    kind = array.type
    is_text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    is_bytes = (
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )
    if is_text or is_bytes or pa.types.is_integer(kind):
        return pc.cast(array, options=pc.CastOptions(pa.string(), allow_invalid_utf8=True))
    return from_texts([None if item is None else text_of(item) for item in _to_python(array)])


def text_of(value: Any) -> str:
    """A value as recorded text: a text as it is, anything else as compact JSON."""
    plain = jsonable(value)
    return plain if isinstance(plain, str) else json_text(plain)


def jsonable(value: Any) -> Any:
    """A Python value with only what JSON has: times, decimals and the like as text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return _bytes_text(bytes(value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    return str(value)


def _bytes_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def _to_python(array: pa.Array) -> list[Any]:
    """Python values of an array: null struct fields left out, maps as dicts, far times as text."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _to_python(array.dictionary_decode())
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        columns = [_to_python(child) for child in array.flatten()]
        return [
            {name: item for name, item in zip(names, row, strict=True) if item is not None} if valid else None
            for valid, row in zip(_validity(array), _rows(columns, len(array)), strict=True)
        ]
    if pa.types.is_map(kind):
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        first, n = int(offsets[0]), int(offsets[-1] - offsets[0])  # .keys and .items ignore slices
        pairs = zip(
            _to_python(array.keys.slice(first, n)), _to_python(array.items.slice(first, n)), strict=True
        )
        lengths = np.where(_validity(array), np.diff(offsets), 0).tolist()
        return _cut(list(pairs), lengths, _validity(array), dict)
    if _is_list(kind):
        lengths = pc.fill_null(array.value_lengths(), 0).to_pylist()
        return _cut(_to_python(array.flatten()), lengths, _validity(array), list)
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return pc.cast(array, pa.string()).to_pylist()  # Never fails, where Python's types would.
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        data = pc.cast(array, pa.large_binary()).to_pylist()
        return [None if item is None else decode(item) for item in data]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [None if item is None else decode(item) for item in array.to_pylist()]
    return [jsonable(item) for item in array.to_pylist()]


def to_python(array: pa.Array) -> list[Any]:
    """The elements of an array as JSON-like Python values."""
    return _to_python(array)


def _rows(columns: list[list[Any]], n: int) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * n


def _cut(
    values: list[Any], lengths: list[int], validity: list[bool], make: Callable[[list[Any]], Any]
) -> list[Any]:
    """Cut flat values into one collection per row; None where the row is null."""
    ends = list(itertools.accumulate(lengths))
    return [
        make(values[end - length : end]) if valid else None
        for end, length, valid in zip(ends, lengths, validity, strict=True)
    ]


def _validity(array: pa.Array) -> list[bool]:
    return array.is_valid().to_pylist()


def _is_list(kind: pa.DataType) -> bool:
    return (
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def _to_list(array: pa.Array, target: pa.DataType) -> pa.Array:
    if not _is_list(array.type):
        raise LayoutError(f"expected a list, found {array.type}")
    lengths = pc.fill_null(array.value_lengths(), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    if offsets[-1] > np.iinfo(np.int32).max:
        raise pa.ArrowInvalid("more than 2^31 elements in one batch")
    values = conform(array.flatten(), target.value_type)
    mask = array.is_null() if array.null_count else None
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def _to_struct(array: pa.Array, target: pa.DataType) -> pa.Array:
    if not pa.types.is_struct(array.type):
        raise LayoutError(f"expected a struct, found {array.type}")
    children = dict(zip([field.name for field in array.type], array.flatten(), strict=True))
    columns: list[pa.Array] = []
    for field in target:
        child = children.get(field.name)
        if child is None:
            columns.append(pa.nulls(len(array), field.type))
            continue
        try:
            columns.append(conform(child, field.type))
        except LayoutError as error:
            raise LayoutError(f"{field.name}: {error}") from error
    return pa.StructArray.from_arrays(columns, fields=list(target))


def _to_map(array: pa.Array) -> pa.Array:
    kind = array.type
    pairs = _is_list(kind) and pa.types.is_struct(kind.value_type) and kind.value_type.num_fields == 2
    if not (pa.types.is_map(kind) or pa.types.is_struct(kind) or pairs):
        raise LayoutError(f"expected a map of texts, found {kind}")
    rows: list[list[tuple[str, str | None]] | None] = []
    for item in _to_python(array):
        if isinstance(item, list):
            item = dict(_pair(entry) for entry in item if entry and len(entry) == 2)  # noqa: PLW2901
        rows.append(
            None if item is None else [(str(k), None if v is None else text_of(v)) for k, v in item.items()]
        )
    return text_maps(rows)


def _pair(entry: dict[str, Any]) -> tuple[Any, Any]:
    """A map entry that is a struct: by its field names, else by their order."""
    if "key" in entry and "value" in entry:
        return entry["key"], entry["value"]
    first, second = entry.values()
    return first, second


def text_maps(rows: Sequence[Sequence[tuple[str, str | None]] | None]) -> pa.Array:
    """A map<string, string> array of (key, value) pairs per row, surrogates kept."""
    offsets = list(itertools.accumulate((len(row or ()) for row in rows), initial=0))
    pairs = [pair for row in rows if row is not None for pair in row]
    return pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()),
        from_texts([key for key, _ in pairs]),
        from_texts([value for _, value in pairs]),
        mask=pa.array([row is None for row in rows], pa.bool_()),
    )


def _to_scalar(array: pa.Array, target: pa.DataType) -> pa.Array:
    try:
        options = pc.CastOptions(target, allow_time_truncate=True)
        return pc.cast(array, options=options)
    except pa.ArrowNotImplementedError as error:
        raise LayoutError(f"expected {target}, found {array.type}") from error
