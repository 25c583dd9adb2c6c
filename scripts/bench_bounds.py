"""Input of shapes that nobody should write and somebody does: all must stay within the bound of memory."""

from __future__ import annotations

import dataclasses
import pathlib
import random
from collections.abc import Callable, Iterator

import pyarrow as pa
from bench_data import EVEN, SCHEMA, Row, vocabulary, with_numbers, write_whole

SMALL_FILES = 10_000
SINGLE_ROW_GROUPS = 10_000
SMALL_ROWS = 1_000_000
LARGE_ROWS = 240_000  # About 2 GB in memory.
_DISTINCT = 2_000


@dataclasses.dataclass(frozen=True)
class Shape:
    """An input of some shape.

    Attributes:
        name: what it is called.
        rows: its runs.
        write: writes it into an empty directory, where it is not there already.
        is_large: whether it takes gigabytes to make or to grade.
    """

    name: str
    rows: int
    write: Callable[[pathlib.Path], None]
    is_large: bool = False


def _even(rows: int) -> pa.Table:
    return pa.Table.from_pylist(EVEN.make_rows(range(rows)), SCHEMA)


def _tiled(table: pa.Table, rows: int) -> pa.Table:
    """The rows of a table over and over, each time under other ids."""
    firsts = range(0, rows, len(table))
    return pa.concat_tables(with_numbers(table, range(at, min(at + len(table), rows))) for at in firsts)


def _small_runs() -> list[Row]:
    draw = random.Random(3)

    def text() -> str:
        return " ".join(draw.choices(vocabulary(), k=8))

    return [
        {
            "trajectory_id": "",
            "sample_id": f"s{number % 100}",
            "model": "m1",
            "output": text(),
            "events": [
                {"type": "user_message", "turn": 0, "content": text()},
                {"type": "tool_call", "turn": 0, "tool_name": "read_file", "arguments": "{}"},
            ],
        }
        for number in range(_DISTINCT * 10)
    ]


def _write_small_files(directory: pathlib.Path) -> None:
    table = _even(_DISTINCT)
    for number in range(SMALL_FILES):
        row = table.slice(number % len(table), 1)
        write_whole(directory / f"part-{number:05d}.parquet", [with_numbers(row, range(number, number + 1))])


def _write_single_row_groups(directory: pathlib.Path) -> None:
    table = _tiled(_even(_DISTINCT), SINGLE_ROW_GROUPS)
    rows: Iterator[pa.Table] = (table.slice(number, 1) for number in range(SINGLE_ROW_GROUPS))
    write_whole(directory / "rows.parquet", rows)


def _write_one_group(directory: pathlib.Path) -> None:
    write_whole(directory / "one.parquet", [_tiled(pa.Table.from_pylist(_small_runs(), SCHEMA), SMALL_ROWS)])


def _write_large(directory: pathlib.Path) -> None:
    write_whole(directory / "large.parquet", [_tiled(_even(_DISTINCT), LARGE_ROWS)])


SHAPES = (
    Shape("10,000 files of one run", SMALL_FILES, _write_small_files),
    Shape("10,000 row groups of one run", SINGLE_ROW_GROUPS, _write_single_row_groups),
    Shape("one row group of 10⁶ small runs", SMALL_ROWS, _write_one_group),
    Shape("one row group of 2 GB", LARGE_ROWS, _write_large, is_large=True),
)
