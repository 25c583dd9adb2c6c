"""Reading JSON lines as trajectories: one JSON value a line, the same record as in Parquet.

A line is an object with the columns of the record (`{"messages": […]}` is enough), or a bare list,
which is a chat. Where a line names no `trajectory_id`, its number in the file, from 1, is the id;
where several files are read, the file stands before it, `b/chats.jsonl:3`, so that no two lines
share an id. Blank lines are passed over; they count as lines and not as rows.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa

from graders.arrays import decode
from graders.values import INVALID, parse_json
from pipeline.sources.records import MESSAGES, BadRow, ColumnMap, Piece, ReadPlan
from pipeline.sources.rows import MOST_ROWS, rows_to_trajectories

SUFFIXES = (".jsonl", ".ndjson")

_BOM = b"\xef\xbb\xbf"
_HEAD_LINES = 1000
_HEAD_BYTES = 4 * 1024 * 1024
_ARRAY_HINT = "an array over several lines becomes lines with: jq -c '.[]' FILE"

Line = tuple[int, bytes]
"""A line with its position in the file, from 0."""


def looks_like_lines(path: str, head: bytes) -> bool:
    """Whether a file holds JSON lines, by its name or its first bytes."""
    return path.lower().endswith(SUFFIXES) or head.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")


def lines_schema(file: IO[bytes], columns: ColumnMap) -> pa.Schema | None:
    """The columns that the first lines of a file name, without types; None for an empty file.

    Columns that are mapped count as named where the file goes on after its first lines, and so
    does the id, which may be the number of the line.

    Raises:
        ValueError: none of the lines is a JSON object or list.
    """
    lines = list(itertools.islice(_bounded(file), _HEAD_LINES))
    if not lines:
        return None
    records = [record for _, data in lines if isinstance(record := _parse(data, columns), dict)]
    if not records:
        raise ValueError(f"no line is a JSON object or list ({_ARRAY_HINT})")
    names = {name: None for record in records for name in record}
    renamed = dict(columns.renamed)
    if "trajectory_id" not in renamed:
        names["trajectory_id"] = None
    if file.read(1):
        names |= dict.fromkeys(renamed.values())
    return pa.schema([(name, pa.null()) for name in names])


def read_lines(file: IO[bytes], plan: ReadPlan, label: str = "") -> Iterator[Piece]:
    """Read JSON lines in pieces of about `plan.batch_bytes` of text.

    Args:
        file: the file.
        plan: what to read.
        label: what stands before the numbers that serve as ids.
    """
    held: list[Line] = []
    size = 0
    for line in _lines(file):
        held.append(line)
        size += len(line[1])
        if size >= plan.batch_bytes or len(held) >= MOST_ROWS:
            yield _piece(held, plan, label)
            held, size = [], 0
    if held:
        yield _piece(held, plan, label)


def _piece(lines: list[Line], plan: ReadPlan, label: str) -> Piece:
    return Piece(len(lines), functools.partial(_to_trajectories, lines, plan, label))


def _to_trajectories(
    lines: list[Line], plan: ReadPlan, label: str
) -> tuple[list[pa.RecordBatch], list[BadRow]]:
    records: list[tuple[int, dict[str, Any]]] = []
    bad: list[BadRow] = []
    for number, data in lines:
        record = _parse(data, plan.columns)
        if isinstance(record, str):
            bad.append(BadRow(number, f"line {number + 1}: {record}"))
            continue
        record.setdefault(plan.columns.physical("trajectory_id"), f"{label}{number + 1}")
        records.append((number, record))
    batches, unreadable = rows_to_trajectories(records, plan)
    bad += [BadRow(row.row, f"line {row.row + 1}: {row.reason}") for row in unreadable]
    return batches, sorted(bad, key=lambda row: row.row)


def _parse(data: bytes, columns: ColumnMap) -> dict[str, Any] | str:
    """The record of a line, or why there is none."""
    value = parse_json(decode(data))
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {columns.physical(MESSAGES): value}
    if value is not INVALID:
        return "expected a JSON object or a list of messages"
    return f"not JSON ({_ARRAY_HINT})" if data == b"[" else "not JSON"


def _lines(file: IO[bytes]) -> Iterator[Line]:
    for number, data in enumerate(file):
        line = data.removeprefix(_BOM).strip() if number == 0 else data.strip()
        if line:
            yield number, line


def _bounded(file: IO[bytes]) -> Iterator[Line]:
    """The first lines, until they are many bytes."""
    size = 0
    for line in _lines(file):
        yield line
        size += len(line[1])
        if size > _HEAD_BYTES:
            return
