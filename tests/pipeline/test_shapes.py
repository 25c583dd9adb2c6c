"""Inputs of odd shapes: tiny files and row groups are read and graded together, huge row groups in pieces."""

from __future__ import annotations

import concurrent.futures
import json
import pathlib
import threading
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.sources import parquet
from pipeline.sources.inputs import InputFile, WorkItem, find_inputs, work_loads
from pipeline.sources.records import ColumnMap, ReadPlan
from pipeline.transforms.small_batches import SmallBatches
from tests.pipeline.conftest import ROWS, Command, manifest, trajectories, verdicts
from tests.record_files import write_parquet


def _files(*rows: tuple[int, ...]) -> list[InputFile]:
    return [
        InputFile(
            str(at), 1, tuple(WorkItem(str(at), "parquet", n, count, 0) for n, count in enumerate(counts))
        )
        for at, counts in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("rows", "loads"),
    [
        ((), []),
        ((2000, 2000, 7), [[2000], [2000], [7]]),
        ((7, 2000, 3, 4), [[7], [2000], [3, 4]]),
        ((400, 600, 1), [[400, 600], [1]]),
        ((1,) * 2500, [[1] * 1000, [1] * 1000, [1] * 500]),
        ((-1,), [[-1]]),
    ],
)
def test_small_row_groups_are_taken_together(rows: tuple[int, ...], loads: list[list[int]]) -> None:
    assert [[item.rows for item in load] for load in work_loads(_files(rows))] == loads


def test_files_are_not_taken_together() -> None:
    assert [[item.path for item in load] for load in work_loads(_files((1, 1), (1,)))] == [["0", "0"], ["1"]]


def _batch(values: list[str], name: str = "text") -> pa.RecordBatch:
    event = pa.struct([("type", pa.dictionary(pa.int32(), pa.string()))])
    lists = pa.array([[{"type": value}] for value in values], pa.list_(event))
    return pa.RecordBatch.from_pydict({name: values, "events": lists})


def test_small_batches_are_joined_by_schema() -> None:
    small = SmallBatches(1_000_000)
    large = _batch(["x"] * 700)
    given = [*small.add(_batch(["a", "b"])), *small.add(_batch(["c"], "other")), *small.add(large)]
    assert given == [large]
    given = [joined for _ in range(499) for joined in small.add(_batch(["d", "e"]))]
    assert [joined.num_rows for joined in given] == [1000]
    joined = given[0]
    assert joined["text"].to_pylist() == ["a", "b", *["d", "e"] * 499]
    assert joined["events"].to_pylist() == [[{"type": text}] for text in joined["text"].to_pylist()]
    rest = list(small.drain())
    assert [batch.to_pydict()["other"] for batch in rest] == [["c"]]
    assert list(small.drain()) == []


def test_batches_that_are_large_in_bytes_are_not_held_back() -> None:
    small = SmallBatches(10_000)
    long = _batch(["x" * 3_000])  # It stands in both columns.
    assert list(small.add(long)) == [long]
    assert list(small.add(_batch(["x" * 2_000]))) == []
    (joined,) = small.add(_batch(["y" * 2_000]))
    assert joined.num_rows == 2


def test_tiny_files_and_row_groups_give_the_same_tables(work: pathlib.Path, gradebeam: Command) -> None:
    rows = [{**row, "trajectory_id": f"{at}-{row['trajectory_id']}"} for at in range(8) for row in ROWS]
    write_parquet(work / "whole" / "a.parquet", rows)
    write_parquet(work / "groups" / "a.parquet", rows, row_group_size=1)
    for at, row in enumerate(rows):
        write_parquet(work / "files" / f"{at:03d}.parquet", [row])
    for name in ("whole", "groups", "files"):
        done = gradebeam("run", "--spec", "spec.yaml", "--input", name, "--output", f"{name}-out")
        assert done.code == 0, done.err
    whole = work / "whole-out"
    for name in ("groups-out", "files-out"):
        for table in ("summary.parquet", "samples.parquet", "scores.json"):
            assert (work / name / table).read_bytes() == (whole / table).read_bytes(), table
        assert verdicts(work / name) == verdicts(whole)
        assert trajectories(work / name) == trajectories(whole)


def test_a_damaged_row_group_among_tiny_ones(work: pathlib.Path, gradebeam: Command) -> None:
    """The others of its file are graded, though all are read together."""
    path = work / "groups" / "a.parquet"
    write_parquet(path, ROWS, row_group_size=1)
    whole = bytearray(path.read_bytes())
    group = pq.read_metadata(path).row_group(2)
    starts = [
        column.dictionary_page_offset or column.data_page_offset
        for column in map(group.column, range(group.num_columns))
    ]
    for start in starts:
        whole[start : start + 8] = b"\xff" * 8
    path.write_bytes(whole)
    settings: list[Any] = ["--spec", "spec.yaml", "--output", "out", "--max-quarantined", 0.5]
    done = gradebeam("run", "--input", "groups", *settings)
    assert done.code == 0, done.err
    counts = manifest(work / "out")["counts"]
    assert (counts["trajectories"], counts["quarantined_rows"]) == (5, 1)
    (line,) = (work / "out" / "quarantine.jsonl").read_text().splitlines()
    assert (json.loads(line)["row_group"], json.loads(line)["row"]) == (2, 0)


def test_a_row_group_of_many_small_rows_is_read_in_pieces(tmp_path: pathlib.Path) -> None:
    """However small the columns look: what is made of a row, such as evidence, has its size."""
    write_parquet(tmp_path / "a.parquet", [ROWS[0]] * 25_000)
    (file,) = find_inputs([str(tmp_path / "a.parquet")], ColumnMap())
    assert [item.rows for item in file.items] == [25_000]
    with (tmp_path / "a.parquet").open("rb") as opened:
        pieces = [piece.rows for piece in parquet.read_row_group(opened, 0, ReadPlan(frozenset({"output"})))]
    assert sum(pieces) == 25_000
    assert max(pieces) <= 10_000


def test_threads_that_want_one_footer_read_it_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(tmp_path / "a.parquet", ROWS)
    footers, read, calls = parquet.Footers(), pq.read_metadata, []
    both = threading.Barrier(2)

    def read_footer(file: Any) -> pq.FileMetaData:
        calls.append(file)
        return read(file)

    def ask() -> pq.FileMetaData:
        both.wait()
        with (tmp_path / "a.parquet").open("rb") as file:
            return footers.of("a.parquet", file)

    monkeypatch.setattr(parquet.pq, "read_metadata", read_footer)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first, second = (asked.result() for asked in [pool.submit(ask) for _ in range(2)])
    assert first is second
    assert len(calls) == 1
    footers.drop()
    with (tmp_path / "a.parquet").open("rb") as file:
        assert footers.of("a.parquet", file) is not first
