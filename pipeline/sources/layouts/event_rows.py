"""Events as Python rows on their way to Arrow: what every layout that is not columnar fills."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from graders.arrays import from_texts
from graders.trajectory import EVENT_FIELDS

EventRow = tuple[Any, ...]
"""One value per field of `EVENT_FIELDS`, in that order; text fields hold texts."""


class UnreadableError(Exception):
    """A row that cannot be read at all; the message is the reason for the quarantine."""


def event_row(  # noqa: PLR0913  (one argument per field of an event)
    type_: str,
    *,
    turn: int | None = None,
    step: int | None = None,
    content: str | None = None,
    tool_name: str | None = None,
    tool_call_id: str | None = None,
    arguments: str | None = None,
    is_error: bool | None = None,
    name: str | None = None,
    timestamp: Any = None,
    data: str | None = None,
) -> EventRow:
    """One event."""
    return (type_, turn, step, content, tool_name, tool_call_id, arguments, is_error, name, timestamp, data)


def events_array(rows: list[list[EventRow] | None], target: pa.DataType) -> pa.Array:
    """The events of each trajectory as a list array of type `target`; None is null."""
    lengths = [0 if row is None else len(row) for row in rows]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    flat = [event for row in rows if row is not None for event in row]
    columns = list(zip(*flat, strict=True)) if flat else [()] * len(EVENT_FIELDS)
    by_name = dict(zip(EVENT_FIELDS, columns, strict=True))
    arrays = [_array(list(by_name[field.name]), field.type) for field in target.value_type]
    values = pa.StructArray.from_arrays(arrays, fields=list(target.value_type))
    mask = pa.array([row is None for row in rows], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return from_texts(values)
    if pa.types.is_dictionary(kind):
        return from_texts(values).dictionary_encode()
    return pa.array(values, kind)
