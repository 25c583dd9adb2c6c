"""Reading Avro object container files as trajectories, row by row."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import IO, Any

import fastavro
import fastavro.read
import pyarrow as pa

from pipeline.sources.records import Piece, ReadPlan
from pipeline.sources.rows import MOST_ROWS, rows_to_trajectories


def _or_as_written(read: Callable[..., Any], microseconds: int) -> Callable[..., Any]:
    """A reader of a logical type that gives what Python has no value for as it is written.

    An error in the midst of a block would cost all records behind it.
    """

    def read_value(data: Any, *schemas: Any) -> Any:
        try:
            return read(data, *schemas)
        except (ArithmeticError, ValueError):
            return data * microseconds

    return read_value


fastavro.read.LOGICAL_READERS.update(  # Where fastavro asks for readers of one's own.
    (name, _or_as_written(read, 1000 if name.endswith("timestamp-millis") else 1))
    for name, read in fastavro.read.LOGICAL_READERS.items()
)


def read_schema(file: IO[bytes]) -> Any:
    """The writer's schema of an Avro file.

    Raises:
        ValueError: the file is not whole, or its schema is not a record.
    """
    schema = fastavro.reader(file).writer_schema
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise ValueError("the Avro schema is not a record")
    return schema


def arrow_schema(schema: Any) -> pa.Schema:
    """The columns of an Avro schema; their types only tell what no row could satisfy: nothing."""
    return pa.schema([(field["name"], pa.null()) for field in schema["fields"]])


def read_avro(file: IO[bytes], plan: ReadPlan) -> Iterator[Piece]:
    """Read an Avro file in pieces of about `plan.batch_bytes` of encoded blocks."""
    first = 0
    for records in _chunks(file, plan.batch_bytes):
        numbered = list(enumerate(records, first))
        yield Piece(len(records), functools.partial(rows_to_trajectories, numbered, plan))
        first += len(records)


def _chunks(file: IO[bytes], batch_bytes: int) -> Iterator[list[Any]]:
    """The records in lists of some blocks each; a large block is cut, a small one joined to others."""
    held: list[Any] = []
    size = 0
    try:
        # Bytes that are no UTF-8 come through, as they do from Parquet.
        for block in fastavro.block_reader(file, handle_unicode_errors="gradebeam-lossless"):
            records = iter(block)
            share = len(block.bytes_.getvalue()) // max(block.num_records, 1)  # type: ignore[attr-defined]  # no types
            for chunk in iter(lambda records=records: list(itertools.islice(records, 64)), []):
                held += chunk
                size += share * len(chunk)
                if size >= batch_bytes or len(held) >= MOST_ROWS:
                    yield held
                    held, size = [], 0
    except GeneratorExit:
        raise
    except Exception:
        if held:  # What came before the damage counts.
            yield held
        raise
    if held:
        yield held
