"""Columns as they lie in a file to batches of the trajectory record.

The same for every format: which columns a file must have, which of its columns stand for which
of the record (`ColumnMap`), and what becomes of rows that cannot be read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.arrays import Mask, from_texts, not_null, to_texts
from graders.trajectory import LEAVES, RECORD_FIELDS, record_schema
from pipeline.errors import Problem, nearest
from pipeline.sources.conform import LayoutError, conform, conform_rows, to_python
from pipeline.sources.layouts.event_rows import EventRow, UnreadableError, events_array
from pipeline.sources.layouts.messages import events_of, events_of_text
from pipeline.sources.views import without_views

MESSAGES = "messages"
KNOWN_COLUMNS = (*RECORD_FIELDS, MESSAGES)


@dataclasses.dataclass(frozen=True)
class ColumnMap:
    """Which column of the files holds which column of the record; the others have their own name.

    Attributes:
        renamed: (column of the record, column of the files) pairs.
    """

    renamed: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, columns: Mapping[str, str]) -> ColumnMap:
        """The map of a job or a manifest: columns of the files by those of the record."""
        return cls(tuple(sorted(columns.items())))

    def physical(self, name: str) -> str:
        """The name in the files of a column of the record."""
        return dict(self.renamed).get(name, name)


@dataclasses.dataclass(frozen=True)
class ReadPlan:
    """What to read of every file; plain data, so that it travels to workers.

    Attributes:
        needs: what the batches must hold, see `trajectory.record_schema`.
        columns: the physical names of the columns.
        references: reference data by sample id, as JSON text, for records that have none.
        batch_bytes: bound on the uncompressed size of a batch.
    """

    needs: frozenset[str]
    columns: ColumnMap = ColumnMap()
    references: Mapping[str, str] = dataclasses.field(default_factory=dict)
    batch_bytes: int = 16 * 1024 * 1024


@dataclasses.dataclass(frozen=True)
class BadRow:
    """A row that cannot be read.

    Attributes:
        row: its position in the row group or file.
        reason: why.
    """

    row: int
    reason: str


@dataclasses.dataclass(frozen=True)
class Piece:
    """A piece of a file that was read, to be turned into trajectories.

    Reading and turning are apart so that the one can run in a thread: it holds no GIL, the other
    does.

    Attributes:
        rows: how many rows it has.
        trajectories: turns it into batches of the record's schema and the rows that cannot be
            read, by their position in the row group or file.
    """

    rows: int
    trajectories: Callable[[], tuple[list[pa.RecordBatch], list[BadRow]]]


def schema_problems(
    file: str, schema: pa.Schema, columns: ColumnMap, needs: frozenset[str] = LEAVES
) -> list[Problem]:
    """What keeps a file of this Arrow schema from being read as trajectories."""
    problems: list[Problem] = []
    names = set(schema.names)
    if twice := sorted({name for name in names if schema.names.count(name) > 1}):
        return [Problem(file, "", f"several columns are named {', '.join(map(repr, twice))}")]
    for name, physical in columns.renamed:
        if physical not in names:
            problems.append(
                Problem(
                    file, "", f"no column {physical!r} for {name}{nearest(physical, names)}; see --columns"
                )
            )
    if columns.physical("trajectory_id") not in names:
        problems.append(_missing(file, "trajectory_id", schema))
    if not names & {columns.physical("events"), columns.physical(MESSAGES)}:
        problems.append(_missing(file, "events or messages", schema))
    for field in record_schema(needs):
        name, target = field.name, field.type
        physical = columns.physical(name)
        if physical in names:
            try:
                conform(pa.nulls(0, schema.field(physical).type), target)
            except LayoutError as error:
                problems.append(Problem(file, "", f"column {physical}: {error}"))
    return problems


def _missing(file: str, what: str, schema: pa.Schema) -> Problem:
    present = ", ".join(schema.names) or "none"
    map_it = f"map one with --columns {what.rsplit(maxsplit=1)[-1]}=COLUMN"
    return Problem(file, "", f"no column {what}; the file has {present}; {map_it}")


def to_trajectories(
    raw: pa.RecordBatch, plan: ReadPlan, first_row: int = 0
) -> tuple[list[pa.RecordBatch], list[BadRow]]:
    """The trajectories of a batch of physical columns.

    Args:
        raw: columns under their physical names; those that are not needed may be missing.
        plan: what to make of them.
        first_row: the position of the first row in the row group.

    Returns:
        Batches of the record's schema, one for the rows with events and one for those with
        messages, and the rows that cannot be read.
    """
    reader = _Reader(raw, record_schema(plan.needs), plan)
    batches = list(reader.batches())
    return batches, [BadRow(first_row + row, reason) for row, reason in sorted(reader.bad.items())]


def fill_references(batch: pa.RecordBatch, references: Mapping[str, str]) -> pa.RecordBatch:
    """Give the records without reference data that of their sample, where there is one."""
    at = batch.schema.get_field_index("reference")
    if at < 0 or not references:
        return batch
    own = to_texts(batch.column(at))
    samples = to_texts(batch.column("sample_id"))
    filled = from_texts(
        text if text is not None else references.get(sample or "")
        for text, sample in zip(own, samples, strict=True)
    )
    return batch.set_column(at, batch.schema.field(at), filled)


class _Reader:
    def __init__(self, raw: pa.RecordBatch, schema: pa.Schema, plan: ReadPlan) -> None:
        self._raw = without_views(raw)
        self._schema = schema
        self._columns = plan.columns
        self._references = plan.references
        self.bad: dict[int, str] = {}
        self._flat = {
            field.name: self._conformed(field.name, field.type) for field in schema if field.name != "events"
        }
        ids = self._flat["trajectory_id"]
        for row in np.flatnonzero(~not_null(ids)).tolist():
            self.bad.setdefault(row, "trajectory_id: null")
        self._flat["sample_id"] = pc.coalesce(self._flat["sample_id"], ids)

    def batches(self) -> Iterator[pa.RecordBatch]:
        target = self._schema.field("events").type
        events = self._conformed("events", target) if self._column("events") is not None else None
        messages = self._column(MESSAGES)
        if events is None:
            has_events = np.zeros(len(self._raw), np.bool_)
        elif messages is None:
            has_events = np.ones(len(self._raw), np.bool_)
        else:
            has_events = not_null(events)
        others = ~has_events
        if others.any():
            # Null where neither layout has anything; such rows are batched with the messages.
            converted = self._events_of_messages(messages, others, target)
            yield from self._batch(others, converted)
        if events is not None and has_events.any():
            yield from self._batch(has_events, _filter(events, has_events))

    def _column(self, name: str) -> pa.Array | None:
        physical = self._columns.physical(name)
        at = self._raw.schema.get_field_index(physical)
        return None if at < 0 else self._raw.column(at)

    def _conformed(self, name: str, kind: pa.DataType) -> pa.Array:
        column = self._column(name)
        if column is None:
            return pa.nulls(len(self._raw), kind)
        array, bad = conform_rows(column, kind)
        for row, reason in bad.items():
            self.bad.setdefault(row, f"{name}: {reason}")
        return array

    def _events_of_messages(self, messages: pa.Array | None, mask: Mask, target: pa.DataType) -> pa.Array:
        rows: list[list[EventRow] | None] = []
        taken = pa.nulls(int(mask.sum())) if messages is None else _filter(messages, mask)
        is_text = not pa.types.is_nested(taken.type)
        values = to_texts(conform(taken, pa.string())) if is_text else to_python(taken)
        for row, value in zip(np.flatnonzero(mask).tolist(), values, strict=True):
            try:
                rows.append(events_of_text(value) if is_text else events_of(value))
            except UnreadableError as error:
                self.bad.setdefault(row, str(error))
                rows.append(None)
        return events_array(rows, target)

    def _batch(self, mask: Mask, events: pa.Array) -> Iterator[pa.RecordBatch]:
        """The rows of `mask` that can be read, with their events."""
        arrays: Mapping[str, pa.Array] = {
            **{name: _filter(array, mask) for name, array in self._flat.items()},
            "events": events,
        }
        batch = pa.RecordBatch.from_arrays([arrays[name] for name in self._schema.names], schema=self._schema)
        bad = np.zeros(len(self._raw), np.bool_)
        bad[list(self.bad)] = True
        readable = ~bad[mask]
        if not readable.all():
            batch = batch.filter(pa.array(readable))
        if batch.num_rows:
            yield fill_references(batch, self._references)


def _filter(array: pa.Array, mask: Mask) -> pa.Array:
    return array if mask.all() else array.filter(pa.array(mask))
