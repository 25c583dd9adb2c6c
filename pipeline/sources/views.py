"""Views of texts and bytes, which Arrow reads from some files: each value is a pointer to where it stands."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with plain texts and bytes for views of them, which Arrow can neither filter nor take."""
    columns: list[pa.Array] = []
    for column in batch.columns:
        kind = _plain(column.type)
        options = pc.CastOptions(kind, allow_invalid_utf8=True)
        columns.append(column if kind == column.type else pc.cast(column, options=options))
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type with plain texts and bytes at every depth."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_field(kind.key_field), _plain_field(kind.item_field))
    if pa.types.is_list(kind):
        return pa.list_(_plain_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_field(kind.value_field))
    return kind


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(_plain(field.type))
